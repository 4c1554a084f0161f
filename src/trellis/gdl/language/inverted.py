"""The inverted intermediate language: for each relation, the rules that its facts can trigger.

A rule waits for facts.  Turned around, a new fact looks up the rules in whose bodies it appears,
and what is left of each body must then be found among the facts already there.  Negation asks for
layers: a relation is complete before anything looks for what it does not hold.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from trellis.gdl.language.dependencies import components, needs
from trellis.gdl.language.kif import write, write_literal
from trellis.gdl.language.terms import Literal, Rule, Term


class Trigger(NamedTuple):
    """A fact that fits `literal` makes `head` true where all that is left of the body holds."""

    literal: Literal
    left: tuple[Literal, ...]
    head: Term


class Relation(NamedTuple):
    """What the facts of a relation set off, and the layer in which they are complete."""

    stratum: int
    triggers: list[Trigger]


def invert(rules: Iterable[Rule]) -> dict[str, Relation]:
    """Return the triggers of all relations, the lowest layer first."""
    rules = list(rules)
    strata = strata_of(rules)
    found = {
        name: Relation(stratum, [])
        for name, stratum in sorted(strata.items(), key=lambda item: item[1])
    }
    for rule in rules:
        for place, literal in enumerate(rule.body):
            name = literal.name
            if name != "distinct":
                left = rule.body[:place] + rule.body[place + 1 :]
                found[name].triggers.append(Trigger(literal, left, rule.head))
    return found


def strata_of(rules: Iterable[Rule]) -> dict[str, int]:
    """Return the layer of each relation: above all that its rules negate.

    A relation that negates itself, as `goal` sometimes does, stays in one layer.
    """
    edges = needs(rules)
    found: dict[str, int] = {}
    for names in components(edges):
        below = [
            found[other] + negated
            for name in names
            for other, negated in edges.get(name, {}).items()
            if other in found
        ]
        found.update(dict.fromkeys(names, max(below, default=0)))
    return found


def describe(
    inverted: Mapping[str, Relation], text: Callable[[Term], str] = write
) -> Iterator[str]:
    """Yield the inverted rules as lines for people."""
    for name, relation in inverted.items():
        if not relation.triggers:
            continue
        yield f"; layer {relation.stratum}: {text(name)}"
        for literal, left, head in relation.triggers:
            given = write_literal(literal, text)
            rest = " ".join(write_literal(each, text) for each in left)
            yield f"(on {given}{' (if ' + rest + ')' if rest else ''} {text(head)})"
