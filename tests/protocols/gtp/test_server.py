"""Lines that come faster than they are answered, too long, or while somebody thinks."""

import io
import threading

import pytest

from protocols.gtp.talking import Talk
from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.protocols.gtp import attention as attention_file
from trellis.protocols.gtp.attention import INTERRUPTS, Attention
from trellis.protocols.gtp.engine import OutputFailed
from trellis.protocols.gtp.making import make_engine
from trellis.protocols.gtp.parsing import LONGEST_LINE
from trellis.protocols.gtp.rulesets import DEFAULT, named_rules
from trellis.protocols.gtp.server import serve


def served(talk, text):
    """Return what is written in answer to some input."""
    out = io.StringIO()
    serve(talk.engine, talk.attention, io.StringIO(text), out)
    return out.getvalue()


def test_an_interrupt_counts_that_came_with_its_command():
    talk = Talk(player="auto:sims=10")
    for line in ("genmove b\n", "# interrupt\n"):
        talk.attention.hear(line)
    talk.attention.next_line()
    asked = []
    talk.session.thinker.player.choose = lambda *_: asked.append(stop_asked()) or "c3"
    assert talk("genmove b") == "C3"
    assert asked == [True]


def test_an_interrupt_does_not_count_for_later_commands():
    attention = Attention()
    for line in ("name\n", "# interrupt\n", "genmove b\n"):
        attention.hear(line)
    found = []
    for _ in range(2):
        attention.next_line()
        with attention.listening(INTERRUPTS):
            found.append(stop_asked())
    assert found == [True, False]
    assert not stop_asked()


@pytest.mark.parametrize("bound", ["MOST_LINES", "MOST_TEXT"])
def test_who_sends_more_than_is_answered_has_to_wait(bound, monkeypatch):
    monkeypatch.setattr(attention_file, bound, 50)
    attention = Attention()
    sent = []

    def send():
        for number in range(100):
            sent.append(number)
            attention.hear("12345")

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(0.3)
    assert len(sent) == (50 if bound == "MOST_LINES" else 10)
    for _ in range(100):
        assert attention.next_line() == "12345"
    sender.join(60)
    assert len(sent) == 100


def test_the_rest_of_a_long_line_is_not_a_command():
    text = "7 play b c3 " + "x" * LONGEST_LINE + " \n8 name\n"
    long = "x" * (LONGEST_LINE - len("9 ")) + "quit\n"
    answers = served(Talk(), f"{text}9 {long}10 name\n").split("\n\n")
    assert [answer.split()[0] for answer in answers[:-1]] == ["?7", "=8", "?9", "=10"]
    assert "line too long" in answers[0]


def test_pondering_follows_moves_of_our_own_alone(capsys):
    talk = Talk(ponder=True, player="auto:sims=10,reuse=true")
    pondered = []
    talk.session.ponder = lambda: pondered.append(len(talk.session.board.plies))
    served(talk, "known_command genmove\nname # genmove\nreg_genmove b\ngenmove x\ngenmove b\n")
    assert pondered == [1]
    talk.session.ponder = lambda: 1 / 0
    assert served(talk, "genmove w\n1 name\n").endswith("\n\n=1 Trellis\n\n")
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert told.count("\n") == 1


def test_output_that_nobody_reads_ends_it(capsys):
    talk, tries = Talk(), []

    def gone(text):
        tries.append(text)
        raise BrokenPipeError

    with pytest.raises(OutputFailed):
        talk.engine.answer("name", gone)
    with pytest.raises(OutputFailed):
        talk.engine.answer("nonsense", gone)
    assert tries == ["= Trellis\n\n", "? unknown command\n\n"]
    assert capsys.readouterr().err == ""


def test_long_words_are_not_told_back():
    talk = Talk(player="auto:sims=10")
    for line in (f"gogui-setup b {'z' * 500}", f"lz-analyze {'z' * 500}"):
        assert len(talk.fails(line)) < 150


def test_a_game_may_say_its_rules():
    rules = Talk("go:board_size=5,superko=situational,suicide=true", rules="").session.rules
    assert (rules.ko, rules.suicide, rules.bonus) == ("SITUATIONAL", True, "N")
    assert Talk("go:board_size=5", rules="").session.rules == named_rules(DEFAULT)


def test_a_problem_is_refused_by_name(tmp_path):
    file = tmp_path / "problem.txt"
    file.write_text("white to play\nB . .\n. . .\n. . O")
    with pytest.raises(BadParameter, match="cannot begin with the problem '/"):
        make_engine(load(str(file)), "random")


@pytest.mark.parametrize("colour", ["b", "w"])
def test_values_are_blacks_whoever_is_asked_about(colour):
    talk = Talk("go:board_size=2", player="auto:sims=300")
    talk("komi -50")  # black wins whatever happens
    assert {float(each) for each in talk(f"trellis-values {colour}").split()} <= {0.0, 1.0}
    assert "1.000" in talk(f"trellis-values {colour}")
