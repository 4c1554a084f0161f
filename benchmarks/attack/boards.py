"""Small boards with real rules, random in size and stakes: bases of random sheets.

Each is written as a sheet would be, with negation, `or`, `distinct` and recursion where they are
natural.  The board is played while `(at board)` is true; before that, a lock may be.
"""

from collections.abc import Callable
from itertools import combinations

from attack.sheets import Maker

_TURNS = """
(init (control {first}))
(<= (next (control ?q)) (true (at board)) (true (control ?p)) (follows ?p ?q))
(<= (next (control ?p)) (true (at ?s)) (distinct ?s board) (true (control ?p)))
"""

_NUMBERS = """
(<= (number ?n) (succ ?m ?n))
(<= (number ?m) (succ ?m ?n))
(<= (greater ?n ?m) (succ ?m ?n))
(<= (greater ?n ?m) (succ ?o ?n) (greater ?o ?m))
"""

_NIM = """
(<= (minus ?n 1 ?m) (succ ?m ?n))
(<= (minus ?n ?l ?m) (minus ?n ?k ?o) (succ ?k ?l) (succ ?m ?o))
(<= (legal ?p (take ?h ?k)) (true (at board)) (true (control ?p)) (true (heap ?h ?n))
    (minus ?n ?k ?m) (not (greater ?k {most})))
(<= (taken ?h ?k) (does ?p (take ?h ?k)))
(<= (touched ?h) (taken ?h ?k))
(<= (next (heap ?h ?m)) (taken ?h ?k) (true (heap ?h ?n)) (minus ?n ?k ?m))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))
(<= something_left (true (heap ?h ?n)) (distinct ?n 0))
(<= done (true (at board)) (not something_left))
(<= terminal done)
(<= (goal ?r ?v) done (true (control ?p)) (prize ?p ?r ?v))
"""

_CELLS = """
(<= (init (cell ?c blank)) (place ?c))
(<= (legal ?p (mark ?c)) (true (at board)) (true (control ?p)) (true (cell ?c blank)))
(<= (next (cell ?c ?p)) (does ?p (mark ?c)))
(<= (marked ?c) (does ?p (mark ?c)))
(<= (next (cell ?c ?x)) (true (cell ?c ?x)) (or (distinct ?x blank) (not (marked ?c))))
(<= open (true (cell ?c blank)))
"""

_LINES = """
(<= (line ?p) (pair ?a ?b) (player ?p) (true (cell ?a ?p)) (true (cell ?b ?p)))
(<= (line ?p) (row ?a ?b ?c) (player ?p)
    (true (cell ?a ?p)) (true (cell ?b ?p)) (true (cell ?c ?p)))
(<= won (line ?p))
(<= terminal won)
(<= terminal (not open))
(<= (goal ?r ?v) (line ?p) (prize ?p ?r ?v))
(<= (goal ?r ?v) (not won) (true (at board)) (prize nobody ?r ?v))
"""

_PATH = """
(<= (near ?a ?b) (touching ?a ?b))
(<= (near ?a ?b) (touching ?b ?a))
(<= (linked ?c) (left ?c) (true (cell ?c red)))
(<= (linked ?c) (linked ?b) (near ?b ?c) (true (cell ?c red)))
(<= across (linked ?c) (right ?c))
(<= terminal across)
(<= terminal (not open))
(<= (goal ?r ?v) across (prize red ?r ?v))
(<= (goal ?r ?v) (not across) (true (at board)) (prize blue ?r ?v))
"""

