"""Many positions of one game side by side, as arrays in and out.

>>> from trellis.loading import load
>>> batch = load("connect_four").batch(3)
>>> batch.legal.shape, batch.acting.tolist()
((3, 7), [0, 0, 0])
>>> batch.play([3, 0, 3])
>>> batch.acting.tolist()
[1, 1, 1]
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import kernel, plain
from trellis.game.bits import to_int
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, IllegalMove, counted
from trellis.game.game import Game, Position
from trellis.game.rules import CHANCE, NOBODY, Calls, Counts, Moves, Reals, State, Tables

Mask = npt.NDArray[np.bool_]


@kernel(entry=True, lean=True, later=True)
def _look_at(
    calls: Calls, tables: Tables, states: State, state: State, buffer: Moves, chances: Reals,
    acting: Counts, legal: Mask, likely: Reals, payoffs: Reals, out: Reals,
) -> None:  # fmt: skip
    """Write who acts in each position, its legal moves, their probabilities, and payoffs."""
    words, count, players = len(state), len(acting), len(out)
    codes = len(legal) // max(count, 1)
    for i in range(count):
        for word in range(words):
            state[word] = states[i * words + word]
        who = to_int(calls.acting(tables, state))
        acting[i] = who
        if who == NOBODY:
            calls.payoffs(tables, state, out)
            for player in range(players):
                payoffs[i * players + player] = out[player]
            continue
        size = to_int(calls.moves(tables, state, buffer))
        for j in range(size):
            legal[i * codes + to_int(buffer[j])] = True
        if who == CHANCE:
            calls.chances(tables, state, chances)
            for j in range(size):
                likely[i * codes + to_int(buffer[j])] = chances[j]


@kernel(entry=True, lean=True, later=True)
def _play(calls: Calls, tables: Tables, states: State, state: State, moves: Moves) -> None:
    """Play a move in each position; a negative one leaves it as it is."""
    words = len(state)
    for i in range(len(moves)):
        if moves[i] < 0:
            continue
        for word in range(words):
            state[word] = states[i * words + word]
        calls.play(tables, state, to_int(moves[i]))
        for word in range(words):
            states[i * words + word] = state[word]


class Batch:
    """Positions of one game side by side; `play` changes them in place.

    acting[B]            who is to move: a player, `CHANCE`, or `NOBODY` where the game is over
    over[B]              where it is
    legal[B, A]          legal moves, or outcomes of chance, by number
    probabilities[B, A]  of outcomes, where chance acts; 0 elsewhere
    payoffs[B, players]  where the game is over; elsewhere no number
    """

    def __init__(self, game: Game, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise BadParameter(f"bad size {count} of a batch: expected a whole number from 1 up")
        self.game = game
        self._tables = game.own_tables()
        self._calls = calls_of(game)
        self._states = np.tile(game.start().state, count)
        self._state = np.zeros(game.state_words, np.uint64)
        self._buffer = np.zeros(game.max_moves, np.int32)
        self._chances = np.zeros(game.max_moves)
        self._out = np.zeros(max(2, game.players))[: game.players]
        as_called: Any = (lambda each: each) if game.compiled else plain
        self._look_at, self._play = as_called(_look_at), as_called(_play)
        self.acting = np.zeros(count, np.int64)
        self._look()

    def __len__(self) -> int:
        return len(self.acting)

    def __getitem__(self, index: int) -> Position:
        """Return one of the positions."""
        return Position(self.game, self.states[index])

    @property
    def states(self) -> npt.NDArray[np.uint64]:
        """Return the words of all positions, [B, words]: a copy."""
        return self._states.reshape(len(self), -1).copy()

    @property
    def over(self) -> Mask:
        """Tell where the game is over."""
        return self.acting == NOBODY

    def _look(self) -> None:
        count, codes = len(self), self.game.move_codes
        self.legal = np.zeros((count, codes), np.bool_)
        self.probabilities = np.zeros((count, codes))
        self.payoffs = np.full((count, self.game.players), np.nan)
        self._look_at(
            self._calls, self._tables, self._states, self._state, self._buffer, self._chances,
            self.acting, self.legal.reshape(-1), self.probabilities.reshape(-1),
            self.payoffs.reshape(-1), self._out,
        )  # fmt: skip

    def play(self, moves: npt.ArrayLike) -> None:
        """Play one move in each position, by number; -1 leaves a position as it is."""
        given = np.asarray(moves)
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise BadParameter(
                f"bad moves of a batch: expected {counted(len(self), 'whole number')}"
            )
        played = given >= 0
        inside = given < self.game.move_codes
        allowed = self.legal[np.arange(len(self)), np.where(played & inside, given, 0)]
        wrong = np.flatnonzero(played & ~(inside & allowed))
        if len(wrong):
            at = int(wrong[0])
            raise IllegalMove(f"illegal move {int(given[at])} in position {at} of the batch")
        self._play(self._calls, self._tables, self._states, self._state, given.astype(np.int32))
        self._look()
