"""Players with move groups: they play the plain game, and search the one with groups."""

from collections import Counter

import pytest

from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.players.grouped_player import GroupedPlayer
from trellis.players.match import run_match
from trellis.players.player import make_player
from trellis.players.session import Session

GAME = "go:board_size=5,superko=simple"
TEXT = "uct2:groups=manhattan,bounds=off,sims=200"


def test_it_plays_the_plain_game_to_its_end():
    result = run_match(GAME, TEXT, "random", games=4, seed=1)
    assert result.wins_a == 4
    assert not result.forfeits
    assert result.stopped == 0


def test_the_same_seed_gives_the_same_moves():
    def moves(seed):
        players = [make_player(TEXT, seed), make_player("random", 1)]
        session = Session(load(GAME), players)
        for _ in range(8):
            session.advance()
        return session.moves

    assert moves(3) == moves(3)
    assert moves(3) != moves(4)


def test_it_searches_the_position_with_groups_and_knows_the_last_moves():
    game, moves = load(GAME), ["c3", "b2", "pass", "e5", "d4", "a1"]
    player = make_player(TEXT, game=game)
    assert isinstance(player, GroupedPlayer)
    player.follow(game, moves)
    inside = player.position_inside(game.start().play(*moves))
    assert inside.moves() == ["[near]", "[all]"]
    assert set(inside.play("[all]").moves()) == set(game.start().play(*moves).moves())
    near = {
        name for name in game.start().play(*moves).moves()
        if name == "pass" or any(
            abs(ord(name[0]) - ord(stone[0])) + abs(int(name[1]) - int(stone[1])) <= 2
            for stone in ("d4", "a1")
        )
    }  # fmt: skip
    assert set(inside.play("[near]").moves()) == near
    assert len(near) < len(inside.play("[all]").moves())


def chosen_by(text, seed):
    """Return a player after its choice where near moves are bad, and the choice."""
    game = load(GAME)
    player = make_player(text, seed, game=game)
    player.follow(game, ["a1"])
    return player, player.choose(game.start().play("a1"), 1)


def test_the_move_has_most_visits_over_both_groups():
    best_of_best_group = 0
    for seed in range(12):
        visits = Counter()
        for group in ("[near]", "[all]"):
            player, move = chosen_by(TEXT, seed)
            line = player.report.line
            player.search.thinking.advance(group)
            for each in player.search.thinking.report().moves:
                visits[each.move] += each.visits
        assert visits[move] == max(visits.values())
        best_of_best_group += move == line[1]
    assert best_of_best_group < 12  # groups do overlap, and that matters


def test_by_another_rule_the_move_is_the_best_of_the_best_group():
    for rule in ("max", "secure"):
        player, move = chosen_by(f"{TEXT},final_move={rule}", 5)
        report = player.report
        assert report.moves[0].move == report.line[0]
        assert report.line[0] in ("[near]", "[all]")
        assert move == report.line[1]


def test_so_few_simulations_that_only_the_group_is_known():
    session = Session(load(GAME), [make_player(TEXT.replace("200", "1")), make_player("random")])
    for _ in range(6):
        session.advance()
    assert len(session.moves) == 6


def test_who_does_not_tell_the_moves_is_refused():
    game = load(GAME)
    player = make_player(TEXT, game=game)
    with pytest.raises(BadParameter, match="move groups need to know the moves"):
        player.choose(game.start().play("c3"), 1)


def test_the_go_text_protocol_refuses_it(run):
    code, out, err = run("gtp", "--player", TEXT)
    assert code == 2
    assert out == ""
    assert "has move groups: expected one without" in err


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("hex", TEXT, "no groups called 'manhattan'"),
        (GAME, TEXT.replace("manhattan", "nearby"), "groups"),
        (GAME, TEXT + ",reuse=true", "expected no reuse"),
    ],
)
def test_what_makes_no_sense_is_refused(game, text, message):
    with pytest.raises(BadParameter, match=message):
        make_player(text, game=load(game))
