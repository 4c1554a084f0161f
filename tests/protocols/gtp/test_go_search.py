"""What a search is shown: the position of the game's own rules, with every board that there was."""

import random

import numpy as np
import pytest

from protocols.gtp.talking import Talk
from trellis.protocols.gtp.go_board import PASS, GoBoard
from trellis.protocols.gtp.go_search import search_game, search_position
from trellis.protocols.gtp.rulesets import Ruleset
from trellis.search.mcts.engine import Search

KO = ["SIMPLE", "POSITIONAL", "SITUATIONAL"]
# On these boards nearly every line of play would bring a board back.
SMALL = [(1, 3), (2, 2), (2, 3), (3, 3), (5, 4)]


@pytest.mark.parametrize("ko", KO)
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [*SMALL, (9, 9)])
def test_it_is_the_position_that_the_rules_themselves_reach(rows, columns, ko, suicide):
    """Word by word, so that a search that is kept knows the position again."""
    rules = Ruleset(ko, suicide=suicide)
    draw = random.Random(rows * columns)
    game = search_game(rows, columns, 0.5, ko, suicide)
    captures = 0
    for _ in range(20):
        position, board = game.start(), GoBoard(rows, columns)
        for _ in range(2 * rows * columns - 1):  # longer ones bring only their last boards
            if position.is_over:
                break
            shown = search_position(board, board.to_move, rules, 0.5)
            assert shown == position, board.picture()
            assert np.array_equal(shown.state, position.state)
            legal = position.move_codes()
            allowed = {*board.legal(board.to_move, rules), board.points}
            if suicide and ko == "SIMPLE":  # that of one stone, which the referee refuses
                assert allowed <= {*legal}
            else:
                assert allowed == {*legal}
            code = draw.choice(legal)
            position = position.play(code)
            board.play(board.to_move, PASS if code == board.points else code, rules)
        captures += sum(board.captured)
    assert captures > 10


@pytest.mark.parametrize("ko", KO[1:])
def test_a_very_long_game_goes_on(ko):
    """An arbiter may let a game last for ever; a search has room for more all the same."""
    board, rules = GoBoard(3, 3), Ruleset(ko, suicide=True)
    for number in range(200):
        if number % 9 == 8:
            board.play(board.to_move, PASS, rules)
            continue
        stones = board.stones()
        free = [point for point in range(9) if stones[point] == 2]
        board.play(board.to_move, free[number % len(free)] if free else PASS, rules)
    position = search_position(board, board.to_move, rules, 0.5)
    assert not position.is_over
    assert Search(position).run(sims=50).sims > 0


def test_a_search_knows_that_a_board_may_not_come_again():
    """White took a stone; after both have passed, simple ko lets black take it back."""
    found = {}
    for ko in KO[:2]:
        board, rules = GoBoard(1, 4), Ruleset(ko)
        for colour, point in ((0, 1), (1, 2), (0, PASS), (1, 0), (0, PASS), (1, PASS)):
            board.play(colour, point, rules)
        position = search_position(board, board.to_move, rules, 0.5)
        report = Search(position).run(sims=500)
        found[ko] = {line.move for line in report.moves}
    assert "b1" in found["SIMPLE"]
    assert "b1" not in found["POSITIONAL"]


@pytest.mark.parametrize("player", ["simple:sims=50,bounds=cuts", "alphabeta:depth=2"])
def test_a_player_that_needs_keys_that_forget_nothing_searches_with_simple_ko(player):
    talk = Talk("go:board_size=3", player=player, rules="cgos")
    assert talk.session.game.parameters["superko"] == "simple"
    assert talk("genmove b")
    talk("trellis-param player simple:sims=50")
    assert talk.session.game.parameters["superko"] == "positional"
    talk("kata-set-rules aga")
    assert talk.session.game.parameters["superko"] == "situational"
    talk(f"trellis-param player {player}")
    assert talk.session.game.parameters["superko"] == "simple"
    assert talk("genmove w")
    talk.fails("trellis-param player star2tt:depth=0")


def test_a_kept_search_goes_on_after_both_have_moved():
    talk = Talk("go:board_size=5", player="simple:sims=400,reuse=true", rules="cgos")
    talk("genmove b")
    search = talk.session.thinker.player.thinking
    search.restart_at = lambda position: pytest.fail("nothing was kept")
    talk("play w pass" if talk.session.board.stones()[6] != 2 else "play w b2")
    talk("genmove b")
    assert talk.session.thinker.player.thinking is search
    assert len(search.position.moves()) > 1
