"""Goofspiel: hidden bids, ties, the round that plays itself, and how the win is shared."""

import random

import numpy as np
import pytest
from random_play import ends_of_playouts

from trellis.game.playouts import PlayoutRunner
from trellis.loading import load


def _points(position):
    word = int(position.state[1])
    return [word >> 16 * player & 0xFFFF for player in range(position.game.players)]


def test_the_highest_bid_takes_the_prize():
    position = load("goofspiel:num_cards=5").start().play("4", "2", "5")
    assert _points(position) == [0, 4]


def test_tied_highest_bids_take_nothing():
    position = load("goofspiel:num_cards=5,players=3").start().play("4", "5", "2", "5")
    assert _points(position) == [0, 0, 0]


def test_a_tie_below_the_highest_bid_does_not_matter():
    position = load("goofspiel:num_cards=5,players=4").start().play("4", "2", "3", "2", "2")
    assert _points(position) == [0, 4, 0, 0]


def test_the_last_cards_play_themselves():
    position = load("goofspiel:num_cards=3,points_order=descending").start()
    # Prize 3: 3 beats 2.  Prize 2: 1 loses to 3.  Prize 1, by itself: 2 beats 1.
    position = position.play("3", "2", "1", "3")
    assert position.is_over
    assert _points(position) == [4, 2]
    assert position.payoffs() == (1.0, -1.0)


def test_a_single_card_is_still_bid():
    position = load("goofspiel:num_cards=1").start().play("1", "1", "1")
    assert position.is_over
    assert position.payoffs() == (0.0, 0.0)


@pytest.mark.parametrize(("order", "prizes"), [("descending", [4, 3, 2]), ("ascending", [1, 2, 3])])
def test_fixed_orders_need_no_chance(order, prizes):
    game = load(f"goofspiel:points_order={order}")
    assert not game.has_chance
    position, seen = game.start(), []
    while not position.is_over:
        assert not position.is_chance
        seen.append(int(position.state[2]) >> 16 & 255)
        position = position.play(position.move_codes()[0])
        position = position.play(position.move_codes()[-1])
    assert seen == prizes


def test_prizes_are_drawn_evenly_from_those_that_are_left():
    start = load("goofspiel:num_cards=4").start()
    assert start.chances() == [(str(card), 0.25) for card in (1, 2, 3, 4)]
    after = start.play("3", "1", "1")
    assert [name for name, _ in after.chances()] == ["1", "2", "4"]
    assert after.probabilities() == pytest.approx([1 / 3] * 3)


def test_all_players_choose_together_until_the_last_has_bid():
    position = load("goofspiel:num_cards=4,players=3").start()
    assert position.actors == ()
    position = position.play("2")
    for player in range(3):
        assert position.acting == player
        assert position.actors == (0, 1, 2)
        position = position.play("3")
    assert position.is_chance


def test_a_bid_changes_the_position_but_not_what_the_next_player_knows():
    position = load("goofspiel").start().play("2")
    followers = [position.play(move) for move in position.move_codes()]
    assert len({after.key for after in followers}) == 4
    assert len({after.view_key for after in followers}) == 1
    assert {tuple(after.move_codes()) for after in followers} == {(0, 1, 2, 3)}


def test_the_two_who_are_asked_in_a_round_do_not_share_a_view():
    position = load("goofspiel").start().play("2")
    assert position.view_key != position.play("3").view_key


def test_different_rounds_have_different_views():
    start = load("goofspiel:points_order=descending").start()
    views = {start.play(a, b).view_key for a in ("1", "2") for b in ("3", "4")}
    assert len(views) == 4


@pytest.mark.parametrize(
    ("bids", "points", "payoffs"),
    [
        ("411 143 324", [4, 4, 2], (0.5, 0.5, -1.0)),
        ("444 333 222", [0, 0, 0], (0.0, 0.0, 0.0)),
        ("432 321 213", [7, 0, 2], (1.0, -0.5, -0.5)),
    ],
)
def test_winners_share_the_win_and_losers_the_loss(bids, points, payoffs):
    game = load("goofspiel:num_cards=4,players=3,points_order=descending")
    position = game.start().play(*bids.replace(" ", ""))
    assert position.is_over
    assert _points(position) == points
    assert position.payoffs() == pytest.approx(payoffs)


class Twin:
    """The same game with lists, from the rules of the card game."""

    def __init__(self, cards, players, order):
        self.hands = [list(range(1, cards + 1)) for _ in range(players)]
        self.deck, self.order = list(range(1, cards + 1)), order
        self.points, self.bids, self.prize = [0] * players, [], None
        self.next_prize()

    def next_prize(self):
        self.prize = None
        if self.deck and self.order != "random":
            self.prize = self.deck.pop(-1 if self.order == "descending" else 0)

    def choices(self):
        if self.prize is None:
            return list(self.deck)
        return list(self.hands[len(self.bids)])

    def play(self, card):
        if self.prize is None:
            self.deck.remove(card)
            self.prize = card
            return
        self.bids.append(card)
        if len(self.bids) == len(self.hands):
            self.resolve()
            if len(self.hands[0]) == 1:
                if self.prize is None:
                    self.prize = self.deck.pop()
                self.bids = [hand[0] for hand in self.hands]
                self.resolve()

    def resolve(self):
        best = max(self.bids)
        if self.bids.count(best) == 1:
            self.points[self.bids.index(best)] += self.prize
        for hand, bid in zip(self.hands, self.bids, strict=True):
            hand.remove(bid)
        self.bids = []
        self.next_prize()


@pytest.mark.parametrize("order", ["random", "descending", "ascending"])
@pytest.mark.parametrize(("cards", "players"), [(1, 2), (2, 3), (4, 2), (7, 4), (13, 2), (13, 4)])
def test_a_plain_twin_plays_the_same_games(cards, players, order):
    game = load(f"goofspiel:num_cards={cards},players={players},points_order={order}")
    dice = random.Random(cards * players)
    for _ in range(12):
        position, twin, plies = game.start(), Twin(cards, players, order), 0
        while any(twin.hands):
            assert position.is_chance == (twin.prize is None)
            assert [int(name) for name in position.moves()] == twin.choices()
            card = dice.choice(twin.choices())
            position = position.play(str(card))
            twin.play(card)
            assert _points(position) == twin.points
            plies += 1
        assert position.is_over
        assert plies == game.max_plies


@pytest.mark.parametrize(
    "settings", ["", "num_cards=5,players=3", "num_cards=6,players=4,points_order=ascending"]
)
def test_playouts_from_anywhere_are_games_through_the_rules(settings):
    game = load(f"goofspiel:{settings}")
    dice = random.Random(settings)
    position, played = game.start(), 0
    while not position.is_over:
        fast = PlayoutRunner(game, 1).run(position, 2000)
        slow = PlayoutRunner(game, 2, own=False).run(position, 2000)
        assert fast.plies == slow.plies == 2000 * (game.max_plies - played)
        for player in range(game.players):
            error = np.hypot(fast.errors[player], slow.errors[player])
            assert fast.means[player] == pytest.approx(slow.means[player], abs=5 * error + 1e-9)
        position = position.play(dice.choice(position.move_codes()))
        played += 1


def test_a_playout_gives_away_no_more_than_all_prizes():
    game = load("goofspiel:num_cards=13,players=4")
    for end, _, _ in ends_of_playouts(game.start(), 200, seed=1):
        assert 0 < sum(_points(end)) <= 91
