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
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, filterfalse, islice, permutations, product
from typing import Any

from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    bound_by,
    is_variable,
    sentence,
    substitute,
    variables,
    variables_of,
)

UNIVERSE = "Universe"  # all constants: where a rule leaves a variable open
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


def is_safe(rule: Rule) -> bool:
    """Tell whether every variable of a rule gets its value from a positive literal."""
    return not rule.open_variables


def close(rules: Iterable[Rule]) -> list[Rule]:
    """Give variables that get no value all values there are: the players, or all constants.

    Such rules are not valid, but players that look for proofs backwards run them.
    """
    rules, closed = list(rules), list[Rule]()
    for rule in rules:
        wanted = dict.fromkeys([*variables(rule.head), *sorted(variables_of(rule.body))])
        missing = rule.open_variables
        player = rule.arguments[:1] if rule.name in ("legal", "goal") else ()
        extra = [
            Literal(("role" if player == (variable,) else UNIVERSE, variable))
            for variable in wanted
            if variable in missing
        ]
        closed.append(rule._replace(body=(*rule.body, *extra)) if extra else rule)
    if any(each.name == UNIVERSE for rule in closed for each in rule.body):
        closed += [Rule((UNIVERSE, name)) for name in _constants(rules)]
    return closed


def _constants(rules: Iterable[Rule]) -> list[Term]:
    found: dict[Term, None] = {}
    for rule in rules:
        work = [*rule.arguments, *(part for each in rule.body for part in each.arguments)]
        while work:
            part = work.pop()
            if isinstance(part, tuple):
                work += part[1:]
            elif not is_variable(part):
                found[part] = None
    return list(found)


