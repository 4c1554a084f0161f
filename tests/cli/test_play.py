"""`trellis play` for people: levels, moves as they are typed, advice, games that go on."""

import json

import pytest

import trellis
from trellis.cli.advice import verdict, win_percent
from trellis.cli.offers import games, players
from trellis.game.errors import IllegalMove
from trellis.game.spelling import spelled
from trellis.players.levels import LEVELS, level_player
from trellis.search.mcts.replies import lines_after


@pytest.fixture
def play(run):
    """Play a game, typing some lines."""
    return lambda *words, typed="": run("play", *words, typed=typed)


@pytest.mark.parametrize(
    ("game", "word", "moves"),
    [
        ("connect_four", "444", ["d", "d", "d"]),
        ("connect_four", "ddD", ["d", "d", "d"]),
        ("connect_four:columns=12,rows=4", "1112", ["k", "l"]),  # before 1 1 1 2
        ("tic_tac_toe", "a1b2c3", ["a1", "b2", "c3"]),
        ("gomoku", "a11a1", ["a11", "a1"]),
        ("breakthrough", "a7a6b2b3", ["a7a6", "b2b3"]),
        ("knightthrough", "b2c4", ["b2c4"]),
        ("pentago", "c42r", ["c4-2R"]),
        ("kalah", "16", ["1", "13"]),  # the second player counts houses from 1, too
    ],
)
def test_moves_as_people_write_them(game, word, moves):
    position = trellis.load(game).start()
    names = []
    for code in spelled(position, word):
        names.append(position.name(code))
        position = position.play(code)
    assert names == moves


def test_marks_may_be_left_out_where_that_is_clear():
    position = trellis.load("breakthrough:rows=4,columns=4").start().play("a4a3", "b1b2")
    takes = next(name for name in position.moves() if "*" in name)
    assert [position.name(code) for code in spelled(position, takes.rstrip("*"))] == [takes]


@pytest.mark.parametrize("word", ["", "h", "8", "dddddddd", "d" * 500])
def test_what_is_no_move_is_refused_as_before(word):
    start = trellis.load("connect_four").start()
    with pytest.raises(IllegalMove, match="expected a column, a to g"):
        spelled(start, word)


def test_own_names_go_before_other_readings():
    """In nim a1 and a11 are moves: the longer one is meant wherever it is legal."""
    start = trellis.load("nim").start()
    for name in start.moves():
        assert [start.name(code) for code in spelled(start, name)] == [name]


def test_analyze_reads_such_moves_too(run):
    together, apart = (
        json.loads(run("show", "connect_four", "--moves", moves, "--json")[1])
        for moves in ("4445", "d d d e")
    )
    assert together == apart


