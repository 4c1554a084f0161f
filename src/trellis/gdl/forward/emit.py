"""The forward chaining program as Python text.

Each relation has a number.  A derived fact counts in how many ways it follows; when that count
leaves or reaches nought the fact has become true or false, and everything it appears in is told.
`update0` brings all relations up to date that a state asks for, `update1` what a move asks for
besides, `update2` what goals ask for.

Nothing of a rulesheet is in this text but plain ASCII names, in comments.
"""

import re
from collections.abc import Iterable, Iterator

from trellis.gdl.forward.join_tables import points
from trellis.gdl.forward.plan import INPUTS, Join, Plan
from trellis.gdl.language.kif import write_literal
from trellis.gdl.language.terms import Term, arguments, is_variable, name_of, variables_of

_HARMLESS = re.compile(r"\??[A-Za-z][A-Za-z0-9_]{0,39}\Z|[0-9]{1,9}\Z")
_TOLD_BY = {"true": 0, "does": 1}  # the argument that tells the facts of an input apart
STANDING = {"joined", "deciding", "joined once", "pointing", "pointing once", "placed"}
_TABLES = {  # and which facts need them, by how they take part in joins; twins for heads once
    "c": {"alone"}, "cc": {"alone once"},
    "w": {"awaited"}, "ww": {"awaited once"},
    "o": {"opposed"}, "oo": {"opposed once"},
    "s": STANDING,
    "m": {"joined", "pointed"}, "mm": {"joined once", "pointed once"},
    "v": {"deciding", "pointed and deciding"},
    "p": {"pointing"}, "pp": {"pointing once"},
    "r": {"held ready"}, "l": {"letting pass"},
}  # fmt: skip
_ABOUT = '''"""Forward chaining, written by a program.

f, g, h  facts, by number
n, on    for all facts: in how many ways it follows, and whether it is known to hold
d1, a1   of relation 1: facts whose count has changed, and how to add one
t1       what a fact of relation 1 is part of:
  c      the heads that follow from it alone, each with the `a` of its relation
  w      who waits for it not to hold, with the heads
  o      what must not hold besides it, who waits for that, and the heads
  s      the sets it stands in, to be found by others that join with it
  m      the sets it joins with, with the heads by the other fact
  v      the sets it joins with where the heads are known from the fact alone
  p      the facts it joins with where it tells which, with the heads by the other fact
  r      the heads that it holds ready, in the set with those of others, and who lets them pass
  l      the sets of such heads that it lets pass, and where to
  cc ... the same for heads that follow in one way at most, each with the set it goes to
x1, xx1  the heads that it keeps away alone
"""'''


