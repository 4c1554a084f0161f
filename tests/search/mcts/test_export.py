"""Views of search graphs: the right part of the graph, and the same facts in every format."""

import json
import sys
import xml.etree.ElementTree as ET
from html import unescape

import pytest

import trellis
from trellis.game.errors import BadParameter, LimitReached, TrellisError
from trellis.search.mcts import export
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.export import GraphView, clean

EVERYTHING = 1 << 30
NASTY = (
    '"', "\\", '\\"', "\\N\\G", "<b>x</b>", "<", ">", "&", "&lt;", "&#65;", "a\nb", "a\r\nb",
    "tab\t", "nul\0", "bell\a", "\ud800", "\uffff", "ß∞棋🎲", "]]>", "-->", "{|}", ";", "a -> b",
    " ", "%s", "'",
)  # fmt: skip


class Nasty:
    """One move each to a board named like it, and one on from there to a common end."""

    payoff_range = (0, 1)
    players = 1
    max_plies = 2
    symbols = ('<"&\\',)

    def start(self):
        return "start"

    def moves(self, state):
        return {"start": NASTY, "end": ()}.get(state, ("on",))

    def play(self, state, move):
        return move if state == "start" else "end"

    def payoffs(self, state):
        return (0.5,)

    def move_name(self, state, move):
        return move

    def board(self, state):
        return state


def searched(spec, sims=3000, moves=(), **settings):
    search = Search(trellis.load(spec).start().play(*moves), **settings)
    search.run(sims=sims)
    return search


@pytest.fixture(scope="module")
def solved():
    search = searched("tic_tac_toe", 20_000)
    assert search.solved
    return search


@pytest.fixture(scope="module")
def nasty():
    search = Search(trellis.PythonGame(Nasty()), bounds="off")
    search.run(sims=200)
    return search


def drawn(view):
    """Read the DOT text back with Graphviz: labels by node, and (from, to, label) of edges."""
    pygraphviz = pytest.importorskip("pygraphviz")
    graph = pygraphviz.AGraph(string=view.to_dot())
    return (
        {node: node.attr["label"] for node in graph.nodes()},
        [(edge[0], edge[1], edge.attr["label"]) for edge in graph.edges()],
        graph,
    )


def shown(label):
    """Return what Graphviz shows for a label."""
    text, i = "", 0
    while i < len(label):
        if label[i] == "\\":
            i += 1
            text += "\n" if label[i] in "nlr" else label[i]
        else:
            text += label[i]
        i += 1
    return unescape(text)


# -- which part of the graph ----------------------------------------------------------------------


def test_a_whole_graph_is_shown_when_it_is_small_enough(solved):
    view = GraphView(solved, limit=EVERYTHING)
    counters = solved.graph.counters
    assert len(view.nodes) == counters[g.LIVE_NODES]
    assert len(view.edges) == counters[g.LIVE_EDGES]
    assert all(node.left_out == 0 for node in view.nodes)


@pytest.mark.parametrize("limit", [1, 2, 17, 300])
def test_the_limit_is_kept_and_every_node_hangs_on_the_root(solved, limit):
    view = GraphView(solved, limit=limit)
    assert len(view.nodes) == limit
    assert {edge.target for edge in view.edges} | {0} == set(range(limit))
    reached, waiting = {0}, [0]
    while waiting:
        place = waiting.pop()
        for edge in view.edges:
            if edge.source == place and edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    assert len(reached) == limit


def test_the_most_visited_positions_come_first(solved):
    every = GraphView(solved, limit=EVERYTHING)
    top = GraphView(solved, limit=10)
    least = min(node.visits for node in top.nodes)
    left_out = [
        every.nodes[edge.target].visits
        for edge in every.edges
        if edge.source < 10 and edge.target >= 10
    ]
    assert every.nodes[:10] == [
        # the same nodes in the same order; only what is left out differs
        type(node)(**{**vars(node), "left_out": 0})
        for node in top.nodes
    ]
    assert max(left_out) <= least


