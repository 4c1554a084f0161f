"""The top of a search graph, to be looked at: as a drawing, DOT, GraphML, JSON or for NetworkX.

A graph of a million nodes shows nothing, so a view takes the part that was visited most.  It
begins with the root and always adds the most visited position that a move of the view leads to,
until there are enough.  So the view is connected, and its cost depends on its own size alone.

A move may lead nowhere the graph could name: where players choose at once an edge stands for many
positions, and under `when_full=drake` the position may have been overwritten.  Such a move ends in
a node of kind `unknown`, drawn as a dot.

With symmetry a node stands for several boards; the view shows the one on the way by which it was
found, and the moves out of a node are named for the board shown.
"""

import heapq
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from trellis.game.automaton import LARGEST_DRAWING
from trellis.game.errors import BadParameter, LimitReached, TrellisError, shorten
from trellis.game.game import Position
from trellis.game.rules import CHANCE, NOBODY
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search

DEFAULT_LIMIT = 60
DRAWINGS = (".svg", ".png", ".pdf")
_WIDEST_BOARD, _TALLEST_BOARD = 40, 14  # larger ones would hide the graph
_NO_WAY = 1 << 30

_MERGED = "#c0392b"
_LEAST, _MIDDLE, _GREATEST = "#f5b878", "#d5d5d5", "#8fbce6"  # player 0 loses, neither, wins


@dataclass(frozen=True)
class ViewNode:
    """A position of the view.  Value and bounds are payoffs of player 0, in the game's scale."""

    kind: str  # "position", or "unknown" where a move leads to no single known one
    board: str
    acts: str  # a player's name, "chance" or "nobody"
    visits: int
    value: float | None  # mean payoff of the playouts that came through here
    low: float | None  # proven: at least this
    high: float | None  # proven: at most this
    solved: bool
    over: bool
    parents: int  # positions with a move that leads here, in the whole graph
    ways: int  # moves that lead here, in the whole graph
    left_out: int  # moves tried here that the view does not show


@dataclass(frozen=True)
class ViewEdge:
    """A move of the view.  Value and bounds are payoffs of who moves; of player 0 for chance."""

    source: int  # place in the list of nodes
    target: int
    move: str
    visits: int
    value: float | None  # mean payoff of the playouts that made this move
    low: float | None
    high: float | None
    share: float | None  # the probability, where chance acts


