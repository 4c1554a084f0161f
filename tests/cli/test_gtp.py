"""`trellis gtp` as front ends start it: a process, pipes, and what they send."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TRELLIS = [sys.executable, "-m", "trellis", "gtp"]
QUICK = ["--player", "auto:sims=100,reuse=true"]
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "gtp"


def talk(text, *options):
    """Send bytes to a process; return what it wrote to either stream."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([*TRELLIS, *options], input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def replies(text):
    assert text.endswith("\n\n")
    return text[:-2].split("\n\n")


def test_nothing_but_replies_on_standard_output():
    sent = (
        b"1 name\r\n\r\n# hello\r\n2 boardsize 5\r\n\xff\xfe\n3 play b c3\n4 genmove w\n\x00quit\n"
    )
    out, _ = talk(sent, *QUICK)
    answers = replies(out)
    assert answers[0] == "=1 Trellis"
    assert answers[1] == "=2"
    assert answers[2].startswith("? unknown command")
    assert answers[3] == "=3"
    assert answers[4].startswith("=4 ")
    assert answers[5] == "="
    assert len(answers) == 6


def test_the_end_of_the_input_is_the_end():
    out, _ = talk("1 protocol_version", *QUICK)
    assert out == "=1 2\n\n"
    assert talk("", *QUICK)[0] == ""


def test_replies_come_one_by_one():
    """A front end waits for each reply before it sends the next command."""
    process = subprocess.Popen(
        [*TRELLIS, *QUICK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )

    def send(line):
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()

    for number, line in enumerate(("boardsize 5", "genmove b", "showboard")):
        send(f"{number} {line}")
        assert process.stdout.readline().startswith(f"={number}".encode())
        while process.stdout.readline() != b"\n":
            pass
    send("7 lz-analyze 5")
    assert process.stdout.readline() == b"=7\n"
    assert process.stdout.readline().startswith(b"info move ")
    send("8 name\n9 quit")
    assert "\n\n=8 Trellis\n\n=9\n\n" in process.stdout.read().decode()
    assert process.wait(60) == 0
    process.stdin.close()
    process.stdout.close()


def transcripts():
    return sorted(TRANSCRIPTS.glob("*.gtp"))


@pytest.mark.parametrize("file", transcripts(), ids=lambda file: file.stem)
def test_what_front_ends_send(file):
    """Lines as front ends send them; behind `#>` is what the reply has to begin with."""
    lines = file.read_text().splitlines()
    expected = [line.removeprefix("#> ") for line in lines if line.startswith("#> ")]
    out, _ = talk("\n".join(lines) + "\n", "--game", "go:board_size=9", *QUICK)
    answers = replies(out)
    assert len(answers) == len(expected)
    for answer, wanted in zip(answers, expected, strict=True):
        assert answer.startswith(wanted), (answer, wanted)


def test_other_games_and_bad_options(run):
    out, _ = talk("gogui-rules_game_id\ngenmove b\nquit\n", "--game", "hex:board_size=4", *QUICK)
    assert replies(out)[0] == "= Hex"
    for options in (
        ["--rules", "japanese"], ["--player", "nobody"], ["--game", "pig"], ["--resign", "2"],
        ["--game", "go", "--player", "strategy:none"], ["--game", "hex", "--rules", "aga"],
        ["--game", "go:score=true"], ["--game", "go:superko=situational", "--rules", "cgos"],
        ["--ponder", "--player", "auto:sims=10"], ["--resign", "0.1", "--player", "random"],
        ["--report-winrates", "white"], ["--analysis-json", "--report-winrates", "red"],
        ["--analysis-json", "--resign", "0.1"], ["--analysis-json", "--game", "go:board_size=9"],
        ["--analysis-json", "--rules", "aga"], ["--analysis-json", "--player", "random"],
    ):  # fmt: skip
        code, out, err = run("gtp", *options)
        assert (code, out) == (2, "")
        assert "Traceback" not in err
        assert err.splitlines()[-1].startswith("trellis: ")


def test_queries_are_answered_until_the_input_ends():
    """Front ends wait for answers, in any order; bytes that are no text are answered, too."""
    found = []
    for number, whose in enumerate(("black", "side-to-move")):
        sent = {
            "id": "é", "moves": [["B", "C3"]], "rules": "tromp-taylor", "komi": 40, "maxVisits": 30,
            "boardXSize": 5, "boardYSize": 5,
        }  # fmt: skip
        lines = json.dumps(sent).encode() + b"\r\n\xff\xfe\n\n{\x00}"
        out, _ = talk(lines, "--analysis-json", "--report-winrates", whose, *QUICK)
        answers = [json.loads(line) for line in out.splitlines()]
        assert ["error" in each for each in answers].count(True) == 2
        [found] = [each for each in answers if "id" in each]
        assert found["id"] == "é"
        assert found["rootInfo"]["winrate"] == number  # white wins by far


def test_who_asks_may_go_away():
    process = subprocess.Popen(
        [*TRELLIS, "--analysis-json", *QUICK],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.close()
    _, err = process.communicate(b"{}\n" * 10)
    assert process.returncode == 2
    assert err.decode().splitlines()[-1].startswith("trellis: the reader of the output went away")
    assert b"Traceback" not in err


def test_whoever_reads_the_replies_may_go_away():
    process = subprocess.Popen(
        [*TRELLIS, *QUICK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    _, err = process.communicate(b"1 name\n2 name\n")
    assert process.returncode == 2
    assert err.decode().splitlines()[-1].startswith("trellis: the reader of the output went away")
    assert b"Traceback" not in err
