"""States as text: boards drawn, the rest listed."""

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.language.kif import read, to_term, write
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.board_text import Picture, natural


def terms(text):
    return [to_term(form) for form in read(text).forms]


def draw(facts, text=write):
    """Draw a state of which nothing else is known."""
    return Picture(None, facts, text).draw(facts)


def grid(*rows, step="(step 1)"):
    """Return the facts of a board given by its rows, the highest first."""
    cells = [
        ("cell", "abcdefgh"[x], str(len(rows) - y), piece)
        for y, row in enumerate(rows)
        for x, piece in enumerate(row.split())
    ]
    return [*cells, *terms(step)]


def test_a_board_is_drawn_with_its_axes():
    facts = grid("blank blank black", "blank white blank", "blank blank blank")
    assert draw(facts, write) == "3 . . b\n2 . w .\n1 . . .\n  a b c\n(step 1)"


def test_it_does_not_matter_in_which_order_facts_come():
    facts = grid("x o", "o b", step="(control x) (step 10) (step 9)")
    assert draw(facts) == draw(facts[::-1]) == draw(frozenset(facts))
    assert draw(facts).endswith("(control x)  (step 9)  (step 10)")


def test_short_names_are_shown_whole_and_columns_stay_aligned():
    facts = grid("bk b", "b wk", step="")
    assert draw(facts) == "2 bk .\n1 .  wk\n  a  b"


def test_names_are_shown_as_far_as_it_takes_to_tell_them_apart():
    assert draw(grid("knight king", "queen none", step="")) == "2 kn ki\n1 q  .\n  a  b"
    assert draw(grid("in inn", "inner b", step="")).splitlines()[0] == "2 in   inn"


def test_pieces_of_two_words():
    facts = terms("(cell a 1 white king) (cell b 1 white knight) (cell a 2 black king)")
    facts += terms("(cell b 2 black pawn)")
    assert draw(facts) == "2 bki bp\n1 wki wkn\n  a   b"


def test_rows_without_a_piece_are_not_left_out():
    facts = terms("(cell 1 1 x) (cell 2 1 x) (cell 1 4 o) (cell 2 4 o)")
    assert draw(facts) == "4 o o\n3 . .\n2 . .\n1 x x\n  1 2"


def test_b_is_a_colour_beside_w():
    assert draw(grid("b w", "w b", step="")) == "2 b w\n1 w b\n  a b"
    assert draw(grid("b x", "x b", step="")) == "2 . x\n1 x .\n  a b"


def test_the_universe_keeps_the_shape_while_pieces_come_and_go():
    universe = [("cell", x, y, p) for x in "123" for y in "123" for p in "xo"]
    picture = Picture(universe, [])
    assert picture.draw([]) == "3 . . .\n2 . . .\n1 . . .\n  1 2 3"
    assert picture.draw(terms("(cell 2 3 x)")) == "3 . x .\n2 . . .\n1 . . .\n  1 2 3"


def test_two_things_on_a_square_are_both_told():
    universe = [("cell", x, y, p) for x in "12" for y in "12" for p in "xo"]
    drawn = Picture(universe, []).draw(terms("(cell 1 1 o) (cell 1 1 x)"))
    assert drawn == "2 . .\n1 o .\n  1 2\n(cell 1 1 x)"


def test_the_piece_may_come_first_and_other_names_are_named():
    facts = [("at", "x" if (i + j) % 2 else "o", str(i), str(j)) for i in (1, 2) for j in (1, 2)]
    assert draw(facts) == "at:\n2 x o\n1 o x\n  1 2"


def test_squares_that_do_not_exist_stay_empty():
    facts = [("cell", x, y, "blank") for x, y in ("11", "12", "21", "22", "32")]
    assert draw(facts) == "2 . . .\n1 . .\n  1 2 3"


@pytest.mark.parametrize(
    "text", ["over", "(heap a 3) (heap b 5)", "(rel a b c)", "(cell (f 1) 2 x)", "(path a b c d)"]
)
def test_what_is_no_board_is_listed(text):
    assert draw(terms(text)) == "  ".join(map(write, terms(text)))


def test_nothing_is_said_of_nothing():
    assert draw([]) == "(no facts)"


def test_many_facts_are_folded_between_facts():
    facts = terms(" ".join(f"(holds thing {i})" for i in range(100)))
    lines = draw(facts).splitlines()
    assert max(map(len, lines)) <= 96
    assert all(line.startswith("(") and line.endswith(")") for line in lines)
    assert " ".join(lines).split("  ") is not None
    assert sum(line.count("(holds thing") for line in lines) == 100


def test_order_is_as_people_count():
    names = ["c10", "c9", "2", "10", "a"]
    assert sorted(names, key=natural) == ["2", "10", "a", "c9", "c10"]


@pytest.mark.parametrize("path", sorted(SHEETS.glob("*.kif")), ids=lambda path: path.stem)
def test_every_state_of_our_own_sheets_can_be_drawn(path):
    """By forward chaining: no circuit is needed, nothing is compiled."""
    sheet = Sheet.from_file(path)
    machine = sheet.forward
    state = machine.initial()
    for _ in range(4):
        drawn = draw(state, sheet.write)
        assert drawn.strip()
        assert drawn == draw(sorted(state, key=repr), sheet.write)
        if machine.terminal(state):
            break
        state = machine.next(state, [moves[0] for moves in machine.legal(state)])
