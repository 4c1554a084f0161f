"""What can stand where: for each argument of each relation the names it may ever take.

Every rule hands on what its body may be; what is `next` may be true, what is legal may be done;
negations are taken to hold.  So the domains hold more than play ever shows, never less: what does
not fit into them can never be.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import process_time

from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    is_ground,
    is_variable,
    name_of,
    rules_by_name,
    variables,
)

_DEEPEST = 6  # functions inside functions; whatever lies deeper may be anything
_MOST_FACTS = 2_000  # of a relation that are compared one by one
_SECONDS = 2.0  # that filling them may take
_FED = {"init": "true", "next": "true", "legal": "does"}  # what is handed on to what


@dataclass
class Domain:
    """Names and functions that may stand at one place."""

    names: set[str] = field(default_factory=set)
    functions: dict[tuple[str, int], "list[Domain]"] = field(default_factory=dict)
    anything: bool = False

    def __bool__(self) -> bool:
        return self.anything or bool(self.names) or bool(self.functions)

    def add(self, other: "Domain", depth: int = 0) -> bool:
        """Take over what another domain has; tell whether any of it is new."""
        if self.anything:
            return False
        if other.anything or depth > _DEEPEST:
            self.anything = True
            return True
        grown = not other.names <= self.names
        self.names |= other.names
        for key, parts in list(other.functions.items()):
            mine = self.functions.get(key)
            if mine is None:
                mine = self.functions[key] = [Domain() for _ in parts]
                grown = True
            for part, given in zip(mine, parts, strict=True):
                grown |= part.add(given, depth + 1)
        return grown

    def common(self, other: "Domain") -> "Domain":
        """Return what both have."""
        if self.anything or self is other:
            return other
        if other.anything:
            return self
        found = Domain(self.names & other.names)
        for key in self.functions.keys() & other.functions.keys():
            pairs = zip(self.functions[key], other.functions[key], strict=True)
            parts = [one.common(two) for one, two in pairs]
            if all(parts):
                found.functions[key] = parts
        return found

    def only(self) -> str | None:
        """Return the one name there is, or None."""
        if self.anything or self.functions or len(self.names) != 1:
            return None
        return next(iter(self.names))


Values = dict[str, Domain]


@dataclass
class Misfit:
    """Why a body can never hold: a part of a literal that fits nowhere, or one variable."""

    literal: Literal
    part: Term = ""  # that fits nowhere; empty where single parts fit, and not together
    of: str = ""  # the relation or function it is an argument of
    place: int = 0  # which argument, from 1
    domain: Domain = field(default_factory=Domain)  # what would fit
    variable: str = ""
    before: Literal | None = None  # where the variable was last given values
    before_domain: Domain = field(default_factory=Domain)
    empty: bool = False  # nothing at all is known of the relation


class Domains:
    """The domains of all relations of a sheet."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._of: dict[tuple[str, int], list[Domain]] = {}
        self.held: set[str] = set()  # relations that some rule can make true
        self._listed: dict[tuple[str, int], list[tuple[Term, ...]]] = {}
        self.complete = self._fill(rules, process_time() + _SECONDS)

    def of(self, name: str, arity: int) -> list[Domain]:
        """Return the domain of each argument of a relation."""
        found = self._of.get((name, arity))
        if found is None:
            found = self._of[name, arity] = [Domain() for _ in range(arity)]
        return found

    def _fill(self, rules: Sequence[Rule], end: float) -> bool:
        """Go through the rules until nothing is added; tell whether there was time enough."""
        users: dict[str, list[int]] = {}
        for number, rule in enumerate(rules):
            for name in {each.name for each in rule.body if each.positive}:
                users.setdefault(name, []).append(number)
        for name, mine in rules_by_name(rules).items():
            if name in _FED or len(mine) > _MOST_FACTS:
                continue
            if all(not rule.body and is_ground(rule.head) for rule in mine):
                for rule in mine:
                    self._listed.setdefault((name, len(rule.arguments)), []).append(rule.arguments)
        waiting = dict.fromkeys(range(len(rules)))
        while waiting:
            if process_time() > end:
                return False
            number = next(iter(waiting))
            del waiting[number]
            rule, values = rules[number], Values()
            if self.misfit(rule.body, values) is None and self._take(rule.head, values):
                for name in (_FED.get(rule.name, rule.name), rule.name):
                    waiting.update(dict.fromkeys(users.get(name, ())))
        return True

    def _take(self, head: Term, values: Values) -> bool:
        name, given = name_of(head), arguments(head)
        grown = False
        for each in {name, _FED.get(name, name)}:
            grown |= each not in self.held
            self.held.add(each)
            for domain, part in zip(self.of(each, len(given)), given, strict=True):
                grown |= domain.add(_domain_of(part, values))
        return grown

    # --- what fits

    def misfit(self, body: Iterable[Literal], values: Values) -> Misfit | None:
        """Give the variables of a body their domains; return why it can never hold, if so."""
        came: dict[str, Literal] = {}
        tests = []
        for literal in body:
            if not literal.is_generator:
                tests.append(literal)
                continue
            found: Values = {}
            fault = self.alone(literal, found)
            if fault is not None:
                return fault
            for variable, domain in found.items():
                known = values.get(variable)
                both = domain if known is None else known.common(domain)
                if not both and known is not None:
                    return Misfit(
                        literal,
                        variable=variable,
                        domain=domain,
                        before=came[variable],
                        before_domain=known,
                    )
                if known is None or both is not known:
                    came[variable] = literal
                values[variable] = both
        for literal in tests:
            if literal.positive and len(literal.arguments) == 2:
                left, right = (
                    values[part].only() if isinstance(part, str) and part in values else part
                    for part in literal.arguments
                )
                if left is not None and left == right:
                    return Misfit(literal, part=left)
        return None

    def alone(self, literal: Literal, values: Values) -> Misfit | None:
        """Give the variables of one sentence their domains; return why it can never hold."""
        name, given = literal.name, literal.arguments
        if name not in self.held:
            return Misfit(literal, empty=True)
        for place, domain in enumerate(self.of(name, len(given))):
            fault = _match(given[place], domain, values, (literal, name, place + 1))
            if fault is not None:
                return fault
        facts = self._listed.get((name, len(given)))
        if facts is not None and given and not self._narrow(facts, given, values):
            return Misfit(literal, of=name)
        return None

    def _narrow(
        self, facts: list[tuple[Term, ...]], given: tuple[Term, ...], values: Values
    ) -> bool:
        """Keep what facts have that fit all arguments at once; tell whether there are any."""
        if not all(isinstance(part, str) for part in given):
            return True
        fixed = [(i, part) for i, part in enumerate(given) if not is_variable(part)]
        places: dict[str, list[int]] = {}
        for i, part in enumerate(given):
            if is_variable(part):
                places.setdefault(str(part), []).append(i)
        if not fixed and all(len(where) == 1 for where in places.values()):
            return True
        found: dict[str, set[str]] = {variable: set() for variable in places}
        fits = False
        for fact in facts:
            if any(fact[i] != part for i, part in fixed):
                continue
            if any(fact[i] != fact[where[0]] for where in places.values() for i in where[1:]):
                continue
            fits = True
            for variable, where in places.items():
                value = fact[where[0]]
                if isinstance(value, tuple):
                    return True  # no plain names: what was found is good enough
                found[variable].add(value)
        for variable, names in found.items():
            values[variable] = values[variable].common(Domain(names))
        return fits

    def can_hold(self, literal: Literal, values: Values) -> Misfit | None:
        """Return why a sentence never holds, given what its variables may be."""
        found: Values = {}
        fault = self.alone(literal, found)
        if fault is not None:
            return fault
        for variable in dict.fromkeys(variables(literal.sentence)):
            known = values.get(variable)
            if known is not None and not known.common(found[variable]):
                return Misfit(
                    literal, variable=variable, domain=found[variable], before_domain=known
                )
        return None


