"""Training a network by playing against itself: temporal differences, TD(λ).

As in TD-Gammon: both sides play the move whose position the network likes best, and after every
move the network is moved towards what it says one move later, at the end towards the payoff.
`trace` (λ) is how much of each correction also reaches the positions before; `explore` is the
fraction of moves that are drawn at random, after which nothing is learned about the moves before.
Dice explore by themselves; games without any need a fraction above zero.

The rate of learning falls with the number of games played, `rate / (1 + games / patience)`, and
does not depend on how many are still to come.  So a training is its weights, the number of games
and one random word: one that was stopped and taken up again ends with the very same weights.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.deadline import stop_asked
from trellis._kernel.jit import kernel
from trellis._kernel.progress import Progress
from trellis.evaluation.features import FeatureSet
from trellis.evaluation.network import Network, forward, untrained, write_network
from trellis.evaluation.training_settings import TrainingSettings
from trellis.game.bits import below, copy_words, seeded, uniform
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, BrokenContract, shorten
from trellis.game.game import Game
from trellis.game.options import options_of
from trellis.game.playouts import draw_outcome
from trellis.game.rules import CHANCE, NOBODY, Calls, Reals, State, Tables

MOST_GAMES = 1_000_000_000
LONGEST = 2_000  # moves of a game whose rules set no limit; it is then given up
_GROWN = 1e5  # a weight this large says that training has failed
_SLICE = 64  # games between two looks at the clock and the keyboard
_CHECKPOINT = 10_000  # games between two files


class LearnCalls(Calls):
    """The functions that training calls, none missing."""

    features: Callable[[Tables, State, Reals], int]


# params
_RATE, _PATIENCE, _TRACE, _EXPLORE, _MIDDLE, _REACH, _SEES_CHANCE, _LONGEST, _PARAMS = range(9)
# counts
_GAMES, _PLIES, _GIVEN_UP, _COUNTS = range(4)
# how a run of games ended
_FINE, _STUCK = 0, 1


class Desk(Bundle):
    """What training keeps in memory."""

    params: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    traces: npt.NDArray[np.float64]  # [weights]: how much each is to blame for what was said
    inputs: npt.NDArray[np.float64]
    hidden: npt.NDArray[np.float64]
    state: npt.NDArray[np.uint64]
    trial: npt.NDArray[np.uint64]
    buffer: npt.NDArray[np.int32]
    probabilities: npt.NDArray[np.float64]
    payoffs: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    rng: npt.NDArray[np.uint64]


# -- kernels ------------------------------------------------------------------------------------


@kernel(lean=True)
def _said(calls: LearnCalls, tables: Tables, desk: Desk, weights: Reals, state: State) -> float:
    """Return what player 0 can expect, from -1 to 1: the payoff at the end, else the network's."""
    acting, payoffs, features = calls.acting, calls.payoffs, calls.features
    if acting(tables, state) == NOBODY:
        payoffs(tables, state, desk.payoffs)
        return (desk.payoffs[0] - desk.params[_MIDDLE]) / desk.params[_REACH]
    player = features(tables, state, desk.inputs)
    said = forward(weights, 0, desk.inputs, desk.hidden)
    return said if player == 0 else -said


@kernel(lean=True)
def _best(
    calls: LearnCalls, tables: Tables, desk: Desk, weights: Reals, who: int, count: int
) -> int:
    """Return the index of the move whose position the network likes best for the mover."""
    play = calls.play
    best, most = 0, -2.0
    for i in range(count):
        copy_words(desk.state, desk.trial)
        play(tables, desk.trial, np.int64(desk.buffer[i]))  # type: ignore[arg-type]
        said = _said(calls, tables, desk, weights, desk.trial)
        if who != 0:
            said = -said
        if said > most:
            best, most = i, said
    return best


@kernel(lean=True)
def _correct(desk: Desk, error: float) -> None:
    """Move the weights so that the network would have been less wrong."""
    step = error * desk.params[_RATE] / (1.0 + desk.counts[_GAMES] / desk.params[_PATIENCE])
    weights, traces = desk.weights, desk.traces
    for i in range(len(weights)):
        weights[i] += step * traces[i]


