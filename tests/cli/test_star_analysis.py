"""`trellis analyze --search`: positions searched depth first, from the command line."""

import json
import subprocess
import sys

import pytest

from trellis.loading import load
from trellis.search.star.engine import StarSearch

from places import told

# What Dice 3x3, three in a row, is worth, from a solver that is not ours; row-2 brings the centre.
DICE = "dice:m=3,k=3"
DICE_VALUE = 0.347450846
SEARCHES = ["expectimax", "star1", "star2", "star2tt", "star2tt+"]


@pytest.fixture
def analyze(run):
    def analyze(*arguments):
        code, out, err = run("analyze", *arguments, "--json")
        assert code == 0, err
        assert told(err) == []
        return json.loads(out)

    return analyze


def payoff_of(position, player, depth):
    """Work out what a player gets if all play well, from that player's own payoffs."""
    if position.is_over:
        return position.payoffs()[player]
    assert depth > 0
    values = [payoff_of(position.play(code), player, depth - 1) for code in position.move_codes()]
    if position.is_chance:
        return sum(p * v for p, v in zip(position.probabilities(), values, strict=True))
    return max(values) if position.acting == player else min(values)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_game_searched_to_its_end(analyze, search):
    found = analyze(DICE, "--search", search, "--depth", 18)
    assert found["game"] == DICE
    assert found["engine"] == search
    assert (found["player"], found["best"]) == ("chance", None)
    assert found["value"] == pytest.approx(DICE_VALUE, abs=1e-9)
    assert found["low"] <= found["value"] <= found["high"]
    assert (found["solved"], found["depth"], found["evaluation"]) == (True, 18, None)
    assert found["nodes"] > found["leaves"]
    assert [line["move"] for line in found["moves"]] == ["row-1", "row-2", "row-3"]
    assert [line["probability"] for line in found["moves"]] == pytest.approx([1 / 3] * 3)


def test_outcomes_add_up_to_the_value(analyze):
    moves = analyze(DICE, "--depth", 18)["moves"]
    assert sum(line["value"] for line in moves) / 3 == pytest.approx(DICE_VALUE, abs=1e-9)


def test_a_depth_alone_is_star2tt_and_not_the_whole_game(analyze):
    found = analyze(DICE, "--depth", 4)
    assert (found["engine"], found["depth"], found["solved"]) == ("star2tt", 4, False)
    assert found["value"] == pytest.approx(0, abs=1e-9)  # nobody can win so soon


def test_a_player_at_the_root(analyze):
    found = analyze(DICE, "--moves", "row-2", "--search", "star2tt", "--depth", 17)
    assert (found["player"], found["best"]) == ("x", "b2")
    outcomes = analyze(DICE, "--depth", 18)["moves"]
    assert found["value"] == pytest.approx(outcomes[1]["value"], abs=1e-9)
    best, *others = found["moves"]
    assert (best["move"], best["probability"]) == ("b2", None)
    assert best["value"] == pytest.approx(found["value"], abs=1e-9)
    assert {line["move"] for line in others} == {"a2", "c2"}
    assert all(line["high"] <= found["value"] + 1e-9 for line in others)


def test_for_people(run):
    code, out, err = run("analyze", DICE, "--moves", "row-2", "--depth", 17)
    assert code == 0
    assert told(err) == []
    assert "x has rolled row-2" in out
    assert "best for x: b2, +0.485254, the value of the game, on a scale from -1 to 1" in out
    code, out, _ = run("analyze", DICE, "--depth", 18)
    assert code == 0
    assert "worth to x: +0.347451, the value of the game, on a scale from -1 to 1" in out


def test_zero_has_no_wrong_sign(run):
    out = run("analyze", DICE, "--depth", 4)[1]
    assert "worth to x: +0.000000, searched 4 plies deep" in out
    assert "-0.0" not in out


