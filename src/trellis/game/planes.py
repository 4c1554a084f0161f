"""Positions of board games as planes of numbers, for networks.

Three planes of the board's size, row 1 of the board first:

    0  stones (or pieces) of the player to move
    1  stones of the opponent
    2  ones everywhere if player 0 is to move, else zeros

>>> from trellis.loading import load
>>> game = load("tic_tac_toe")
>>> game.planes.shape
(3, 3, 3)
>>> game.planes.of(game.start().play("b2"))[1].tolist()  # the opponent's, from row 1 on
[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE
from trellis.game.rules import Counts, State

if TYPE_CHECKING:
    from trellis.game.game import Position

Features = npt.NDArray[np.float32]
NAMES = ("own", "opponent", "player 0 moves")


@kernel(entry=True, later=True)
def _fill(
    states: State,
    movers: Counts,
    places: Counts,
    cells: int,
    words: int,
    relative: bool,
    out: Features,
) -> None:
    """Write the planes of many positions: `places` are word and bit of each player's cells."""
    for number in range(len(movers)):
        mover = movers[number]
        for cell in range(cells):
            first = states[number * words + places[2 * cell]] >> np.uint64(places[2 * cell + 1])
            other = 2 * (cells + cell)
            second = states[number * words + places[other]] >> np.uint64(places[other + 1])
            stone_0, stone_1 = first & ONE, second & ONE
            if relative:  # of who moves, and of both
                stone_1 ^= stone_0
            elif mover == 1:
                stone_0, stone_1 = stone_1, stone_0
            at = 3 * number * cells + cell
            out[at] = np.float32(stone_0)
            out[at + cells] = np.float32(stone_1)
            out[at + 2 * cells] = np.float32(1.0) if mover == 0 else np.float32(0.0)


class Planes:
    """How a game's positions become planes.

    `place(row, column)` is where the state has a cell: the index of its bit in the words of player
    0.  Those of player 1 are `second` words further on.  With `relative` the first words are the
    stones of who moves, and the second ones those of both.
    """

    names = NAMES

    def __init__(
        self, rows: int, columns: int, place: Callable[[int, int], int], *, second: int,
        relative: bool = False, first: int = 0,
    ) -> None:  # fmt: skip
        self.shape = (len(NAMES), rows, columns)
        cells = [place(row, column) for row in range(rows) for column in range(columns)]
        words = [(first + offset + bit // 64, bit % 64) for offset in (0, second) for bit in cells]
        self._places = np.array(words, np.int64).ravel()
        self.relative = relative

    def fill(self, states: State, movers: Counts, out: Features) -> None:
        """Write the planes of many positions, whose words lie one after the other, to `out`."""
        _, rows, columns = self.shape
        words = len(states) // max(1, len(movers))
        _fill(states, movers, self._places, rows * columns, words, self.relative, out.reshape(-1))

    def of(self, *positions: "Position") -> Features:
        """Return the planes of a position, or of several as one array."""
        out = np.zeros((len(positions), *self.shape), np.float32)
        states: Sequence[State] = [position.state for position in positions]
        movers = np.array([position.acting for position in positions], np.int64)
        if positions:
            self.fill(np.concatenate(states), movers, out)
        return out[0] if len(positions) == 1 else out
