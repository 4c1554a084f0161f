"""How long games can be: two ways to prove that they end.

*Ternary simulation* follows all games at once: each fact is false, true or open.  After so many
steps the end may be certain, whatever was played.

*Ranking* finds facts that change in one direction only, then facts that do so as long as none of
those changes, and so on.  If every step changes one of them, no game goes on for ever.
"""

from collections.abc import Sequence

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import seeded
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.proving.frames import any_state
from trellis.gdl.proving.guesses import Guess
from trellis.gdl.proving.invariants import Steps, assert_holds, never_true
from trellis.gdl.proving.lanes import Lanes
from trellis.gdl.proving.solver import Clock, TooHard, Watch, values

FALSE, TRUE, OPEN = 1, 2, 3  # bit 0: may be false; bit 1: may be true
LONGEST = 3_000  # steps that are simulated
CONFLICTS = 5_000
MOST_WAITING = 6  # steps in a row without a change

_I32, _U8 = nt.int32[::1], nt.uint8[::1]


@kernel(nt.void(_I32, _I32, _U8, _U8))
def _settle(starts: np.ndarray, fans: np.ndarray, forced: np.ndarray, value: np.ndarray) -> None:
    """Work out all gates; an input has an empty fan and keeps what it has."""
    for node in range(len(starts) - 1):
        begin, end = starts[node], starts[node + 1]
        if begin == end:
            continue
        if forced[node] != 0:
            value[node] = forced[node]
            continue
        may_be_false, may_be_true = 0, 1
        for i in range(begin, end):
            part = np.int64(value[fans[i] >> 1])
            if fans[i] & 1:
                part = (part >> 1) | ((part & 1) << 1)
            may_be_false |= part & 1
            may_be_true &= part >> 1
        value[node] = may_be_false | (may_be_true << 1)


def steps_until_over(circuit: Circuit, clock: Clock) -> int | None:
    """Return a number of steps after which every game is over or stuck, if one is found."""
    fan = circuit.net.fan
    sizes = np.array([len(each or ()) for each in fan], np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    fans = np.array([literal for each in fan for literal in each or ()], np.int32)
    value = np.full(len(fan), OPEN, np.uint8)
    value[0] = FALSE
    unforced = np.zeros(len(fan), np.uint8)
    held = np.array([latch.held >> 1 for latch in circuit.latches], np.int64)
    following = np.array([latch.following for latch in circuit.latches], np.int64)
    state = np.array([TRUE if latch.first else FALSE for latch in circuit.latches], np.uint8)
    moves = [
        (np.array([move.legal for move in each], np.int64),
         np.array([move.does >> 1 for move in each], np.int64))
        for each in circuit.moves
    ]  # fmt: skip
    goes_on = _implied(circuit, circuit.terminal ^ 1)

    def get(literals: np.ndarray) -> np.ndarray:
        found = value[literals >> 1]
        return np.where(literals & 1, (found >> 1) | ((found & 1) << 1), found)

    met = set[bytes]()
    for steps in range(LONGEST):
        clock.check()
        key = state.tobytes()
        if key in met:
            return None
        met.add(key)
        value[held] = state
        for _, does in moves:
            value[does] = OPEN
        for loop in circuit.loops:
            value[np.array(loop.atoms) >> 1] = OPEN
        _settle(starts, fans, unforced, value)
        if get(np.array([circuit.terminal]))[0] == TRUE:
            return steps
        for legal, does in moves:
            able = (get(legal) & TRUE) != 0
            if not able.any():
                return steps  # somebody is stuck
            value[does] = np.where(able, OPEN if able.sum() > 1 else TRUE, FALSE)
        forced = unforced.copy()
        for node, truth in goes_on.items():
            if fan[node] is None:
                value[node] = truth
            else:
                forced[node] = truth
        _settle(starts, fans, forced, value)
        state = get(following).astype(np.uint8)
    return None


def _implied(circuit: Circuit, literal: int) -> dict[int, int]:
    """Return the nodes whose truth follows from a literal, part by part."""
    found: dict[int, int] = {}
    work = [literal]
    while work:
        given = work.pop()
        if given >> 1 and given >> 1 not in found:
            found[given >> 1] = FALSE if given & 1 else TRUE
            if not given & 1:
                work += circuit.net.fan[given >> 1] or ()
    return found


def ranking(steps: Steps, lanes: Lanes, watch: Watch, clock: Clock) -> int | None:
    """Return a bound on the length of games by facts that change one way; None where none is found.

    The bound may be astronomical: it says that games end, and hardly when.
    """
    solver, now, then = steps.solver, steps.now, steps.then
    solver.clock = clock
    latches = range(len(steps.circuit.latches))
    rises, falls = {}, {}
    for latch in latches:
        before, after = now.fact(2 * latch), then.fact(2 * latch)
        rises[latch] = solver.all_of([-before, after])
        falls[latch] = solver.all_of([before, -after])
    left = [latch for latch in latches if rises[latch] != -1 or falls[latch] != -1]
    fixed: list[int] = []  # of the solver: those facts do not change
    ranked: list[int] = []
    bound = 0
    rng = seeded(2)

    def other_moves(model: np.ndarray) -> list[int]:
        """Return what else can change in the state of a model, ranked facts staying as they are."""
        state = values(model, [now.fact(2 * latch) for latch in latches])
        rows = lanes.after(state, rng)
        rows = rows[(rows[:, ranked] == state[ranked]).all(axis=1)]
        changed = np.flatnonzero((rows != state).any(axis=0)).tolist()
        return [falls[latch] if state[latch] else rises[latch] for latch in changed]

    try:
        while solver.ask(fixed, CONFLICTS):
            claims = [claim for latch in left for claim in (rises[latch], falls[latch])]
            never = never_true(solver, claims, fixed, other_moves)
            one_way = [each for each in left if rises[each] in never or falls[each] in never]
            changing = [each for each in one_way if not {rises[each], falls[each]} <= never]
            if not changing:
                waiting = _most_waiting(steps, ranked, watch, clock)
                return None if waiting is None else (bound + 1) * waiting - 1
            for latch in changing:
                fixed += [-rises[latch], -falls[latch]]
            ranked += changing
            gone = set(one_way)
            left = [each for each in left if each not in gone]
            bound = (bound + 1) * (len(changing) + 1) - 1  # each of them between any two before
    except TooHard:
        return None
    return bound


def _most_waiting(steps: Steps, ranked: Sequence[int], watch: Watch, clock: Clock) -> int | None:
    """Return how many steps in a row must change a ranked fact: roles may wait in turns."""
    if not ranked:
        return None
    circuit: Circuit = steps.circuit
    frame = any_state(circuit, watch, clock)
    known: list[Guess] = steps.known
    try:
        for count in range(1, min(MOST_WAITING, len(circuit.roles) + 1) + 1):
            for invariant in known:
                assert_holds(frame, invariant)
            following = frame.step()
            for latch in ranked:
                before, after = frame.fact(2 * latch), following.fact(2 * latch)
                frame.solver.add([-before, after])
                frame.solver.add([before, -after])
            if count > 1 and not frame.solver.ask([], CONFLICTS):
                return count
            frame = following
    except TooHard:
        return None
    finally:
        frame.solver.close()
    return None