@kernel(lean=True)
def _look(calls: LearnCalls, tables: Tables, desk: Desk, fresh: bool) -> float:
    """Ask the network about the position, and add to the traces what its answer hangs on.

    The slope of softsign is (1 - |y|)² where it says y.
    """
    features = calls.features
    weights, traces, inputs, hidden = desk.weights, desk.traces, desk.inputs, desk.hidden
    player = features(tables, desk.state, inputs)
    said = forward(weights, 0, inputs, hidden)
    slope = (1.0 - abs(said)) * (1.0 - abs(said))
    if player != 0:
        said, slope = -said, -slope
    kept = 0.0 if fresh else desk.params[_TRACE]
    for i in range(len(traces)):
        traces[i] *= kept
    units = len(hidden)
    starts = units * len(inputs)
    outs = starts + units
    for unit in range(units):
        traces[outs + unit] += slope * hidden[unit]
        bent = 1.0 - abs(hidden[unit])
        hidden[unit] = slope * weights[outs + unit] * bent * bent
        traces[starts + unit] += hidden[unit]
    traces[outs + units] += slope
    for i in range(len(inputs)):
        number = inputs[i]
        if number != 0.0:
            for unit in range(units):
                traces[units * i + unit] += number * hidden[unit]
    return said


@kernel(entry=True, lean=True)
def learn(calls: LearnCalls, tables: Tables, desk: Desk, games: int) -> int:
    """Play so many games against itself and learn from each."""
    start, acting = calls.start, calls.acting
    moves, play, chances = calls.moves, calls.play, calls.chances
    params, counts = desk.params, desk.counts
    for _ in range(games):
        start(tables, desk.state)
        said = _look(calls, tables, desk, True)
        plies = 0
        while True:
            who = acting(tables, desk.state)
            count = moves(tables, desk.state, desk.buffer)
            if count < 1:
                return _STUCK
            explores = False
            if who == CHANCE:
                chances(tables, desk.state, desk.probabilities)
                choice = draw_outcome(desk.rng, desk.probabilities, count)
            else:
                explores = params[_EXPLORE] > 0.0 and uniform(desk.rng) < params[_EXPLORE]
                if explores:
                    choice = below(desk.rng, count)
                else:
                    choice = _best(calls, tables, desk, desk.weights, who, count)
            play(tables, desk.state, np.int64(desk.buffer[choice]))  # type: ignore[arg-type]
            plies += 1
            over = acting(tables, desk.state) == NOBODY
            if who == CHANCE and params[_SEES_CHANCE] == 0.0 and not over:
                continue
            if not explores:
                _correct(desk, _said(calls, tables, desk, desk.weights, desk.state) - said)
            if over:
                break
            if plies >= params[_LONGEST]:
                counts[_GIVEN_UP] += 1
                break
            said = _look(calls, tables, desk, explores)
        counts[_PLIES] += plies
        counts[_GAMES] += 1
    return _FINE


@kernel(entry=True, lean=True)
def play_games(
    calls: LearnCalls, tables: Tables, desk: Desk, first: Reals, second: Reals,
    random_first: int, random_second: int, results: Reals,
) -> int:  # fmt: skip
    """Let two networks, or players at random, meet; one result a game: what player 0 has got.

    Each looks at its own moves only.  A game that is given up counts as the middle.
    """
    start, acting, payoffs = calls.start, calls.acting, calls.payoffs
    moves, play, chances = calls.moves, calls.play, calls.chances
    for game in range(len(results)):
        start(tables, desk.state)
        plies = 0
        results[game] = desk.params[_MIDDLE]
        while True:
            who = acting(tables, desk.state)
            if who == NOBODY:
                payoffs(tables, desk.state, desk.payoffs)
                results[game] = desk.payoffs[0]
                break
            if plies >= desk.params[_LONGEST]:
                break
            count = moves(tables, desk.state, desk.buffer)
            if count < 1:
                return _STUCK
            if who == CHANCE:
                chances(tables, desk.state, desk.probabilities)
                choice = draw_outcome(desk.rng, desk.probabilities, count)
            elif (random_first if who == 0 else random_second) != 0:
                choice = below(desk.rng, count)
            else:
                weights = first if who == 0 else second
                choice = _best(calls, tables, desk, weights, who, count)
            play(tables, desk.state, np.int64(desk.buffer[choice]))  # type: ignore[arg-type]
            plies += 1
    return _FINE


