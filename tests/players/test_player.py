"""Players as text: what they are made of, what they choose, what is refused."""

import json
import math

import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.players import player as players
from trellis.players.player import SearchPlayer, find_way, make_player
from trellis.players.session import Session
from trellis.search.mcts.settings import PRESETS, Settings

GOOFSPIEL = "goofspiel:num_cards=4,points_order=descending"


@pytest.mark.parametrize(
    ("text", "select", "depths"),
    [
        ("uct", "uct0", (0, 0, 0)),
        ("uct:sims=5", "uct0", (0, 0, 0)),
        *[(name, name, None) for name in PRESETS],
        ("ucd:0,1,2", "ucd:0,1,2", (0, 1, 2)),
        ("ucd: inf , 0,1, c=0.3", "ucd:inf,0,1", (math.inf, 0, 1)),
    ],
)
def test_the_name_says_how_to_select(text, select, depths):
    made = make_player(text)
    assert made.settings.select == select
    assert made.name == text
    if depths is not None:
        assert made.settings.depths == depths


def test_every_field_of_the_settings_is_an_option():
    text = (
        "ucd:1,0,1,c=0.3,backup=path,own_playouts=edge,ucb1_tuned=yes,fpu=1.5,decisive=true,"
        "rave=50,rave_bias=0.1,grave=10,rave_children=no,rave_order=yes,playouts=rules,bounds=guided,gamma=0.1,delta=-0.2,"
        "symmetry=false,memory=3,when_full=drake,tolerance=0.01,sequential_halving=0,final_move=secure,"
        "evaluate=model.onnx,batch=16,noise=0.25,noise_alpha=0.5,temperature=1.5,"
        "sims=7,time=0.5,reuse=true"
    )
    made = make_player(text)
    assert made.settings == Settings(
        select="ucd:1,0,1", c=0.3, backup="path", own_playouts="edge", ucb1_tuned=True, fpu=1.5,
        decisive=True, rave=50.0, rave_bias=0.1, grave=10, rave_children=False,
        rave_order=True, playouts="rules", bounds="guided",
        gamma=0.1, delta=-0.2, symmetry=False, memory=3.0, when_full="drake", tolerance=0.01,
        sequential_halving=False, final_move="secure", evaluate="model.onnx", batch=16,
        noise=0.25, noise_alpha=0.5, temperature=1.5,
    )  # fmt: skip
    assert (made.sims, made.seconds, made.reuse) == (7, 0.5, True)
    options = [piece.partition("=")[0] for piece in text.split(",") if "=" in piece]
    assert set(options) == {*vars(Settings()), "sims", "time", "reuse"} - {"select"}


def test_budgets_and_memory_unless_told():
    assert (make_player("uct").sims, make_player("uct").seconds) == (10_000, None)
    assert (make_player("uct:time=2").sims, make_player("uct:time=2").seconds) == (None, 2.0)
    assert make_player("simple").settings.memory == 64
    assert not make_player("simple").reuse
    assert make_player("simple:reuse=true").settings.when_full == "collect"


def test_memory_that_was_asked_for_is_not_cut_to_the_budget():
    start = trellis.load("tic_tac_toe").start()
    assert make_player("simple:sims=50").search_of(start).memory == 1
    assert make_player("simple:sims=50,memory=64").search_of(start).memory == 64


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ucct", "unknown player 'ucct': expected random, .*did you mean 'uct'"),
        ("", "unknown player ''"),
        ("uct:sms=3", "player 'uct:sms=3': unknown option 'sms': .*did you mean 'sims'"),
        ("uct:select=uct1", "bad option 'select=uct1': expected a rule of your own, FILE.py:NAME"),
        ("uct:sims", "bad option 'sims': expected name=value"),
        ("uct:sims=", "bad option 'sims='"),
        ("uct:,", "bad option ''"),
        ("uct:sims=1,sims=2", "option 'sims' is given twice"),
        ("uct:sims=1e3", "player 'uct:sims=1e3': bad value '1e3' for sims: expected a whole"),
        ("uct:sims=0", "bad value 0 for sims: expected a whole number from 1 to"),
        ("uct:sims=9999999999999", "bad value 9999999999999 for sims"),
        ("uct:time=nan", "bad value 'nan' for time: expected a number"),
        ("uct:time=-1", "bad value -1 for time: expected a number above 0"),
        ("uct:c=-1", "bad value -1 for c: expected a number from 0"),
        ("uct:ucb1_tuned=maybe", "bad value 'maybe' for ucb1_tuned: expected true or false"),
        ("uct:backup=al", "bad value 'al' for backup: expected .*did you mean 'all'"),
        ("uct:grave=1.5", "bad value '1.5' for grave: expected a whole number"),
        ("uct:memory=0", "bad value 0 for memory: expected a number above 0"),
        ("ucd", "0 depths: expected three"),
        ("ucd:c=1", "0 depths: expected three"),
        ("ucd:0,1", "2 depths: expected three"),
        ("ucd:0,1,2,3", "4 depths: expected three"),
        ("ucd:0,1,x", "player 'ucd:0,1,x': bad depth 'x': expected a number from 0 to 64, or inf"),
        ("ucd:0,-1,0", "bad depth '-1'"),
        ("ucd:0,1,c=1,2", "bad option '2': expected name=value"),
        ("uct:reuse=true", "a plain tree recognises no position"),
        (
            "simple:sequential_halving=true,time=1",
            "sequential_halving needs a budget of simulations",
        ),
        ("random:sims=3", "unknown option 'sims': expected no options"),
        ("flat:rave=3", "unknown option 'rave': expected sims, time, c"),
        ("flat:c=-0.1", "bad value -0.1 for c"),
        ("strategy", "expected a file"),
        ("strategy:none.jsonl", "no such strategy file"),
        ("strategy:\0", "no such strategy file"),
        ("uct:" + "c=1," * 1000, "longer than 1000 characters"),
    ],
)
def test_bad_players_are_named(text, words):
    with pytest.raises(BadParameter, match=words) as caught:
        make_player(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        (GOOFSPIEL, "uct", "choose at once.*expected uct1"),
        (GOOFSPIEL, "simple", "player 'simple': in goofspiel.*players choose at once"),
        ("pig", "simple:symmetry=true", "offers no symmetry"),
        ("dice:full=pass", "uct3:backup=exact", "expected recompute"),
        ("hex", "simple:memory=0.001", "player 'simple:memory=0.001': bad memory 0.001 MiB"),
    ],
)
def test_what_does_not_fit_the_game_is_refused_at_once(game, text, words):
    with pytest.raises(BadParameter, match=words):
        make_player(text, game=trellis.load(game))


