"""Demand: rules that derive only what somebody asks for, also known as magic sets.

Forward chaining makes every fact it can.  That is too much where a sheet defines, say, all lists of
squares and asks for a few of them.  For such a relation a second one is made that holds what is
asked: `(append ?x ?list ?longer)` with the first two known becomes `(Asked.append.110 ?x ?list)`.
The rules of `append` then wait for that, and whoever uses `append` derives it first.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from trellis.gdl.language.dependencies import layers
from trellis.gdl.language.normal import in_order
from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    rules_by_name,
    sentence,
    variables,
    variables_of,
)

_Common = dict[tuple[str, int], tuple[bool, ...]]  # what all who ask for a relation know


class _Asked(NamedTuple):
    """A relation, and which of its arguments are known when it is asked for."""

    name: str
    arity: int
    known: tuple[bool, ...]

    def relation(self, fact: Term) -> Term | None:
        """Return the sentence that asks for such a fact, or None where everything is asked."""
        if not any(self.known):
            return None
        given = [part for part, known in zip(arguments(fact), self.known, strict=True) if known]
        pattern = "".join("1" if known else "0" for known in self.known)
        return sentence(f"Asked.{self.name}.{pattern}", *given)


def on_demand(rules: Sequence[Rule], wanted: Iterable[str], asked: Collection[str]) -> list[Rule]:
    """Rewrite rules: relations in `asked` are derived only as far as `wanted` ones need them.

    Who asks with more known than others do would only ask for the same facts once more, one by one;
    so a relation is asked by what all who ask for it know, where that is anything.
    """
    common: _Common = {}
    wanted = list(wanted)
    while True:
        found, requests = _rewrite_all(rules, wanted, asked, common)
        settled = True
        for request in requests:
            key = (request.name, request.arity)
            before = common.setdefault(key, request.known)
            both = tuple(a and b for a, b in zip(before, request.known, strict=True))
            if any(both):
                settled = settled and both == request.known
                common[key] = both
        if settled:
            return found


def on_demand_where_possible(
    rules: Sequence[Rule], wanted: Iterable[str], asked: set[str]
) -> list[Rule]:
    """Do the same, but ask for none of the relations that would put a negation into a cycle."""
    while True:
        found = on_demand(rules, wanted, asked)
        faulty = {rule.name for part in layers(found)[1] for rule in part} & asked
        if not faulty:
            return found
        asked = asked - faulty


def _rewrite_all(
    rules: Iterable[Rule], wanted: Iterable[str], asked: Collection[str], common: _Common
) -> tuple[list[Rule], list[_Asked]]:
    """Return rules for all that is wanted and all that is asked, and what is asked."""
    by_name = rules_by_name(rules)
    found: dict[Rule, None] = {}
    seen: dict[_Asked, None] = {}
    work: list[_Asked] = []
    whole: set[str] = set()  # relations that are derived in full
    left = list(wanted)
    while left or work:
        if left:
            name = left.pop()
            if name in whole:
                continue
            whole.add(name)
            pairs: list[tuple[Rule, Term | None]] = [(rule, None) for rule in by_name.get(name, ())]
        else:
            request = work.pop()
            pairs = [
                (rule, request.relation(rule.head))
                for rule in by_name.get(request.name, ())
                if len(rule.arguments) == request.arity
            ]
        for rule, reason in pairs:
            made, requests = _rewrite(rule, reason, asked, common)
            found.update(dict.fromkeys(made))
            for each in requests:
                if not any(each.known):
                    left.append(each.name)
                elif each not in seen:
                    seen[each] = None
                    work.append(each)
    return list(found), list(seen)


def _rewrite(
    rule: Rule, reason: Term | None, asked: Collection[str], common: _Common
) -> tuple[list[Rule], list[_Asked]]:
    """Return a rule that waits for its reason, with rules that ask others, and who is asked."""
    made: list[Rule] = []
    requests: list[_Asked] = []
    start = [Literal(reason)] if reason is not None else []
    known = variables_of(start)
    done, body = list(start), list(start)
    for literal in _order(rule.body, known, asked):
        name, given = literal.name, literal.arguments
        body.append(literal)
        if name != "distinct":
            key = (name, len(given))
            pattern = [name in asked and known.issuperset(variables(part)) for part in given]
            shared = [a and b for a, b in zip(pattern, common.get(key, pattern), strict=True)]
            request = _Asked(name, len(given), tuple(shared if any(shared) else pattern))
            requests.append(request)
            head = request.relation(literal.sentence)
            if head is not None and Literal(head) not in done:
                made.append(rule._replace(head=head, body=tuple(done)))
        # A negation is no reason to ask for less: that could put it into a cycle.
        if literal.is_generator:
            known |= literal.variables
        if literal.is_generator or name == "distinct":
            done.append(literal)
    return [*made, rule._replace(body=tuple(body))], requests


def _order(body: Iterable[Literal], known: set[str], asked: Collection[str]) -> Iterator[Literal]:
    """Yield literals as the author wrote them, whose order suits provers that go left to right.

    Tests come as soon as they have values.  A relation in `asked` waits while nothing of it is
    known and another literal can make something known.
    """

    def cost(literal: Literal, known: set[str]) -> int:
        mine = literal.variables
        if not literal.is_generator:
            return 0 if mine <= known else 3
        in_the_dark = bool(mine) and not mine & known
        return 2 if literal.name in asked and in_the_dark else 1

    return in_order(body, known, cost)
