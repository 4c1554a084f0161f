"""Any board game: by its own names, and click by click as GoGui wants it."""

import random
from pathlib import Path

import pytest

import trellis
from protocols.gtp.talking import Talk
from trellis.game.errors import BadParameter
from trellis.protocols.gtp.game_board import points_of, read_cells

SHEETS = Path(trellis.__file__).parent / "gdl" / "sheets"
GAMES = [
    "hex:board_size=4", "othello:board_size=4", "breakthrough:rows=6,columns=4", "connect_four",
    "gomoku:m=9,n=8", "amazons:board_size=5", "nine_mens_morris", "tic_tac_toe",
    "knightthrough",
]  # fmt: skip


def read_board(talk):
    return [line.split() for line in talk("gogui-rules_board").split("\n")]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_click_by_click(game):
    """Whatever is listed may be clicked on, nothing else; a whole game comes to a result."""
    draw = random.Random(3)
    talk = Talk(game)
    assert talk("gogui-rules_game_id").isalpha()
    shape = [int(word) for word in talk("gogui-rules_board_size").split() if word.isdigit()]
    for _ in range(400):
        board = read_board(talk)
        assert (len(board[0]), len(board)) == (shape[0], shape[-1])
        clicks = talk("gogui-rules_legal_moves").split()
        if not clicks:
            break
        side = talk("gogui-rules_side_to_move")
        other = {"black": "white", "white": "black"}[side]
        talk.fails(f"play {other} {clicks[0]}")
        talk.fails(f"play {side} Z25")
        before = talk("showboard")
        if draw.random() < 0.3:
            assert talk(f"genmove {side}") in clicks
        else:
            talk(f"play {side} {draw.choice(clicks)}")
        if draw.random() < 0.1:
            talk("undo")
            assert talk("showboard") == before
    else:
        return  # men go to and fro for ever in some games
    talk.fails(f"genmove {side}")
    assert talk("gogui-rules_final_result").split()[0] in ("Black", "White", "A")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_by_names(game):
    talk = Talk(game)
    for _ in range(60):
        session = talk.session
        if session.now.is_over:
            break
        moves = session.now.moves()
        assert talk("all_legal_moves").split() == moves
        side = session.side_name()
        talk.fails(f"play {side} nonsense")
        assert talk(f"reg_genmove {side}") in moves
        if session.ply_count % 2:
            talk(f"play {side} {moves[-1].upper()}")
        else:
            assert talk(f"genmove {side}") in moves
    count = talk.session.ply_count
    talk(f"gg-undo {count}")
    assert talk.fails("undo") == "cannot undo"


def test_boards_are_read_from_what_games_draw():
    talk = Talk("othello:board_size=4")
    assert read_board(talk)[1:3] == [[".", "X", "O", "."], [".", "O", "X", "."]]
    talk = Talk("hex:board_size=3")
    talk.all("play b b1", "play w c3")
    assert read_board(talk) == [[".", ".", "O"], [".", ".", "."], [".", "X", "."]]
    talk = Talk("connect_four")
    talk.all("play b c", "play w c")
    assert [row[2] for row in read_board(talk)] == [".", ".", ".", ".", "O", "X"]
    assert talk("gogui-rules_legal_moves") == "A1 B1 C3 D1 E1 F1 G1"
    talk("play b C3")
    assert [row[2] for row in read_board(talk)][3] == "X"
    white_first = Talk("knightthrough")
    assert white_first("gogui-rules_side_to_move") == "white"
    assert read_board(white_first)[-1] == ["O"] * 8
    assert read_cells(trellis.load("nim").start()) is None


def test_points_have_gogui_names_only_where_gogui_plays():
    talk = Talk("hex:board_size=11")
    talk("play b i5")
    talk.fails("play w j12")
    assert read_board(talk)[-5][8] == "X"
    assert "J6" in talk("gogui-rules_legal_moves").split()
    talk.fails("play w I6")
    talk("play w J6")
    assert points_of("a10b9*") == [(9, 0), (8, 1)]


@pytest.mark.parametrize("sheet", ["tic_tac_toe", "connect_four", "breakthrough", "hex"])
def test_rulesheets_with_a_board(sheet):
    talk = Talk(str(SHEETS / f"{sheet}.kif"))
    clicks = talk("gogui-rules_legal_moves").split()
    assert all(click[0].isalpha() and click[1:].isdigit() for click in clicks)
    side = talk("gogui-rules_side_to_move")
    assert talk(f"genmove {side}") in clicks
    stones = {cell for row in read_board(talk) for cell in row}
    assert stones & {"X", "O"}


def test_sizes_of_boards():
    talk = Talk("hex:board_size=5")
    talk("boardsize 7 7")
    talk("play b g7")
    talk("boardsize 4")
    talk.fails("play b g7")
    talk.fails("boardsize 99")
    talk.fails("boardsize 5 6")
    talk = Talk("connect_four")
    talk("boardsize 7 6")
    talk.fails("boardsize 8")
    assert "komi" in Talk("tic_tac_toe")("list_commands").split()


def test_hex_in_the_dialect_of_hex_programs():
    talk = Talk("hex:board_size=3", "auto:sims=300")
    listed = talk("list_commands").split()
    assert {"hexgui-analyze_commands", "all_legal_moves", "final_score"} <= set(listed)
    assert "/" in talk("hexgui-analyze_commands")
    talk.all("play b b1", "play w a2", "play b b2", "play w c1", "play b b3")
    assert talk("final_score") == "B+1"
    assert "cannot score" in Talk("hex:board_size=3").fails("final_score")


def test_what_the_protocol_has_no_words_for():
    for game in ("pig", "goofspiel"):
        with pytest.raises(BadParameter, match="take turns"):
            Talk(game)


def test_clicks_are_taken_back_one_by_one():
    talk = Talk("breakthrough")
    talk("gogui-rules_game_id")
    seen = [(talk("gogui-rules_board"), talk("gogui-rules_legal_moves"))]
    colour = talk.session.side_name()
    for _ in range(2):
        talk(f"play {colour} {seen[-1][1].split()[0]}")
        seen.append((talk("gogui-rules_board"), talk("gogui-rules_legal_moves")))
    for before in reversed(seen[:-1]):
        talk("undo")
        assert (talk("gogui-rules_board"), talk("gogui-rules_legal_moves")) == before
    assert talk.fails("undo") == "cannot undo"


def test_a_sequence_that_fails_leaves_a_pending_click():
    talk = Talk("breakthrough")
    talk("gogui-rules_game_id")
    colour = talk.session.side_name()
    talk(f"play {colour} {talk('gogui-rules_legal_moves').split()[0]}")
    board, clicks = talk("gogui-rules_board"), talk("gogui-rules_legal_moves")
    talk.fails(f"gogui-play_sequence {colour} {clicks.split()[0]} {colour} z99")
    assert (talk("gogui-rules_board"), talk("gogui-rules_legal_moves")) == (board, clicks)
