"""`trellis match --sprt` and `--record`: a match that ends when it is decided, and goes on."""

import json
from typing import Any

import pytest

WORDS = ["match", "tic_tac_toe", "simple:sims=60", "random", "--sprt", "elo0=0,elo1=80", "--json"]


def _content(out: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(out)
    return {**content, "seconds": 0}


def test_a_match_ends_as_soon_as_it_is_decided(run):
    code, out, _ = run(*WORDS, "--seed", 2)
    content = _content(out)
    assert code == 0
    assert content["games"] == 2 * sum(content["pairs"]) < 200
    test = content["sprt"]
    assert test["accepted"] == "elo1"
    assert test["ratio"] >= test["bounds"][1]
    assert (
        content["normalized_elo_low"] < content["normalized_elo"] < content["normalized_elo_high"]
    )


def test_workers_and_a_record_change_nothing(run, tmp_path):
    """Games end in another order there; a pair counts when all before it do."""
    alone = _content(run(*WORDS)[1])
    record = tmp_path / "games.jsonl"
    begun = _content(run(*WORDS, "--games", 4, "--record", record)[1])
    assert begun["games"] == 4
    assert begun["sprt"]["accepted"] is None
    assert _content(run(*WORDS, "--workers", 3, "--record", record)[1]) == alone
    assert _content(run(*WORDS, "--record", record)[1]) == alone
    assert len(record.read_text().splitlines()) >= alone["games"]


def test_whoever_wins_all_games_has_no_finite_elo(run):
    words = ["match", "tic_tac_toe", "simple:sims=300", "random", "--games", 6, "--seed", 3]
    code, out, _ = run(*words, "--json")
    content = _content(out)
    assert (code, content["score_a"], content["elo"], content["elo_high"]) == (0, 1, None, None)
    assert content["elo_low"] > 0
    assert "normalized_elo" not in content
    assert "A's Elo: +∞" in run(*words)[1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nim", "random", "random", "--sprt", "0,5"], "bad option '0'"),
        (["nim", "random", "random", "--sprt", "elo0=5,elo1=5"], "expected elo0 < elo1"),
        (["nim", "random", "random", "--sprt", "elo=5"], "unknown option 'elo' for --sprt"),
        (["pig", "random", "random", "--sprt", "alpha=2"], "alpha"),
    ],
)
def test_bad_tests_get_one_line(run, words, expected):
    code, out, err = run("match", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


def test_a_game_for_one_is_not_tested(run):
    words = ["match", "leftright:h=3", "random", "random", "--sprt", "elo1=5"]
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == "trellis: --sprt needs a game for two players, not leftright:h=3"
