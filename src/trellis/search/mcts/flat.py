"""Ranking moves by random playouts alone: no tree, no graph, one bandit at the root.

Each simulation picks a root move by UCB1, plays it, and finishes the game at random.  It is the
yardstick for every search that grows something.
"""

import math
from collections.abc import Callable
from time import perf_counter

import numba.types as nt
import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding, stop_asked
from trellis._kernel.jit import kernel, plain
from trellis.game.bits import below, copy_words
from trellis.game.errors import BadParameter, GameOver
from trellis.game.game import Game, Position
from trellis.game.glance import glance
from trellis.game.halting import HALT_AT, HALTED, is_halted, stoppable
from trellis.game.playouts import (
    STUCK,
    heedful,
    is_quick,
    no_chances,
    no_playout,
    random_playout,
    refuse_failure,
)
from trellis.game.rules import (
    ACTING,
    CHANCES,
    F64,
    I32,
    I64,
    MOVES,
    PAYOFFS,
    PLAY,
    PLAYOUT,
    TABLES,
    U64,
    Counts,
    Moves,
    Random,
    Reals,
    State,
    Tables,
)
from trellis.search.report import MoveReport, Report

_FIRST_SLICE = 1  # simulations; later slices are sized to last about _SLICE_SECONDS
_SLICE_SECONDS = 0.01

_function = nt.FunctionType


@kernel(
    nt.int64(
        _function(ACTING), _function(MOVES), _function(PLAY), _function(PAYOFFS),
        _function(CHANCES), _function(PLAYOUT), nt.boolean, TABLES, U64, nt.int64, I32,
        I64, F64, nt.float64, nt.float64, nt.float64, U64, I32, F64, F64, nt.int64,
    ),
    makes_arrays=True,
)  # fmt: skip
def _simulate(
    acting: object, moves: object, play: object, payoffs: object, chances: object,
    playout: object, own_playout: bool, tables: Tables, root: State, player: int, arms: Moves,
    visits: Counts, sums: Reals, low: float, high: float, c: float, rng: Random, buffer: Moves,
    shares: Reals, out: Reals, count: int,
) -> int:  # fmt: skip
    """Run `count` simulations; return 0, or the code of a playout that failed."""
    state = root.copy()
    total = visits.sum()
    for _ in range(count):
        if is_halted(rng):
            return HALTED
        # 1. Pick a move: an untried one, else the greatest upper confidence bound.
        logarithm = np.log(max(total, 1))
        best, best_bound, ties = 0, -np.inf, 0
        for arm in range(len(arms)):
            if visits[arm] == 0:
                bound = np.inf
            else:
                bound = sums[arm] / visits[arm] + c * np.sqrt(logarithm / visits[arm])
            if bound > best_bound:
                best, best_bound, ties = arm, bound, 1
            elif bound == best_bound:
                ties += 1
                if below(rng, ties) == 0:
                    best = arm

        # 2. Play it.  Whoever chooses at the same moment before this player is drawn at random:
        #    their choice is hidden, so it must not be known here either.
        copy_words(root, state)
        while acting(tables, state) != player:  # type: ignore[operator]
            options = moves(tables, state, buffer)  # type: ignore[operator]
            if options < 1:
                return STUCK
            play(tables, state, np.int64(buffer[below(rng, options)]))  # type: ignore[operator]
        play(tables, state, np.int64(arms[best]))  # type: ignore[operator]

        # 3. Finish the game at random.
        if own_playout:
            length = playout(tables, state, rng, buffer, out)  # type: ignore[operator]
        else:
            length = random_playout(
                acting, moves, play, payoffs, chances, tables, state, rng, buffer, shares, out
            )
        if length < 0:
            return length

        # 4. Remember the payoff, scaled to [0, 1].
        visits[best] += 1
        sums[best] += (out[player] - low) / (high - low)
        total += 1
    return 0


def rank_moves(
    start: Game | Position,
    *,
    player: int | None = None,
    sims: int | None = 10_000,
    seconds: float | None = None,
    c: float = 0.7,
    seed: int = 0,
    progress: Callable[[float, "Report"], None] | None = None,
) -> Report:
    """Rank the moves of who acts by random playouts, within a budget of simulations or time.

    Where several players choose at once, `start` is the position before any has chosen and
    `player` says for whom; the others' choices are drawn at random.

    >>> from trellis.loading import load
    >>> rank_moves(load("tic_tac_toe").start(), sims=2000).best
    'b2'
    """
    if c < 0:
        raise BadParameter(f"bad value {c:g} for c: expected a number of at least 0")
    if sims is None and seconds is None:
        raise BadParameter("no budget: expected a number of sims or of seconds")
    for name, budget in (("sims", sims), ("seconds", seconds)):
        if budget is not None and not budget > 0:
            raise BadParameter(f"bad value {budget} for {name}: expected a number above 0")
    position = start if isinstance(start, Position) else start.start()
    search = _Flat(position, position.acting if player is None else player, c, seed)
    return search.run(sims, seconds, progress)


