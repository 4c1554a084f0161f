"""What a search knows, as KataGo's analysis engine tells it.

`visits` are playouts through the position after a move, whichever way they came, and `edgeVisits`
those that made the move here: in a search of a graph these are two numbers.

The search counts wins.  Points (`scoreLead`) and ownership come from random games instead, played
from the position after each move, 400 for the ten best and 64 for others; those of the position
itself are the means of its moves, weighted by their visits, as all of `rootInfo` is.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trellis.game.game import Position
from trellis.protocols.gtp.go_board import GoBoard
from trellis.protocols.gtp.go_search import allowed_moves
from trellis.protocols.gtp.ownership import GAMES, from_the_top, owners_at
from trellis.protocols.gtp.parsing import BLACK, COLOURS
from trellis.protocols.gtp.thinking import best_lines, chance_to_win
from trellis.protocols.katago.fields import Json
from trellis.protocols.katago.query import Query
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reporting import EdgeLine, edge_lines, principal_variation
from trellis.search.report import MoveReport

GAMES_OF_OTHERS, FIRST_MOVES = 64, 10
_Z95 = 1.959963984540054
_DIGITS = 6


@dataclass(frozen=True)
class Place:
    """What is analysed: a turn of a query, its board, the position that searches play."""

    query: Query
    turn: int
    board: GoBoard
    position: Position

    @property
    def colour(self) -> int:
        """Return who is to move."""
        return self.board.to_move

    @property
    def flipped(self) -> bool:
        """Tell whether values are told of who is not to move."""
        return self.query.view is not None and self.query.view != self.colour

    @property
    def head(self) -> Json:
        """Return what every answer begins with."""
        return {"id": self.query.id, "turnNumber": self.turn}

    def win(self, chance: float) -> float:
        """Return a chance to win of who is to move as that of whom the values are told of."""
        return round(1 - chance if self.flipped else chance, _DIGITS)

    def points(self, area: float) -> float:
        """Return black's area as the lead of whom the values are told of."""
        lead = area - self.query.full_komi(self.turn)
        return round(lead if self._of_black else -lead, 3) + 0.0

    def owned(self, points: Sequence[float]) -> list[float]:
        """Return who owns each point, as whom the values are told of sees it; top row first."""
        sign = 1 if self._of_black else -1
        return [round(each, 3) for each in from_the_top(points, self.query.columns, sign)]

    @property
    def _of_black(self) -> bool:
        view = self.query.view
        return (self.colour if view is None else view) == BLACK


