"""Messages of game servers, as they come and as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis.protocols.ggp.messages import (
    Abort,
    BadMessage,
    Info,
    Play,
    Preview,
    Start,
    Stop,
    flatten_rules,
    read_message,
    write_info,
    write_message,
)

RULES = "(role White) (<= terminal (true (control White)))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Info()),
        ("  \n", Info()),
        ("( INFO )", Info()),
        ("(info)", Info()),
        ("(ping)", Info()),
        (
            "( START m.1 White ( (role White) ) 30 10 )",
            Start("m.1", "White", " (role White) ", 30, 10),
        ),
        ("(start M x ((role x)) 1.5 2 extra (words))", Start("M", "x", "(role x)", 1.5, 2)),
        ("(\n\tStArT\nm x\n((role x) ; a ( comment\n)\n30 10)", None),
        ("( PLAY m NIL )", Play("m", None)),
        ("(play m nil)", Play("m", None)),
        ("(play m ())", Play("m", None)),
        ("(PLAY m ( (mark 1 2) NOOP ) )", Play("m", ("(mark 1 2)", "NOOP"))),
        ("(STOP m ((Mark 1 2) noop))", Stop("m", ("(Mark 1 2)", "noop"))),
        ("(STOP m right)", Stop("m", ("right",))),
        ("(stop m)", Stop("m", None)),
        ("(ABORT m)", Abort("m")),
        ("( PREVIEW ( (role x) ) 20 )", Preview(" (role x) ", 20)),
        ('(PLAY |a match| ((say "two )words(")))', Play("|a match|", ('(say "two )words(")',))),
    ],
)
def test_messages_are_read(text, expected):
    message = read_message(text)
    if expected is None:
        assert isinstance(message, Start)
        assert message.play_clock == 10
    else:
        assert message == expected


@pytest.mark.parametrize(
    "text",
    [
        "INFO", "(", ")", "(INFO", "(INFO) (INFO)", "(HELLO)", "((INFO))", "(START m x (r) 30)",
        "(START m x r 30 10)", "(START (m) x (r) 30 10)", "(START m (x) (r) 30 10)",
        "(START m x (r) soon 10)", "(START m x (r) -1 10)", "(START m x (r) nan 10)",
        "(START m x (r) 30 1e99)", "(PLAY m)", "(PLAY)", "(PLAY (m) nil)", "(ABORT)", "(STOP)",
        "(PREVIEW rules 3)", "(PLAY m (a) \x00)", "(" * 100, "(PLAY m ((a))", '(PLAY m "unclosed)',
        "(PLAY " + "m" * 300 + " nil)", "(PLAY m (" + "a" * 20_000 + "))",
        "(INFO " + "x " * 3_000 + ")", "(PLAY m |\\|\\|\\|)",
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_one_line(text):
    with pytest.raises(BadMessage) as error:
        read_message(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_a_message_longer_than_any_is_refused():
    with pytest.raises(BadMessage, match="characters"):
        read_message("(INFO)" + " " * 8_000_000)


def test_unclosed_quotes_do_not_take_for_ever():
    with pytest.raises(BadMessage, match="never closed"):
        read_message("(PLAY m (" + "|\\" * 1_000_000)


@pytest.mark.parametrize(
    "message",
    [
        Info(), Start("m", "White", RULES, 30, 7.5), Play("m", None), Play("m", ("(a B)", "noop")),
        Stop("m", ("x",)), Abort("m"), Preview(RULES, 5),
    ],
)  # fmt: skip
def test_what_is_written_reads_back(message):
    again = read_message(write_message(message))
    if isinstance(message, Start | Preview):
        assert again.rules.split() == message.rules.split()
    else:
        assert again == message


@given(st.text(alphabet='()PLAYSTOP minfo123;|"\\ \n\tnil', max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        read_message(text)
    except BadMessage as error:
        assert str(error)


def test_rules_are_flattened_with_their_letters():
    text = "; a game\n(role White) ;; (role Black)\n(<= (next (Cell ?X))\n    (true (Cell ?X)))\n"
    assert flatten_rules(text) == "(role White) (<= (next (Cell ?x)) (true (Cell ?x)))"
    with pytest.raises(BadMessage):
        flatten_rules("(role")


def test_info_says_who_and_whether_there_is_time():
    assert write_info("Trellis", busy=True) == (
        "( ( name Trellis ) ( status busy ) ( species computer ) )"
    )