def _domain_of(term: Term, values: Values) -> Domain:
    if isinstance(term, tuple):
        key = (name_of(term), len(term) - 1)
        return Domain(functions={key: [_domain_of(part, values) for part in term[1:]]})
    if term[:1] == "?":
        return values.get(term) or Domain(anything=True)
    return Domain({term})


def _match(
    term: Term, domain: Domain, values: Values, where: tuple[Literal, str, int]
) -> Misfit | None:
    """Give the variables of a term their domains; return the part of it that does not fit."""
    fits = domain.anything
    if isinstance(term, tuple) and fits:
        for variable in variables(term):
            values.setdefault(variable, domain)
    elif isinstance(term, tuple):
        name = name_of(term)
        parts = domain.functions.get((name, len(term) - 1))
        for place, below in enumerate(parts or (), 1):
            fault = _match(term[place], below, values, (where[0], name, place))
            if fault is not None:
                return fault
        fits = parts is not None
    elif term[:1] == "?":
        known = values.get(term)
        both = domain if known is None else known.common(domain)
        fits = bool(both)
        if fits:
            values[term] = both
    else:
        fits = fits or term in domain.names
    literal, of, at = where
    return None if fits else Misfit(literal, term, of, at, domain)


class Hopeless:
    """Tells which sentences no rule can make true, by the look of the heads alone."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._domains = Domains([rule._replace(body=()) for rule in rules])
        self._names = {name for rule in rules for name in _names(rule.head)}
        self._known: dict[Term, bool] = {}

    def __call__(self, literal: Literal) -> bool:
        """Tell whether a sentence that is asked for can never hold."""
        if not literal.is_generator:
            return False
        known = self._known.get(literal.sentence)
        if known is None:
            known = self._domains.alone(literal, {}) is not None or any(
                name not in self._names for part in literal.arguments for name in _names(part)
            )
            self._known[literal.sentence] = known
        return known

    def without(self, rule: Rule) -> Rule:
        """Return a rule that no longer asks for such sentences.

        What depends on it is then not found at fault as well.
        """
        if not any(map(self, rule.body)):
            return rule
        return rule._replace(body=tuple(each for each in rule.body if not self(each)))


def _names(term: Term) -> Iterator[str]:
    """Yield the names in a term, without variables."""
    if isinstance(term, tuple):
        for part in term:
            yield from _names(part)
    elif term[:1] != "?":
        yield term
