"""Strongly connected components: positions on cycles together, and what they are worth.

Positions that can all reach each other are a strongly connected component (Tarjan's algorithm
finds them, those that lead nowhere else first).  Where a component is a single position its value
follows from values that are known.  Elsewhere two bounds are improved in sweeps, again and
again: one begins with the least payoff everywhere and only rises, the other begins with the
greatest and only falls.
"""

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import kernel
from trellis.game.enumerate import Positions
from trellis.game.rules import CHANCE, NOBODY
from trellis.search.solve.values import DONE, MORE, Values


class Parts(Bundle):
    """What is going on, and the components; a run that was interrupted goes on from these."""

    registers: npt.NDArray[np.int64]
    real_registers: npt.NDArray[np.float64]
    number: npt.NDArray[np.int32]  # from 1 in the order of visits, 0 before
    lowest: npt.NDArray[np.int32]  # the least number known to be reached within the component
    component: npt.NDArray[np.int32]  # its component, -1 before
    stack: npt.NDArray[np.int32]  # visited, and not yet in a component
    path: npt.NDArray[np.int32]  # from the first position to the one being visited
    order: npt.NDArray[np.int32]  # positions as they are left; in the end by component
    begins: npt.NDArray[np.int32]  # where each component begins in `order`
    cursor: npt.NDArray[np.int64]  # the next edge of each position on the path
    marks: npt.NDArray[np.int8]  # whether play may stay in such positions for ever


BYTES = 7 * 4 + 8 + 1  # of a position

# While components are found; after that, while values are.
VISITED, STACKED, ON_PATH, LEFT, COMPONENTS = range(5)
AT = 5  # the component being settled
PLACE = 6  # the position of it to look at next, as a place in `order`
SWEEPS = 7  # of the component being settled
MOST_SWEEPS = 8  # of any component
CYCLIC = 9  # components that are cycles
LOOKS = 10  # at positions, in all
PATIENCE = 11  # looks at the positions of one component before it is given up
REGISTERS = 12
LEAST_PATIENCE = 4096  # sweeps of any component, however large
CHANGE, LEAST_CHANGE, REAL_REGISTERS = range(3)


def make_parts(positions: int, least_change: float, patience: int) -> Parts:
    """Make room; a sweep that changes no value by more than `least_change` is the last.

    So is the one with which a component has taken `patience` looks at its positions: what it has
    found are bounds still.
    """
    parts = Parts.make(
        registers=REGISTERS, real_registers=REAL_REGISTERS, number=positions, lowest=positions,
        component=np.full(positions, -1, np.int32), stack=positions, path=positions,
        order=positions, begins=positions + 1, cursor=positions, marks=positions,
    )  # fmt: skip
    parts.registers[PATIENCE] = patience
    parts.real_registers[LEAST_CHANGE] = least_change
    return parts


@kernel(lean=True)
def _visit(graph: Positions, parts: Parts, position: int) -> None:
    """Give a position a number, and put it on the path and among those whose component is open."""
    registers = parts.registers
    registers[VISITED] += 1
    parts.number[position] = parts.lowest[position] = registers[VISITED]
    parts.stack[registers[STACKED]] = position
    registers[STACKED] += 1
    parts.path[registers[ON_PATH]] = position
    parts.cursor[registers[ON_PATH]] = graph.first[position]
    registers[ON_PATH] += 1


@kernel(lean=True)
def _leave(parts: Parts, position: int) -> None:
    """Make a component of all that is stacked above a position which reaches nothing below."""
    registers = parts.registers
    parts.order[registers[LEFT]] = position
    registers[LEFT] += 1
    registers[ON_PATH] -= 1
    if parts.lowest[position] == parts.number[position]:
        while True:
            registers[STACKED] -= 1
            member = parts.stack[registers[STACKED]]
            parts.component[member] = registers[COMPONENTS]
            if member == position:
                break
        registers[COMPONENTS] += 1
    if registers[ON_PATH] > 0:
        above = parts.path[registers[ON_PATH] - 1]
        parts.lowest[above] = min(parts.lowest[above], parts.lowest[position])


@kernel(entry=True)
def find_components(graph: Positions, parts: Parts, steps: int) -> int:
    """Find components for so many steps; say whether there are more to do."""
    registers = parts.registers
    if registers[VISITED] == 0:
        _visit(graph, parts, 0)
    while registers[ON_PATH] > 0:
        if steps <= 0:
            return MORE
        steps -= 1
        top = registers[ON_PATH] - 1
        position = parts.path[top]
        edge = parts.cursor[top]
        if edge == graph.first[position + 1]:
            _leave(parts, position)
            continue
        parts.cursor[top] = edge + 1
        target = graph.targets[edge]
        if parts.number[target] == 0:
            _visit(graph, parts, target)
        elif parts.component[target] < 0:
            parts.lowest[position] = min(parts.lowest[position], parts.number[target])
    return DONE


@kernel(entry=True)
def arrange(parts: Parts) -> None:
    """Put positions in order: component by component, within each as they were left.

    A position is left after those that its moves lead to, as far as cycles allow, so that a sweep
    in this order carries values back from the end.
    """
    positions, components = len(parts.number), parts.registers[COMPONENTS]
    for position in range(positions):
        parts.begins[parts.component[position] + 1] += 1
    for component in range(components):
        parts.begins[component + 1] += parts.begins[component]
    for component in range(components):
        parts.path[component] = parts.begins[component]
    for place in range(positions):
        parts.stack[place] = parts.order[place]
    for place in range(positions):
        position = parts.stack[place]
        component = parts.component[position]
        parts.order[parts.path[component]] = position
        parts.path[component] += 1