# -- for people ---------------------------------------------------------------------------------


class Trainer:
    """A training: a network, and how far it has got."""

    def __init__(self, game: Game, features: FeatureSet, settings: TrainingSettings) -> None:
        _refuse_unfit(game)
        self.game, self.features, self.settings = game, features, settings
        self.first = untrained(game, features, settings.hidden, settings.seed)
        self.tables = game.own_tables()
        self._calls = calls_of(game, LearnCalls, features.function)
        self.goal = 0  # games that are to be played in all
        self._desk = self._make_desk(settings.seed)
        self._desk.weights[:] = self.first.weights

    def _make_desk(self, seed: int) -> Desk:
        game, settings = self.game, self.settings
        low, high = game.payoff_range
        params = np.zeros(_PARAMS)
        params[_RATE], params[_PATIENCE] = settings.rate, settings.patience
        params[_TRACE], params[_EXPLORE] = settings.trace, settings.explore
        params[_MIDDLE], params[_REACH] = 0.5 * (low + high), 0.5 * (high - low)
        params[_SEES_CHANCE] = self.features.sees_chance
        params[_LONGEST] = game.max_plies or LONGEST
        size = len(self.first.weights)
        return Desk.make(
            params=params,
            weights=size,
            traces=size,
            inputs=self.features.count,
            hidden=settings.hidden,
            state=game.state_words,
            trial=game.state_words,
            buffer=game.max_moves,
            probabilities=game.max_moves,
            payoffs=game.players,
            counts=_COUNTS,
            rng=seeded(seed),
        )

    @property
    def games(self) -> int:
        """Return how many games have been played."""
        return int(self._desk.counts[_GAMES])

    @property
    def given_up(self) -> int:
        """Return how many of these did not end in time."""
        return int(self._desk.counts[_GIVEN_UP])

    def network(self) -> Network:
        """Return the network as it is now; its `training` is enough to go on from it."""
        counts = self._desk.counts
        training = {
            **asdict(self.settings),
            "games": self.games,
            "goal": max(self.goal, self.games),
            "plies": int(counts[_PLIES]),
            "given_up": self.given_up,
            "random": f"{int(self._desk.rng[0]):016x}",
        }
        return replace(self.first, weights=self._desk.weights.copy(), training=training)

    def take_up(self, network: Network) -> None:
        """Go on from where another trainer with the same settings was."""
        network.check_fits(self.game, self.features)
        if read_settings(network) != self.settings:
            raise BadParameter(f"a training with other settings cannot go on: {self.settings}")
        training, counts = network.training, self._desk.counts
        try:
            counts[_GAMES] = _natural(training["games"])
            counts[_PLIES] = _natural(training["plies"])
            counts[_GIVEN_UP] = _natural(training["given_up"])
            self._desk.rng[0] = np.uint64(int(training["random"], 16))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise BadParameter(
                f"this network for {network.game} does not tell how its training can go on"
            ) from None
        self._desk.weights[:] = network.weights

    def run(
        self,
        games: int,
        path: Path | None = None,
        progress: Progress | None = None,
        every: int = _CHECKPOINT,
    ) -> Network:
        """Train until so many games have been played; write the network every now and then.

        Where somebody asks to stop, it is written once more and training can go on from there.
        """
        if not 1 <= games <= MOST_GAMES:
            raise BadParameter(
                f"bad number of games {games}: expected a whole number from 1 to {MOST_GAMES:,}"
            )
        self.goal = games
        try:
            while self.games < games and not stop_asked():
                until = min(games, (self.games // every + 1) * every)
                while self.games < until and not stop_asked():
                    self._learn(min(_SLICE, until - self.games))
                    if progress is not None:
                        progress(self.games / games, f"{self.games:,} games")
                if path is not None:
                    write_network(path, self.network())
        except KeyboardInterrupt:
            # The kernel keeps count itself, so whatever it returned from is a place to go on from.
            if path is not None:
                write_network(path, self.network())
            raise
        return self.network()

    def _learn(self, games: int) -> None:
        self._check(learn(self._calls, self.tables, self._desk, games))
        if not np.all(np.abs(self._desk.weights) < _GROWN):
            raise BadParameter(
                f"the weights have grown beyond all bounds after {self.games:,} games: expected a "
                f"rate below {self.settings.rate:g}"
            )

    def _check(self, code: int) -> None:
        if code == _STUCK:
            raise BrokenContract(
                f"{self.game.spec}: somebody acts in a position without legal moves"
            )

    # -- how good it is --------------------------------------------------------------------------

    def meet(
        self, network: Network, other: Network | None, games: int, seed: int = 0
    ) -> tuple[int, int, int]:
        """Play `network` against another, or against random moves; return wins, draws, losses.

        Each plays the move whose position it likes best.  With two players it is first in half of
        the games; alone, payoffs of games with different dice are compared.
        """
        rival = network if other is None else other
        at_random = int(other is None)
        desk = _other_desk(self._desk, seeded(seed))
        own, others = network.weights, rival.weights

        def play(count: int, first: bool) -> Reals:
            results = np.zeros(count)
            a, b = (own, others) if first else (others, own)
            code = play_games(
                self._calls, self.tables, desk, a, b,
                0 if first else at_random, at_random if first else 0, results,
            )  # fmt: skip
            self._check(int(code))
            return results

        if self.game.players == 1:
            gains = play(games, True) - play(games, False)
        else:
            middle = self._desk.params[_MIDDLE]
            half = games // 2
            gains = np.concatenate([play(games - half, True) - middle, middle - play(half, False)])
        return int((gains > 0).sum()), int((gains == 0).sum()), int((gains < 0).sum())


def read_settings(network: Network) -> TrainingSettings:
    """Return the settings that a network was trained with."""
    found = {}
    for name, known in options_of(TrainingSettings).items():
        value = network.training.get(name)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not (whole or (known.type is float and isinstance(value, float))):
            raise BadParameter(
                f"this network for {shorten(network.game)} does not tell how it was trained: "
                f"bad entry {name!r}"
            )
        found[name] = value
    settings = TrainingSettings(**found)  # type: ignore[arg-type]
    if settings.hidden != network.hidden:
        raise BadParameter(
            f"this network has {network.hidden} hidden units, its training {settings.hidden}"
        )
    return settings


def is_unfinished(network: Network) -> bool:
    """Tell whether a network was written in the middle of its training."""
    games, goal = (network.training.get(name) for name in ("games", "goal"))
    return isinstance(games, int) and isinstance(goal, int) and games < goal


def _other_desk(desk: Desk, rng: npt.NDArray[np.uint64]) -> Desk:
    """Return a desk for other work, so that a training goes on as if nothing had been."""
    items = [item.copy() for item in desk]
    return Desk(*items[:-1], rng)


def _natural(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError
    return number


def _refuse_unfit(game: Game) -> None:
    """Refuse games whose value is not one number for both sides, or that kernels cannot play."""
    if not game.compiled:
        raise BadParameter(f"cannot train on {game.spec}: its rules are not compiled")
    if game.is_simultaneous:
        raise BadParameter(f"cannot train on {game.spec}: expected players who move one at a time")
    low, high = game.payoff_range
    if game.players > 2 or (game.players == 2 and game.constant_sum != low + high):
        raise BadParameter(
            f"cannot train on {game.spec}: expected one player, or two whose payoffs add up to the "
            "least plus the greatest"
        )
