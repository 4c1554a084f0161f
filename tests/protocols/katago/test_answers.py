"""Answers: whose values, which moves, visits and points, and the names of positions."""

import pytest

from protocols.katago.asking import Asking

# Black has the left side of a 3x5 board, white the right; each has two eyes and lives.
STONES = [
    *[["B", f"B{row}"] for row in range(1, 6)],
    *[["W", f"D{row}"] for row in range(1, 6)],
    ["B", "A3"],
    ["W", "E3"],
]
SETTLED = {"initialStones": STONES, "initialPlayer": "B", "komi": 0.5}


@pytest.fixture(scope="module")
def asking():
    return Asking()


def test_an_answer_has_what_the_protocol_says(asking):
    found = asking.ask(moves=[["B", "C3"]], maxVisits=200)
    assert (found["id"], found["turnNumber"], found["isDuringSearch"]) == ("q", 1, False)
    root, infos = found["rootInfo"], found["moveInfos"]
    assert root["currentPlayer"] == "W"
    assert root["visits"] == 200
    assert sum(info["edgeVisits"] for info in infos) <= 200
    assert all(info["visits"] >= info["edgeVisits"] for info in infos)
    assert [info["order"] for info in infos] == [*range(len(infos))]
    assert infos[0]["edgeVisits"] == max(info["edgeVisits"] for info in infos)
    assert all(info["pv"][0] == info["move"] for info in infos)
    assert {info["prior"] for info in infos} == {round(1 / 25, 6)}  # 24 points and a pass
    for info in [root, *infos]:
        assert 0 <= info["winrate"] <= 1
        assert info["utility"] == pytest.approx(2 * info["winrate"] - 1)
    low, high = (
        pick(info["winrate"] for info in infos if info["edgeVisits"]) for pick in (min, max)
    )
    assert low <= root["winrate"] <= high


@pytest.mark.parametrize("view", ["BLACK", "WHITE", "SIDETOMOVE"])
@pytest.mark.parametrize("colour", "BW")
def test_values_are_told_of_whom_the_query_says(asking, view, colour):
    """Black lives on two columns and may have the middle: white gets no more than that."""
    found = asking.ask(
        **(SETTLED | {"initialPlayer": colour, "komi": -40}),
        includeOwnership=True,
        includeMovesOwnership=True,
        overrideSettings={"reportAnalysisWinratesAs": view},
    )
    of_black = view == "BLACK" or (view == "SIDETOMOVE" and colour == "B")
    sign = 1 if of_black else -1
    for info in [found["rootInfo"], *found["moveInfos"]]:
        assert info["winrate"] == (1.0 if of_black else 0.0)
        assert info["utility"] == sign
        assert 35 <= sign * info["scoreLead"] <= 45
    for shares in [found["ownership"], found["moveInfos"][0]["ownership"]]:
        assert len(shares) == 25
        assert [shares[5 * row] for row in range(5)] == [sign] * 5
        assert [shares[5 * row + 4] for row in range(5)] == [-sign] * 5


def test_lower_bounds_are_below_for_who_moves_and_above_for_the_other(asking):
    for view, sign in (("SIDETOMOVE", 1), ("WHITE", -1)):
        found = asking.ask(overrideSettings={"reportAnalysisWinratesAs": view})
        assert all(sign * (info["winrate"] - info["lcb"]) >= 0 for info in found["moveInfos"])
        assert any(info["winrate"] != info["lcb"] for info in found["moveInfos"])


def test_the_service_has_a_view_of_its_own():
    views = {view: Asking(view=view).ask(komi=100)["rootInfo"]["winrate"] for view in (0, 1, None)}
    assert views == {0: 0.0, 1: 1.0, None: 0.0}


def test_points_follow_komi(asking):
    leads = [asking.ask(**(SETTLED | {"komi": komi}))["rootInfo"]["scoreLead"] for komi in (0, 8)]
    assert leads[0] - leads[1] == pytest.approx(8, abs=2)


def test_ownership_begins_at_the_top_left(asking):
    stones = [["B", f"{column}{row}"] for column in "AC" for row in (3, 4)] + [["B", "B3"]]
    found = asking.ask(
        boardXSize=9, boardYSize=4, initialStones=stones, includeOwnership=True, maxVisits=300
    )
    shares = found["ownership"]
    assert len(shares) == 36
    assert min(shares[:3]) > max(shares[6:9])  # A4 to C4 against the right end of that row
    assert min(shares[:3]) > max(shares[27:])  # and the bottom row


