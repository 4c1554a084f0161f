"""Pictures of positions: every stone is drawn where it is, and the picture needs nothing else."""

import random
import xml.etree.ElementTree as ET

import pytest

import trellis
from trellis.cli.main import main
from trellis.drawing.boards import draw
from trellis.drawing.grids import chess_piece, quarto_piece, rows_of, squares
from trellis.drawing.svg import fixed

BOARDS = {
    "go:board_size=5": ("A1", "E5", "C3"),
    "gomoku:m=6,n=5,k=4": ("a1", "f5", "c3"),
    "connect_four": ("d", "d", "a"),
    "othello": ("d3", "c3"),
    "breakthrough": (),
    "tic_tac_toe": ("b2", "a1", "c3"),
    "hex:board_size=5": ("c3", "a1", "e5"),
}
NAME = "{http://www.w3.org/2000/svg}"


def shapes(svg):
    return list(ET.fromstring(svg).iter())


def stones_of(spec, position):
    """Count what is drawn in the colours of the players."""
    fills = [each.get("fill", "") + each.get("stroke", "") for each in shapes(draw(position))]
    if spec.startswith("tic_tac_toe"):
        return sum("red" in each for each in fills) // 2, sum("blue" in each for each in fills)
    pairs = {"connect_four": ("red", "yellow"), "hex": ("red", "blue")}
    first, second = pairs.get(spec.split(":")[0], ("black", "white"))
    return tuple(
        sum(each.startswith(f"var(--t-{colour})") for each in fills) for colour in (first, second)
    )


@pytest.mark.parametrize("spec", BOARDS)
def test_every_stone_is_drawn(spec):
    game = trellis.load(spec)
    position = game.start()
    moves = [m if m in position.moves() else m.lower() for m in BOARDS[spec]]
    for move in moves:
        position = position.play(move)
        own, other, _ = game.planes.of(position)
        if position.acting == 1:
            own, other = other, own
        drawn = stones_of(spec, position)
        if spec.startswith(("go", "gomoku", "othello")):  # a white stone has a white glint
            drawn = drawn[0], drawn[1] // 2
        assert drawn == (int(own.sum()), int(other.sum()))


@pytest.mark.parametrize("spec", [*BOARDS, "nim", "kalah", "pig"])
def test_a_picture_needs_nothing_else(spec):
    svg = draw(trellis.load(spec).start())
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in svg
    assert shapes(svg)[0].tag == f"{NAME}svg"
    for dark in (False, True):
        plain = fixed(svg, dark=dark)
        assert "var(" not in plain
        shapes(plain)


def test_who_has_won_stays_the_same_colour():
    """When the game is over nobody moves, and whose stones come first has to be found out."""
    position = trellis.load("connect_four").start().play("a", "b", "a", "b", "a", "b", "a")
    assert position.is_over
    assert stones_of("connect_four", position) == (4, 3)


def test_the_command_writes_a_picture(tmp_path, capsys):
    file = tmp_path / "board.svg"
    assert main(["show", "connect_four", "--moves", "d d c", "--out", str(file)]) == 0
    assert file.read_text().startswith("<svg")
    assert main(["show", "connect_four", "--moves", "d d c"]) == 0
    assert "x" in capsys.readouterr().out
    assert main(["show", "connect_four", "--out", str(tmp_path / "board.png")]) == 2
    assert main(["show", "connect_four", "--out", str(tmp_path / "no" / "board.svg")]) == 2


def test_positions_and_reports_show_themselves_in_notebooks():
    position = trellis.load("tic_tac_toe").start()
    assert position._repr_svg_().startswith("<svg")
    report = trellis.Search(position, seed=1).run(sims=30)
    html = report._repr_html_()
    assert html.count("<tr") == 10
    assert report.best in html
    assert report.to_dict()["best"] == report.best
    assert list(report.to_pandas().index) == [line.move for line in report.moves]


def test_turn_and_outcome():
    position = trellis.load("tic_tac_toe").start()
    assert (position.turn, position.outcome()) == ("x", None)
    over = position.play("a1", "b1", "a2", "b2", "a3")
    assert (over.turn, over.outcome().winner, str(over.outcome())) == (None, 0, "x wins (1, -1)")
    drawn = position.play("a1", "b2", "c3", "a2", "c2", "c1", "a3", "b3", "b1").outcome()
    assert (drawn.winner, drawn.name) == (None, "draw")


GRIDS_AND_SIZES = {
    "amazons:board_size=6": (6, 6), "capture_the_king": (8, 8), "dice": (5, 5),
    "ein_stein": (5, 5), "knightthrough": (8, 8), "pawn_whopping": (8, 8), "pentago": (6, 6),
    "quarto": (4, 4), "twenty_forty_eight": (4, 4),
}  # fmt: skip


@pytest.mark.parametrize("spec", GRIDS_AND_SIZES)
def test_boards_of_squares_show_every_square_and_every_piece(spec):
    """A game goes on, and the picture changes just where the text does."""
    draw_of_chance = random.Random(2)
    position = trellis.load(spec).start()
    rows, columns = GRIDS_AND_SIZES[spec]
    for _ in range(10):
        held = rows_of(position)
        assert [len(row) for row in held] == [columns] * rows
        seen: list[tuple[float, float, str]] = []
        squares(held, lambda x, y, what, seen=seen: seen.append((x, y, what)) or [])
        taken = [what for row in held for what in row if what != "."]
        assert [what for _, _, what in seen] == taken
        assert len({(x, y) for x, y, _ in seen}) == len(taken)
        assert len(shapes(draw(position))) > rows * columns
        if position.is_over:
            break
        position = position.play(draw_of_chance.choice(position.move_codes()))


def test_each_piece_of_chess_and_of_quarto_looks_different():
    drawn = {tuple(chess_piece(0, 0, kind, first=first)) for kind in "prnbqk" for first in (0, 1)}
    assert len(drawn) == 12
    assert len({tuple(quarto_piece(0, 0, f"{bits:04b}")) for bits in range(16)}) == 16
