"""The functions of a game as one bundle that kernels take, with stand-ins for what it lacks."""

from collections.abc import Callable
from functools import cache, lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from trellis._kernel.deadline import look
from trellis._kernel.jit import kernel
from trellis.game import rules as r
from trellis.game.bits import ONE, below, copy_words, hash_pair, mix, uniform
from trellis.game.game import Game
from trellis.game.halting import is_halted, stoppable
from trellis.game.rules import Calls, Moves, Random, Reals, State, Tables

_QUICK = 0.001  # seconds


@kernel(r.CHANCES)
def no_chances(tables: Tables, state: State, out: Reals) -> None:
    """Stand in for the chances of a game that has none; never called by a sound game."""
    out[0] = 1.0


@kernel(r.BOUNDS)
def no_bounds(tables: Tables, state: State, out: Reals) -> None:
    """Stand in for the bounds of a game that offers none; never called."""
    out[0] = 0.0


@kernel(r.PLAYOUT)
def no_playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
    """Stand in for the playout of a game that has none of its own; never called."""
    return -1


@kernel(r.TRANSFORM)
def no_transform(tables: Tables, state: State, index: int, out: State) -> None:
    """Stand in for the symmetries of a game that has none; never called."""
    out[0] = state[0]


@kernel(r.BATCH)
def no_batch(tables: Tables, states: State, count: int, rng: Random, out: Reals) -> int:
    """Stand in for the batches of a game that plays one position at a time; never called."""
    return -1


@kernel(r.MARKED_PLAYOUT)
def no_marked_playout(
    tables: Tables, state: State, rng: Random, buffer: Moves, made: State, out: Reals
) -> int:
    """Stand in for the playout that marks moves, of a game that has none; never called."""
    return -1


@kernel(r.ALLOWED)
def no_allowed(tables: Tables, state: State, move: int) -> bool:
    """Stand in for what the past allows, of a game whose keys forget nothing; never called."""
    return True


class Heedful:
    """A rule in plain Python that first asks whether there is any time left."""

    def __init__(self, rule: Callable[..., Any]) -> None:
        self.rule = rule
        self.longest = 0.0  # seconds that a call has taken

    def __call__(self, *arguments: Any) -> Any:
        """Do what the rule does, or raise `TimeIsUp`."""
        look()
        began = perf_counter()
        done = self.rule(*arguments)
        self.longest = max(self.longest, perf_counter() - began)
        return done


def is_quick(calls: Calls) -> bool:
    """Tell whether moves may be played a few times more when the time is up already."""
    return not isinstance(calls.play, Heedful) or calls.play.longest < _QUICK


@lru_cache(maxsize=64)
def _bundled(kind: type[Calls], *functions: Callable[..., Any]) -> Calls:
    """Return functions as one bundle; looking their addresses up takes a while."""
    return kind(*functions)


@cache
def _load_helpers(for_plain_rules: bool) -> None:
    """Have the compiled helpers loaded that Python calls itself, while no clock runs.

    Each takes some milliseconds when it is first called.
    """
    mix(ONE)
    hash_pair(ONE, ONE)
    if for_plain_rules:  # then kernels are plain Python too, and call these
        words, rng = np.zeros(1, np.uint64), stoppable(0)
        copy_words(words, words.copy())
        below(rng, 1)
        uniform(rng)
        is_halted(rng)


def calls_of(
    game: Game,
    kind: type[Calls] = Calls,
    *further: Callable[..., Any],
    views: bool = False,
    candidates: bool = False,
) -> Any:
    """Return the functions of a game, and `further` ones that a kind of bundle has besides.

    With `views` the key is that of what who acts may know.  With `candidates` those are moves that
    the key knows of, some of which the past may forbid; without, they are the moves.

    Rules in plain Python may be left when time is up, between two moves and nowhere else, or a
    search would find a position of which it knows only half.
    """
    _load_helpers(not game.compiled)
    rules, heedful = game.rules, (lambda rule: rule) if game.compiled else Heedful
    moves = heedful(rules.moves)
    possible = heedful(rules.candidates) if candidates and rules.candidates else moves
    functions = (
        rules.start, rules.acting, moves, heedful(rules.play), rules.payoffs,
        (views and rules.view) or rules.key, rules.chances or no_chances,
        rules.playout or no_playout, rules.transform or no_transform, rules.bounds or no_bounds,
        rules.batch or no_batch, rules.marked_playout or no_marked_playout,
        rules.allowed or no_allowed, possible, *further,
    )  # fmt: skip
    if not game.compiled:
        return kind(*functions)
    return _bundled(kind, *functions)  # type: ignore[arg-type]
