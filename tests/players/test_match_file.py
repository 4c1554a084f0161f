"""Games in a file: a match goes on where it was left, and refuses what is no such file."""

import dataclasses
import json
import os

import pytest

from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.players.match import Match, play_game, run_match
from trellis.players.match_file import MatchFile

MATCH = ("connect_four", "uct:sims=30", "random")


def facts(result):
    return {**dataclasses.asdict(result), "seconds": None}


def test_a_match_goes_on_where_it_was_left(tmp_path):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=4, seed=3, log=MatchFile(path))
    begun = path.read_text()
    result = run_match(*MATCH, games=9, seed=3, log=MatchFile(path))
    assert path.read_text().startswith(begun)
    assert len(path.read_text().splitlines()) == 9
    assert facts(result) == facts(run_match(*MATCH, games=9, seed=3))
    run_match(*MATCH, games=9, seed=3, log=MatchFile(path))  # knows all of them
    assert len(path.read_text().splitlines()) == 9
    assert run_match(*MATCH, games=2, seed=3, log=MatchFile(path)).games == 2


def test_known_games_are_not_played_again(tmp_path):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=2, seed=3, log=MatchFile(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["score_a"] = 0.5
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run_match(*MATCH, games=2, seed=3, log=MatchFile(path)).draws == 2


def test_another_match_is_not_mistaken_for_it(tmp_path):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=2, seed=3, log=MatchFile(path))
    run_match(*MATCH, games=2, seed=4, log=MatchFile(path))
    run_match(*MATCH, games=2, seed=3, opening=2, log=MatchFile(path))
    run_match(*MATCH[:2], "flat:sims=5", games=2, seed=3, log=MatchFile(path))
    assert len(path.read_text().splitlines()) == 8


def test_workers_write_the_same_games(tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    run_match(*MATCH, games=5, log=MatchFile(one))
    run_match(*MATCH, games=5, workers=2, log=MatchFile(two))
    assert sorted(one.read_text().splitlines()) == sorted(two.read_text().splitlines())


def test_the_moves_of_a_line_are_those_of_the_game(tmp_path):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=2, seed=5, opening=2, log=MatchFile(path))
    for line in map(json.loads, path.read_text().splitlines()):
        end = load("connect_four").start().play(*line["moves"])
        assert end.is_over
        assert len(line["moves"]) == line["plies"]
        assert end.payoffs()[line["number"] % 2] == line["payoff_a"]
        match = Match(*MATCH, line["seed"], (), line["opening"], line["longest"])
        assert play_game(load("connect_four"), match, line["number"]).moves == tuple(line["moves"])


def test_a_line_that_was_being_written_is_taken_away(tmp_path):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=3, seed=3, log=MatchFile(path))
    whole = path.read_bytes()
    last = len(whole.splitlines()[-1])
    for missing in (1, 10, last, last + 1):
        path.write_bytes(whole[:-missing])
        assert run_match(*MATCH, games=3, seed=3, log=MatchFile(path)).games == 3
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("name", "value"),
    [("score_a", 0.7), ("score_a", None), ("number", 1.5), ("moves", "a b"), ("moves", [1]),
     ("plies", True), ("payoff_a", "1"), ("game", None)],
)  # fmt: skip
def test_a_line_that_is_no_game_is_refused(tmp_path, name, value):
    path = tmp_path / "games.jsonl"
    run_match(*MATCH, games=2, log=MatchFile(path))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | {name: value})}\n")
    with pytest.raises(BadParameter, match="line 2: expected one that --record has written"):
        MatchFile(path)


@pytest.mark.parametrize(
    "text", ["no JSON\n", "[1, 2]\n", "{}\n", "\n", "[" * 100_000 + "\n", "a note"]
)
def test_other_files_are_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "other.txt"
    path.write_text(text)
    with pytest.raises(BadParameter, match="line 1: expected one"):
        MatchFile(path)
    assert path.read_text() == text


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(BadParameter, match="cannot use"):
        MatchFile(tmp_path)
    with pytest.raises(BadParameter, match="cannot use"):
        MatchFile(tmp_path / "nowhere" / "games.jsonl")
    if os.name == "posix" and os.geteuid():
        path = tmp_path / "locked.jsonl"
        path.touch(0o400)
        with pytest.raises(BadParameter, match="cannot use"):
            MatchFile(path)
