"""How to chain forward: what is fixed, what changes, and which two changing facts meet.

The plan is what `emit` writes a program from.  Relations that never look at the state are evaluated
here, once.  All other rules get at most two literals that can change; the fixed ones stay with them
and cost nothing while playing, since the outcome of a join is remembered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from trellis.game.errors import BadParameter
from trellis.gdl.forward.store import MOST_FACTS, Query, Store, evaluate, follow
from trellis.gdl.language.dependencies import (
    components,
    needs,
    negates_itself,
    parts_by_rule,
    reachable,
    reaching,
    rename_apart,
)
from trellis.gdl.language.magic_sets import on_demand_where_possible
from trellis.gdl.language.normal import Joins, close, eliminate, in_order
from trellis.gdl.language.terms import (
    Literal,
    Rule,
    Term,
    arguments,
    name_of,
    sentence,
    substitute,
    substitute_fully,
    unify,
    variables,
    variables_of,
)

INPUTS = ("true", "does")
QUERIES = ("legal", "terminal", "goal", "next")
_MOST_PAIRS = 40_000  # heads compared one by one
_MOST_USES = 4  # of a relation that is put into the joins that use it
_WANTED = (*QUERIES, "init", "role")
_BUDGET = 30_000  # facts of a fixed relation; larger ones are derived where they are asked for


class Join(NamedTuple):
    """`head` holds where the changing literals do and the fixed ones give it values.

    `first` is positive where there are two; one alone may be negative.
    """

    head: Term
    first: Literal
    second: Literal | None
    fixed: tuple[Literal, ...]

    @property
    def name(self) -> str:
        """The relation of the head."""
        return name_of(self.head)

    @property
    def variables(self) -> set[str]:
        """The variables of the head."""
        return set(variables(self.head))

    @property
    def moving(self) -> list[Literal]:
        """The literals that can change, one or two."""
        return [self.first] if self.second is None else [self.first, self.second]


@dataclass
class Plan:
    """What a program for forward chaining is written from."""

    store: Store = field(default_factory=Store)
    roles: list[Term] = field(default_factory=list)
    initial: list[Term] = field(default_factory=list)  # what is inside `init`
    given: list[Term] = field(default_factory=list)  # changing relations' facts that always hold
    joins: list[Join] = field(default_factory=list)
    order: list[list[str]] = field(default_factory=list)  # changing relations, what is needed first
    circular: set[str] = field(default_factory=set)  # relations that need themselves
    levels: dict[str, int] = field(default_factory=dict)  # 0: each state, 1: each move, 2: goals
    once: set[str] = field(default_factory=set)  # queries whose facts follow in one way at most
    queries_see_moves: bool = False  # not valid, and met: `legal` and the like look at `does`


def make_plan(rules: Iterable[Rule], large: Iterable[str] = ()) -> Plan:
    """Plan forward chaining for the mini-GDL rules of a sheet.

    Relations in `large`, and fixed ones that prove to be, are derived only where asked for.
    """
    whole = split_layers(close(rules))
    wanted = reachable(needs(whole), _WANTED)
    whole = [rule for rule in whole if rule.name in wanted]
    short = eliminate(whole)
    plan = Plan()
    too_large = _evaluate_fixed(plan, short, _BUDGET) | set(large)
    if too_large:
        plan = Plan()
        short = eliminate(_demanding(whole, too_large))
        _evaluate_fixed(plan, short, MOST_FACTS)
    changing = _changing(short)
    joins = Joins(short)
    for rule in short:
        if rule.name in changing and rule.name not in ("init", "role"):
            for part in _at_most_two(rule, joins, changing):
                _take(plan, part, changing)
    _inline(plan)
    _order(plan)
    plan.once = {name for name in ("legal", "next") if _follows_once(plan, name)}
    return plan


def _changing(rules: list[Rule]) -> set[str]:
    return reaching(needs(rules), INPUTS) | set(QUERIES)


def _evaluate_fixed(plan: Plan, rules: list[Rule], budget: int) -> set[str]:
    """Evaluate what never changes; return the relations that are too large for that."""
    changing = _changing(rules)
    fixed = [rule for rule in rules if rule.name not in changing]
    too_large = evaluate(plan.store, fixed, budget)
    plan.roles = [arguments(fact)[0] for fact in plan.store.facts("role")]
    first = plan.store
    if "init" in changing:  # not valid: it looks at a state that is not there yet
        first = Store()
        needed = reachable(needs(rules), ["init"])
        evaluate(first, [rule for rule in rules if rule.name in needed])
    plan.initial = [arguments(fact)[0] for fact in first.facts("init")]
    return too_large


def _demanding(rules: list[Rule], too_large: set[str]) -> list[Rule]:
    """Rewrite rules so that large relations are derived only where they are asked for."""
    asked = reaching(needs(rules), too_large & {rule.name for rule in rules})
    return split_layers(on_demand_where_possible(rules, _WANTED, asked - set(_WANTED)))


# --- rules made fit


def split_layers(rules: list[Rule]) -> list[Rule]:
    """Give each layer of a relation that negates itself a name of its own.

    After that no relation negates itself, and the order of evaluation is one of names.
    """
    edges = needs(rules)
    renamed: dict[int, list[Rule]] = {}
    unions: dict[Rule, None] = {}
    for names in components(edges):
        inside = set(names)
        if not any(edges.get(name, {}).get(below) for name in names for below in inside):
            continue
        mine = [rule for rule in rules if rule.name in inside]
        layer: dict[int, int] = {}
        for number, part in enumerate(parts_by_rule(mine, inside)):
            if negates_itself(part):
                raise BadParameter(f"negation in a cycle: {part[0].name!r} needs its own opposite")
            layer.update((id(rule), number) for rule in part)
        heads = [(rename_apart(rule.head), layer[id(rule)]) for rule in mine]
        for rule in mine:
            head = _in_layer(rule.head, layer[id(rule)])
            bodies = _bodies(rule.body, inside, heads)
            renamed[id(rule)] = [rule._replace(head=head, body=body) for body in bodies]
            given = [f"?{place}" for place in range(len(rule.arguments))]
            plain = sentence(rule.name, *given)
            unions[Rule(plain, (Literal(_in_layer(plain, layer[id(rule)])),))] = None
    return [*(new for rule in rules for new in renamed.get(id(rule), [rule])), *unions]


def _in_layer(term: Term, layer: int) -> Term:
    return sentence(f"Layer{layer} {name_of(term)}", *arguments(term))


def _bodies(
    body: Sequence[Literal], inside: set[str], heads: list[tuple[Term, int]]
) -> list[tuple[Literal, ...]]:
    """Name the layers that a body looks at: any of them makes a literal true, all a negation."""
    bodies: list[tuple[Literal, ...]] = [()]
    for literal in body:
        if literal.name not in inside:
            bodies = [(*done, literal) for done in bodies]
            continue
        met = sorted({layer for head, layer in heads if unify(literal.sentence, head, {})})
        named = [literal._replace(sentence=_in_layer(literal.sentence, layer)) for layer in met]
        if literal.positive:
            bodies = [(*done, each) for done in bodies for each in named]
        else:
            bodies = [(*done, *named) for done in bodies]
    return bodies


# --- joins


def _at_most_two(rule: Rule, joins: Joins, changing: set[str]) -> list[Rule]:
    """Split a rule until no body has more than two literals that can change."""
    found: list[Rule] = []
    body = list(dict.fromkeys(rule.body))
    while True:
        ordered = _by_change(body, changing)
        places = [at for at, each in enumerate(ordered) if each.name in changing]
        both_negative = len(places) > 1 and not any(ordered[at].positive for at in places[:2])
        if len(places) < 2 or (len(places) == 2 and not both_negative):
            return [*found, rule._replace(body=tuple(ordered))]
        end = places[0] + 1 if both_negative else places[1] + 1
        bound = variables_of(ordered[:end])
        while end < len(ordered) and ordered[end].name not in changing:
            if not ordered[end].variables <= bound:
                break
            end += 1
        first, rest = ordered[:end], ordered[end:]
        kept = variables_of(first) & (variables_of(rest) | rule.variables)
        joined = joins.relation(first, kept, rule, found)
        changing.add(joined.name)
        body = [joined, *rest]


def _by_change(body: list[Literal], changing: set[str]) -> list[Literal]:
    """Order literals: facts that change first, neighbours together, tests as early as they can."""

    def cost(literal: Literal, known: set[str]) -> tuple[int, int]:
        mine = literal.variables
        moves = literal.name in changing
        if not literal.is_generator:
            return (9 if not mine <= known else 3 if moves else 0, 0)
        if mine <= known:
            return (2 if moves else 1, 0)
        if not known:
            return (4 if moves else 7, -len(mine))
        near = bool(mine & known)
        return ((5 if moves else 6) if near else 7 if moves else 8, len(mine - known))

    return list(in_order(body, (), cost))


def _take(plan: Plan, rule: Rule, changing: set[str]) -> None:
    moving = [each for each in rule.body if each.name in changing]
    moving.sort(key=lambda literal: not literal.positive)
    fixed = tuple(each for each in rule.body if each not in moving)
    if moving:
        plan.joins.append(_join(rule.head, moving, fixed))
        return
    solutions = Query(plan.store, fixed).run({})
    plan.given += {substitute(rule.head, values): None for values in solutions}


def _join(head: Term, moving: list[Literal], fixed: tuple[Literal, ...]) -> Join:
    return Join(head, moving[0], moving[1] if len(moving) > 1 else None, fixed)


def _inline(plan: Plan) -> None:
    """Put relations that only rename the facts of another into the joins that use them."""
    made: dict[str, list[Join]] = {}
    uses: dict[str, list[Literal]] = {}
    for join in plan.joins:
        made.setdefault(join.name, []).append(join)
        for literal in join.moving:
            uses.setdefault(literal.name, []).append(literal)
    given = {name_of(fact) for fact in plan.given} | set(QUERIES)
    plain = {
        name: joins[0]
        for name, joins in made.items()
        if len(joins) == 1
        and name not in given
        and len(uses.get(name, ())) <= _MOST_USES
        and all(literal.positive for literal in uses.get(name, ()))
        and _only_renames(plan.store, joins[0])
    }
    kept: list[Join] = []
    fresh = count()
    for join in plan.joins:
        if join.name not in plain:
            for _ in range(len(plain)):
                new = _inlined(join, plain, next(fresh))
                if new == join:
                    break
                join = new
            kept.append(join)
    plan.joins = kept


def _only_renames(store: Store, join: Join) -> bool:
    """Tell whether each fact of a relation comes from a single fact of another."""
    if join.second is not None or not join.first.positive or join.first.name == join.name:
        return False
    _, known = follow(store, join.fixed, join.variables, 1.0)
    return join.first.variables <= known


def _inlined(join: Join, plain: dict[str, Join], fresh: int) -> Join:
    """Replace one literal of a join by what it is made of; `fresh` tells its variables apart."""
    for place, literal in enumerate(join.moving):
        source = plain.get(literal.name)
        if source is None:
            continue
        apart = {
            old: f"{old} {fresh}"
            for old in variables_of([Literal(source.head), source.first, *source.fixed])
        }
        values: dict[str, Term] = {}
        if not unify(literal.sentence, substitute(source.head, apart), values):
            continue

        def put(given: Literal, names: dict[str, str] | None = None) -> Literal:
            return Literal(
                substitute_fully(substitute(given.sentence, names or {}), values),  # noqa: B023
                given.positive,
            )

        moving = [put(each) for each in join.moving]
        moving[place] = put(source.first, apart)
        fixed = [put(each) for each in join.fixed] + [put(each, apart) for each in source.fixed]
        return _join(substitute_fully(join.head, values), moving, tuple(dict.fromkeys(fixed)))
    return join


def _order(plan: Plan) -> None:
    edges: dict[str, dict[str, None]] = {}
    for join in plan.joins:
        edges.setdefault(join.name, {}).update(dict.fromkeys(each.name for each in join.moving))
    for name in (*map(name_of, plan.given), *QUERIES):
        edges.setdefault(name, {})
    for names in components(edges):
        if names[0] not in INPUTS and names[0] in edges:
            plan.order.append(names)
            if len(names) > 1 or names[0] in edges[names[0]]:
                plan.circular.update(names)
    state = reachable(edges, ["legal", "terminal"])
    goal, move = reachable(edges, ["goal"]), reachable(edges, ["next"])
    plan.queries_see_moves = "does" in state | goal
    for names in plan.order:
        for name in names:
            first = name in state or (name in goal and name in move)
            plan.levels[name] = 0 if first else 1 if name in move else 2


def _follows_once(plan: Plan, name: str) -> bool:
    """Tell whether nothing looks at a relation and no fact of it follows in two ways."""
    heads: list[Term] = [fact for fact in plan.given if name_of(fact) == name]
    for join in plan.joins:
        if any(each.name == name for each in join.moving):
            return False
        if join.name == name:
            if not variables_of(join.moving) <= join.variables:
                return False
            heads.append(rename_apart(join.head))
    if len(heads) ** 2 > _MOST_PAIRS:
        return False
    apart = [rename_apart(head) for head in heads]
    return not any(
        unify(head, other, {}) for at, head in enumerate(heads) for other in apart[at + 1 :]
    )
