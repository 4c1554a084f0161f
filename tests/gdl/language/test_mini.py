"""mini-GDL: bodies that are plain lists of literals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.naive import evaluate
from trellis.gdl.checking.check import check
from trellis.gdl.language.kif import read, to_term, write
from trellis.gdl.language.mini import MOST_ALTERNATIVES, to_mini
from trellis.gdl.language.terms import Literal, Rule


def mini(text):
    reading = read(text)
    rules = to_mini(reading)
    assert not reading.findings
    return [
        (
            write(rule.head),
            *(
                write(each.sentence) if each.positive else f"-{write(each.sentence)}"
                for each in rule.body
            ),
        )
        for rule in rules
    ]


def test_a_disjunction_is_two_rules():
    assert mini("(<= p (or a b) c)") == [("p", "a", "c"), ("p", "b", "c")]


def test_negations_move_inwards():
    assert mini("(<= p (not (or a (not b))))") == [("p", "-a", "b")]
    assert mini("(<= p (not (and a b)))") == [("p", "-a"), ("p", "-b")]
    assert mini("(<= p (not (not a)))") == [("p", "a")]


@pytest.mark.parametrize("text", ["(p <= a b)", "(=> a b p)", "(a b => p)", "(p :- a b)"])
def test_infix_rules_of_old_sheets(text):
    assert mini(text) == [("p", "a", "b")]


@pytest.mark.parametrize(
    "text",
    ["(<= p (a | b))", "(p <= a | b)", "(<= p ((a)|(b)))", "(a or b => p)", "(p :- (| a b))"],
)
def test_infix_disjunctions(text):
    assert mini(text) == [("p", "a"), ("p", "b")]


def test_infix_conjunctions_need_no_parentheses():
    assert mini("((p ?x) <= (q ?x) & (r ?x) & c)") == [("(p ?x)", "(q ?x)", "(r ?x)", "c")]


def test_infix_formulas():
    assert mini("(<= p (a & b) (~ c))") == [("p", "a", "b", "-c")]
    assert mini("(<= (p ?x) (q ?x) (?x != 3))") == [("(p ?x)", "(q ?x)", "(distinct ?x 3)")]


def test_equality_replaces_variables_and_takes_functions_apart():
    assert mini("(<= (p ?x) (q ?x ?y) (= (f ?x 1) (f 2 ?y)))") == [("(p 2)", "(q 2 1)")]
    assert mini("(<= (p ?x) (q ?x) (= (f ?x) (g ?x)))") == []
    assert mini("(<= (p ?x) (q ?x) (= ?x (f ?x)))") == []


def test_distinct_of_functions_is_taken_apart():
    assert mini("(<= p (q ?x ?y) (distinct (f ?x 1) (f 2 ?y)))") == [
        ("p", "(q ?x ?y)", "(distinct ?x 2)"),
        ("p", "(q ?x ?y)", "(distinct ?y 1)"),
    ]
    assert mini("(<= p (q ?x) (distinct (f ?x) 3))") == [("p", "(q ?x)")]
    assert mini("(<= p (q ?x) (distinct ?x ?x))") == []


def test_a_rule_against_itself_is_dropped():
    assert mini("(<= p q (not q))") == []


def test_too_many_alternatives_are_an_error_with_a_place():
    reading = read("(a)\n(<= p " + "(or a b) " * 20 + ")")
    assert to_mini(reading) == [Rule("a", (), 1, 1)]
    assert [(each.line, each.column) for each in reading.findings] == [(2, 1)]
    assert f"{MOST_ALTERNATIVES:,} alternatives" in reading.findings[0].message


def test_distinct_alone_cannot_explode_either():
    long = " ".join(f"(distinct (f ?x{i} ?y{i} ?z{i}) (f 1 2 3))" for i in range(20))
    reading = read(f"(<= p {long})")
    assert to_mini(reading) == []
    assert "alternatives" in reading.findings[0].message


FORMULAS = st.recursive(
    st.sampled_from(["a", "b", "c", "d"]),
    lambda inner: st.one_of(
        st.builds("(not {})".format, inner),
        st.builds("(and {} {})".format, inner, inner),
        st.builds("(or {} {})".format, inner, inner),
    ),
    max_leaves=8,
)


def holds(formula, facts):
    if isinstance(formula, str):
        return formula in facts
    name, *parts = formula
    if name == "not":
        return not holds(parts[0], facts)
    return (all if name == "and" else any)(holds(part, facts) for part in parts)


@given(FORMULAS, st.sets(st.sampled_from(["a", "b", "c", "d"])))
def test_the_normal_form_means_the_same(formula, facts):
    rules = to_mini(read(f"(<= p {formula})"))
    whole = to_term(read(formula).forms[0])
    assert ("p" in evaluate(rules, facts)) == holds(whole, facts)
    for rule in rules:
        assert all(isinstance(each, Literal) for each in rule.body)


@pytest.mark.parametrize(
    "body",
    ["distinct", "(distinct a)", "(distinct a b c)", "(not (distinct a b c))", "(a # b # c)"],
)
def test_comparisons_of_other_than_two_things_are_left_to_the_checker(body):
    reading = read(f"(<= h (p ?x) {body})")
    to_mini(reading)
    assert any(finding.kind == "error" for finding in check(reading)) or "#" in body
