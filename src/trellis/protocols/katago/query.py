"""A query: which positions of which game to analyse, for how long, and what to tell of them.

Fields are those of KataGo's analysis engine.  What cannot be given is said in a warning that names
the field, as the protocol has it; the query is answered without it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from trellis.protocols.gtp.go_board import PASS
from trellis.protocols.gtp.parsing import BLACK, WHITE, CommandError
from trellis.protocols.gtp.rulesets import Ruleset
from trellis.protocols.katago.fields import Fields, Json, QueryError
from trellis.protocols.katago.rules import check_komi, read_asked

LARGEST, MOST_MOVES, MOST_TURNS = 19, 4_000, 1_000
LONGEST_ID = 1_000
LONGEST_LINE = 15  # moves of a line of play, where nobody says how many
_PRIORITY = 0x3FFFFFFFFFFFFFFF
_MOST_VISITS = 1 << 50
_LONGEST_NAME = 60
_TOLD_FIELDS = 10  # of those that mean nothing, by name
VIEWS: dict[str, int | None] = {
    "black": BLACK, "white": WHITE, "sidetomove": None, "side-to-move": None,
}  # fmt: skip
_KNOWN = {
    "id", "boardXSize", "boardYSize", "initialStones", "initialPlayer", "moves", "rules", "komi",
    "whiteHandicapBonus", "analyzeTurns", "maxVisits", "analysisPVLen", "overrideSettings",
    "includeOwnership", "includeMovesOwnership", "includePVVisits", "reportDuringSearchEvery",
    "firstReportDuringSearchAfter", "priority", "priorities", "avoidMoves", "allowMoves",
}  # fmt: skip
_IN_VAIN = {
    "includePolicy": "the search has no policy: it has no opinion before it begins",
    "includeOwnershipStdev": "how much ownership varies is not known",
    "includeMovesOwnershipStdev": "how much ownership varies is not known",
    "includeNoResultValue": "every game has a result",
    "rootPolicyTemperature": "the search has no policy",
    "rootFpuReductionMax": "every move of the root is tried once",
}
Warning_ = tuple[str, str]  # a field, and what is to be said of it


@dataclass(frozen=True)
class Query:
    """What is asked; points are numbers, row by row from the bottom."""

    id: str
    rows: int
    columns: int
    rules: Ruleset
    komi: float
    stones: tuple[tuple[int, int], ...] = ()
    moves: tuple[tuple[int, int], ...] = ()
    first: int = BLACK
    turns: tuple[int, ...] = ()
    priorities: tuple[int, ...] = ()  # of the turns
    visits: int | None = None
    seconds: float | None = None
    view: int | None = None  # whose values are told; None for those of who is to move
    longest: int = LONGEST_LINE
    ownership: bool = False
    moves_ownership: bool = False
    line_visits: bool = False
    first_report: float | None = None
    every: float | None = None
    forbidden: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())  # by colour
    warnings: tuple[Warning_, ...] = field(default=(), compare=False)

    def full_komi(self, turn: int) -> float:
        """Return komi and what white gets for handicap, as far as the game has come."""
        return self.komi + self.rules.handicap_bonus(self.handicap(turn))

    def handicap(self, turn: int) -> int:
        """Return how many stones black got: set up, or played before white's first."""
        if any(colour == WHITE for colour, _ in self.stones):
            return 0
        count, played = len(self.stones), self.moves[:turn]
        for number, (colour, point) in enumerate(played):
            if colour == WHITE:
                if played[number + 1 : number + 2] and played[number + 1][0] == WHITE:
                    count = len(self.stones)  # somebody sets up a position, move by move
                    break
                if point != PASS:
                    break
            count += colour == BLACK and point != PASS
        return count if count > 1 else 0


