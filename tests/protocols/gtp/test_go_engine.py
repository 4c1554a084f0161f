"""What an engine answers in games of Go."""

import pytest

from games.go.plain_go import PlainGo
from protocols.gtp.talking import Talk
from trellis.game.errors import BadParameter
from trellis.protocols.gtp.parsing import read_point
from trellis.protocols.gtp.rulesets import named_rules

STANDARD = """protocol_version name version known_command list_commands quit boardsize
rectangular_boardsize clear_board komi play genmove reg_genmove undo gg-undo fixed_handicap
place_free_handicap set_free_handicap time_settings time_left kgs-time_settings kata-time_settings
kgs-genmove_cleanup kgs-rules final_score final_status_list showboard cputime gogui-interrupt
gogui-play_sequence gogui-setup kata-set-rules kata-get-rules"""


@pytest.fixture
def talk():
    return Talk()


def test_front_ends_find_the_commands_they_look_for(talk):
    listed = talk("list_commands").split("\n")
    assert listed[0] == "protocol_version"
    assert set(STANDARD.split()) <= set(listed)
    assert len(set(listed)) == len(listed)
    assert talk("known_command genmove") == "true"
    assert talk("known_command brew_coffee") == "false"
    assert talk("protocol_version") == "2"
    assert talk("name") == "Trellis"


def test_replies_to_the_letter(talk):
    assert talk.raw("7 play b c3\r\n") == "=7\n\n"
    assert talk.raw("# a comment\n\n   \n") == ""
    assert talk.raw("nonsense") == "? unknown command\n\n"
    assert talk.raw("12 nonsense") == "?12 unknown command\n\n"
    assert talk.raw("13") == "?13 unknown command\n\n"
    assert talk.raw("14 play b c3") == "?14 illegal move: C3 is not empty\n\n"
    assert talk.raw("15 quit\nname") == "=15\n\n"
    assert talk.engine.quitting


def test_sizes(talk):
    talk("play b c3")
    assert "unacceptable size" in talk.fails("boardsize 20")
    assert "unacceptable size" in talk.fails("boardsize 0")
    assert talk("list_stones b") == "C3"
    talk("boardsize 7")
    assert talk("list_stones b") == ""
    talk("rectangular_boardsize 4 3")
    assert talk("query_boardsize") == "4 3"
    talk("play w D3")
    assert "invalid coordinate" in talk.fails("play w A4")
    assert talk.fails("boardsize big")
    assert talk.fails("boardsize")


def test_anybody_may_move_at_any_time_and_take_back(talk):
    talk.all("play b c3", "play b d3", "play w pass", "play white PASS", "play w e1")
    assert talk("list_stones b") == "C3 D3"
    talk("undo")
    assert talk("list_stones w") == ""
    talk("gg-undo 3")
    assert talk("list_stones b") == "C3"
    assert talk.fails("gg-undo 2") == "cannot undo"
    assert talk("list_stones b") == "C3"
    talk("undo")
    assert talk.fails("undo") == "cannot undo"
    talk("play b resign")  # says something of the game, not of the board


def test_a_sequence_is_played_whole_or_not_at_all(talk):
    talk("gogui-play_sequence b c3 w d3 b pass")
    assert "illegal move" in talk.fails("gogui-play_sequence w a1 b resign b a2 w c3")
    assert talk("move_history").split("\n") == ["black pass", "white D3", "black C3"]


@pytest.mark.parametrize("player", ["random", "auto:sims=30,memory=4"])
@pytest.mark.parametrize("rules", ["tromp-taylor", "cgos", "aga", "chinese"])
def test_genmove_is_strict(rules, player):
    """On a tiny board boards come again all the time; rules written with sets know of all."""
    known = named_rules(rules)
    talk = Talk("go:rows=2,columns=3,board_size=3", player, rules)
    forbidden = 0
    for _ in range(12):
        talk("clear_board")
        plain = PlainGo(2, 3, known.ko.lower(), known.suicide)
        for _ in range(40):
            legal = plain.moves()
            forbidden += len([each for each in range(6) if divmod(each, 3) not in legal])
            move = talk(f"genmove {'bw'[plain.side]}")
            point = None if move == "pass" else read_point(move, 2, 3)
            assert point in legal
            plain.play(point)
    assert forbidden