class GraphView:
    """The most visited part of a search graph, with the root as node 0.

    limit         most nodes to show
    depth         most moves from the root, or None
    least_visits  leave out what fewer playouts came through

    >>> from trellis.loading import load
    >>> from trellis.search.mcts.engine import Search
    >>> search = Search(load("tic_tac_toe"))
    >>> report = search.run(sims=1000)
    >>> view = GraphView(search, limit=10)
    >>> len(view.nodes), view.nodes[0].visits
    (10, 1000)
    """

    def __init__(
        self,
        search: "Search",
        limit: int = DEFAULT_LIMIT,
        depth: int | None = None,
        least_visits: int = 1,
    ) -> None:
        for name, value, least in (
            ("limit", limit, 1), ("depth", depth, 0), ("least_visits", least_visits, 0),
        ):  # fmt: skip
            if value is not None and value < least:
                raise BadParameter(f"bad value {value} for {name}: expected {least} or more")
        self._search = search
        self.game = clean(search.game.spec)
        self.total_nodes = int(search.graph.counters[g.LIVE_NODES])
        self.total_edges = int(search.graph.counters[g.LIVE_EDGES])
        self.nodes: list[ViewNode] = []
        self.edges: list[ViewEdge] = []
        self._fill(_pick(search, limit, depth, least_visits), limit, least_visits)

    # -- reading the graph ----------------------------------------------------------------------

    def _fill(self, picked: dict[int, tuple[int, int]], limit: int, least_visits: int) -> None:
        search = self._search
        places = {node: place for place, node in enumerate(picked)}
        positions: dict[int, Position] = {}
        room = limit - len(picked)  # for ends of moves that lead nowhere known
        unknown: list[ViewNode] = []
        for node, (parent, code) in picked.items():
            if parent == g.NONE:
                position = search.position
            else:
                position = positions[parent].play(_own_codes(search, positions[parent])[code])
            positions[node] = position
            left_out = 0
            own_codes = _own_codes(search, position)
            mover = int(search.graph.nodes[node]["player"])
            visits = {
                edge: int(search.graph.edges[edge]["visits"]) for edge in _edges(search, node)
            }
            for edge in sorted(visits, key=lambda edge: -visits[edge]):
                child = search.graph.child(edge)
                lost = child == g.NONE and visits[edge] >= least_visits
                if child in places:
                    target = places[child]
                elif lost and len(unknown) < room:
                    target = len(picked) + len(unknown)
                    unknown.append(_unknown_node(visits[edge]))
                else:
                    left_out += 1
                    continue
                name = clean(position.name(own_codes[_code(search, edge)]))
                self.edges.append(_view_edge(search, edge, mover, places[node], target, name))
            self.nodes.append(_view_node(search, node, position, left_out))
        self.nodes += unknown

    # -- as data ----------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the view as JSON: facts, `nodes` and `edges`; node numbers are list places."""
        content = {
            **self._facts(),
            "nodes": [asdict(node) for node in self.nodes],
            "edges": [asdict(edge) for edge in self.edges],
        }
        return json.dumps(content, indent=1, allow_nan=False)

    def to_networkx(self) -> Any:
        """Return the view as a `networkx.MultiDiGraph`: what is not known has no attribute."""
        try:
            import networkx as nx
        except ImportError:
            raise TrellisError(
                "networkx is not installed, which this needs: pip install networkx"
            ) from None
        graph = nx.MultiDiGraph(**self._facts())
        for number, node in enumerate(self.nodes):
            graph.add_node(number, **_known(node))
        for number, edge in enumerate(self.edges):
            graph.add_edge(edge.source, edge.target, key=number, **_known(edge))
        return graph

    def to_graphml(self) -> str:
        """Return the view as GraphML, for Gephi, yEd, igraph and others."""
        facts = self._facts()
        keys: list[tuple[str, str, Any]] = [
            *(("graph", name, type(value)) for name, value in facts.items()),
            *(("node", field.name, field.type) for field in fields(ViewNode)),
            *(("edge", field.name, field.type) for field in fields(ViewEdge)[2:]),  # but its ends
        ]
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        ]
        lines += [
            f'<key id="{owner}_{name}" for="{owner}" attr.name="{name}" '
            f'attr.type="{_GRAPHML_TYPES[kind]}"/>'
            for owner, name, kind in keys
        ]
        lines.append('<graph edgedefault="directed">')
        lines += _graphml_data("graph", facts)
        for number, node in enumerate(self.nodes):
            lines += [f'<node id="{number}">', *_graphml_data("node", _known(node)), "</node>"]
        for number, edge in enumerate(self.edges):
            ends = f'source="{edge.source}" target="{edge.target}"'
            data = _graphml_data("edge", _known(edge))
            lines += [f'<edge id="{number}" {ends}>', *data, "</edge>"]
        return "\n".join([*lines, "</graph>", "</graphml>", ""])

    def _facts(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "root": 0,
            "total_nodes": self.total_nodes,
            "total_edges": self.total_edges,
        }

    # -- as a picture -----------------------------------------------------------------------------

    def to_dot(self) -> str:
        """Return the view in the DOT language of Graphviz."""
        first = clean(self._search.game.player_name(0))
        legend = (
            f"{self.game}: {len(self.nodes):,} of {self.total_nodes:,} nodes\n"
            "double red outline: several ways lead here; + n more: moves not shown\n"
            f"filled: solved; blue is best for {first}, orange worst, grey between\n"
            f"on nodes: playouts and mean payoff of {first}; on moves: of who moves"
        )
        lines = [
            'digraph "search graph" {',
            f"graph [label={_quoted(legend)}, labelloc=t, fontname=sans, fontsize=11];",
            "node [shape=box, style=filled, fillcolor=white, fontname=monospace, fontsize=10];",
            'edge [fontname=sans, fontsize=9, color="#555555"];',
        ]
        lines += [
            f"n{number} [{self._node_style(node)}];" for number, node in enumerate(self.nodes)
        ]
        lines += [
            f"n{edge.source} -> n{edge.target} [{self._edge_style(edge)}];" for edge in self.edges
        ]
        return "\n".join([*lines, "}", ""])

    def _node_style(self, node: ViewNode) -> str:
        if node.kind == "unknown":
            return 'label="", shape=point, width=0.06'
        text = (f"{node.board}\n" if _is_small(node.board) else "") + f"{node.visits:,}"
        if node.solved:
            text += f"  = {node.low:g}"
        elif node.value is not None:
            text += f"  {node.value:.2f}"
        text += "\n" + ("over" if node.over else f"{node.acts} to move")
        if node.ways > 1:
            text += f", {node.ways} ways in"
        if node.left_out:
            text += f"\n+ {node.left_out} more"
        style = f"label={_quoted(text)}"
        if node.solved and node.low is not None:
            style += f', fillcolor="{self._colour(node.low)}"'
        if node.ways > 1:
            style += f', peripheries=2, color="{_MERGED}"'
        return style

    def _edge_style(self, edge: ViewEdge) -> str:
        text = f"{_brief(edge.move)}\n{edge.visits:,}"
        if edge.share is not None:
            text += f"  p {edge.share:.3g}"
        elif edge.value is not None:
            text += f"  {edge.value:.2f}"
        of_all = edge.visits / max(1, self.nodes[edge.source].visits)
        return f"label={_quoted(text)}, penwidth={0.5 + 3 * min(of_all, 1):.2f}"

    def _colour(self, value: float) -> str:
        least, greatest = self._search.game.payoff_range
        if value == greatest:
            return _GREATEST
        return _LEAST if value == least else _MIDDLE

    def drawing(self, kind: str = "svg") -> bytes:
        """Return a drawing of the view as the bytes of an svg, png or pdf file."""
        if len(self.nodes) > LARGEST_DRAWING:
            raise LimitReached(
                f"{len(self.nodes):,} nodes are too many to draw (at most {LARGEST_DRAWING}); "
                "expected a lower limit"
            )
        try:
            import pygraphviz
        except ImportError:
            raise TrellisError(
                "pygraphviz is not installed, which drawing needs: pip install pygraphviz"
            ) from None
        drawing: bytes = pygraphviz.AGraph(string=self.to_dot()).draw(format=kind, prog="dot")
        return drawing

    def write(self, path: str | Path) -> None:
        """Write the view as the name says: .svg, .png, .pdf, .dot, .graphml or .json."""
        path = Path(path)
        writers = {".dot": self.to_dot, ".graphml": self.to_graphml, ".json": self.to_json}
        if path.suffix not in (*DRAWINGS, *writers):
            raise BadParameter(
                f"bad graph {shorten(str(path))}: expected a name ending in "
                f"{', '.join((*DRAWINGS, *writers))}"
            )
        drawn = path.suffix in DRAWINGS
        content = self.drawing(path.suffix[1:]) if drawn else writers[path.suffix]().encode()
        try:
            path.write_bytes(content)
        except OSError as error:
            raise BadParameter(f"cannot write {shorten(str(path))}: {error.strerror}") from error


