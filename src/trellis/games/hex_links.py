"""Which cells of Hex are joined whatever the other side does, on boards of up to 8 by 8.

Two points of a player (chains, sides of the board, empty cells that the player might take) are
*linked* if the player joins them even as the second to move there, and *half linked* if as the
first; the *carrier* is the set of empty cells that this takes.  Cells that touch are linked by
nothing.  From these follow others, as Anshelevich has it (H-search):

- *and*: links of a point with two others, with carriers apart, link those two if the point is a
  chain; if it is an empty cell they are half linked, and it is one of the cells that it takes;
- *or*: half links between two points of which no cell is in all carriers are a link.

A half link between the own sides wins for who is to move; one of the other player has to be met
within its carrier (the *must-play region*).  A bridge is the first link that these rules find.

Before that, cells that make no difference are filled.  A cell is *dead* if no shortest path of
stones can need it, which is seen from its neighbours: any two of them that do not touch and might
both be a player's are joined by stones around it.  Two cells are *captured* if whatever the other
player puts into one of them is dead as soon as the second one is taken.  Filling leaves who wins
as it is, so a move into a filled cell is not better than all others.

Everything that is found holds; what is not found proves nothing, and lists are short on purpose.
"""

from typing import NamedTuple

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ONE, ZERO, lowest_bit, popcount, to_int
from trellis.game.rules import Counts, State

LARGEST = 8  # rows of a board that fits into one word
NOTHING, HALF, LINKED = 0, 1, 2  # how a player's sides are joined

_ROOM = 10  # links, and half links, between two points that are kept
_MOST_LINKS = 6_000  # of a player; the shortest are found first
_RING = np.uint64(63)  # the six neighbours of a cell
_SIX = np.uint64(6)


class Board(NamedTuple):
    """The board as sets of cells."""

    side: int
    cells: np.uint64
    not_left: np.uint64  # all but the left-most column
    not_right: np.uint64


class Links(NamedTuple):
    """What is found of one player; points are cells, then the two sides of the board."""

    points: int
    carriers: State  # [points * points * _ROOM]: of links, by a pair of points
    halves: State  # the same of half links
    counts: Counts  # [points * points]: how many links there are
    half_counts: Counts
    done: Counts  # [points * points]: how many of the links were joined with others
    queue: State  # [_MOST_LINKS]: carriers of links in the order in which they were found
    pairs: Counts  # [_MOST_LINKS]: between which points
    ends: Counts  # [2]: how many of the queue were joined with others, how many there are


@kernel()
def make_board(side: int, cells: np.uint64, not_right: np.uint64) -> Board:
    """Return the sets of cells of a board."""
    return Board(side, cells, cells & (not_right << ONE), not_right)


@kernel()
def beside(board: Board, cells: np.uint64) -> np.uint64:
    """Return all cells that touch one of a set."""
    step = np.uint64(board.side)
    right, left = cells & board.not_right, cells & board.not_left
    found = (right << ONE) | (left >> ONE) | (cells << step) | (cells >> step)
    return (found | (right >> (step - ONE)) | (left << (step - ONE))) & board.cells


@kernel()
def sides_of(board: Board, player: int) -> tuple[np.uint64, np.uint64]:
    """Return the cells at the two sides of the board that a player wants to join."""
    if player == 0:
        row = (ONE << np.uint64(board.side)) - ONE
        return row, row << np.uint64(board.side * (board.side - 1))
    return board.cells & ~board.not_left, board.cells & ~board.not_right


@kernel()
def _around(board: Board, x: np.uint64, o: np.uint64, cell: int) -> tuple[np.uint64, np.uint64]:
    """Return which neighbours of a cell are x, and which are o, as bits in their order around it.

    What is beyond a side of the board counts for its owner, beyond two sides for o.
    """
    side = board.side
    row, column = cell // side, cell % side
    own, other = ZERO, ZERO
    for i in range(6):
        down = -1 if i < 2 else 1 if 3 <= i < 5 else 0
        right = 1 if i in (1, 2) else -1 if i in (4, 5) else 0
        r, c = row + down, column + right
        bit = ONE << np.uint64(i)
        if not 0 <= c < side:
            other |= bit
        elif not 0 <= r < side:
            own |= bit
        else:
            at = np.uint64(side * r + c)
            own |= bit * ((x >> at) & ONE)
            other |= bit * ((o >> at) & ONE)
    return own, other


@kernel()
def _turned(ring: np.uint64, by: int) -> np.uint64:
    """Turn a set of neighbours, so that number `by` comes first."""
    shift = np.uint64(by)
    return ((ring >> shift) | (ring << (_SIX - shift))) & _RING