def test_reg_genmove_changes_nothing(talk):
    before = talk("showboard")
    assert talk("reg_genmove w")
    assert talk("showboard") == before


def test_searches_choose_moves_that_win():
    """White's chain of three has one liberty left, and everything hangs on it."""
    talk = Talk("go:board_size=5,komi=0.5", "auto:sims=3000,reuse=true")
    talk("gogui-setup b a1 b a2 b a3 b a4 b c1 b c2 b c3 w b1 w b2 w b3 w d1 w d2 w d3 b b5")
    assert talk("reg_genmove b") == "B4"
    assert talk("genmove b") == "B4"
    assert "B3" not in talk("list_stones w").split()
    assert float(talk("cputime")) > 0


def test_handicap(talk):
    talk("boardsize 9")
    assert talk("fixed_handicap 2") == "C3 G7"
    assert talk("reg_genmove w")
    assert talk.session.to_move == 1
    assert talk.fails("fixed_handicap 2") == "board not empty"
    talk("clear_board")
    assert talk("fixed_handicap 9") == "C3 G7 G3 C7 C5 G5 E3 E7 E5"
    talk("boardsize 19")
    assert talk("fixed_handicap 5") == "D4 Q16 Q4 D16 K10"
    for size, wrong in ((19, 10), (19, 1), (8, 5), (6, 2), (7, 5)):
        talk(f"boardsize {size}")
        assert "invalid number of stones" in talk.fails(f"fixed_handicap {wrong}")
    for size, stones in ((19, 12), (5, 4), (2, 2), (13, 25)):
        talk(f"boardsize {size}")
        placed = talk(f"place_free_handicap {stones}").split()
        assert len(set(placed)) == stones
        assert sorted(talk("list_stones b").split()) == sorted(placed)
    talk("boardsize 5")
    assert "bad vertex list" in talk.fails("set_free_handicap c3")
    assert "bad vertex list" in talk.fails("set_free_handicap c3 c3")
    assert "invalid coordinate" in talk.fails("set_free_handicap c3 pass")
    talk("set_free_handicap c3 d4")
    assert talk("list_stones b") == "C3 D4"


def test_scores_and_what_is_paid_for_handicap():
    talk = Talk(rules="chinese")
    talk.all("komi 0.5", "set_free_handicap c3 d4")
    assert talk("final_score") == "B+22.5"
    talk("kata-set-rules aga")
    assert talk("final_score") == "B+23.5"
    talk("kgs-rules new_zealand")
    assert talk("final_score") == "B+24.5"
    assert "unsupported" in talk.fails("kgs-rules japanese")
    talk.all("clear_board", "komi 0", "kata-set-rule suicide true")
    assert talk("final_score") == "0"
    assert '"suicide":true' in talk("kata-get-rules")
    talk("komi -3.5")
    assert talk("final_score") == "B+3.5"
    for wrong in ("komi", "komi nan", "komi 1000", "komi x"):
        talk.fails(wrong)


# Black owns the left, white the right; a white stone at a1 cannot live.
SETTLED = "gogui-setup " + " ".join(
    [*(f"b b{row} b c{row} w d{row}" for row in range(1, 6)), "w a1"]
)


def test_what_is_dead_where_players_agree_on_it():
    talk = Talk(rules="chinese")
    talk.all("komi 0", SETTLED)
    assert talk("final_status_list dead") == "A1"
    assert len(talk("final_status_list alive").split("\n")) == 2
    assert talk("final_status_list seki") == ""
    assert talk("final_score") == "B+5"  # 15 points and 10
    assert talk("final_status_list white_territory") == "E1 E2 E3 E4 E5"
    assert talk("final_status_list dame") == ""
    talk.fails("final_status_list sleeping")


