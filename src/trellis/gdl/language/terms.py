"""What rules are made of.

A term is a constant (`"white"`), a variable (`"?x"`) or a function with its arguments
(`("cell", "1", "?y")`).  A sentence is a term as well; one without arguments is its bare name.
All names are folded to lower case: the language does not tell `Cell` from `cell`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

Term = str | tuple["Term", ...]

# How many arguments the relations of the language have: thesis, table 3.1, and what came later.
ARITIES = {
    "role": 1, "init": 1, "true": 1, "does": 2, "next": 1, "legal": 2, "goal": 2, "terminal": 0,
    "base": 1, "input": 2, "distinct": 2, "sees": 2,
}  # fmt: skip
KEYWORDS = frozenset([*ARITIES, "or", "and", "not"])


class Literal(NamedTuple):
    """A sentence that must hold, or must not."""

    sentence: Term
    positive: bool = True

    @property
    def name(self) -> str:
        """The relation."""
        return name_of(self.sentence)

    @property
    def arguments(self) -> tuple[Term, ...]:
        """What the relation is applied to."""
        return arguments(self.sentence)

    @property
    def variables(self) -> set[str]:
        """The variables of the sentence."""
        return set(variables(self.sentence))

    @property
    def is_generator(self) -> bool:
        """Whether it can give its variables values; `distinct` and negations only test."""
        return self.positive and self.name != "distinct"


class Rule(NamedTuple):
    """`head` holds where all of `body` does; a fact where the body is empty."""

    head: Term
    body: tuple[Literal, ...] = ()
    line: int = 0
    column: int = 0

    @property
    def name(self) -> str:
        """The relation of the head."""
        return name_of(self.head)

    @property
    def arguments(self) -> tuple[Term, ...]:
        """What the relation of the head is applied to."""
        return arguments(self.head)

    @property
    def variables(self) -> set[str]:
        """The variables of the head."""
        return set(variables(self.head))

    @property
    def open_variables(self) -> set[str]:
        """Those that no positive literal gives a value to; a safe rule has none."""
        return (self.variables | variables_of(self.body)) - bound_by(self.body)


class Finding(NamedTuple):
    """Something to say of a sheet, and where.

    Errors and warnings are breaches of the specification; a note is only worth a look.  An error
    that is not fatal has no meaning in the specification, and runs all the same; or the sheet can
    be shown and compared, but no command can play it.
    """

    line: int
    column: int
    message: str
    fatal: bool = True  # it cannot run
    level: str = ""  # where it is not "error" for what is fatal, "warning" for what is not
    play: tuple[str, ...] = ()  # the joint moves that lead to it, where play shows it

    @property
    def kind(self) -> str:
        """Return "error", "warning" or "note"."""
        return self.level or ("error" if self.fatal else "warning")


def is_variable(term: Term) -> bool:
    """Tell whether a term is a variable."""
    return isinstance(term, str) and term[:1] == "?"


def name_of(sentence: Term) -> str:
    """Return the name of a relation or function."""
    if isinstance(sentence, str):
        return sentence
    return sentence[0] if isinstance(sentence[0], str) else ""


def arguments(sentence: Term) -> tuple[Term, ...]:
    """Return what a relation or function is applied to."""
    return () if isinstance(sentence, str) else sentence[1:]


def sentence(name: str, *given: Term) -> Term:
    """Apply a name to arguments; without any it stays bare."""
    return (name, *given) if given else name


def variables(term: Term) -> Iterator[str]:
    """Yield the variables of a term, from left to right, again and again."""
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from variables(part)
    elif term[:1] == "?":
        yield term


def variables_of(literals: Iterable[Literal]) -> set[str]:
    """Return all variables of some literals."""
    return {variable for literal in literals for variable in variables(literal.sentence)}


def bound_by(body: Iterable[Literal]) -> set[str]:
    """Return the variables that the positive literals of a body give values to."""
    return variables_of(literal for literal in body if literal.is_generator)


def rules_by_name(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    """Return the rules of each relation."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.name, []).append(rule)
    return found


def is_ground(term: Term) -> bool:
    """Tell whether a term has no variables."""
    return next(variables(term), None) is None


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace variables by what they stand for."""
    if isinstance(term, str):
        return values.get(term, term)
    return (
        term[0],
        *[
            values.get(part, part) if isinstance(part, str) else substitute(part, values)
            for part in term[1:]
        ],
    )


def unify(left: Term, right: Term, values: dict[str, Term]) -> bool:
    """Extend `values` so that both terms become equal; False where nothing makes them so."""
    work = [(left, right)]
    while work:
        a, b = (resolve(side, values) for side in work.pop())
        if a == b:
            continue
        if isinstance(a, str) and is_variable(a):
            if a in variables(substitute_fully(b, values)):
                return False
            values[a] = b
        elif isinstance(b, str) and is_variable(b):
            work.append((b, a))
        elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and a[0] == b[0]:
            work += zip(a[1:], b[1:], strict=True)
        else:
            return False
    return True


def resolve(term: Term, values: Mapping[str, Term]) -> Term:
    """Follow a variable to what it stands for at last."""
    while isinstance(term, str) and term in values:
        term = values[term]
    return term


def substitute_fully(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace variables until nothing changes, as `unify` leaves them."""
    term = resolve(term, values)
    if isinstance(term, tuple):
        return (term[0], *(substitute_fully(part, values) for part in term[1:]))
    return term


def size(term: Term) -> int:
    """Count the names in a term."""
    return 1 if isinstance(term, str) else sum(map(size, term))


def order(term: Term) -> tuple[object, ...]:
    """Return a key that sorts terms as people do: numbers by value, functions by arguments."""
    if isinstance(term, tuple):
        return (2, *map(order, term))
    return (0, int(term), term) if term.isdecimal() and len(term) < 19 else (1, term)


_LONGEST_GOAL = 8  # digits: a goal is kept in 32 bits


def goal_of(value: Term) -> int | None:
    """Return what a goal is worth; None where it is not a number, and so not a goal.

    >>> goal_of("050"), goal_of("fifty"), goal_of("-1")
    (50, None, None)
    """
    whole = isinstance(value, str) and value.isascii() and value.isdigit()
    return int(str(value)) if whole and len(value) <= _LONGEST_GOAL else None
