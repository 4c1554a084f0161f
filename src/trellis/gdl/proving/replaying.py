"""A play that is said to refute something, by another evaluator than the one that found it."""

from collections.abc import Sequence

from trellis.game.errors import IllegalMove
from trellis.gdl.circuit.build import RANDOM, Circuit
from trellis.gdl.evaluators.machine import Facts as State
from trellis.gdl.evaluators.machine import Machine
from trellis.gdl.language.terms import Term
from trellis.gdl.proving.facts import Fact, Play


def replay_refutation(
    machine: Machine, name: str, fact: Fact, circuit: Circuit | None = None
) -> bool:
    """Tell whether the play of a refuted fact is legal and ends where that fact is broken.

    `name` is that of a field of `Facts`.  Moves are in the order of the circuit's roles, or of the
    machine's where there is no circuit.  A circuit also says what is paid where several goals hold.
    """
    if fact.play is None:
        return False
    roles = circuit.roles if circuit else [str(role) for role in machine.roles]
    states = _follow(machine, roles, fact.play)
    if states is None:
        return False
    last = states[-1]
    if name == "max_steps":
        return not machine.terminal(last) and last in states[:-1]
    is_player = [role != RANDOM for role in machine.roles]
    if name == "constant_sum":
        others = _follow(machine, roles, fact.other) if fact.other is not None else None
        if others is None or not (machine.terminal(last) and machine.terminal(others[-1])):
            return False
        sums = [sum(payoffs(machine, state, circuit)) for state in (last, others[-1])]
        return sums[0] != sums[1]
    if name == "one_goal":
        goals = machine.goals(last)
        amiss = any(goal is None for goal, plays in zip(goals, is_player, strict=True) if plays)
        return machine.terminal(last) and amiss
    legal = machine.legal(last)
    if machine.terminal(last):
        return False
    if name == "always_a_move":
        return not all(legal)
    choosing = sum(len(moves) > 1 for moves, plays in zip(legal, is_player, strict=True) if plays)
    return name == "turn_taking" and choosing > 1


def _follow(machine: Machine, roles: Sequence[str], play: Play) -> list[State] | None:
    """Return the states of a play; None where a move is not legal, or the game is over before."""
    order = [list(roles).index(str(role)) for role in machine.roles]
    states = [machine.initial()]
    for joint in play:
        moves = [joint[place] for place in order]
        legal = machine.legal(states[-1])
        allowed = all(move in those for move, those in zip(moves, legal, strict=True))
        if machine.terminal(states[-1]) or not allowed:
            return None
        try:
            states.append(machine.next(states[-1], moves))
        except IllegalMove:
            return None
    return states


def payoffs(machine: Machine, state: State, circuit: Circuit | None) -> list[int]:
    """Return what each player is paid: the first goal that holds, or 0."""
    paid = []
    for role, goal in zip(machine.roles, machine.goals(state), strict=True):
        if role == RANDOM:
            continue
        if goal is None and circuit is not None:
            held = held_goals(circuit, state, circuit.roles.index(str(role)))
            goal = held[0] if held else None
        paid.append(goal or 0)
    return paid


def held_goals(circuit: Circuit, state: frozenset[Term], role: int) -> list[int]:
    """Return the goals of a role that hold, in the circuit's order: gate by gate, plainly."""
    value = [False] * len(circuit.net.fan)
    for latch in circuit.latches:
        value[latch.held >> 1] = latch.fact in state

    def get(literal: int) -> bool:
        return value[literal >> 1] != bool(literal & 1)

    def settle() -> None:
        for node, fan in enumerate(circuit.net.fan):
            if fan:
                value[node] = all(map(get, fan))

    settle()
    for loop in circuit.loops:  # in the order of their strata: a later one may negate a former one
        fed = [get(literal) for literal in loop.fed_from]
        while fed != [get(atom) for atom in loop.atoms]:
            for atom, truth in zip(loop.atoms, fed, strict=True):
                value[atom >> 1] = truth
            settle()
            fed = [get(literal) for literal in loop.fed_from]
    return [goal for goal, literal in circuit.goals[role] if get(literal)]