def test_the_second_player_sees_his_own_payoffs(analyze):
    """Payoffs here are 0 to 1 and add up to 1; who moves is shown what he gets himself."""
    seen = {0: 0, 1: 0}
    for seed in range(12):
        spec = f"random_automaton:seed={seed},states=25,branching=3,chance=30"
        position = load(spec).start()
        moves = []
        while not position.is_over:
            if not position.is_chance and len(position.move_codes()) > 1:
                wanted = payoff_of(position, position.acting, 25)
                found = analyze(spec, "--moves", " ".join(moves), "--depth", 25)
                assert found["player"] == position.actor_name()
                assert found["solved"]
                assert found["value"] == pytest.approx(wanted, abs=1e-9)
                best = position.play(found["best"])
                assert payoff_of(best, position.acting, 25) == pytest.approx(wanted, abs=1e-9)
                seen[position.acting] += 1
                break
            moves.append(position.moves()[-1])
            position = position.play(moves[-1])
    assert all(seen.values()), seen


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("moves", ["", "row-2"])
def test_threads_change_no_value(analyze, threads, moves, monkeypatch):
    monkeypatch.setattr("trellis.search.star.engine._WORTH_THREADS", 0.0)
    where = [DICE, "--moves", moves, "--search", "star2tt", "--depth", 11]
    alone, together = analyze(*where), analyze(*where, "--threads", threads)
    assert together["value"] == pytest.approx(alone["value"], abs=1e-9)
    assert alone["value"] != 0
    assert together["best"] == alone["best"]


def test_alpha_beta_proves_what_solve_proves(analyze, run):
    for spec in ("hex:board_size=3", "tic_tac_toe", "connect_four:rows=4,columns=4"):
        found = analyze(spec, "--search", "alphabeta", "--depth", 16)
        code, out, _ = run("solve", spec, "--json")
        assert code == 0
        assert found["solved"], spec
        assert found["value"] == json.loads(out)["payoffs"][0]


def test_a_time_instead_of_a_depth(analyze):
    assert analyze("dice", "--search", "star2tt", "--time", 0.1)["depth"] >= 1
    for search in ("star2tt", "star2tt:least_depth=2"):  # which is a switch, and no depth
        found = analyze(DICE, "--search", search, "--time", 300)
        assert found["solved"]  # it stops when all is known
        assert found["value"] == pytest.approx(DICE_VALUE, abs=1e-9)


def test_switches_change_the_work_and_not_the_value(analyze):
    plain = analyze(DICE, "--search", "star2tt", "--depth", 12)
    other = analyze(DICE, "--search", "star2tt:probing=3,pvs=true,memory=0.01", "--depth", 12)
    assert other["value"] == pytest.approx(plain["value"], abs=1e-9)
    assert other["nodes"] != plain["nodes"]
    assert other["bytes"] < plain["bytes"]


def test_samples_are_those_of_the_seed(analyze):
    def value(seed):
        where = ["dice:m=3,k=3,lines=any", "--search", "star2tt:samples=2", "--depth", 11]
        return analyze(*where, "--seed", seed)["value"]

    values = [value(seed) for seed in range(4)]
    assert value(2) == values[2]
    assert len(set(values)) > 1


@pytest.mark.parametrize(
    ("spec", "depth"),
    [("backgammon", 2), ("twenty_forty_eight:rows=2,columns=2", 6), ("ein_stein", 2), ("pig", 6)],
)
def test_other_games(analyze, spec, depth):
    found = analyze(spec, "--depth", depth)
    assert (found["depth"], found["solved"]) == (depth, False)
    low, high = load(spec).payoff_range
    assert low <= found["low"] <= found["value"] <= found["high"] <= high


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dice", "--depth", "0"], "bad value 0 for --depth: expected a whole number above 0"),
        (["dice", "--depth", "-1"], "bad value -1 for --depth"),
        (["dice", "--depth", "32768"], "bad depth 32768: expected a whole number from 1 to 32767"),
        (["dice", "--depth", "x"], "bad value 'x' for --depth: expected a whole number"),
        (["dice", "--search", "star2tt:depth=0"], "bad value 0 for depth"),
        (["dice", "--search", "star2tt:depth=-1"], "bad value -1 for depth"),
        (["dice", "--search", "star3"], "unknown search 'star3': expected one of expectimax"),
        (["dice", "--search", "random"], "unknown search 'random': expected one of expectimax"),
        (["dice", "--search", "star2tt:prob=2"], "unknown option 'prob'"),
        (["dice", "--search", "star2tt:probing"], "bad option 'probing': expected name=value"),
        (["dice", "--search", "star2tt:probing=1e9"], "bad value '1e9' for probing"),
        (["dice", "--search", "star2tt:probing=2000"], "bad value 2000 for probing"),
        (["dice", "--search", "star2tt:samples=-1"], "bad value -1 for samples"),
        (
            ["dice", "--search", "star2tt:depth=3", "--depth", "4"],
            "expected depth as --depth, not in the search",
        ),
        (
            ["dice", "--search", "star2tt:memory=3", "--memory", "4"],
            "expected memory as --memory, not in the search",
        ),
        (["dice", "--depth", "3", "--memory", "0"], "bad value 0 for --memory"),
        (["dice", "--depth", "3", "--threads", "0"], "bad value 0 for --threads"),
        (["dice", "--depth", "3", "--threads", "-2"], "bad value -2 for --threads"),
        (["dice", "--depth", "3", "--threads", "65"], "bad number of threads 65"),
        (["dice", "--depth", "3", "--moves", "row-9"], "illegal move 'row-9'"),
        (["goofspiel", "--depth", "3"], "star searches need players who move one at a time"),
        (["pig:players=3", "--depth", "3"], "star searches need one player, or two"),
        (["tic_tac_toe", "--moves", "a1 b1 a2 b2 a3", "--depth", "3"], "is over"),
    ],
)
def test_bad_input_is_one_line(run, arguments, words):
    code, out, err = run("analyze", *arguments)
    assert code == 2
    assert out == ""
    assert len(told(err)) == 1
    assert words in err


