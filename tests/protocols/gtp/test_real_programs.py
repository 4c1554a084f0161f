"""Real programs at the other end: GNU Go as the opponent, GoGui's tools as the arbiter.

Debian has `gnugo`; `gogui-twogtp` and `gogui-regress` belong to GoGui.  Where they are absent these
tests are skipped.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trellis.players.match import run_match

GAMES = Path("/usr/games")  # where Debian puts them, which not every PATH has
GNUGO = "--mode gtp --level 1 --chinese-rules --capture-all-dead"
TRELLIS = f"{sys.executable} -m trellis gtp"
LONGEST = 900  # seconds, on a busy machine


def program(name):
    """Return the path of a program, or skip."""
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), str(GAMES)]))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command, folder):
    """Run a program; return what it wrote."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


class Talking:
    """A program that is told lines, one after the other."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __call__(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        answer = []
        while line := self.process.stdout.readline().strip("\n"):
            answer.append(line)
        assert answer, "the program went away"
        assert answer[0].startswith("="), (line, answer)
        return answer[0][1:].strip()

    def close(self):
        self("quit")
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(LONGEST) == 0


def test_two_programs_and_an_arbiter_in_between():
    """Every move of one is taken by the other, and in the end they agree on who has won."""
    gnugo = program("gnugo")
    sides = [
        Talking(f"{TRELLIS} --game go:board_size=7 --player simple:sims=300"),
        Talking(f"{gnugo} {GNUGO} --boardsize 7"),
    ]
    for side in sides:
        for line in ("boardsize 7", "clear_board", "komi 6.5"):
            side(line)
    passes = plies = 0
    while passes < 2:
        mover, colour = sides[plies % 2], "bw"[plies % 2]
        move = mover(f"genmove {colour}")
        assert move != "resign"
        sides[1 - plies % 2](f"play {colour} {move}")
        passes = passes + 1 if move.casefold() == "pass" else 0
        plies += 1
        assert plies < 500
    ours, theirs = (side("final_score") for side in sides)
    assert ours == theirs
    for side in sides:
        side.close()


def test_a_match_against_it_settled_by_our_referee():
    gnugo = program("gnugo")
    result = run_match(
        "go:board_size=7,komi=6.5", f"gtp:command={gnugo} {GNUGO}", "random", games=2
    )
    assert (result.games, result.wins_a) == (2, 2)
    assert result.forfeits == ()


def test_games_between_them_by_twogtp(tmp_path):
    """GoGui's arbiter sees no error, and the programs agree on every result."""
    twogtp, gnugo = program("gogui-twogtp"), program("gnugo")
    run(
        twogtp, "-black", f"{TRELLIS} --game go:board_size=7 --player simple:sims=300",
        "-white", f"{gnugo} {GNUGO}", "-size", "7", "-komi", "6.5", "-games", "2", "-alternate",
        "-auto", "-sgffile", "games", folder=tmp_path,
    )  # fmt: skip
    lines = (tmp_path / "games.dat").read_text().splitlines()
    columns = next(each for each in lines if each.startswith("#GAME")).split("\t")
    games = [
        dict(zip(columns, line.split("\t"), strict=False)) for line in lines if line[:1].isdigit()
    ]
    assert len(games) == 2
    for game in games:
        assert game["ERR"] == "0"
        assert game["RES_B"] == game["RES_W"] != "?"


def test_a_regression_by_gogui(tmp_path):
    """`loadsgf` and `reg_genmove`, which is what such tests are made of."""
    regress = program("gogui-regress")
    (tmp_path / "capture.sgf").write_text(
        "(;FF[4]GM[1]SZ[5]KM[0.5]AB[ba][cb][bc]AW[bb]PL[B];B[ab];W[ee];B[cc])"
    )
    (tmp_path / "trellis.tst").write_text(
        "1 name\n#? [Trellis]\n"
        "loadsgf capture.sgf 1\n10 reg_genmove b\n#? [A4]\n"
        "loadsgf capture.sgf\n20 reg_genmove w\n#? [!A4|B4]\n"
        "30 list_stones b\n#? [.*C3.*]\n"
        "40 undo\n#? []\n"
        "50 list_stones b\n#? [!.*C3.*]\n"
    )
    run(
        regress, "-output", "out", f"{TRELLIS} --game go:board_size=5 --player simple:sims=3000",
        "trellis.tst", folder=tmp_path,
    )  # fmt: skip
    header, line = (tmp_path / "out" / "summary.dat").read_text().splitlines()[:2]
    found = dict(zip(header.lstrip("#").split("\t"), line.split("\t"), strict=False))
    assert (found["Tests"], found["FAIL"], found["fail"], found["Error"]) == ("6", "0", "0", "0")
