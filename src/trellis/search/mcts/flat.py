"""Ranking moves by random playouts alone: no tree, no graph, one bandit at the root.

Each simulation picks a root move by UCB1, plays it, and finishes the game at random.  It is the
yardstick for every search that grows something.
"""

from time import perf_counter
from typing import Any

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding
from trellis._kernel.garbage import punctual
from trellis._kernel.jit import kernel, plain
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.bits import below, copy_words, to_int
from trellis.game.calls import calls_of, is_quick
from trellis.game.errors import BadParameter, counted
from trellis.game.game import Game, Position, position_of
from trellis.game.glance import glance
from trellis.game.halting import HALT_AT, HALTED, is_halted, stoppable
from trellis.game.playouts import STUCK, finish_game, refuse_failure
from trellis.game.rules import Calls, Counts, Moves, Random, Reals, State, Tables
from trellis.search.budget import check_budget, refuse_chance, refuse_over
from trellis.search.report import MoveReport, Report, sum_of_two


@kernel(entry=True, makes_arrays=True)
def _simulate(
    calls: Calls, own_playout: bool, tables: Tables, root: State, player: int, arms: Moves,
    visits: Counts, sums: Reals, low: float, high: float, c: float, rng: Random, buffer: Moves,
    probabilities: Reals, out: Reals, count: int,
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
        while calls.acting(tables, state) != player:
            options = calls.moves(tables, state, buffer)
            if options < 1:
                return STUCK
            calls.play(tables, state, to_int(buffer[below(rng, options)]))
        calls.play(tables, state, to_int(arms[best]))

        # 3. Finish the game at random.
        length = finish_game(calls, own_playout, tables, state, rng, buffer, probabilities, out)
        if length < 0:
            return length

        # 4. Remember the payoff, scaled to [0, 1].
        visits[best] += 1
        sums[best] += (out[player] - low) / (high - low)
        total += 1
    return 0


def rank_moves(
    start: Game | Position | str,
    *,
    player: int | None = None,
    sims: int | None = 10_000,
    seconds: float | None = None,
    c: float = 0.7,
    seed: int = 0,
    progress: Progress | None = None,
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
    check_budget(sims, seconds)
    position = position_of(start)
    search = _Flat(position, position.acting if player is None else player, c, seed)
    return search.run(sims, seconds, progress)


class _Flat:
    def __init__(self, position: Position, player: int, c: float, seed: int) -> None:
        refuse_over(position)
        refuse_chance(position)
        if player not in position.actors:
            raise BadParameter(f"player {player} does not act in this position")
        self.position, self.player, self.rng = position, player, stoppable(seed)
        choosing, game = position, position.game
        while choosing.acting != player:  # a hidden choice does not change this player's moves
            choosing = choosing.play(choosing.move_codes()[0])
        self.choosing = choosing
        self.arms = np.array(choosing.move_codes(), np.int32)
        self.visits = np.zeros(len(self.arms), np.int64)
        self.sums = np.zeros(len(self.arms))
        self.calls: Calls = calls_of(game)
        self._simulate: Any = _simulate if game.compiled else plain(_simulate)
        self._arguments: tuple[Any, ...] = (
            self.calls, game.rules.playout is not None, game.own_tables(), position.state, player,
            self.arms, self.visits, self.sums, *map(float, game.payoff_range), c, self.rng,
            np.empty(game.max_moves, np.int32), np.empty(game.max_moves), np.zeros(game.players),
        )  # fmt: skip
        self.began = perf_counter()

    def _run(self, count: int) -> bool:
        """Run simulations; tell whether they were told to stop."""
        try:
            code = int(self._simulate(*self._arguments, count))
        except TimeIsUp:
            return True
        if code != HALTED:
            refuse_failure(self.position.game, code)
        return code == HALTED

    def run(self, sims: int | None, seconds: float | None, progress: Progress | None) -> Report:
        slices = Slices(units=sims, seconds=seconds)
        self.began = perf_counter()
        until = None if seconds is None else self.began + seconds
        with punctual(seconds), heeding(until, self.rng, HALT_AT):
            for count in slices:
                halted = self._run(count)
                slices.finish(int(self.visits.sum()) - slices.done)
                if progress is not None:
                    progress(slices.fraction, counted(slices.done, "simulation"))
                if halted or slices.over:
                    break
        return self.report()

    def report(self) -> Report:
        game = self.position.game
        low, high = map(float, game.payoff_range)
        order = np.argsort(-self.visits, kind="stable").tolist()
        note = ""
        if not self.visits.any():
            shown = glance(self.choosing, quick=is_quick(self.calls))
            note, first = shown.note, self.arms.tolist().index(shown.best)
            order.sort(key=lambda place: place != first)
        with np.errstate(invalid="ignore"):  # what was never tried has a value that is not a number
            values = low + (high - low) * (self.sums / self.visits)
        moves = tuple(
            MoveReport(
                self.choosing.name(int(self.arms[i])), low, high, float(values[i]),
                visits=int(self.visits[i]), adapted=float(values[i]), count=int(self.visits[i]),
            )
            for i in order
        )  # fmt: skip
        return Report(
            game.spec, game.player_name(self.player), self.player, moves[0].move, moves[0].value,
            low, high, ((low, high),) * game.players, moves=moves, line=(moves[0].move,), note=note,
            sims=int(self.visits.sum()), seconds=perf_counter() - self.began, nodes=1,
            edges=len(self.arms), transpositions=0, constant_sum=sum_of_two(game),
            bytes=self.visits.nbytes + self.sums.nbytes + self.arms.nbytes,
        )  # fmt: skip
