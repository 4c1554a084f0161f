"""Mangled files of games: none may crash, hang or be taken for something it is not.

    python benchmarks/fuzz_sgf.py --files 10000 --seed 0

Every file is read and replayed.  Either that works, or one line says what is wrong.  What was read
is written and read again, and must be the same.
"""

import argparse
import random
from collections import Counter
from time import perf_counter

from trellis.game.errors import TrellisError
from trellis.games.go.game import Go
from trellis.games.go.problem import GoProblem
from trellis.games.go.setup import set_up
from trellis.sgf.go_record import GoRecord, read_collection, write_game
from trellis.sgf.problem_file import problem_of_diagram, problem_of_sgf
from trellis.sgf.tree import Node, write_trees

_PIECES = (
    b"(", b")", b";", b"[", b"]", b"\\", b":", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"B[tt]",
    b"W[]", b"AB[aa:ss]", b"AE[aa:cc]", b"AW[zz]", b"SZ[0]", b"SZ[99999999999999999999]",
    b"SZ[9:7]", b"SZ[5:]", b"KM[nan]", b"KM[1e999]", b"KM[-7,5]", b"CA[utf-16]", b"CA[rot13]",
    b"CA[GB18030]", b"CA[idna]", b"CA[Shift_JIS]", b"GM[2]", b"PL[X]", b"PL[W]", b"HA[9]",
    b"HA[-1]", b"TR[aa][bb]", b"SL[aa:cc]", b"MA[cc:aa]C[capture live]",
    b"C[\\]", b"B[aa]W[bb]", b"B[\xe4\xb8\xad]", b"(;" * 30, b";" * 50, b"[" * 50,
    b")" * 20, b"ABCDEFGH" * 12, b"b[ab]", b"Black[cd]", b"B[AA]", b"B[a]", b"B[aaa]",
)  # fmt: skip


def random_game(dice: random.Random) -> bytes:
    """Return the file of a short random game, with variations and comments."""
    rows, columns = dice.choice(((5, 5), (7, 7), (9, 9), (5, 7)))
    game = Go(board_size=rows, rows=rows, columns=columns, komi=dice.choice((0.0, 5.5, 7.5)))
    stones = dice.sample(range(game.points), dice.choice((0, 0, 2)))
    position = set_up(game, stones[:1], stones[1:], dice.randrange(2))
    positions, moves = [position], []
    for _ in range(dice.randrange(40)):
        if position.is_over:
            break
        moves.append(dice.choice(position.move_codes()))
        position = position.play(moves[-1])
        positions.append(position)
    root = write_game(positions, moves, names=("black ]", "wei\\ß"))
    for node in list(root.nodes()):
        if dice.random() < 0.1:
            node.add_comment(dice.choice(("good", "a ] bracket", "back\\slash", "中文", "a: b")))
        if dice.random() < 0.1:
            node.add({"B": [b"aa"]}).add({"W": [b"bb"]})
    return write_trees([root] * dice.choice((1, 1, 1, 2)))


def random_diagram(dice: random.Random) -> bytes:
    """Return a diagram of a few stones."""
    columns = dice.choice((3, 5, 20))
    rows = ["".join(dice.choices("XOBW.C+", k=columns)) for _ in range(dice.choice((3, 5)))]
    return "\n".join([dice.choice(("black", "$$W capture", "white: live")), *rows]).encode()


def mangled(dice: random.Random) -> bytes:
    """Return a file of a game, or a diagram, with a few things wrong with it."""
    data = bytearray(random_game(dice) if dice.random() < 0.9 else random_diagram(dice))
    for _ in range(dice.choice((0, 1, 1, 2, 3, 10))):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(6)
        if kind == 0:
            data[at:at] = dice.choice(_PIECES)
        elif kind == 1:
            del data[at : at + dice.choice((1, 2, 5, 50))]
        elif kind == 2:
            del data[at:]
        elif kind == 3 and at < len(data):
            data[at] = dice.randrange(256)
        elif kind == 4:
            start = dice.randrange(len(data) + 1)
            data[at:at] = data[start : start + dice.randrange(60)]
        else:
            data[at : at + 2] = bytes(dice.randrange(256) for _ in range(3))
    return bytes(data)


def shape(root: Node) -> list[tuple[dict[str, list[bytes]], int]]:
    """Return all that a game says, node by node."""
    return [(node.properties, len(node.children)) for node in root.nodes()]


def attempt(data: bytes) -> str:
    """Read, replay, write and read a file again; return how far it went."""
    attempt_problem(data)
    try:
        records = read_collection(data)
    except TrellisError as error:
        refuse_unclear(error)
        return "refused"
    text = write_trees([record.root for record in records])
    again = read_collection(text)
    if [shape(each.root) for each in again] != [shape(each.root) for each in records]:
        raise AssertionError("what was written is not what was read")
    worked = [replay(record) for record in records]
    return "replayed" if all(worked) else "read"


def attempt_problem(data: bytes) -> None:
    """Take a file for a problem, and for a diagram; either works, or one line says why not."""
    for read in (problem_of_sgf, lambda each: problem_of_diagram(each.decode("latin-1"))):
        try:
            GoProblem(read(data)).start().moves()
        except TrellisError as error:
            refuse_unclear(error)


def replay(record: GoRecord) -> bool:
    """Replay a game; return whether that worked, or one line says why not."""
    try:
        record.steps()
    except TrellisError as error:
        refuse_unclear(error)
        return False
    return True


def refuse_unclear(error: TrellisError) -> None:
    """Refuse a message that is not one line of a reasonable length."""
    message = str(error)
    if not message.strip() or len(message.splitlines()) != 1 or len(message) > 400:
        raise AssertionError(f"not one clear line: {message!r}")


def main() -> None:
    """Mangle so many files; say how they fared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    fared: Counter[str] = Counter()
    slowest = 0.0
    for number in range(chosen.files):
        data = mangled(random.Random(f"{chosen.seed} {number}"))
        began = perf_counter()
        try:
            fared[attempt(data)] += 1
        except Exception:
            print(f"file {number}: {data!r}")
            raise
        slowest = max(slowest, perf_counter() - began)
    print(", ".join(f"{count:,} {what}" for what, count in sorted(fared.items())), end="; ")
    print(f"no crash; the slowest took {slowest:.2f} s")


if __name__ == "__main__":
    main()
