"""Lines, replies and words of the protocol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis.protocols.gtp.parsing import (
    CommandError,
    Line,
    Words,
    is_interrupt,
    read_line,
    read_point,
    reply,
    vertex_name,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name", Line("", "name")),
        ("007 name\r\n", Line("007", "name")),
        ("\tplay\tb  c3 # why not", Line("", "play", ("b", "c3"))),
        ("na\x07me", Line("", "name")),
        ("5", Line("5", "")),
        ("# only a comment", None),
        ("  \t \r", None),
        ("3 # a number and a comment", Line("3", "")),
    ],
)
def test_lines(text, expected):
    assert read_line(text) == expected


def test_replies_have_no_empty_line_but_the_last():
    assert reply("", "") == "=\n\n"
    assert reply("3", "D4") == "=3 D4\n\n"
    assert reply("3", "illegal move", failed=True) == "?3 illegal move\n\n"
    assert reply("", "\n a\n\n b\n") == "=\n a\n b\n\n"


@given(st.text(), st.booleans())
def test_every_reply_is_well_formed(text, failed):
    made = reply("12", text, failed=failed)
    assert made.startswith("?12" if failed else "=12")
    assert made.endswith("\n\n")
    assert "\n\n" not in made[:-1]
    assert not any(ord(each) < 32 and each not in "\n\t" for each in made)


def test_points_have_no_column_i():
    assert vertex_name(0, 7) == "H1"
    assert vertex_name(18, 8) == "J19"
    assert read_point("j19", 19, 19) == (18, 8)
    for wrong in ("i1", "a0", "a20", "u1", "a", "1a", "a1b", "", "a-1", "a٣"):
        assert read_point(wrong, 19, 19) is None
    for row in range(19):
        for column in range(19):
            assert read_point(vertex_name(row, column), 19, 19) == (row, column)


def test_words_are_read_one_by_one():
    words = Words(("W", "c3", "5.0", "-0.5", "left", "over"))
    assert words.colour() == 1
    assert words.point(9, 9) == (2, 2)
    assert words.whole("a number") == 5
    assert words.real("a number") == -0.5
    assert words.rest() == "left over"
    for wrong in ("red", "c33", "2.5", "nan", "1e400", "99999999999", ""):
        with pytest.raises(CommandError):
            Words((wrong,)).whole("a number")
        with pytest.raises(CommandError):
            Words((wrong,)).colour()


def test_interrupts_are_comments():
    assert is_interrupt("# interrupt\n")
    assert is_interrupt("#interrupt")
    assert not is_interrupt("interrupt")
    assert not is_interrupt("name # interrupt")
