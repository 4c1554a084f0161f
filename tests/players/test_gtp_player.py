"""Other programs as players: good ones, and all ways to be a bad one."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from trellis.game.errors import BadParameter, PlayerFailed
from trellis.loading import load
from trellis.players import gtp_engine
from trellis.players.gtp_engine import EngineProcess, end_engines
from trellis.players.match import run_match
from trellis.players.player import make_player
from trellis.players.session import Session
from trellis.players.texts import read_player

FAKE = Path(__file__).parent / "fake_engine.py"
GAME = "go:board_size=5"
GNUGO = shutil.which("gnugo", path="/usr/games:/usr/bin:/usr/local/bin") or ""


def fake(manner, when=1, options=""):
    return f"gtp:{options}command={sys.executable} {FAKE} {manner} {when}"


@pytest.fixture(autouse=True)
def _no_program_stays():
    yield
    end_engines()


def test_commands_may_have_commas_in_them():
    read = read_player("gtp:timeout=5,command=a --b=1,2 'c d'")
    assert read.options == {"timeout": 5.0, "command": "a --b=1,2 'c d'"}
    assert read_player("gtp: command=gnugo --mode gtp").options["command"] == "gnugo --mode gtp"
    for wrong in ("gtp", "gtp:", "gtp:command=", "gtp:gnugo", "gtp:level=3,command=x",
                  "gtp:timeout=5 command=x", "gtp:timeout=-1,command=x"):  # fmt: skip
        with pytest.raises(BadParameter):
            read_player(wrong)


def test_what_cannot_be_is_refused_before_the_game():
    with pytest.raises(BadParameter, match="no program"):
        make_player("gtp:command=no_such_program_here", game=load(GAME))
    with pytest.raises(BadParameter, match="bad command"):
        make_player("gtp:command=gnugo 'never closed", game=load(GAME))
    for game in ("pig", "goofspiel"):
        with pytest.raises(BadParameter, match="take turns"):
            make_player(fake("good"), game=load(game))


@pytest.mark.parametrize("manner", ["good", "chattering"])
def test_a_program_plays_a_match(manner):
    result = run_match(GAME, fake(manner), "random", games=4, seed=1)
    assert result.games == 4
    assert not result.forfeits
    assert result.payoff_a is not None


@pytest.mark.parametrize(
    ("manner", "why"),
    [
        ("crashing", "ended with code 3; it said"),
        ("illegal", "illegal move 'Z99'"),
        ("mute", "illegal move ''"),
        ("hanging", "no reply in time to 'genmove"),
        ("flooding", "writes without end"),
        ("refusing", "refuses play: 'I do not like it'"),
    ],
)
def test_who_fails_loses_the_game_and_the_match_goes_on(manner, why, monkeypatch):
    monkeypatch.setattr(gtp_engine, "MOST_CHATTER", 1000)
    result = run_match(GAME, "random", fake(manner, 2, "timeout=2,"), games=3, seed=1)
    assert result.games == 3
    assert result.forfeits
    for told in result.forfeits:
        assert told.startswith("game ")
        assert ": B, gtp:" in told
        assert why in told
    assert result.wins_a >= len(result.forfeits)
    assert result.stopped == 0


def test_who_resigns_loses_without_having_failed():
    result = run_match(GAME, fake("resigning"), "random", games=2)
    assert (result.wins_b, result.forfeits, result.payoff_a) == (2, (), -1.0)


def test_a_program_is_started_once_for_several_games(monkeypatch):
    started = []
    real = EngineProcess.__init__

    def count(self, command):
        started.append(command)
        real(self, command)

    monkeypatch.setattr(EngineProcess, "__init__", count)
    run_match(GAME, fake("good"), "random", games=5)
    assert len(started) == 1


def test_no_process_stays_behind():
    engine = EngineProcess(f"{sys.executable} {FAKE} hanging")
    with pytest.raises(PlayerFailed, match="no reply"):
        engine.ask("genmove b", 0.2)
    assert engine._process.poll() is not None
    with pytest.raises(PlayerFailed):
        engine.ask("name", 1)


def test_what_a_program_writes_is_bounded_in_bytes(monkeypatch):
    engine = EngineProcess(f"{sys.executable} {FAKE} verbose")
    monkeypatch.setattr(gtp_engine, "MOST_BYTES", 20_000)
    with pytest.raises(PlayerFailed, match="writes without end"):
        engine.ask("genmove b", 60)
    engine = EngineProcess(f"{sys.executable} {FAKE} verbose")
    engine._process.stdin.write(b"7 genmove b\n")
    engine._process.stdin.flush()
    sleep(1)  # nobody takes any line meanwhile
    assert 0 < engine._lines.qsize() <= 22
    engine.end()


@pytest.fixture
def pids(tmp_path, monkeypatch):
    """A folder with a file for each fake engine that was started, named by its process."""
    monkeypatch.setenv("PIDS_OF_FAKES", str(tmp_path))
    return tmp_path


def assert_ended(pids, count):
    started = [int(file.name) for file in pids.iterdir()]
    assert len(started) >= count
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_that_does_not_tell_its_commands_is_ended(pids):
    with pytest.raises(PlayerFailed, match="refuses list_commands"):
        EngineProcess(f"{sys.executable} {FAKE} secretive")
    assert_ended(pids, 1)


def test_programs_of_workers_end_with_the_match(pids):
    run_match(GAME, fake("stubborn"), "random", games=4, workers=2)
    assert_ended(pids, 1)


LEAVING = """
import os, signal, sys
from trellis import cli
from trellis.players.gtp_engine import borrow_engine, give_back

