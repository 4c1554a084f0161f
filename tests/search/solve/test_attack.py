"""Nothing that is called proven of random games is false.

`benchmarks/attack_proofs.py` does the same with as many games as one likes.
"""

from collections import Counter
from random import Random

import attack_claims
import attack_proofs
import pytest
from attack_claims import ANYTHING, Answer, Claim
from attack_proofs import (
    Truth,
    TruthOfAutomaton,
    Verdict,
    attack,
    attack_automaton,
    attack_sheet,
    shrink,
)  # fmt: skip

from trellis.games.random_automaton import RandomAutomaton

from attack.sheets import CHOICES, draw_kind
from attack.truth import Graph, Spot

CORNERS = CHOICES["corner"]
SEEDS = range(8)  # of sheets with each corner


def total(verdicts):
    """Add up what was counted."""
    return sum((verdict.counts for verdict in verdicts), start=Counter())


@pytest.mark.parametrize("corner", CORNERS)
def test_nothing_false_is_proven_of_random_sheets(corner):
    for seed in SEEDS:
        kind = draw_kind(seed, corner=corner)
        assert not attack_sheet(seed, kind).wrong, kind


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_nothing_false_is_proven_of_random_automata(first):
    for seed in range(first, first + 50):
        verdict = attack_automaton(seed)
        assert not verdict.wrong, verdict.text


def test_the_attack_asks_something():
    """Many claims are made, some proofs succeed, and some are left open."""
    counts = total(attack_automaton(seed) for seed in range(60))
    assert counts["claims"] > 500
    for way in ("solve", "strong", "star", "exact", "questions", "portfolio", "certificate"):
        assert counts[f"{way} proven"] > 0, way
    for way in ("solve", "star", "questions"):
        assert counts[f"{way} open"] > 0, way


# --- faults that are planted are found


def judged(game, truth=None):
    verdict = Verdict("automaton", 0)
    attack(game, truth or TruthOfAutomaton(game), verdict, Random(1))
    return verdict


def lying(change, **settings):
    """Return automata that say of themselves what is not so."""
    for seed in range(30):
        game = RandomAutomaton(seed=seed, states=12, payoffs=5, **settings)
        truth = TruthOfAutomaton(game)
        change(game)
        yield judged(game, truth)


def test_payoffs_that_do_not_add_up_are_found_out():
    def claim_a_sum(game):
        game.constant_sum = 1.0

    found = total(lying(claim_a_sum, general=True))
    assert found["facts wrong"] > 20
    for way in ("solve", "strong", "exact"):  # whoever meets such an end says so
        assert found[f"{way} wrong"] == 0
        assert found[f"{way} refused"] > 20


def test_choices_that_are_not_hidden_are_found_out():
    def let_all_see(game):
        game.rules = game.rules._replace(actors=None, view=None)

    found = total(lying(let_all_see, simultaneous=50))
    assert found["facts wrong"] > 20
    assert found["solve wrong"] > 0
    assert found["strong wrong"] > 3
    assert found["exact wrong"] > 3


def test_games_that_go_on_for_longer_than_they_say_are_found_out():
    def claim_two_plies(game):
        game.max_plies = 2

    assert sum(each.counts["facts wrong"] for each in lying(claim_two_plies)) > 10


@pytest.mark.parametrize("way", ["solve", "strong", "star", "exact"])
def test_a_bound_that_is_too_good_is_found_out(way, monkeypatch):
    honest = attack_claims.WAYS[way]

    def too_good(game, dice):
        answer = honest(game, dice)
        for claim in answer.claims[:1]:
            bounds = tuple((low + 0.001, high) for low, high in claim.bounds)
            answer.claims[0] = Claim(bounds, claim.position)
        return answer

    monkeypatch.setitem(attack_claims.WAYS, way, too_good)
    found = [attack_automaton(seed) for seed in range(40)]
    assert sum(verdict.counts[f"{way} wrong"] for verdict in found) > 5
    assert {each["way"] for verdict in found for each in verdict.wrong} == {way}


class ByNumber(Truth):
    """A truth in which claims are about the first position."""

    def place(self, claim):
        return 0


def test_claims_are_compared_with_what_players_can_be_sure_of():
    pennies = Graph(
        [Spot((2, 2), targets=(1, 2, 2, 1)), Spot(pays=(100, 0)), Spot(pays=(0, 100))], 2, 0, 100
    )
    truth = ByNumber(RandomAutomaton(), pennies)
    assert truth.refute(Claim(((0.0, 100.0), ANYTHING))) is None
    assert "can be sure of 0 only" in truth.refute(Claim(((1e-9, 100.0), ANYTHING)))
    assert "can be held to 100 only" in truth.refute(Claim((ANYTHING, (0.0, 99.0))))
    facts = {"turn-taking": True, "constant sum": 90.0, "longest game": 1}
    assert len([*truth.refute_facts(facts)]) == 3


def test_a_wrong_sheet_is_made_simpler(monkeypatch):
    def lie(game, dice):
        return Answer("lie", {}, [Claim(((200.0, 200.0),) * game.players)])

    monkeypatch.setattr(attack_proofs, "WAYS", {"lie": lie})
    monkeypatch.setattr(attack_proofs, "CHOSEN", ["lie"])
    kind = draw_kind(5, players=2, corner="sum", lock=6, tries=3, waiting="odd")
    simple = shrink(5, kind)
    assert (simple.lock, simple.tries, simple.waiting) == (1, 2, "same")
