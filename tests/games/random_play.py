"""What the tests of random playouts share: exact values, and recorded games from elsewhere."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trellis._kernel.jit import JIT_DISABLED
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


def from_words(game: Game, *words: int) -> Position:
    return Position(game, np.array(words, dtype=np.uint64))


def squares(*names: str) -> int:
    """Squares by name as a set of bits, a1 first and eight to a row."""
    return sum(1 << 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in names)


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
