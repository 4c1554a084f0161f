"""Whole games between searches of few simulations, inside one kernel.

A move of a hundred simulations takes 20 to 100 microseconds, and what Python does for a move about
as long.  So where every player is a search by simulations that begins anew at every move, a kernel
lets one after the other search and makes their moves, for some milliseconds at a time.  It does
what `Session` and `SearchPlayer` do, with the same random numbers; whatever it cannot do, it leaves
to them, and goes on afterwards.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any

import numpy as np

from trellis._kernel.deadline import heeding, stop_asked
from trellis._kernel.jit import direct, kernel
from trellis._kernel.slices import Slices
from trellis.game.bits import to_int
from trellis.game.calls import calls_of
from trellis.game.game import Game
from trellis.game.halting import HALT_AT
from trellis.game.rules import CHANCE, NOBODY, Calls, Counts, Moves, Random, Reals, State, Tables
from trellis.players.player import SearchPlayer
from trellis.players.session import Session
from trellis.search.mcts.anew import LOOP, Loop, search_once
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.decide import decides_at_once, rule_number, some_illegal
from trellis.search.mcts.graph import NONE, Graph
from trellis.search.mcts.params import Batch, Lanes, Lists, Params, Path, Scratch

MOST_SIMS = 1 << 14  # of a move; beyond that nobody feels what Python does around it
_AT_ONCE = 1_024  # moves in one call

# Why the kernel stopped.
OVER, PAUSE, ORDINARY = 0, 1, 2  # the game has ended; go on by calling again; somebody else's move

# entries of `marks`
PLIES, SEEDS, UNIFORMS, SIMS = 0, 1, 3, 4  # SEEDS: of seat 0, then of seat 1
MARKS = 5

_LOW_HALF, _HALF = np.uint64(0xFFFF_FFFF), np.uint64(32)
_INIT_A, _MULT_A = np.uint64(0x43B0_D7E5), np.uint64(0x931E_8875)
_INIT_B, _MULT_B = np.uint64(0x8B51_F9DD), np.uint64(0x58F3_8DED)
_MIX_LEFT, _MIX_RIGHT = np.uint64(0xCA01_F9DD), np.uint64(0x4973_F715)
_FOLD = np.uint64(16)
_POOL = 4


@kernel(lean=True)
def _hashed(word: np.uint64, constant: np.uint64) -> np.uint64:
    """Do a step of NumPy's `SeedSequence` with a constant and the one that follows it."""
    word = ((word ^ constant) * (constant * _MULT_A & _LOW_HALF)) & _LOW_HALF
    return word ^ (word >> _FOLD)


@kernel(entry=True, lean=True, later=True)
def seed_word(seed: np.uint64, pool: State) -> np.uint64:
    """Return what `bits.seeded` makes of a seed of one word; `pool` is room for four."""
    return _seed_word(seed, pool)


@kernel(lean=True)
def _seed_word(seed: np.uint64, pool: State) -> np.uint64:
    """Hash a seed as NumPy's `SeedSequence` does, words of 32 bits kept in words of 64."""
    constant = _INIT_A
    for i in range(_POOL):
        word = np.uint64(0)
        if i == 0:
            word = seed & _LOW_HALF
        elif i == 1:
            word = seed >> _HALF
        pool[i] = _hashed(word, constant)
        constant = constant * _MULT_A & _LOW_HALF
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                word = _hashed(pool[source], constant)
                constant = constant * _MULT_A & _LOW_HALF
                mixed = (_MIX_LEFT * pool[target] - _MIX_RIGHT * word) & _LOW_HALF
                pool[target] = mixed ^ (mixed >> _FOLD)
    result, constant = np.uint64(0), _INIT_B
    for i in range(2):
        word = pool[i] ^ constant
        constant = constant * _MULT_B & _LOW_HALF
        word = word * constant & _LOW_HALF
        word ^= word >> _FOLD
        result |= word << (np.uint64(i) * _HALF)
    return result


@kernel(lean=True)
def _drawn_outcome(
    calls: Calls, tables: Tables, state: State, buffer: Moves, shares: Reals, uniform: float
) -> int:
    """Draw an outcome as NumPy's `choice` does: the first whose sum of shares is above a number."""
    count = to_int(calls.moves(tables, state, buffer))
    calls.chances(tables, state, shares)
    total = 0.0
    for i in range(count):
        total += shares[i]
        shares[i] = total
    for i in range(count):
        if shares[i] / total > uniform:
            return to_int(buffer[i])
    return to_int(buffer[count - 1])


