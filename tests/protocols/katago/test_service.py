"""Many queries at once: their order, ending them, telling what is known meanwhile, the end."""

import io
import json
import threading
from time import perf_counter, sleep

import pytest

from protocols.katago.asking import Asking, query
from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter
from trellis.protocols.gtp.engine import OutputFailed
from trellis.protocols.katago import serving
from trellis.protocols.katago.service import Service
from trellis.protocols.katago.serving import Outbox, serve_queries

ENDLESS = 10_000_000  # visits, as KaTrain asks for while it ponders


def served(text, player="auto:sims=50", source=None):
    """Return the answers to some input."""
    out = io.StringIO()
    outbox = Outbox(out)
    serve_queries(Service(outbox.send, player), outbox, source or io.StringIO(text))
    return [json.loads(line) for line in out.getvalue().splitlines()]


class Slowly:
    """An input that waits: each line is a text, or what has to be true before more is read."""

    def __init__(self, *lines):
        self._lines = iter(lines)

    def readline(self, most):
        for line in self._lines:
            if isinstance(line, str):
                return line + "\n"
            until = perf_counter() + 120
            while not line():
                assert perf_counter() < until
                sleep(0.01)
        return ""


def test_the_end_of_the_input_ends_it_when_all_is_answered():
    lines = [json.dumps(query(f"q{n}", moves=[["B", "C3"]])) for n in range(40)]
    found = served("\n".join([*lines, "nonsense"]))
    assert sum("error" in each for each in found) == 1
    assert sorted(each["id"] for each in found if "id" in each) == sorted(
        f"q{n}" for n in range(40)
    )
    assert served("") == []


def test_the_highest_priority_comes_first_then_who_asked_first():
    asking = Asking()
    moves = [["B", "C3"], ["W", "C4"]]
    asking.send(query("a"), query("b", priority=3), query("c", priority=3))
    asking.send(query("d", moves=moves, analyzeTurns=[0, 1], priorities=[-1, 9]))
    order = [(each["id"], each["turnNumber"]) for each in asking.work()]
    assert order == [("d", 1), ("b", 0), ("c", 0), ("a", 0), ("d", 0)]


def test_actions_are_told_back():
    asking = Asking()
    for action in ("query_version", "query_models", "clear_cache", "terminate_all"):
        sent = {"id": "x", "action": action, "more": [1, {"a": None}]}
        [answer] = asking.send(sent)
        assert sent.items() <= answer.items()
    assert asking.send({"id": "x", "action": "query_version"})[0]["version"]
    [answer] = asking.send({"id": "x", "action": "query_models"})
    assert answer["models"][0]["name"] == "auto:sims=60"
    for bad, field in (
        ({"action": "dance"}, "action"),
        ({"action": "terminate"}, "terminateId"),
        ({"action": "terminate", "terminateId": 3}, "terminateId"),
        ({"action": "terminate_all", "turnNumbers": 3}, "turnNumbers"),
        ({"action": "terminate_all", "turnNumbers": [True]}, "turnNumbers"),
    ):
        [answer] = asking.send({"id": "x"} | bad)
        assert answer["field"] == field


def test_what_is_ended_before_it_began_is_answered_without_results():
    asking = Asking()
    asking.send(query("a"), query("b"), query("c", moves=[["B", "A1"]], analyzeTurns=[0, 1]))
    ended = asking.send(
        {"id": "t", "action": "terminate", "terminateId": "a"},
        {"id": "t", "action": "terminate", "terminateId": "c", "turnNumbers": [1, 7]},
        {"id": "t", "action": "terminate", "terminateId": "unknown"},
    )
    none = {"isDuringSearch": False, "noResults": True}
    assert [each for each in ended if each["id"] != "t"] == [
        {"id": "a", "turnNumber": 0, **none},
        {"id": "c", "turnNumber": 1, **none},
    ]
    assert [(each["id"], each["turnNumber"]) for each in asking.work()] == [("b", 0), ("c", 0)]
    asking.send(query("a"), query("b"))
    assert len(asking.send({"id": "t", "action": "terminate_all"})) == 3
    assert asking.work() == []


