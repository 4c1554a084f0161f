"""Capture the King: how pieces move, promotion, the end; a plain twin, and python-chess."""

import random

import numpy as np
import pytest
from random_play import (
    assert_playouts_average_to,
    assert_random_games_take,
    exact_value,
    from_words,
    needs_many_playouts,
    published_length,
    squares,
)  # fmt: skip

from trellis.game.errors import BadParameter
from trellis.loading import load

FILES = "abcdefgh"
KINDS = {
    "b": (1, 0, 0),
    "r": (0, 1, 0),
    "q": (1, 1, 0),
    "p": (0, 0, 1),
    "n": (1, 0, 1),
    "k": (0, 1, 1),
}
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
KNIGHT = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)]


def position(placement, clock=0, promotion="white"):
    """A position from the first field of chess notation (FEN); an even clock is white's turn."""
    words = [0, 0, 0, 0, clock]
    for y, row in zip(range(7, -1, -1), placement.split("/"), strict=True):
        x = 0
        for letter in row:
            if letter.isdigit():
                x += int(letter)
                continue
            for word, bit in enumerate(KINDS[letter.lower()]):
                words[word] |= bit << 8 * y + x
            words[3] |= letter.isupper() << 8 * y + x
            x += 1
    return from_words(load(f"capture_the_king:promotion={promotion}"), *words)


class Twin:
    """The rules again, from a dictionary of squares and letters as in chess diagrams."""

    def __init__(self, both):
        self.both, self.white, self.clock = both, True, 0
        self.board = {}
        for x, letter in enumerate("rnbqkbnr"):
            self.board |= {(x, 0): letter.upper(), (x, 1): "P", (x, 6): "p", (x, 7): letter}

    def own(self, square):
        return square in self.board and self.board[square].isupper() == self.white

    def targets(self, x, y):
        kind = self.board[x, y].lower()
        if kind == "p":
            up, first = (1, 1) if self.white else (-1, 6)
            if (x, y + up) not in self.board:
                yield (x, y + up)
                if y == first and (x, y + 2 * up) not in self.board:
                    yield (x, y + 2 * up)
            for x2 in (x - 1, x + 1):
                if (x2, y + up) in self.board:
                    yield (x2, y + up)
        elif kind in "nk":
            for right, up in KNIGHT if kind == "n" else STRAIGHT + DIAGONAL:
                yield (x + right, y + up)
        else:
            for right, up in {"r": STRAIGHT, "b": DIAGONAL, "q": STRAIGHT + DIAGONAL}[kind]:
                for distance in range(1, 8):
                    yield (x + distance * right, y + distance * up)
                    if (x + distance * right, y + distance * up) in self.board:
                        break

    def moves(self):
        found = {}
        for x, y in [square for square in self.board if self.own(square)]:
            for target in self.targets(x, y):
                if self.own(target) or not (0 <= target[0] < 8 and 0 <= target[1] < 8):
                    continue
                takes = "x" if target in self.board else ""
                ends = self.board[x, y] == "P" and target[1] == 7
                ends |= self.both and self.board[x, y] == "p" and target[1] == 0
                name = f"{FILES[x]}{y + 1}{takes}{FILES[target[0]]}{target[1] + 1}"
                found[name + ("q" if ends else "")] = ((x, y), target)
        return found

    def play(self, name):
        if name != "pass":
            origin, target = self.moves()[name]
            piece = self.board.pop(origin)
            self.board[target] = piece
            if piece == "P" and target[1] == 7:
                self.board[target] = "Q"
            if piece == "p" and target[1] == 0:
                self.board[target] = "q"
                if not self.both:
                    del self.board[target]
        self.white = not self.white
        self.clock += 1

    def payoff(self):
        kings = [piece for piece in self.board.values() if piece in "Kk"]
        if len(kings) == 1:
            return 1 if kings == ["K"] else -1
        return 0 if self.clock == 69 else None


@pytest.mark.parametrize("promotion", ["white", "both"])
def test_game_goes_as_in_the_plain_twin(promotion):
    dice = random.Random(promotion)
    ends, last_rows = set(), 0
    for number in range(40):
        game = load(f"capture_the_king:promotion={promotion}")
        here, twin = game.start(), Twin(promotion == "both")
        while twin.payoff() is None:
            assert (here.acting == 0) == twin.white
            moves = here.moves()
            assert sorted(moves) == sorted(twin.moves() or ["pass"])
            # Half the games hurry pawns ahead and spare kings, so that pawns get across.
            eager = [
                m for m in moves if twin.board.get((FILES.index(m[0]), int(m[1]) - 1)) in ("P", "p")
            ]
            move = dice.choice(eager if eager and number % 2 else moves)
            last_rows += move in eager and move.rstrip("q")[-1] in "18"
            here = here.play(move)
            twin.play(move)
        assert here.is_over
        assert here.payoffs() == (twin.payoff(), -twin.payoff())
        ends.add(twin.payoff())
    assert ends == {1, -1, 0}
    assert last_rows > 5


