"""Star searches of games of all kinds, and the moves they choose."""

from random import Random

import pytest

from search.star.coin import Coin
from search.star.random_games import KINDS, positions_of, random_game, values_of
from trellis.game.errors import TrellisError
from trellis.game.python_game import PythonGame
from trellis.loading import load
from trellis.search.star.engine import StarSearch
from trellis.search.star.reference import expectimax
from trellis.search.star.settings import SEARCHES

PRECISE = 1e-9

# --- best moves


@pytest.mark.parametrize("name", ["star2tt", "star2tt+", "alphabeta"])
def test_the_best_move_is_as_good_as_it_says_with_a_table_that_stays(name):
    """A game played with one table: entries of deeper searches answer, but not for their moves."""
    game, known, checked = load("dice:m=3,k=3"), {}, 0
    for seed in range(16):
        search, position, dice = StarSearch(game, name, memory=1), game.start(), Random(seed)
        while not position.is_over:
            if not position.is_chance and len(position.move_codes()) > 1:
                for depth in (10, 6, 10):
                    search.set_position(position)
                    report = search.run(depth=depth).for_player(0)
                    after = expectimax(position.play(report.best), 18, lambda _: 0.0, known)
                    if report.solved:
                        assert after == pytest.approx(report.value, abs=PRECISE)
                        checked += 1
            position = position.play(dice.choice(position.move_codes()))
    assert checked > 50


def test_one_ply_tells_every_move():
    game, evaluation = random_game(KINDS[1], 3)
    position = next(each for each in positions_of(game) if not each.is_chance)
    report = StarSearch(position, "expectimax", evaluation).run(depth=1).for_player(0)
    assert len(report.moves) > 1
    for move in report.moves:
        wanted = values_of(KINDS[1], 3)(position.play(move.move), 0)
        assert (move.low, move.high) == pytest.approx((wanted, wanted), abs=PRECISE)
        assert move.solved == position.play(move.move).is_over


def test_what_was_learned_of_moves_stays_as_the_search_deepens():
    search = StarSearch(load("dice").start(), memory=1)
    search.run(depth=6)
    before = search.stack.history.sum()
    search.search(7)
    assert before > 0
    assert search.stack.history.sum() > before


# --- games of the user's own


@pytest.mark.parametrize("name", SEARCHES)
def test_a_game_in_plain_python(name):
    report = StarSearch(load(Coin()), name).run(depth=6)
    assert report.value == pytest.approx(2.25)
    assert report.best == "call"
    assert report.solved


# --- rulesheets with a role `random`

FACES = (0, 1, 4)
ADDED = {*FACES, 2}
SHEET = "\n".join(
    [
        "(role hero) (role random)",
        "(init (turn hero)) (init (round 0)) (init (total 0))",
        *(f"(after {n} {n + 1})" for n in range(3)),
        *(f"(sum {n} {face} {n + face})" for n in range(13) for face in ADDED),
        *(f"(<= (legal random (face {face})) (true (turn random)))" for face in FACES),
        "(<= (legal random noop) (true (turn hero)))",
        "(<= (legal hero safe) (true (turn hero)))",
        # With a total of 2 to 4 boldness is forbidden.
        "(<= (legal hero bold) (true (turn hero)) (not middling))",
        "(<= (legal hero noop) (true (turn random)))",
        *(f"(<= middling (true (total {n})))" for n in (2, 3, 4)),
        "(<= (next (turn random)) (does hero bold))",
        "(<= (next (turn hero)) (does hero safe))",
        "(<= (next (turn hero)) (does random (face ?f)))",
        "(<= (next (total ?t)) (does hero bold) (true (total ?t)))",
        "(<= (next (total ?u)) (does hero safe) (true (total ?t)) (sum ?t 2 ?u))",
        "(<= (next (total ?u)) (does random (face ?f)) (true (total ?t)) (sum ?t ?f ?u))",
        "(<= (next (round ?n)) (true (turn random)) (true (round ?m)) (after ?m ?n))",
        "(<= (next (round ?n)) (does hero safe) (true (round ?m)) (after ?m ?n))",
        "(<= (next (round ?n)) (does hero bold) (true (round ?n)))",
        "(<= terminal (true (round 3)))",
        *(f"(<= (goal hero {8 * n}) (true (total {n})))" for n in range(13)),
    ]
)


def by_hand(total, rounds):
    """Return what the sheet is worth: safe gives 2, bold one of three numbers."""
    if rounds == 0:
        return 8.0 * total
    safe = by_hand(total + 2, rounds - 1)
    if total in (2, 3, 4):
        return safe
    return max(safe, sum(by_hand(total + face, rounds - 1) for face in FACES) / len(FACES))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_rulesheet_whose_dice_are_a_role(tmp_path, name):
    path = tmp_path / "bold.kif"
    path.write_text(SHEET)
    report = StarSearch(load(str(path)), name, memory=1).run(depth=8)
    assert report.solved
    assert report.value == pytest.approx(by_hand(0, 3), abs=1e-7)


class Generous:
    """Both may win at once, which a game of constant sum does not allow."""

    players = 2
    payoff_range = (0.0, 1.0)
    constant_sum = 1.0
    max_moves = 2

    def start(self):
        return ""

    def acting(self, state):
        return 0 if state == "" else None

    def moves(self, state):
        return ["share", "keep"]

    def play(self, state, move):
        return move

    def payoffs(self, state):
        return [1.0, 1.0] if state == "share" else [1.0, 0.0]


def test_payoffs_that_miss_their_sum():
    with pytest.raises(TrellisError, match="or the sum 1 of both"):
        StarSearch(load(Generous())).run(depth=2)


def test_an_end_that_is_open_by_its_bounds_proves_nothing():
    """A game in plain Python may say that its payoffs are not to be relied on."""

    class Open:
        max_plies = 1

        def start(self):
            return 0

        def moves(self, state):
            return [] if state else [1, 2]

        def play(self, state, move):
            return move

        def payoffs(self, state):
            return 1

    class Doubtful(Open):
        def bounds(self, state):
            return [(-1, 1), (-1, 1)]

    assert StarSearch(PythonGame(Open()), "alphabeta").run(depth=2).solved
    assert not StarSearch(PythonGame(Doubtful()), "alphabeta").run(depth=2).solved
