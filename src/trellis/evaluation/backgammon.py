"""The judgement of backgammon positions that its rules come with, for searches to use."""

from typing import TYPE_CHECKING

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.evaluation import EVALUATE, Evaluation
from trellis.game.rules import Reals, State, Tables
from trellis.games.backgammon.evaluation import evaluation_kernel

if TYPE_CHECKING:
    from trellis.game.game import Game


@kernel(EVALUATE)
def judge_backgammon(weights: Reals, tables: Tables, state: State) -> float:
    """Judge a position in the game's own scale: the only weight is the greatest payoff."""
    return weights[0] * evaluation_kernel(tables, state)


def backgammon_evaluation(game: "Game") -> Evaluation:
    """Return the judgement for one way to score the game."""
    low, high = game.payoff_range
    return Evaluation("backgammon by hand", judge_backgammon, low, high, np.array([float(high)]))