def test_depth_counts_moves_from_the_root(solved):
    assert len(GraphView(solved, limit=EVERYTHING, depth=0).nodes) == 1
    assert len(GraphView(solved, limit=EVERYTHING, depth=1).nodes) == 10
    boards = [node.board for node in GraphView(solved, limit=EVERYTHING, depth=2).nodes]
    assert max(sum(board.count(edge_block) for edge_block in "xo") for board in boards) == 2


def test_depth_takes_the_shortest_way_where_ways_differ_in_length():
    """Nim: three objects go in one move or in three, and the long way may be found first."""
    search = searched("nim:pile_sizes=6,max_take=6,is_misere=false", 2000, bounds="off")
    every = GraphView(search, limit=EVERYTHING)
    steps, waiting = {0: 0}, [0]
    for place in waiting:
        for edge in every.edges:
            if edge.source == place and edge.target not in steps:
                steps[edge.target] = steps[place] + 1
                waiting.append(edge.target)
    for depth in range(4):
        inside = sum(away <= depth for away in steps.values())
        assert len(GraphView(search, limit=EVERYTHING, depth=depth).nodes) == inside


def test_rarely_visited_positions_can_be_left_out(solved):
    view = GraphView(solved, limit=EVERYTHING, least_visits=50)
    assert 1 < len(view.nodes) < 200
    assert min(node.visits for node in view.nodes) >= 50
    assert sum(node.left_out for node in view.nodes) > 0


def test_a_small_view_of_a_large_graph_looks_at_little_of_it(monkeypatch):
    """Counted, not timed: parents and edges are asked for chosen nodes only."""
    search = searched("connect_four", 100_000)
    asked = []
    edges = export._edges
    monkeypatch.setattr(
        export, "_edges", lambda search, node: asked.append(node) or edges(search, node)
    )
    view = GraphView(search, limit=20)
    assert len(view.nodes) == 20
    assert view.total_nodes > 90_000
    assert len(asked) < 200


@pytest.mark.parametrize(
    ("name", "value"), [("limit", 0), ("limit", -1), ("depth", -1), ("least_visits", -1)]
)
def test_senseless_limits_are_refused(solved, name, value):
    with pytest.raises(BadParameter, match=name):
        GraphView(solved, **{name: value})


# -- what nodes and edges say ---------------------------------------------------------------------


def test_values_and_bounds_agree_with_the_report(solved):
    report = solved.report()
    view = GraphView(solved, limit=EVERYTHING)
    root = view.nodes[0]
    assert (root.visits, root.solved, root.low, root.high) == (report.sims, True, 0.0, 0.0)
    known = {edge.move: edge for edge in view.edges if edge.source == 0}
    for move in report.moves:
        edge = known[move.move]
        assert (edge.visits, edge.low, edge.high) == (move.visits, move.low, move.high)
        assert edge.value == pytest.approx(move.value)


def test_moves_of_the_second_player_are_worth_what_the_first_loses():
    search = searched("tic_tac_toe", 2000, ["b2"], bounds="cuts")
    view = GraphView(search, limit=50)
    replies = [edge for edge in view.edges if edge.source == 0]
    assert replies
    for edge in replies:
        after = view.nodes[edge.target]
        assert (edge.low, edge.high) == (-after.high, -after.low)
        if after.ways == 1:
            assert edge.value == pytest.approx(-after.value)
    assert view.nodes[0].acts == "o"


def test_parents_are_counted_in_the_whole_graph(solved):
    every = GraphView(solved, limit=EVERYTHING)
    ways = [0] * len(every.nodes)
    for edge in every.edges:
        ways[edge.target] += 1
    assert [node.ways for node in every.nodes] == ways
    assert max(ways) > 3
    top = GraphView(solved, limit=30)
    assert [node.ways for node in top.nodes] == ways[:30]


