"""In which order the gates of a circuit are evaluated.

Three phases: what says which moves are legal and whether the game is over; what follows from the
moves made; what the players get in the end.  Within a phase, times: at even times gates without
cycles, at odd times loops, repeated until nothing changes.  Within a time, gates are grouped by
level and by how many inputs they have, so that a group is one short loop over equal gates.
"""

from trellis.gdl.circuit.aig import Net
from trellis.gdl.circuit.build import Circuit, Group, Loop, Program, Stretch

PRESENT, FUTURE, REWARD = 0, 1, 2  # the phases
PHASES = (PRESENT, FUTURE, REWARD)


def schedule(circuit: Circuit) -> Program:
    """Return the stretches of each phase; they are looked for once."""
    if circuit.program is None:
        circuit.program = _schedule(circuit)
    return circuit.program


def _schedule(circuit: Circuit) -> Program:
    net = circuit.net
    phase_of = _phases(circuit)
    times, loop_times = _times(circuit)
    by_place: dict[tuple[int, int], list[int]] = {}
    for node, fan in enumerate(net.fan):
        if fan and phase_of[node] is not None:
            by_place.setdefault((phase_of[node] or 0, times[node]), []).append(node)
    phases: Program = []
    for phase in PHASES:
        loops_at: dict[int, list[Loop]] = {}
        for loop, time in zip(circuit.loops, loop_times, strict=True):
            if phase_of[loop.atoms[0] >> 1] == phase:
                loops_at.setdefault(time, []).append(loop)
        found = {time for at, time in by_place if at == phase}
        phases.append(
            [
                Stretch(_groups(net, by_place.get((phase, time), [])), loops_at.get(time, []))
                for time in sorted(found | set(loops_at))
            ]
        )
    return phases


def _phases(circuit: Circuit) -> list[int | None]:
    """Return the phase of every node; None where nothing needs it."""
    present = circuit.cone([circuit.terminal, *circuit.legal])
    future = circuit.cone(latch.following for latch in circuit.latches)
    reward = circuit.cone(circuit.gained)
    phases: list[int | None] = []
    for node in range(len(circuit.net.fan)):
        if present[node] or (future[node] and reward[node]):
            phases.append(PRESENT)
        elif future[node]:
            phases.append(FUTURE)
        else:
            phases.append(REWARD if reward[node] else None)
    return phases


def _times(circuit: Circuit) -> tuple[list[int], list[int]]:
    """Return when each node, and each loop, is evaluated.

    A gate belongs to a loop if it depends on its atoms and stands before the end of what they
    are fed from; all that uses the loop from outside comes later.
    """
    fans = circuit.net.fan
    loop_of = {atom >> 1: i for i, loop in enumerate(circuit.loops) for atom in loop.atoms}
    last = [max(literal >> 1 for literal in loop.fed_from) for loop in circuit.loops]
    loop_times: list[int | None] = [None] * len(circuit.loops)
    outside: list[list[int]] = [[] for _ in circuit.loops]  # what the gates of a loop ask for
    times = [0] * len(fans)
    inside = [-1] * len(fans)

    def loop_with(node: int) -> int:
        return loop_of.get(node, inside[node])

    def ready(node: int, asking: int) -> int:
        """Return the even time from which a node can be asked from outside its loop."""
        loop = loop_with(node)
        if loop < 0 or loop == asking:
            return times[node] if loop < 0 else 0
        return time_of(loop) + 1

    def time_of(loop: int) -> int:
        known = loop_times[loop]
        if known is None:
            asked = [*outside[loop], *(literal >> 1 for literal in circuit.loops[loop].fed_from)]
            known = max((ready(node, loop) for node in asked), default=0) + 1
            loop_times[loop] = known
        return known

    for node, fan in enumerate(fans):
        if not fan:
            continue
        below = [literal >> 1 for literal in fan]
        loops = {loop_with(each) for each in below}
        inside[node] = next((loop for loop in loops if loop >= 0 and node <= last[loop]), -1)
        if inside[node] >= 0:
            outside[inside[node]] += [each for each in below if loop_with(each) != inside[node]]
        else:
            times[node] = max(ready(each, -1) for each in below)
    for node, loop in enumerate(inside):
        if loop >= 0:
            times[node] = time_of(loop)
    return times, [time_of(loop) for loop in range(len(circuit.loops))]


def _groups(net: Net, nodes: list[int]) -> list[Group]:
    """Group the gates of one time by level and shape."""
    level: dict[int, int] = {}
    shaped: dict[tuple[int, int, int], list[int]] = {}
    for node in nodes:
        fan = net.fan[node] or ()
        level[node] = max((level.get(literal >> 1, -1) for literal in fan), default=-1) + 1
        negative = sum(literal & 1 for literal in fan)
        shaped.setdefault((level[node], len(fan) - negative, negative), []).append(node)
    return [Group(shape[1], shape[2], gates) for shape, gates in sorted(shaped.items())]