@kernel(entry=True, lean=True, later=True)
def play_on(
    loop: Loop, calls: Calls, tables: Tables, state: State, buffer: Moves, shares: Reals,
    pool: State, uniforms: Reals, made: Moves, marks: Counts, longest: int, most_sims: int,
    script: Moves, given: Reals,
    calls_0: SearchCalls, tables_0: Tables, graph_0: Graph, params_0: Params, path_0: Path,
    lists_0: Lists, lanes_0: Lanes, scratch_0: Scratch, batch_0: Batch, rng_0: Random,
    count_0: int, rule_0: int, some_illegal_0: bool, seeds_0: Counts,
    calls_1: SearchCalls, tables_1: Tables, graph_1: Graph, params_1: Params, path_1: Path,
    lists_1: Lists, lanes_1: Lanes, scratch_1: Scratch, batch_1: Batch, rng_1: Random,
    count_1: int, rule_1: int, some_illegal_1: bool, seeds_1: Counts,
) -> int:  # fmt: skip
    """Play on until the game is over, so many moves or simulations were made, or numbers run out.

    `made` gets the moves, `state` is where they lead, `marks` say how much of everything was used.
    """
    while True:
        acting = calls.acting(tables, state)
        if acting == NOBODY:
            return OVER
        if marks[PLIES] >= longest or marks[SIMS] >= most_sims:
            return PAUSE
        if acting == CHANCE:
            if marks[UNIFORMS] == len(uniforms):
                return PAUSE
            uniform = uniforms[marks[UNIFORMS]]
            marks[UNIFORMS] += 1
            move = _drawn_outcome(calls, tables, state, buffer, shares, uniform)
        else:
            count = calls.moves(tables, state, buffer)
            if count == 0:
                return ORDINARY
            move = to_int(buffer[0])
            if count > 1:
                seeds = seeds_0 if acting == 0 else seeds_1
                used = marks[SEEDS + acting]
                if used == len(seeds):
                    return PAUSE
                word = _seed_word(np.uint64(seeds[used]), pool)
                if acting == 0:
                    rng_0[0] = word
                    done, failed, move, sure = search_once(
                        loop, calls_0, tables_0, graph_0, params_0, path_0, lists_0, lanes_0,
                        scratch_0, batch_0, rng_0, state, script, given, count_0, rule_0,
                        some_illegal_0,
                    )  # fmt: skip
                else:
                    rng_1[0] = word
                    done, failed, move, sure = search_once(
                        loop, calls_1, tables_1, graph_1, params_1, path_1, lists_1, lanes_1,
                        scratch_1, batch_1, rng_1, state, script, given, count_1, rule_1,
                        some_illegal_1,
                    )  # fmt: skip
                marks[SIMS] += max(1, done)
                if failed != 0 or move == NONE or not sure:
                    return ORDINARY
                marks[SEEDS + acting] = used + 1
        calls.play(tables, state, move)
        made[marks[PLIES]] = move
        marks[PLIES] += 1


def fits(game: Game, players: Sequence[Any]) -> bool:
    """Tell whether the kernel can play a game between these players."""
    alternate = game.compiled and game.players <= 2 and not game.is_simultaneous
    return alternate and all(_searches_anew(player, game) for player in players)


def _searches_anew(player: Any, game: Game) -> bool:
    """Tell whether a player does nothing but search every position anew, by simulations."""
    return (
        type(player) is SearchPlayer
        and not player.reuse
        and player.seconds is None
        and player.progress is None
        and player.sims is not None
        and player.sims <= MOST_SIMS
        and decides_at_once(player.search_at(game.start()).settings)
    )


class GameLoop:
    """A kernel that makes the moves of a session, as far as it can."""

    def __init__(self, session: Session) -> None:
        self._session, game = session, session.game
        self._players: list[SearchPlayer] = [
            player for player in session.players if isinstance(player, SearchPlayer)
        ]
        self._searches = [player.search_at(session.position) for player in self._players]
        self._rules = (calls_of(game), game.tables)
        self._room = (
            np.zeros(game.max_moves, np.int32), np.zeros(game.max_moves), np.zeros(_POOL, np.uint64)
        )  # fmt: skip
        self._made = np.zeros(_AT_ONCE, np.int32)
        self._marks = np.zeros(MARKS, np.int64)

    def play(self, longest: int) -> bool:
        """Make moves until there are so many or the game is over; False where another way must."""
        session, searches = self._session, self._searches
        slices = Slices(min(search.slice for search in searches))
        with ExitStack() as stack:
            for search in searches:
                stack.enter_context(heeding(None, search.rng, HALT_AT))
            for most_sims in slices:
                state = session.position.state
                stopped = self._call(state, longest - len(session.moves), most_sims)
                self._take_over(state)
                sims = int(self._marks[SIMS])
                if sims:
                    slices.finish(sims)
                    for search in searches:
                        search.slice = slices.size
                if stopped != PAUSE or len(session.moves) >= longest or stop_asked():
                    return stopped != ORDINARY
        raise AssertionError("slices have no end")

    def _call(self, state: State, longest: int, most_sims: int) -> int:
        """Let the kernel play on from a state, which it changes; return why it stopped."""
        session, marks = self._session, self._marks
        marks[:] = 0
        sides: list[Any] = []
        for player in self._players:
            player.forget()  # what it has told of an earlier move
        for player, search in zip(self._players, self._searches, strict=True):
            sides += (
                search.calls, search.tables, search.graph, search.packed, *search.working,
                search.rng, player.sims, rule_number(search), some_illegal(search),
                player.seeds_ahead(),
            )  # fmt: skip
        if len(self._searches) == 1:
            sides += sides
        uniforms = session.uniforms_ahead() if session.game.has_chance else _NO_NUMBERS
        stopped = _direct(play_on)(
            LOOP, *self._rules, state, *self._room, uniforms, self._made, marks,
            min(longest, _AT_ONCE), most_sims, _NO_MOVES, _NO_NUMBERS, *sides,
        )  # fmt: skip
        return int(stopped)

    def _take_over(self, state: State) -> None:
        """Let session and players know what was played and drawn."""
        marks, session = self._marks, self._session
        for seat, player in enumerate(self._players):
            player.take_seeds(int(marks[SEEDS + seat]))
        session.take_uniforms(int(marks[UNIFORMS]))
        session.skip(self._made[: int(marks[PLIES])].tolist(), state)


_direct = cache(direct)
_NO_MOVES, _NO_NUMBERS = np.zeros(1, np.int32), np.zeros(1)
