"""Legal positions of Go boards, counted: all ways to put stones, those without a dead chain.

    python benchmarks/go_positions.py 4 4

Tromp and Farnebäck, Combinatorics of Go (2007), count 24,318,165 on 4x4.  Whether a chain has a
liberty is asked of the rules that games are played by.
"""

import argparse

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO
from trellis.game.rules import State, Tables
from trellis.games.go import Go
from trellis.games.go.board import BIT_OF_CODE, POINTS, WORDS, has, list_own

PUBLISHED = {
    (1, 1): 1, (1, 2): 5, (1, 3): 15, (1, 4): 41, (1, 5): 113, (1, 6): 313, (1, 7): 867,
    (2, 2): 57, (2, 3): 489, (2, 4): 4_125, (2, 5): 35_117, (3, 3): 12_675, (3, 4): 321_689,
    (4, 4): 24_318_165,
}  # fmt: skip
_LOT = 1_000_000  # boards between two chances to stop
_S6, _S63, _THREE = np.uint64(6), np.uint64(63), np.uint64(3)


@kernel(entry=True, later=True)
def count_legal(tables: Tables, state: State, first: int, end: int) -> int:
    """Count the boards without a dead chain among those with these numbers, to the base of 3."""
    points, words = tables.ints[POINTS], np.uint64(tables.ints[WORDS])
    found = 0
    for number in range(first, end):
        state[:] = ZERO
        left = np.uint64(number)
        for code in range(points):
            bit = np.uint64(tables.ints[BIT_OF_CODE + code])
            colour = left % _THREE
            left //= _THREE
            if colour != ZERO:
                state[(colour - ONE) * words + (bit >> _S6)] |= ONE << (bit & _S63)
        legal = True
        for code in range(points):
            bit = np.uint64(tables.ints[BIT_OF_CODE + code])
            for colour in range(2):
                own = np.uint64(colour) * words
                if legal and has(state, own, bit):
                    legal, _ = list_own(tables, state, own, words - own, bit)
        found += 1 if legal else 0
    return found


def legal_boards(rows: int, columns: int) -> int:
    """Count the legal positions of a board."""
    game = Go(rows=rows, columns=columns, superko="simple")
    state, boards = game.start().state, 3 ** (rows * columns)
    return sum(
        int(count_legal(game.own_tables(), state, first, min(first + _LOT, boards)))
        for first in range(0, boards, _LOT)
    )


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int)
    parser.add_argument("columns", type=int)
    options = parser.parse_args()
    size = min(options.rows, options.columns), max(options.rows, options.columns)
    published = PUBLISHED.get(size)
    beside = f", published {published:,}" if published is not None else ""
    print(f"{options.rows}x{options.columns}: {legal_boards(*size):,} legal positions{beside}")


if __name__ == "__main__":
    main()
