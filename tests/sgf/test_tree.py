"""Files of games: their grammar, encodings, and limits."""

import pytest

from trellis.game.errors import BadRecord
from trellis.sgf import tree
from trellis.sgf.tree import Node, read_file, read_trees, write_trees


def one(data: bytes) -> tuple[Node, list[str]]:
    games, remarks = read_trees(data)
    assert len(games) == 1
    return games[0], remarks


def test_variations_come_in_the_order_of_the_file():
    root, remarks = one(b"junk (;GM[1](;B[aa];W[bb](;B[cc])(;B[dd]))(;B[ee]))")
    names = [node.text("B") or node.text("W") for node in root.nodes()]
    assert names == [None, "aa", "bb", "cc", "dd", "ee"]
    assert [node.text("B") or node.text("W") for node in root.main_line()] == names[:4]
    assert remarks == []


def test_text_is_escaped_and_read_again():
    root = Node({})
    said = "a ] bracket, a \\ slash,\nЖ and 囲碁"
    root.set_text("C", said)
    root.add_comment("more")
    again, _ = one(write_trees([root]))
    assert again.text("C") == f"{said}\n\nmore"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("GB2312", "gbk"), ("gb18030", "gb18030"), ("Big5", "big5"), ("Shift_JIS", "shift_jis"),
        ("EUC-KR", "euc_kr"), ("UTF-8", "utf-8"), ("", "utf-8"), ("UTF-8", "utf-8-sig"),
        ("", "utf-16"),
    ],
)  # fmt: skip
def test_encodings(declared, encoding):
    # Some of these characters have a second byte that looks like a bracket or a backslash.
    text = "ソ表能" if encoding == "shift_jis" else "功許" if encoding == "big5" else "韓"
    head = f"CA[{declared}]" if declared else ""
    root, remarks = one(f"(;{head}C[{text}];B[aa])".encode(encoding))
    assert root.text("C") == text
    assert len(list(root.main_line())) == 2
    assert remarks == []


def test_what_says_nothing_and_is_not_utf_8_is_latin_1():
    root, remarks = one(b"(;PB[Andr\xe9])")
    assert root.text("PB") == "André"
    assert remarks == []


@pytest.mark.parametrize(
    ("data", "text", "remark"),
    [
        ("(;CA[big5]PB[…])".encode(), "…", "the text is UTF-8, not big5"),
        (b"(;CA[UTF-8]PB[a\xe9b])", "a�b", "some text is not UTF-8"),
        (b"(;CA[rot13]PB[a\xe9b])", "aéb", "no way to read the encoding rot13"),
        (b"(;CA[zlib]PB[ab])", "ab", "the text is UTF-8, not zlib"),
    ],
)
def test_files_that_are_not_what_they_say(data, text, remark):
    root, remarks = one(data)
    assert root.text("PB") == text
    assert len(remarks) == 1
    assert remarks[0].startswith(remark)


@pytest.mark.parametrize(
    ("data", "moves"),
    [
        (b"(;GM[1];B[aa];W[b", ["aa", "b"]),
        (b"(;GM[1];B[aa];W", ["aa", None]),
        (b"(;GM[1];B[aa](;W[bb];B[cc]", ["aa", "bb", "cc"]),
        (b"(;GM[1];B[aa];C[a \\", ["aa", None]),
        (b"(;GM[1];B[aa](", ["aa", None]),
    ],
)
def test_a_file_that_ends_too_early_is_read_as_far_as_it_goes(data, moves):
    root, remarks = one(data)
    assert [node.text("B") or node.text("W") for node in root.main_line()][1:] == moves
    assert remarks == ["game 1 ends too early: read as far as it goes"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a file of games"),
        (b"hello", "not a file of games"),
        (b"(;B[aa]\n?;W[bb])", "line 2: unexpected '?;W[bb])'"),
        (b"(;B)", "game 1: property with no values"),
        (b"(;B[aa])(;[bb])", "game 2: unexpected value"),
        (b"(" + b";" * 300_000 + b")", "300,000 nodes: expected at most 250,000"),
        (b"(;" * 11_000 + b")" * 11_000, "11,000 nested variations"),
        (b"(;AB" + b"[]" * 1_100_000 + b")", "1,100,000 values"),
        (b"(;" + b"A " * 3_000_000 + b")", "bytes outside of values"),
        (b"(;C[" + b"x" * 17 * 2**20 + b"])", "more than 16,777,216 bytes"),
    ],
)
def test_one_line_says_what_is_wrong(data, message):
    with pytest.raises(BadRecord) as refused:
        read_trees(data)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_as_many_variations_in_each_other_as_are_allowed():
    deepest = tree.MOST_DEPTH
    root, _ = one(b"(;" * deepest + b")" * deepest)
    assert len(list(root.nodes())) == deepest
    assert len(list(one(write_trees([root]))[0].nodes())) == deepest


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadRecord, match=r"cannot read .*No such file"):
        read_file(tmp_path / "none.sgf")
    with pytest.raises(BadRecord, match="cannot read"):
        read_file(tmp_path)


@pytest.mark.parametrize(
    "data", [b"(;C" + b"[" * 300_000, b"(;C[x]" + b"a" * 300_000, b"(;C[" + b"\\" * 300_001]
)
def test_values_without_an_end_are_read_in_one_pass(data):
    """Looking again from every byte would take hours: here pytest's own limit would end it."""
    games, remarks = read_trees(data)
    assert len(games) == 1
    assert "ends too early" in remarks[0]
