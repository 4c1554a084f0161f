"""Queries as KaTrain sends them, and its reading of the answers: what it takes must be there.

`GameNode` does with answers what KaTrain's class of that name does, as far as that can fail: it
looks up the same names in the same places.  KaTrain itself is not needed.
"""

import copy
import json

import pytest

from protocols.katago.asking import Asking

PASSED_OVER = 999


def katrain_query(number, moves=(), *, size=(9, 9), rules="japanese", **changes):
    """Return what `request_analysis` sends for a position, field by field in its order."""
    sent = {
        "rules": rules,
        "priority": 1000,
        "analyzeTurns": [len(moves)],
        "maxVisits": 60,
        "komi": 6.5,
        "boardXSize": size[0],
        "boardYSize": size[1],
        "includeOwnership": True,
        "includeMovesOwnership": True,
        "includePolicy": True,
        "initialStones": [],
        "initialPlayer": "B",
        "moves": [[player, move] for player, move in moves],
        "overrideSettings": {
            "reportAnalysisWinratesAs": "BLACK",
            "wideRootNoise": 0.04,
            "maxTime": 8.0,
        },
        "reportDuringSearchEvery": 1,
    }
    return sent | changes | {"id": f"QUERY:{number}"}


class GameNode:
    """A position in KaTrain's tree, and what it knows of it."""

    def __init__(self, next_player="B", move=None, parent=None):
        self.next_player, self.move, self.parent = next_player, move, parent
        self.analysis = {
            "moves": {}, "root": None, "ownership": None, "policy": None, "completed": False,
        }  # fmt: skip

    def update_move_analysis(self, found, move):
        known = self.analysis["moves"].get(move)
        if known is None:
            self.analysis["moves"][move] = {"move": move, "order": PASSED_OVER, **found}
            return
        known["order"] = min(known["order"], found.get("order", PASSED_OVER))
        if known["visits"] < found["visits"]:
            known.update(found)
        else:
            known.update({key: value for key, value in found.items() if key not in known})

    def set_analysis(self, found, *, refine=None, additional=False, partial=False):
        if refine:
            tail = found["moveInfos"][0]["pv"] if found["moveInfos"] else []
            self.update_move_analysis({"pv": [refine, *tail], **found["rootInfo"]}, refine)
            return
        if additional:
            for info in found["moveInfos"]:
                del info["order"]
        else:
            for info in self.analysis["moves"].values():
                info["order"] = PASSED_OVER
        for info in found["moveInfos"]:
            self.update_move_analysis(info, info["move"])
        self.analysis["ownership"] = found.get("ownership")
        self.analysis["policy"] = found.get("policy")
        if not additional:
            self.analysis["root"] = found["rootInfo"]
            if self.parent and self.move:
                tail = found["moveInfos"][0]["pv"] if found["moveInfos"] else []
                found["rootInfo"]["pv"] = [self.move, *tail]
                self.parent.update_move_analysis(found["rootInfo"], self.move)
        self.analysis["completed"] |= not additional and not partial

    @property
    def candidate_moves(self):
        if not self.analysis["moves"]:
            assert not self.analysis["policy"]
            return [{**self.analysis["root"], "order": 0, "move": "pass", "pv": ["pass"]}]
        sign = {"B": 1, "W": -1}[self.next_player]
        root = self.analysis["root"]
        infos = list(self.analysis["moves"].values())
        top = [info for info in infos if info["order"] == 0]
        lead = top[0]["scoreLead"] if top else root["scoreLead"]
        found = [
            {
                "pointsLost": sign * (root["scoreLead"] - info["scoreLead"]),
                "relativePointsLost": sign * (lead - info["scoreLead"]),
                "winrateLost": sign * (root["winrate"] - info["winrate"]),
                **info,
            }
            for info in infos
        ]
        return sorted(found, key=lambda info: (info["order"], info["pointsLost"]))

    def shown(self):
        """Look up what is written on the board and beside it."""
        root = self.analysis["root"]
        texts = [f"{root['scoreLead']:.1f} {max(root['winrate'], 1 - root['winrate']):.1%}"]
        texts += [
            f"{info['move']} {info['visits']} {info['winrate']:.1%} {info['scoreLead']:.1f} "
            f"{info['pointsLost']:.2f} {' '.join(info['pv'])}"
            for info in self.candidate_moves
        ]
        with_prior = [info for info in self.candidate_moves if "prior" in info]
        assert sum(info["prior"] for info in with_prior) <= 1.001
        return texts

    def saved(self):
        """Return what goes into a file: no number may be none."""
        kept = copy.deepcopy(self.analysis)
        assert all(isinstance(each, float) for each in kept["ownership"])
        return json.dumps(kept, allow_nan=False)


@pytest.fixture(scope="module")
def asking():
    return Asking()