def test_a_reader_that_goes_away(tmp_path):
    """A closed pipe is one line and no traceback."""
    command = "import sys; from trellis.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [
            "bash", "-c", '"$@" | true; echo "${PIPESTATUS[0]}"', "bash",
            sys.executable, "-c", command, "analyze", DICE, "--depth", "5", "--json",
        ],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert len(told(done.stderr)) <= 1
    assert int(done.stdout) in (0, 2)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["pig:target=100", "--time", "0.05"], "is not solved after 0.05 s: nothing is known"),
        (["pig:target=10", "--limit", "1000"], "--limit is for proofs by playouts"),
        (["pig:target=10", "--select", "uct1"], "--select is for proofs by playouts"),
        (["pig:target=10", "--memory", "0"], "bad value 0 for --memory"),
        (["pig:target=10", "--strategy", "a.json", "--strong", "a.json"], "expected two files"),
    ],
)
def test_what_solve_does_not_do_for_games_of_chance(run, words, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("solve", *words)
    assert code in (1, 2)
    assert out == ""
    assert wanted in err
    assert list(tmp_path.iterdir()) == []


def test_solve_tells_programs_that_it_has_not_finished(run):
    code, out, err = run("solve", "pig:target=100", "--time", 0.05, "--json")
    content = json.loads(out)
    assert code == 1
    assert (content["solved"], content["unfinished"], content["interrupted"]) == (
        False,
        True,
        False,
    )
    assert (content["low"], content["high"]) == (-1.0, 1.0)
    assert "positions" in content["reached"]
    assert len(told(err)) == 1


def test_settings_may_be_given_as_options(analyze, run):
    where = [DICE, "--search", "star2tt", "--depth", 4]
    text = [DICE, "--search", "star2tt:probing=0,iterative_deepening=false", "--depth", 4]
    same = analyze(*where, "--probing", 0, "--no-iterative-deepening")
    assert same["nodes"] == analyze(*text)["nodes"] != analyze(*where)["nodes"]
    code, _, err = run("analyze", DICE, "--pvs")
    assert code == 2
    assert "--pvs is for depth-first searches: expected --search or --depth with it" in err
    code, _, err = run("analyze", DICE, "--search", "star2tt:pvs=true", "--no-pvs")
    assert code == 2
    assert "expected pvs as --pvs, not in the search" in err


def test_one_analysis_makes_one_search(analyze, monkeypatch):
    made = []
    make = StarSearch.__init__

    def counted(self, *arguments, **options):
        made.append(self)
        make(self, *arguments, **options)

    monkeypatch.setattr(StarSearch, "__init__", counted)
    assert analyze(DICE, "--search", "star2tt:probing=2", "--depth", 3)["depth"] == 3
    assert len(made) == 1


def test_an_estimate_from_samples_says_so(run):
    where = ["analyze", "dice:m=3,k=3,lines=any", "--depth", "6"]
    _, out, _ = run(*where, "--search", "star2tt:samples=2")
    assert "with 2 rolls drawn at each chance node: an estimate" in out
    _, out, _ = run(*where, "--search", "star2tt")
    assert "estimate" not in out
