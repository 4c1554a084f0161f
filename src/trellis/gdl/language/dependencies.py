"""Which relation needs which: cycles, layers for negation, and all that something depends on."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from trellis.gdl.language.terms import Rule, Term, rules_by_name, substitute, unify, variables

Node = TypeVar("Node", bound=Hashable)
_MOST_PAIRS = 4_000_000  # of rules compared one by one


def needs(rules: Iterable[Rule]) -> dict[str, dict[str, bool]]:
    """Return for each relation what its rules mention; True where that is negated somewhere."""
    found: dict[str, dict[str, bool]] = {}
    for rule in rules:
        below = found.setdefault(rule.name, {})
        for literal in rule.body:
            name = literal.name
            if name != "distinct":
                below[name] = below.get(name, False) or not literal.positive
    return found


def components(edges: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components; one that needs another comes after it.

    Tarjan's algorithm with its own stack: chains of rules may be longer than Python recurses.
    """
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    waiting: list[Node] = []
    on_stack: set[Node] = set()
    found: list[list[Node]] = []
    work: list[tuple[Node, Iterator[Node]]] = []

    def visit(node: Node) -> None:
        number[node] = lowest[node] = len(number)
        waiting.append(node)
        on_stack.add(node)
        work.append((node, iter(edges.get(node, ()))))

    for start in edges:
        if start not in number:
            visit(start)
        while work:
            node, rest = work[-1]
            below = next(rest, None)
            if below is None:
                work.pop()
                if work:
                    above = work[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number[node]:
                    part = [waiting.pop()]
                    while part[-1] != node:
                        part.append(waiting.pop())
                    found.append(part[::-1])
                    on_stack.difference_update(part)
            elif below not in number:
                visit(below)
            elif below in on_stack:
                lowest[node] = min(lowest[node], number[below])
    return found


def path(edges: Mapping[Node, Iterable[Node]], start: Node, goal: Node) -> list[Node]:
    """Return a shortest way, both ends in it; empty where there is none."""
    came: dict[Node, Node] = {}
    met = [start]
    for node in met:  # grows meanwhile
        for below in edges.get(node, ()):
            if below == goal:
                way = [goal, node]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if below not in came and below != start:
                came[below] = node
                met.append(below)
    return []


def reaching(edges: Mapping[Node, Iterable[Node]], goals: Iterable[Node]) -> set[Node]:
    """Return all from which one of the goals can be reached, and the goals."""
    above: dict[Node, list[Node]] = {}
    for node, below in edges.items():
        for each in below:
            above.setdefault(each, []).append(node)
    return reachable(above, goals)


def reachable(edges: Mapping[Node, Iterable[Node]], starts: Iterable[Node]) -> set[Node]:
    """Return all that can be reached, and where we started."""
    found = set(starts)
    work = list(found)
    while work:
        new = set(edges.get(work.pop(), ())) - found
        found |= new
        work += new
    return found


def layers(rules: Sequence[Rule]) -> tuple[list[list[Rule]], list[list[Rule]]]:
    """Return rules in the order in which to evaluate them, and those that negate themselves.

    Rules of one layer may need each other; what a layer negates lies in layers before it.  Mostly
    relations decide.  Where a relation negates itself single rules are compared:
    `(<= (goal ?r 0) (not (goal ?r 100)))` runs, as no goal of 0 is ever needed for one of 100.
    """
    edges = needs(rules)
    by_name = rules_by_name(rules)
    ordered: list[list[Rule]] = []
    faulty: list[list[Rule]] = []
    for names in components(edges):
        inside = set(names)
        mine = [rule for name in names for rule in by_name.get(name, ())]
        if not any(edges.get(name, {}).get(below) for name in names for below in inside):
            ordered += [mine] if mine else []
        elif len(mine) ** 2 > _MOST_PAIRS:
            faulty.append(mine)
        else:
            for part in parts_by_rule(mine, inside):
                (faulty if negates_itself(part) else ordered).append(part)
    return ordered, faulty


def parts_by_rule(rules: list[Rule], inside: set[str]) -> list[list[Rule]]:
    """Return the components of a graph of rules: each needs those that may make its body true."""
    apart = [rename_apart(rule.head) for rule in rules]
    edges: dict[int, list[int]] = {}
    for number, rule in enumerate(rules):
        asked = [each.sentence for each in rule.body if each.name in inside]
        edges[number] = [
            other for other, head in enumerate(apart) if any(unify(one, head, {}) for one in asked)
        ]
    return [[rules[number] for number in part] for part in components(edges)]


def negates_itself(rules: list[Rule]) -> bool:
    """Tell whether one of the rules may make true what another, or itself, needs to be false."""
    heads = [rename_apart(rule.head) for rule in rules]
    return any(
        unify(literal.sentence, head, {})
        for rule in rules
        for literal in rule.body
        if not literal.positive and literal.name != "distinct"
        for head in heads
    )


def rename_apart(term: Term) -> Term:
    """Return a term with variables that no sheet has."""
    return substitute(term, {old: old + " apart" for old in variables(term)})
