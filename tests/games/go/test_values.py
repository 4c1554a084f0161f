"""What small boards are worth, by proof, beside what is published and what the definition says."""

from functools import cache

import pytest

from games.go.plain_go import PlainGo
from trellis.games.go import Go
from trellis.search.solve.proof import solve
from trellis.search.solve.value_iteration import solve_exactly

# Ted Drange, Mini-Go (mathpuzzle.com/go), 1998: black's margin by area, ideal play.  3x3 also in
# Van der Werf, Van den Herik and Uiterwijk, Solving Go on Small Boards, 2003.
VALUES = {
    (1, 1): 0, (1, 2): 0, (1, 3): 3, (1, 4): 4, (1, 5): 0, (1, 6): 1, (2, 2): 1, (2, 3): 0,
    (3, 3): 9,
}  # fmt: skip


@pytest.mark.parametrize(("size", "value"), VALUES.items())
def test_small_boards_are_worth_what_is_published(size: tuple[int, int], value: int) -> None:
    game = Go(
        rows=size[0], columns=size[1], komi=0.0, score=True, history="full", superko="positional"
    )
    found = solve(game, limit=2_000_000)
    assert found.payoffs == (value, -value)


def by_definition(go: PlainGo) -> int:
    """Return the value for black, by looking at every way to go on: no position is ever shared."""
    if go.passes == 2:
        return go.area()
    values = []
    for move in go.moves():
        after = PlainGo(
            go.rows, go.columns, go.superko, go.suicide, dict(go.stones), go.side, go.passes,
            set(go.seen),
        )  # fmt: skip
        after.play(move)
        values.append(by_definition(after))
    return max(values) if go.side == 0 else min(values)


@cache
def truth(columns: int, superko: str, suicide: bool) -> int:
    return by_definition(PlainGo(1, columns, superko, suicide))


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("superko", ["positional", "situational"])
@pytest.mark.parametrize("suicide", [False, True])
def test_rows_are_worth_what_the_definition_says(columns: int, superko: str, suicide: bool) -> None:
    game = Go(
        rows=1, columns=columns, komi=0.0, score=True, history="full", superko=superko,
        suicide=suicide,
    )  # fmt: skip
    value = truth(columns, superko, suicide)
    assert solve(game, limit=500_000).payoffs == (value, -value)


def test_boards_that_come_again_leave_a_gap_without_superko() -> None:
    """On 2x2 play can go round for ever, and nobody says what that is worth."""
    found = solve(Go(board_size=2, komi=0.0, score=True, superko="simple"), limit=20_000)
    assert not found.solved
    assert found.low <= 1 <= found.high


@pytest.mark.parametrize(("size", "count"), [((1, 3), 15), ((2, 2), 57), ((2, 3), 489)])
def test_every_position_of_small_boards_can_be_listed(size: tuple[int, int], count: int) -> None:
    """Without a limit of moves a position is the same whenever it comes."""
    game = Go(rows=size[0], columns=size[1], komi=0.0, score=True, superko="simple")
    found = solve_exactly(game)
    words = game.state_words - 3
    assert len({position.state[:words].tobytes() for position in found.values}) == count
