"""Players in Python: objects and classes in files, and what happens when they misbehave."""

import time

import pytest

import trellis
from trellis.game.errors import BadParameter, PlayerFailed, PlayerResigns
from trellis.players.python_player import PythonPlayer

BOT = """
class Bot:
    def __init__(self, skip=0):
        self.skip = skip

    def choose(self, position):
        moves = position.moves()
        return moves[self.skip % len(moves)]


class Numbers:
    def choose(self, position, player):
        assert position.acting == player
        return position.move_codes()[-1]
"""


class First:
    def choose(self, position):
        return position.moves()[0]


class Wrong:
    def __init__(self, answer):
        self.answer = answer

    def choose(self, position):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def test_an_object_plays_a_match():
    result = trellis.run_match("tic_tac_toe", First(), "random", games=10, seed=1)
    assert result.games == 10


def test_a_class_in_a_file_is_a_player_with_options(tmp_path):
    file = tmp_path / "bot.py"
    file.write_text(BOT)
    start = trellis.load("tic_tac_toe").start()
    assert trellis.make_player(f"{file}:Bot").choose(start, 0) == start.moves()[0]
    assert trellis.make_player(f"{file}:Bot(skip=3)").choose(start, 0) == start.moves()[3]
    assert trellis.make_player(f"{file}:Numbers").choose(start, 0) == start.moves()[-1]
    result = trellis.run_match(
        "tic_tac_toe", f"{file}:Bot(skip=2)", f"{file}:Numbers", games=4, seed=1
    )
    assert result.games == 4


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("z9", "illegal move 'z9'"),
        (99, "illegal move 99"),
        ([1], "illegal move"),
        (ValueError("lost my way"), "ValueError: 'lost my way'"),
        (SystemExit(3), "SystemExit"),
        (KeyError(), "KeyError: no message"),
    ],
)
def test_whoever_misbehaves_loses_the_game(answer, message):
    with pytest.raises(PlayerFailed, match=message) as error:
        PythonPlayer(Wrong(answer)).choose(trellis.load("tic_tac_toe").start(), 0)
    assert "\n" not in str(error.value)


def test_none_resigns_and_a_match_goes_on():
    with pytest.raises(PlayerResigns):
        PythonPlayer(Wrong(None)).choose(trellis.load("nim").start(), 0)
    result = trellis.run_match("tic_tac_toe", Wrong("z9"), "random", games=6, seed=1)
    assert result.score_a == 0.0


def test_a_player_that_does_not_answer_loses():
    class Sleeps:
        def choose(self, position):
            time.sleep(0.5)

    player = PythonPlayer(Sleeps(), timeout=0.01)
    start = trellis.load("nim").start()
    with pytest.raises(PlayerFailed, match=r"no answer in 0.01 seconds"):
        player.choose(start, 0)
    with pytest.raises(PlayerFailed, match="earlier move"):
        player.choose(start, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.py:Bot", "no such file of a player"),
        ("{file}:Bob", "did you mean 'Bot'"),
        ("{file}", "expected Bot, Numbers"),
        ("{file}:Bot(depth=1)", "cannot be made"),
        ("network:nowhere.onnx,sims=5", "no such file of a network"),
        ("network:sims=5", "expected a file of a network"),
    ],
)
def test_bad_texts_get_one_line(tmp_path, text, message):
    file = tmp_path / "bot.py"
    file.write_text(BOT)
    game = trellis.load("tic_tac_toe")

    def play():
        trellis.make_player(text.format(file=file), game=game).choose(game.start(), 0)

    with pytest.raises(BadParameter, match=message) as error:
        play()
    assert "\n" not in str(error.value)


def test_objects_do_not_travel():
    with pytest.raises(BadParameter, match="cannot travel"):
        trellis.run_match("nim", First(), "random", games=4, workers=2)
    with pytest.raises(BadParameter, match="choose"):
        trellis.run_match("nim", object(), "random", games=4)
