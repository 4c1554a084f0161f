"""How rules are declared, and what those of many games have in common."""

import numpy as np

from trellis._kernel.jit import F, kernel
from trellis.game.bits import ONE, ZERO, lowest_bit
from trellis.game.errors import BadParameter, nearest
from trellis.game.rules import NOBODY, SIGNATURES, Moves, Reals, Rules, State, Tables

_HALF = np.uint64(32)


def rule(function: F) -> F:
    """Compile one of the functions of a game; its name says which one: `@rule def moves(...)`.

    The same as `@kernel(MOVES)`, which is for functions that are called something else.
    """
    name = function.__name__
    if name not in Rules._fields:
        raise BadParameter(
            f"{name} is not the name of a rule: expected one of "
            f"{', '.join(Rules._fields)}{nearest(name, Rules._fields)}"
        )
    return kernel(getattr(SIGNATURES, name))(function)


@kernel(SIGNATURES.start)
def start_empty(tables: Tables, state: State) -> None:
    """Start with all words zero: the empty board of many games."""
    state[:] = ZERO


@kernel()
def list_bits(cells: np.uint64, first: int, out: Moves, count: int) -> int:
    """List set bits as moves, the lowest first; bit k is move `first` + k.

    They are written behind the `count` moves already listed; returns how many there are then.
    """
    while cells != ZERO:
        out[count] = first + lowest_bit(cells)
        cells &= cells - ONE
        count += 1
    return count


@kernel()
def mapped_bits(cells: np.uint64, images: Moves, first: int) -> np.uint64:
    """Send every set bit k of a set to bit `images[first + k]`: the image under a symmetry."""
    result = ZERO
    while cells != ZERO:
        result |= ONE << np.uint64(images[first + lowest_bit(cells)])
        cells &= cells - ONE
    return result


@kernel(inline="always")
def pick(draw: np.uint64, count: np.uint64) -> np.uint64:
    """Return a number below `count`, all of them alike: what the high half of `draw` says.

    The low half of the same random number serves a second draw: `pick(draw << 32, count)`.
    """
    return ((draw >> _HALF) * count) >> _HALF


@kernel()
def pay_winner(winner: int, out: Reals) -> None:
    """Pay two players: 1 for the winner and -1 for the loser, or 0 each where nobody has won."""
    value = 1.0 if winner == 0 else -1.0 if winner == 1 else 0.0
    out[0] = value
    out[1] = 0.0 - value  # a draw is 0 for both, not -0 for one


@kernel()
def pay_lead(lead: int, by_margin: bool, out: Reals) -> None:
    """Pay two players for the lead of the first: as it is, or for a win, a draw or a loss."""
    if by_margin:
        out[0] = 1.0 * lead
        out[1] = 0.0 - out[0]
    else:
        pay_winner(0 if lead > 0 else 1 if lead < 0 else NOBODY, out)


@kernel()
def runs(cells: np.uint64, step: np.uint64, length: int) -> np.uint64:
    """Keep the cells that start a run of `length` in one direction, bits `step` apart.

    Runs are doubled: when a bit stands for n cells, one more step makes it stand for 2n.  A run
    must fit into the word, (length - 1) * step < 64: a shift by 64 is not one at all.
    """
    have = 1
    while have < length:
        more = min(have, length - have)
        cells &= cells >> (np.uint64(more) * step)
        have += more
    return cells


def packed_places(places: int) -> int:
    """List the set bits of a small number in one word, for playouts to draw from.

    Four bits each, the lowest bit first, and how many they are in the top four.
    """
    listed = [place for place in range(16) if places >> place & 1]
    return sum(place << 4 * i for i, place in enumerate(listed)) | len(listed) << 60
