"""Trellis: searching games as graphs.

>>> import trellis
>>> position = trellis.load("tic_tac_toe").start().play("b2", "a1")
>>> print(position)
3 . . .
2 . x .
1 o . .
  a b c
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Names are looked up when first used, so that `import trellis` does not wait for Numba.
_HOMES = {
    "Automaton": "trellis.game.automaton",
    "BadParameter": "trellis.game.errors",
    "BrokenContract": "trellis.game.errors",
    "GameOver": "trellis.game.errors",
    "IllegalMove": "trellis.game.errors",
    "LimitReached": "trellis.game.errors",
    "MoveReport": "trellis.search.report",
    "CHANCE": "trellis.game.rules",
    "Game": "trellis.game.game",
    "NOBODY": "trellis.game.rules",
    "Position": "trellis.game.game",
    "ParallelSearch": "trellis.search.mcts.parallel",
    "PythonGame": "trellis.game.python_game",
    "Report": "trellis.search.report",
    "Search": "trellis.search.mcts.engine",
    "Settings": "trellis.search.mcts.settings",
    "StarSearch": "trellis.search.star.engine",
    "TrellisError": "trellis.game.errors",
    "automaton": "trellis.game.automaton",
    "bisimilar": "trellis.game.automaton",
    "check_game": "trellis.game.contract",
    "registered_games": "trellis.loading",
    "folded": "trellis.game.reductions",
    "grouped": "trellis.game.reductions",
    "load": "trellis.loading",
    "make_player": "trellis.players.player",
    "paranoid": "trellis.game.reductions",
    "perft": "trellis.game.perft",
    "playouts": "trellis.game.playouts",
    "rank_moves": "trellis.search.mcts.flat",
    "record_game": "trellis.game.playthrough",
    "replay_game": "trellis.game.playthrough",
    "run_match": "trellis.players.match",
    "secure_exactly": "trellis.search.solve.each_player",
    "solve": "trellis.search.solve.proof",
    "solve_exactly": "trellis.search.solve.value_iteration",
    "unfolded": "trellis.game.reductions",
}

if TYPE_CHECKING:
    from trellis.game.automaton import Automaton, automaton, bisimilar
    from trellis.game.contract import check_game
    from trellis.game.errors import (
        BadParameter,
        BrokenContract,
        GameOver,
        IllegalMove,
        LimitReached,
        TrellisError,
    )
    from trellis.game.game import Game, Position
    from trellis.game.perft import perft
    from trellis.game.playouts import playouts
    from trellis.game.playthrough import record_game, replay_game
    from trellis.game.python_game import PythonGame
    from trellis.game.reductions import folded, grouped, paranoid, unfolded
    from trellis.game.rules import CHANCE, NOBODY
    from trellis.loading import load, registered_games
    from trellis.players.match import run_match
    from trellis.players.player import make_player
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.flat import rank_moves
    from trellis.search.mcts.parallel import ParallelSearch
    from trellis.search.mcts.settings import Settings
    from trellis.search.report import MoveReport, Report
    from trellis.search.solve.each_player import secure_exactly
    from trellis.search.solve.proof import solve
    from trellis.search.solve.value_iteration import solve_exactly
    from trellis.search.star.engine import StarSearch

__all__ = [
    "CHANCE", "NOBODY", "Automaton", "BadParameter", "BrokenContract", "Game", "GameOver",
    "IllegalMove", "LimitReached", "MoveReport", "ParallelSearch", "Position", "PythonGame",
    "Report", "Search", "Settings", "StarSearch", "TrellisError",
    "automaton", "bisimilar", "check_game", "folded", "grouped", "load", "make_player",
    "paranoid", "perft", "playouts", "rank_moves", "record_game", "registered_games", "replay_game",
    "run_match", "secure_exactly", "solve", "solve_exactly", "unfolded",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'trellis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