class Emitter:
    """Writes a program; the tables it names are made by the machine that runs it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.relation: dict[str, int] = {}
        self.component: dict[str, int] = {}
        for number, names in enumerate(plan.order):
            for name in names:
                self.relation[name] = len(self.relation)
                if name in plan.circular:
                    self.component[name] = number
        self.classes = {name: self._classes(name) for name in INPUTS}
        self._pointing = {join for join in plan.joins if points(join, plan.store)}
        self._at: dict[str, list[tuple[int, Join, int]]] = {}
        for number, join in enumerate(plan.joins):
            for place, literal in enumerate(join.moving):
                self._at.setdefault(literal.name, []).append((number, join, place))

    def _classes(self, name: str) -> list[Term]:
        """Return the functions by which the facts of an input are told apart."""
        found = {
            function_of(literal.sentence): None
            for join in self.plan.joins
            for literal in join.moving
            if literal.name == name
        }
        return [function for function in found if function != ""]

    def met(self, name: str, function: Term) -> Iterator[tuple[int, Join, int]]:
        """Yield the joins that a fact appears in: their numbers, and the places."""
        for number, join, place in self._at.get(name, ()):
            mine = function_of(join.moving[place].sentence) if name in INPUTS else ""
            if mine in ("", function):
                yield number, join, place

    def circular(self, join: Join) -> int | None:
        """Return the component whose facts a join both asks for and makes, if it does."""
        component = self.component.get(join.name)
        inside = any(self.component.get(each.name) == component for each in join.moving)
        return component if inside else None

    # --- text

    def text(self) -> str:
        """Return the program."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield _ABOUT
        for name in INPUTS:
            for number, function in enumerate([*self.classes[name], ""]):
                yield from self._functions(f"_{name}{number}", name, function)
        for names in self.plan.order:
            if names[0] in self.component:
                for name in names:
                    yield from self._functions(str(self.relation[name]), name, "")
                yield from self._close(names)
        for level in range(3):
            yield from self._update(level)

    def _functions(self, label: str, name: str, function: Term) -> Iterator[str]:
        """Yield functions to call when a fact has become true, and false."""
        for verb, sign in (("on", "+"), ("off", "-")):
            yield ""
            yield ""
            yield f"def {verb}{label}(f):  # {_comment(name)} {_comment(function)}".rstrip()
            lines = list(self._told(label, name, function, sign))
            yield from _indented(1, lines or ["pass"])

    def _told(self, label: str, name: str, function: Term, sign: str) -> Iterator[str]:
        """Yield what to do when a fact has become true or false: all it appears in is told."""
        kinds = self._kinds(name, function)
        other = "-" if sign == "+" else "+"
        verb, mark = ("add", "|") if sign == "+" else ("discard", "-")
        for component in sorted(
            {self.circular(join) for _, join, _ in self.met(name, function)} - {None}, key=str
        ):
            if component != self.component.get(name):
                yield f"dirty.add({component})"
        tables = self.tables(name, function)
        if tables:
            yield f"{', '.join(tables)} = t{label}[f]"

        def present(letter: str) -> Iterator[tuple[str, bool, str]]:
            """Yield a table, and its twin of heads that follow in one way, where there are any."""
            for table, once in ((letter, False), (2 * letter, True)):
                if table in tables:
                    yield table, once, "" if once else ", a"

        for table, once, counter in present("c"):
            yield from _pass_on(table, sign, once, f"h{counter}")
        if "against" in kinds:
            yield from _pass_on(f"x{label}.get(f, ())", other, False, "h, a")
        if "against once" in kinds:
            yield from _pass_on(f"xx{label}.get(f, ())", other, True)
        # Who waits for the opposite is told first; then the fact takes its own places.
        for table, once, counter in present("w"):
            yield f"for x{counter} in {table}:"
            yield "    for heads in x.values():"
            yield from _indented(2, _pass_on("heads", other, once))
        for table, once, counter in present("o"):
            yield f"for g, x, heads{counter} in {table}:"
            yield "    x[f] = heads" if sign == "+" else "    del x[f]"
            yield "    if not on[g]:"
            yield from _indented(2, _pass_on("heads", sign, once))
        # A fact may join with itself: it is in its sets while it looks for others.
        stands = ["for x in s:", f"    x.{verb}(f)"]
        if "s" in tables and sign == "+":
            yield from stands
        for table, once, counter in present("m"):
            yield f"for x, heads{counter} in {table}:"
            yield "    for g in x:"
            yield from _indented(2, _pass_on("heads[g]", sign, once))
        if "v" in tables:
            yield "for x, heads, a in v:"
            yield "    if x:"
            yield from _indented(2, _pass_on("heads", sign, False, ways="len(x)"))
        for table, once, counter in present("p"):
            yield f"for g, heads{counter} in {table}:"
            yield "    if on[g]:" if sign == "+" else "    if on[g] or g == f:"
            yield from _indented(2, _pass_on("heads[g]", sign, once))
        if "s" in tables and sign == "-":
            yield from stands
        if "r" in tables:
            yield "for z, x, y, heads in r:"
            yield f"    z {mark}= heads"
            yield "    if x:"
            yield f"        y {mark}= heads"
        if "l" in tables:
            yield "for x, z, y in l:"
            yield f"    x.{verb}(f)"
            yield f"    y {mark}= z"
        if name == "legal":
            yield "x, m = move_of[f]"
            yield f"x.{verb}(m)"
        elif name == "next":
            yield f"future.{verb}(true_of[f])"
        elif name in ("goal", "terminal"):
            yield f"{name}.{verb}(f)"

    def tables(self, name: str, function: Term) -> list[str]:
        """Return which tables the facts of a relation need, in the order of `t`."""
        kinds = self._kinds(name, function)
        return [table for table, needed in _TABLES.items() if kinds & needed]

    def _kinds(self, name: str, function: Term) -> set[str]:
        return {self.kind(join, place) for _, join, place in self.met(name, function)}

    def kind(self, join: Join, place: int) -> str:
        """Say how a fact takes part in a join."""
        component = self.circular(join)
        once = " once" if join.name in self.plan.once else ""
        if component is not None:
            mine = join.moving[place]
            outside = self.component.get(mine.name) != component
            return "placed" if outside and mine.positive else "circular"
        if join.second is None:
            return ("alone" if join.first.positive else "against") + once
        guard = self._guard(join) if once else None
        if guard is not None:
            return "letting pass" if place == guard else "held ready"
        if join in self._pointing:
            # Who is pointed at need not stand anywhere to be found.
            if place == 0:
                return "pointing" + once
            return "pointed" + (" and deciding" if not once and decides(join)[1] else once)
        if join.second.positive:
            return "deciding" if not once and decides(join)[place] else "joined" + once
        return ("awaited" if place else "opposed") + once

    def _guard(self, join: Join) -> int | None:
        """Return the place of a fact that lets heads pass, all to one set, that the other makes.

        Heads here follow in one way at most, so they can be passed on and taken back in one go.
        """
        head = join.head
        if join.second is None or not join.second.positive:
            return None
        if name_of(head) != "next" and is_variable(arguments(head)[0]):
            return None
        first, second = decides(join)
        return 1 if first else 0 if second and join not in self._pointing else None

    def _rules(self, name: str) -> Iterator[str]:
        """Yield the joins that make a relation, for people to read."""
        for join in self.plan.joins:
            if join.name == name:
                body = " ".join(write_literal(each, _term) for each in [*join.moving, *join.fixed])
                yield f"# {_term(join.head)} <= {body}"

    # --- relations in a circle

    def _close(self, names: list[str]) -> Iterator[str]:
        """Yield a function that finds all facts of relations that need each other."""
        component = self.component[names[0]]
        mine = [
            (number, join)
            for number, join in enumerate(self.plan.joins)
            if self.circular(join) == component
        ]
        yield ""
        yield ""
        yield f"def close{component}():"
        for name in names:
            yield from _indented(1, self._rules(name))
        yield "    found = set()"
        for name in names:
            yield f"    found.update(q{self.relation[name]})"
        yield "    work = list(found)"
        for number, join in mine:
            if _both_in(join, names):
                yield f"    l{number}a, l{number}b = {{}}, {{}}"
        yield "    while work:"
        yield "        f = work.pop()"
        yield "        made = []"
        yield "        r = relation_of[f]"
        for name in names:
            lines = [
                line
                for number, join in mine
                for place, literal in enumerate(join.moving)
                if literal.name == name
                for line in self._close_join(number, join, place, names)
            ]
            if lines:
                yield f"        if r == {self.relation[name]}:  # {_comment(name)}"
                yield from _indented(3, lines)
        yield "        for h in made:"
        yield "            if h not in found:"
        yield "                found.add(h)"
        yield "                work.append(h)"
        yield "        if len(found) > most_facts:"
        yield "            too_many()"
        yield f"    for f in [f for f in p{component} if f not in found]:"
        yield f"        p{component}.discard(f)"
        yield "        on[f] = 0"
        yield f"        off_of{component}[f](f)"
        yield f"    for f in [f for f in found if f not in p{component}]:"
        yield f"        p{component}.add(f)"
        yield "        on[f] = 1"
        yield f"        on_of{component}[f](f)"

    def _close_join(self, number: int, join: Join, place: int, names: list[str]) -> Iterator[str]:
        if join.second is None:
            yield f"made += c{number}j[f]"
        elif not join.second.positive:
            yield f"for g, heads in o{number}j[f]:"
            yield "    if not on[g]:"
            yield "        made += heads"
        else:
            mine, other = "ab"[place], "ba"[place]
            yield f"for k in k{number}{mine}[f]:"
            if _both_in(join, names):
                yield f"    l{number}{mine}.setdefault(k, []).append(f)"
                yield f"    for g in l{number}{other}.get(k, ()):"
            else:
                yield f"    for g in i{number}{other}[k]:"
            yield f"        made += h{number}[{'f, g' if place == 0 else 'g, f'}]"

    # --- bringing relations up to date

    def _update(self, level: int) -> Iterator[str]:
        yield ""
        yield ""
        yield f"def update{level}():"
        mine = [names for names in self.plan.order if self.plan.levels[names[0]] == level]
        for names in mine:
            if names[0] in self.component:
                yield from _indented(1, self._update_component(names))
            else:
                yield from _indented(1, self._update_relation(names[0]))
        if not mine:
            yield "    pass"

    def _update_relation(self, name: str) -> Iterator[str]:
        number = self.relation[name]
        yield from self._rules(name)
        yield f"if d{number}:  # {_comment(name)}"
        yield f"    for f in d{number}:"
        yield "        if n[f]:"
        yield "            if not on[f]:"
        yield "                on[f] = 1"
        yield from _indented(4, self._told(str(number), name, "", "+"))
        yield "        elif on[f]:"
        yield "            on[f] = 0"
        yield from _indented(3, self._told(str(number), name, "", "-"))
        yield f"    d{number}.clear()"

    def _update_component(self, names: list[str]) -> Iterator[str]:
        component = self.component[names[0]]
        for name in names:
            number = self.relation[name]
            yield f"if d{number}:  # {_comment(name)}"
            yield f"    dirty.add({component})"
            yield f"    for f in d{number}:"
            yield "        if n[f]:"
            yield f"            q{number}.add(f)"
            yield "        else:"
            yield f"            q{number}.discard(f)"
            yield f"    d{number}.clear()"
        yield f"if {component} in dirty:"
        yield f"    dirty.discard({component})"
        yield f"    close{component}()"


