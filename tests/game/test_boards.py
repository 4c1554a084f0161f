"""Boards as text, and the symmetries of the square."""

from trellis.game.boards import SQUARE_SYMMETRIES, draw_board, pieces_on, square_images


def test_a_drawing_has_row_1_at_the_bottom_and_letters_below():
    cells = pieces_on(range(6), [0b000_101, 0b010_000], "xo")
    assert draw_board(cells, 3, number_width=2) == " 2 x . x\n 1 . o .\n   a b c"


def test_letters_stand_below_the_ends_of_wide_cells():
    assert draw_board(["b1", " ."], 2) == "1 b1  .\n   a  b"


def test_symmetries_of_the_square_do_what_they_are_called():
    """The board 012 345 678, where each cell shows which one was sent there."""
    shown = {}
    for symmetry, images in zip(SQUARE_SYMMETRIES, square_images(3), strict=True):
        came = [images.index(cell) for cell in range(9)]
        shown[symmetry.name] = "".join(map(str, came))
    assert shown == {
        "identity": "012345678",
        "quarter turn": "630741852",
        "half turn": "876543210",
        "three-quarter turn": "258147036",
        "left-right mirror": "210543876",
        "top-bottom mirror": "678345012",
        "diagonal mirror": "036147258",
        "antidiagonal mirror": "852741630",
    }