def answers(asking, *sent):
    """Send what KaTrain sends; return last answers, no error among all, warnings passed over."""
    first = asking.send(*sent) + asking.work()
    for each in first:
        assert "id" in each  # it calls all else an error
        assert "error" not in each
        if "warning" in each:
            assert each["field"] in ("rules", "includePolicy", "overrideSettings")
    found = [each for each in first if "warning" not in each]
    return [each for each in found if not each.get("isDuringSearch", False)]


@pytest.mark.parametrize("size", [(9, 9), (19, 19), (7, 5)])
def test_a_game_is_analysed_move_by_move(asking, size):
    moves = [("B", "C3"), ("W", "D3"), ("B", "D4"), ("W", "pass")]
    nodes = [GameNode()]
    for player, move in moves:
        nodes.append(GameNode("W" if player == "B" else "B", move, nodes[-1]))
    sent = [katrain_query(n, moves[:n], size=size) for n in range(len(nodes))]
    for node, found in zip(nodes, answers(asking, *sent), strict=True):
        node.set_analysis(found)
        assert node.shown()
        assert len(node.analysis["ownership"]) == size[0] * size[1]
        assert all(len(info["ownership"]) == size[0] * size[1] for info in found["moveInfos"])
        assert node.saved()
    for node in nodes:
        assert node.analysis["completed"]
        assert node.candidate_moves[0]["order"] == 0


def test_values_are_blacks_in_every_position(asking):
    """A bonus of 60 points to one side is a win for it, whoever is to move."""
    for komi, winner in ((-60, 1.0), (60, 0.0)):
        for moves in ([], [("B", "C3")]):
            [found] = answers(asking, katrain_query(1, moves, size=(5, 5), komi=komi))
            assert found["rootInfo"]["winrate"] == winner
            assert (found["rootInfo"]["scoreLead"] > 0) == (komi < 0)


def test_one_move_is_looked_at_alone(asking):
    """`sweep` and `equalize` ask for the position after a move, and file it under that move."""
    node = GameNode()
    [found] = answers(asking, katrain_query(1))
    node.set_analysis(found)
    refined = katrain_query(2, [("B", "A1")], includeOwnership=False, includeMovesOwnership=False)
    [found] = answers(asking, refined)
    assert "ownership" not in found
    node.set_analysis(found, refine="A1")
    assert node.shown()
    assert node.analysis["moves"]["A1"]["pv"][0] == "A1"


def test_a_sweep_passes_over_illegal_moves(asking):
    [error] = asking.send(katrain_query(1, [("B", "A1"), ("W", "A1")]))[-1:]
    assert "Illegal move" in error["error"]


def test_alternatives_and_regions(asking):
    node = GameNode()
    [found] = answers(asking, katrain_query(1, maxVisits=20))
    node.set_analysis(found)
    known = list(node.analysis["moves"])
    avoid = [{"moves": known, "player": "B", "untilDepth": 1}]
    [found] = answers(asking, katrain_query(2, maxVisits=200, avoidMoves=avoid))
    assert found["moveInfos"]
    assert not {info["move"] for info in found["moveInfos"]} & {*known}
    node.set_analysis(found, additional=True)
    assert node.shown()
    outside = [f"{column}{row}" for column in "DEFGHJ" for row in range(1, 10)]
    avoid = [{"moves": outside, "player": player, "untilDepth": 1} for player in "BW"]
    [found] = answers(asking, katrain_query(3, maxVisits=200, avoidMoves=avoid))
    assert all(info["move"][0] in "ABCp" for info in found["moveInfos"])
    assert len(found["moveInfos"]) == 28


def test_handicap_stones_and_who_is_first(asking):
    stones = [["B", "C3"], ["B", "G7"]]
    sent = katrain_query(1, initialStones=stones, initialPlayer="W", rules="chinese")
    [found] = answers(asking, sent)
    assert found["rootInfo"]["currentPlayer"] == "W"


@pytest.mark.parametrize(
    "rules",
    ["japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "stone_scoring",
     {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI", "suicide": False}],
)  # fmt: skip
def test_all_rules_that_it_offers_are_taken(asking, rules):
    [found] = answers(asking, katrain_query(1, size=(5, 5), maxVisits=5, rules=rules))
    assert found["rootInfo"]["visits"] == 5


def test_the_end_of_pondering_is_no_surprise(asking):
    """An answer to `terminate` is passed over by its `terminateId`, one without results too."""
    ended = asking.send(
        katrain_query(1, maxVisits=10_000_000),
        {"action": "terminate", "terminateId": "QUERY:1", "id": "QUERY:2"},
    )
    told, nothing = [each for each in ended if "warning" not in each]
    assert told["terminateId"] == "QUERY:1"
    assert nothing["noResults"]
    assert nothing["id"] == "QUERY:1"