def test_game_goes_as_in_python_chess_without_castling_and_en_passant():
    chess = pytest.importorskip("chess", reason="compares with python-chess where it is installed")
    dice = random.Random(5)
    for _ in range(30):
        here, board = load("capture_the_king:promotion=both").start(), chess.Board()
        while not here.is_over:
            board.castling_rights, board.ep_square = 0, None
            theirs = {
                64 * move.from_square + move.to_square
                for move in board.pseudo_legal_moves
                if move.promotion in (None, chess.QUEEN)
            }
            assert set(here.move_codes()) == theirs
            code = dice.choice(here.move_codes())
            piece = board.remove_piece_at(code // 64)
            if piece.piece_type == chess.PAWN and code % 64 // 8 in (0, 7):
                piece = chess.Piece(chess.QUEEN, piece.color)
            board.set_piece_at(code % 64, piece)
            board.turn = not board.turn
            here = here.play(code)
        assert (here.payoffs()[0] == 1) == (board.king(chess.BLACK) is None)
        assert (here.payoffs()[0] == -1) == (board.king(chess.WHITE) is None)


def test_king_may_step_into_check_and_stay_there():
    here = position("7r/8/8/8/8/8/6k1/K6R")
    assert "a1b2" in here.moves()
    assert "h1xh8" in here.moves()
    checked = position("r7/8/8/8/8/7k/7P/K7")
    assert "a1a2" in checked.moves()


@pytest.mark.parametrize(
    ("placement", "clock", "move", "payoffs"),
    [("4k3/8/8/8/4R3/8/8/K7", 0, "e4xe8", (1, -1)), ("4k3/8/8/8/8/8/1p6/K7", 1, "b2xa1", (-1, 1))],
    ids=["white takes", "black takes, with a pawn that vanishes"],
)
def test_taking_the_king_wins(placement, clock, move, payoffs):
    end = position(placement, clock).play(move)
    assert end.is_over
    assert end.payoffs() == payoffs


def test_white_pawn_becomes_a_queen_and_black_pawn_vanishes():
    white = position("4k3/P7/8/8/8/8/7p/4K3").play("a7a8q")
    assert str(white).startswith("8 Q . . . k")
    black = white.play("h2h1")
    assert "p" not in str(black).splitlines()[7]
    assert str(black).splitlines()[7] == "1 . . . . K . . ."
    both = position("4k3/8/8/8/8/8/7p/4K3", 1, "both").play("h2h1q")
    assert str(both).splitlines()[7] == "1 . . . . K . . q"


def test_there_is_no_castling_and_no_en_passant():
    assert "e1g1" not in position("4k3/8/8/8/8/8/8/R3K2R").moves()
    here = position("4k3/3p4/8/4P3/8/8/8/4K3", 1).play("d7d5")
    assert "e5d6" not in here.moves()
    assert "e5xd6" not in here.moves()


def test_game_is_a_draw_after_69_moves_unless_the_last_takes_the_king():
    here = position("4k3/8/8/8/4R3/8/8/K7", 68)
    assert here.play("e4e5").payoffs() == (0, 0)
    assert here.play("e4xe8").payoffs() == (1, -1)


def test_player_without_any_move_passes():
    # Every white piece is walled in by its own side or stands before a black pawn.
    here = position("4k3/8/8/1p6/pPp5/PRP5/PPP5/KB6", 2)
    assert here.moves() == ["pass"]
    assert here.play("pass").acting == 1


def test_famous_position_has_218_moves():
    # The most moves known in a position of chess (Petrovic, 1964).
    assert len(position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1").move_codes()) == 218


def test_position_with_the_most_moves_known_stays_within_the_bound():
    # Nobody needs to avoid check here, so four more than in chess; found by local search.
    placement = "R6R/2Q3K1/4Q3/1Q4Q1/3Q4/Q4Q2/2Q4Q/2NNBBk1"
    upside_down = "/".join(reversed(placement.split("/"))).swapcase()
    for here in (position(placement), position(upside_down, 1, "both")):
        bound = here.game.max_moves
        buffer = np.full(bound + 8, -1, np.int32)
        count = here.game.rules.moves(here.game.tables, here.state, buffer)
        assert count == len(set(buffer[:count].tolist())) == 222 <= bound
        assert (buffer[count:] == -1).all()


def test_no_side_can_have_more_moves_than_each_piece_alone_in_the_middle():
    most = {"K": 8, "N": 8, "B": 13, "R": 14, "Q": 27}
    for letter, count in most.items():
        alone = position(f"8/8/8/3{letter}4/8/8/8/7k")
        assert len(_moves_from(alone, "d5")) == count
    # Pawns have four at most, so a promoted one is worth more.
    assert len(_moves_from(position("7k/8/8/8/8/2p1p3/3P4/7K"), "d2")) == 4
    bound = most["K"] + 2 * (most["N"] + most["B"] + most["R"]) + 9 * most["Q"]
    assert load("capture_the_king").max_moves == bound


def _moves_from(here, square):
    """What a piece may do, whether or not the game has ended for want of a king."""
    buffer = np.empty(here.game.max_moves, np.int32)
    count = here.game.rules.moves(here.game.tables, here.state, buffer)
    cell = squares(square).bit_length() - 1
    return [move for move in buffer[:count] if move // 64 == cell]


@needs_many_playouts
@pytest.mark.parametrize("promotion", ["white", "both"])
def test_playouts_draw_every_legal_move_alike(promotion):
    for clock in (66, 67):
        placement = "1q2k2n/P2b4/3p3r/4p3/3P1N2/2R1B3/p4P2/1B2K3"
        here = position(placement, clock, promotion)
        assert_playouts_average_to(here, exact_value(here), games=400_000)


def test_playouts_from_a_walled_in_position_pass():
    here = position("4k3/8/8/1p6/pPp5/PRP5/PPP5/KB6", 68)
    assert exact_value(here) == 0.0
    assert_playouts_average_to(here, 0.0, games=10)


def test_unknown_promotion_is_refused():
    with pytest.raises(BadParameter, match="expected one of white, both"):
        load("capture_the_king:promotion=none")


@needs_many_playouts
def test_random_games_are_as_long_as_published(shared):
    length = published_length(shared, "DRESDEN/capture_the_king")
    assert_random_games_take(load("capture_the_king"), length)
