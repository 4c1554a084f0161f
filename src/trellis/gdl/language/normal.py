"""From mini-GDL to normal-GDL: long rules become several short ones that join fewer variables.

Two strategies.  "thesis" takes the literals from left to right, two at a time, and moves a literal
only where safety asks for it (Saffidine's thesis, algorithms 3.1 and 3.2).  "elimination" removes
one variable after the other: all literals that mention it are joined into a new relation that keeps
only what others still need, and the variable with the smallest join goes first:
`(<= (far ?a ?e) (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e))` becomes rules of three
variables where it had five.

New relations have a capital letter in their name.  Names of a sheet are folded to lower case, so
none can be the same.  Equal joins, met in different rules, are made once.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice, permutations, product

from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    name_of,
    sentence,
    substitute,
    variables,
    variables_of,
)

STRATEGIES = ("elimination", "thesis")
_MOST_ORDERS = 24  # of alike literals, tried to find the same join written in another order
_LONGEST = 200  # literals; longer bodies keep the order they have, to bound the time


def to_normal(rules: Iterable[Rule], strategy: str = "elimination") -> list[Rule]:
    """Return rules of at most two literals that derive the same; unsafe rules stay as they are."""
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown strategy {strategy!r}; one of {', '.join(STRATEGIES)}")
    rules = list(rules)
    joins = Joins(rules)
    found: list[Rule] = []
    if strategy == "thesis":
        for rule in rules:
            found += _split(rule, rule.body, joins)
    else:
        for rule in _eliminate_all(rules, joins):
            found += _split(rule, join_order(rule.body), joins)
    return list(dict.fromkeys(found))


def eliminate(rules: Iterable[Rule]) -> list[Rule]:
    """Only remove variables: bodies may keep more than two literals, as a grounder likes best."""
    rules = list(rules)
    return list(dict.fromkeys(_eliminate_all(rules, Joins(rules))))


def is_generator(literal: Literal) -> bool:
    """Tell whether a literal can give its variables values; `distinct` and negations only test."""
    return literal.positive and name_of(literal.sentence) != "distinct"


def bound_by(body: Iterable[Literal]) -> set[str]:
    """Return the variables that the positive literals of a body give values to."""
    return variables_of(filter(is_generator, body))


def is_safe(rule: Rule) -> bool:
    """Tell whether every variable of a rule gets its value from a positive literal."""
    bound = bound_by(rule.body)
    return variables_of(rule.body) <= bound and set(variables(rule.head)) <= bound


class Joins:
    """The new relations, each found again by what it joins."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._known: dict[tuple[tuple[Literal, ...], int], str] = {}
        self._taken = {name_of(rule.head) for rule in rules}
        self._count = 0

    def relation(
        self, body: Sequence[Literal], kept: set[str], source: Rule
    ) -> tuple[Term, Rule | None]:
        """Return a sentence for `body` with the variables `kept`, and its rule where it is new."""
        ordered, names = _canonical(body, kept)
        given = [old for old in names if old in kept]
        key = (ordered, sum(1 << place for place, old in enumerate(names) if old in kept))
        name = self._known.get(key)
        if name is not None:
            return sentence(name, *given), None
        name = self._known[key] = self._new_name()
        head = sentence(name, *(names[old] for old in given))
        return sentence(name, *given), Rule(head, ordered, source.line, source.column)

    def _new_name(self) -> str:
        while True:
            self._count += 1
            name = f"Join{self._count}"
            if name not in self._taken:
                return name


def _canonical(
    body: Sequence[Literal], kept: set[str]
) -> tuple[tuple[Literal, ...], dict[str, str]]:
    """Order literals and rename variables so that equal joins look equal; names in their order."""
    groups: dict[str, list[Literal]] = {}
    for literal in dict.fromkeys(body):
        masks = {old: "?k" if old in kept else "?" for old in variables(literal.sentence)}
        shape = f"{not is_generator(literal)} {substitute(literal.sentence, masks)!r}"
        groups.setdefault(shape, []).append(literal)
    choices = [list(permutations(groups[shape])) for shape in sorted(groups) if _few(groups[shape])]
    if len(choices) != len(groups):
        choices = [[tuple(groups[shape])] for shape in sorted(groups)]
    orders = islice(product(*choices), _MOST_ORDERS)
    renamed = (_rename([each for group in choice for each in group]) for choice in orders)
    return min(renamed, key=lambda candidate: repr(candidate[0]))


def _rename(body: Sequence[Literal]) -> tuple[tuple[Literal, ...], dict[str, str]]:
    """Give variables numbers in the order of their first appearance."""
    names: dict[str, str] = {}
    for literal in body:
        for old in variables(literal.sentence):
            names.setdefault(old, f"?v{len(names)}")
    return tuple(each._replace(sentence=substitute(each.sentence, names)) for each in body), names


