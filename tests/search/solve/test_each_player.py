"""What each player can secure where there is no one value: against the definition, recursively."""

from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter, BrokenContract
from trellis.game.python_game import PythonGame
from trellis.search.solve.each_player import secure_exactly
from trellis.search.solve.proof import solve
from trellis.search.solve.strong import secure_everywhere


class RandomMoments:
    """A game of a few random moments: in each one player, several, or chance chooses."""

    simultaneous = True
    payoff_range = (0.0, 10.0)
    constant_sum = None
    max_plies = 40

    def __init__(self, seed: int, players: int, chance: bool = False):
        dice = Random(seed)
        self.players = players
        self.size = 9
        self.who = {}
        self.options = {}
        self.after = {}
        self.pay = {}
        for state in range(self.size):
            kind = dice.random()
            if state >= self.size - 3:
                self.pay[state] = [float(dice.randrange(11)) for _ in range(players)]
                continue
            if chance and kind < 0.25:
                self.who[state] = -1
                self.options[state] = {-1: 2}
            else:
                several = {p for p in range(players) if dice.random() < 0.6} or {0}
                self.who[state] = several
                self.options[state] = {p: dice.choice((1, 2, 2, 3)) for p in several}
            ranges = [range(count) for _, count in sorted(self.options[state].items())]
            for joint in product(*ranges):
                self.after[state, joint] = dice.randrange(state + 1, self.size)

    def start(self):
        return 0

    def acting(self, state):
        if state in self.pay:
            return None
        return self.who[state]

    def moves(self, state, player=None):
        if state in self.pay:
            return []
        return list(range(self.options[state][-1 if player is None else player]))

    def chances(self, state):
        return [0.25, 0.75]

    def play(self, state, move):
        joint = (move,) if isinstance(move, int) else tuple(move[p] for p in sorted(move))
        return self.after[state, joint]

    def payoffs(self, state):
        return self.pay[state]


def by_definition(game: RandomMoments, player: int) -> tuple[float, float]:
    """Max over own choices of min over the others', and min over theirs of max over own."""

    @cache
    def value(state: int, first: bool) -> float:
        if state in game.pay:
            return game.pay[state][player]
        if game.who[state] == -1:
            return sum(
                share * value(game.after[state, (move,)], first)
                for move, share in enumerate(game.chances(state))
            )
        several = sorted(game.who[state])
        own = range(game.options[state][player]) if player in several else [None]
        others = list(product(*(range(game.options[state][p]) for p in several if p != player)))

        def reach(mine, theirs):
            left = iter(theirs)
            joint = tuple(mine if p == player else next(left) for p in several)
            return value(game.after[state, joint], first)

        if first:
            return max(min(reach(mine, theirs) for theirs in others) for mine in own)
        return min(max(reach(mine, theirs) for mine in own) for theirs in others)

    return value(0, True), value(0, False)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_what_each_can_secure_is_what_the_definition_says(seed, players):
    own = RandomMoments(seed, players)
    game = PythonGame(own)
    found = solve(game, limit=20_000, seed=seed)
    assert found.bounds == tuple(by_definition(own, player) for player in range(players))
    everywhere = secure_everywhere(game)
    assert everywhere[game.start()] == found.bounds
    if players > 1:
        assert found.payoffs is None
        assert found.outcome is None
        assert found.solved == all(low == high for low, high in found.bounds)


@pytest.mark.parametrize("seed", range(25))
def test_with_chance_expectations_are_what_the_definition_says(seed):
    own = RandomMoments(seed, 2, chance=True)
    game = PythonGame(own)
    if game.start().is_chance:
        pytest.skip("chance begins; another seed looks at what follows")
    for player, (low, high) in enumerate(secure_exactly(game).bounds):
        secure, hold = by_definition(own, player)
        assert low == pytest.approx(secure, abs=1e-9)
        assert high == pytest.approx(hold, abs=1e-9)


class Pennies:
    """Both show a side at once; the first wins if the sides are the same."""

    simultaneous = True
    payoff_range = (0.0, 1.0)
    constant_sum = 1.0
    max_plies = 2

    def start(self):
        return None

    def acting(self, state):
        return {0, 1} if state is None else None

    def moves(self, state, player):
        return ["heads", "tails"]

    def play(self, state, moves):
        return moves[0] == moves[1]

    def payoffs(self, state):
        return (1.0, 0.0) if state else (0.0, 1.0)


def test_a_gap_that_only_mixing_would_close_stays_a_gap():
    found = solve(PythonGame(Pennies()), limit=1_000)
    assert not found.solved
    assert found.payoffs is None
    assert found.bounds == ((0.0, 1.0), (0.0, 1.0))


class PenniesWithTheSumHidden(Pennies):
    constant_sum = None