class Joins:
    """The new relations, each found again by what it joins."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._known: dict[tuple[tuple[Literal, ...], int], str] = {}
        taken = {rule.name for rule in rules}
        self._new_names = filterfalse(taken.__contains__, map("Join{}".format, count(1)))

    def relation(
        self, body: Sequence[Literal], kept: set[str], source: Rule, made: list[Rule]
    ) -> Literal:
        """Return a literal for `body` with the variables `kept`; where it is new, make its rule."""
        ordered, names = _canonical(body, kept)
        given = [old for old in names if old in kept]
        key = (ordered, sum(1 << place for place, old in enumerate(names) if old in kept))
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = next(self._new_names)
            head = sentence(name, *(names[old] for old in given))
            made.append(Rule(head, ordered, source.line, source.column))
        return Literal(sentence(name, *given))


def _canonical(
    body: Sequence[Literal], kept: set[str]
) -> tuple[tuple[Literal, ...], dict[str, str]]:
    """Order literals and rename variables so that equal joins look equal; names in their order."""
    groups: dict[str, list[Literal]] = {}
    for literal in dict.fromkeys(body):
        masks = {old: "?k" if old in kept else "?" for old in variables(literal.sentence)}
        shape = f"{not literal.is_generator} {substitute(literal.sentence, masks)!r}"
        groups.setdefault(shape, []).append(literal)
    alike = [groups[shape] for shape in sorted(groups)]
    few = all(len(group) <= 4 for group in alike)
    choices = [list(permutations(group)) if few else [tuple(group)] for group in alike]
    orders = islice(product(*choices), _MOST_ORDERS)
    renamed = (rename([each for group in choice for each in group]) for choice in orders)
    return min(renamed, key=lambda candidate: repr(candidate[0]))


def rename(body: Sequence[Literal]) -> tuple[tuple[Literal, ...], dict[str, str]]:
    """Give variables numbers in the order of their first appearance."""
    names: dict[str, str] = {}
    for literal in body:
        for old in variables(literal.sentence):
            names.setdefault(old, f"?v{len(names)}")
    return tuple(each._replace(sentence=substitute(each.sentence, names)) for each in body), names


# --- variable elimination


def _eliminate_all(rules: Iterable[Rule], joins: Joins) -> list[Rule]:
    return [
        part
        for rule in rules
        for part in (
            _eliminate(rule, joins) if len(rule.body) <= _LONGEST and is_safe(rule) else [rule]
        )
    ]


def _eliminate(rule: Rule, joins: Joins) -> list[Rule]:
    """Remove variables that the head does not need, the cheapest first."""
    found: list[Rule] = []
    body = list(dict.fromkeys(rule.body))
    needed = rule.variables
    while True:
        bucket = _cheapest_bucket(body, needed)
        if bucket is None:
            return [*found, rule._replace(body=tuple(body))]
        rest = [literal for literal in body if literal not in bucket]
        inside = variables_of(bucket)
        kept = inside & (needed | variables_of(rest))
        domains: list[Literal] = []
        while unsafe := inside - bound_by(bucket) - variables_of(domains):
            # What only tests mention needs values: those that another literal could give it.
            giver = min(
                (each for each in rest if each.is_generator and unsafe & each.variables),
                key=lambda each: (-len(unsafe & each.variables), len(each.variables)),
            )
            domains.append(joins.relation([giver], inside & giver.variables, rule, found))
        body = [joins.relation([*bucket, *domains], kept, rule, found), *rest]


def _cheapest_bucket(body: list[Literal], needed: set[str]) -> list[Literal] | None:
    """Return the literals to join next, or None when nothing is gained by another join."""
    with_variables = [literal for literal in body if literal.variables]
    best: tuple[tuple[int, int], list[Literal]] | None = None
    for variable in dict.fromkeys(v for each in body for v in variables(each.sentence)):
        if variable in needed:
            continue
        inside = variables_of(
            literal for literal in with_variables if variable in literal.variables
        )
        bucket = [literal for literal in with_variables if literal.variables <= inside]
        if len(bucket) == len(with_variables):
            continue
        outside = variables_of(literal for literal in with_variables if literal not in bucket)
        cost = len(inside), len(inside & (needed | outside))
        if best is None or cost < best[0]:
            best = cost, bucket
    return best[1] if best else None


# --- at most two literals


def in_order(
    body: Iterable[Literal], known: Iterable[str], cost: Callable[[Literal, set[str]], Any]
) -> Iterator[Literal]:
    """Yield literals, always the cheapest by what was known before and the literals so far give."""
    left, given = list(body), set(known)
    while left:
        chosen = min(left, key=lambda literal: cost(literal, given))
        left.remove(chosen)
        given.update(chosen.variables)
        yield chosen


def join_order(body: Iterable[Literal]) -> tuple[Literal, ...]:
    """Order literals for joining: tests as early as they can be made, neighbours together."""
    left = tuple(dict.fromkeys(body))
    return left if len(left) > _LONGEST else tuple(in_order(left, (), _join_cost))


def _join_cost(literal: Literal, known: set[str]) -> tuple[int, bool, int]:
    mine = literal.variables
    if not literal.is_generator:
        return (0 if mine <= known else 2, False, 0)
    return (1, not mine & known, len(mine - known))


def _split(rule: Rule, body: Sequence[Literal], joins: Joins) -> list[Rule]:
    """Join the first two literals until only two are left (algorithms 3.1 and 3.2)."""
    if not is_safe(rule):
        return [rule]
    found: list[Rule] = []
    left = list(dict.fromkeys(body))[::-1]  # the first literal last, where it is quick to reach
    uses = Counter(chain(variables(rule.head), *(literal.variables for literal in left)))
    while len(left) > 1:
        first = _next_two(left)
        if not left:
            left = first[::-1]
            break
        for literal in first:
            uses.subtract(literal.variables)
        # The thesis leaves the head's variables out here, which would lose their values.
        kept = {variable for variable in variables_of(first) if uses[variable]}
        left.append(joins.relation(first, kept, rule, found))
        uses.update(kept)
    return [*found, rule._replace(body=tuple(left[::-1]))]


def _next_two(left: list[Literal]) -> list[Literal]:
    """Take the two last literals; a test that lacks values waits for a positive literal."""
    taken: list[Literal] = []
    for _ in range(2):
        place = len(left) - 1
        if not left[place].is_generator and not left[place].variables <= bound_by(taken):
            place = next(at for at in range(place, -1, -1) if left[at].is_generator)
        taken.append(left.pop(place))
    return taken