# -- which nodes ----------------------------------------------------------------------------------


def _pick(
    search: "Search", limit: int, depth: int | None, least_visits: int
) -> dict[int, tuple[int, int]]:
    """Choose nodes, most visited first; for each the parent it was found from, and the move."""
    visits = search.graph.nodes["visits"]
    farthest = _NO_WAY if depth is None else depth
    root = search.root
    found = {root: (g.NONE, g.NONE)}
    steps = {root: 0}
    picked: dict[int, tuple[int, int]] = {}
    waiting = [(0, 0, root)]
    while waiting and len(picked) < limit:
        _, _, node = heapq.heappop(waiting)
        picked[node] = found[node]
        reached = [node]
        while reached:  # more than once where a shorter way to a picked node turns up
            parent = reached.pop()
            for edge in _edges(search, parent):
                child = search.graph.child(edge)
                away = steps[parent] + 1
                if child == g.NONE or away >= steps.get(child, _NO_WAY) or away > farthest:
                    continue
                steps[child] = away
                if child in picked:
                    reached.append(child)
                elif child not in found and visits[child] >= least_visits:
                    found[child] = (parent, _code(search, edge))
                    heapq.heappush(waiting, (-int(visits[child]), len(found), child))
    return picked


def _edges(search: "Search", node: int) -> range:
    first = int(search.graph.nodes[node]["first"])
    return range(first, first + int(search.graph.nodes[node]["edges"]))


def _code(search: "Search", edge: int) -> int:
    return int(search.graph.links[edge]["move"]) & g.MOVE_MASK


