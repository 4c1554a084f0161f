"""The slow, plain way to evaluate rules: what the real machinery is compared with."""

from collections.abc import Iterable, Iterator, Mapping

from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    is_variable,
    name_of,
    substitute,
)


def strata(rules: Iterable[Rule]) -> dict[str, int]:
    """Return a number for each relation: higher than that of all it is the negation of."""
    rules = list(rules)
    level = {name_of(rule.head): 0 for rule in rules}
    for _ in range(len(level) + 1):
        changed = False
        for rule in rules:
            for literal in rule.body:
                below = level.get(name_of(literal.sentence), 0) + (not literal.positive)
                if below > level[name_of(rule.head)]:
                    level[name_of(rule.head)] = below
                    changed = True
        if not changed:
            return level
    raise ValueError("negation in a cycle")


def match(pattern: Term, fact: Term, values: Mapping[str, Term]) -> dict[str, Term] | None:
    """Return values under which a pattern becomes a fact."""
    if isinstance(pattern, str):
        if not is_variable(pattern):
            return dict(values) if pattern == fact else None
        if pattern in values:
            return dict(values) if values[pattern] == fact else None
        return {**values, pattern: fact}
    if isinstance(fact, str) or len(pattern) != len(fact) or pattern[0] != fact[0]:
        return None
    found: dict[str, Term] | None = dict(values)
    for part, value in zip(pattern[1:], fact[1:], strict=True):
        found = match(part, value, found or {}) if found is not None else None
    return found


def solutions(
    body: tuple[Literal, ...], facts: set[Term], values: dict[str, Term]
) -> Iterator[dict[str, Term]]:
    """Yield values for which a body holds."""
    if not body:
        yield values
        return
    literal, rest = body[0], body[1:]
    if name_of(literal.sentence) == "distinct":
        left, right = (substitute(part, values) for part in arguments(literal.sentence))
        if (left != right) == literal.positive:
            yield from solutions(rest, facts, values)
    elif not literal.positive:
        if substitute(literal.sentence, values) not in facts:
            yield from solutions(rest, facts, values)
    else:
        for fact in facts:
            found = match(literal.sentence, fact, values)
            if found is not None:
                yield from solutions(rest, facts, found)


def evaluate(rules: Iterable[Rule], given: Iterable[Term] = ()) -> set[Term]:
    """Return all facts that follow."""
    rules = list(rules)
    level = strata(rules)
    facts = set(given)
    for now in sorted(set(level.values())):
        mine = [rule for rule in rules if level[name_of(rule.head)] == now]
        while True:
            new = set()
            for rule in mine:
                tests = [
                    each
                    for each in rule.body
                    if not each.positive or name_of(each.sentence) == "distinct"
                ]
                body = (*(each for each in rule.body if each not in tests), *tests)
                for values in solutions(body, facts, {}):
                    new.add(substitute(rule.head, values))
            if new <= facts:
                break
            facts |= new
    return facts