class _Flat:
    def __init__(self, position: Position, player: int, c: float, seed: int) -> None:
        if position.is_over:
            raise GameOver(f"nothing to search: the game of {position.game.spec} is over")
        if position.is_chance:
            raise BadParameter(
                f"nothing to choose: chance acts in this position of {position.game.spec}; "
                f"play an outcome first, for instance {position.moves()[0]!r}"
            )
        if player not in position.actors:
            raise BadParameter(f"player {player} does not act in this position")
        game = position.game
        rules = game.rules
        self.position = position
        self.player = player
        self.rng = stoppable(seed)
        choosing = position
        while choosing.acting != player:  # a hidden choice does not change this player's moves
            choosing = choosing.play(choosing.move_codes()[0])
        self.choosing = choosing
        self.arms = np.array(choosing.move_codes(), np.int32)
        self.visits = np.zeros(len(self.arms), np.int64)
        self.sums = np.zeros(len(self.arms), np.float64)
        kernel_ = _simulate if game.compiled else plain(_simulate)
        tables = game.own_tables()
        low, high = map(float, game.payoff_range)
        buffer = np.empty(game.max_moves, np.int32)
        shares = np.empty(game.max_moves, np.float64)
        out = np.zeros(game.players, np.float64)

        self.play = play = heedful(game, rules.play)

        def slice_(count: int) -> bool:
            try:
                code = kernel_(
                    rules.acting, rules.moves, play, rules.payoffs,
                    rules.chances or no_chances, rules.playout or no_playout,
                    rules.playout is not None, tables, position.state, player, self.arms,
                    self.visits, self.sums, low, high, c, self.rng, buffer, shares, out, count,
                )  # fmt: skip
            except TimeIsUp:
                return True
            if code != HALTED:
                refuse_failure(game, int(code))
            return bool(code == HALTED)

        self._slice = slice_
        self.began = perf_counter()

    def run(
        self,
        sims: int | None,
        seconds: float | None,
        progress: Callable[[float, Report], None] | None,
    ) -> Report:
        self.began = perf_counter()
        done, size = 0, _FIRST_SLICE
        with heeding(None if seconds is None else self.began + seconds, self.rng, HALT_AT):
            while True:
                count = size if sims is None else min(size, sims - done)
                before = perf_counter()
                halted = self._slice(count)
                done = int(self.visits.sum())
                now = perf_counter()
                elapsed = now - self.began
                spent = max(elapsed / seconds if seconds else 0.0, done / sims if sims else 0.0)
                if progress is not None:
                    progress(min(spent, 1.0), self.report())
                if spent >= 1.0 or halted or stop_asked():
                    return self.report()
                rate = count / max(now - before, 1e-9)
                left = _SLICE_SECONDS if seconds is None else min(_SLICE_SECONDS, seconds - elapsed)
                size = max(1, min(4 * size, int(rate * left)))

    def report(self) -> Report:
        low, high = self.position.game.payoff_range
        order = np.argsort(-self.visits, kind="stable").tolist()
        note = ""
        if not self.visits.any():
            shown = glance(self.choosing, quick=is_quick(self.play))
            note, first = shown.note, self.arms.tolist().index(shown.best)
            order.sort(key=lambda place: place != first)
        moves = tuple(
            MoveReport(
                self.choosing.name(int(self.arms[i])),
                int(self.visits[i]),
                low + (high - low) * float(self.sums[i] / self.visits[i])
                if self.visits[i]
                else math.nan,
                low,
                high,
            )
            for i in order
        )
        return Report(
            self.position.game.spec,
            self.position.game.player_name(self.player),
            moves[0].move,
            moves[0].value,
            int(self.visits.sum()),
            perf_counter() - self.began,
            moves,
            nodes=1,
            edges=len(self.arms),
            transpositions=0,
            bytes=self.visits.nbytes + self.sums.nbytes + self.arms.nbytes,
            note=note,
        )
