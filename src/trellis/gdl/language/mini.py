"""From forms to mini-GDL: rules whose bodies are plain lists of literals.

Disjunctions and nested negations become disjunctive normal form, one rule for each alternative.
Equality is gone: `(not (distinct a b))` and `(= a b)` replace a variable, or take a function apart;
what is left of `distinct` compares a variable with a variable or a constant.
"""

import math
from collections.abc import Iterator
from itertools import product

from trellis.gdl.language.kif import Form, NoTerm, Reading, to_term
from trellis.gdl.language.terms import Literal, Rule, Term, is_variable, substitute_fully, unify

MOST_ALTERNATIVES = 20_000  # of one rule in disjunctive normal form
MOST_RULES = 500_000  # of a sheet

ARROWS = frozenset(["<=", ":-", "<-"])
_BOTH = frozenset(["and", "&", "&&", "∧", "^"])
_EITHER = frozenset(["or", "|", "||", "∨"])
_OPERATORS = {
    **dict.fromkeys(_BOTH, "and"),
    **dict.fromkeys(_EITHER, "or"),
    **dict.fromkeys(["not", "~", "!", "¬", "-"], "not"),
    **dict.fromkeys(["=", "=="], "="),
    **dict.fromkeys(["distinct", "!=", "/=", "#"], "distinct"),
}
OPERATORS = frozenset(_OPERATORS)

Alternative = tuple[Literal, ...]


def split_statement(form: Form) -> tuple[Form, tuple[Form, ...]]:
    """Return head and body of a rule or fact, in prefix form or, as old sheets have it, infix."""
    parts = form.value
    if isinstance(parts, str) or not parts:
        return form, ()
    if parts[0].value in ARROWS and len(parts) > 1:
        return parts[1], _body(parts[2:])
    if parts[0].value == "=>" and len(parts) > 1:
        return parts[-1], _body(parts[1:-1])
    if len(parts) > 2 and parts[1].value in ARROWS:
        return parts[0], _body(parts[2:])
    if len(parts) > 2 and parts[-2].value == "=>":
        return parts[-1], _body(parts[:-2])
    return form, ()


def _body(parts: tuple[Form, ...]) -> tuple[Form, ...]:
    """Return the formulas of a body; `a & b & c` is one, as if it stood in parentheses."""
    if len(parts) < 3 or parts[1].value not in _BOTH | _EITHER:
        return parts
    whole = Form(parts, parts[0].line, parts[0].column)
    return (whole,) if operator(whole)[0] else parts


def operator(form: Form) -> tuple[str, tuple[Form, ...]]:
    """Return "and", "or", "not", "=", "distinct" or "" for a sentence, and what it is applied to.

    Infix, `(a & b & c)` and `(?x = ?y)`, is the same as prefix.
    """
    parts = form.value
    if isinstance(parts, str) or not parts:
        return "", ()
    name, given = _OPERATORS.get(form.name, ""), parts[1:]
    if not _takes(name, len(given)):
        between = {str(part.value) for part in parts[1::2]}
        name = _OPERATORS.get(between.pop(), "") if len(between) == 1 else ""
        given = parts[0::2]
        if name == "not" or len(parts) % 2 == 0 or not _takes(name, len(given)):
            return "", ()
    return name, given


def _takes(name: str, count: int) -> bool:
    """Tell whether an operator is one, applied to so much."""
    return name != "" and count == {"not": 1, "=": 2, "distinct": 2}.get(name, count)


class TooManyAlternatives(Exception):
    """A rule's disjunctive normal form is larger than anything we want to look at."""

    def __init__(self) -> None:
        super().__init__(
            f"this rule has more than {MOST_ALTERNATIVES:,} alternatives in normal form"
        )


def to_mini(reading: Reading) -> list[Rule]:
    """Return the mini-GDL rules of all statements; complains of what it must leave out."""
    rules: list[Rule] = []
    for form in reading.forms:
        if len(rules) > MOST_RULES:
            reading.complain(form.line, form.column, f"more than {MOST_RULES:,} rules up to here")
            break
        try:
            rules += statement_to_mini(form)
        except NoTerm as fault:
            reading.complain(fault.form.line, fault.form.column, str(fault))
        except TooManyAlternatives as fault:
            reading.complain(form.line, form.column, str(fault))
    return list(dict.fromkeys(rules))


def statement_to_mini(form: Form) -> Iterator[Rule]:
    """Yield the mini-GDL rules of one statement."""
    head_form, body = split_statement(form)
    head = to_term(head_form)
    for alternative in _conjunction([_alternatives(part, True) for part in body]):
        yield from _without_equality(head, alternative, form)


def _alternatives(form: Form, positive: bool) -> list[Alternative]:
    """Return a formula, or its negation, in disjunctive normal form."""
    name, parts = operator(form)
    if name == "not":
        return _alternatives(parts[0], not positive)
    if name in ("and", "or"):
        below = [_alternatives(part, positive) for part in parts]
        if (name == "and") == positive:
            return _conjunction(below)
        found = [alternative for alternatives in below for alternative in alternatives]
        if len(found) > MOST_ALTERNATIVES:
            raise TooManyAlternatives
        return found
    if name in ("=", "distinct"):
        left, right = map(to_term, parts)
        return [(Literal(("distinct", left, right), (name == "distinct") == positive),)]
    return [(Literal(to_term(form), positive),)]


def _conjunction(below: list[list[Alternative]]) -> list[Alternative]:
    count = 1
    for alternatives in below:
        count *= len(alternatives)
        if count > MOST_ALTERNATIVES:
            raise TooManyAlternatives
    return [tuple(dict.fromkeys(sum(choice, ()))) for choice in product(*below)]


def _without_equality(head: Term, body: Alternative, form: Form) -> Iterator[Rule]:
    """Carry out equalities, take `distinct` of functions apart, drop what can never hold."""
    values: dict[str, Term] = {}
    for literal in body:
        if _compares(literal) and not literal.positive:
            left, right = literal.arguments
            if not unify(left, right, values):
                return
    choices: list[list[Alternative]] = []
    for literal in body:
        changed = literal._replace(sentence=substitute_fully(literal.sentence, values))
        if not _compares(changed):
            choices.append([(changed,)])
        elif changed.positive:
            choices.append(list(_differences(*changed.arguments)))
    head = substitute_fully(head, values)
    if math.prod(map(len, choices)) > MOST_ALTERNATIVES:
        raise TooManyAlternatives
    for choice in product(*choices):
        kept = tuple(dict.fromkeys(sum(choice, ())))
        positive = {literal.sentence for literal in kept if literal.positive}
        if not any(not each.positive and each.sentence in positive for each in kept):
            yield Rule(head, kept, form.line, form.column)


def _compares(literal: Literal) -> bool:
    """Tell whether a literal is a comparison as it should be; the checker complains of others."""
    return literal.name == "distinct" and len(literal.arguments) == 2


def _differences(left: Term, right: Term) -> Iterator[Alternative]:
    """Yield ways in which two terms differ; the empty one where they always do."""
    if left == right:
        return
    if is_variable(left) or is_variable(right):
        pair = (right, left) if not is_variable(left) else (left, right)
        yield (Literal(("distinct", *pair)),)
    elif (
        isinstance(left, str)
        or isinstance(right, str)
        or left[0] != right[0]
        or len(left) != len(right)
    ):
        yield ()
    else:
        for a, b in zip(left[1:], right[1:], strict=True):
            yield from _differences(a, b)