class Teller:
    """Tells what a search of a place knows, again and again while it runs."""

    def __init__(self, place: Place, search: Search) -> None:
        self.place, self.search = place, search
        board, query = place.board, place.query
        named = allowed_moves(board, place.position, place.colour, query.rules)
        forbidden = query.forbidden[place.colour]
        self._prior = 1 / len(named)
        self._told = {name for name, point in named.items() if point not in forbidden}
        self._names = {name: board.name(point) for name, point in named.items()}
        self._tables = search.game.own_tables()
        self._owned: dict[str, tuple[int, list[float]]] = {}  # games, and whose the points were
        self._hashes = hashes(place)

    def tell(self, *, during: bool) -> Json:
        """Return an answer; the last one is told when the search has ended."""
        search, place = self.search, self.place
        lines = best_lines(search.report(), self._told)
        edges = edge_lines(search, search.root, search.position)
        known = {search.from_frame(search.position, each.code): each for each in edges}
        infos, owned_after, weights, wins = [], [], [], []
        for order, line in enumerate(lines):
            owned = self._owners(line, order)
            infos.append(self._info(line, order, known, owned))
            owned_after.append(owned)
            # What is proven without a visit counts where there is nothing else.
            weights.append(max(line.visits, 1e-9))
            wins.append(self._chance(line))
        root, owned = self._root(owned_after, weights, wins)
        found = place.head | {"isDuringSearch": during, "moveInfos": infos, "rootInfo": root}
        if place.query.ownership:
            found["ownership"] = place.owned(owned)
        return found

    def _chance(self, line: MoveReport) -> float:
        return chance_to_win(line.low if line.solved else line.value, self.search.game)

    def _owners(self, line: MoveReport, order: int) -> list[float]:
        """Return whose the points are after a move, by more random games for the first moves."""
        wanted = GAMES if order < FIRST_MOVES else GAMES_OF_OTHERS
        games, owned = self._owned.get(line.move, (0, []))
        if games < wanted:
            after = self.place.position.play(line.move)
            owned = owners_at(self._tables, after.state, self.place.board.points, wanted)
            self._owned[line.move] = wanted, owned
        return owned

    def _info(
        self, line: MoveReport, order: int, known: Mapping[int, EdgeLine], owned: list[float]
    ) -> Json:
        place, query = self.place, self.place.query
        visits, win = line.visits + line.shared, self._chance(line)
        spread = 0.0 if line.solved else _Z95 * math.sqrt(win * (1 - win) / max(1, visits))
        names, seen = self._line_of_play(line, known)
        lead, value = place.points(sum(owned)), place.win(win)
        bound = place.win(win - spread)
        found: Json = {
            "move": self._names[line.move], "order": order, "visits": visits,
            "edgeVisits": line.visits, "winrate": value, "lcb": bound,
            "utility": round(2 * value - 1, _DIGITS), "utilityLcb": round(2 * bound - 1, _DIGITS),
            "prior": round(self._prior, _DIGITS), "scoreLead": lead, "scoreMean": lead,
            "pv": names,
        }  # fmt: skip
        if query.line_visits:
            found["pvVisits"] = [here for here, _ in seen]
            found["pvEdgeVisits"] = [edge for _, edge in seen]
        if query.moves_ownership:
            found["ownership"] = place.owned(owned)
        return found

    def _line_of_play(
        self, line: MoveReport, known: Mapping[int, EdgeLine]
    ) -> tuple[list[str], list[tuple[int, int]]]:
        """Return a move and how play goes on; and for each its visits and those of its edge."""
        search, position = self.search, self.search.position
        names, seen = [line.move], [(line.visits + line.shared, line.visits)]
        edge = known.get(position.code_of(line.move))
        node = g.NONE if edge is None else edge.child
        position = position.play(line.move)
        if node != g.NONE and not position.is_over:
            lines = edge_lines(search, node, position)
            for name in principal_variation(search, position, node, lines)[: self._longest]:
                code = position.code_of(name)
                mapped = search.to_frame(position, code)
                step = next(each for each in lines if each.code == mapped)
                names.append(name)
                seen.append((step.visits + step.shared, step.visits))
                position = position.play(code)
                lines = [] if step.child == g.NONE else edge_lines(search, step.child, position)
        return [self._written(name) for name in names], seen

    @property
    def _longest(self) -> int:
        return self.place.query.longest

    def _written(self, name: str) -> str:
        return name if name == "pass" else name.upper()

    def _root(
        self, owned_after: list[list[float]], weights: list[float], wins: list[float]
    ) -> tuple[Json, list[float]]:
        """Return `rootInfo`, and who owns what; where no move was tried, by games from here."""
        search, place = self.search, self.place
        if weights:  # a mean, of who is to move
            win = float(np.average(wins, weights=weights))
            owned = np.average(owned_after, axis=0, weights=weights).tolist()
        else:
            win = 0.5
            owned = owners_at(self._tables, place.position.state, place.board.points)
        if search.solved and not place.query.forbidden[place.colour]:
            win = chance_to_win(search.report().low, search.game)
        value = place.win(win)
        return {
            "currentPlayer": COLOURS[place.colour][0].upper(), "visits": search.sims,
            "winrate": value, "utility": round(2 * value - 1, _DIGITS),
            "scoreLead": place.points(sum(owned)), **self._hashes,
        }, owned  # fmt: skip


def hashes(place: Place) -> dict[str, str]:
    """Return two names of a position: its own, and one for all its images under symmetries.

    Stones, who is to move and the point of a simple ko are named.
    """
    board = place.board
    stones = board.stones()
    banned = board.forbidden_by_ko(place.colour, replace(place.query.rules, ko="SIMPLE"))
    for point in banned:
        stones[point] = 3
    rows = [stones[row * board.columns : (row + 1) * board.columns] for row in range(board.rows)]
    images = []
    for turned in (rows, [list(column) for column in zip(*rows, strict=True)]):
        for rest in (turned, turned[::-1]):
            images += [rest, [row[::-1] for row in rest]]
    side = COLOURS[place.colour]
    names = [
        hashlib.blake2b(f"{side} {image}".encode(), digest_size=16).hexdigest().upper()
        for image in images
    ]
    return {"thisHash": names[0], "symHash": min(names)}