def test_nothing_is_dead_where_all_stones_count():
    talk = Talk(rules="tromp-taylor")
    talk.all("komi 0", SETTLED)
    assert talk("final_status_list dead") == ""
    assert talk("final_score") == "W+1"  # no empty point is only black's: 10 and 11
    assert "A1" in talk("final_status_list alive")


def test_cleanup_takes_dead_stones_before_it_passes():
    talk = Talk(player="auto:sims=400", rules="chinese")
    talk.all("komi 0", SETTLED)
    for _ in range(30):
        dead = {"A1"} & set(talk("list_stones w").split())
        move = talk("kgs-genmove_cleanup b")
        assert move != "pass" or not dead
        if not dead:
            break
        talk("play w pass")
    assert "A1" not in talk("list_stones w").split()


def test_a_pass_that_wins_ends_the_game():
    talk = Talk(rules="chinese")
    talk.all("komi -2", SETTLED, "play w pass")
    assert talk("genmove b") == "pass"
    talk.all("komi 0", SETTLED, "play w pass")  # as the stones are, white would win
    assert not talk.session._pass_wins(0)
    talk.all("komi 5.5", SETTLED, "play w pass")
    assert not talk.session._pass_wins(0)


def test_set_up_stones_and_who_is_next(talk):
    talk.all("gogui-setup b a1 w c3", "gogui-setup_player w")
    assert talk.session.to_move == 1
    assert "no liberty" in talk.fails("gogui-setup b a1 w a2 w b1")
    assert talk("list_stones b") == "A1"
    talk.fails("gogui-setup b a1 w")


def test_clocks_bound_the_time_of_a_move():
    talk = Talk(player="auto:time=600,reuse=true")
    talk.all("time_settings 1 0 0", "genmove b", "kata-time_settings fischer 1 0.01", "genmove w",
             "kgs-time_settings byoyomi 0 1 3", "time_left b 1 3", "genmove b",
             "time_left b -5 1", "genmove b")  # fmt: skip
    assert talk.session.thinker.busy < 300
    for wrong in (
        "time_left",
        "time_left b x 1",
        "time_settings 1",
        "kgs-time_settings fischer 1 1",
    ):
        talk.fails(wrong)


@pytest.mark.parametrize("player", ["flat:time=600", "alphabeta:time=600", "flat:sims=50"])
def test_clocks_bind_players_of_all_kinds(player):
    talk = Talk("go:board_size=3", player=player)
    talk.all("time_settings 1 0 0", "genmove b")
    assert talk.session.thinker.busy < 300
    assert talk.session.thinker.player.seconds < 1


def test_resigns_after_several_hopeless_moves():
    talk = Talk("go:board_size=5", "auto:sims=200", resign=0.9, resign_moves=3)
    talk("komi 30")
    answers = []
    for _ in range(3):
        answers.append(talk("genmove b"))
        talk("play w pass")
    assert answers[2] == "resign"
    assert "resign" not in answers[:2]
    assert len(talk("list_stones b").split()) + talk("move_history").count("black pass") == 2


def test_an_error_of_ours_is_a_reply(talk, monkeypatch, capsys):
    monkeypatch.setattr(talk.session, "showboard", lambda: 1 / 0)
    assert talk.raw("5 showboard").startswith("?5 internal error: division by zero")
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert told.count("\n") == 1
    assert talk("name") == "Trellis"


def test_another_program_cannot_sit_behind_the_protocol():
    with pytest.raises(BadParameter, match="another program"):
        Talk(player="gtp:command=gnugo")
    talk = Talk()
    assert "another program" in talk.fails("trellis-param player gtp:command=python3")
