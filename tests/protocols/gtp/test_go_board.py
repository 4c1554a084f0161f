"""The referee of Go beside rules that were written with sets, and what an arbiter may send."""

import random

import pytest

from games.go.plain_go import PlainGo
from trellis.protocols.gtp.go_board import EMPTY, PASS, GoBoard
from trellis.protocols.gtp.parsing import CommandError
from trellis.protocols.gtp.rulesets import NAMED, Ruleset, name_of, named_rules, read_rules

SIZES = [(1, 2), (2, 2), (2, 3), (3, 3), (4, 3), (5, 5), (9, 9)]


# Not simple ko with suicide: the plain rules let one stone kill itself there.
KINDS = [
    ("SIMPLE", False),
    *((ko, each) for ko in ("POSITIONAL", "SITUATIONAL") for each in (0, 1)),
]


@pytest.mark.parametrize(("ko", "suicide"), KINDS)
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_legal_moves_beside_plain_rules(rows, columns, ko, suicide):
    draw = random.Random(rows * 100 + columns)
    rules = Ruleset(ko, suicide=suicide)
    for _ in range(12 if rows < 9 else 2):
        board = GoBoard(rows, columns)
        plain = PlainGo(rows, columns, ko.lower(), suicide)
        for _ in range(60 if rows < 9 else 200):
            expected = [y * columns + x for y, x in filter(None, plain.moves())]
            assert board.legal(plain.side, rules) == expected
            assert board.area() == plain.area()
            # Few passes, so that boards fill and come again.
            point = draw.choice(expected) if expected and draw.random() < 0.95 else PASS
            board.play(plain.side, point, rules)
            plain.play(None if point == PASS else divmod(point, columns))
            stones = [plain.stones.get(divmod(p, columns), EMPTY) for p in range(rows * columns)]
            assert board.stones() == stones


def test_taking_back_restores_everything():
    draw = random.Random(5)
    rules = named_rules("cgos")
    board = GoBoard(4, 4)
    told = []
    for _ in range(80):
        told.append(
            (board.stones(), board.legal(0, rules), board.legal(1, rules), [*board.captured])
        )
        colour = draw.randrange(2)
        board.play(colour, draw.choice([*board.legal(colour, rules), PASS]), rules)
    for before in reversed(told):
        board.undo()
        now = board.stones(), board.legal(0, rules), board.legal(1, rules), board.captured
        assert now == before
    with pytest.raises(CommandError, match="cannot undo"):
        board.undo()


def points(board, text):
    return [
        board.columns * (int(word[1:]) - 1) + "ABCDEFGHJ".index(word[0]) for word in text.split()
    ]


def make_ko(board, rules):
    """Black takes white's stone at c2; white may not take back at once at b2."""
    black, white = points(board, "B1 A2 B3 C2"), points(board, "C1 D2 C3 B2")
    for own, foe in zip(black[:3], white[:3], strict=True):
        board.play(0, own, rules)
        board.play(1, foe, rules)
    board.play(0, PASS, rules)
    board.play(1, white[3], rules)
    board.play(0, black[3], rules)
    return white[3]


@pytest.mark.parametrize("rules", [*NAMED.values()], ids=[*NAMED])
def test_an_arbiter_may_break_a_ko_and_a_player_may_not(rules):
    board = GoBoard(5, 5)
    ko = make_ko(board, rules)
    assert not board.is_legal(1, ko, rules)
    assert board.forbidden_by_ko(1, rules) == [ko]
    assert board.is_legal(0, ko, rules)  # black may connect
    board.play(1, ko, rules)
    assert board.stones()[ko] == 1


def test_suicide_of_several_stones_is_the_arbiters_business():
    board, rules = GoBoard(5, 5), named_rules("cgos")
    first, second = points(board, "A1 A2")
    board.play(0, first, rules)
    for name in ("A3", "B2", "B1"):
        board.play(1, points(board, name)[0], rules)
    assert not board.is_legal(0, second, rules)
    assert board.is_legal(0, second, named_rules("tromp-taylor"))
    board.play(0, second, rules)
    assert board.stones()[first] == board.stones()[second] == EMPTY
    assert board.captured == [2, 0]
    with pytest.raises(CommandError, match="illegal move"):
        board.play(0, points(board, "A3")[0], rules)


def test_one_stone_may_kill_itself_only_where_the_rules_allow_suicide():
    for name, allowed in (("new-zealand", True), ("aga", False)):
        board, rules = GoBoard(3, 3), named_rules(name)
        for each in ("A2", "B1"):
            board.play(1, points(board, each)[0], rules)
        if allowed:
            board.play(0, 0, rules)
            assert board.captured == [1, 0]
        else:
            with pytest.raises(CommandError, match="suicide"):
                board.play(0, 0, rules)


def test_stones_are_set_up_or_refused():
    board = GoBoard(3, 3)
    board.set_up([(0, 0), (1, 1), (1, 4)], 1)
    assert board.stones() == [0, 1, 2, 2, 1, 2, 2, 2, 2]
    assert board.to_move == 1
    for wrong in ([(0, 0), (1, 1), (1, 3)], [(0, 0), (1, 0)]):
        with pytest.raises(CommandError):
            board.set_up(wrong, 0)
    assert board.stones() == [0, 1, 2, 2, 1, 2, 2, 2, 2]


def test_rules_by_name_and_as_json():
    assert read_rules("Tromp-Taylor", Ruleset()) == NAMED["tromp-taylor"]
    assert read_rules("new_zealand", Ruleset()).ko == "SITUATIONAL"
    for rules in NAMED.values():
        assert read_rules(rules.as_json(), Ruleset()) == rules
        assert NAMED[name_of(rules)] == rules
    changed = read_rules('{"ko": "SIMPLE", "suicide": true}', NAMED["cgos"])
    assert (changed.ko, changed.suicide, changed.dead_stones) == ("SIMPLE", True, False)
    for wrong in ("japanese", "", "{", '{"scoring":"TERRITORY"}', '{"ko":5}', '{"x":1}',
                  '{"hasButton":true}', '{"suicide":"maybe"}'):  # fmt: skip
        with pytest.raises(CommandError):
            read_rules(wrong, Ruleset())


def test_white_is_paid_for_handicap_as_rules_say():
    bonus = {name: rules.handicap_bonus(3) for name, rules in NAMED.items()}
    assert bonus == {
        "tromp-taylor": 0, "chinese": 3, "chinese-ogs": 3, "chinese-kgs": 3, "aga": 2, "bga": 2,
        "new-zealand": 0, "cgos": 0,
    }  # fmt: skip
    assert NAMED["chinese"].handicap_bonus(0) == 0
