"""Leaves that somebody outside the kernels judges: a network, or any function of arrays.

    evaluate(features[B, ...], legal[B, A]) -> values[B, players], priors[B, A]

`features` are the planes of the game (`game.planes`), or, of a game without any, the words of its
states; `legal` says which moves there are.  `values` are payoffs in the game's own scale, and one
column is enough where payoffs of two add up to a constant; `priors` are how likely each move is,
masked and normalised here; None stands for all alike.

The kernel gathers up to `batch` leaves under virtual loss, comes back, is told, and goes on.  What
is proven never rests on what is said here: bounds come from ends of the game alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import plain
from trellis.game.errors import BadParameter, BrokenContract, nearest, shorten
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game
from trellis.game.python_file import run_file
from trellis.search.mcts import graph as g
from trellis.search.mcts.leaf_answers import list_leaves, take_answers
from trellis.search.mcts.params import ASKED, JUDGED, PLAYED

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search

Evaluate = Callable[[Any, Any], Any]
_FARTHEST = 1e-6  # of the range: so much may values leave it by rounding, in single precision


def judge_of(evaluate: Any, game: Game) -> tuple[int, Any]:
    """Return how leaves are judged, and by what: a function, or a compiled `Evaluation`."""
    if evaluate is None:
        return PLAYED, None
    if isinstance(evaluate, str):
        evaluate = _from_text(evaluate, game)
    if isinstance(evaluate, Evaluation):
        low, high = game.payoff_range
        if game.players > 2 or (game.players == 2 and game.constant_sum is None):
            raise BadParameter(
                f"the evaluation {evaluate.name} says what player 0 can expect: expected a game "
                "for one, or for two whose payoffs add up to a constant"
            )
        if evaluate.low < low or evaluate.high > high:
            raise BadParameter(
                f"the evaluation {evaluate.name} goes from {evaluate.low:g} to "
                f"{evaluate.high:g}: expected no more than the payoffs, {low:g} to {high:g}"
            )
        return JUDGED, evaluate
    if not callable(evaluate):
        raise BadParameter(
            f"bad evaluation {shorten(repr(evaluate))}: expected a function of features and legal "
            "moves, an Evaluation, a file of a network (.onnx) or FILE.py:NAME"
        )
    return ASKED, evaluate


def _from_text(text: str, game: Game) -> Any:
    """Return what `model.onnx` or `file.py:name` stands for."""
    if text.endswith(".onnx"):
        from trellis.search.mcts.onnx_model import OnnxModel

        return OnnxModel(Path(text), game)
    head, found, name = text.partition(".py")
    path, name = Path(head + found), name.removeprefix(":")
    if not found or not path.is_file():
        raise BadParameter(
            f"no such evaluation: {shorten(text)}; expected a file of a network (.onnx) or "
            "FILE.py:NAME"
        )
    known = vars(run_file(path))
    if name not in known:
        names = [key for key, each in known.items() if callable(each) and not key.startswith("_")]
        raise BadParameter(
            f"{shorten(str(path))} has no evaluation {shorten(name)}: expected "
            f"{path}:NAME{nearest(name, names)}"
        )
    return known[name]


class Asker:
    """Room for what is asked, and the function that is asked."""

    def __init__(self, search: "Search", evaluate: Evaluate, batch: int) -> None:
        self._search, self._evaluate, game = search, evaluate, search.game
        shape: tuple[int, ...] = (game.state_words,)
        kind: Any = np.uint64
        if game.planes is not None:
            shape, kind = game.planes.shape, np.float32
        self._features = np.zeros((batch, *shape), kind)
        self._legal = np.zeros((batch, game.move_codes), np.uint8)
        self._priors = np.zeros((batch, game.move_codes))
        self._movers = np.zeros(batch, np.int64)
        self.asked = 0  # leaves so far
        self.batches = 0
        as_called = (lambda each: each) if game.compiled else plain
        self._list, self._take = map(as_called, (list_leaves, take_answers))
        self._noisy: tuple[int, Any] | None = None  # a root, and its priors without noise

    def answer(self, waiting: int) -> None:
        """Have all leaves that wait judged, and let the graph know."""
        search = self._search
        graph, record, game = search.graph, search.record, search.game
        self._legal[:waiting] = 0
        self._list(
            search.calls, search.tables, record, search.batch, search.scratch,
            self._legal.reshape(-1), self._movers, game.move_codes,
        )  # fmt: skip
        words = search.batch.states[: waiting * game.state_words]
        features = self._features[:waiting]
        if game.planes is not None:
            game.planes.fill(words, self._movers[:waiting], features)
        else:
            features[:] = words.reshape(waiting, -1)
        legal = self._legal[:waiting].view(np.bool_)
        told = self._evaluate(features, legal)
        values, priors = told if isinstance(told, tuple) else (told, None)
        search.batch.results[: waiting * game.players] = self._payoffs(values, waiting).ravel()
        self._set_priors(priors, legal)
        self._take(graph, record, search.path, search.batch, self._priors.reshape(-1))
        self.asked += waiting
        self.batches += 1
        self.add_noise()

    def _payoffs(self, values: Any, waiting: int) -> npt.NDArray[np.float64]:
        """Return what everybody gets, from what was said."""
        game = self._search.game
        least, greatest = map(float, game.payoff_range)
        found = np.asarray(values, np.float64).reshape(waiting, -1)
        if found.shape[1] == 1 and game.players == 2 and game.constant_sum is not None:
            found = np.hstack([found, game.constant_sum - found])
        if found.shape != (waiting, game.players):
            raise BrokenContract(
                f"the evaluation gave values of shape {np.shape(values)}: expected "
                f"({waiting}, {game.players})"
            )
        slack = _FARTHEST * (greatest - least)
        if not ((found >= least - slack) & (found <= greatest + slack)).all():
            raise BrokenContract(
                f"the evaluation gave a value that is no payoff: expected {least:g} to {greatest:g}"
            )
        found = np.clip(found, least, greatest)
        if game.players == 2 and game.constant_sum is not None:  # one number stands for both
            found[:, 0] = (found[:, 0] + game.constant_sum - found[:, 1]) / 2
            found[:, 1] = game.constant_sum - found[:, 0]
        return found

    def _set_priors(self, priors: Any, legal: npt.NDArray[np.bool_]) -> None:
        """Mask priors; moves that add up to nothing are all alike."""
        waiting = len(legal)
        if priors is None:
            self._priors[:waiting] = legal
            return
        found = np.asarray(priors, np.float64)
        if found.shape != legal.shape:
            raise BrokenContract(
                f"the evaluation gave priors of shape {found.shape}: expected {legal.shape}"
            )
        found = np.where(legal, found, 0.0)
        if not (np.isfinite(found).all() and (found >= 0.0).all()):
            raise BrokenContract(
                "the evaluation gave a prior below 0, or none at all: expected probabilities, not "
                "logits"
            )
        self._priors[:waiting] = found

    # -- noise at the root --------------------------------------------------------------------

    def add_noise(self) -> None:
        """Mix Dirichlet noise into the priors of the root, once for each root."""
        search = self._search
        settings, root = search.settings, search.root
        if settings.noise <= 0.0 or (self._noisy is not None and self._noisy[0] == root):
            return
        places = self._places(root)
        if not len(places):
            return  # nobody has been asked about it yet
        self.remove_noise()
        raw = search.graph.extras[places].copy()
        draws = search.random.dirichlet(np.full(len(places), settings.noise_alpha))
        search.graph.extras[places] = (1.0 - settings.noise) * raw + settings.noise * draws
        self._noisy = root, raw

    def remove_noise(self) -> None:
        """Give the priors of a former root back."""
        if self._noisy is not None:
            root, raw = self._noisy
            places = self._places(root)
            if len(places) == len(raw):
                self._search.graph.extras[places] = raw
            self._noisy = None

    def forget_noise(self) -> None:
        """Do the same where the graph was emptied."""
        self._noisy = None

    def _places(self, node: int) -> npt.NDArray[np.int64]:
        record, params = self._search.graph.nodes[node], self._search.params
        if record["player"] < 0 or record["first"] == g.NONE:
            return np.zeros(0, np.int64)
        edges = int(record["first"]) + np.arange(int(record["edges"]))
        return edges * params.extra_stride + params.prior_at