def test_moves_that_are_avoided_are_not_told(asking):
    avoided = {"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}
    told = {info["move"] for info in asking.ask(avoidMoves=[avoided], maxVisits=200)["moveInfos"]}
    assert len(told) == 24
    assert not told & {"C3", "pass"}
    others = {"player": "W", "moves": ["C3"], "untilDepth": 1}
    assert len(asking.ask(avoidMoves=[others], maxVisits=200)["moveInfos"]) == 26
    found = asking.ask(allowMoves=[avoided], maxVisits=200)
    assert {info["move"] for info in found["moveInfos"]} == {"C3", "pass"}
    assert found["rootInfo"]["visits"] == 200


def test_where_nothing_may_be_told_of_there_is_a_root(asking):
    everywhere = [f"{column}{row}" for column in "ABCDE" for row in range(1, 6)] + ["pass"]
    avoided = {"player": "B", "moves": everywhere, "untilDepth": 1}
    found = asking.ask(avoidMoves=[avoided], includeOwnership=True)
    assert found["moveInfos"] == []
    assert len(found["ownership"]) == 25
    assert found["rootInfo"].keys() >= {"winrate", "scoreLead", "visits", "utility"}


def test_visits_of_a_line_of_play(asking):
    found = asking.ask(boardXSize=3, boardYSize=3, includePVVisits=True, maxVisits=3000)
    longest = max(found["moveInfos"], key=lambda info: len(info["pv"]))
    assert len(longest["pv"]) > 2
    for info in found["moveInfos"]:
        assert len(info["pv"]) == len(info["pvVisits"]) == len(info["pvEdgeVisits"])
        assert info["pvVisits"][0] == info["visits"]
        assert info["pvEdgeVisits"][0] == info["edgeVisits"]
        assert all(a >= b for a, b in zip(info["pvVisits"], info["pvEdgeVisits"], strict=True))
    short = asking.ask(boardXSize=3, boardYSize=3, analysisPVLen=1, maxVisits=3000)
    assert max(len(info["pv"]) for info in short["moveInfos"]) == 2


def test_a_move_that_superko_forbids_is_not_told(asking):
    """White has just taken a ko; black may not take it back at once."""
    stones = [
        ["B", "B1"], ["B", "A2"], ["B", "B3"], ["W", "C1"], ["W", "D2"], ["W", "C3"], ["B", "C2"],
    ]  # fmt: skip
    found = asking.ask(
        initialStones=stones, moves=[["W", "B2"]], maxVisits=300, rules="tromp-taylor"
    )
    assert found["rootInfo"]["currentPlayer"] == "B"
    moves = {info["move"] for info in found["moveInfos"]}
    assert "C2" not in moves
    assert {"A1", "pass"} <= moves


def test_several_turns_are_answered_each(asking):
    moves = [["B", "C3"], ["W", "C4"], ["W", "D4"]]
    asking.send(
        {"id": "t", "moves": moves, "rules": "nz", "boardXSize": 5, "boardYSize": 5,
         "analyzeTurns": [0, 2, 3], "maxVisits": 10}
    )  # fmt: skip
    found = asking.work()
    assert [each["turnNumber"] for each in found] == [0, 2, 3]
    assert [each["rootInfo"]["currentPlayer"] for each in found] == ["B", "B", "B"]


def test_after_two_passes_the_game_is_analysed_all_the_same(asking):
    found = asking.ask(moves=[["B", "pass"], ["W", "pass"]])
    assert found["moveInfos"]


def test_names_of_positions(asking):
    def names(**fields):
        root = asking.ask(maxVisits=1, **fields)["rootInfo"]
        return root["thisHash"], root["symHash"]

    corner, other = names(moves=[["B", "A2"]]), names(moves=[["B", "D5"]])
    assert corner[0] != other[0]
    assert corner[1] == other[1]
    assert names(moves=[["B", "B2"]])[1] != corner[1]
    assert names(moves=[["B", "A2"], ["W", "pass"]])[1] != corner[1]
    assert names(initialStones=[["B", "A2"]], initialPlayer="W") == corner
    assert all(len(name) == 32 for name in corner)


def test_the_same_query_has_the_same_answer(asking):
    fields = {"moves": [["B", "C3"]], "includeOwnership": True, "maxVisits": 500}
    first = asking.ask(**fields)
    asking.ask(moves=[["B", "A1"]])
    assert asking.ask(**fields) == first
    assert Asking(seed=5).ask(**fields) != first