def test_a_player_is_not_changed_by_being_checked():
    game = trellis.load("connect_four")
    made = [make_player("simple:sims=50", 5), make_player("simple:sims=50", 5, game)]
    first, second = (each.choose(game.start(), 0) for each in made)
    assert first == second
    assert made[0].report.moves == made[1].report.moves


@pytest.mark.parametrize("text", ["uct", "uct1", "uct2", "uct3", "simple", "nodes", "ucd:0,1,2"])
def test_a_search_sees_a_win_and_a_threat(text):
    game = trellis.load("connect_four")
    made = make_player(f"{text}{',' if ':' in text else ':'}sims=500")
    assert made.choose(game.start().play(*"dadbda"), 0) == "d"
    assert made.choose(game.start().play(*"dadbd"), 1) == "d"


def test_the_only_move_is_played_without_a_search():
    position = (
        trellis.load("tic_tac_toe").start().play(*["a1", "b2", "c3", "a2", "c2", "c1", "a3", "b3"])
    )
    made = make_player("uct:sims=1000000000000")
    assert made.choose(position, 0) == "b1"
    assert made.report is None


@pytest.mark.parametrize("seat", [0, 1])
def test_players_who_choose_at_once_choose_for_their_own_seat(seat):
    game = trellis.load(GOOFSPIEL)
    made = make_player("uct1:sims=3000", 1, game)
    move = made.choose(game.start(), seat)
    assert made.report.player == game.player_name(seat)
    assert made.report.moves[0].visits > 100
    assert move in players.turn_of(game.start(), seat).moves()


def test_a_kept_graph_follows_the_game_and_survives_being_led_astray():
    game = trellis.load("connect_four")
    made = make_player("simple:sims=300,reuse=true", 3, game)
    position = game.start()
    made.choose(position, 0)
    first = made._search
    position = position.play(made.choose(position, 0), "a")
    made.choose(position, 0)
    assert made._search is first
    assert first.position == position
    assert made.report.moves[0].visits > 300 / 7  # what was learned before is still there
    total = sum(move.visits for move in made.report.moves)
    assert total > 300
    # Taken back: the start does not lie ahead.
    made.choose(game.start(), 0)
    assert first.position == game.start()
    assert sum(move.visits for move in made.report.moves) == 300  # nothing of before is kept
    # Another game.
    other = trellis.load("tic_tac_toe")
    assert made.choose(other.start(), 0) in other.start().moves()
    assert made._search.game == other
    # The other side, some moves on.
    made.choose(other.start().play("a1", "b2", "c3"), 1)
    assert made._search.position == other.start().play("a1", "b2", "c3")


def test_a_kept_graph_can_be_forgotten():
    game = trellis.load("connect_four")
    made = make_player("simple:sims=300,reuse=true", 3, game)
    for _ in range(2):
        made.choose(game.start(), 0)
    assert sum(move.visits for move in made.report.moves) == 600
    made.forget()
    made.choose(game.start(), 0)
    assert sum(move.visits for move in made.report.moves) == 300
    made.ponder(game.start().play("a"), 0.1)
    made.choose(game.start().play("a"), 1)
    assert made.thinking.sims > 300


