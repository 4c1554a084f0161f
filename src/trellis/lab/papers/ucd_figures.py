"""Worked examples of the paper on UCD: figures 1 to 3, and what its text says of its own formulas.

The figures are drawings without numbers.  Each is built here as a small game, playouts are put
into a search of it, and what comes out is read from the search.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

from trellis.game.game import Position
from trellis.game.python_game import PythonGame
from trellis.game.reductions import unfolded
from trellis.lab.experiment import Cell, Claim, Experiment, Scale
from trellis.lab.papers.ucd_tables import SOURCE
from trellis.loading import load
from trellis.search.mcts.engine import Search

Worked = tuple[float, str]  # a number, and how it is written


class Walk:
    """A game for one: `after` says which moves lead on from where, `ends` what an end pays."""

    players, payoff_range = 1, (0, 1)
    max_plies, max_moves = 4, 3
    after: ClassVar[Mapping[str, Sequence[str]]] = {}
    ends: ClassVar[Mapping[str, float]] = {}

    def start(self) -> str:
        """Return where the walk begins."""
        return "start"

    def moves(self, state: str) -> Sequence[str]:
        """List the places that can be gone to."""
        return self.after.get(state, [])

    def play(self, state: str, move: str) -> str:
        """Go there."""
        return move

    def payoffs(self, state: str) -> list[float]:
        """Say what an end pays."""
        return [self.ends.get(state, 0.0)]


# -- figure 1: the counter-example -----------------------------------------------------------


class Doors(Walk):
    """`safe` can be reached in two ways; behind `deep` lies something better, and two failures."""

    after: ClassVar = {"start": ["x", "y"], "x": ["safe", "deep"], "y": ["safe"],
                       "deep": ["1", "2", "3"]}  # fmt: skip
    ends: ClassVar = {"safe": 0.6, "1": 1.0}


_SEARCHES, _SIMS = 10, 200


def found_by(backup: str) -> Worked:
    """Count searches that know in the end that more than `safe` can be had."""
    game = PythonGame(Doors())
    how: dict[str, Any] = {"select": "uct1", "c": 1.0, "bounds": "off", "memory": 1.0}
    values = [
        Search(game, seed=seed, backup=backup, **how).run(sims=_SIMS).value
        for seed in range(_SEARCHES)
    ]
    found = sum(value > 0.61 for value in values)
    return found, f"{found} of {_SEARCHES}"


# -- figure 2: local information -------------------------------------------------------------


class Hidden(Walk):
    """From a to b or c; both, and what lies behind them, can be reached without a as well."""

    after: ClassVar = {"start": ["a", "beside", "below"], "a": ["b", "c"], "beside": ["b", "c"],
                       "below": ["d", "e"], "b": ["d"], "c": ["e"], "d": ["win", "loss"],
                       "e": ["win", "loss"]}  # fmt: skip
    ends: ClassVar = {"win": 1.0}


_FIRST = (["a", "b", "d"], 0.5)  # brings a into the graph
_LUCK = ((["a", "b", "d"], 0.0), (["a", "c", "e"], 1.0))  # they mislead
_UNLUCKY = 3  # of each
_TRUTH = {
    "beside": ((["beside", "b", "d"], 1.0), (["beside", "c", "e"], 0.0)),
    "below": ((["below", "d"], 1.0), (["below", "e"], 0.0)),
}
_TIMES = 16


def lead_of_b(case: str) -> Worked:
    """Return by how much b looks better than c from a; the case says who knows, and the depth."""
    where, _, depth = case.partition(",")
    search = Search(PythonGame(Hidden()), select=f"ucd:{depth},0,0", bounds="off", memory=1.0)
    for way, payoff in (_FIRST, *_LUCK * _UNLUCKY, *_TRUTH[where] * _TIMES):
        ends = ["win" if payoff else "loss"]
        search.add_game([*way, *ends], [payoff])
    node = search.graph.child(_edges(search, search.position, search.root)["a"])
    moves = _edges(search, search.position.play("a"), node)
    known = dict(zip(moves, search.adapted(node)[0].tolist(), strict=True))
    lead = known["b"] - known["c"]
    return lead, f"b {known['b']:.3f}, c {known['c']:.3f}"


# -- figure 3: results in nodes or on edges --------------------------------------------------


class Meeting(Walk):
    """Two ways from the start to one place, and on from there."""

    after: ClassVar = {"start": ["x", "y"], "x": ["v"], "y": ["v"], "v": ["w"], "w": ["z"]}
    ends: ClassVar = {"z": 1.0}


_PLAYED = ("x", "y", "x", "x", "y", "x")  # first moves of the playouts


def _met() -> Search:
    search = Search(PythonGame(Meeting()), select="uct1", bounds="off", memory=1.0)
    for first in _PLAYED:
        search.add_game([first, "v", "w", "z"])
    return search


def kept_at(case: str) -> Worked:
    """Return playouts kept at the node v, at one edge into it, or at all of them."""
    search = _met()
    graph, into, node = search.graph, {}, search.root
    for move, edge in _edges(search, search.position, search.root).items():
        inner = _edges(search, search.position.play(move), graph.child(edge))["v"]
        into[move] = int(graph.edges[inner]["visits"])
        node = graph.child(inner)
    count = {
        "node": int(graph.nodes[node]["visits"]),
        "x": into["x"],
        "y": into["y"],
        "edges": sum(into.values()),
    }[case]
    return count, str(count)


# -- section 3.4: which edges a playout changes ----------------------------------------------


def count_behind_y(case: str) -> Worked:
    """Return n_2 of the move y before or after a playout that went by x."""
    search = Search(PythonGame(Meeting()), select="ucd:0,0,2", bounds="off", memory=1.0)
    for first in (*"xyxy", *("x" if case == "after" else "")):
        search.add_game([first, "v", "w", "z"])
    count = {line.move: line.count for line in search.report().moves}["y"]
    return count, f"{count:g}"


# -- section 3.3: remarks --------------------------------------------------------------------


def same_as_tree(case: str) -> Worked:
    """Count depths that choose as plain UCT does: in a tree, or in a graph of the same game."""
    game = load("tic_tac_toe")
    if case == "tree":
        game = unfolded(game)
    how: dict[str, Any] = {"bounds": "off", "memory": 2.0, "seed": 3}

    def visits(select: str) -> dict[str, int]:
        report = Search(game, select=select, **how).run(sims=300)
        return {line.move: line.visits for line in report.moves}

    plain = visits("uct0")
    same = sum(visits(f"ucd:{','.join(d)}") == plain for d in product("012", repeat=3))
    return same, f"{same} of 27"


EXAMPLES: dict[str, Callable[[str], Worked]] = {
    "counter-example": found_by, "local information": lead_of_b, "nodes or edges": kept_at,
    "update rule": count_behind_y, "remarks": same_as_tree,
}  # fmt: skip


def experiments() -> list[Experiment]:
    """Return the figures, then what the text says."""
    return [
        _worked(
            "ucd-figure-1", "Update-all and its counter-example: searches that find the best move",
            "figure 1", "counter-example", ("path", "all"),
            claims=(
                Claim("searches that update the path find the best move", "above",
                      {"cells": "path", "than": _SEARCHES - 0.5}),
                Claim("searches that update all ancestors do not", "below",
                      {"cells": "all", "than": 0.5}),
            ),
            deviations=(
                ("the drawing has no numbers: the game is ours; two moves lead to a safe end that "
                "pays 0.6, and behind one of them is another move with a better end and two bad "
                "ones"),
            ),
            notes=(f"{_SEARCHES} searches of {_SIMS} simulations each, c = 1",),
        ),
        _worked(
            "ucd-figure-2", "Local information: how much better b looks than c, by the depth d1",
            "figure 2", "local information",
            ("beside,0", "beside,1", "below,0", "below,1", "below,2"),
            claims=(
                Claim("where a looks at its own playouts alone, c looks better", "below",
                      {"cells": "*,0", "than": 0}),
                Claim("a depth of 1 sees what the children know", "above",
                      {"cells": "beside,1", "than": 0}),
                Claim("it does not see what lies deeper", "below", {"cells": "below,1", "than": 0}),
                Claim("a depth of 2 does", "above", {"cells": "below,2", "than": 0}),
            ),
            deviations=(
                (f"the drawing has no numbers: here {_UNLUCKY} misleading playouts went from a "
                f"through each of b and c, and {_TIMES} of each kind came from elsewhere "
                "(beside: into b and c; below: into the positions behind them)"),
            ),
        ),
        _worked(
            "ucd-figure-3", "Results in nodes or on edges: playouts kept after six playouts",
            "figure 3", "nodes or edges", ("node", "x", "y", "edges"),
            claims=(
                Claim("a node has what its edges in have together", "alike",
                      {"cells": "node edges", "by": 0}),
                Claim("an edge knows what its parent chose, the node does not", "more",
                      {"more": "node", "less": "x"}),
            ),
            deviations=(
                ("the drawing has no numbers: four playouts went by x here, two by y; the first "
                "ended at x, the second at y, and both before they came to the node where x and y "
                "meet"),
            ),
        ),
        _worked(
            "ucd-section-3.4", "Which edges a playout changes: n_2 of a move that was not made",
            "section 3.4", "update rule", ("before", "after"),
            claims=(
                Claim(
                    "only traversed edges and ancestors of the leaf up to the depth change",
                    "alike", {"by": 0},
                ),
            ),
            notes=(
                ("the rule as printed is wrong: the playout went by x, its leaf lies three moves "
                "behind y, farther than d3 = 2, and n_2 of y changes all the same, since the game "
                "came through a position behind y"),
            ),
        ),
        _worked(
            "ucd-section-3.3", "Where nothing is transposed: depths that choose as plain UCT does",
            "section 3.3", "remarks", ("tree", "graph"),
            claims=(
                Claim("in a tree all depths choose alike", "above",
                      {"cells": "tree", "than": 26.5}),
                Claim("in a graph even (0,0,0) is not plain UCT", "below",
                      {"cells": "graph", "than": 0.5}),
            ),
            notes=(("300 simulations of tic-tac-toe with one seed; in a tree each position is kept "
                   "apart by the moves that led there"),),
        ),
    ]  # fmt: skip


def _worked(
    name: str, title: str, where: str, example: str, cases: tuple[str, ...], *,
    claims: tuple[Claim, ...], deviations: tuple[str, ...] = (), notes: tuple[str, ...] = (),
) -> Experiment:  # fmt: skip
    return Experiment(
        name=name,
        title=title,
        source=f"{SOURCE}, {where}",
        measure="worked",
        cells=tuple(
            Cell(case, {"paper": "ucd_figures", "example": example, "case": case}) for case in cases
        ),
        scales={scale: Scale(1) for scale in ("smoke", "paper", "full")},
        claims=claims,
        deviations=deviations,
        notes=notes,
        batch=1,
    )


def _edges(search: Search, position: Position, node: int) -> dict[str, int]:
    """Return the edges out of a node by the names of their moves, in the order tried."""
    record = search.graph.nodes[node]
    first = int(record["first"])
    codes = search.graph.links["move"][first : first + int(record["edges"])]
    return {position.name(int(code)): first + n for n, code in enumerate(codes)}
