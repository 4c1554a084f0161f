"""From ground rules to a circuit: latches hold the state, gates compute what follows from it.

Relations that depend on themselves (a chain of stones) become loops: their atoms are inputs fed
back until nothing changes any more.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trellis.game.errors import BadParameter
from trellis.gdl.circuit.aig import FALSE, TRUE, Net, needed, never_changing, rebuild
from trellis.gdl.grounding.clingo import GroundProgram
from trellis.gdl.language.dependencies import components
from trellis.gdl.language.terms import Term, arguments, goal_of, name_of, order

RANDOM = "random"


@dataclass
class Move:
    """One move of a role: `legal` says where it may be done, the input `does` that it is."""

    term: Term
    legal: int
    does: int


@dataclass
class Latch:
    """A fact that may be true of a state."""

    fact: Term
    held: int  # the input that holds it
    following: int  # the literal it takes next
    first: bool


@dataclass
class Loop:
    """Atoms that depend on each other: inputs, and the literals they are fed from."""

    atoms: list[int]
    fed_from: list[int]


@dataclass
class Group:
    """Gates of one shape: so many literals that must hold, so many that must not."""

    positive: int
    negative: int
    gates: Sequence[int]


@dataclass
class Stretch:
    """Groups to be evaluated one after the other; a loop until its atoms stay the same."""

    groups: list[Group]
    loops: list[Loop]


Program = list[list[Stretch]]  # of each phase: see `schedule`


@dataclass
class Circuit:
    """All a game needs to be played."""

    net: Net
    roles: list[str]
    latches: list[Latch]
    moves: list[list[Move]]  # of each role
    goals: list[list[tuple[int, int]]]  # of each role: a goal and the literal that it holds
    terminal: int
    loops: list[Loop] = field(default_factory=list)
    constant: list[Term] = field(default_factory=list)  # facts true of every state
    program: Program | None = None  # in which order gates are evaluated, once that is known

    @property
    def legal(self) -> list[int]:
        """The literals that say which moves are legal, of all roles."""
        return [move.legal for moves in self.moves for move in moves]

    @property
    def gained(self) -> list[int]:
        """The literals that say which goals hold, of all roles."""
        return [literal for goals in self.goals for _, literal in goals]

    def outputs(self) -> list[int]:
        """Return the literals that mean something outside."""
        following = [latch.following for latch in self.latches]
        fed = [literal for loop in self.loops for literal in loop.fed_from]
        return [self.terminal, *following, *self.legal, *self.gained, *fed]

    def cone(self, outputs: Iterable[int]) -> list[bool]:
        """Tell of every node whether outputs depend on it, through loops too."""
        behind: dict[int, list[int]] = {}
        for loop in self.loops:
            both = [*loop.atoms, *loop.fed_from]
            behind.update((atom >> 1, both) for atom in loop.atoms)
        return needed(self.net, outputs, behind)

    @property
    def gates(self) -> int:
        """Count conjunctions."""
        return sum(fan is not None for fan in self.net.fan) - 1


def build(program: GroundProgram, roles: list[str]) -> Circuit:
    """Build the circuit of a ground program, and simplify it as far as that goes."""
    circuit = _Builder(program, roles).circuit()
    _look_before_moves(circuit)
    while True:
        size = (len(circuit.net.fan), len(circuit.latches))
        circuit = _simplify(circuit)
        if (len(circuit.net.fan), len(circuit.latches)) == size:
            return circuit


class _Builder:
    """Turns atoms into literals, one after the other, without calling itself."""

    def __init__(self, program: GroundProgram, roles: list[str]) -> None:
        self.program, self.roles = program, roles
        self.net = Net()
        self.literals: dict[int, int] = {}  # of atoms
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        self.loops: list[Loop] = []
        for rule in program.rules:
            self.bodies.setdefault(rule.head, []).append(rule.body)

    def circuit(self) -> Circuit:
        program, net = self.program, self.net
        for atom in program.inputs:
            self.literals[atom] = net.add_input()
        does: dict[str, dict[Term, int]] = {role: {} for role in self.roles}
        for term, atom in program.atoms.items():
            if name_of(term) == "does":
                role, move = arguments(term)
                does[str(role)][move] = self.literals[atom]
        for moves in does.values():
            net.add_group(moves.values())
        found: dict[str, list[Term]] = {}
        for term in (*program.atoms, *program.facts):
            found.setdefault(name_of(term), []).append(term)
        for component in components(self._dependencies(found)):
            self._define(component)
        first = {arguments(term)[0] for term in found.get("init", ())}
        facts = sorted((arguments(term)[0] for term in found.get("true", ())), key=order)
        latches = [
            Latch(fact, self._of(("true", fact)), self._of(("next", fact)), fact in first)
            for fact in facts
        ]
        return Circuit(
            net,
            self.roles,
            latches,
            [
                [
                    Move(move, self._of(("legal", role, move)), literal)
                    for move, literal in sorted(does[role].items(), key=lambda each: order(each[0]))
                ]
                for role in self.roles
            ],
            [self._goals(role, found) for role in self.roles],
            self._of("terminal"),
            self.loops,
        )

    def _dependencies(self, found: dict[str, list[Term]]) -> dict[int, list[int]]:
        """Return what every atom depends on, for those that the outside asks for."""
        atoms = self.program.atoms
        names = ("next", "legal", "goal", "terminal")
        work = [atoms[term] for name in names for term in found.get(name, ()) if term in atoms]
        needed: dict[int, list[int]] = {}
        while work:
            atom = work.pop()
            if atom not in needed:
                bodies = () if atom in self.literals else self.bodies.get(atom, ())
                needed[atom] = list(dict.fromkeys(abs(part) for body in bodies for part in body))
                work += needed[atom]
        return needed

    def _of(self, term: Term) -> int:
        """Return the literal of a sentence."""
        if term in self.program.facts:
            return TRUE
        atom = self.program.atoms.get(term)
        return FALSE if atom is None else self.literals[atom]

    def _goals(self, role: str, found: dict[str, list[Term]]) -> list[tuple[int, int]]:
        goals: dict[int, list[int]] = {}
        for term in found.get("goal", ()):
            who, value = arguments(term)
            worth = goal_of(value)
            if who == role and worth is not None:
                goals.setdefault(worth, []).append(self._of(term))
        return [(value, self.net.disjunction(literals)) for value, literals in goals.items()]

    def _define(self, component: list[int]) -> None:
        """Give atoms that depend on each other, or one that does not, their literals."""
        first = component[0]
        if first in self.literals:
            return  # an input
        if len(component) == 1 and not any(first in body for body in self.bodies.get(first, ())):
            self.literals[first] = self._definition(first)
            return
        inside = set(component)
        for atom in component:
            if any(-part in inside for body in self.bodies[atom] for part in body):
                raise BadParameter("a relation depends on its own negation")
            self.literals[atom] = self.net.add_input()
        atoms = [self.literals[atom] for atom in component]
        self.loops.append(Loop(atoms, [self._definition(atom) for atom in component]))

    def _definition(self, atom: int) -> int:
        return self.net.disjunction(
            self.net.conjunction(
                self.literals.get(part, FALSE) if part > 0 else self.literals.get(-part, FALSE) ^ 1
                for part in body
            )
            for body in self.bodies.get(atom, ())
        )


def _look_before_moves(circuit: Circuit) -> None:
    """Let what is legal, over and gained not depend on moves: none has been made by then.

    Valid sheets are so already.
    """
    net = circuit.net
    moves = {move.does >> 1 for moves in circuit.moves for move in moves}
    alive = needed(net, [circuit.terminal, *circuit.legal, *circuit.gained])
    if not any(alive[node] for node in moves):
        return
    where = {0: FALSE}
    for node in range(1, len(net.fan)):
        fan = net.fan[node]
        if not alive[node]:
            continue
        if fan is None:
            where[node] = FALSE if node in moves else 2 * node
        else:
            where[node] = net.conjunction(where[each >> 1] ^ (each & 1) for each in fan)

    def new(literal: int) -> int:
        return where[literal >> 1] ^ (literal & 1)

    circuit.terminal = new(circuit.terminal)
    for each in circuit.moves:
        for move in each:
            move.legal = new(move.legal)
    circuit.goals = [[(value, new(literal)) for value, literal in goals] for goals in circuit.goals]


def _simplify(circuit: Circuit) -> Circuit:
    """Replace what never changes, merge, and drop what nothing depends on."""
    net = circuit.net
    latches = [(latch.held, latch.following, latch.first) for latch in circuit.latches]
    replaced = never_changing(net, latches)
    for moves in circuit.moves:
        replaced.update((move.does, FALSE) for move in moves if move.legal == FALSE)
    groups = [[move.does for move in moves] for moves in circuit.moves]
    made, where = rebuild(net, circuit.outputs(), replaced, groups)

    def new(literal: int) -> int:
        return where[literal & ~1] ^ (literal & 1)

    kept = [latch for latch in circuit.latches if latch.held not in replaced]
    constant = [latch.fact for latch in circuit.latches if replaced.get(latch.held) == TRUE]
    return Circuit(
        made,
        circuit.roles,
        [Latch(latch.fact, new(latch.held), new(latch.following), latch.first) for latch in kept],
        [
            [Move(move.term, new(move.legal), new(move.does)) for move in moves if move.legal]
            for moves in circuit.moves
        ],
        [[(value, new(literal)) for value, literal in goals if literal] for goals in circuit.goals],
        new(circuit.terminal),
        [Loop([*map(new, loop.atoms)], [*map(new, loop.fed_from)]) for loop in circuit.loops],
        circuit.constant + constant,
    )
