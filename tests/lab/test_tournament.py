"""Tournaments: what is played, what is told, and that nothing is played twice."""

import json

import pytest

from trellis.lab.tournament import run_tournament
from trellis.players.match import run_match
from trellis.players.match_file import MatchFile

PLAYERS = ["simple:sims=40", "random", "flat:sims=30"]


def test_each_pairing_is_the_match_it_would_be_alone(tmp_path):
    found = run_tournament("tic_tac_toe", PLAYERS, games=6, seed=5, opening=1)
    assert [(each.first, each.second) for each in found.pairings] == [(0, 1), (0, 2), (1, 2)]
    for each in found.pairings:
        alone = run_match(
            "tic_tac_toe", PLAYERS[each.first], PLAYERS[each.second], games=6, seed=5, opening=1
        )
        assert each.result.pairs == alone.pairs
        assert each.result.score_a == alone.score_a
    assert found.score(0, 1) == 1 - found.score(1, 0)
    assert found.ratings[0].elo > found.ratings[1].elo
    assert sum(rating.games for rating in found.ratings) == 2 * 3 * 6


def test_a_gauntlet_and_what_is_recorded(tmp_path):
    file = tmp_path / "games.jsonl"
    begun = run_tournament("tic_tac_toe", PLAYERS, games=2, log=MatchFile(file), gauntlet=True)
    assert [(each.first, each.second) for each in begun.pairings] == [(0, 1), (0, 2)]
    assert begun.score(1, 2) is None
    assert len(file.read_text().splitlines()) == 4
    whole = run_tournament("tic_tac_toe", PLAYERS, games=4, log=MatchFile(file), gauntlet=True)
    assert len(file.read_text().splitlines()) == 8
    fresh = run_tournament("tic_tac_toe", PLAYERS, games=4, gauntlet=True)
    assert whole.ratings == fresh.ratings


def test_the_command_prints_a_table_and_json(run):
    words = ["tournament", "tic_tac_toe", *PLAYERS, "--games", 2, "--seed", 1]
    code, out, _ = run(*words)
    assert code == 0
    assert out.splitlines()[0] == "tic_tac_toe, 6 games"
    assert out.splitlines()[2].split()[:2] == ["1", "simple:sims=40"]
    content = json.loads(run(*words, "--json")[1])
    assert [player["player"] for player in content["players"]] == PLAYERS
    assert [pairing["games"] for pairing in content["pairings"]] == [2, 2, 2]
    assert content["interrupted"] is False


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nim", "random", "random"], "player 'random' is given twice"),
        (["nim", "random"], "a tournament of 1 players"),
        (["nim", "random", "flat", "--games", "3"], "expected an even number"),
        (["leftright", "random", "flat"], "needs a game for two players"),
        (["nim", "random", "nobody"], "unknown player 'nobody'"),
    ],
)
def test_bad_input_gets_one_line(run, words, expected):
    code, out, err = run("tournament", *words)
    assert (code, out) == (2, "")
    assert expected in err.splitlines()[-1]