def _both_in(join: Join, names: list[str]) -> bool:
    return len(join.moving) == 2 and all(each.name in names for each in join.moving)


def decides(join: Join) -> tuple[bool, bool]:
    """Tell for both places of a join whether the fact there alone tells the heads."""
    if join.second is None or _may_be_one(join.first.sentence, join.second.sentence):
        return (False, False)
    needed = join.variables | variables_of(join.fixed)
    first, second = (each.variables for each in (join.first, join.second))
    return (needed <= first, needed <= second)


def _may_be_one(one: Term, other: Term) -> bool:
    """Tell whether the same fact may stand for two sentences; True where that is not plain."""
    if name_of(one) != name_of(other):
        return False
    if name_of(one) not in INPUTS:
        return True
    functions = function_of(one), function_of(other)
    return "" in functions or functions[0] == functions[1]


def function_of(fact: Term) -> Term:
    """Return the function by which a fact of an input is told apart; empty for a variable."""
    given, place = arguments(fact), _TOLD_BY[name_of(fact)]
    if len(given) <= place or is_variable(given[place]):
        return ""
    part = given[place]
    return part if isinstance(part, str) else (name_of(part), str(len(part)))


def _pass_on(heads: str, sign: str, once: bool, each: str = "h", ways: str = "1") -> Iterator[str]:
    """Yield how to count heads in more, or fewer, ways and to remember that they changed.

    Heads that follow in one way at most need no counting: they go to their sets, or leave them.
    """
    if once:
        yield f"for y, h in {heads}:"
        yield f"    y.{'add' if sign == '+' else 'discard'}(h)"
    else:
        yield f"for {each} in {heads}:"
        yield f"    n[h] {sign}= {ways}"
        yield "    a(h)"


def _indented(depth: int, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield "    " * depth + line


def _comment(name: Term) -> str:
    """Return a name where it is plain ASCII, else nothing of it."""
    word = name if isinstance(name, str) else name_of(name)
    return word if not word or _HARMLESS.match(word) else "…"


def _term(term: Term) -> str:
    if isinstance(term, str):
        return _comment(term)
    return "(" + " ".join(_term(part) for part in term) + ")"
