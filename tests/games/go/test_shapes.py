"""What every player of Go knows: ladders, snapbacks, kos of all kinds, suicide.

Rules of repetition after Tromp and Taylor (tromp.github.io/go.html); names of shapes, and the
cycles of triple ko (six moves) and of sending two and returning one (three), after Sensei's Library
(senseis.xmp.net: TripleKo, SendTwoReturnOne, Snapback, Ladder).
"""

import pytest

from trellis.game.game import Position
from trellis.games.go import Go
from trellis.games.go.setup import set_up

KINDS = ("simple", "positional", "situational")
BLACK, WHITE = 0, 1


def diagram(text: str, player: int, superko: str = "simple", suicide: bool = False) -> Position:
    """Set up a board from a drawing, the top row first."""
    rows = text.split()[::-1]
    game = Go(rows=len(rows), columns=len(rows[0]), superko=superko, suicide=suicide, max_plies=500)
    stones: dict[str, list[int]] = {"X": [], "O": [], ".": []}
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            stones[cell].append(y * len(row) + x)
    return set_up(game, stones["X"], stones["O"], player)


def drawn(position: Position) -> str:
    """Draw a board, the top row first."""
    assert isinstance(position.game, Go)
    return "\n".join(position.game.stones(position.state)[::-1])


def same(position: Position, text: str) -> bool:
    return drawn(position).split() == text.split()


@pytest.mark.parametrize("superko", KINDS)
def test_snapback(superko: str) -> None:
    """One stone is sent in and taken; what took it is taken back at once: that is no ko."""
    position = diagram("..... OOOO. XXXO. X..O.", WHITE, superko).play("b1")
    taken = position.play("c1")
    assert same(taken, "..... OOOO. XXXO. X.XO.")
    assert same(taken.play("b1"), "..... OOOO. ...O. .O.O.")


def liberties(position: Position, point: tuple[int, int]) -> list[str]:
    """Return the liberties of the chain at a point, by name; none where it was taken."""
    board = drawn(position).split()[::-1]
    colour = board[point[0]][point[1]]
    found, seen, waiting = set(), {point}, [point]
    while waiting and colour != ".":
        y, x = waiting.pop()
        for v, u in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
            if 0 <= v < len(board) and 0 <= u < len(board[0]) and (v, u) not in seen:
                if board[v][u] == ".":
                    found.add(f"{'abcdefghj'[u]}{v + 1}")
                elif board[v][u] == colour:
                    seen.add((v, u))
                    waiting.append((v, u))
    return sorted(found)


def is_caught(position: Position, point: tuple[int, int]) -> bool:
    """Tell whether a chain in atari that runs and runs is taken at last."""
    lone = liberties(position, point)
    if not lone:
        return True
    if len(lone) > 1:
        return False
    if lone[0] not in position.moves():
        return True
    ran = position.play(lone[0])
    two = liberties(ran, point)
    if len(two) > 2:
        return False
    return any(
        len(two) == 1 or is_caught(ran.play(move), point) for move in two if move in ran.moves()
    )


@pytest.mark.parametrize("superko", KINDS)
@pytest.mark.parametrize("caught", [True, False])
def test_ladder(superko: str, caught: bool) -> None:
    """A stone that runs in a ladder is caught at the edge, unless a friend stands in the way."""
    rows = ["." * 9 for _ in range(5)] + ["..O......", ".OX......", "..OO.....", "." * 9]
    if not caught:
        rows[3] = ".....X..."  # f6
    assert is_caught(diagram(" ".join(rows), BLACK, superko), (2, 2)) == caught


TWO_KOS = ".XO. XO.O .XO. .... .XO. X.XO .XO."
THREE_KOS = f"{TWO_KOS} .... .XO. XO.O .XO."


@pytest.mark.parametrize("superko", KINDS)
def test_a_ko_is_not_taken_back_at_once_but_later(superko: str) -> None:
    position = diagram(".XO.. XO.O. .XO.. .....", BLACK, superko).play("c3")
    assert "b3" not in position.moves()
    assert "b3" in position.play("e1", "a1").moves()


@pytest.mark.parametrize(("superko", "allowed"), [*zip(KINDS, (True, False, True), strict=True)])
def test_double_ko(superko: str, allowed: bool) -> None:
    """After five moves the board is there again, with the other side to move."""
    position = diagram(TWO_KOS, BLACK, superko).play("c6", "b2", "pass", "b6")
    assert ("c2" in position.moves()) == allowed
    if allowed:
        assert same(position.play("c2"), TWO_KOS)


@pytest.mark.parametrize("superko", KINDS)
def test_triple_ko(superko: str) -> None:
    """After six moves the board is there again, with the same side to move."""
    start = diagram(THREE_KOS, BLACK, superko)
    position = start.play("c10", "b6", "c2", "b10", "c6")
    assert ("b2" in position.moves()) == (superko == "simple")
    if superko == "simple":
        assert same(position.play("b2"), THREE_KOS)
        assert position.play("b2").acting == start.acting


@pytest.mark.parametrize(("superko", "allowed"), [*zip(KINDS, (True, False, True), strict=True)])
def test_sending_two_and_returning_one(superko: str, allowed: bool) -> None:
    """No ko forbids it, since two stones are taken; the board comes again after three moves."""
    board = "..... XXOO. .O.O."
    position = diagram(board, WHITE, superko).play("a1", "c1")
    assert same(position, "..... XXOO. ..XO.")
    assert ("b1" in position.moves()) == allowed
    if allowed:
        assert same(position.play("b1"), board)


@pytest.mark.parametrize("superko", KINDS)
@pytest.mark.parametrize("suicide", [False, True])
def test_suicide_of_several_stones(superko: str, suicide: bool) -> None:
    position = diagram("..... XXXX. OO.X.", WHITE, superko, suicide)
    assert ("c1" in position.moves()) == suicide
    if suicide:
        assert same(position.play("c1"), "..... XXXX. ...X.")


@pytest.mark.parametrize("superko", KINDS)
@pytest.mark.parametrize("suicide", [False, True])
def test_suicide_of_one_stone(superko: str, suicide: bool) -> None:
    """It leaves the board as it is, so superko forbids it; a change of turns is a new situation."""
    position = diagram("... XX. .X.", WHITE, superko, suicide)
    assert ("a1" in position.moves()) == (suicide and superko != "positional")
