"""Players that search depth first: in matches, in games in progress, on a clock."""

import json

import pytest

import trellis
from trellis.evaluation.network import untrained, write_network
from trellis.evaluation.shipped import feature_set
from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.players.match import run_match
from trellis.players.player import make_player
from trellis.players.session import PERSON, Session
from trellis.players.star_player import StarPlayer
from trellis.players.texts import DEFAULT_DEPTH


def test_what_the_text_says():
    player = make_player("star2tt:depth=7,probing=2,pvs=true,memory=1")
    assert isinstance(player, StarPlayer)
    assert (player.depth, player.seconds) == (7, None)
    assert (player.settings.probing, player.settings.pvs, player.settings.memory) == (2, True, 1)
    assert player.settings.deeper is False
    assert player.name == "star2tt:depth=7,probing=2,pvs=true,memory=1"
    assert make_player("star1").depth == DEFAULT_DEPTH
    clocked = make_player("star2tt:time=0.5")
    assert (clocked.depth, clocked.seconds, clocked.settings.deeper) == (None, 0.5, True)
    assert make_player("star2tt:time=0.5,deeper=false").settings.deeper is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("star2tt:depth=0", "bad value 0 for depth: expected a whole number from 1"),
        ("star2tt:depth=-1", "bad value -1 for depth"),
        ("star2tt:time=0", "bad value 0 for time: expected a number above 0"),
        ("star2tt:time=-3", "bad value -3 for time"),
        ("star2tt:time=nan", "bad value 'nan' for time"),
        ("star2tt:sims=3", "unknown option 'sims'"),
        ("star2tt:pvs=perhaps", "bad value 'perhaps' for pvs: expected true or false"),
        ("star2tt:memory=0", "bad value 0 for memory"),
        ("star2tt:least_depth=0", "bad value 0 for least_depth"),
        ("star2tt:depth=3,depth=4", "option 'depth' is given twice"),
        ("star2t", "did you mean 'star2tt'"),
    ],
)
def test_bad_players_are_named(text, words):
    with pytest.raises(BadParameter, match=words):
        make_player(text)


@pytest.mark.parametrize("spec", ["goofspiel", "pig:players=3"])
def test_games_that_do_not_fit_are_refused_before_play(spec):
    with pytest.raises(BadParameter, match=r"player 'star2tt': .* star searches need"):
        make_player("star2tt", game=trellis.load(spec))


@pytest.mark.parametrize("kind", ["expectimax", "star1", "star2", "star2tt", "star2tt+"])
def test_every_kind_takes_the_move_that_wins_and_stops_the_one_that_loses(kind):
    start = trellis.load("dice:m=3,k=3,lines=any").start()
    player = make_player(f"{kind}:depth=4")
    two_in_row = start.play("row-1", "a1", "row-3", "a3", "row-1", "b1", "row-3", "b3")
    assert player.choose(two_in_row.play("column-c"), 0) == "c1"
    assert player.report.value == 1
    threatened = start.play("row-1", "a1", "row-3", "a3", "row-1", "b1", "column-c")
    assert player.choose(threatened, 1) == "c1"


def test_the_only_move_needs_no_search():
    player = make_player("star2tt:depth=3")
    nim = trellis.load("nim:pile_sizes=1").start()
    assert player.choose(nim, 0) == nim.moves()[0]
    assert player.report is None


def test_a_player_goes_on_with_another_game():
    player = make_player("star2tt:depth=3")
    for spec in ("dice:m=3,k=3", "dice:m=4,k=3"):
        position = trellis.load(spec).start()
        position = position.play(position.moves()[0])
        assert player.choose(position, 0) in position.moves()


def test_a_player_on_a_clock_makes_legal_moves():
    for spec in ("dice", "ein_stein", "backgammon", "twenty_forty_eight:rows=2,columns=2"):
        player = make_player("star2tt:time=0.05")
        position = trellis.load(spec).start()
        for _ in range(6):
            if position.is_over:
                break
            if position.is_chance:
                position = position.play(position.move_codes()[0])
                continue
            move = player.choose(position, position.acting)
            assert move in position.moves()
            assert player.report is None or player.report.depth >= 1
            position = position.play(move)


def test_all_kinds_find_the_same_value():
    values = set()
    position = trellis.load("dice").start().play("row-3")
    for kind in ("expectimax", "star1", "star2", "star2tt", "star2tt+"):
        player = make_player(f"{kind}:depth=4")
        player.choose(position, 0)
        values.add(round(player.report.value, 9))
    assert len(values) == 1


def test_a_search_beats_random_moves(run):
    code, out, err = run(
        "match", "dice", "star2tt:depth=3", "random", "--games", 20, "--seed", 1, "--json"
    )
    assert code == 0, err
    result = json.loads(out)
    assert result["games"] == 20
    assert result["score_a"] >= 0.7
    again = run_match("dice", "star2tt:depth=3", "random", games=20, seed=1)
    assert (again.wins_a, again.wins_b) == (result["wins_a"], result["wins_b"])


def test_both_families_meet_in_one_match():
    result = run_match("dice:m=3,k=3", "star2tt:depth=5", "simple:sims=50", games=4, seed=2)
    assert result.games == result.wins_a + result.wins_b + result.draws == 4


def test_a_person_plays_against_one(run):
    code, out, err = run(
        "play", "dice:m=3,k=3", "--player", "star2tt:depth=3", "--seed", 1, typed="moves\nresign\n"
    )
    assert code == 0, err
    assert "has rolled" in out


def test_a_star_player_answers_a_person():
    session = Session(
        trellis.load("tic_tac_toe"), [PERSON, make_player("alphabeta:depth=9")], seed=1
    )
    session.play("a1")
    session.advance()
    assert session.moves == ["a1", "b2"]  # every other answer loses to a corner


def test_alpha_beta_never_loses_tic_tac_toe():
    result = run_match("tic_tac_toe", "alphabeta:depth=9", "random", games=20, seed=5)
    assert result.wins_b == 0
    assert result.wins_a > 10


def test_weights_of_ones_own_judge(tmp_path):
    game = load("dice")
    path = tmp_path / "mine.json"
    network = untrained(game, feature_set(game), hidden=3, seed=5)
    write_network(path, network)
    player = make_player(f"star2tt:depth=2,weights={path}", 0, game)
    assert player.search_of(game).evaluation.name == "network of 3 hidden units"
    assert player.choose(game.start().play("row-1"), 0) in game.start().play("row-1").moves()


def test_weights_that_do_not_fit(tmp_path):
    game = load("dice")
    path = tmp_path / "mine.json"
    with pytest.raises(BadParameter, match="cannot read a network from"):
        make_player(f"star2tt:weights={path}", 0, game)
    path.write_text("{")
    with pytest.raises(BadParameter, match="is not a whole network file"):
        make_player(f"star2tt:weights={path}", 0, game)
    small = load("dice:m=3,k=3")
    write_network(path, untrained(small, feature_set(small), hidden=3))
    with pytest.raises(BadParameter, match="dice"):
        make_player(f"star2tt:weights={path}", 0, game)
    with pytest.raises(BadParameter, match="no feature function for ein_stein"):
        make_player(f"star2tt:weights={path}", 0, load("ein_stein"))