@pytest.mark.parametrize(
    ("spec", "moves", "settings"),
    [
        ("tic_tac_toe", (), {}),
        ("tic_tac_toe", ("a1",), {"symmetry": True}),
        ("connect_four", ("a",), {"symmetry": True}),
        ("hex:board_size=4", ("a1",), {"symmetry": True}),
        ("othello:board_size=4", (), {"symmetry": True}),
        ("nine_mens_morris", (), {"symmetry": True}),
        ("dice:m=3,k=3", (), {}),
        ("dice:m=3,k=3", (), {"symmetry": True}),
        ("pig", (), {}),
    ],
)
def test_every_move_shown_leads_to_the_position_shown(spec, moves, settings):
    """Follow the names on the board shown; images of a position are one node."""
    start = trellis.load(spec).start()
    while start.is_chance:
        start = start.play(start.move_codes()[0])
    search = Search(start.play(*moves), **settings)
    search.run(sims=2000)
    view = GraphView(search, limit=150)
    assert len(view.edges) > 20
    boards = {0: search.position}
    for edge in sorted(view.edges, key=lambda edge: edge.source):
        before = boards.get(edge.source)
        if before is None:
            continue
        after = before.play(edge.move)
        boards_after = {str(after)}
        if settings:
            boards_after = {str(after.image(i)) for i in range(len(after.game.symmetries))}
        assert view.nodes[edge.target].board in boards_after
        if str(after) == view.nodes[edge.target].board:
            boards.setdefault(edge.target, after)
    assert len(boards) > 5


def test_chance_shows_its_probabilities():
    search = searched("pig", 5000)
    view = GraphView(search, limit=100)
    rolls = [edge for edge in view.edges if view.nodes[edge.source].acts == "chance"]
    assert rolls
    assert all(edge.share == pytest.approx(1 / 6) for edge in rolls)
    assert all(edge.share is None for edge in view.edges if edge not in rolls)


def test_choices_made_at_once_lead_to_no_single_position():
    position = trellis.load("goofspiel").start()
    search = Search(position.play(position.move_codes()[0]), select="uct1")
    search.run(sims=500)
    view = GraphView(search, limit=30)
    assert [node.kind for node in view.nodes] == ["position"] + ["unknown"] * 4
    assert [edge.target for edge in view.edges] == [1, 2, 3, 4]
    assert len(GraphView(search, limit=3).nodes) == 3
    assert GraphView(search, limit=3).nodes[0].left_out == 2
    labels, edges, _ = drawn(view)
    assert len(labels) == 5
    assert len(edges) == 4


# -- formats --------------------------------------------------------------------------------------


def test_dot_is_read_by_graphviz_with_all_nodes_and_edges(solved):
    view = GraphView(solved, limit=60)
    labels, edges, graph = drawn(view)
    assert set(labels) == {f"n{place}" for place in range(60)}
    assert len(edges) == len(view.edges)
    for edge, (source, target, label) in zip(
        sorted(view.edges, key=lambda edge: (edge.source, edge.target)),
        sorted(edges, key=lambda edge: (int(edge[0][1:]), int(edge[1][1:]))),
        strict=True,
    ):
        assert (source, target) == (f"n{edge.source}", f"n{edge.target}")
        assert shown(label).startswith(f"{edge.move}\n{edge.visits:,}")
    for place, node in enumerate(view.nodes):
        style = graph.get_node(f"n{place}").attr
        assert (style["peripheries"] == "2") == (node.ways > 1)
        assert shown(labels[f"n{place}"]).startswith(node.board)
        if node.solved:
            colours = {1.0: "#8fbce6", 0.0: "#d5d5d5", -1.0: "#f5b878"}
            assert style["fillcolor"] == colours[node.low]
        else:
            assert style["fillcolor"] in {None, "", "white"}
    assert "double red outline" in shown(graph.graph_attr["label"])


def test_graphml_comes_back_from_networkx_as_it_went(solved, nasty):
    networkx = pytest.importorskip("networkx")
    for search in (solved, nasty):
        view = GraphView(search, limit=80)
        back = networkx.parse_graphml(
            view.to_graphml(), node_type=int, edge_key_type=int, force_multigraph=True
        )
        graph = view.to_networkx()
        assert dict(back.nodes(data=True)) == dict(graph.nodes(data=True))
        assert list(back.edges(keys=True, data=True)) == list(graph.edges(keys=True, data=True))
        for fact, value in graph.graph.items():
            assert back.graph[fact] == value


def test_networkx_can_work_with_the_graph(solved):
    networkx = pytest.importorskip("networkx")
    graph = GraphView(solved, limit=EVERYTHING).to_networkx()
    assert networkx.is_directed_acyclic_graph(graph)
    assert networkx.dag_longest_path_length(graph, weight=None) <= 9
    assert graph.number_of_edges() == solved.graph.counters[g.LIVE_EDGES]
    merged = [node for node in graph if graph.in_degree(node) > 1]
    assert [node for node, data in graph.nodes(data=True) if data["ways"] > 1] == merged


