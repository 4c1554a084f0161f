"""Recorded playouts through every evaluator: agreement, differences found, bad records refused."""

import gzip
import json
from itertools import pairwise

import pytest

from gdl.own_sheets import SHEETS
from trellis.game.errors import BadRecord, TrellisError
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.records import read_records
from trellis.gdl.tools.replay import EVALUATORS, machine_of, replay

SQUARES = [(column, row) for column in "abc" for row in "123"]
LINES = [
    *[{(column, row) for row in "123"} for column in "abc"],
    *[{(column, row) for column in "abc"} for row in "123"],
    {("a", "1"), ("b", "2"), ("c", "3")},
    {("a", "3"), ("b", "2"), ("c", "1")},
]
WON = ["b2", "a1", "b1", "a2", "b3"]  # x has the middle column
DRAWN = ["b2", "a1", "a2", "c2", "b1", "b3", "c3", "c1", "a3"]


def tic_tac_toe(moves, spell=str):
    """Write a record of tic-tac-toe from what everybody knows of it, not from the rulesheet."""
    steps = []
    marks = {"x": set(), "o": set()}
    for turn in range(len(moves) + 1):
        player, other = ("x", "o") if turn % 2 == 0 else ("o", "x")
        free = [each for each in SQUARES if each not in marks["x"] | marks["o"]]
        lines = {who: any(line <= marks[who] for line in LINES) for who in "xo"}
        state = [f"(cell {c} {r} {who})" for who in "xo" for c, r in sorted(marks[who])]
        step = {
            "state": [spell(fact) for fact in [*state, f"(control {player})"]],
            "terminal": any(lines.values()) or not free,
            "goals": (
                [100 if lines[who] else 0 for who in "xo"] if any(lines.values()) else [50, 50]
            ),
            "legal": [
                [f"(mark {c} {r})" for c, r in free] if who == player else ["noop"] for who in "xo"
            ],
        }
        if turn < len(moves):
            column, row = moves[turn]
            made = {player: f"(mark {column} {row})", other: "noop"}
            step["joint"] = [made["x"], made["o"]]
            marks[player].add((column, row))
        steps.append(step)
    return {"game": "own", "seed": 0, "roles": ["x", "o"], "steps": steps}


def as_match(record):
    """Write a record as the servers of the general game playing community do."""
    steps = record["steps"]
    return {
        "gameRoleNames": record["roles"],
        "states": ["( " + " ".join(step["state"]).replace("(", "( ") + " )" for step in steps],
        "moves": [step["joint"] for step in steps[:-1]],
        "goalValues": steps[-1]["goals"],
        "errors": [["", ""]] * len(steps),
        "isCompleted": True,
    }


@pytest.fixture(scope="module")
def sheet():
    return Sheet.from_file(SHEETS / "tic_tac_toe.kif")


@pytest.fixture
def write(written):
    return lambda text, name="record.jsonl": written(text, name)


def play(sheet, path, evaluator="event"):
    return replay(machine_of(sheet, evaluator), read_records(path), sheet.write)


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_a_record_agrees_in_every_step(sheet, write, evaluator):
    lines = [json.dumps(tic_tac_toe(moves)) for moves in (WON, DRAWN, [])]
    report = play(sheet, write("\n".join(lines) + "\n"), evaluator)
    assert report.to_dict() == {
        "playouts": 3,
        "steps": len(WON) + len(DRAWN) + 3,
        "agree": len(WON) + len(DRAWN) + 3,
        "first_difference": None,
    }


def test_packed_records_and_other_letter_case(sheet, write):
    record = tic_tac_toe(WON, spell=str.upper)
    record["roles"] = ["X", "O"]
    packed = gzip.compress(json.dumps(record).encode())
    assert play(sheet, write(packed, "record.jsonl.gz")).agree == 6
    assert play(sheet, write(packed, "a name that says nothing")).agree == 6


def test_a_record_with_the_roles_in_another_order(sheet, write):
    record = tic_tac_toe(WON)
    record["roles"].reverse()
    for step in record["steps"]:
        for key in ("goals", "legal", "joint"):
            if key in step:
                step[key] = step[key][::-1]
    assert play(sheet, write(json.dumps(record))).agree == 6


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_a_match_of_a_server(sheet, write, evaluator):
    match = as_match(tic_tac_toe(WON))
    wrapped = as_match(tic_tac_toe(WON, spell="(TRUE {})".format))
    for content in (match, [match, match], wrapped):
        report = play(sheet, write(json.dumps(content, indent=1), "match.json"), evaluator)
        assert report.agree == report.steps == 6 * report.playouts


def test_a_match_that_was_broken_off_is_not_over(sheet, write):
    match = as_match(tic_tac_toe(WON[:3]))
    assert play(sheet, write(json.dumps(match))).first_difference.what == "terminal"
    match["isCompleted"] = False
    assert play(sheet, write(json.dumps(match))).first_difference is None


def falsified(what):
    record = tic_tac_toe(WON)
    step = record["steps"][3]
    if what == "state":
        step["state"].append("(cell c 3 o)")
    elif what == "terminal":
        step["terminal"] = True
    elif what == "goals":
        step["goals"] = [100, 0]
    else:
        step["legal"][1].remove("(mark c 3)")
    return record


