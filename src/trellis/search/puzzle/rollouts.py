"""Nested rollout policy adaptation: random games that learn from the best one so far.

A game is played with a policy, a number for each move; moves with greater numbers are likelier.
After each game the policy is shifted towards the best game found so far.  Levels nest: a level
calls the one below a number of times with a copy of its policy, and learns from the best it found
(Rosin, 2011).  What a move is may be told by the move alone, or by the move and the position.

Many puzzles end at once where a rule is broken, and pay the same for all such ends: there the
longer one of two games that are worth the same has come closer.  In others it is as good as any.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.deadline import heeding
from trellis._kernel.jit import kernel, plain
from trellis.game.bits import copy_words, hash_pair, uniform
from trellis.game.calls import calls_of
from trellis.game.game import Position
from trellis.game.halting import HALT_AT, HALTED, is_halted, stoppable
from trellis.game.rules import NOBODY, Calls, Random, State, Tables

_POLICY = 1 << 16
_LONGEST = 4_096  # moves of a game; a longer one is given up
_MOST_LISTED = 1 << 18  # moves that were legal along a game, all together
_ROUNDS = 50  # games of the lowest level, and calls of each level above it
_LEVELS = 3
_ALPHA = 1.0


class Work(Bundle):
    """A game that is played, the best one so far, and room to work in."""

    state: npt.NDArray[np.uint64]
    buffer: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]
    out: npt.NDArray[np.float64]
    policy: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]  # where the legal moves of each ply begin
    slots: npt.NDArray[np.int32]  # their places in the policy
    chosen: npt.NDArray[np.int32]  # place in the policy of the move that was made
    moves: npt.NDArray[np.int32]
    best_first: npt.NDArray[np.int64]
    best_slots: npt.NDArray[np.int32]
    best_chosen: npt.NDArray[np.int32]
    best_moves: npt.NDArray[np.int32]
    best_length: npt.NDArray[np.int64]
    best_worth: npt.NDArray[np.float64]


@kernel(lean=True)
def _worth(
    calls: Calls, tables: Tables, state: State, out: npt.NDArray[np.float64], bounded: bool
) -> float:
    """Return what the player surely gets at an end."""
    if bounded:
        calls.bounds(tables, state, out)
    else:
        calls.payoffs(tables, state, out)
    return out[0]


@kernel(lean=True)
def _rollout(
    calls: Calls, tables: Tables, root: State, work: Work, rng: Random, by_position: bool
) -> int:
    """Play a game by the policy; return how many moves it had, or a failure."""
    state, buffer, weights, policy = work.state, work.buffer, work.weights, work.policy
    copy_words(root, state)
    at = 0
    for ply in range(len(work.moves)):
        if is_halted(rng):
            return HALTED
        work.first[ply] = at
        if calls.acting(tables, state) == NOBODY:
            return ply
        count = calls.moves(tables, state, buffer)
        if count < 1 or at + count > len(work.slots):
            return -1
        salt = np.uint64(0)
        if by_position:
            salt = np.uint64(calls.key(tables, state))  # a number of Python in plain games
        total = 0.0
        for i in range(count):
            slot = np.int64(hash_pair(salt, np.uint64(buffer[i])) & np.uint64(len(policy) - 1))
            work.slots[at + i] = slot
            weights[i] = np.exp(policy[slot])
            total += weights[i]
        point, index = uniform(rng) * total, count - 1
        for i in range(count - 1):
            point -= weights[i]
            if point < 0.0:
                index = i
                break
        work.chosen[ply] = work.slots[at + index]
        work.moves[ply] = buffer[index]
        at += count
        calls.play(tables, state, np.int64(buffer[index]))  # type: ignore[arg-type]
    return -1


@kernel(lean=True)
def _learn(work: Work) -> None:
    """Shift the policy towards the best game."""
    policy, weights = work.policy, work.weights
    for ply in range(work.best_length[0]):
        begin, end = work.best_first[ply], work.best_first[ply + 1]
        total = 0.0
        for i in range(begin, end):
            weights[i - begin] = np.exp(policy[work.best_slots[i]])
            total += weights[i - begin]
        for i in range(begin, end):
            policy[work.best_slots[i]] -= _ALPHA * weights[i - begin] / total
        policy[work.best_chosen[ply]] += _ALPHA


@kernel(entry=True)
def learn(work: Work) -> None:
    """Shift the policy towards the best game: see `_learn`."""
    _learn(work)


@kernel(entry=True, lean=True)
def play_level(
    calls: Calls, tables: Tables, root: State, work: Work, rng: Random, rounds: int,
    by_position: bool, longer: bool, top: float, bounded: bool,
) -> int:  # fmt: skip
    """Play games of the lowest level; return how many were played to an end, or HALTED."""
    ended = 0
    for _ in range(rounds):
        length = _rollout(calls, tables, root, work, rng, by_position)
        if length == HALTED:
            return HALTED
        if length >= 0:
            ended += 1
            worth = _worth(calls, tables, work.state, work.out, bounded)
            same = worth == work.best_worth[0] and worth < top  # at the top, any way will do
            shorter = longer and same and length < work.best_length[0]
            if worth >= work.best_worth[0] and not shorter:
                work.best_worth[0] = worth
                work.best_length[0] = length
                for ply in range(length):
                    work.best_first[ply] = work.first[ply]
                    work.best_chosen[ply] = work.chosen[ply]
                    work.best_moves[ply] = work.moves[ply]
                work.best_first[length] = work.first[length]
                for i in range(work.first[length]):
                    work.best_slots[i] = work.slots[i]
        if work.best_length[0] > 0:
            _learn(work)
    return ended


class Rollouts:
    """Games for one player from one position, better and better ones, a batch at a time."""

    def __init__(self, position: Position, seed: int) -> None:
        game = self.game = position.game
        self.tables = game.own_tables()
        self.games = 0
        self.best_worth, self.best_moves = -np.inf, list[int]()
        self._root = position.state
        self._calls = calls_of(game)
        self._rng = stoppable(seed)
        self._play = play_level if game.compiled else plain(play_level)
        self._learn = learn if game.compiled else plain(learn)
        self._bounded = game.rules.bounds is not None
        self._going = [
            self._for_ever(self._make_work(), by_position, longer)
            for by_position, longer in ((False, False), (True, True), (False, True), (True, False))
        ]

    def _make_work(self) -> Work:
        game = self.game
        return Work.make(
            state=game.state_words, buffer=game.max_moves, weights=game.max_moves,
            out=2 * game.players, policy=_POLICY, first=_LONGEST + 1, slots=_MOST_LISTED,
            chosen=_LONGEST, moves=_LONGEST, best_first=_LONGEST + 1, best_slots=_MOST_LISTED,
            best_chosen=_LONGEST, best_moves=_LONGEST, best_length=1, best_worth=1,
        )  # fmt: skip

    def think(self, until: float) -> bool:
        """Play some more games, at most until a time; return whether a better one was found."""
        before = self.best_worth
        with heeding(until, self._rng, HALT_AT):
            next(self._going[0])
        self._going.append(self._going.pop(0))  # all of them take turns
        return self.best_worth > before

    def _for_ever(self, work: Work, by_position: bool, longer: bool) -> Iterator[None]:
        """Begin again and again."""
        while True:
            work.policy[:] = 0.0
            yield from self._level(_LEVELS, work, by_position, longer)

    def _level(self, level: int, work: Work, by_position: bool, longer: bool) -> Iterator[None]:
        """Run a level; its best game stays in the working memory."""
        if level == 1:
            work.best_worth[0], work.best_length[0] = -np.inf, 0
            with np.errstate(over="ignore"):
                done = self._play(
                    self._calls, self.tables, self._root, work, self._rng, _ROUNDS, by_position,
                    longer, float(self.game.payoff_range[1]), self._bounded,
                )  # fmt: skip
            self.games += max(int(done), 0)
            if work.best_worth[0] > self.best_worth:
                self.best_worth = float(work.best_worth[0])
                self.best_moves = work.best_moves[: int(work.best_length[0])].tolist()
            yield
            return
        policy = work.policy.copy()
        best: tuple[float, list[np.ndarray]] = (-np.inf, [])
        for _ in range(_ROUNDS):
            work.policy[:] = policy
            yield from self._level(level - 1, work, by_position, longer)
            worth, length = float(work.best_worth[0]), int(work.best_length[0])
            shorter = longer and worth == best[0] and length < len(best[1][-1])
            if worth >= best[0] and length and not shorter:
                best = (worth, _best_game(work))
            if best[1]:
                _put_back(work, best)
                work.policy[:] = policy
                self._learn(work)
                policy[:] = work.policy


def _best_game(work: Work) -> list[np.ndarray]:
    length = int(work.best_length[0])
    listed = int(work.best_first[length]) if length else 0
    return [
        work.best_first[: length + 1].copy(), work.best_slots[:listed].copy(),
        work.best_chosen[:length].copy(), work.best_moves[:length].copy(),
    ]  # fmt: skip


def _put_back(work: Work, best: tuple[float, list[np.ndarray]]) -> None:
    worth, (first, slots, chosen, moves) = best
    work.best_worth[0], work.best_length[0] = worth, len(moves)
    work.best_first[: len(first)], work.best_slots[: len(slots)] = first, slots
    work.best_chosen[: len(chosen)], work.best_moves[: len(moves)] = chosen, moves
