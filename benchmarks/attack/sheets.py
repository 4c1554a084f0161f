"""Small random rulesheets, to attack proofs with.

A sheet is a base, which is an automaton written as facts or a small board (`boards`), and
often a lock before it: some steps in which one choice each is right.  Whoever makes all of them
comes to a *corner*, where something is different that random play hardly ever sees: payoffs that
add up to something else, players who choose at once, a role without a move.  Every wrong choice
leads to the base, so there are few states, however rare the corner is.

Everything is drawn from the seed; what is given by name is not.

>>> random_sheet(5) == random_sheet(5)
True
>>> draw_kind(5, corner="stuck", players=3).corner
'stuck'
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from random import Random
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.language.dependencies import reachable

PLAYERS = ("red", "blue", "green")
_PATIENCE = 100  # draws until one fits what was given
BOARD = "board"  # the node of an automaton that stands for all positions of a board

CHOICES: dict[str, tuple[Any, ...]] = {
    "base": ("automaton", "nim", "lines", "path", "sums", "race"),
    "players": (1, 2, 3),
    "turns": ("alternate", "mixed", "together"),
    "chance": ("none", "alone", "together"),
    "payoffs": ("constant", "general"),
    "total": tuple(range(40, 201)),
    "scale": ("wins", "draws", "tens", "all"),
    "ends": ("soon", "counter", "never"),
    "waiting": ("same", "own", "odd"),
    "corner": (
        "none", "value", "sum", "together", "stuck", "no_goal", "two_goals", "round", "loop",
        "odd", "chance",
    ),
    "opener": ("one", "turns", "random", "all"),
    "lock": tuple(range(25)),
}  # fmt: skip


@dataclass(frozen=True)
class SheetKind:
    """What a random sheet is like.

    base      an automaton as facts, or a board: heaps to take from, lines of cells, a path across,
              numbers to pick and add up, a race with captures
    turns     players alternate, sometimes or always choose at once
    chance    the role random is absent, chooses alone, or together with a player
    payoffs   add up to `total`, or to anything; the corner may differ
    scale     which goals there are: 0 and 100, 50 too, every ten, all
    ends      positions never come again, or a counter ends games, or nothing does
    waiting   what a role without a choice does: noop, a move named after it, now and then another
    corner    what is different there
    opener    who makes the choices of the lock: one player, all in turn, chance, all at once
    lock      how many choices, of `tries` each
    """

    base: str
    players: int
    turns: str
    chance: str
    payoffs: str
    total: int
    scale: str
    ends: str
    waiting: str
    corner: str
    opener: str
    lock: int
    tries: int

    @property
    def rarity(self) -> int:
        """One of so many lines of play leads to the corner."""
        together = self.players if self.opener == "all" else 1
        return int(self.tries ** (self.lock * together))

    @property
    def is_valid(self) -> bool:
        """Tell whether the sheet is valid GDL: a move and one goal for everybody, and an end."""
        odd = self.corner in {"stuck", "no_goal", "two_goals", "round", "loop"}
        return not odd and self.ends != "never"


def draw_kind(seed: int, **given: Any) -> SheetKind:
    """Draw a kind; `given` are fields of `SheetKind` that must be as they say."""
    known = {each.name for each in fields(SheetKind)}
    for name, value in given.items():
        if name not in known:
            raise BadParameter(
                f"unknown kind {shorten(name)} of a random sheet: expected one of "
                f"{', '.join(sorted(known))}{nearest(name, known)}"
            )
        if name in CHOICES and value not in CHOICES[name]:
            some = ", ".join(map(str, CHOICES[name][:12]))
            raise BadParameter(f"bad value {shorten(str(value))} for {name}: expected {some}")
    random = Random(f"kind {seed}")
    for left in reversed(range(_PATIENCE)):
        try:
            return SheetKind(**_fitting(_draw(random) | given, given, random))
        except BadParameter:
            if not left:  # it is not the draw: what was given does not fit together
                raise
    raise AssertionError


def random_sheet(seed: int, **given: Any) -> str:
    """Write a random rulesheet; `given` as for `draw_kind`."""
    return sheet_of_kind(seed, draw_kind(seed, **given))


def _draw(random: Random) -> dict[str, Any]:
    """Draw every property for itself; most sheets have a rare corner."""

    def draw(**weights: int) -> str:
        return random.choices([*weights], [*weights.values()])[0]

    return {
        "base": draw(automaton=12, nim=1, lines=1, path=1, sums=2, race=2),
        "players": random.choices((1, 2, 3), (2, 9, 2))[0],
        "turns": draw(alternate=6, mixed=1, together=1),
        "chance": draw(none=6, alone=2, together=1),
        "payoffs": draw(constant=4, general=1),
        "total": random.choices((100, random.randint(40, 160)), (7, 1))[0],
        "scale": draw(wins=1, draws=2, tens=2, all=3),
        "ends": draw(soon=6, counter=1, never=2),
        "waiting": draw(same=3, own=1, odd=2),
        "corner": draw(
            none=3, value=2, sum=4, together=4, stuck=2, no_goal=2, two_goals=2, round=2, loop=2,
            odd=2, chance=2,
        ),
        "opener": draw(one=5, turns=2, random=1, all=1),
        "lock": random.randint(10, 14),
        "tries": random.choices((2, 3, 4), (4, 1, 1))[0],
    }  # fmt: skip


def _fitting(drawn: dict[str, Any], given: dict[str, Any], random: Random) -> dict[str, Any]:
    """Change what cannot be together: never what was given, unless that is what cannot be."""

    def settle(name: str, *values: Any) -> None:
        if drawn[name] not in values:
            if name in given:
                raise BadParameter(
                    f"no random sheet with {name}={drawn[name]} and what else was given: expected "
                    f"{' or '.join(map(str, values))}"
                )
            drawn[name] = random.choice(values)

    if drawn["base"] != "automaton":
        fits = {
            "nim": ((2, 3), ("alternate",), ("none",), ("soon",)),
            "lines": ((2, 3), ("alternate",), ("none",), ("soon",)),
            "path": ((2,), ("alternate",), ("none",), ("soon",)),
            "sums": ((2,), ("alternate", "together"), ("none",), ("soon",)),
            "race": ((2,), ("alternate",), ("none", "together"), ("counter", "never")),
        }[drawn["base"]]
        for name, values in zip(("players", "turns", "chance", "ends"), fits, strict=True):
            settle(name, *values)
    if drawn["players"] == 1:
        settle("turns", "alternate")
        settle("payoffs", "general")
        if drawn["corner"] in {"together", "sum"}:
            settle("corner", "value", "stuck", "chance", "odd")
    if drawn["corner"] == "none":
        settle("lock", 0)
    one_by_one = drawn["turns"] == "alternate" or drawn["players"] == 1
    impossible = {"all": one_by_one, "random": drawn["chance"] == "none"}
    if impossible.get(drawn["opener"]):
        settle("opener", "one", "turns")
    if drawn["opener"] == "all":
        settle("tries", 2)
        if "lock" not in given:  # all choices have to be right at once
            drawn["lock"] = -(-drawn["lock"] // drawn["players"])
    elif drawn["tries"] > 2 and "lock" not in given:
        drawn["lock"] = -(-drawn["lock"] * 2 // 3)
    return drawn


# --- automata


@dataclass
class Node:
    """A position: the moves of each role, where all together lead, and what it pays."""

    name: str
    moves: list[list[str]] = field(default_factory=list)  # none at all at an end
    targets: dict[tuple[str, ...], str] = field(default_factory=dict)
    pays: list[list[int]] = field(default_factory=list)  # of each player: one goal, usually


class Maker:
    """What is needed while a sheet is drawn."""

    def __init__(self, kind: SheetKind, random: Random) -> None:
        self.kind, self.random = kind, random
        self.roles = list(PLAYERS[: kind.players])
        if kind.chance != "none" or kind.corner == "chance" or kind.opener == "random":
            self.roles.insert(random.randint(0, len(self.roles)), RANDOM)
        self.players = [number for number, role in enumerate(self.roles) if role != RANDOM]
        self.chance = self.roles.index(RANDOM) if RANDOM in self.roles else -1
        self.opener = random.randrange(kind.players)  # the player, where one opens the lock

    def goal(self) -> int:
        """Draw a goal of the scale."""
        scale = {"wins": (0, 100), "draws": (0, 50, 100), "tens": range(0, 101, 10)}
        return self.random.choice(scale.get(self.kind.scale, range(101)))

    def pays(self, total: int | None = None) -> list[int]:
        """Draw what each player gets at an end."""
        if self.kind.payoffs == "general" or self.kind.players == 1:
            return [self.goal() for _ in self.players]
        total = self.kind.total if total is None else total
        left, pays = total, []
        for others in range(self.kind.players - 1, 0, -1):
            pays.append(max(min(self.goal(), left, 100), left - 100 * others))
            left -= pays[-1]
        return [*pays, left]

    def wait(self, role: int, plain: bool = False) -> str:
        """Return what a role does that has nothing to choose."""
        if self.kind.waiting == "own":
            return f"wait_{self.roles[role]}"
        odd = self.kind.waiting == "odd" and not plain and self.random.random() < 0.3
        return self.random.choice(("a", "rest", "still")) if odd else "noop"

    def node(self, name: str, choosing: Iterable[int], most: int, targets: Sequence[str]) -> Node:
        """Make a node where some roles choose, each among at most so many moves."""
        choosing = set(choosing)
        moves = [
            list("abcdef"[: self.random.randint(2, most)])
            if role in choosing
            else [self.wait(role)]
            for role in range(len(self.roles))
        ]
        made = Node(name, moves)
        for joint in product(*moves):
            made.targets[joint] = self.random.choice(targets)
        return made

    def end(self, name: str, pays: Sequence[int] | None = None) -> Node:
        """Make an end."""
        return Node(name, pays=[[goal] for goal in (self.pays() if pays is None else pays)])


def _automaton(make: Maker) -> list[Node]:
    """Draw the positions of the base."""
    kind, random = make.kind, make.random
    size = random.randint(5, 8 if kind.turns == "together" else 18)
    names = [f"s{number}" for number in range(size)]
    goes_round = kind.ends != "soon"
    nodes: list[Node] = []
    for number, name in enumerate(names):
        if number == size - 1 or (number > 1 and random.random() < 0.2):
            nodes.append(make.end(name))
            continue
        later = names[number + 1 : number + 6]
        targets = [each for each in names if each != name] if goes_round else later
        node = make.node(name, _who_chooses(make), 3, targets)
        if goes_round:  # an end can always be reached
            node.targets[random.choice([*node.targets])] = random.choice(later)
        nodes.append(node)
    return nodes


def _who_chooses(make: Maker) -> list[int]:
    """Draw the roles that have a choice in a position: one, unless the kind has it otherwise."""
    kind, random = make.kind, make.random
    drawn = random.random()
    if drawn < 0.12:
        return []  # a forced step
    player = random.choice(make.players)
    several = [*make.players]
    if kind.turns == "together" or (kind.turns == "mixed" and drawn < 0.3):
        together = several if drawn < 0.7 else random.sample(several, max(2, len(several) - 1))
        return together + ([make.chance] if kind.chance == "together" and drawn < 0.3 else [])
    if kind.chance != "none" and drawn < 0.4:
        return [make.chance] + ([player] if kind.chance == "together" else [])
    return [player]


# --- the lock and what is behind it


def _lock(make: Maker, base: str) -> list[Node]:
    """Make the steps in which one choice each is right."""
    kind, random = make.kind, make.random
    nodes = []
    for number in range(kind.lock):
        if kind.opener == "all":
            choosing = make.players
        elif kind.opener == "random":
            choosing = [make.chance]
        else:
            player = make.opener if kind.opener == "one" else number % kind.players
            choosing = [make.players[player]]
        tries = list("abcdef"[: kind.tries])
        moves = [
            tries if role in choosing else [make.wait(role, plain=number < 2)]
            for role in range(len(make.roles))
        ]
        node = Node(f"k{number}", moves)
        right = tuple(random.choice(each) for each in moves)
        further = f"k{number + 1}" if number + 1 < kind.lock else "c0"
        node.targets = {joint: further if joint == right else base for joint in product(*moves)}
        nodes.append(node)
    return nodes


def _corner(make: Maker, base: str) -> list[Node]:
    """Make what only the right choices lead to."""
    kind, random = make.kind, make.random
    one, anybody = random.choice(make.players), range(len(make.roles))
    worth_it = random.random() < 0.6  # for who opens the lock: else nothing there would matter

    def pays(draw: Callable[[], list[int]] = make.pays) -> list[int]:
        return max((draw() for _ in range(3 if worth_it else 1)), key=lambda pay: pay[make.opener])

    ends = [make.end(f"c{number}", pays()) for number in range(5, 9)]
    names = [each.name for each in ends]
    if kind.corner == "value":
        return [make.end("c0", pays())]
    if kind.corner == "sum":
        other = [make.goal() for _ in make.players]
        while sum(other) == kind.total:
            other = pays(lambda: [make.goal() for _ in make.players])
        return [make.end("c0", other)]
    if kind.corner in {"no_goal", "two_goals"}:
        end = make.end("c0", pays())
        which = random.randrange(kind.players)
        end.pays[which] = [] if kind.corner == "no_goal" else random.sample(range(101), 2)
        return [end]
    if kind.corner == "stuck":
        node = make.node("c0", random.sample(anybody, random.randint(0, 1)), 2, [*names, base])
        node.moves[random.choice(make.players)] = []
        node.targets = {}
        return [node]
    if kind.corner == "round":
        nodes = [make.node("c0", [], 2, ["c1"]), make.node("c1", [], 2, ["c0"])]
        for node in nodes:
            node.pays = [[goal] for goal in pays()]
        return nodes
    if kind.corner == "loop":
        nodes = [make.node(f"c{number}", [one], 2, names) for number in range(2)]
        for node, back in zip(nodes, ("c1", "c0"), strict=True):
            node.targets[random.choice([*node.targets])] = back
        return nodes + ends
    if kind.corner == "together":
        several = random.sample(make.players, random.randint(2, kind.players))
        return [make.node("c0", several, 3, names), *ends]
    if kind.corner == "chance":
        choosing = [make.chance] + ([one] if random.random() < 0.7 else [])
        return [make.node("c0", choosing, 3, [*names, base]), *ends]
    # odd: who waits does what they never did before, and then nobody chooses
    first, then = make.node("c0", [one], 2, [*names, "c1"]), make.node("c1", [], 2, [*names, base])
    for role in anybody:
        for node, move in ((first, "sit"), (then, f"stare_{make.roles[role]}")):
            if len(node.moves[role]) == 1:
                _rename(node, role, move)
    return [first, then, *ends]


def _rename(node: Node, role: int, move: str) -> None:
    """Give the only move of a role another name."""
    node.moves[role] = [move]
    node.targets = {
        (*joint[:role], move, *joint[role + 1 :]): target for joint, target in node.targets.items()
    }


# --- writing


def sheet_of_kind(seed: int, kind: SheetKind) -> str:
    """Write the sheet that a seed gives for a kind."""
    from attack.boards import write_board

    make = Maker(kind, Random(f"sheet {seed}"))
    board: list[str] = []
    if kind.base == "automaton":
        nodes = _automaton(make)
    else:
        nodes, board = [], write_board(make)
    base = BOARD if board else "s0"
    if kind.lock:
        nodes += [*_corner(make, base), *_lock(make, base)]
    first = "k0" if kind.lock else base
    told = ", ".join(f"{each.name}={getattr(kind, each.name)}" for each in fields(kind))
    lines = [f"; random sheet {seed}: {told}", *(f"(role {role})" for role in make.roles)]
    lines += _rules(make, first, nodes, has_board=bool(board))
    lines += [line for node in _reached(first, nodes) for line in _facts(make, node)]
    return "\n".join([*lines, *board]) + "\n"


def _reached(first: str, nodes: list[Node]) -> list[Node]:
    """Return the nodes that can be reached, and the base: a lock may have no wrong choice."""
    found = reachable({node.name: node.targets.values() for node in nodes}, [first])
    return [node for node in nodes if node.name in found]


def _rules(make: Maker, first: str, nodes: list[Node], *, has_board: bool) -> list[str]:
    """Write the rules of all automata."""
    letters = [f"?m{number}" for number in range(len(make.roles))]
    pairs = zip(make.roles, letters, strict=True)
    does = " ".join(f"(does {role} {letter})" for role, letter in pairs)
    lines = [f"(init (at {first}))"]
    if nodes:
        lines += [
            "(<= (legal ?r ?m) (true (at ?s)) (can ?s ?r ?m))",
            f"(<= (next (at ?t)) (true (at ?s)) {does} (edge ?s {' '.join(letters)} ?t))",
            "(<= (goal ?r ?v) (true (at ?s)) (pay ?s ?r ?v))",
        ]
        if make.kind.corner != "stuck" and make.random.random() < 0.5:
            lines += [
                "(<= (inner ?s) (can ?s ?r ?m))",
                f"(inner {BOARD})",
                "(<= terminal (true (at ?s)) (not (inner ?s)))",
            ]
        else:
            lines.append("(<= terminal (true (at ?s)) (final ?s))")
    if has_board:
        lines.append(f"(<= (next (at {BOARD})) (true (at {BOARD})))")
    if make.kind.ends == "counter":
        last = make.kind.lock + make.random.randint(5, 9)
        lines += [f"(after {number} {number + 1})" for number in range(last)]
        lines += [
            "(init (step 0))",
            "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))",
            f"(<= terminal (true (step {last})))",
        ]
    return lines


def _facts(make: Maker, node: Node) -> list[str]:
    """Write one node."""
    lines = [
        f"(can {node.name} {role} {move})"
        for role, moves in zip(make.roles, node.moves, strict=False)  # none at an end
        for move in moves
    ]
    lines += [
        f"(edge {node.name} {' '.join(joint)} {target})" for joint, target in node.targets.items()
    ]
    if not node.moves:
        lines.append(f"(final {node.name})")
    elif make.kind.ends == "counter" and not node.pays:  # the counter may end the game here
        node.pays = [[goal] for goal in make.pays()]
    return lines + [
        f"(pay {node.name} {make.roles[player]} {goal})"
        for player, goals in zip(make.players, node.pays, strict=False)  # at ends only
        for goal in goals
    ]