def _own_codes(search: "Search", position: Position) -> dict[int, int]:
    """Map the moves of a node, as the graph numbers them, to those of the position shown."""
    frame = search.frame_of(position)
    return {search.to_frame(position, code, frame): code for code in position.move_codes()}


# -- what they say --------------------------------------------------------------------------------


def _view_node(search: "Search", node: int, position: Position, left_out: int) -> ViewNode:
    record, params = search.graph.nodes[node], search.params
    visits = int(record["visits"])
    low, high = float(record["low"]), float(record["high"])
    value, solved = _unscaled(search, float(record["sum"]), visits), low == high
    return ViewNode(
        "position", clean(str(position)), clean(position.actor_name()), visits, value, low, high,
        params.bounds != k.OFF and solved, int(record["player"]) == NOBODY,
        *_count_parents(search, node), left_out,
    )  # fmt: skip


def _unknown_node(visits: int) -> ViewNode:
    return ViewNode("unknown", "", "", visits, None, None, None, False, False, 1, 1, 0)


def _view_edge(
    search: "Search", edge: int, mover: int, source: int, target: int, name: str
) -> ViewEdge:
    record, params = search.graph.edges[edge], search.params
    visits, child = int(record["visits"]), search.graph.child(edge)
    low = high = value = share = None
    if child != g.NONE:
        node = search.graph.nodes[child]
        low, high = float(node["low"]), float(node["high"])
        if mover == 1 and params.columns == 1:  # the second player gets the rest
            both = params.least + params.greatest
            low, high = both - high, both - low
        elif mover > 0:  # bounds are of player 0
            low, high = params.least, params.greatest
    if mover == CHANCE:
        share = float(record["sum"])
        if child != g.NONE:
            value = _unscaled(search, float(node["sum"]), int(node["visits"]))
    else:
        value = _unscaled(search, float(record["sum"]), visits)
    return ViewEdge(source, target, name, visits, value, low, high, share)


def _unscaled(search: "Search", total: float, visits: int) -> float | None:
    return search.params.least + total / visits / search.params.scale if visits else None


def _count_parents(search: "Search", node: int) -> tuple[int, int]:
    """Return how many positions have a move to this one, and how many moves there are."""
    next_in, origin = search.graph.links["next_in"], search.graph.links["parent"]
    parents, ways = set(), 0
    edge = int(search.graph.nodes[node]["first_in"])
    while edge != g.NONE:
        ways += 1
        parents.add(int(origin[edge]))
        edge = int(next_in[edge])
    return len(parents), ways


# -- text -----------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Replace characters that XML cannot hold; a game of somebody's may use any."""
    return "".join(
        letter if _holds(ord(letter)) else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _holds(letter: int) -> bool:
    if letter < 0x20:
        return letter in {0x9, 0xA, 0xD}
    return letter < 0xD800 or (letter >= 0xE000 and letter not in {0xFFFE, 0xFFFF})


_DOT_ESCAPES = (("&", "&amp;"), ("\\", "\\\\"), ('"', '\\"'), ("\r", " "), ("\n", "\\l"))


def _quoted(text: str) -> str:
    """Write text as a DOT label: lines to the left, nothing in it taken for a command."""
    for plain, written in _DOT_ESCAPES:
        text = text.replace(plain, written)
    return f'"{text}\\l"'


def _brief(name: str) -> str:
    return name if len(name) <= _WIDEST_BOARD else name[: _WIDEST_BOARD - 1] + "…"


def _is_small(board: str) -> bool:
    lines = board.splitlines()
    return len(lines) <= _TALLEST_BOARD and all(len(line) <= _WIDEST_BOARD for line in lines)


_GRAPHML_TYPES: dict[Any, str] = {
    str: "string", int: "long", bool: "boolean", float | None: "double",
}  # fmt: skip


def _graphml_data(owner: str, known: dict[str, Any]) -> list[str]:
    return [
        f'<data key="{owner}_{name}">{_graphml_value(value)}</data>'
        for name, value in known.items()
    ]


def _graphml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape(value, {"\r": "&#13;"}) if isinstance(value, str) else repr(value)


def _known(thing: ViewNode | ViewEdge) -> dict[str, Any]:
    """Return what is known of a thing, the ends of an edge aside."""
    left_out = {"source", "target"}
    return {k: v for k, v in asdict(thing).items() if v is not None and k not in left_out}
