"""Problems of Go, from SGF and from diagrams, solved by the rules of Go."""

import json

import pytest

import trellis
from trellis.game.errors import BadParameter, BadRecord
from trellis.games.go.problem import GoProblem
from trellis.sgf.problem_file import problem_of_diagram, problem_of_sgf

# White's eye is of three points in a row: who plays in its middle decides.
THREE = """
{turn} to play
X X X X X X X
X W W W W W X
X W C C C W X
X W W W W W X
X X X X X X X
. . . . . . .
"""
# The same as SGF: marks are triangles, the region is selected.
THREE_SGF = (
    b"(;SZ[7:6]PL[%s]AB[aa:ga][ab:ad][gb:gd][ae:ge]AW[bb:fb][bc][fc][bd:fd]"
    b"TR[bb:fb][bc][fc][bd:fd]SL[cc:ec]C[%s])"
)


def solved(problem):
    game = GoProblem(problem)
    found = trellis.solve(game)
    assert found.solved
    return found, game.solved_text(game.start(), found.payoffs[0])


@pytest.mark.parametrize(
    ("turn", "outcome", "best", "text"),
    [
        ("black", "first", "d4", "can black capture? yes: black takes white's stones"),
        ("white", "second", "d4", "can white live? yes: white's stones live"),
    ],
)
def test_three_points_in_a_row(turn, outcome, best, text):
    for problem in (
        problem_of_diagram(THREE.format(turn=turn)),
        problem_of_sgf(THREE_SGF % (turn[:1].upper().encode(), b"")),
    ):
        found, said = solved(problem)
        assert (found.outcome, found.best, said) == (outcome, best, text)


def test_both_ways_to_write_a_problem_say_the_same():
    assert problem_of_diagram(THREE.format(turn="white")) == problem_of_sgf(THREE_SGF % (b"W", b""))
    as_on_the_page = "$$W\n$$ -----\n" + "\n".join(
        f"$$ | {line} |" for line in THREE.strip().splitlines()[1:]
    )
    assert problem_of_diagram(as_on_the_page) == problem_of_diagram(THREE.format(turn="white"))


def test_what_is_asked_decides_the_answer_not_the_value():
    found, said = solved(problem_of_sgf(THREE_SGF % (b"B", b"can white live?")))
    assert found.outcome == "first"
    assert said == "can white live? no: black takes white's stones"


def test_four_points_in_a_row_live_whoever_begins():
    wide = THREE.replace("C C C", "C C C C").replace("X X X X X X X", "X X X X X X X X")
    wide = wide.replace("W W W W W", "W W W W W W").replace(". . . . . . .", ". . . . . . . .")
    _, said = solved(problem_of_diagram(wide.format(turn="black")))
    assert said == "can black capture? no: white's stones live"


def test_a_ko_is_played_by_the_rules():
    """Black takes the ko; white may not take back at once, but may after a pass."""
    game = GoProblem(
        problem_of_diagram("""
black to play
. X O . .
X O . O .
. X O . .
. . . . .
. . . . W
""")
    )
    taken = game.start().play("c4")
    assert game.stones(taken.state)[3] == "X.XO."
    assert "b4" not in taken.moves()
    assert "b4" in taken.play("pass", "e5").moves()


def test_moves_are_those_of_go_inside_the_region():
    game = GoProblem(problem_of_diagram(THREE.format(turn="black")))
    start = game.start()
    assert start.moves() == ["c4", "d4", "e4", "pass"]
    assert start.play("pass", "pass").payoffs() == (-1, 1)
    after = start.play("c4", "pass", "e4", "pass", "d4")
    assert after.payoffs() == (1, -1)
    assert trellis.check_game(game)


def test_without_marks_on_empty_points_all_of_them_are_allowed():
    game = GoProblem(problem_of_diagram("white to play\nB . .\n. . .\n. . O"))
    assert len(game.start().moves()) == 8
    assert game.asked == "capture"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no board"),
        ("black to play", "no board"),
        ("X . .\n. . .", "nobody is to move"),
        ("black\nX . .\n. .", "rows of different lengths"),
        ("black\n" + "." * 20, "expected at most 19"),
        ("black: capture or live\nB .\n. W", "several things are asked for, capture and live"),
    ],
)
def test_diagrams_that_are_none(text, message):
    with pytest.raises((BadRecord, BadParameter)) as refused:
        problem_of_diagram(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("black\nX .\n. O", "no stone matters"),
        ("black: seki\nB .\n. O", "a seki is asked for"),
        ("black\nB W\nW W", "has no liberty"),
    ],
)
def test_problems_that_are_none(text, message, tmp_path):
    path = tmp_path / "problem.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRecord) as refused:
        trellis.load(str(path))
    assert message in str(refused.value)
    assert str(refused.value).startswith(repr(str(path))[:40])


def test_solve_takes_a_file(run, tmp_path):
    path = tmp_path / "problem.sgf"
    path.write_bytes(THREE_SGF % (b"W", b""))
    code, out, _ = run("solve", path)
    assert code == 0
    assert "can white live? yes: white's stones live" in out
    code, out, _ = run("solve", path, "--json")
    content = json.loads(out)
    assert content["answer"] == "can white live? yes: white's stones live"
    assert content["game"] == str(path)
    game = trellis.load(f"{path}:superko=positional,history=turn")
    assert game.spec == f"{path}:superko=positional,history=turn"
    assert trellis.load(game.spec) == game
    code, _, err = run("solve", tmp_path / "none.sgf")
    assert code == 2
    assert "cannot read" in err
    code, _, err = run("solve", f"{path}:komi=3")
    assert code == 2
    assert "unknown parameter 'komi'" in err


def test_problems_are_themselves_and_have_no_groups():
    one, same, other = (
        GoProblem(problem_of_sgf(THREE_SGF % (turn, b""))) for turn in (b"W", b"W", b"B")
    )
    assert one == same
    assert one.spec == other.spec
    assert one != other  # a search of one must not go on with the other
    with pytest.raises(BadParameter, match="no move groups"):
        trellis.grouped(one, "manhattan")
