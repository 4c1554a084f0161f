"""Reading rulesheets: all that people write, and all that nobody should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis.gdl.language.kif import DEEPEST, NoTerm, read, to_term, write


def terms(text):
    reading = read(text)
    assert not reading.findings
    return [to_term(form) for form in reading.forms]


def said(text):
    return [(each.line, each.column, each.message) for each in read(text).findings]


def test_comments_spaces_and_letter_case():
    text = "; a comment\n( Cell\t1 2 B) ; another\r\n\ufeff(ROLE White)(a)"
    assert terms(text) == [("cell", "1", "2", "b"), ("role", "white"), "a"]


def test_a_comment_may_end_the_text():
    assert terms("(a b);;;") == [("a", "b")]


def test_quoted_names_keep_their_spaces_and_are_no_variables():
    assert terms('("two words" |a(b;c| "say \\"hi\\"" |?x|)') == [
        ("two words", "a(b;c", 'say "hi"', " ?x")
    ]


def test_a_bar_of_its_own_means_or():
    either = ("a", "or", "b")
    assert terms("(a | b) (a || b) (a | |b c|)") == [either, either, ("a", "or", "b c")]
    assert terms("(p (a)|(b))") == [("p", *either)]
    assert said("(p|q)") == [(1, 3, "| inside a word; expected blanks around it")]


@pytest.mark.parametrize(
    "term", ["a", ("f", "?x", ("g", "1")), ("two words", " x", " ?x", "", 'q"', "back\\slash|")]
)
def test_what_is_written_reads_back(term):
    assert terms(write(term)) == [term]


def test_names_are_written_as_they_were_first_spelt():
    reading = read("(Cell A) (cell a)")
    assert write(to_term(reading.forms[1]), reading.spellings) == "(Cell A)"
    assert [(word, form.column) for word, form in reading.slips.items()] == [
        ("cell", 11),
        ("a", 16),
    ]


def test_every_mistake_is_told_with_its_place():
    assert said("(a\n  (b)) )\n(c ()\n(d") == [
        (2, 8, "')' without '(': is one too many in the statement at 1:1?"),
        (3, 1, "'(' is never closed: the next statement begins at 4:1"),
        (3, 4, "nothing between '(' and ')'"),
        (4, 1, "'(' is never closed"),
    ]


def test_lists_that_stay_open_inside_a_statement_are_the_same_mistake():
    text = "(a b)\n(c\n   (d (e)\n(f g)\n(h i)\n"
    assert said(text) == [(2, 1, "'(' is never closed: the next statement begins at 4:1")]


def test_an_open_quote_is_told():
    assert said('(a "b c)')[0] == (1, 4, '" is never closed')


def test_binary_files_are_no_text():
    assert said("(a b)\n\x00\x01") == [(2, 1, "this is not text: character 0")]


def test_a_million_parentheses():
    too_many = (1, DEEPEST + 1, f"more than {DEEPEST} open parentheses")
    assert too_many in said("(" * 1_000_000)
    assert len(said(")" * 1_000_000)) == 100


def test_many_escaped_quotes_take_bounded_time():
    assert said('"' + '\\"' * 1_000_000)


def test_a_text_beyond_measure_is_not_read():
    assert "characters; at most" in said(" " * 9_000_000)[0][2]


def test_a_list_needs_a_name():
    with pytest.raises(NoTerm):
        to_term(read("((a) b)").forms[0])


@given(st.one_of(st.text(), st.text(alphabet='()?a <=;"|\\\n')))
def test_no_text_breaks_the_reader(text):
    for form in read(text).forms:
        try:
            term = to_term(form)
        except NoTerm:
            continue
        assert terms(write(term)) == [term]


@given(st.binary())
def test_no_bytes_break_the_reader(data):
    read(data.decode("utf-8", errors="replace"))
    read(data.decode("latin-1"))