def read_query(found: Json, view: int | None) -> Query:
    """Read a query; `view` says whose values are told where the query does not."""
    fields = Fields(found)
    told = f"Must provide an integer from 2 to {LARGEST}"
    sizes = []
    for name in ("boardXSize", "boardYSize"):
        try:
            sizes.append(fields.whole(name, 2, LARGEST))
        except QueryError:
            raise QueryError(name, told) from None
    columns, rows = sizes
    points = rows * columns
    stones: tuple[tuple[int, int], ...] = ()
    if "initialStones" in fields:
        stones = fields.pairs("initialStones", rows, columns, most=points, passes=False)
    if "moves" not in fields:
        raise QueryError("moves", "Must specify an array of [player,location] pairs")
    moves = fields.pairs("moves", rows, columns, most=MOST_MOVES, passes=True)
    if "rules" not in fields:
        raise QueryError("rules", "Must specify the name of rules, or a JSON object")
    asked = read_asked(found["rules"])
    komi = check_komi("komi", found["komi"]) if "komi" in fields else asked.komi
    rules = asked.rules
    if "whiteHandicapBonus" in fields:
        try:
            rules = rules.with_field("whiteHandicapBonus", found["whiteHandicapBonus"])
        except CommandError as error:
            raise QueryError("whiteHandicapBonus", str(error)) from None
    warnings = []
    if asked.missing:
        warnings.append(
            ("rules", f"no {' and no '.join(asked.missing)}: using {rules.as_json()} instead")
        )
    query = Query(
        str(found["id"]), rows, columns, rules, komi, stones, moves,
        ownership=fields.truth("includeOwnership"),
        moves_ownership=fields.truth("includeMovesOwnership"),
        line_visits=fields.truth("includePVVisits"), view=view,
    )  # fmt: skip
    query = replace(query, first=_first(fields, query), **_turns(fields, len(moves)))
    query = replace(query, **_limits(fields, warnings, view))
    query = replace(query, **_reports(fields), forbidden=_forbidden(fields, query, warnings))
    _warn_of_fields(fields, warnings)
    return replace(query, warnings=tuple(warnings))


def _first(fields: Fields, query: Query) -> int:
    """Return who moves first; white, if nobody says so, after stones of handicap."""
    if "initialPlayer" in fields:
        return fields.colour("initialPlayer")
    if query.moves:
        return query.moves[0][0]
    return WHITE if query.handicap(0) else BLACK


def _turns(fields: Fields, last: int) -> Json:
    """Return the turns to analyse, each once, and their priorities."""
    turns = [last]
    if "analyzeTurns" in fields:
        turns = fields.wholes("analyzeTurns", 0, last)
        if not turns:
            fields.refuse("analyzeTurns", "Must have at least one turn")
    priorities = [0] * len(turns)
    if "priorities" in fields:
        if "analyzeTurns" not in fields:
            fields.refuse("priorities", "Can only specify when also specifying analyzeTurns")
        priorities = fields.wholes("priorities", -_PRIORITY, _PRIORITY)
        if len(priorities) != len(turns):
            fields.refuse("priorities", "Must be of matching length to analyzeTurns")
    if "priority" in fields:
        if "priorities" in fields:
            fields.refuse("priority", "Cannot specify both priority and priorities")
        priority = fields.whole("priority", -_PRIORITY, _PRIORITY, "-2^62 to 2^62")
        priorities = [priority] * len(turns)
    known = dict(zip(turns, priorities, strict=True))
    if len(known) > MOST_TURNS:
        fields.refuse("analyzeTurns", f"Too many turns: expected at most {MOST_TURNS}")
    ordered = sorted(known)
    return {"turns": tuple(ordered), "priorities": tuple(known[turn] for turn in ordered)}


def _limits(fields: Fields, warnings: list[Warning_], view: int | None) -> Json:
    """Return visits, seconds and whose values are told: of the query, or of its settings."""
    found: Json = {"visits": None, "seconds": None, "view": view}
    if "overrideSettings" in fields:
        settings = fields.found["overrideSettings"]
        if not isinstance(settings, dict):
            fields.refuse("overrideSettings", "Must be an object")
        found |= _override(settings, warnings, view)
    if "maxVisits" in fields:
        found["visits"] = fields.whole("maxVisits", 1, _MOST_VISITS, "1 to 2^50")
    if "analysisPVLen" in fields:
        found["longest"] = fields.whole("analysisPVLen", 1, 1000)
    return found


