"""Games of Go loaded from files, as tests of Go programs do, and written."""

from pathlib import Path

import pytest

from protocols.gtp.talking import Talk

GAME = "(;GM[1]SZ[9]KM[6.5];B[ee];W[ce](;B[gc];W[])(;B[aa]))"  # e5, c5, then g7, pass


@pytest.fixture
def talk():
    return Talk(rules="cgos")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a game.sgf"
    path.write_text(GAME)
    return path


def test_the_position_before_a_move(talk, file):
    for number, stones in ((1, ""), (2, "E5"), (3, "E5"), (4, "E5 G7")):
        talk(f"loadsgf {file} {number}")
        assert talk("list_stones b") == stones
        assert talk("query_boardsize") == "9"
    talk(f'loadsgf "{file}"')
    assert talk("move_history").split("\n") == ["white pass", "black G7", "white C5", "black E5"]
    assert talk("get_komi") == "6.5"
    talk(f"loadsgf {file} 99")  # beyond the last move: the end, as the specification says
    assert len(talk("move_history").split("\n")) == 4
    talk("undo")
    assert talk.session.to_move == 1
    assert talk("reg_genmove w")


def test_stones_that_are_set_up(talk, tmp_path):
    file = tmp_path / "handicap.sgf"
    file.write_text("(;SZ[9]HA[2]KM[0.5]AB[cc][gg];W[ee];B[dd];AW[aa]AE[ee]PL[W])")
    talk(f"loadsgf {file} 1")
    assert (talk("list_stones b"), talk.session.to_move, talk.session.handicap) == ("G3 C7", 1, 2)
    talk(f"loadsgf {file}")
    assert talk("list_stones w") == "A9"
    assert talk("list_stones b") == "G3 D6 C7"


@pytest.mark.parametrize(
    "text",
    ["", "no game", "(;GM[2])", "(;SZ[99])", "(;SZ[9];B[zz])", "(;SZ[9];B[aa];W[aa])", "(;"],
)
def test_bad_files_change_nothing(talk, tmp_path, text):
    file = tmp_path / "bad.sgf"
    file.write_text(text)
    talk("play b c3")
    answer = talk.raw(f"loadsgf {file}")
    if text != "(;":  # a game that ends too early is read as far as it goes
        assert answer.startswith("? cannot load file"), answer
        assert talk("list_stones b") == "C3"


def test_files_that_are_not_there(talk, tmp_path):
    for name in (tmp_path / "none.sgf", tmp_path, "/dev/null", "x" * 5000):
        assert talk.fails(f"loadsgf {name}").startswith("cannot load file")
    assert "syntax error" in talk.fails("loadsgf")
    assert talk.fails(f"printsgf {tmp_path}").startswith("cannot write")


def test_a_game_is_written_and_read_again(talk, tmp_path):
    file = tmp_path / "written.sgf"
    talk.all("boardsize 7 5", "komi 3.5", "kata-set-rules aga", "set_free_handicap a1 g5",
             "play w b2", "play w c3", "play b pass", "play w pass")  # fmt: skip
    told = talk("move_history"), talk("list_stones b"), talk("list_stones w")
    text = talk("printsgf")
    assert text.startswith("(;")
    assert "RE[" in text
    assert "SZ[7:5]" in text
    talk(f"printsgf {file}")
    talk("clear_board")
    talk(f"loadsgf {file}")
    assert (talk("move_history"), talk("list_stones b"), talk("list_stones w")) == told
    assert talk.session.handicap == 2
    assert talk("get_komi") == "3.5"


def test_all_that_follows_is_the_name_of_a_written_file(talk, tmp_path):
    kept = tmp_path / "game"
    kept.write_text("precious")
    talk(f"printsgf {kept} 2")
    assert kept.read_text() == "precious"
    assert (tmp_path / "game 2").read_text().startswith("(;")
    assert talk("printsgf -") == talk("printsgf")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["game", "game 2"]


def test_a_file_that_cannot_be_written_stays_as_it_was(talk, tmp_path, monkeypatch):
    kept = tmp_path / "game"
    kept.write_text("precious")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    assert "No space left" in talk.fails(f"printsgf {kept}")
    assert [file.name for file in tmp_path.iterdir()] == ["game"]
    assert kept.read_text() == "precious"


def test_who_moves_first_in_a_file(talk, tmp_path):
    file = tmp_path / "white.sgf"
    for text, first in (("(;SZ[5];W[aa])", 1), ("(;SZ[5]PL[B];W[aa])", 0), ("(;SZ[5];B[aa])", 0)):
        file.write_text(text)
        talk(f"loadsgf {file} 1")
        assert talk.session.to_move == first


def test_a_file_may_have_suicide_in_it(talk, tmp_path):
    file = tmp_path / "suicide.sgf"
    file.write_text("(;SZ[5];B[ab];W[ee];B[ba];W[aa])")
    talk(f"loadsgf {file}")
    assert talk("list_stones w") == "E1"
    assert "suicide" in talk.fails("play w a5")
