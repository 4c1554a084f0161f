"""What positions are worth as far as the rules say it: payoffs of ends, chances of outcomes.

Values are those of player 0, in the game's own scale: a lower and an upper bound for every
position.  An end pays what the rules say, which is checked against what the game promises; where
they leave it open, it may pay anything between the bounds they give.
"""

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel, plain
from trellis.game.calls import calls_of
from trellis.game.enumerate import Enumeration, Positions
from trellis.game.errors import TrellisError
from trellis.game.playouts import BAD_PAYOFFS, ROUNDING, STUCK, refuse_failure
from trellis.game.rules import NOBODY, Calls, Tables

DONE, MORE = range(2)
_BAD_CHANCES = -100  # no failure of a playout


class Values(Bundle):
    """What is known of each position and of each edge."""

    lows: npt.NDArray[np.float64]  # what a position is worth at least
    highs: npt.NDArray[np.float64]  # and at most
    best: npt.NDArray[np.int32]  # the move to make, counted from 0 as the game lists them, or -1
    probabilities: npt.NDArray[np.float64]  # [edges], or one where the game has no chance


BYTES = 8 + 8 + 4, 8  # of a position, and of an edge where there is chance


class _Work(Bundle):
    """What is going on, and room to work in."""

    counters: npt.NDArray[np.int64]
    limits: npt.NDArray[np.float64]
    here: npt.NDArray[np.uint64]
    probabilities: npt.NDArray[np.float64]
    payoffs: npt.NDArray[np.float64]


_POSITIONS, _AT = range(2)
_LEAST, _MOST, _OPEN_ENDS, _SUM = range(4)  # the sum is not a number where none is promised


@kernel(takes_rules=True, lean=True)
def _read_end(calls: Calls, tables: Tables, values: Values, work: _Work, at: int) -> int:
    """Ask what an end pays."""
    limits, pays = work.limits, work.payoffs
    players = len(pays) >> 1
    least, most = limits[_LEAST], limits[_MOST]
    slack = ROUNDING * (most - least)
    calls.payoffs(tables, work.here, pays[:players])
    value, total, kept = pays[0], 0.0, True
    for player in range(players):
        total += pays[player]
        kept = kept and least - slack <= pays[player] <= most + slack
    if limits[_OPEN_ENDS] != 0.0:  # the rules may not say what everybody gets
        calls.bounds(tables, work.here, pays)
        values.lows[at] = max(least, pays[0])
        values.highs[at] = min(most, pays[1])
        return DONE if least - slack <= value <= most + slack else BAD_PAYOFFS
    values.lows[at] = values.highs[at] = value
    promised = limits[_SUM]
    kept = kept and (np.isnan(promised) or abs(total - promised) <= slack)
    return DONE if kept else BAD_PAYOFFS


@kernel(takes_rules=True, lean=True)
def _read_chances(
    calls: Calls, tables: Tables, values: Values, work: _Work, first: int, last: int
) -> int:
    """Ask how probable each outcome of a chance node is."""
    probabilities, total = work.probabilities, 0.0
    calls.chances(tables, work.here, probabilities)
    for i in range(last - first):
        if not probabilities[i] >= 0.0:
            return _BAD_CHANCES
        total += probabilities[i]
    if not abs(total - 1.0) <= ROUNDING:
        return _BAD_CHANCES
    for i in range(last - first):
        values.probabilities[first + i] = probabilities[i] / total
    return DONE


@kernel(entry=True, lean=True)
def _read(
    calls: Calls, tables: Tables, graph: Positions, values: Values, work: _Work, count: int
) -> int:
    """Read what the rules say of `count` positions; stop early where they break their word."""
    counters, here = work.counters, work.here
    words = len(here)
    begin = counters[_AT]
    for at in range(begin, min(begin + count, counters[_POSITIONS])):
        counters[_AT] = at
        values.best[at] = -1
        values.lows[at], values.highs[at] = work.limits[_LEAST], work.limits[_MOST]
        actor, first, last = graph.actors[at], graph.first[at], graph.first[at + 1]
        if actor != NOBODY and first == last:
            return STUCK
        if actor >= 0:
            continue
        for word in range(words):
            here[word] = graph.states[at * words + word]
        if actor == NOBODY:
            status = _read_end(calls, tables, values, work, at)
        else:
            status = _read_chances(calls, tables, values, work, first, last)
        if status != DONE:
            return status
    counters[_AT] = min(begin + count, counters[_POSITIONS])
    return MORE if counters[_AT] < counters[_POSITIONS] else DONE


class RulesReader:
    """Reads what the rules of a game say of all positions that were found, a few at a time."""

    def __init__(self, found: Enumeration) -> None:
        self._found, game = found, found.game
        count = found.positions
        probabilities = found.edges if game.has_chance else 1
        self.values = Values.make(lows=count, highs=count, best=count, probabilities=probabilities)
        self._calls = calls_of(game)
        self._kernel = _read if game.compiled else plain(_read)
        promised = float("nan") if game.constant_sum is None else game.constant_sum
        self._work = _Work.make(
            counters=np.array([count, 0], np.int64),
            limits=np.array([*game.payoff_range, game.rules.bounds is not None, promised]),
            here=game.state_words,
            probabilities=game.max_moves,
            payoffs=2 * game.players,
        )

    def read(self, count: int) -> int:
        """Read so many positions; say whether there are more, and refuse a game that is broken."""
        found, work = self._found, self._work
        status = int(self._kernel(self._calls, found.tables, found.graph, self.values, work, count))
        if status == _BAD_CHANCES:
            raise TrellisError(
                f"the probabilities of a chance node of {found.game.spec} do not add up to 1"
            )
        if status < 0:
            refuse_failure(found.game, status, found.position(int(work.counters[_AT])).state)
        return status
