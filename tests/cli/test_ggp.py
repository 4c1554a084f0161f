"""`trellis ggp`: matches, tournaments, and what bad input gets."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from gdl.own_sheets import SHEETS

from places import told

TIC_TAC_TOE = str(SHEETS / "tic_tac_toe.kif")
NIM = str(SHEETS / "nim.kif")
LIGHTS_OUT = str(SHEETS / "lights_out.kif")


def test_a_match_is_told_recorded_and_replayed(run, tmp_path):
    path = tmp_path / "match.json"
    words = ["ggp", "match", TIC_TAC_TOE, "random", "random", "--seed", 5, "--watch"]
    code, out, _ = run(*words, "--record", path)
    assert code == 0
    lines = out.splitlines()
    assert any(line.startswith("x: ") for line in lines)
    assert "role  player  goal  illegal  late  unreachable" in out
    content = json.loads(path.read_text("utf-8"))
    assert content["isCompleted"] is True
    assert len(content["states"]) == len(content["moves"]) + 1
    code, out, _ = run("gdl", "replay", TIC_TAC_TOE, path)
    assert code == 0
    steps = len(content["states"])
    assert f"{steps} of {steps} steps agree" in out


def test_the_same_seed_gives_the_same_match(run):
    found = [
        json.loads(run("ggp", "match", NIM, "random", "random", "--seed", seed, "--json")[1])
        for seed in (3, 3, 4)
    ]
    moves = [each["moves"] for each in found]
    assert moves[0] == moves[1] != moves[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["match", TIC_TAC_TOE, "random"], "1 players for 2 roles"),
        (["match", TIC_TAC_TOE, "random", "ftp://x"], "bad address"),
        (["match", TIC_TAC_TOE, "h:1", "h:1"], "one address for two roles"),
        (["match", "missing.kif", "random"], "cannot read"),
        (["match", TIC_TAC_TOE, "random", "random", "--start", "0"], "--start"),
        (["player", "--port", "70000"], "bad port 70000"),
        (["player", "--name", "two words"], "bad name"),
        (["player", "--player", "gtp:command=x"], "expected auto, random"),
        (["player", "--player", "nobody"], "nobody"),
        (["player", "--margin", "-1"], "margin"),
        (["server", "--host", "0.0.0.0"], "expected --secret"),
        (["tournament", "random", "--sheets", TIC_TAC_TOE, "--record", "{}/r"], "has 2 roles"),
        (["tournament", "a=random", "a=h:1", "--sheets", NIM, "--record", "{}/r"], "one name"),
    ],
)
def test_bad_input_gets_one_line(run, tmp_path, words, message):
    code, out, err = run("ggp", *(word.replace("{}", str(tmp_path)) for word in words))
    assert code == 2
    assert out == ""
    (line,) = told(err)
    assert message in line


def test_a_port_that_is_taken_is_said(run):
    async def taken():
        server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        found = await asyncio.to_thread(run, "ggp", "server", "--port", port)
        server.close()
        return found

    code, _, err = asyncio.run(taken())
    assert code == 2
    assert "cannot listen" in err


def test_a_tournament_goes_on_where_it_was_left(run, tmp_path):
    path = tmp_path / "cup.jsonl"
    words = ["ggp", "tournament", "one=random", "two=random", "three=random", "--sheets", NIM]
    words += ["--sheets", LIGHTS_OUT, "--record", path]
    code, out, err = run(*words, "--json")
    assert code == 0, err
    content = json.loads(out)
    assert (content["played"], content["matches"]) == (9, 9)  # 3 pairs in both orders, 3 alone
    assert {each["matches"] for each in content["players"]} == {5}
    assert abs(sum(each["elo"]["elo"] for each in content["players"])) < 1e-6
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:20], "utf-8")  # as if it had been killed
    code, out, err = run(*words, "--json")
    assert code == 0
    assert json.loads(out)["played"] == 9
    assert sum("/9 " in line for line in told(err)) == 6
    code, _, err = run(*[word.replace("one=", "uno=") if isinstance(word, str) else word
                         for word in words])  # fmt: skip
    assert code == 2
    assert "not a record of this tournament" in err


def ask(port, path="/", body=None, method=None, **headers):
    """Ask a server; return the status and what it says."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_server_runs_matches():
    process = subprocess.Popen(
        [sys.executable, "-m", "trellis", "ggp", "server", "--port", "0", "--secret", "word"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    try:
        port = int(process.stderr.readline().strip().rpartition(":")[2])
        order = {"rules": Path(NIM).read_text("utf-8"), "players": ["random"] * 2, "game": "../nim"}
        secret = {"Authorization": "Bearer word"}
        assert ask(port, "/matches", order)[0] == 403
        assert ask(port, "/matches", order, Authorization="Bearer no")[0] == 403
        assert ask(port, "/matches", order, Origin="http://elsewhere", **secret)[0] == 403
        for wrong in ([], {"rules": "(", "players": []}, {**order, "seed": "x"}, {"x": 1}):
            status, said = ask(port, "/matches", wrong, **secret)
            assert (status, list(said)) == (400, ["error"])
        status, said = ask(port, "/matches", order, **secret)
        assert status == 201
        name = said["matchId"]
        assert "/" not in name
        while not (record := ask(port, f"/matches/{name}")[1])["isCompleted"]:
            pass
        assert sum(record["goalValues"]) == 100
        assert [each["matchId"] for each in ask(port)[1]["matches"]] == [name]
        assert ask(port, "/matches/other")[0] == 404
        assert ask(port, f"/matches/{name}", method="DELETE")[0] == 403
        assert ask(port, f"/matches/{name}", method="DELETE", **secret)[0] == 200
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goals" in err
    assert "Traceback" not in err