def test_payoffs_that_add_up_need_half_of_the_searches():
    known = trellis.search.solve.proof.prepare(PythonGame(Pennies()))
    hidden = trellis.search.solve.proof.prepare(PythonGame(PenniesWithTheSumHidden()))
    assert (len(known.each), len(hidden.each)) == (2, 4)


class PenniesOrPeace(Pennies):
    """The second player may leave pennies alone, and is then sure of half."""

    max_plies = 4

    def start(self):
        return "first"

    def acting(self, state):
        return {"first": {1}, "pennies": {0, 1}}.get(state)

    def moves(self, state, player):
        return ["pennies", "peace"] if state == "first" else ["heads", "tails"]

    def play(self, state, moves):
        if state == "first":
            return moves[1]
        return moves[0] == moves[1]

    def payoffs(self, state):
        return (0.5, 0.5) if state == "peace" else super().payoffs(state)


def test_the_best_move_of_who_was_not_searched_for_is_safe():
    """Who answers in pennies wins them, but nobody may count on being the one who answers."""
    found = solve(PythonGame(PenniesOrPeace()), limit=200)
    assert found.bounds == ((0.0, 0.5), (0.5, 1.0))
    assert found.best == "peace"


def test_the_best_move_keeps_what_two_searches_prove_together():
    """One search proves the least, the other the most; one, still open, likes another move."""
    game = trellis.load(
        "random_automaton:seed=10855,states=17,simultaneous=10,cyclic=true,payoffs=11"
    )
    found = solve(
        game, select="ucd:inf,0,1", bounds="plain", memory=0.05, c=0.0, limit=50, seed=383
    )
    assert found.bounds == ((0.3, 0.3), (0.7, 0.7))
    after = game.start().play(found.best)
    assert secure_everywhere(after)[after] == found.bounds


def test_nobody_wins_what_is_left_to_chance():
    spec = "seed=1,states=12,branching=2,chance=50,simultaneous=30,payoffs=11"
    found = solve(trellis.load(f"random_automaton:{spec}"), limit=3000)
    assert found.payoffs == pytest.approx((0.8416666666666668, 0.15833333333333321))
    assert found.outcome is None


def test_goofspiel_of_two_cards_is_even():
    game = trellis.load("goofspiel:num_cards=2")
    assert secure_exactly(game.start()).bounds == ((0.0, 0.0), (0.0, 0.0))


def test_a_choice_that_is_hidden_cannot_be_made_before_the_others_are_asked():
    game = PythonGame(Pennies())
    with pytest.raises(BadParameter, match="has chosen already"):
        solve(game.start().play("heads"), limit=10)


class Liar:
    """Says more than it keeps; `kind` says what."""

    max_moves = 4

    def __init__(self, kind: str):
        self.kind = kind
        self.payoff_range = (-1.0, 1.0)
        self.max_plies = 3 if kind == "length" else 10

    def start(self):
        return ()

    def moves(self, state):
        return [0, 1] if len(state) < 5 else []

    def play(self, state, move):
        return (*state, move)

    def payoffs(self, state):
        rare = state == (1, 0, 1, 1, 0)
        if self.kind == "range" and rare:
            return (3.0, -3.0)
        if self.kind == "sum" and rare:
            return (1.0, 1.0)
        return (1.0, -1.0) if sum(state) % 2 else (-1.0, 1.0)


@pytest.mark.parametrize(("kind", "words"), [
    ("range", "payoffs are not what was promised"),
    ("sum", "payoffs are not what was promised"),
    ("length", "longer than max_plies"),
])  # fmt: skip
@pytest.mark.parametrize("bounds", ["off", "plain"])
def test_a_game_that_breaks_its_word_is_caught_where_it_happens(kind, words, bounds):
    game = PythonGame(Liar(kind))
    with pytest.raises(BrokenContract, match=words) as caught:
        trellis.Search(game, bounds=bounds, seed=1).run(sims=5_000)
    assert "in position" in str(caught.value)


@pytest.mark.parametrize("paid", [(1, 1), (1, 0), (1, 2), (0, np.nan)])
def test_payoffs_of_those_who_choose_at_once_must_add_up_as_promised(paid):
    """One player's bounds are the other's, so a search for one has to look at both."""

    class Together:
        simultaneous = True
        max_plies = 2

        def start(self):
            return "start"

        def acting(self, state):
            return {0, 1} if state == "start" else None

        def moves(self, state, player):
            return ["a", "b"]

        def play(self, state, moves):
            return moves[0], moves[1]

        def payoffs(self, state):
            return paid if state == ("b", "b") else (0, 0)

    asks = (
        lambda game: solve(game, limit=200),
        secure_everywhere,
        lambda game: secure_exactly(game.start()),
    )
    for ask in asks:
        with pytest.raises(BrokenContract, match="payoffs are not what was promised"):
            ask(PythonGame(Together()))
