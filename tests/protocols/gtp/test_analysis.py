"""Searches shown while they run, and what GoGui draws of them."""

import io
import re
import threading
import time

import pytest

from protocols.gtp.talking import Talk
from trellis.protocols.gtp.server import serve

INFO = re.compile(r"info (.*?)(?= info | rootInfo | ownership |$)")
SEARCH = "auto:sims=400,reuse=true"


def infos(line):
    """Take a line apart as clients do: `pv` to the end, everything else in pairs."""
    found = []
    for text in INFO.findall(line):
        head, _, pv = text.partition(" pv ")
        words = head.split()
        found.append(dict(zip(words[::2], words[1::2], strict=True)) | {"pv": pv.split()})
    return found


@pytest.fixture(scope="module")
def talk():
    return Talk("go:board_size=5", SEARCH)


def last_line(talk, command):
    answer = talk.raw(command)
    assert answer.startswith("=\n")
    assert answer.endswith("\n\n")
    return answer.strip().split("\n")[-1]


def test_leela_zero_wants_whole_numbers(talk):
    moves = infos(last_line(talk, "lz-analyze w 10"))
    assert len(moves) > 5
    for order, each in enumerate(moves):
        assert int(each["order"]) == order
        assert 0 <= int(each["winrate"]) <= 10_000
        assert int(each["visits"]) >= 1
        assert each["pv"][0] == each["move"]
        assert re.fullmatch(r"[A-HJ]\d+|pass", each["move"])


def test_katago_wants_fractions_and_two_counts_of_visits(talk):
    line = last_line(talk, "kata-analyze interval 5 rootInfo true ownership true")
    moves = infos(line)
    for each in moves:
        assert "." in each["winrate"]  # without a point Sabaki takes it for ten-thousandths
        assert 0 <= float(each["winrate"]) <= 1
        assert int(each["visits"]) >= int(each["edgeVisits"]) > 0
        assert abs(float(each["prior"]) - 1 / 26) < 1e-6
    root = re.search(r"rootInfo visits (\d+)", line)
    assert int(root[1]) >= sum(int(each["edgeVisits"]) for each in moves)
    owners = line.partition(" ownership ")[2].split()
    assert len(owners) == 25
    assert all(-1 <= float(share) <= 1 for share in owners)


def test_the_two_counts_of_visits_are_those_of_the_report(talk):
    moves = infos(last_line(talk, "kata-analyze b 5"))
    report = talk.session.thinker.look(talk.session.position(0), 1).report()
    known = {line.move.upper(): line for line in report.moves}
    for each in moves:
        line = known[each["move"].upper()]
        assert int(each["edgeVisits"]) == line.visits
        assert int(each["visits"]) == line.visits + line.shared
        value = line.low if line.solved else line.value
        assert abs(float(each["winrate"]) - (value + 1) / 2) < 1e-6


def test_moves_can_be_left_out(talk):
    line = last_line(talk, "kata-analyze b 5 avoid b C3,B2 1 avoid w A1 1 maxmoves 3 minmoves 2")
    assert not {"C3", "B2"} & {each["move"] for each in infos(line)}
    assert len(infos(line)) == 3
    line = last_line(talk, "lz-analyze b 5 allow b C3,pass 10")
    assert {each["move"] for each in infos(line)} <= {"C3", "pass"}
    for wrong in (
        "lz-analyze b x",
        "kata-analyze interval",
        "kata-analyze avoid b",
        "lz-analyze -5",
    ):
        talk.fails(wrong)


def test_a_root_without_moves_is_not_told(talk):
    """A search that was stopped at once knows no move: a lone `rootInfo` would say it is lost."""
    points = [f"{column}{row}" for column in "abcde" for row in range(1, 6)]
    every = ",".join([*points, "pass"])
    answer = talk.raw(f"kata-analyze b 5 rootInfo true ownership true avoid b {every} 1")
    assert answer == "=\n\n"


@pytest.mark.parametrize(
    "command", ["lz-genmove_analyze", "kata-genmove_analyze", "genmove_analyze"]
)
def test_a_move_is_made_and_told_last(command):
    talk = Talk("go:board_size=5", SEARCH)
    lines = talk.raw(f"{command} b 10").strip().split("\n")
    assert lines[-1].startswith("play ")
    assert lines[-2].startswith("info move ")
    assert talk("list_stones b") == lines[-1].removeprefix("play ")
    lines = talk.raw(f"7 {command} w ownership true" if "kata" in command else f"7 {command} w")
    assert lines.startswith("=7\ninfo ")
    assert lines.count("\n\n") == 1


def test_players_that_do_not_search_have_nothing_to_show():
    talk = Talk(player="random")
    assert "does not search a graph" in talk.fails("kata-analyze b 10")
    assert "does not search a graph" in talk.fails("trellis-visits")
    assert talk.raw("kata-genmove_analyze b").startswith("=\nplay ")


