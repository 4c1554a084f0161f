"""The and-inverter graph against truth tables."""

from itertools import product
from random import Random

import pytest

from trellis.gdl.circuit.aig import FALSE, TRUE, Net, needed, never_changing, rebuild


def value(net, literal, inputs):
    """Evaluate a literal by definition."""
    known = {0: False, **inputs}
    for node, fan in enumerate(net.fan):
        if fan:
            known[node] = all(known[each >> 1] != bool(each & 1) for each in fan)
    return known[literal >> 1] != bool(literal & 1)


def random_net(random, inputs, gates, group=()):
    net = Net()
    literals = [net.add_input() for _ in range(inputs)]
    net.add_group([literals[i] for i in group])
    meaning = {literal: (lambda values, i=i: values[i]) for i, literal in enumerate(literals)}
    formulas = [(literals[i], meaning[literals[i]]) for i in range(inputs)]
    for _ in range(gates):
        chosen = [random.choice(formulas) for _ in range(random.randint(1, 4))]
        signs = [random.random() < 0.5 for _ in chosen]
        parts = [literal ^ sign for (literal, _), sign in zip(chosen, signs, strict=True)]
        both = random.random() < 0.5
        made = net.conjunction(parts) if both else net.disjunction(parts)

        def formula(values, chosen=chosen, signs=signs, both=both):
            truths = [bool(f(values)) != sign for (_, f), sign in zip(chosen, signs, strict=True)]
            return all(truths) if both else any(truths)

        formulas.append((made, formula))
    return net, literals, formulas


@pytest.mark.parametrize("seed", range(40))
def test_literals_mean_their_formulas(seed):
    random = Random(seed)
    net, literals, formulas = random_net(random, 5, 12)
    for values in product([False, True], repeat=5):
        inputs = {literal >> 1: held for literal, held in zip(literals, values, strict=True)}
        for literal, formula in formulas:
            assert value(net, literal, inputs) == bool(formula(values))


@pytest.mark.parametrize("seed", range(40))
def test_of_a_group_exactly_one_holds_and_nothing_else_is_promised(seed):
    random = Random(seed)
    net, literals, formulas = random_net(random, 6, 15, group=(0, 1, 2, 3))
    for chosen in range(4):
        for rest in product([False, True], repeat=2):
            values = [i == chosen for i in range(4)] + list(rest)
            inputs = {literal >> 1: held for literal, held in zip(literals, values, strict=True)}
            for literal, formula in formulas:
                assert value(net, literal, inputs) == bool(formula(values))


def test_the_same_conjunction_is_the_same_node():
    net = Net()
    a, b, c = (net.add_input() for _ in range(3))
    assert net.conjunction([a, b, b, TRUE]) == net.conjunction([b, a])
    assert net.conjunction([a, a ^ 1]) == FALSE
    assert net.conjunction([]) == TRUE
    assert net.disjunction([a, c]) == net.conjunction([a ^ 1, c ^ 1]) ^ 1


@pytest.mark.parametrize("seed", range(40))
def test_rebuilding_changes_no_output(seed):
    random = Random(seed)
    net, literals, formulas = random_net(random, 5, 20)
    outputs = [literal ^ random.randint(0, 1) for literal, _ in random.sample(formulas, 4)]
    replaced = {literals[0]: random.randint(0, 1)}
    made, where = rebuild(net, outputs, replaced, [])
    assert sum(map(bool, needed(made, [where[o & ~1] ^ (o & 1) for o in outputs]))) <= len(net.fan)
    for values in product([False, True], repeat=5):
        if values[0] != bool(replaced[literals[0]]):
            continue
        old = {literal >> 1: held for literal, held in zip(literals, values, strict=True)}
        new = {where[literal] >> 1: held for literal, held in zip(literals, values, strict=True)}
        new[0] = False
        for output in outputs:
            there = where[output & ~1] ^ (output & 1)
            assert value(made, there, new) == value(net, output, old)


@pytest.mark.parametrize("seed", range(30))
def test_what_never_changes_is_the_same_in_every_reachable_state(seed):
    random = Random(seed)
    net, literals, formulas = random_net(random, 5, 14)
    held, free = literals[:4], literals[4]
    latches = [
        (latch, random.choice(formulas)[0] ^ random.randint(0, 1), random.random() < 0.5)
        for latch in held
    ]
    found = never_changing(net, latches)
    start = tuple(first for _, _, first in latches)
    seen, work = {start}, [start]
    while work:
        state = work.pop()
        for choice in (False, True):
            inputs = {latch >> 1: truth for latch, truth in zip(held, state, strict=True)}
            inputs[free >> 1] = choice
            after = tuple(value(net, following, inputs) for _, following, _ in latches)
            if after not in seen:
                seen.add(after)
                work.append(after)
    for i, (latch, _, first) in enumerate(latches):
        if latch in found:
            assert {state[i] for state in seen} == {first} == {bool(found[latch])}
