"""What a search may be asked, and what is refused in one line."""

import pytest

import trellis
from trellis.game.errors import BadParameter, LimitReached, TrellisError, counted
from trellis.game.game import position_of
from trellis.loading import load
from trellis.search.star.settings import star_settings

TIC_TAC_TOE = load("tic_tac_toe")


class Pennies:
    """Both show a side of a coin at once; the first wins where they are the same."""

    simultaneous = True

    def start(self):
        return "none"

    def acting(self, state):
        return {0, 1} if state == "none" else None

    def moves(self, state, player):
        return ["heads", "tails"]

    def play(self, state, shown):
        return "same" if shown[0] == shown[1] else "different"

    def payoffs(self, state):
        return 1 if state == "same" else -1


@pytest.mark.parametrize(
    "search",
    [
        trellis.Search, trellis.StarSearch, trellis.solve, trellis.solve_exactly,
        trellis.rank_moves, lambda start: trellis.perft(start, 1),
        lambda start: trellis.playouts(start, 1),
    ],
)  # fmt: skip
def test_a_name_is_a_game_and_a_number_is_none(search):
    search("tic_tac_toe")
    with pytest.raises(BadParameter, match="bad start '7': expected"):
        search(7)
    with pytest.raises(TrellisError, match="unknown game 'tic_tac_to': expected a name"):
        search("tic_tac_to")


def test_a_game_stands_for_its_first_position():
    after = TIC_TAC_TOE.start().play("b2")
    assert position_of(TIC_TAC_TOE) == TIC_TAC_TOE.start()
    assert position_of(after) is after


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ({"sims": "a"}, "bad value 'a' for sims: expected a whole number above 0"),
        ({"sims": 1.5}, "bad value 1.5 for sims: expected a whole number above 0"),
        ({"sims": 0}, "bad value 0 for sims"),
        ({"seconds": "1"}, "bad value '1' for seconds: expected a number above 0"),
        ({"seconds": float("nan")}, "bad value nan for seconds"),
        ({}, "no budget"),
    ],
)
def test_a_budget_is_a_number(budget, expected):
    with pytest.raises(BadParameter, match=expected):
        trellis.Search(TIC_TAC_TOE).run(**budget)


def test_a_depth_is_a_number():
    for depth in ("a", 1.5, 0):
        with pytest.raises(BadParameter, match=r"bad depth .*: expected a whole number from 1"):
            trellis.StarSearch(TIC_TAC_TOE).run(depth=depth)


def test_options_of_star_searches_may_stand_behind_their_name():
    search = trellis.StarSearch(TIC_TAC_TOE, "star2tt:etc_chance=0,pvs=true", memory=1.0)
    assert search.settings == star_settings("star2tt").replace(etc_chance=0, pvs=True, memory=1.0)
    for text, expected in (
        ("star2tt:pvs", "bad option 'pvs' of star2tt: expected name=value"),
        ("star2tt:pfs=true", "unknown option 'pfs' for star2tt: .* did you mean 'pvs'"),
        ("star2tt:pvs=7", "bad value '7' for star2tt:pvs: expected true or false"),
        ("star3:pvs=true", "unknown search 'star3'"),
    ):
        with pytest.raises(BadParameter, match=expected):
            trellis.StarSearch(TIC_TAC_TOE, text)


def test_what_chance_does_next_can_be_solved():
    position = load("pig:target=6,faces=3,horizon=10").start().play("roll")
    found = trellis.solve(position)
    assert position.is_chance
    assert found.solved
    assert found.best is None
    outcomes = [
        trellis.solve_exactly(position.play(name)).for_player(0) for name in position.moves()
    ]
    shares = position.probabilities()
    average = sum(p * each.value for p, each in zip(shares, outcomes, strict=True))
    assert found.value == pytest.approx(average, abs=1e-9)
    with pytest.raises(LimitReached, match="more than 2 positions"):
        trellis.solve(position, limit=2)
    with pytest.raises(LimitReached, match="not solved in 1e-09 seconds"):
        trellis.solve(position, seconds=1e-9)
    with pytest.raises(BadParameter, match="unknown setting"):
        trellis.solve(position, nonsense=1)


def test_exact_payoffs_of_all_are_told_where_they_add_up():
    found = trellis.secure_exactly(TIC_TAC_TOE.start().play("a1", "b1"))
    assert (found.payoffs, found.outcome, found.constant_sum) == ((1.0, -1.0), "first", 0.0)
    pennies = trellis.secure_exactly(load(Pennies()).start())
    assert (pennies.bounds, pennies.payoffs) == (((-1.0, 1.0), (-1.0, 1.0)), None)


def test_one_thing_is_not_many():
    assert [counted(number, "move") for number in (0, 1, 1200)] == [
        "0 moves",
        "1 move",
        "1,200 moves",
    ]
    last = load("nim:pile_sizes=1")
    with pytest.raises(trellis.IllegalMove, match=r"expected one of 1 legal move$"):
        last.start().play(99)
    notes = []
    trellis.Search(TIC_TAC_TOE).run(sims=1, progress=lambda fraction, note: notes.append(note))
    assert notes[-1] == "1 simulation"


def test_only_names_of_the_package_are_listed():
    public = {name for name in dir(trellis) if not name.startswith("__")}
    assert public == set(trellis.__all__)