def test_pictures_for_gogui(talk):
    types = set()
    for line in talk("gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/", 2)
        types.add(kind)
        answer = talk(command.replace("%m", "b"))
        assert label
        if kind in ("sboard", "dboard"):
            rows = [row.split() for row in answer.split("\n")]
            assert [len(row) for row in rows] == [5] * 5
            if kind == "dboard":
                assert all(-1 <= float(cell) <= 1 for row in rows for cell in row)
        if kind == "gfx":
            assert answer.startswith("LABEL ")
            assert "\nCOLOR green " in answer
    assert {"gfx", "sboard", "dboard", "var", "param"} <= types


def test_bounds_are_shown_where_something_is_proven():
    talk = Talk("tic_tac_toe", "auto:sims=20000")
    talk.all("play b a1", "play w b1", "play b b2", "play w c1")
    assert "1" in talk("trellis-bounds").split()
    assert talk("genmove b") in ("c3", "a3", "a2")


def test_settings_in_a_dialog():
    talk = Talk(player=SEARCH)
    lines = talk("trellis-param").split("\n")
    assert lines[0] == f"[string] player {SEARCH}"
    talk.all("trellis-param resign 0.25", "trellis-param ponder 1", "trellis-param rules aga",
             "trellis-param player uct:sims=50", "trellis-param lag 1.5")  # fmt: skip
    assert talk.session.manners.resign == 0.25
    assert talk.session.manners.ponder is True
    assert talk.session.clock.lag == 1.5
    assert "[string] player uct:sims=50" in talk("trellis-param")
    assert " rules aga" in talk("trellis-param")
    assert talk("genmove b")
    for wrong in ("resign 2", "resign x", "rules japanese", "player nobody", "colour red", "lag"):
        talk.fails(f"trellis-param {wrong}")
    # Whoever talks to an engine may not name code, or files, to be run.
    for code in ("bot.py:Bot", "uct:select=rules.py:rule", "network:model.onnx"):
        assert "file" in talk.fails(f"trellis-param player {code}")


# -- with somebody at the other end ----------------------------------------------------------------


class Wire:
    """A pipe in memory: what is written waits until it is read."""

    def __init__(self):
        self._lines, self._more = [], threading.Condition()
        self.text = ""

    def send(self, line):
        with self._more:
            self._lines.append(line)
            self._more.notify_all()

    def readline(self, most=-1):
        with self._more:
            while not self._lines:
                self._more.wait()
            return self._lines.pop(0)


class Served:
    """An engine in a thread, as behind a real pipe."""

    def __init__(self, **options):
        self.talk = Talk("go:board_size=5", **options)
        self.source, self.target = Wire(), io.StringIO()
        self.thread = threading.Thread(
            target=serve, daemon=True,
            args=(self.talk.engine, self.talk.attention, self.source, self.target),
        )  # fmt: skip
        self.thread.start()

    def send(self, line):
        self.source.send(line + "\n")

    def wait_for(self, text):
        for _ in range(3000):
            if text in self.target.getvalue():
                return
            time.sleep(0.02)
        raise AssertionError(f"{text!r} not in {self.target.getvalue()[-500:]!r}")

    def leave(self):
        self.send("999 quit")
        self.thread.join(60)
        assert not self.thread.is_alive()
        return self.target.getvalue()


@pytest.mark.parametrize("ending", ["", "2 name", "2 lz-analyze w 5", "garbage"])
def test_any_line_ends_an_analysis(ending):
    served = Served(player=SEARCH)
    served.send("1 lz-analyze b 2")
    served.wait_for("info move")
    served.send(ending)
    if ending.startswith("2 lz"):
        served.wait_for("\n\n=2\ninfo move")
    said = served.leave()
    assert said.startswith("=1\ninfo move")
    assert said.endswith("=999\n\n")
    assert said.count("\n\n") == (2 if ending == "" else 3)


def test_what_is_solved_is_shown_until_a_line_comes():
    served = Served(player=SEARCH)
    for line in ("boardsize 2", "komi 0.5", "1 kata-analyze b 1"):
        served.send(line)
    served.wait_for("info move")
    time.sleep(0.3)
    said = served.leave()
    assert "=999" in said


def test_gogui_interrupts_a_search_and_gets_its_best_move():
    served = Served(player="auto:time=100000,reuse=true")
    served.send("1 genmove b")
    time.sleep(1.0)
    served.send("# interrupt")
    served.wait_for("=1 ")
    served.send("2 reg_genmove w")  # the interrupt is spent
    time.sleep(0.5)
    assert "=2" not in served.target.getvalue()
    served.send("# interrupt")
    served.wait_for("=2 ")
    served.leave()


def test_pondering_goes_on_until_a_line_comes():
    served = Served(player=SEARCH, ponder=True)
    served.send("1 genmove b")
    served.wait_for("=1 ")
    time.sleep(1.0)
    served.send("2 play w a1")
    served.wait_for("=2")
    thinking = served.talk.session.thinker.player.thinking
    assert thinking.sims > 400  # more than a move's worth
    served.send("3 genmove b")
    served.wait_for("=3 ")
    served.leave()


def test_the_end_of_the_input_ends_an_analysis():
    served = Served(player=SEARCH)
    served.send("1 lz-analyze b 2")
    served.wait_for("info move")
    served.source.send("")
    served.thread.join(60)
    assert not served.thread.is_alive()