@kernel(hot=True)
def _average(graph: Positions, values: Values, first: int, last: int) -> tuple[float, float]:
    """Average over outcomes; rounding must not leave their range, or cycles would pump it up."""
    lows, highs = values.lows, values.highs
    targets, probabilities = graph.targets, values.probabilities
    target = targets[first]
    low = high = 0.0
    least_low = most_low = lows[target]
    least_high = most_high = highs[target]
    for edge in range(first, last):
        target, probability = targets[edge], probabilities[edge]
        below, above = lows[target], highs[target]
        low += probability * below
        high += probability * above
        least_low, most_low = min(least_low, below), max(most_low, below)
        least_high, most_high = min(least_high, above), max(most_high, above)
    return min(max(low, least_low), most_low), min(max(high, least_high), most_high)


@kernel(hot=True)
def _look(graph: Positions, values: Values, position: int) -> tuple[float, float, int]:
    """Return what a position is worth, given what its moves lead to, and the best move."""
    actor = graph.actors[position]
    first, last = graph.first[position], graph.first[position + 1]
    if actor == CHANCE:
        low, high = _average(graph, values, first, last)
        return low, high, -1
    lows, highs, targets = values.lows, values.highs, graph.targets
    best = 0
    low, high = lows[targets[first]], highs[targets[first]]
    for edge in range(first + 1, last):
        target = targets[edge]
        if actor == 0:
            high = max(high, highs[target])
            if lows[target] > low:
                low, best = lows[target], edge - first
        else:
            low = min(low, lows[target])
            if highs[target] < high:
                high, best = highs[target], edge - first
    return low, high, best


@kernel(lean=True)
def _is_alone(graph: Positions, parts: Parts, begin: int, end: int) -> bool:
    """Tell whether a component is one position that does not lead to itself."""
    if end - begin > 1:
        return False
    position = parts.order[begin]
    for edge in range(graph.first[position], graph.first[position + 1]):
        if graph.targets[edge] == position:
            return False
    return True


@kernel(lean=True)
def _sweep(graph: Positions, values: Values, parts: Parts, first: int, last: int) -> float:
    """Improve bounds of positions on a cycle; return the largest change.

    The best move is the one that improved the bound last: what it leads to owes its own bound to
    something earlier, so that following best moves does not go round in a circle.
    """
    lows, highs, actors, order = values.lows, values.highs, graph.actors, parts.order
    change = 0.0
    for place in range(first, last):
        position = order[place]
        low, high, best = _look(graph, values, position)
        risen, fallen = low - lows[position], highs[position] - high
        if risen > 0.0:
            change = max(change, risen)
            lows[position] = low
            if actors[position] == 0:
                values.best[position] = best
        if fallen > 0.0:
            change = max(change, fallen)
            highs[position] = high
            if actors[position] == 1:
                values.best[position] = best
    return change


@kernel(entry=True)
def settle(graph: Positions, values: Values, parts: Parts, looks: int) -> int:
    """Find values for so many looks at positions; say whether there are more to do."""
    registers, reals = parts.registers, parts.real_registers
    stop = registers[LOOKS] + looks
    while registers[AT] < registers[COMPONENTS]:
        begin, end = parts.begins[registers[AT]], parts.begins[registers[AT] + 1]
        if _is_alone(graph, parts, begin, end):
            position = parts.order[begin]
            registers[LOOKS] += 1
            registers[PLACE] = end
            if graph.actors[position] != NOBODY:
                low, high, best = _look(graph, values, position)
                values.lows[position], values.highs[position] = low, high
                values.best[position] = best
        else:
            last = min(end, registers[PLACE] + stop - registers[LOOKS])
            reals[CHANGE] = max(reals[CHANGE], _sweep(graph, values, parts, registers[PLACE], last))
            registers[LOOKS] += last - registers[PLACE]
            registers[PLACE] = last
            if last < end:
                return MORE
            registers[SWEEPS] += 1
            changed = reals[CHANGE] > reals[LEAST_CHANGE]
            reals[CHANGE] = 0.0
            sweeps = max(LEAST_PATIENCE, registers[PATIENCE] // (end - begin))
            if changed and registers[SWEEPS] < sweeps:
                registers[PLACE] = begin
                if registers[LOOKS] >= stop:
                    return MORE
                continue
            registers[CYCLIC] += 1
            registers[MOST_SWEEPS] = max(registers[MOST_SWEEPS], registers[SWEEPS])
            registers[SWEEPS] = 0
        registers[AT] += 1
        if registers[LOOKS] >= stop:
            return MORE
    return DONE


@kernel(entry=True)
def unmark(graph: Positions, values: Values, parts: Parts, passes: int, tolerance: float) -> int:
    """Unmark positions from which play must leave the marked ones; return how many went.

    Players are held to moves that keep the upper bound: with others they give something away, and
    cannot do so for ever.
    """
    gone = 0
    for _ in range(passes):
        before = gone
        for place in range(len(parts.order)):
            position = parts.order[place]
            if parts.marks[position] == 0:
                continue
            actor, high = graph.actors[position], values.highs[position]
            stays = actor == CHANCE
            for edge in range(graph.first[position], graph.first[position + 1]):
                target = graph.targets[edge]
                marked = parts.marks[target] != 0
                if actor == CHANCE:
                    stays = stays and (marked or values.probabilities[edge] == 0.0)
                elif abs(values.highs[target] - high) <= tolerance:
                    stays = stays or marked
            if not stays:
                parts.marks[position] = 0
                gone += 1
        if gone == before:
            break
    return gone
