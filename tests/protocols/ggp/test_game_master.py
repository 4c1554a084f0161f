"""Matches run by the game master: with players who do what they should, and others."""

import asyncio
import json

import pytest

from protocols.ggp.playing import NIM, puppet
from trellis.game.errors import BadParameter
from trellis.gdl.language.kif import read
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.records import read_records
from trellis.gdl.tools.replay import machine_of, replay
from trellis.protocols.ggp.game_master import GameMaster, MatchPlan
from trellis.protocols.ggp.http_sending import Sender
from trellis.protocols.ggp.match_record import MatchRecord
from trellis.protocols.ggp.messages import Play, Start, Stop, read_message
from trellis.protocols.ggp.refereeing import Referee, scrambled_names


def run_match(*acts, scramble=False, seed=3, play_clock=0.5, rules=NIM) -> MatchRecord:
    """Play a match between puppets; None is the built-in random player."""

    async def run() -> MatchRecord:
        listening = [act and await puppet(act) for act in acts]
        players = [f"127.0.0.1:{each.port}" if each else "random" for each in listening]
        plan = MatchPlan(players, 1.0, play_clock, scramble, seed, grace=0.0)
        sender = Sender()
        referee = Referee(Sheet(rules, "nim"), seed if scramble else None)
        states = []
        master = GameMaster("nim", "m1", referee, plan, sender)
        record = await master.run(lambda record, _: states.append(len(record.states)))
        assert states[:-1] == list(range(1, len(record.states) + 1))
        await sender.close()
        for each in listening:
            if each:
                await each.close()
        return record

    return asyncio.run(run())


def good_player(heard):
    """Take what leaves a multiple of three; keep what was heard."""
    heap = 4

    def act(text):
        nonlocal heap
        heard.append(message := read_message(text))
        if isinstance(message, Start):
            return "ready"
        if isinstance(message, Play):
            for move in message.moves or ():
                if "Take" in move:
                    heap -= int(move.strip("()").split()[1])
            # Left begins, so an even number of steps means it is Left's turn.
            turn = len([each for each in heard if isinstance(each, Play)]) % 2 == 1
            if not turn:
                return "wait"
            return f"( take  {heap % 3 or 1} )"
        return "done"

    return act


def test_a_match_goes_as_the_rules_say(tmp_path):
    heard = []
    record = run_match(good_player(heard), None)
    assert record.completed
    assert record.goals == [100, 0]
    assert not any(any(step) for step in record.errors)
    start = heard[1]
    assert isinstance(start, Start)
    assert (start.role, start.match, start.play_clock) == ("Left", "m1", 0.5)
    assert isinstance(heard[-1], Stop)
    assert heard[2].moves is None
    assert heard[3].moves[0] == "(Take 1)"
    path = tmp_path / "match.json"
    path.write_text(json.dumps(record.content()) + "\n", "utf-8")
    for evaluator in ("forward", "event"):
        found = replay(machine_of(Sheet(NIM), evaluator), read_records(path))
        assert (found.playouts, found.agree) == (1, len(record.states))
        assert found.first_difference is None


def test_bad_moves_are_replaced_and_recorded():
    def act(text):
        message = read_message(text)
        if isinstance(message, Play):
            answers = {None: "(take 3)", 1: 1.5, 2: ")(", 3: "nil"}
            step = act.steps = getattr(act, "steps", 0) + 1
            return answers.get(None if step == 1 else step - 1, "nil")
        return "no idea"

    record = run_match(act, None)
    assert record.completed
    assert sum(goal or 0 for goal in record.goals) == 100
    assert record.errors[0][0] == "IL (take 3)"
    assert record.errors[1][0] == "TO"
    assert all(step[1] == "" for step in record.errors)
    assert record.failures(0, "TO") == 1
    assert record.failures(0) == len(record.moves)


def test_players_who_are_not_there():
    async def run() -> MatchRecord:
        gone = await puppet(str)
        await gone.close()
        sender = Sender()
        plan = MatchPlan([f"127.0.0.1:{gone.port}", "random"], 1.0, 1.0)
        master = GameMaster("nim", "m", Referee(Sheet(NIM, "nim")), plan, sender)
        record = await master.run(lambda *_: None)
        await sender.close()
        return record

    record = asyncio.run(run())
    assert record.completed
    assert all(step == ["CE", ""] for step in record.errors)


def test_scrambled_names_hide_all_but_the_rules():
    heard = []

    def act(text):
        heard.append(message := read_message(text))
        return "ready" if isinstance(message, Start) else "nonsense"

    record = run_match(act, None, scramble=True)
    start = next(each for each in heard if isinstance(each, Start))
    words = set(start.rules.lower().replace("(", " ").replace(")", " ").split())
    assert not words & {"left", "right", "heap", "take", "wait", "control", "succ", "?p", "?n"}
    assert {"role", "init", "<=", "legal", "100", "4", "not"} <= words
    assert not read(start.rules).findings
    assert record.content()["scrambled"] is True
    assert any("(Take" in move for step in record.moves for move in step)
    plays = [each for each in heard if isinstance(each, Play) and each.moves]
    assert plays
    assert not any("Take" in move for each in plays for move in each.moves)


def test_moves_in_scrambled_names_are_understood():
    names = scrambled_names(["take", "?x", "legal", "12", "wait"], 5)
    assert names.keys() == {"take", "?x", "wait"}
    assert names["?x"][:1] == "?"
    assert len(set(names.values())) == 3
    referee = Referee(Sheet(NIM, "nim"), 0)
    move = referee.legal[0][0]
    assert referee.read_move(referee.write(move).upper(), 0) == move
    assert referee.read_move(Sheet(NIM).write(move), 0) is None


@pytest.mark.parametrize(
    "text", ["", "()", "((take 1))", "(?x 1)", "take 1", "(take", "nothing", "(" * 100_000, "\0"]
)
def test_what_is_no_move_is_not_one(text):
    assert Referee(Sheet(NIM, "nim")).read_move(text, 0) is None


def test_bad_plans_are_refused():
    for players in ([], ["random"], ["random"] * 3, ["h:1", "h:1"], ["h:1", "ftp://x"]):
        with pytest.raises(BadParameter):
            MatchPlan(players).check(["left", "right"])
    assert MatchPlan(["h:1", "random"]).check(["a", "random", "b"]) == ["http://h:1/", None, None]
    with pytest.raises(BadParameter, match="clock"):
        MatchPlan(["random"], start_clock=0)


def test_a_match_that_cannot_go_on_is_aborted():
    rules = "(role a) (init s) (<= (next s) (true s)) (<= (legal a go) (true t)) (goal a 0)"
    rules += "(<= terminal (true u)) (<= (next t) (true never)) (<= (next u) (true never))"
    record = run_match(None, rules=rules)
    assert record.aborted
    assert not record.completed
    assert "no legal move" in record.why
    assert "goalValues" not in record.content()
