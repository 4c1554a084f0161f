"""Queries: what is read, what is refused by field, what is warned of."""

import pytest

from protocols.katago.asking import Asking, query
from trellis.protocols.gtp.parsing import BLACK, LONGEST_LINE, WHITE
from trellis.protocols.gtp.rulesets import named_rules
from trellis.protocols.katago import desk as desk_file
from trellis.protocols.katago.fields import Fields, QueryError
from trellis.protocols.katago.query import LARGEST, MOST_MOVES, MOST_TURNS, read_query
from trellis.protocols.katago.rules import read_asked


@pytest.fixture
def asking():
    return Asking()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"boardXSize": None}, "boardXSize"),
        ({"boardXSize": 20}, "boardXSize"),
        ({"boardYSize": 1}, "boardYSize"),
        ({"boardYSize": 5.0}, "boardYSize"),
        ({"boardYSize": True}, "boardYSize"),
        ({"moves": None}, "moves"),
        ({"moves": {}}, "moves"),
        ({"moves": [["B"]]}, "moves"),
        ({"moves": [["B", "C9"]]}, "moves"),
        ({"moves": [["R", "C3"]]}, "moves"),
        ({"moves": [["B", 3]]}, "moves"),
        ({"moves": [["B", "(5,0)"]]}, "moves"),
        ({"moves": [["B", "pass"]] * (MOST_MOVES + 1)}, "moves"),
        ({"initialStones": [["B", "pass"]]}, "initialStones"),
        ({"initialStones": [["B", "C3"], ["W", "C3"]]}, "initialStones"),
        ({"initialStones": [["B", "A1"], ["W", "A2"], ["W", "B1"]]}, "initialStones"),
        ({"initialPlayer": "x"}, "initialPlayer"),
        ({"rules": None}, "rules"),
        ({"rules": "nonsense"}, "rules"),
        ({"rules": 3}, "rules"),
        ({"rules": {"ko": "NONE"}}, "rules"),
        ({"rules": {"what": 1}}, "rules"),
        ({"rules": '{"ko"'}, "rules"),
        ({"komi": 7.25}, "komi"),
        ({"komi": 401}, "komi"),
        ({"komi": "7.5"}, "komi"),
        ({"whiteHandicapBonus": 7}, "whiteHandicapBonus"),
        ({"analyzeTurns": [1]}, "analyzeTurns"),
        ({"analyzeTurns": []}, "analyzeTurns"),
        ({"analyzeTurns": [-1]}, "analyzeTurns"),
        ({"analyzeTurns": 0}, "analyzeTurns"),
        ({"priorities": [1]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": [1, 2]}, "priorities"),
        ({"analyzeTurns": [0], "priorities": [1], "priority": 1}, "priority"),
        ({"priority": 1.5}, "priority"),
        ({"maxVisits": 0}, "maxVisits"),
        ({"maxVisits": 2**50 + 1}, "maxVisits"),
        ({"analysisPVLen": 0}, "analysisPVLen"),
        ({"includeOwnership": 1}, "includeOwnership"),
        ({"overrideSettings": []}, "overrideSettings"),
        ({"overrideSettings": {"maxTime": "x"}}, "overrideSettings"),
        ({"overrideSettings": {"reportAnalysisWinratesAs": "RED"}}, "overrideSettings"),
        ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery"),
        ({"allowMoves": [], "avoidMoves": []}, "allowMoves"),
        ({"avoidMoves": {}}, "avoidMoves"),
        ({"avoidMoves": [{"player": "B", "moves": ["C3"]}]}, "avoidMoves"),
        ({"avoidMoves": [{"player": "B", "moves": ["C9"], "untilDepth": 1}]}, "avoidMoves"),
        ({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}] * 2}, "allowMoves"),
    ],
)
def test_what_is_wrong_is_told_by_its_field(asking, fields, field):
    told, text = asking.refused(**fields)
    assert told == field
    assert 0 < len(text) < 200
    assert "\n" not in text


def test_an_illegal_move_is_named_with_its_number(asking):
    """KaTrain passes over errors that say `Illegal move` where it tries all moves."""
    field, text = asking.refused(moves=[["B", "C3"], ["W", "C3"]])
    assert field == "moves"
    assert text.startswith("Illegal move 1: ")
    assert "C3" in text
    # The board that was half played is of no harm to the next query.
    assert asking.ask(moves=[["B", "C3"], ["W", "C4"]])["turnNumber"] == 2


@pytest.mark.parametrize(
    "line", ["nonsense", "[1]", "3", "null", "{}", '{"id": 3}', '{"id": NaN}', '{"x":1e999}',
             "[" * 50_000, "9" * 5_000, '{"id":"' + "x" * 2_000 + '"}', "x" * LONGEST_LINE],
)  # fmt: skip
def test_what_is_no_query_is_answered(asking, line):
    [answer] = asking.send(line)
    assert answer.keys() == {"error"}
    assert len(answer["error"]) < 200


def test_blank_lines_say_nothing(asking):
    assert asking.send("", " \t\r\n") == []