@kernel()
def is_dead(own: np.uint64, other: np.uint64) -> bool:
    """Tell whether no shortest path of x can lead through a cell with such neighbours."""
    for first in range(6):
        free, mine = _turned(~other & _RING, first), _turned(own, first)
        if free & ONE == ZERO:
            continue
        # The second neighbour is two or three places on; stones on either way between them join.
        if free & np.uint64(4) != ZERO:
            if mine & np.uint64(2) == ZERO and mine & np.uint64(56) != np.uint64(56):
                return False
        if free & np.uint64(8) != ZERO:
            if mine & np.uint64(6) != np.uint64(6) and mine & np.uint64(48) != np.uint64(48):
                return False
    return True


@kernel()
def _dies(board: Board, x: np.uint64, o: np.uint64, cell: int) -> bool:
    own, other = _around(board, x, o, cell)
    return is_dead(own, other)


@kernel()
def _filled_once(board: Board, x: np.uint64, o: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Fill one dead cell or two captured ones; return the same stones where there are none."""
    free = board.cells & ~(x | o)
    left = free
    while left != ZERO:
        cell = lowest_bit(left)
        bit = left & (~left + ONE)
        left ^= bit
        if _dies(board, x, o, cell):
            return x | bit, o
        others = beside(board, bit) & left
        while others != ZERO:
            second = others & (~others + ONE)
            others ^= second
            at = lowest_bit(second)
            if _dies(board, x | second, o, cell) and _dies(board, x | bit, o, at):
                return x | bit | second, o
            if _dies(board, x, o | second, cell) and _dies(board, x, o | bit, at):
                return x, o | bit | second
    return x, o


@kernel()
def fill_in(board: Board, x: np.uint64, o: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Fill cells that make no difference; return the stones of both."""
    while True:
        stones = x | o
        x, o = _filled_once(board, x, o)
        if x | o == stones:
            return x, o


@kernel(makes_arrays=True)
def make_links(board: Board) -> Links:
    """Return room for what is found of one player."""
    points = board.side * board.side + 2
    pairs = points * points
    return Links(
        points,
        np.empty(pairs * _ROOM, np.uint64),
        np.empty(pairs * _ROOM, np.uint64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.zeros(pairs, np.int64),
        np.empty(_MOST_LINKS, np.uint64),
        np.empty(_MOST_LINKS, np.int64),
        np.zeros(2, np.int64),
    )


@kernel()
def _is_covered(carriers: State, first: int, count: int, carrier: np.uint64) -> bool:
    """Tell whether one of some carriers needs nothing besides the cells of another."""
    at, end = first, first + count
    while at < end and carriers[at] & ~carrier != ZERO:
        at += 1
    return at < end


@kernel()
def pair_of(links: Links, a: int, b: int) -> int:
    """Return the number of a pair of points."""
    return a * links.points + b if a < b else b * links.points + a


@kernel()
def _add_link(links: Links, pair: int, carrier: np.uint64) -> None:
    count, first = links.counts[pair], pair * _ROOM
    at = links.ends[1]
    if count == _ROOM or at == _MOST_LINKS:
        return
    if _is_covered(links.carriers, first, count, carrier):
        return
    links.carriers[first + count] = carrier
    links.counts[pair] = count + 1
    links.queue[at], links.pairs[at] = carrier, pair
    links.ends[1] = at + 1


@kernel()
def _add_half(links: Links, pair: int, carrier: np.uint64) -> None:
    """Keep a half link, and the links that it is a part of (the rule "or", of up to four)."""
    count, first, halves = links.half_counts[pair], pair * _ROOM, links.halves
    if count == _ROOM or _is_covered(halves, first, count, carrier):
        return
    if _is_covered(links.carriers, first, links.counts[pair], carrier):
        return
    halves[first + count] = carrier
    links.half_counts[pair] = count + 1
    for i in range(first, first + count):
        two = carrier & halves[i]
        if two == ZERO:
            _add_link(links, pair, carrier | halves[i])
            continue
        if two == carrier:
            continue
        for j in range(i + 1, first + count):
            three = two & halves[j]
            if three == ZERO:
                _add_link(links, pair, carrier | halves[i] | halves[j])
                continue
            if three == two:
                continue
            for k in range(j + 1, first + count):
                if three & halves[k] == ZERO:
                    _add_link(links, pair, carrier | halves[i] | halves[j] | halves[k])


@kernel()
def _touch(links: Links, point: int, cells: np.uint64) -> None:
    """Link a point to cells that it touches."""
    while cells != ZERO:
        _add_link(links, pair_of(links, point, lowest_bit(cells)), ZERO)
        cells &= cells - ONE


@kernel()
def _chain(board: Board, stones: np.uint64, chain: np.uint64) -> np.uint64:
    """Return all stones that are joined to some of them."""
    while True:
        more = chain | (beside(board, chain) & stones)
        if more == chain:
            return chain
        chain = more


@kernel()
def _begin(
    board: Board, links: Links, stones: np.uint64, free: np.uint64, first: np.uint64,
    second: np.uint64,
) -> np.uint64:  # fmt: skip
    """Link what touches; return a stone of each chain that is not at a side of the player."""
    cells = board.side * board.side
    at_first = _chain(board, stones, first & stones)
    at_second = _chain(board, stones, second & stones)
    _touch(links, cells, (beside(board, at_first) | first) & free)
    _touch(links, cells + 1, (beside(board, at_second) | second) & free)
    left, chains = stones & ~(at_first | at_second), ZERO
    while left != ZERO:
        stone = left & (~left + ONE)
        chain = _chain(board, stones, stone)
        left &= ~chain
        chains |= stone
        _touch(links, lowest_bit(stone), beside(board, chain) & free)
    left = free
    while left != ZERO:
        cell = left & (~left + ONE)
        left ^= cell
        _touch(links, lowest_bit(cell), beside(board, cell) & left)
    return chains


@kernel()
def _join(
    links: Links, points: np.uint64, chains: np.uint64, cells: int, by: int, end: int,
    carrier: np.uint64,
) -> None:  # fmt: skip
    """Join a link between two points with all others of one of them (the rule "and")."""
    middle = ONE << np.uint64(by)
    is_chain = chains & middle != ZERO
    end_bit = ONE << np.uint64(end) if end < cells else ZERO
    if not is_chain:
        carrier |= middle
    for far in range(cells + 2):
        far_bit = ONE << np.uint64(far) if far < cells else ZERO
        if far in (by, end) or far_bit & carrier != ZERO:
            continue
        if far < cells and far_bit & points == ZERO:
            continue
        pair, joined = pair_of(links, by, far), pair_of(links, end, far)
        for i in range(pair * _ROOM, pair * _ROOM + links.done[pair]):
            other = links.carriers[i]
            if other & (carrier | end_bit) != ZERO:
                continue
            if is_chain:
                _add_link(links, joined, carrier | other)
            else:
                _add_half(links, joined, carrier | other)


@kernel()
def find_links(
    board: Board, links: Links, player: int, own: np.uint64, other: np.uint64, enough: int
) -> int:
    """Find links of a player until the sides are joined well enough; return how they are."""
    first, second = sides_of(board, player)
    cells, free = board.side * board.side, board.cells & ~(own | other)
    if _chain(board, own, first & own) & second != ZERO:
        return LINKED
    chains = _begin(board, links, own, free, first, second)
    goal = pair_of(links, cells, cells + 1)
    while links.ends[0] < links.ends[1]:
        at = links.ends[0]
        links.ends[0] = at + 1
        pair, carrier = links.pairs[at], links.queue[at]
        links.done[pair] += 1
        a, b = pair // links.points, pair % links.points
        if a < cells:  # sides are ends only
            _join(links, free | chains, chains, cells, a, b, carrier)
        if b < cells:
            _join(links, free | chains, chains, cells, b, a, carrier)
        if links.counts[goal] > 0:
            return LINKED
        if enough == HALF and links.half_counts[goal] > 0:
            return HALF
    return HALF if links.half_counts[goal] > 0 else NOTHING


@kernel()
def must_play(board: Board, links: Links) -> np.uint64:
    """Return the cells that are in the carriers of all half links between the sides."""
    goal = pair_of(links, links.points - 2, links.points - 1)
    region = board.cells
    for i in range(goal * _ROOM, goal * _ROOM + links.half_counts[goal]):
        region &= links.halves[i]
    return region


@kernel()
def nearness(links: Links, cell: int) -> int:
    """Return how well a cell is joined to both sides: more where less is needed."""
    total = 0
    for side in range(links.points - 2, links.points):
        pair, best = pair_of(links, cell, side), 0
        for i in range(pair * _ROOM, pair * _ROOM + links.counts[pair]):
            best = max(best, 64 - 2 * popcount(links.carriers[i]))
        for i in range(pair * _ROOM, pair * _ROOM + links.half_counts[pair]):
            best = max(best, 32 - 2 * popcount(links.halves[i]))
        total += best
    return to_int(total)
