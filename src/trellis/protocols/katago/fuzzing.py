"""Queries that no program would send, or nearly so, and what is wrong with an answer."""

import json
import random
from collections.abc import Iterator
from typing import Any

from trellis.protocols.katago.fields import read_json
from trellis.protocols.katago.service import Service

_ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 5, 19, 20, 1 << 62, 1 << 80, 0.5, -7.5, 1e19, "", "b", "W",
    "pass", "C3", "Z99", "(0,1)", "(9,9)", "chinese", "japanese", "{", '{"ko":1}', "é", "\ud800",
    "\x00", [], {}, [[]], ["B"], [["B", "C3"]], [["B", "C3"], ["B", "C3"]], [[1, 2]], [0], [1, 0],
    ["C3", "pass"], {"a": 1}, {"maxTime": 0.01}, {"maxTime": -1}, {"maxVisits": "x"},
    {"ko": "SPIGHT", "scoring": "TERRITORY"}, {"ko": ["SIMPLE"]}, [{"player": "B"}],
    [{"player": "B", "moves": ["C3", "pass"], "untilDepth": 1}],
    [{"player": "W", "moves": [3], "untilDepth": 0}],
)  # fmt: skip
_NAMES = (
    "id", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus",
    "boardXSize", "boardYSize", "analyzeTurns", "maxVisits", "analysisPVLen", "includeOwnership",
    "includeMovesOwnership", "includePolicy", "includePVVisits", "avoidMoves", "allowMoves",
    "overrideSettings", "reportDuringSearchEvery", "firstReportDuringSearchAfter", "priority",
    "priorities", "rootPolicyTemperature", "action", "terminateId", "turnNumbers", "noSuchField",
)  # fmt: skip
_ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all", "what")
_DEEP = 100_000  # brackets


def fuzzed_queries(count: int, seed: int) -> Iterator[str]:
    """Make lines: queries with odd fields, some of them mangled so that they are no JSON."""
    draw = random.Random(seed)
    for number in range(count):
        query = _query(draw, f"q{number}")
        for _ in range(draw.choice((0, 0, 1, 1, 2, 4))):
            query[draw.choice(_NAMES)] = draw.choice(_ODD)
        for name in draw.sample(sorted(query), draw.choice((0, 0, 0, 1))):
            del query[name]
        line = json.dumps(query)
        kind = draw.random()
        if kind < 0.2:
            line = _mangled(draw, line)
        elif kind < 0.23:
            line = json.dumps(draw.choice(_ODD))
        elif kind < 0.24:
            line = draw.choice("[{") * draw.randrange(1, _DEEP)
        elif kind < 0.25:
            line = line.replace("5", draw.choice(("NaN", "1e999", "Infinity", "5" * 5000)), 1)
        yield line


def _query(draw: random.Random, name: str) -> dict[str, Any]:
    if draw.random() < 0.15:
        action = draw.choice(_ACTIONS)
        return {"id": name, "action": action, "terminateId": f"q{draw.randrange(300)}"}
    columns, rows = draw.choice(((2, 2), (5, 5), (5, 3), (9, 9)))
    moves = [
        [draw.choice("BW"), f"{'ABCDEFGHJ'[draw.randrange(columns)]}{draw.randrange(rows) + 1}"]
        for _ in range(draw.choice((0, 1, 2, 4)))
    ]
    return {
        "id": name, "moves": moves, "rules": draw.choice(("chinese", "japanese", "aga", "nz")),
        "komi": draw.choice((6.5, 7, -3)), "boardXSize": columns, "boardYSize": rows,
        "analyzeTurns": sorted({draw.randrange(len(moves) + 1) for _ in range(2)}),
        "maxVisits": draw.choice((1, 2, 20)), "overrideSettings": {"maxTime": 0.05},
    }  # fmt: skip


def _mangled(draw: random.Random, line: str) -> str:
    characters = list(line)
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(characters) + 1)
        if draw.random() < 0.5:
            characters.insert(place, draw.choice('{}[]",:\\0-eE\x00\x07é\u2028\ud800'))
        else:
            del characters[place : place + draw.randrange(1, 8)]
    return "".join(characters).replace("\n", "")


def complaint(answer: str) -> str:
    """Say what is wrong with one line of an answer; nothing where it is well-formed."""
    try:
        found = read_json(answer)
    except ValueError:
        return "is no JSON"
    if not isinstance(found, dict):
        return "is no object"
    if "error" in found:
        internal = "internal error" in found["error"]
        return "is an error of ours" if internal else ""
    if not isinstance(found.get("id"), str):
        return "has no id"
    if "warning" in found or "action" in found or "noResults" in found:
        return ""
    if {"moveInfos", "rootInfo", "turnNumber", "isDuringSearch"} - found.keys():
        return "lacks what every answer has"
    if not {"scoreLead", "winrate", "visits", "currentPlayer"} <= found["rootInfo"].keys():
        return "lacks what is to be known of its root"
    orders = [info["order"] for info in found["moveInfos"]]
    return "" if orders == [*range(len(orders))] else "has its moves in no order"


class Counting:
    """Sees that every turn of every query that was taken has one last answer."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.taken = 0  # queries
        self.asked: dict[tuple[str, int], int] = {}
        add = service.desk.add

        def count(query: Any, size: int) -> None:
            add(query, size)
            self.taken += 1
            for turn in query.turns:
                self.asked[query.id, turn] = self.asked.get((query.id, turn), 0) + 1

        service.desk.add = count  # type: ignore[method-assign]

    def heard(self, answer: dict[str, Any]) -> None:
        """Take an answer off what is still to come."""
        if "turnNumber" in answer and not answer.get("isDuringSearch", False):
            self.asked[answer["id"], answer["turnNumber"]] -= 1

    @property
    def owed(self) -> int:
        """Return how many answers are missing, or too many."""
        return sum(map(abs, self.asked.values()))
