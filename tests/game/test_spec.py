"""Names of games with parameters, good and bad."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis.game.errors import BadParameter, TrellisError, UnknownGame
from trellis.game.spec import find_entry, split_spec
from trellis.loading import load, registered_games


@pytest.mark.parametrize(
    ("text", "name", "given_"),
    [
        ("hex", "hex", {}),
        ("hex:board_size=5", "hex", {"board_size": "5"}),
        ("hex(board_size=5)", "hex", {"board_size": "5"}),
        (" hex : board_size = 5 ,opening=b2 ", "hex", {"board_size": "5", "opening": "b2"}),
        ("nim(pile_sizes=1;2;3)", "nim", {"pile_sizes": "1;2;3"}),
        ("hex()", "hex", {}),
    ],
)
def test_both_ways_to_write_parameters(text, name, given_):
    spec = split_spec(text)
    assert (spec.name, spec.given, spec.file) == (name, given_, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("connect_for", "did you mean 'connect_four'"),
        ("connect_four:rows=0", "from 1 to 31"),
        ("connect_four:rows=six", "bad value 'six' for connect_four:rows"),
        ("connect_four:row=6", "did you mean 'rows'"),
        ("connect_four:rows=6,rows=7", "given twice"),
        ("connect_four:rows", "expected name=value"),
        ("connect_four(rows=6", "closing bracket"),
        ("connect_four:rows=9,columns=9", "must be at most 64"),
        ("connect_four:rows=" + "9" * 5000, "longer than"),
        ("dice:lines=diagonal", "one of rc, any, rows"),
        ("x" * 100, "unknown game"),
        ("", "unknown game ''"),
        ("game.kif", "cannot read"),
        ("/no/such/file.py", "no such game file"),
    ],
)
def test_bad_names_get_one_line_that_says_what_was_expected(text, words):
    with pytest.raises(TrellisError) as caught:
        load(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.text())
def test_no_text_breaks_the_reader_of_names(text):
    try:
        find_entry(split_spec(text).name, registered_games())
    except (UnknownGame, BadParameter) as error:
        assert "\n" not in str(error)


@given(
    st.sampled_from([entry for entry in registered_games() if entry.parameters]),
    st.data(),
    st.text(max_size=20) | st.integers().map(str),
)
def test_no_value_breaks_the_reader_of_parameters(entry, data, text):
    parameter = data.draw(st.sampled_from(entry.parameters))
    try:
        value = entry.settings({parameter.name: text})[parameter.name]
    except BadParameter as error:
        assert entry.name in str(error)
        return
    assert type(value) is type(parameter.default)
    if isinstance(value, int) and not isinstance(value, bool) and parameter.low is not None:
        assert parameter.low <= value <= parameter.high


def test_aliases_lead_to_the_same_game():
    assert find_entry("mnk", registered_games()).name == "gomoku"
    assert find_entry("EinStein_Wurfelt_Nicht", registered_games()).name == "ein_stein"
    names = [name for entry in registered_games() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