@pytest.mark.parametrize("spec", ["kalah", "dice:m=3,k=3", "nine_mens_morris", GOOFSPIEL, "pig"])
def test_a_kept_graph_plays_whole_games(spec):
    game = trellis.load(spec)
    made = [make_player("auto:sims=30,reuse=true,memory=4", seat, game) for seat in (0, 1)]
    session = Session(game, made, 1)
    while not session.position.is_over and len(session.moves) < 80:
        session.advance()
    assert len(session.moves) >= 6


def test_the_way_between_positions_is_found():
    start = trellis.load("connect_four").start()
    assert find_way(start, start) == []
    assert find_way(start, start.play("d", "e")) == [3, 4]
    assert find_way(start.play("d"), start) is None
    assert find_way(start, start.play(*"ddeeffaa")) is None  # too far to look


# -- strategies ------------------------------------------------------------------------------


def write(path, *entries):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return f"strategy:{path}"


def test_a_strategy_is_followed_and_left_with_one_message(tmp_path):
    game = trellis.load("tic_tac_toe")
    start = game.start()
    text = write(
        tmp_path / "s.jsonl",
        {"game": "tic_tac_toe", "player": 0, "value": 0},
        {"position": start.code, "move": "a3"},
        {"position": start.play("a3", "b2").code, "move": "c1"},
    )
    said = []
    made = make_player(text, 0, game, said.append)
    assert made.choose(start, 0) == "a3"
    assert made.choose(start.play("a3", "b2"), 0) == "c1"
    assert said == []
    outside = start.play("b2", "a1")
    assert made.choose(outside, 0) in outside.moves()
    assert made.choose(start.play("a1"), 1) == "b2"  # all else loses, which 1,000 prove
    assert len(said) == 1
    assert "outside the strategy" in said[0]
    assert "1,000 simulations" in said[0]


def test_a_strategy_of_the_other_side_says_so(tmp_path):
    game = trellis.load("tic_tac_toe")
    text = write(tmp_path / "s.jsonl", {"game": "tic_tac_toe", "player": 0, "value": 0})
    said = []
    make_player(text, 0, game, said.append).choose(game.start().play("a1"), 1)
    assert "being one of x" in said[0]


GOOD = {"game": "tic_tac_toe", "player": "both", "value": 0}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", 'line 1: expected {"game"'),
        ("hello\n", "line 1: expected"),
        ("[1]\n", "line 1"),
        ('{"game": "tic_tac_toe", "player": "me"}\n', "line 1"),
        ('{"game": "tic_tac_toe", "player": true}\n', "line 1"),
        ('{"game": 3, "player": 0}\n', "line 1"),
        (json.dumps(GOOD) + "\n{}\n", 'line 2: expected {"position"'),
        (json.dumps(GOOD) + '\n{"position": "a", "move": 3}\n', "line 2"),
        (json.dumps(GOOD) + "\n" + "[" * 100_000, "line 2"),
        (json.dumps({**GOOD, "game": "hex"}) + "\n", "is a strategy of 'hex': expected one of"),
    ],
)
def test_bad_strategies_get_one_line(tmp_path, content, words):
    file = tmp_path / "s.jsonl"
    file.write_text(content)
    with pytest.raises(BadParameter, match=words) as caught:
        make_player(f"strategy:{file}", game=trellis.load("tic_tac_toe"))
    assert "\n" not in str(caught.value)


def test_strategies_that_cannot_be_read_get_one_line(tmp_path, monkeypatch):
    with pytest.raises(BadParameter, match="no such strategy file"):
        make_player(f"strategy:{tmp_path}")
    with pytest.raises(BadParameter, match="no such strategy file"):
        make_player("strategy:/dev/zero")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\n")
    with pytest.raises(BadParameter, match="line 1"):
        make_player(f"strategy:{tmp_path / 'bytes'}")
    monkeypatch.setattr(players, "STRATEGY_BYTES", 3)
    with pytest.raises(BadParameter, match="expected at most"):
        make_player(write(tmp_path / "large", GOOD))


def test_an_illegal_move_of_a_strategy_is_refused(tmp_path):
    start = trellis.load("tic_tac_toe").start()
    text = write(tmp_path / "s.jsonl", GOOD, {"position": start.code, "move": "d9"})
    with pytest.raises(BadParameter, match="its move 'd9' is illegal"):
        make_player(text).choose(start, 0)


def test_a_small_graph_has_room_for_its_simulations():
    """The memory is cut to the budget; the search must not notice."""
    for spec in ("connect_four", "hex:board_size=5", "amazons", "nine_mens_morris", "leftright"):
        game = trellis.load(spec)
        for text in ("uct:sims=2000", "ucd:2,2,2,sims=2000", "uct1:sims=2000,rave=50"):
            made = make_player(text)
            assert isinstance(made, SearchPlayer)
            search = made.search_of(game.start())
            assert search.memory < 64
            assert not search.run(sims=2000).full
