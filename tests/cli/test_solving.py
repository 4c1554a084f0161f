"""`trellis solve` by its methods, and `trellis verify`."""

import json

import pytest

SMALL = "connect_four:rows=4,columns=4"


@pytest.mark.parametrize("method", ["auto", "bounds", "alphabeta", "dfpn", "exact"])
def test_every_method_finds_the_value(run, method):
    code, out, _ = run("solve", "tic_tac_toe", "--method", method, "--json")
    content = json.loads(out)
    assert code == 0
    assert (content["solved"], content["low"], content["high"]) == (True, 0.0, 0.0)
    assert content["best"] in {"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"}


def test_auto_says_who_has_proven_what(run):
    _, out, _ = run("solve", SMALL, "--json")
    content = json.loads(out)
    assert content["proved_by"]["low"] in content["methods"]
    assert content["proved_by"]["high"] in content["methods"]


def test_moves_that_change_who_moves(run):
    """What is told is what the player to move gets."""
    _, out, _ = run("solve", "hex:board_size=3", "--moves", "b2", "--method", "alphabeta", "--json")
    content = json.loads(out)
    assert (content["player"], content["values_of"], content["value"]) == ("o", 1, -1.0)
    assert content["outcome"] == "first"


ODD_SUM = """
(role a) (role b) (init here)
(legal a left) (legal a right) (legal b wait)
(<= (next (took ?m)) (does a ?m))
(<= terminal (not (true here)))
(<= (goal a 100) (true (took right))) (<= (goal b 50) (true (took right)))
(<= (goal a 90) (true (took left))) (<= (goal b 60) (true (took left)))
"""


def test_a_sum_that_is_not_that_of_least_and_greatest(run, tmp_path):
    """Payoffs add up to 150, none is over 100: one player's bounds say little of the other's."""
    path = tmp_path / "odd.kif"
    path.write_text(ODD_SUM)
    code, out, _ = run("solve", path, "--json")
    content = json.loads(out)
    assert code == 0
    assert content["solved"]
    assert content["bounds"] == [[100.0, 100.0], [50.0, 50.0]]
    code, _, err = run("solve", path, "--method", "alphabeta")
    assert code == 2
    assert "expected payoffs that add up to the least and the greatest one" in err


def test_a_certificate_is_written_and_verified(run, tmp_path):
    path = tmp_path / "proof"
    code, out, _ = run("solve", SMALL, "--moves", "a b", "--certificate", path)
    assert code == 0
    assert "certificate of" in out
    code, out, _ = run("verify", SMALL, path)
    assert code == 0
    assert "verified: " in out
    assert "after a b" in out
    code, _, err = run("verify", "tic_tac_toe", path)
    assert code == 2
    assert "not about tic_tac_toe" in err


def test_a_proof_is_saved_and_resumed(run, tmp_path):
    path = tmp_path / "so far"
    assert run("solve", SMALL, "--method", "alphabeta", "--save", path)[0] == 0
    code, out, _ = run("solve", SMALL, "--method", "alphabeta", "--resume", path, "--json")
    assert code == 0
    assert json.loads(out)["outcome"] == "draw"


def test_dice(run):
    code, out, _ = run(
        "solve", "goofspiel:num_cards=3,points_order=ascending", "--method", "mixed", "--json"
    )
    content = json.loads(out)
    assert code == 0
    assert content["exact_value"] == "0"
    assert len(content["dice"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tic_tac_toe", "--method", "alfabeta"], "did you mean 'alphabeta'"),
        (["tic_tac_toe", "--method", "bounds", "--threads", "2"], "--threads"),
        (["tic_tac_toe", "--method", "dfpn", "--limit", "5"], "--limit"),
        (["tic_tac_toe", "--method", "exact", "--symmetry"], "--symmetry"),
        (["tic_tac_toe", "--method", "dfpn", "--threads", "2"], "one thread"),
        (["tic_tac_toe", "--question", "3"], "bad question 3"),
        (["tic_tac_toe", "--exact", "--method", "dfpn"], "--exact"),
        (["tic_tac_toe", "--exact", "--certificate", "x"], "--certificate"),
        (["pig", "--method", "alphabeta"], "without chance"),
        (["nine_mens_morris:turn_limit=0", "--threads", "2"], "--threads"),
        (["tic_tac_toe", "--resume", "no such file"], "cannot read"),
        (["random_automaton:players=3", "--method", "mixed"], "two players"),
    ],
)
def test_what_makes_no_sense_is_refused_by_one_line(run, words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("solve", *words)
    assert code == 2
    assert said in err
    assert "Traceback" not in err


def test_two_outputs_in_one_file_are_refused(run, tmp_path):
    path = tmp_path / "one"
    code, _, err = run("solve", "tic_tac_toe", "--strong", path, "--certificate", path)
    assert code == 2
    assert "expected two files" in err
