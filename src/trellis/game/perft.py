"""Counting: how many games of each length there are, and how many *distinct positions* they meet.

A layer holds every position reachable in exactly so many moves, each once, with the number of
move sequences that lead to it.  Counting sequences over distinct positions is what makes deep
counts quick: Connect Four has 7^8 sequences of eight moves but 184,275 positions.
Positions are compared word by word, so the counts are exact, not "up to hash collisions".
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trellis._kernel.deadline import TimeIsUp, heeding, stop_asked
from trellis._kernel.jit import kernel
from trellis._kernel.progress import Progress
from trellis.game.bits import ONE, ZERO
from trellis.game.enumerate import Enumeration, Positions
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position, position_of
from trellis.game.memory import memory_of_machine
from trellis.game.rules import NOBODY, State

DEFAULT_MEMORY = 4096.0  # mebibytes, about, where no limit is given
_COUNT_BYTES = 48  # of a position: counts of 128 bits for two plies, and room to add them up


@dataclass(frozen=True)
class Ply:
    """What there is after exactly `ply` moves; chance outcomes count as moves."""

    ply: int
    games: int  # move sequences of exactly this length
    positions: int  # different positions they lead to
    ended: int  # those sequences after which the game is over


@kernel(entry=True)
def _add_up(graph: Positions, base: int, counts: State, base_after: int, after: State) -> None:
    """Add the paths to each position to those of all that its moves lead to.

    A count is two words, the low one first; those of `counts` belong to positions from `base` on.
    """
    for row in range(len(counts) >> 1):
        low, high = counts[2 * row], counts[2 * row + 1]
        if low == ZERO and high == ZERO:
            continue
        for edge in range(graph.first[base + row], graph.first[base + row + 1]):
            at = 2 * (graph.targets[edge] - base_after)
            after[at] += low
            after[at + 1] += high + (ONE if after[at] < low else ZERO)


def perft(
    game: Game | Position | str,
    depth: int,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> list[Ply]:
    """Count games and distinct positions for each ply from 0 to `depth`.

    Fewer plies come back where every game ends sooner, or where somebody asks to stop.
    `LimitReached` is raised before a ply would have more than `limit` positions; without a limit,
    before all of them would take more than about four gigabytes.

    >>> from trellis.loading import load
    >>> [ply.positions for ply in perft(load("tic_tac_toe"), 3)]
    [1, 9, 72, 252]
    """
    if depth < 0:
        raise BadParameter(f"bad depth {depth}: expected 0 or more")
    if limit is not None and limit < 1:
        raise BadParameter(f"bad limit {limit}: expected 1 or more")
    memory = memory_of_machine() if limit else min(DEFAULT_MEMORY, memory_of_machine())
    found = Enumeration(position_of(game), memory, later=(_COUNT_BYTES, 0))
    plies: list[Ply] = []
    counts, base = np.array([1, 0], np.uint64), 0  # of paths to positions from `base` on
    while len(counts):
        plies.append(_ply(found, len(plies), base, counts))
        if len(plies) > depth or not _expand(found, plies, depth, limit, progress):
            break
        counts, base = _next_counts(found.graph, found.positions, base, counts)
        if limit is not None and len(_reached(counts)) > limit:
            raise _too_many(found, len(plies), limit)
    return plies


def _ply(found: Enumeration, ply: int, base: int, counts: State) -> Ply:
    over = found.graph.actors[base : base + len(counts) // 2] == NOBODY
    ended = counts.reshape(-1, 2)[over].ravel()
    return Ply(ply, _total(counts), len(_reached(counts)), _total(ended))


def _expand(
    found: Enumeration, plies: list[Ply], depth: int, limit: int | None, progress: Progress | None
) -> bool:
    """Find the positions of the next ply; tell whether nobody has asked to stop."""
    game, before, ply = found.game, found.positions, len(plies)
    if plies[-1].games * game.max_moves >= 1 << 128:
        raise LimitReached(
            f"{game.spec} has more games than 128 bits can count after ply {ply - 1}: "
            "expected a smaller depth"
        )

    def watch(fraction: float, note: str) -> None:
        if limit is not None and found.positions - before > limit:
            raise _too_many(found, ply, limit)
        if stop_asked():
            raise TimeIsUp
        if progress is not None:
            progress((ply - 1 + fraction) / depth, f"ply {ply}")

    try:
        with heeding(None):
            found.run(watch, last=before)
        watch(1.0, "")
    except TimeIsUp:
        return False
    except LimitReached:  # or memory
        new = found.positions - before
        raise _too_many(found, ply, new if limit is None else min(new, limit)) from None
    return True


def _next_counts(graph: Positions, positions: int, base: int, counts: State) -> tuple[State, int]:
    """Return the paths to all positions of the next ply, and the number of the first of them."""
    edges = graph.targets[graph.first[base] : graph.first[base + len(counts) // 2]]
    first = int(edges.min()) if len(edges) else positions
    after = np.zeros(2 * (positions - first), np.uint64)
    _add_up(graph, base, counts, first, after)
    reached = _reached(after)
    if not len(reached):
        return after[:0], first
    return after[2 * reached[0] : 2 * reached[-1] + 2], first + int(reached[0])


def _reached(counts: State) -> npt.NDArray[np.intp]:
    return np.flatnonzero(counts[::2] | counts[1::2])


def _too_many(found: Enumeration, ply: int, limit: int) -> LimitReached:
    return LimitReached(
        f"{found.game.spec} has more than {limit:,} positions at ply {ply}: "
        f"counted to ply {ply - 1}; raise the limit or lower the depth"
    )


def _total(counts: State) -> int:
    """Add up 128-bit counts in halves of 32 bits, so that no sum overflows."""
    total = 0
    for words, shift in ((counts[::2], 0), (counts[1::2], 64)):
        total += int((words & np.uint64(0xFFFF_FFFF)).sum(dtype=np.uint64)) << shift
        total += int((words >> np.uint64(32)).sum(dtype=np.uint64)) << (shift + 32)
    return total