_SUMS = """
(<= (plus ?n 0 ?n) (number ?n))
(<= (plus ?n ?l ?o) (plus ?n ?k ?m) (succ ?k ?l) (succ ?m ?o))
(<= (init (score ?p 0)) (player ?p))
(<= (next (score ?p ?o)) (does ?p (pick ?c)) (worth ?c ?k) (true (score ?p ?n)) (plus ?n ?k ?o))
(<= (picks ?p) (does ?p (pick ?c)))
(<= (next (score ?p ?n)) (true (score ?p ?n)) (not (picks ?p)))
(<= (ahead ?p) (true (score ?p ?n)) (true (score ?q ?m)) (distinct ?p ?q) (greater ?n ?m))
(<= decided (ahead ?p))
(<= (goal ?r ?v) done (ahead ?p) (prize ?p ?r ?v))
(<= (goal ?r ?v) done (not decided) (prize nobody ?r ?v))
(<= done (true (at board)) (not something_left))
(<= terminal done)
"""

_ONE_HEAP = """
(<= (init (there ?c)) (card ?c))
(<= (legal ?p (pick ?c)) (true (at board)) (true (control ?p)) (true (there ?c)))
(<= (gone ?c) (does ?p (pick ?c)))
(<= (next (there ?c)) (true (there ?c)) (not (gone ?c)))
(<= something_left (true (there ?c)))
"""

_TWO_HANDS = """
(<= (init (hand ?p ?c)) (player ?p) (card ?c))
(<= (legal ?p (pick ?c)) (true (at board)) (true (hand ?p ?c)))
(<= (next (hand ?p ?c)) (true (hand ?p ?c)) (not (does ?p (pick ?c))))
(<= something_left (true (hand ?p ?c)))
"""

_RACE = """
(<= (init (on ?p 0)) (player ?p))
(<= (legal ?p {step}) (true (at board)) (true (control ?p)) {options})
(<= (far ?n ?k ?m) (pace ?k) (plus ?n ?k ?m))
(<= (far ?n ?k {end}) (pace ?k) (number ?n) (not (reaches ?n ?k)))
(<= (reaches ?n ?k) (plus ?n ?k ?m))
(<= (plus ?n 0 ?n) (number ?n))
(<= (plus ?n ?l ?o) (plus ?n ?k ?m) (succ ?k ?l) (succ ?m ?o))
(<= (going ?p ?m) {does} (true (on ?p ?n)) (far ?n ?k ?m))
(<= (next (on ?p ?m)) (going ?p ?m))
(<= (next (on ?q 0)) (going ?p ?m) (true (on ?q ?m)) (distinct ?p ?q))
(<= (hit ?q) (going ?p ?m) (true (on ?q ?m)) (distinct ?p ?q))
(<= (goes ?p) (going ?p ?m))
(<= (next (on ?q ?n)) (true (on ?q ?n)) (not (hit ?q)) (not (goes ?q)))
(<= (home ?p) (true (on ?p {end})))
(<= home_already (home ?p))
(<= terminal home_already)
(<= (goal ?r ?v) (home ?p) (prize ?p ?r ?v))
(<= (goal ?r ?v) (not home_already) (true (at board)) (prize nobody ?r ?v))
"""


def write_board(make: Maker) -> list[str]:
    """Write the rules of a board."""
    makers: dict[str, Callable[[Maker], list[str]]] = {
        "nim": _nim, "lines": _lines, "path": _path, "sums": _sums, "race": _race,
    }  # fmt: skip
    return [*makers[make.kind.base](make), *_players(make)]


def _players(make: Maker) -> list[str]:
    """Write who plays, who follows whom, and what everybody gets if one wins, or nobody."""
    names = [make.roles[player] for player in make.players]
    lines = [f"(player {name})" for name in names]
    lines += [
        f"(prize {winner} {name} {pay})"
        for winner in [*names, "nobody"]
        for name, pay in zip(names, make.pays(), strict=True)
    ]
    if make.kind.turns == "alternate":
        lines += [f"(follows {a} {b})" for a, b in zip(names, [*names[1:], names[0]], strict=True)]
        lines += _TURNS.format(first=make.random.choice(names)).strip().splitlines()
        for number, role in enumerate(make.roles):
            idle = make.wait(number, plain=True)
            if number in make.players:
                waits = f"(true (at board)) (true (control ?p)) (distinct ?p {role})"
                lines.append(f"(<= (legal {role} {idle}) {waits})")
    return lines + _waiting_chance(make)


