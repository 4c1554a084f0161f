"""Where each property is broken, as a literal of a state."""

from collections import defaultdict
from collections.abc import Callable

from trellis.gdl.circuit.build import RANDOM, Circuit
from trellis.gdl.proving.frames import Frame
from trellis.gdl.proving.solver import ALWAYS

Broken = Callable[[Frame], int]  # the literal that holds where a property is broken

MOST_SUMS = 200_000  # conjunctions that say which payoffs add up to what


def players(circuit: Circuit) -> list[int]:
    """Return the numbers of the roles that people play."""
    return [i for i, role in enumerate(circuit.roles) if role != RANDOM]


def looks_at_moves(circuit: Circuit) -> bool:
    """Tell whether what is legal, over or gained depends on moves, which no valid sheet has.

    Then nothing can be proven: a state alone does not say what holds in it.
    """
    cone = circuit.cone([circuit.terminal, *circuit.legal, *circuit.gained])
    return any(cone[move.does >> 1] for moves in circuit.moves for move in moves)


def several_choose(frame: Frame) -> int:
    """Say where the game goes on and two players have a choice."""
    circuit, solver = frame.circuit, frame.solver
    choosing = [
        solver.two_of(frame.at(move.legal) for move in circuit.moves[role])
        for role in players(circuit)
    ]
    return solver.all_of([-frame.at(circuit.terminal), solver.two_of(choosing)])


def somebody_stuck(frame: Frame) -> int:
    """Say where the game goes on and a role has no legal move."""
    circuit, solver = frame.circuit, frame.solver
    able = [solver.any_of(frame.at(move.legal) for move in moves) for moves in circuit.moves]
    return solver.all_of([-frame.at(circuit.terminal), -solver.all_of(able)])


def goals_amiss(frame: Frame) -> int:
    """Say where the game is over and a player has no goal, or several."""
    circuit, solver = frame.circuit, frame.solver
    amiss = []
    for role in players(circuit):
        held = [frame.at(literal) for _, literal in circuit.goals[role]]
        amiss += [solver.two_of(held), -solver.any_of(held)]
    return solver.all_of([frame.at(circuit.terminal), solver.any_of(amiss)])


def sum_is_not(total: float) -> Broken:
    """Say where the game is over and payoffs add up to something else.

    Payoffs are what the game pays: the first goal that holds, or 0.
    """

    def broken(frame: Frame) -> int:
        circuit, solver = frame.circuit, frame.solver
        sums = {0: ALWAYS}  # what the first players have together, and where
        for role in players(circuit):
            parts: dict[int, list[int]] = defaultdict(list)
            paid = _payoffs(frame, role)
            for so_far, here in sums.items():
                for value, there in paid:
                    parts[so_far + value].append(solver.all_of([here, there]))
            sums = {value: solver.any_of(each) for value, each in parts.items()}
        wrong = solver.any_of(literal for value, literal in sums.items() if value != total)
        return solver.all_of([frame.at(circuit.terminal), wrong])

    return broken


def _payoffs(frame: Frame, role: int) -> list[tuple[int, int]]:
    """Return what a role may be paid, and where it is."""
    solver, found, none_yet = frame.solver, list[tuple[int, int]](), ALWAYS
    for value, literal in frame.circuit.goals[role]:
        held = frame.at(literal)
        found.append((value, solver.all_of([none_yet, held])))
        none_yet = solver.all_of([none_yet, -held])
    return [*found, (0, none_yet)]


def too_many_sums(circuit: Circuit) -> bool:
    """Tell whether payoffs add up in too many ways to be written down."""
    sums, work = {0}, 0
    for role in players(circuit):
        values = {0, *(value for value, _ in circuit.goals[role])}
        work += len(sums) * (len(circuit.goals[role]) + 1)
        if work > MOST_SUMS:
            return True
        sums = {so_far + value for so_far in sums for value in values}
    return False