def test_what_cannot_be_given_is_warned_of_and_the_rest_is(asking):
    warnings = asking.warned(
        includePolicy=True,
        includeOwnershipStdev=True,
        includeNoResultValue=False,
        typo=1,
        overrideSettings={"wideRootNoise": 0.04, "humanSLProfile": "rank_5k", "maxTime": 9},
        avoidMoves=[{"player": "B", "moves": ["A1"], "untilDepth": 5}],
    )
    assert warnings.keys() == {
        "includePolicy", "includeOwnershipStdev", "typo", "overrideSettings", "avoidMoves",
    }  # fmt: skip
    assert warnings["overrideSettings"] == "Unknown config params: wideRootNoise,humanSLProfile"


def test_many_unknown_fields_are_few_warnings(asking):
    assert len(asking.warned(**{f"x{n}": n for n in range(500)})) == 11


@pytest.mark.parametrize(
    ("given", "name", "komi", "missing"),
    [
        ("Tromp_Taylor", "tromp-taylor", 7.5, 0),
        ("new zealand", "new-zealand", 7.0, 0),
        ("chineseOGS", "chinese-ogs", 7.5, 0),
        ("cgos", "cgos", 7.5, 0),
        ("aga-button", "aga", 7.0, 1),
        ({}, "tromp-taylor", 7.5, 0),
        ({"hasButton": True, "ko": "SITUATIONAL", "suicide": True}, None, 7.0, 1),
        ({"scoring": "TERRITORY", "tax": "SEKI", "ko": "SIMPLE"}, None, 6.5, 1),
        ('{"ko":"SPIGHT","komi":3.5}', None, 3.5, 1),
    ],
)
def test_rules_by_name_and_by_field(given, name, komi, missing):
    asked = read_asked(given)
    assert (asked.komi, len(asked.missing)) == (komi, missing)
    if name:
        assert asked.rules == named_rules(name)


def test_japanese_rules_become_the_nearest_that_can_be_searched(asking):
    for name in ("japanese", "korean", "stone_scoring"):
        assert asking.warned(rules=name).keys() == {"rules"}
        assert read_asked(name).rules.ko == "SIMPLE"
        assert not read_asked(name).rules.suicide


def read(**fields):
    return read_query(query(**fields), BLACK)


def test_who_moves_first():
    assert read().first == BLACK
    assert read(moves=[["W", "A1"]]).first == WHITE
    assert read(initialPlayer="w").first == WHITE
    assert read(initialStones=[["B", "A1"], ["B", "B1"]]).first == WHITE
    assert read(initialStones=[["B", "A1"]]).first == BLACK


def test_handicap_counts_where_rules_pay_for_it():
    stones = {"initialStones": [["B", "A1"], ["B", "B1"]]}
    moves = {"moves": [["B", "A1"], ["B", "B1"], ["W", "pass"], ["B", "C1"], ["W", "D1"]]}
    assert [read(rules=each, **stones).full_komi(0) for each in ("chinese", "aga", "nz")] == [
        9.5, 8.5, 7.5,
    ]  # fmt: skip
    assert [read(rules="chinese", **moves).handicap(turn) for turn in range(6)] == [
        0, 0, 2, 2, 3, 3,
    ]  # fmt: skip
    assert read(rules="chinese", whiteHandicapBonus="0", **stones).full_komi(0) == 7.5
    assert read(moves=[["B", "A1"], ["W", "A2"]]).handicap(2) == 0
    set_up = [["B", "A1"], ["B", "B1"], ["W", "C1"], ["W", "D1"]]
    assert read(moves=set_up).handicap(4) == 0
    assert read(initialStones=[["B", "A1"], ["B", "B1"], ["W", "C1"]]).handicap(0) == 0


def test_points_may_be_counted_from_the_top():
    assert (
        read(boardYSize=4, moves=[["b", "(0,0)"]]).moves
        == read(boardYSize=4, moves=[["B", "a4"]]).moves
    )
    with pytest.raises(QueryError):
        Fields({"moves": [["B", "(0,4)"]]}).pairs("moves", 4, 5, most=9, passes=True)


def test_turns_and_their_priorities():
    moves = [["B", "A1"], ["W", "B1"]]
    found = read(moves=moves, analyzeTurns=[2, 0, 2], priorities=[5, 1, 7])
    assert (found.turns, found.priorities) == ((0, 2), (1, 7))
    assert read(moves=moves).turns == (2,)
    many = [["BW"[n % 2], "pass"] for n in range(MOST_TURNS)]
    with pytest.raises(QueryError):
        read(moves=many, analyzeTurns=[*range(MOST_TURNS + 1)])


def test_more_than_can_wait_is_refused(asking, monkeypatch):
    monkeypatch.setattr(desk_file, "MOST_WAITING", 3)
    found = asking.send(*[query(str(n)) for n in range(5)])
    assert [(each["id"], each["field"]) for each in found] == [("3", "id"), ("4", "id")]
    assert len(asking.work()) == 3
    assert asking.send(query("5")) == []
    monkeypatch.setattr(desk_file, "MOST_TEXT", 10)
    assert len(asking.send(query("6"))) == 1


def test_the_largest_board_is_searched(asking):
    answer = asking.ask(boardXSize=LARGEST, boardYSize=2, maxVisits=5)
    assert answer["rootInfo"]["visits"] == 5
