"""Tuning: trials, a play-off, a test on fresh games, and what is kept."""

import pytest

from trellis.game.errors import BadParameter
from trellis.lab.executors.local import local_executor
from trellis.lab.record import Record
from trellis.lab.sprt import Sprt
from trellis.lab.tuning import Tuner, player_of, read_dimensions, settings_of
from trellis.players.player import make_player
from trellis.players.texts import read_player
from trellis.players.tuned import keep_tuned, tuned_file, tuned_settings

pytest.importorskip("optuna", reason="Optuna is not installed")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRELLIS_DATA_DIR", str(tmp_path / "data"))


def tuner(record, **settings):
    return Tuner(
        "connect_four:rows=4,columns=4", read_dimensions("c", ["c=0.01..3"]), record,
        lambda: local_executor(1), **{
            "games": 640, "games_a_trial": 20, "budget": {"sims": 60}, "most_test_games": 200,
            **settings,
        },
    )  # fmt: skip


def test_a_bad_default_is_beaten_and_the_test_says_so():
    found = tuner(Record(":memory:"), default="random", sprt=Sprt(elo0=0, elo1=100)).tune()
    assert found.accepted is True
    assert found.winner.estimate.value > 80
    assert found.ratio >= Sprt(elo0=0, elo1=100).bounds[1]
    assert sum(found.pairs) * 2 == found.test_games


def test_settings_as_good_as_the_default_do_not_pass():
    same = [read_dimensions("own_playouts", ["own_playouts=node"])[0]]
    made = Tuner(
        "tic_tac_toe", same, Record(":memory:"), lambda: local_executor(1),
        games=320, games_a_trial=20, budget={"sims": 200}, default="uct1",
        sprt=Sprt(elo0=0, elo1=300), most_test_games=400,
    )  # fmt: skip
    found = made.tune()
    assert found.accepted is not True


def test_run_again_everything_is_on_record_and_comes_out_the_same():
    record = Record(":memory:")
    first = tuner(record, games=320).tune()
    jobs = len([*record.rows()])
    again = tuner(record, games=320).tune()
    assert again == first
    assert len([*record.rows()]) == jobs


def test_the_test_is_played_on_games_that_no_trial_has_played():
    record = Record(":memory:")
    found = tuner(record, games=320).tune()
    seeds = {row["seed"] for row in record.rows() if row["cell"] == found.winner.player}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("names", "ranges", "named"),
    [
        ("k", [], "cannot tune 'k'"),
        ("c", ["d1=0"], "is of nothing that is tuned"),
        ("c", ["c=2..1"], "bad range"),
        ("c", ["c=nan..1"], "bad range"),
        ("d1", ["d1=0..2"], "bad range"),
        ("c", ["c="], "bad range"),
    ],
)
def test_bad_dimensions_are_refused_by_name(names, ranges, named):
    with pytest.raises(BadParameter, match=named):
        read_dimensions(names, ranges)


@pytest.mark.parametrize(
    ("values", "player"),
    [
        ({"c": "0.3"}, "auto:c=0.3"),
        ({"d1": "0", "d2": "1", "d3": "inf"}, "ucd:0,1,inf"),
        ({"rave": "300", "fpu": "1", "decisive": "true"}, "auto:rave=300,fpu=1,decisive=true"),
        ({"rave": "0", "fpu": "none"}, "auto"),
    ],
)
def test_players_of_settings_can_be_read(values, player):
    assert player_of(values) == player
    read_player(player)


def test_auto_plays_by_what_was_kept_unless_told_otherwise():
    game = make_game()
    keep_tuned(game.spec, {"c": "0.25", "select": "ucd:0,0,1"}, {"against": "auto"})
    assert tuned_settings(game.spec) == {"c": 0.25, "select": "ucd:0,0,1"}
    settings = make_player("auto:sims=10", game=game).search_of(game.start()).settings
    assert (settings.c, settings.select) == (0.25, "ucd:0,0,1")
    assert make_player("auto:sims=10,c=0.5").search_of(game.start()).settings.c == 0.5
    plain = make_player("auto:sims=10,tuned=false").search_of(game.start()).settings
    assert plain.c == make_player("simple:sims=10").search_of(game.start()).settings.c
    other = make_game("nim")
    assert make_player("auto:sims=10").search_of(other.start()).settings.c == plain.c


def make_game(name="tic_tac_toe"):
    from trellis.loading import load

    return load(name)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"tic_tac_toe": {}}', '{"tic_tac_toe": {"settings": {"x": "1"}}}']
)
def test_a_spoilt_file_is_told_in_one_line(text):
    tuned_file().parent.mkdir(parents=True, exist_ok=True)
    tuned_file().write_text(text)
    with pytest.raises(BadParameter, match=r"tuned\.json.*is not a file of tuned settings"):
        tuned_settings("tic_tac_toe")


def test_settings_of_a_winner_are_those_of_its_player():
    from trellis.lab.measures import Estimate
    from trellis.lab.tuning import Trial

    trial = Trial({}, "ucd:0,0,1,c=0.3,rave=100", Estimate(60, 50, 70, 10))
    assert settings_of(trial) == {"c": "0.3", "rave": "100", "select": "ucd:0,0,1"}
