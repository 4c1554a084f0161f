"""Certificates of random games: all that were written hold, all that were tampered with do not.

    python benchmarks/attack_certificates.py --certificates 1000 --tampered 1000 --seed 0

Each game is small enough for plain backward induction.  Its certificate has to be accepted, and to
claim the value.  Then something in it is changed, with a checksum that fits unless the bytes of
the file are what is changed, and it has to be refused.  Another choice may keep the value as well:
then the certificate is another proof of the same thing, and such changes are counted apart.
The exit code is 0 only where nothing is wrong.
"""

import argparse
import hashlib
import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from trellis.game.errors import BadRecord
from trellis.game.game import Game
from trellis.loading import load
from trellis.search.solve.certificate import write_certificate
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.reference import value_of
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.verify import read_certificate, verify

METHODS = ("auto", "alphabeta", "dfpn")
BOARDS = (
    "connect_four:rows=3,columns=4,x_in_row=3", "gomoku:m=3,n=3,k=3", "hex:board_size=3",
    "kalah:houses=2,seeds=2", "breakthrough:rows=4,columns=2", "othello:board_size=4",
)  # fmt: skip


def rewritten(path: Path, numbers: Callable[[bytes], bytes] | None = None, **changes: Any) -> Path:
    """Write a certificate with something else in it beside a file, and a checksum that fits."""
    line, _, packed = path.read_bytes().partition(b"\n")
    head, body = json.loads(line), zlib.decompress(packed)
    if numbers is not None:
        body = numbers(body)
    head = {**head, **changes}
    del head["sha256"]
    head["sha256"] = hashlib.sha256(json.dumps(head).encode() + body).hexdigest()
    other = path.with_name("changed")
    other.write_bytes(json.dumps(head).encode() + b"\n" + zlib.compress(body))
    return other


def draw_game(dice: Random) -> Game:
    """Return a random automaton, or now and then a small board."""
    if dice.random() < 0.1:
        return load(dice.choice(BOARDS))
    return load(
        f"random_automaton:seed={dice.randrange(1 << 30)},states={dice.randint(5, 60)},"
        f"branching={dice.randint(2, 4)},payoffs={dice.choice((2, 3, 5, 100))}"
    )


def certify(game: Game, path: Path, dice: Random, moves: tuple[str, ...] = ()) -> Portfolio:
    """Solve a position and write its certificate."""
    settings = QuestionSettings(memory=1.0, rating_games=20)
    search = Portfolio(game.start().play(*moves), dice.choice(METHODS), settings)
    search.run()
    write_certificate(search, path, moves)
    return search


def _bytes_changed(path: Path, dice: Random) -> Path:
    content = bytearray(path.read_bytes())
    at, kind = dice.randrange(len(content)), dice.randrange(3)
    if kind == 0:
        content[at] ^= 1 << dice.randrange(8)
    elif kind == 1:
        del content[at:]
    else:
        content.insert(at, dice.randrange(256))
    other = path.with_name("changed")
    other.write_bytes(bytes(content))
    return other


def _more_claimed(path: Path, dice: Random) -> Path:
    claims = read_certificate(path)
    by = dice.choice((1e-9, 0.01, 1.0))
    if claims.at_least is not None:
        return rewritten(path, at_least=claims.at_least + by)
    return rewritten(path, at_most=claims.at_most - by)  # type: ignore[operator]


def _one_more(path: Path, dice: Random) -> Path:
    first, second = (len(each) for each in read_certificate(path).choices)
    return rewritten(path, lambda body: body + b"\0\0", choices=[first, second + 1])


def _one_less(path: Path, dice: Random) -> Path | None:
    first, second = (len(each) for each in read_certificate(path).choices)
    if first + second == 0:
        return None
    left = [first, second - 1] if second else [first - 1, 0]
    return rewritten(path, lambda body: body[:-2], choices=left)


def _another_game(path: Path, dice: Random) -> Path:
    return rewritten(path, game="tic_tac_toe")


def _no_move(path: Path, dice: Random) -> Path:
    return rewritten(path, moves=["nowhere"])


def _another_choice(path: Path, dice: Random) -> Path | None:
    choices = sum(len(each) for each in read_certificate(path).choices)
    if choices == 0:
        return None
    at, number = 2 * dice.randrange(choices), dice.randrange(5).to_bytes(2, "little")
    return rewritten(path, lambda body: body[:at] + number + body[at + 2 :])


CHANGES: dict[str, Callable[[Path, Random], Path | None]] = {
    "bytes": _bytes_changed,
    "claim": _more_claimed,
    "a choice more": _one_more,
    "a choice less": _one_less,
    "game": _another_game,
    "moves": _no_move,
    "choice": _another_choice,
}


def attack(
    certificates: int, tampered: int, seed: int, tell: Callable[[str], None] = lambda line: None
) -> tuple[Counter[str], list[str]]:
    """Write, check and change certificates; return what was counted, and what was wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    dice, each = Random(seed), -(-tampered // max(certificates, 1))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof"
        while counts["verified"] + len(wrong) < certificates:
            game = draw_game(dice)
            certify(game, path, dice)
            value = value_of(game.start())
            _check(game, path, value, counts, wrong)
            for _ in range(each):
                _tamper(game, path, dice, counts, wrong)
            if counts["verified"] % 100 == 0:
                tell(f"{counts['verified']:,} verified, {counts['refused']:,} refused")
        while counts["refused"] + len(wrong) < tampered:
            _tamper(game, path, dice, counts, wrong)
    return counts, wrong


def _check(game: Game, path: Path, value: float, counts: Counter[str], wrong: list[str]) -> None:
    """Have a certificate verified; it must claim the value and nothing else."""
    try:
        found = verify(game, read_certificate(path))
    except BadRecord as error:
        wrong.append(f"{game.spec}: refused, and should hold: {error}")
        return
    least, greatest = game.payoff_range
    told = (found.at_least, found.at_most)
    if told != (value if value > least else None, value if value < greatest else None):
        wrong.append(f"{game.spec}: claims {told}, and is worth {value:g}")
        return
    counts["verified"] += 1


def _tamper(game: Game, path: Path, dice: Random, counts: Counter[str], wrong: list[str]) -> None:
    """Change a certificate in some way; it must be refused, or still show the same."""
    before = read_certificate(path)
    kind = dice.choice(list(CHANGES))
    changed = CHANGES[kind](path, dice)
    if changed is None:
        return
    try:
        after = read_certificate(changed)
        verify(game, after)
    except BadRecord:
        counts["refused"] += 1
        counts[f"refused: {kind}"] += 1
        return
    if kind == "choice" and (after.at_least, after.at_most) == (before.at_least, before.at_most):
        counts["another proof of the same"] += 1
        return
    wrong.append(f"{game.spec}: accepted, and should be refused ({kind})")


def main() -> None:
    """Attack, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificates", type=int, default=1000, help="to be verified")
    parser.add_argument("--tampered", type=int, default=1000, help="to be refused")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.certificates < 1 or options.tampered < 0:
        parser.error("expected a certificate at least, and no negative number")
    counts, wrong = attack(
        options.certificates, options.tampered, options.seed, lambda line: print(line, flush=True)
    )
    for name, count in sorted(counts.items()):
        print(f"{name}: {count:,}")
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