def _override(settings: Json, warnings: list[Warning_], view: int | None) -> Json:
    inside = Fields(settings, "overrideSettings")
    found: Json = {"view": view}
    unknown = []
    for name in settings:
        try:
            if name == "maxVisits":
                found["visits"] = inside.whole(name, 1, _MOST_VISITS, "1 to 2^50")
            elif name == "maxTime":
                found["seconds"] = inside.real(name, 0.0, 1e20)
            elif name == "reportAnalysisWinratesAs":
                word = str(settings[name]).casefold()
                if word not in VIEWS:
                    inside.refuse(name, "Must be BLACK, WHITE or SIDETOMOVE")
                found["view"] = VIEWS[word]
            else:
                unknown.append(name)
        except QueryError as error:
            raise QueryError("overrideSettings", f"Could not set {name}: {error}") from None
    if unknown:
        warnings.append(("overrideSettings", f"Unknown config params: {_few(unknown)}"))
    return found


def _reports(fields: Fields) -> Json:
    """Return when to tell what is known before the end: after how long, then how often."""
    found: Json = {"first_report": None, "every": None}
    if "reportDuringSearchEvery" in fields:
        every = fields.real("reportDuringSearchEvery", 0.001, 1e6)
        found = {"first_report": every, "every": every}
    if "firstReportDuringSearchAfter" in fields:
        found["first_report"] = fields.real("firstReportDuringSearchAfter", 0.001, 1e6)
    return found


def _forbidden(
    fields: Fields, query: Query, warnings: list[Warning_]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the points, or passes, that each colour is not to be told of."""
    allow = "allowMoves" in fields
    name = "allowMoves" if allow else "avoidMoves"
    if allow and "avoidMoves" in fields:
        fields.refuse(name, "Cannot specify both allowMoves and avoidMoves")
    entries: Any = fields.found.get(name, [])
    expected = "Must be a list of dicts with subfields 'player', 'moves', 'untilDepth'"
    if not isinstance(entries, list):
        fields.refuse(name, expected)
    kept: list[frozenset[int] | None] = [None, None]
    everything = frozenset([PASS, *range(query.rows * query.columns)])
    deep = False
    for entry in entries:
        if not isinstance(entry, dict) or not {"moves", "untilDepth", "player"} <= entry.keys():
            fields.refuse(name, expected)
        inside = Fields(entry, name)
        colour = inside.colour("player")
        points = frozenset(inside.points("moves", query.rows, query.columns))
        deep |= inside.whole("untilDepth", 1, 10**9) > 1
        before = kept[colour]
        if allow and before is not None:
            fields.refuse(name, "Cannot specify allowMoves more than once for the same player")
        kept[colour] = everything - points if allow else points | (before or frozenset())
    if deep:
        warnings.append((name, "untilDepth above 1: heeded for the first move alone"))
    return kept[BLACK] or frozenset(), kept[WHITE] or frozenset()


def _warn_of_fields(fields: Fields, warnings: list[Warning_]) -> None:
    unknown = []
    for name in fields.found:
        if name in _IN_VAIN:
            if fields.found[name] is not False:
                warnings.append((name, f"Not given: {_IN_VAIN[name]}"))
        elif name not in _KNOWN:
            unknown.append(name)
    typo = "Unexpected or unused field, do you have a typo?"
    warnings += [(name[:_LONGEST_NAME], typo) for name in unknown[:_TOLD_FIELDS]]
    if unknown[_TOLD_FIELDS:]:
        warnings.append(("id", f"{len(unknown) - _TOLD_FIELDS} further unexpected fields"))


def _few(names: Iterable[str]) -> str:
    return ",".join(names)[: 4 * _LONGEST_NAME]