def _waiting_chance(make: Maker) -> list[str]:
    """Let chance wait on the board, unless it throws dice there."""
    if make.chance < 0 or (make.kind.base == "race" and make.kind.chance == "together"):
        return []
    return [f"(<= (legal random {make.wait(make.chance, plain=True)}) (true (at board)))"]


def _numbers(most: int) -> list[str]:
    facts = [f"(succ {number} {number + 1})" for number in range(most)]
    return facts + _NUMBERS.strip().splitlines()


def _nim(make: Maker) -> list[str]:
    random = make.random
    heaps = [random.randint(1, 4) for _ in range(random.randint(1, 3))]
    most = random.randint(1, 4)
    lines = [f"(init (heap h{number} {size}))" for number, size in enumerate(heaps)]
    return [*lines, *_numbers(4), *_NIM.format(most=most).strip().splitlines()]


def _lines(make: Maker) -> list[str]:
    random = make.random
    cells = [f"x{number}" for number in range(random.randint(4, 6 - (make.kind.players == 3)))]
    pairs = random.sample([*combinations(cells, 2)], random.randint(0, 2))
    triples = random.sample([*combinations(cells, 3)], random.randint(1, 4))
    rows = [f"(row {a} {b} {c})" for a, b, c in triples] + [f"(pair {a} {b})" for a, b in pairs]
    rules = _LINES.strip().splitlines()
    if not pairs:
        del rules[0]
    return [*(f"(place {cell})" for cell in cells), *rows, *_CELLS.strip().splitlines(), *rules]


def _path(make: Maker) -> list[str]:
    """Two rows of three cells, hexagons or squares; red wants to get from left to right."""
    cells = ["x1", "x2", "x3", "y1", "y2", "y3"]
    touching = [("x1", "x2"), ("x2", "x3"), ("y1", "y2"), ("y2", "y3")]
    touching += [("x1", "y1"), ("x2", "y2"), ("x3", "y3")]
    if make.random.random() < 0.5:
        touching += [("x2", "y1"), ("x3", "y2")]
    lines = [f"(place {cell})" for cell in cells]
    lines += [f"(touching {a} {b})" for a, b in touching]
    lines += ["(left x1)", "(left y1)", "(right x3)", "(right y3)"]
    return [*lines, *_CELLS.strip().splitlines(), *_PATH.strip().splitlines()]


def _sums(make: Maker) -> list[str]:
    random, together = make.random, make.kind.turns == "together"
    cards = random.randint(2, 3) if together else random.randint(3, 5)
    worth = [random.randint(0, 3) for _ in range(cards)]
    lines = [f"(card c{number})" for number in range(cards)]
    lines += [f"(worth c{number} {value})" for number, value in enumerate(worth)]
    lines += _numbers(max(sum(worth), 3))
    hands = _TWO_HANDS if together else _ONE_HEAP
    return [*lines, *_SUMS.strip().splitlines(), *hands.strip().splitlines()]


def _race(make: Maker) -> list[str]:
    random, dice = make.random, make.kind.chance == "together"
    end = random.randint(3, 4)
    lines = [*_numbers(end), "(pace 1)", "(pace 2)"]
    if dice:  # who goes, and how far that gets, is decided at once
        lines += [
            "(<= (legal random (roll ?k)) (true (at board)) (pace ?k))",
            "(<= (by run ?k) (does random (roll ?k)))",
            "(<= (by walk 1) (true (at board)))",
        ]
        words = {"step": "?how", "options": "(manner ?how)", "does": "(does ?p ?how) (by ?how ?k)"}
        lines += ["(manner run)", "(manner walk)"]
    else:
        words = {"step": "(go ?k)", "options": "(pace ?k)", "does": "(does ?p (go ?k))"}
    return [*lines, *_RACE.format(end=end, **words).strip().splitlines()]
