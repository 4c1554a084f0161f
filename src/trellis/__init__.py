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
    "_kernel.jit": "kernel",
    "evaluation.training_settings": "TrainingSettings",
    "game.automaton": "Automaton automaton bisimilar",
    "game.batch": "Batch",
    "game.contract": "ContractReport check_game",
    "game.errors": (
        "BadParameter BadRecord BrokenContract GameOver IllegalMove LimitReached "
        "PlayerFailed PlayerResigns TrellisError UnknownGame"
    ),
    "game.evaluation": "Evaluation",
    "game.game": "Game Position",
    "game.perft": "Ply perft",
    "game.playouts": "Playouts playouts",
    "game.playthrough": "record_game replay_game",
    "game.python_game": "PythonGame",
    "game.reductions": "folded grouped paranoid unfolded",
    "game.rules": "CHANCE NOBODY",
    "game.views": "Outcome",
    "loading": "load registered_games",
    "players.match": "MatchResult run_match",
    "players.player": "make_player",
    "search.mcts.check_parts": "check_backup check_rule",
    "search.mcts.engine": "Search",
    "search.mcts.export": "GraphView",
    "search.mcts.flat": "rank_moves",
    "search.mcts.own_backup": "NodeBackup",
    "search.mcts.parallel": "ParallelSearch",
    "search.mcts.selection": "Selection",
    "search.mcts.settings": "SearchOptions Settings",
    "search.report": "MoveReport Report",
    "search.solve.each_player": "secure_exactly",
    "search.solve.proof": "solve",
    "search.solve.value_iteration": "solve_exactly",
    "search.star.engine": "StarSearch",
    "search.star.settings": "StarOptions StarSettings",
    "search.trace": "Trace",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

if TYPE_CHECKING:
    from types import ModuleType

    from trellis._kernel.jit import kernel
    from trellis.evaluation.training_settings import TrainingSettings
    from trellis.game.automaton import Automaton, automaton, bisimilar
    from trellis.game.batch import Batch
    from trellis.game.contract import ContractReport, check_game
    from trellis.game.errors import (
        BadParameter,
        BadRecord,
        BrokenContract,
        GameOver,
        IllegalMove,
        LimitReached,
        PlayerFailed,
        PlayerResigns,
        TrellisError,
        UnknownGame,
    )
    from trellis.game.evaluation import Evaluation
    from trellis.game.game import Game, Position
    from trellis.game.perft import Ply, perft
    from trellis.game.playouts import Playouts, playouts
    from trellis.game.playthrough import record_game, replay_game
    from trellis.game.python_game import PythonGame
    from trellis.game.reductions import folded, grouped, paranoid, unfolded
    from trellis.game.rules import CHANCE, NOBODY
    from trellis.game.views import Outcome
    from trellis.loading import load, registered_games
    from trellis.players.match import MatchResult, run_match
    from trellis.players.player import make_player
    from trellis.search.mcts.check_parts import check_backup, check_rule
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.export import GraphView
    from trellis.search.mcts.flat import rank_moves
    from trellis.search.mcts.own_backup import NodeBackup
    from trellis.search.mcts.parallel import ParallelSearch
    from trellis.search.mcts.selection import Selection
    from trellis.search.mcts.settings import SearchOptions, Settings
    from trellis.search.report import MoveReport, Report
    from trellis.search.solve.each_player import secure_exactly
    from trellis.search.solve.proof import solve
    from trellis.search.solve.value_iteration import solve_exactly
    from trellis.search.star.engine import StarSearch
    from trellis.search.star.settings import StarOptions, StarSettings
    from trellis.search.trace import Trace

    lab: ModuleType  # importing them here would make everything depend on them
    openspiel: ModuleType

__all__ = [
    "CHANCE", "NOBODY", "Automaton", "BadParameter", "BadRecord", "Batch", "BrokenContract",
    "ContractReport", "Evaluation", "Game", "GameOver", "GraphView", "IllegalMove", "LimitReached",
    "MatchResult", "MoveReport", "NodeBackup", "Outcome", "ParallelSearch", "PlayerFailed",
    "PlayerResigns", "Playouts", "Ply", "Position", "PythonGame", "Report", "Search",
    "SearchOptions", "Selection", "Settings", "StarOptions", "StarSearch", "StarSettings", "Trace",
    "TrainingSettings", "TrellisError", "UnknownGame", "automaton", "bisimilar", "check_backup",
    "check_game", "check_rule", "folded", "grouped", "kernel", "lab", "load", "make_player",
    "openspiel", "paranoid", "perft", "playouts", "rank_moves", "record_game", "registered_games",
    "replay_game", "run_match", "secure_exactly", "solve", "solve_exactly", "unfolded",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "lab":
        return import_module("trellis.lab")
    if name == "openspiel":
        return import_module("trellis.players.openspiel")
    if name in _HOME_OF:
        return getattr(import_module(f"trellis.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'trellis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(
        [*_HOME_OF, "lab", "openspiel", *(name for name in globals() if name.startswith("__"))]
    )


import_module("trellis.loading")  # a name is a game, whatever is imported next; without Numba