def test_a_search_that_is_ended_tells_what_it_has_found():
    """A front end ponders, reads reports, ends the search and has the next one at once."""
    out = io.StringIO()

    def reports():
        return out.getvalue().count('"isDuringSearch":true') >= 2

    pondering = query("p", maxVisits=ENDLESS, reportDuringSearchEvery=0.01)
    source = Slowly(
        json.dumps(pondering),
        reports,
        json.dumps(query("other", maxVisits=30)),
        json.dumps({"id": "t", "action": "terminate", "terminateId": "p"}),
    )
    outbox = Outbox(out)
    serve_queries(Service(outbox.send, "auto:sims=50"), outbox, source)
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    last = [each for each in found if each["id"] == "p"][-1]
    assert not last["isDuringSearch"]
    assert 0 < last["rootInfo"]["visits"] < ENDLESS
    assert found[-1]["id"] == "other"
    assert found[-1]["rootInfo"]["visits"] == 30
    seen = [each["rootInfo"]["visits"] for each in found if each["id"] == "p"]
    assert seen == sorted(seen)
    assert not stop_asked()


def test_time_ends_a_search():
    asking = Asking()
    asking.send(query(maxVisits=ENDLESS, overrideSettings={"maxTime": 0.05}))
    [answer] = asking.work()
    assert 0 < answer["rootInfo"]["visits"] < ENDLESS


def test_no_time_at_all_is_enough_for_one_visit():
    asking = Asking()
    asking.send(query(maxVisits=None, overrideSettings={"maxTime": 0}))
    [answer] = asking.work()
    assert answer["rootInfo"]["visits"] >= 1


def test_visits_may_be_settings_and_the_query_has_the_last_word():
    asking = Asking()
    asking.send(query(maxVisits=None, overrideSettings={"maxVisits": 7}))
    asking.send(query(maxVisits=9, overrideSettings={"maxVisits": 7}))
    asking.send(query(maxVisits=None))
    assert [each["rootInfo"]["visits"] for each in asking.work()] == [7, 9, 60]


def test_who_sends_everything_before_reading_is_not_kept_waiting(monkeypatch):
    """Nothing is read from the output until all of the input is written."""
    read = threading.Event()

    class Unread(io.StringIO):
        def write(self, text):
            assert read.wait(120)
            return super().write(text)

    out = Unread()
    outbox = Outbox(out)
    lines = ["nonsense"] * 2000 + [json.dumps(query(maxVisits=5))]
    source = Slowly(*lines, lambda: read.set() or True)
    serve_queries(Service(outbox.send, "auto:sims=50"), outbox, source)
    assert len(out.getvalue().splitlines()) == 2001


def test_answers_that_nobody_reads_have_a_bound(monkeypatch):
    monkeypatch.setattr(serving, "MOST_UNREAD", 100)
    read, sent = threading.Event(), []

    class Unread(io.StringIO):
        def write(self, text):
            assert read.wait(120)
            return super().write(text)

    outbox = Outbox(Unread())

    def send():
        for number in range(50):
            outbox.send({"number": number})
            sent.append(number)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(0.3)
    assert 0 < len(sent) < 10
    read.set()
    sender.join(120)
    outbox.close()
    assert len(sent) == 50


def test_output_that_cannot_be_written_ends_it():
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    outbox = Outbox(Gone())
    endless = json.dumps(query(maxVisits=ENDLESS))
    with pytest.raises(OutputFailed):
        serve_queries(
            Service(outbox.send, "auto:sims=50"), outbox, io.StringIO(f"nonsense\n{endless}\n")
        )


def test_an_error_of_ours_ends_nothing(capsys, monkeypatch):
    asking = Asking()
    asking.send(query("a"), query("b"))
    real = asking.service._analyse
    monkeypatch.setattr(
        asking.service, "_analyse", lambda task: 1 / 0 if task.query.id == "a" else real(task)
    )
    first, second = asking.work()
    assert first == {"id": "a", "turnNumber": 0, "error": "internal error: ZeroDivisionError"}
    assert second["id"] == "b"
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "player", ["random", "flat:sims=10", "auto:sims=64,sequential_halving=true"]
)
def test_players_that_cannot_be_asked_are_refused(player):
    with pytest.raises(BadParameter, match="expected one"):
        Service(print, player)