def test_json_holds_the_view(solved, nasty):
    for search in (solved, nasty):
        view = GraphView(search, limit=40)
        content = json.loads(view.to_json())
        assert content["root"] == 0
        assert content["total_nodes"] == search.graph.counters[g.LIVE_NODES]
        assert [node["visits"] for node in content["nodes"]] == [n.visits for n in view.nodes]
        assert [edge["move"] for edge in content["edges"]] == [e.move for e in view.edges]


def test_no_name_breaks_a_format(nasty):
    view = GraphView(nasty, limit=80)
    wanted = sorted(clean(name) for name in NASTY)
    assert len(wanted) == len(NASTY)
    assert sorted(edge.move for edge in view.edges if edge.source == 0) == wanted
    labels, edges, graph = drawn(view)
    names = sorted(shown(label).rsplit("\n", 2)[0] for source, _, label in edges if source == "n0")
    assert names == sorted(name.replace("\r", " ") for name in wanted)
    assert len(labels) == len(view.nodes) == len(NASTY) + 2
    drawing = ET.fromstring(graph.draw(format="svg", prog="dot"))
    seen = "".join(text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text"))
    for name in ("\\N\\G", "<b>x</b>", "&lt;", "&#65;", '\\"', "ß∞棋🎲", "]]>"):
        assert name in seen
    ET.fromstring(view.to_graphml())


def test_files_are_written_by_their_names(solved, tmp_path):
    pytest.importorskip("pygraphviz")
    view = GraphView(solved, limit=12)
    beginnings = {
        "svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph",
        "graphml": b"<?xml", "json": b"{",
    }  # fmt: skip
    for kind, beginning in beginnings.items():
        path = tmp_path / f"graph.{kind}"
        view.write(path)
        assert path.read_bytes().startswith(beginning), kind
    drawing = ET.fromstring((tmp_path / "graph.svg").read_bytes())
    kinds = [group.get("class") for group in drawing.iter("{http://www.w3.org/2000/svg}g")]
    assert (kinds.count("node"), kinds.count("edge")) == (12, len(view.edges))


def test_what_cannot_be_written_is_said_in_one_line(solved, tmp_path):
    view = GraphView(solved, limit=5)
    with pytest.raises(BadParameter, match=r"\.svg, \.png, \.pdf"):
        view.write(tmp_path / "graph.jpg")
    with pytest.raises(BadParameter, match=r"\.json"):
        view.write(tmp_path / "graph.txt")
    with pytest.raises(BadParameter, match="cannot write"):
        view.write(tmp_path / "nowhere" / "graph.json")
    with pytest.raises(LimitReached, match="too many to draw"):
        GraphView(solved, limit=501).drawing()


@pytest.mark.parametrize("package", ["networkx", "pygraphviz"])
def test_a_missing_package_is_named(solved, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    view = GraphView(solved, limit=5)
    with pytest.raises(TrellisError, match=f"^{package} is not installed"):
        view.to_networkx() if package == "networkx" else view.drawing()
    view.to_dot()
    view.to_graphml()


@pytest.mark.parametrize("settings", [{"select": "uct0"}, {"when_full": "drake", "memory": 0.5}])
def test_trees_and_overwritten_graphs_have_views_too(settings):
    search = searched("tic_tac_toe", 3000, bounds="off", **settings)
    search.advance("b2")
    search.run(sims=3000)
    view = GraphView(search, limit=40)
    assert 1 < len(view.nodes) <= 40
    drawn(view)


def test_a_position_that_comes_again_is_an_edge_back():
    search = searched("nine_mens_morris", 500)
    GraphView(search, limit=100).to_dot()


def test_a_view_after_a_move_begins_at_the_new_root(solved):
    search = searched("tic_tac_toe", 2000, when_full="collect")
    search.advance("b2", "a1")
    view = GraphView(search, limit=20)
    assert view.nodes[0].board.count(".") == 7
    assert len(view.nodes) == 20
