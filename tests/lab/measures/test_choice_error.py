"""Wrong choices against minimax in plain Python, and against players whose errors are known."""

from functools import cache
from random import Random
from statistics import mean

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.measures import measure_of
from trellis.lab.measures.choice_error import ChoiceSettings, position_of_sample, worths_of
from trellis.loading import load

MEASURE = measure_of("choice_error")
GAMES = [
    "tic_tac_toe", "pgame:branching=3,depth=5,seed={seed}",
    "pgame:branching=2,depth=7,combine=30,seed={seed}", "random_automaton:states=40,seed={seed}",
]  # fmt: skip


def samples_of(count=6, **settings):
    read = MEASURE.read(settings)
    MEASURE.check(read)
    return [MEASURE.take(read, 5, number) for number in range(count)]


@cache
def minimax(position):
    """Return what each player gets with best play."""
    if position.is_over:
        return position.payoffs()
    values = [minimax(position.play(code)) for code in position.move_codes()]
    return max(values, key=lambda payoffs: payoffs[position.acting])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("positions", ["start", "random"])
def test_moves_are_worth_what_minimax_says(game, positions):
    settings = ChoiceSettings(game, "random", positions=positions)
    for number in range(8):
        position = position_of_sample(settings, number)
        if position is None:  # no choice matters in this game
            assert positions == "random"
            continue
        wanted = {
            code: minimax(position.play(code))[position.acting] for code in position.move_codes()
        }
        assert worths_of(position, settings.limit) == wanted
        if positions == "random":
            assert len(set(wanted.values())) > 1


def test_random_choices_are_wrong_as_often_as_can_be_computed():
    found = samples_of(game="tic_tac_toe", player="random", runs=2_000, positions="random")
    for sample in found:
        share = sample["random"] / 100
        assert 0 < share < 1
        error = (share * (1 - share) / 2_000) ** 0.5
        assert abs(sample["value"] / 100 - share) < 4 * error
        assert sample["value_error"] is None  # it has no value
    assert len({sample["position"] for sample in found}) == len(found)


@pytest.mark.parametrize("game", GAMES)
def test_a_search_that_sees_everything_is_never_wrong(game):
    for positions in ("start", "random"):
        for sample in samples_of(game=game, player="alphabeta:depth=40", positions=positions):
            if sample["value"] is not None:
                assert sample["value"] == sample["loss"] == 0.0
                # Where there is only one move, nobody asked what it is worth.
                assert (sample["value_error"] or 0.0) == pytest.approx(0.0, abs=1e-9)


def test_a_loss_is_what_the_chosen_move_gives_away():
    """In a game of one choice, wrong moves lose exactly the difference of two payoffs."""
    text = "random_automaton:states=3,branching=3,payoffs=5,seed={seed}"
    for sample in samples_of(20, game=text, player="random", runs=50):
        assert (sample["loss"] > 0) == (sample["value"] > 0)
        assert sample["loss"] <= sample["value"] + 1e-9  # nothing costs more than all there is


@pytest.mark.parametrize(("branching", "depth", "known"), [(2, 20, 23.5), (10, 6, 54.0)])
def test_random_choices_in_p_games_are_wrong_as_often_as_others_found(branching, depth, known):
    """Childs's curves start there; the figures come from an independent program."""
    game = f"pgame:branching={branching},depth={depth},group_size={branching},seed={{seed}}"
    settings = MEASURE.read({"game": game, "player": "random"})
    shares = [MEASURE.take(settings, 0, number)["random"] for number in range(400)]
    assert mean(shares) == pytest.approx(known, abs=5.0)


def test_more_playouts_make_fewer_errors():
    game = "pgame:branching=4,depth=6,seed={seed}"
    few, many = (
        MEASURE.sum_up(samples_of(40, game=game, player="uct2", sims=sims, runs=10), 0.95)
        for sims in (4, 1_000)
    )
    assert many.high < few.low
    assert many.facts["value_error"] < few.facts["value_error"]
    assert few.facts["random"] == many.facts["random"]  # the same games


def test_the_same_positions_for_every_search_and_others_from_elsewhere():
    def positions(**settings):
        read = MEASURE.read({"game": "tic_tac_toe", "positions": "random", **settings})
        return [position_of_sample(read, number).code for number in range(8)]

    assert positions(player="random") == positions(player="uct", sims=7, runs=3)
    assert positions(player="random") != positions(player="random", first=100)


def test_searches_are_the_same_again_and_differ_from_one_another():
    game = "pgame:branching=4,depth=6,seed={seed}"
    found = [samples_of(4, game=game, player="uct1", sims=12, runs=30) for _ in range(2)]
    assert found[0] == found[1]
    assert any(0 < sample["value"] < 100 for sample in found[0])  # some runs err, some do not


def test_groups_choose_among_the_moves_of_the_game():
    game = "pgame:branching=6,depth=4,group_size=3,bias=100,overlap=true,seed={seed}"
    settings = {"game": game, "player": "uct2:final_move=max", "runs": 8, "groups": True}
    for sims in (1, 3, 2_000):
        for sample in samples_of(5, sims=sims, **settings):
            assert 0 <= sample["value"] <= 100
            if sims == 2_000:
                assert sample["value"] == 0.0


def test_the_interval_allows_for_searches_of_one_position_being_alike():
    def width(samples):
        found = MEASURE.sum_up(samples, 0.95)
        assert found.low <= found.value <= found.high
        return found.high - found.low

    def sample(share, runs=100):
        return {"value": share, "runs": runs, "loss": 0.0, "value_error": None, "random": 0.0}

    alike = width([sample(0.0), sample(100.0)] * 20)  # as good as forty searches
    assert alike == pytest.approx(2 * 1.96 * 50 / 40**0.5, rel=0.1)
    dice = Random(1)
    apart = width([sample(100 * mean(dice.random() < 0.5 for _ in range(100))) for _ in range(40)])
    assert apart < alike / 4  # as good as thousands
    never = MEASURE.sum_up([sample(0.0)] * 40, 0.95)
    assert never.low == 0
    assert never.high > 5  # forty games without an error do not show that there are none


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "pig", "player": "random"}, "expected a game of two players in turn"),
        ({"game": "goofspiel", "player": "random"}, "expected a game of two players in turn"),
        ({"game": "leftright", "player": "random"}, "expected a game of two|no exact value"),
        ({"game": "tic_tac_toe", "player": "uct:time=1"}, "no time"),
        ({"game": "tic_tac_toe", "player": "nobody"}, "unknown player"),
        ({"game": "tic_tac_toe", "player": "uct", "groups": True}, "has no groups of its own"),
        (
            {"game": "pgame:branching=6,depth=3", "player": "random", "groups": True},
            "knows no groups",
        ),
        ({"game": "hex:board_size=5", "player": "uct", "positions": "random", "limit": 9}, "9"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused(settings, message):
    read = MEASURE.read(settings)
    with pytest.raises(Exception, match=message) as caught:
        MEASURE.check(read)
    assert "\n" not in str(caught.value)


def test_a_game_without_a_choice_that_matters_does_not_count():
    assert load("nim:pile_sizes=1").start().move_codes() == [0]
    (sample,) = samples_of(1, game="nim:pile_sizes=1", player="random", positions="random")
    assert sample["value"] is None
    assert "no choice matters" in sample["void"]


def test_a_bad_setting_is_one_line():
    with pytest.raises(BadParameter, match="unknown setting 'playr'"):
        MEASURE.read({"game": "nim", "playr": "uct"})
