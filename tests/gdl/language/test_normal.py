"""normal-GDL: short rules that derive what the long ones did."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl.naive import evaluate
from trellis.gdl.language.kif import read
from trellis.gdl.language.mini import to_mini
from trellis.gdl.language.normal import STRATEGIES, eliminate, is_safe, to_normal
from trellis.gdl.language.terms import Literal, Rule, Term, name_of, variables_of


def rules_of(text: str) -> list[Rule]:
    return to_mini(read(text))


def public(facts: set[Term]) -> set[Term]:
    """Leave out what only the new relations hold."""
    return {fact for fact in facts if name_of(fact).islower()}


CHAIN = "(<= (far ?a ?e) (edge ?a ?b) (edge ?b ?c) (edge ?c ?d) (edge ?d ?e))"


def test_elimination_joins_three_variables_where_the_rule_had_five():
    assert max(len(variables_of(rule.body)) for rule in eliminate(rules_of(CHAIN))) == 3


def test_an_equal_join_is_made_once():
    twice = CHAIN + "(<= (near ?x ?w) (edge ?x ?y) (edge ?y ?z) (edge ?z ?q) (edge ?q ?w))"
    assert len(eliminate(rules_of(twice))) == len(eliminate(rules_of(CHAIN))) + 1


def test_literals_written_in_another_order_are_the_same_join():
    text = """(<= (p ?x) (a ?x ?y) (b ?y ?z) (c ?z) (d ?x))
              (<= (q ?w) (d ?w) (c ?k) (b ?j ?k) (a ?w ?j) (e ?w))"""
    names = [name_of(rule.head) for rule in eliminate(rules_of(text))]
    assert len(set(names)) == len(names) == 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_variable_of_the_head_survives_every_split(strategy: str):
    text = "(a 1 2) (b 3) (c 4) (d 5) (<= (p ?x ?y ?z) (a ?x ?y) (b ?z) (c ?u) (d ?v))"
    assert ("p", "1", "2", "3") in evaluate(to_normal(rules_of(text), strategy))


def test_the_thesis_moves_only_tests():
    text = "(<= (p ?x) (not (q ?x)) (distinct ?x ?y) (r ?y) (s ?x) (t ?x))"
    names = [
        [name_of(literal.sentence) for literal in rule.body]
        for rule in to_normal(rules_of(text), "thesis")
    ]
    assert [set(body) for body in names[:1]] == [{"r", "s"}]
    assert names[-1][-1] == "t"


def test_a_test_with_variables_from_elsewhere_gets_a_domain():
    text = "(<= (p ?x) (a ?x ?y) (not (b ?y ?z)) (c ?y) (d ?z ?w) (e ?w ?x))"
    found = eliminate(rules_of(text))
    assert all(map(is_safe, found))


def test_an_unsafe_rule_is_left_for_the_checker():
    rules = rules_of("(<= (p ?x) (q ?y) (r ?y) (s ?y))")
    assert to_normal(rules) == to_normal(rules, "thesis") == eliminate(rules) == rules


def test_names_of_new_relations_stay_new_when_done_twice():
    rules = rules_of(CHAIN)
    assert to_normal(eliminate(rules))
    heads = [name_of(rule.head) for rule in to_normal(eliminate(rules), "thesis")]
    assert len(set(heads)) == len(heads)


def test_an_unknown_strategy_is_named():
    with pytest.raises(ValueError, match="'fast'; one of elimination, thesis"):
        to_normal([], "fast")


def test_ten_thousand_literals_take_bounded_time():
    body = " ".join(f"(e{i} ?v{i} ?v{i + 1})" for i in range(10_000))
    rules = rules_of(f"(<= (p ?v0) {body})")
    for strategy in STRATEGIES:
        assert len(to_normal(rules, strategy)) == 9_999


# Random programs: base facts, three strata, functions, negation, distinct.
VARIABLES = st.sampled_from(["?a", "?b", "?c", "?d", "?e"])
CONSTANTS = st.sampled_from(["1", "2", "3"])
RELATIONS = {0: [("b0", 1), ("b1", 2), ("b2", 2)], 1: [("p", 1), ("q", 2)], 2: [("r", 1), ("s", 3)]}


@st.composite
def sentences(draw: st.DrawFn, highest: int) -> Term:
    choices = [each for stratum in range(highest + 1) for each in RELATIONS[stratum]]
    name, arity = draw(st.sampled_from(choices))
    parts: list[Term] = [draw(st.one_of(VARIABLES, VARIABLES, CONSTANTS)) for _ in range(arity)]
    if draw(st.integers(0, 5)) == 0:
        parts[0] = ("f", parts[0])
    return (name, *parts)


@st.composite
def programs(draw: st.DrawFn) -> list[Rule]:
    rules = []
    for name, arity in RELATIONS[0]:
        for _ in range(draw(st.integers(0, 5))):
            parts: list[Term] = [draw(CONSTANTS) for _ in range(arity)]
            if draw(st.integers(0, 4)) == 0:
                parts[0] = ("f", parts[0])
            rules.append(Rule((name, *parts)))
    for stratum in (1, 2):
        for _ in range(draw(st.integers(1, 3))):
            name, arity = draw(st.sampled_from(RELATIONS[stratum]))
            head = (name, *(draw(st.one_of(VARIABLES, CONSTANTS)) for _ in range(arity)))
            body = [Literal(draw(sentences(stratum))) for _ in range(draw(st.integers(1, 5)))]
            negative = range(draw(st.integers(0, 2)))
            body += [Literal(draw(sentences(stratum - 1)), False) for _ in negative]
            if draw(st.booleans()):
                body.append(Literal(("distinct", draw(VARIABLES), draw(VARIABLES))))
            rule = Rule(head, tuple(draw(st.permutations(body))))
            if is_safe(rule):
                rules.append(rule)
    return rules


@settings(max_examples=150, deadline=None)
@given(programs())
def test_short_rules_derive_the_same(rules: list[Rule]):
    expected = evaluate(rules)
    for strategy in STRATEGIES:
        short = to_normal(rules, strategy)
        assert all(len(rule.body) <= 2 and is_safe(rule) for rule in short)
        assert public(evaluate(short)) == expected
    assert public(evaluate(eliminate(rules))) == expected