@pytest.mark.parametrize("evaluator", EVALUATORS)
@pytest.mark.parametrize("what", ["state", "terminal", "goals", "legal"])
def test_the_first_difference_is_found(sheet, write, what, evaluator):
    text = f"{json.dumps(tic_tac_toe(WON))}\n{json.dumps(falsified(what))}"
    report = play(sheet, write(text), evaluator)
    found = report.first_difference
    assert (found.playout, found.step, found.what) == (1, 3, what)
    assert report.steps == 12
    assert report.agree >= 10  # a false state also spoils the step after it
    assert (found.expected, found.got) == {
        "state": (["(cell c 3 o)"], []),
        "terminal": (True, False),
        "goals": ([100, 0], [50, 50]),
        "legal": ([[], []], [[], ["(mark c 3)"]]),
    }[what]


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_facts_and_moves_the_sheet_does_not_know_are_differences(sheet, write, evaluator):
    record = tic_tac_toe(WON)
    record["steps"][2]["joint"] = ["(jump z 9)", "noop"]
    assert play(sheet, write(json.dumps(record)), evaluator).first_difference.what == "legal"
    record = tic_tac_toe(WON)
    record["steps"][2]["state"] = ["(weather fine)"]
    found = play(sheet, write(json.dumps(record)), evaluator).first_difference
    assert (found.step, found.what) == (2, "state")
    assert found.expected == ["(weather fine)"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no playouts"),
        ("{", "record.jsonl:1:2: this is not JSON"),
        ('{"steps": [}', "record.jsonl:1:12: this is not JSON"),
        ("[" * 200_000, "nested too deep|no JSON"),
        (b"\x00\xff\xfe", "not text in UTF-8"),
        (b"\x1f\x8b\x08\x00rubbish", "cannot read"),
        ("{}", "expected an object with `steps`"),
        ("3", "expected an object with `steps`"),
        ('{"steps": 3}', "steps: expected a list"),
        ('{"steps": [3]}', "step 0 is not an object"),
        ('{"steps": [{"state": ["(a"]}]}', "never closed"),
        ('{"steps": [{"state": [7]}]}', "is not text"),
        ('{"steps": [{"goals": ["x"]}]}', "is not a goal"),
        ('{"roles": ["a"], "steps": []}', "recorded with the roles 'a'; the sheet has 'x', 'o'"),
        ('{"steps": [{"state": [], "joint": ["noop"]}]}', "1 entries for 2 roles"),
        ('{"states": ["((a))"], "moves": [[], []]}', "2 moves for 1 states"),
    ],
)
def test_bad_records_get_one_line(sheet, write, text, complaint):
    with pytest.raises(BadRecord, match=complaint) as caught:
        play(sheet, write(text))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_folder_and_a_missing_file_are_no_records(sheet, tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(BadRecord, match="cannot read"):
            play(sheet, path)


def test_a_line_that_is_cut_off_says_where(sheet, write):
    whole = json.dumps(tic_tac_toe(WON))
    with pytest.raises(BadRecord, match=r"record.jsonl:2:"):
        play(sheet, write(f"{whole}\n{whole[:100]}\n"))


# --- records of other systems

SOME = [  # among them three players, moves at once, one player, and loops of rules
    "base__ticTacToe",
    "base__connectFour",
    "base__nim3",
    "base__tictactoe_3player",
    "base__blocksWorldParallel",
    "base__blockerSerial",
    "base__atariGoVariant_7x7",
]


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_records_of_an_independent_implementation(shared, name, evaluator):
    record = shared / "gdl" / "reference" / f"{name}.jsonl.gz"
    folder, _, stem = name.partition("__")
    path = shared / "gdl" / folder / f"{stem}.kif"
    if not (record.is_file() and path.is_file()):
        pytest.skip(f"no {name} in ../shared/gdl")
    report = play(Sheet.from_file(path), record, evaluator)
    assert report.first_difference is None
    assert report.steps > 5


@pytest.mark.parametrize(
    ("name", "matches", "evaluator"),
    [
        ("ticTacToe", ["ticTacToe_local"], "event"),
        ("gt_prisoner", ["matches_1"], "event"),
        ("escortLatch", ["matches_3"], "event"),
        ("cephalopodMicro", ["matches_5"], "event"),
        ("sheepAndWolf", ["matches_7"], "event"),
        ("sudokuGrade5", ["matches_9"], "event"),
        # Moves that were illegal or late, and replaced, are among the second one's.
        ("chess", ["chess_matches_1", "chess_matches_3", "chess_matches_5"], "forward"),
    ],
)
def test_matches_of_public_servers(shared, name, matches, evaluator):
    path = shared / "gdl" / "base" / f"{name}.kif"
    records = [shared / "gdl" / "matches" / f"{match}.json" for match in matches]
    if not (path.is_file() and all(record.is_file() for record in records)):
        pytest.skip(f"no {name}, or no matches of it, in ../shared/gdl")
    sheet = Sheet.from_file(path)
    for record in records:
        report = play(sheet, record, evaluator)
        assert report.first_difference is None
        assert report.agree == report.steps > 5


def test_evaluators_agree_in_random_play(sheet):
    """The evaluator of lanes keeps earlier states in other lanes; none disturbs another."""
    machines = [machine_of(sheet, name) for name in EVALUATORS]
    states = [machines[0].initial()]
    for number in range(200):
        state = states[-1] if not machines[0].terminal(states[-1]) else states[0]
        legal = [sorted(moves, key=str) for moves in machines[0].legal(state)]
        joint = [moves[number % len(moves)] for moves in legal]
        for a, b in pairwise(machines):
            assert [*map(set, a.legal(state))] == [*map(set, b.legal(state))]
            assert a.terminal(state) == b.terminal(state)
            assert a.goals(state) == b.goals(state)
            assert a.next(state, joint) == b.next(state, joint)
        states.append(machines[0].next(state, joint))


def test_an_unknown_evaluator_is_refused(sheet):
    with pytest.raises(TrellisError, match="expected event, lanes64, lanes256, forward or auto"):
        machine_of(sheet, "magic")