def _few(alike: list[Literal]) -> bool:
    return len(alike) <= 4


# --- variable elimination


def _eliminate_all(rules: Iterable[Rule], joins: Joins) -> list[Rule]:
    found: list[Rule] = []
    for rule in rules:
        quick = len(rule.body) <= _LONGEST and is_safe(rule)
        found += _eliminate(rule, joins) if quick else [rule]
    return found


def _eliminate(rule: Rule, joins: Joins) -> list[Rule]:
    """Remove variables that the head does not need, the cheapest first."""
    found: list[Rule] = []
    body = list(dict.fromkeys(rule.body))
    needed = set(variables(rule.head))
    while True:
        bucket = _cheapest_bucket(body, needed)
        if bucket is None:
            return [*found, Rule(rule.head, tuple(body), rule.line, rule.column)]
        rest = [literal for literal in body if literal not in bucket]
        inside = variables_of(bucket)
        kept = inside & (needed | variables_of(rest))
        domains: list[Literal] = []
        while unsafe := inside - bound_by(bucket) - variables_of(domains):
            # What only tests mention needs values: those that another literal could give it.
            giver = min(
                (each for each in rest if is_generator(each) and unsafe & _of(each)),
                key=lambda each: (-len(unsafe & _of(each)), len(_of(each))),
            )
            domain, new = joins.relation([giver], inside & _of(giver), rule)
            found += [new] if new else []
            domains.append(Literal(domain))
        joined, new = joins.relation([*bucket, *domains], kept, rule)
        found += [new] if new else []
        body = [Literal(joined), *rest]


def _cheapest_bucket(body: list[Literal], needed: set[str]) -> list[Literal] | None:
    """Return the literals to join next, or None when nothing is gained by another join."""
    with_variables = [literal for literal in body if _of(literal)]
    best: tuple[tuple[int, int], list[Literal]] | None = None
    for variable in dict.fromkeys(v for each in body for v in variables(each.sentence)):
        if variable in needed:
            continue
        inside = variables_of(literal for literal in with_variables if variable in _of(literal))
        bucket = [literal for literal in with_variables if _of(literal) <= inside]
        if len(bucket) == len(with_variables):
            continue
        outside = variables_of(literal for literal in with_variables if literal not in bucket)
        cost = len(inside), len(inside & (needed | outside))
        if best is None or cost < best[0]:
            best = cost, bucket
    return best[1] if best else None


def _of(literal: Literal) -> set[str]:
    return set(variables(literal.sentence))


# --- at most two literals


def join_order(body: Iterable[Literal]) -> tuple[Literal, ...]:
    """Order literals for joining: tests as early as they can be made, neighbours together."""
    left = list(dict.fromkeys(body))
    if len(left) > _LONGEST:
        return tuple(left)
    ordered: list[Literal] = []
    bound: set[str] = set()
    while left:
        generators = [each for each in left if is_generator(each)]
        tests = [each for each in left if not is_generator(each) and _of(each) <= bound]
        if tests:
            chosen = tests[0]
        elif generators:
            chosen = min(generators, key=lambda e: (not (_of(e) & bound), len(_of(e) - bound)))
        else:
            chosen = left[0]
        left.remove(chosen)
        ordered.append(chosen)
        bound |= _of(chosen)
    return tuple(ordered)


def _split(rule: Rule, body: Sequence[Literal], joins: Joins) -> list[Rule]:
    """Join the first two literals until only two are left (algorithms 3.1 and 3.2)."""
    if not is_safe(rule):
        return [rule]
    found: list[Rule] = []
    left = list(dict.fromkeys(body))[::-1]  # the first literal last, where it is quick to reach
    uses = Counter(chain(variables(rule.head), *(_of(literal) for literal in left)))
    while len(left) > 1:
        first = _next_two(left)
        if not left:
            left = first[::-1]
            break
        for literal in first:
            uses.subtract(_of(literal))
        # The thesis leaves the head's variables out here, which would lose their values.
        kept = {variable for variable in variables_of(first) if uses[variable]}
        joined, new = joins.relation(first, kept, rule)
        found += [new] if new else []
        left.append(Literal(joined))
        uses.update(kept)
    return [*found, Rule(rule.head, tuple(left[::-1]), rule.line, rule.column)]


def _next_two(left: list[Literal]) -> list[Literal]:
    """Take the two last literals; a test that lacks values waits for a positive literal."""
    taken: list[Literal] = []
    for _ in range(2):
        place = len(left) - 1
        if not is_generator(left[place]) and not _of(left[place]) <= bound_by(taken):
            place = next(at for at in range(place, -1, -1) if is_generator(left[at]))
        taken.append(left.pop(place))
    return taken
