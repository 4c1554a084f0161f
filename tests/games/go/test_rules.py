"""The rules of Go against a twin with sets, and against counts that others have published."""

from itertools import product
from random import Random

import numpy as np
import pytest
from go_positions import PUBLISHED, legal_boards

from games.go.plain_go import PlainGo
from trellis.game.game import Position
from trellis.games.go import Go
from trellis.games.go.board import area

KINDS = [
    *product([(5, 5), (9, 9)], ("simple", "positional", "situational"), (False, True), ("ko",)),
    *product([(2, 2), (1, 4), (2, 3)], ("positional", "situational"), (False, True), ("full",)),
    ((2, 2), "simple", True, "ko"),
    ((3, 4), "positional", False, "full"),
    ((13, 7), "positional", True, "turn"),
    ((19, 19), "positional", False, "ko"),
]


def make(rows: int, columns: int, **options: object) -> Go:
    return Go(rows=rows, columns=columns, **({"max_plies": 3000} | options))  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "superko", "suicide", "history"), KINDS)
def test_random_games_beside_a_plain_twin(
    size: tuple[int, int], superko: str, suicide: bool, history: str
) -> None:
    rows, columns = size
    game = make(rows, columns, superko=superko, suicide=suicide, history=history)
    random = Random(f"{size} {superko} {suicide}")
    repeated = taken = 0
    for _ in range(2 if rows * columns > 100 else 6 if rows * columns > 40 else 30):
        plain = PlainGo(rows, columns, superko, suicide)
        position = game.start()
        for _ in range(3 * rows * columns):
            legal = [
                rows * columns if point is None else point[0] * columns + point[1]
                for point in plain.moves()
            ]
            assert position.move_codes() == legal, str(position)
            basic = PlainGo(rows, columns, "simple", suicide, plain.stones, plain.side, ko=plain.ko)
            repeated += len(basic.moves()) - len(legal)
            code = random.choice(legal if random.random() < 0.05 else legal[:-1] or legal)
            before = len(plain.stones)
            plain.play(None if code == rows * columns else divmod(code, columns))
            taken += before - len(plain.stones) > 0
            position = position.play(code)
            shown = {
                (y, x): "XO".index(cell)
                for y, line in enumerate(game.stones(position.state))
                for x, cell in enumerate(line)
                if cell != "."
            }
            assert shown == plain.stones
            assert area(game.tables, position.state) == plain.area()
            if plain.passes == 2:
                assert position.is_over
                break
    assert taken > 0
    if superko == "simple":
        assert repeated == 0
    elif rows * columns < 9:  # on larger boards few random games come back to a board
        assert repeated > 0


# Tromp and Farnebäck, Combinatorics of Go: legal positions, suicide or not.
LEGAL = {(1, 1): 1, (1, 2): 5, (1, 3): 15, (1, 4): 41, (1, 5): 113, (2, 2): 57, (2, 3): 489}


@pytest.mark.parametrize(("size", "count"), [*LEGAL.items(), ((3, 3), 12_675)])
def test_legal_positions_are_as_many_as_published(size: tuple[int, int], count: int) -> None:
    game = Go(rows=size[0], columns=size[1], superko="simple", suicide=False)
    boards = set()
    seen, waiting = set(), [game.start()]
    identity = game.identity
    words = len(game.start().state) - 3
    while waiting:
        position = waiting.pop()
        boards.add(position.state[:words].tobytes())
        if position.is_over:
            continue
        state = position.state
        buffer = np.empty(game.max_moves, np.int32)
        for code in buffer[: game.rules.moves(game.tables, state, buffer)].tolist():
            after = state.copy()
            game.rules.play(game.tables, after, code)
            told = (after & identity).tobytes()
            if told not in seen:
                seen.add(told)
                waiting.append(Position(game, after))
    assert len(boards) == count


@pytest.mark.parametrize(
    ("size", "count"), [item for item in PUBLISHED.items() if item[0] != (4, 4)]
)
def test_boards_without_a_dead_chain_are_as_many(size: tuple[int, int], count: int) -> None:
    """4x4 takes longer: `python benchmarks/go_positions.py 4 4`."""
    assert legal_boards(*size) == count
    assert legal_boards(*size[::-1]) == count


@pytest.mark.parametrize(("columns", "count"), [(1, 1), (2, 9), (3, 907)])
def test_games_are_as_many_as_published(columns: int, count: int) -> None:
    """Tromp and Farnebäck count ways through different boards; either side may pass first."""
    game = make(1, columns, superko="positional", suicide=True, history="full")

    def ways(position: Position) -> int:
        found = 1
        other = position.play("pass")
        for first in (position, other):
            for code in first.move_codes()[:-1]:
                found += ways(first.play(code))
        return found

    assert ways(game.start()) == count
