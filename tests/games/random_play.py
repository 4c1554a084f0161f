"""What the tests of random playouts share: exact values, and recorded games from elsewhere."""

import csv
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trellis._kernel.jit import JIT_DISABLED
from trellis.game.bits import seeded
from trellis.game.game import Game, Position
from trellis.game.playouts import playouts
from trellis.game.rules import NOBODY, State

needs_many_playouts = pytest.mark.skipif(
    JIT_DISABLED, reason="needs more random games than plain Python plays in reasonable time"
)


def exact_value(position: Position) -> float:
    """The mean payoff of the first player when all move uniformly at random, by recursion."""
    game = position.game
    rules, tables = game.rules, game.tables
    known: dict[bytes, float] = {}

    def value(state: State) -> float:
        key = state.tobytes()
        if key not in known:
            if rules.acting(tables, state) == NOBODY:
                payoffs = np.empty(game.players)
                rules.payoffs(tables, state, payoffs)
                known[key] = float(payoffs[0])
            else:
                codes = np.empty(game.max_moves, np.int32)
                count = rules.moves(tables, state, codes)
                total = 0.0
                for code in codes[:count].tolist():
                    after = state.copy()
                    rules.play(tables, after, code)
                    total += value(after)
                known[key] = total / count
        return known[key]

    return value(position.state)


def assert_playouts_average_to(position: Position, value: float, games: int = 100_000) -> None:
    """Five standard errors: about one chance in two million to fail for no reason."""
    seen = playouts(position, games, seed=7)
    assert abs(seen.means[0] - value) <= 5 * seen.errors[0] + 1e-9


def assert_playouts_are_games_through_the_rules(
    position: Position, fast_games: int, slow_games: int, *, rel: float = 0.0, moves: float = 0.0
) -> None:
    """Fast playouts take as many moves as those through the rules, nearly, and pay the same."""
    fast = playouts(position, fast_games, seed=1)
    slow = playouts(position, slow_games, seed=2, own=False)
    plies = slow.plies / slow.games
    assert fast.plies / fast.games == pytest.approx(plies, rel=rel, abs=moves)
    for player in range(position.game.players):
        error = np.hypot(fast.errors[player], slow.errors[player])
        assert fast.means[player] == pytest.approx(slow.means[player], abs=5 * error + 1e-9)


def ends_of_playouts(
    start: Position, games: int, seed: int
) -> Iterator[tuple[Position, State, int]]:
    """Play random games by the game's own playout; each end is over and pays what was told.

    Each comes with the state as the playout left it, and the number of moves.
    """
    game, rng = start.game, seeded(seed)
    buffer, out = np.zeros(game.max_moves, np.int32), np.zeros(game.players)
    for _ in range(games):
        state = start.state.copy()
        plies = game.rules.playout(game.tables, state, rng, buffer, out)
        end = Position(game, state.copy())
        assert end.is_over
        assert end.payoffs() == tuple(out)
        yield end, state, plies


def after_random_moves(start: Position, moves: int, dice: random.Random) -> Position:
    """The position after so many random moves and outcomes."""
    position = start
    for _ in range(moves):
        position = position.play(dice.choice(position.move_codes()))
    return position


def along_a_random_game(
    start: Position, places: int, apart: int, dice: random.Random
) -> Iterator[Position]:
    """So many positions of a random game from the start on, so many moves apart."""
    position = start
    for _ in range(places):
        yield position
        position = after_random_moves(position, apart, dice)


def count_moves(position: Position, guards: int = 8) -> int:
    """Count the moves, and make sure that nothing is written beyond the bound."""
    game = position.game
    buffer = np.full(game.max_moves + guards, -1, np.int32)
    count = game.rules.moves(game.tables, position.state, buffer)
    assert (buffer[count:] == -1).all()
    assert len(set(buffer[:count].tolist())) == count <= game.max_moves
    return count


def from_words(game: Game, *words: int) -> Position:
    return Position(game, np.array(words, dtype=np.uint64))


def squares(*names: str) -> int:
    """Squares by name as a set of bits, a1 first and eight to a row."""
    return sum(1 << 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in names)


def board_facts(position: Position, relation: str, pieces: Sequence[str]) -> set[str]:
    """What a rulesheet says of a board of eight by eight squares with the pieces of two players."""
    return {
        f"({relation} {cell % 8 + 1} {cell // 8 + 1} {piece})"
        for player, piece in enumerate(pieces)
        for cell in range(64)
        if int(position.state[player]) >> cell & 1
    }


def recorded(shared: Path, name: str) -> Iterator[list[dict[str, Any]]]:
    """The steps of each random game recorded for one rulesheet."""
    file = shared / "gdl" / "reference" / f"base__{name}.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["steps"]


def published_length(shared: Path, sheet: str) -> float:
    """How many moves random games of one rulesheet take, from published counts."""
    moves = games = 0
    file = shared / "gdl" / "PUBLISHED_SPEEDS.tsv"
    with file.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            # Fluxplayer's and CadiaPlayer's rows count something else than whole random games.
            whole = "PROLOG" not in row["engine"]
            if row["game"].startswith(f"{sheet}/") and row["ok"] == "true" and whole:
                moves += int(row["state_changes"])
                games += int(row["rollouts"])
    assert games > 10_000
    return moves / games


def assert_random_games_take(game: Game, length: float) -> None:
    """Within one percent: other rules give lengths further off than that."""
    seen = playouts(game.start(), 50_000)
    assert abs(seen.plies / seen.games / length - 1) < 0.01