def test_levels_are_players_and_the_default_keeps_its_graph(play):
    assert level_player("hex") == level_player("hex", "hard") == "auto:time=1,reuse=true,memory=256"
    assert "patterns" in level_player("go", "max", 2.5)
    for level in LEVELS:
        assert trellis.make_player(level_player("hex", level))
    code, out, _ = play("tic_tac_toe", "--level", "easy", "--seed", 3, typed="b2\nquit\n")
    assert (code, out.count("o plays ")) == (0, 1)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--level", "strong"], "bad level 'strong': expected easy, medium, hard, max"),
        (["--level", "easy", "--time", 2], "--time has no effect with --level easy"),
        (["--player", "random", "--level", "max"], "is for opponents without --player"),
        (["--moves", "b2", "--load", "x"], "is not for --load"),
        (["--load", "nowhere.txt"], "cannot read 'nowhere.txt'"),
        (["--moves", "b2 zz"], "move 2: illegal move 'zz'"),
    ],
)
def test_what_does_not_go_together_is_one_line(play, words, expected):
    code, out, err = play("tic_tac_toe", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert expected in err


def test_a_game_goes_on_where_it_was_saved(play, tmp_path):
    file = tmp_path / "game.txt"
    both = ["tic_tac_toe", "--side", "all"]
    assert play(*both, "--save", file, typed="b2\na1c3\nquit\n")[0] == 0
    code, out, _ = play(*both, "--load", file, "--json", typed="a2\nquit\n")
    assert code == 0
    assert json.loads(out)["moves"] == ["b2", "a1", "c3", "a2"]
    code, _, err = play("hex", "--load", file)
    assert code == 2
    assert "is 'tic_tac_toe': expected hex" in err


def test_a_game_of_go_goes_on_from_sgf(play, tmp_path):
    file = tmp_path / "game.sgf"
    go = "go:board_size=5,komi=0.5"
    assert play(go, "--side", "all", "--save", file, typed="c3 c4 b2\nquit\n")[0] == 0
    code, out, _ = play(go, "--side", "all", "--load", file, "--json", typed="quit\n")
    assert (code, json.loads(out)["moves"]) == (0, ["c3", "c4", "b2"])


def test_why_shows_the_threat_and_what_is_proven(play):
    """x has three in a column: all moves of o but one lose, and a search proves it."""
    code, out, _ = play(
        "connect_four:rows=4,columns=4", "--moves", "a b a b a", "--side", "second",
        "--player", "auto:sims=2000", typed="why\nhint\nquit\n",
    )  # fmt: skip
    assert code == 0
    assert "threat: x plays a after " in out
    assert "and wins, proven" in out
    assert "a loss" in out
    hinted = out.partition("o> hint\n")[2]
    assert hinted.startswith("a (")


def test_lines_after_each_move_are_legal():
    search = trellis.Search("tic_tac_toe", seed=1, symmetry=True)
    search.run(sims=300)
    found = lines_after(search)
    assert len(found) >= 3
    for move, line in found.items():
        search.position.play(move, *line)


def test_percentages_are_told_of_games_that_are_won_or_lost():
    four, gammon = trellis.load("connect_four"), trellis.load("backgammon:scoring=full")
    assert win_percent(four, 0.5) == 75.0
    assert win_percent(four, float("nan")) is None
    assert win_percent(gammon, 1.0) is None
    assert [verdict(four, value) for value in (1.0, 0.0, -1.0)] == ["a win", "a draw", "a loss"]
    assert verdict(gammon, 2.0) == "worth 2"


def test_discs_seeds_and_points_are_counted():
    def at_end(name, moves):
        game = trellis.load(name)
        return game.tally(game.start().play(*moves).state)

    assert at_end("othello", []) == "discs: x 2, o 2"
    assert at_end("othello", trellis.load("othello").start().moves()[:1]) == "discs: x 4, o 1"
    assert at_end("kalah", ["3", "1"]) == "seeds: 1 has 24, 2 has 24"
    assert at_end("go:board_size=3,komi=1.5", ["b2"]) == "area: black has 7.5 more, with komi"
    assert at_end("go:board_size=3,komi=1.5", []) == "area: white has 1.5 more, with komi"
    assert at_end("goofspiel:num_cards=3,points_order=descending", ["3", "1"]) == (
        "points: 1 has 3, 2 has 0"
    )
    assert at_end("tic_tac_toe", []) == ""


def test_the_end_of_a_game_says_what_was_counted(play):
    words = ["go:board_size=2,komi=0.5", "--side", "all"]
    _, out, _ = play(*words, typed="a1 pass pass\n")
    assert "area: black has 3.5 more, with komi\nthe game is over: black won" in out


def test_shells_are_offered_games_players_and_their_settings():
    assert games("hex") == ["hex:"]
    assert "connect_four" in games("con")
    assert "hex:board_size=" in games("hex:")
    assert games("go:superko=pos") == ["go:superko=positional"]
    assert games("nothing:") == games("hex:nothing=") == []
    assert "ucd" in players("uc")
    assert players("uct:c=0.3,si") == ["uct:c=0.3,sims="]
    assert "auto:reuse=true" in players("auto:reuse=")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(run, shell):
    code, out, _ = run("completion", shell)
    assert code == 0
    assert "_TRELLIS_COMPLETE" in out
    assert run("completion", "tcsh")[0] == 2