give_back(borrow_engine(sys.argv[1]))
borrow_engine(sys.argv[1])
give_back(borrow_engine(sys.argv[1] + " again"))
import trellis.cli.main

def interrupted():
    raise KeyboardInterrupt

trellis.cli.main.main = interrupted
if sys.argv[2] == "once":
    cli.run()
from trellis.cli.stopping import stoppable
with stoppable():
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()
    signal.pause()
"""


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="needs signals as Unix has them")
@pytest.mark.parametrize("presses", ["once", "twice"])
def test_programs_end_with_ctrl_c(pids, presses):
    command = f"{sys.executable} {FAKE} stubborn 1"
    done = subprocess.run([sys.executable, "-c", LEAVING, command, presses], check=False)
    assert done.returncode == 130
    assert_ended(pids, 2)


def test_moves_that_were_taken_back_are_told_anew():
    game = load(GAME)
    player = make_player(fake("good"), game=game)
    session = Session(game, [None, player])
    session.play("c3")
    assert session.advance() == "pass"
    session.undo()
    session.play("d4")
    assert session.advance() == "pass"
    assert player._told == ["d4", "pass"]
    session.close()


def test_a_person_plays_against_a_program(run):
    code, out, _ = run("play", GAME, "--player", fake("crashing"), typed="c3\n")
    assert code == 0
    assert "white cannot go on and loses: ended with code 3" in out
    code, out, _ = run("play", GAME, "--player", fake("resigning"), typed="c3\n")
    assert "white resigns" in out


@pytest.mark.parametrize("game", [GAME, "go:rows=3,columns=4", "hex:board_size=4", "knightthrough"])
def test_our_own_engine_is_a_player(game):
    ours = f"gtp:command={sys.executable} -m trellis gtp --game {game} --player random --seed 3"
    result = run_match(game, ours, "random", games=2, seed=2)
    assert not result.forfeits
    assert result.plies > 4


@pytest.mark.skipif(not GNUGO, reason="needs gnugo, which is not installed")
def test_gnugo_is_a_player():
    command = f"gtp:command={GNUGO} --mode gtp --level 1 --chinese-rules --capture-all-dead"
    result = run_match("go:board_size=7", command, "random", games=4, seed=1)
    assert not result.forfeits
    assert result.wins_a == 4
