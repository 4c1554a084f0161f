"""Selection rules of the user's own: the examples against plain Python, and the check of rules."""

import math
import re
from pathlib import Path

import pytest
import selection_rules as own
from test_reference import OPTION_GAMES, assert_same_graph, start_of

import trellis
from trellis.game.errors import BadParameter, BrokenContract
from trellis.parts import Selection, beta, edge_count, parent_visits, selection
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reference import ReferenceSearch
from trellis.search.mcts.reference_graph import ReferenceRule

EXAMPLES = Path(__file__).parents[3] / "examples"


def facts(search, node):
    """Return parent's visits, and mean, visits and variance of each edge, from the definitions."""
    d1, d2, d3 = search.depths
    parent = max(1.0, sum(search.count(edge, d2) for edge in node.edges))
    rows = []
    for edge in node.edges:
        own_mean = edge.totals[node.player] / edge.visits
        variance = max(0.0, edge.squares / edge.visits - own_mean**2)
        rows.append((search.mean(edge, d1, node.player), search.count(edge, d3), variance))
    return parent, rows


def ucb1(search, node):
    parent, rows = facts(search, node)
    return [m + search.params.c * math.sqrt(math.log(parent) / n) for m, n, _ in rows]


def ucb1_tuned(search, node):
    parent, rows = facts(search, node)
    scores = []
    for mean, n, variance in rows:
        share = math.log(parent) / n
        spread = min(0.25, variance + math.sqrt(2 * share))
        scores.append(mean + search.params.c * math.sqrt(share * spread))
    return scores


def ucb_v(search, node):
    parent, rows = facts(search, node)
    share = [search.params.c * math.log(parent) / n for _, n, _ in rows]
    return [
        mean + math.sqrt(2 * variance * each) + 3 * each
        for (mean, _, variance), each in zip(rows, share, strict=True)
    ]


def thompson(search, node):
    _, rows = facts(search, node)
    return [beta(search.rng, n * mean, n - n * mean) for mean, n, _ in rows]


def kl_ucb(search, node):
    parent, rows = facts(search, node)
    scores = []
    for mean, n, _ in rows:
        p, allowed = min(max(mean, 1e-9), 1 - 1e-9), search.params.c * math.log(parent) / n
        low, high = p, 1.0
        for _ in range(16):
            q = (low + high) / 2
            if p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q)) <= allowed:
                low = q
            else:
                high = q
        scores.append(low)
    return scores


TWINS = {
    "uct": ("uct1", ucb1), "adapted": ("auto", ucb1), "ucb1_tuned": ("uct1", ucb1_tuned),
    "ucb_v": ("uct1", ucb_v), "thompson": ("auto", thompson), "kl_ucb": ("auto", kl_ucb),
}  # fmt: skip
GAMES = [
    *OPTION_GAMES, "hex:board_size=4", "go:board_size=3,history=ko",
    "random_automaton:states=60,simultaneous=40,chance=20,seed=12",
]  # fmt: skip


def run_both(spec, rule, scores, *, seed=1, sims=150, **options):
    start = start_of(spec)
    squares = isinstance(rule, Selection) and rule.squares
    statistics = options.pop("statistics")
    search = Search(start, select=rule, seed=seed, memory=8, **options)
    twin = ReferenceSearch(
        start, rule=ReferenceRule(scores, squares), select=statistics, seed=seed, **options
    )
    for _ in range(3):
        done = search.simulate(sims // 3)
        assert twin.simulate(sims // 3) == done
        assert_same_graph(search, twin)
    return search


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("spec", GAMES)
def test_examples_build_the_same_graph_as_their_formulas(spec, name):
    statistics, scores = TWINS[name]
    if "simultaneous" in spec and statistics == "auto":
        statistics = "uct1"
    elif statistics == "auto":
        statistics = "simple"
    search = run_both(spec, getattr(own, name), scores, statistics=statistics)
    assert search.params.ruled


@pytest.mark.parametrize("statistics", ["uct0", "uct2", "ucd:2,1,2", "ucd:inf,1,inf", "nodes"])
def test_rules_read_the_statistics_they_ask_for(statistics):
    def scores(search, node):
        if statistics == "nodes":
            _, rows = facts(search, node)
            c = search.settings.c
            return [m + c * math.sqrt(math.log(node.visits) / n) for m, n, _ in rows]
        return ucb1(search, node)

    rule = Selection(own.adapted, statistics)
    for options in ({}, {"bounds": "deep"}, {"fpu": 0.6}):
        spec = "connect_four:rows=4,columns=4,x_in_row=3"
        run_both(spec, rule, scores, statistics=statistics, **options)
    if statistics != "uct0":
        run_both("hex:board_size=3", rule, scores, statistics=statistics, symmetry=True)


def test_the_two_built_in_rules_are_found_again_to_the_bit():
    for spec in ("connect_four", "hex:board_size=5", "pig:target=20", "othello:board_size=6"):
        for built_in, rule in (("uct1", own.uct), ("simple", own.adapted)):
            start = start_of(spec)
            ours, theirs = (
                Search(start, select=each, seed=3, memory=32) for each in (built_in, rule)
            )
            ours.simulate(3_000), theirs.simulate(3_000)
            used = int(ours.graph.counters[0])
            assert (ours.graph.nodes["visits"][:used] == theirs.graph.nodes["visits"][:used]).all()


def test_a_rule_in_a_game_written_in_python():
    game = trellis.load(str(EXAMPLES / "subtraction.py"))
    search = Search(game, select=own.adapted, seed=1, bounds="off")
    twin = ReferenceSearch(game, rule=ReferenceRule(ucb1), select="simple", seed=1, bounds="off")
    search.simulate(200), twin.simulate(200)
    assert_same_graph(search, twin)


def test_rules_from_files_and_on_the_command_line():
    text = f"{EXAMPLES / 'selection_rules.py'}:kl_ucb"
    game = trellis.load("tic_tac_toe")
    by_file, by_function = (
        Search(game, select=rule, seed=5, bounds="off") for rule in (text, own.kl_ucb)
    )
    by_file.simulate(500), by_function.simulate(500)
    used = int(by_file.graph.counters[0])
    assert used == int(by_function.graph.counters[0])
    player = trellis.make_player(f"uct:select={text},sims=200", seed=1)
    assert player.choose(game.start(), 0) in game.start().moves()


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("nowhere.py:rule", "no such file of selection rules: 'nowhere.py'"),
        (str(EXAMPLES / "selection_rules.py"), "6 selection rules: expected"),
        (f"{EXAMPLES / 'selection_rules.py'}:klucb", "did you mean 'kl_ucb'"),
        ("simpel", "bad selection 'simpel'"),
        (lambda graph, params, node, edges, rng: None, "expected it to be decorated with @trellis"),
        (trellis.kernel(lambda graph: graph.nothing), "does not compile"),
        (trellis.kernel(lambda graph, params, node, edges, rng: 1.0), "does not compile"),
        (3, "expected a function"),
    ],
)
def test_what_is_no_rule_gets_one_line(select, message):
    with pytest.raises(BadParameter, match=re.escape(message)) as error:
        Search(trellis.load("tic_tac_toe"), select=select)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options", [{"rave": 100.0}, {"ucb1_tuned": True}, {"gamma": 0.1}, {"bounds": "guided"}]
)
def test_settings_of_the_built_in_rule_are_refused(options):
    with pytest.raises(BadParameter, match="built-in rule"):
        Search(trellis.load("tic_tac_toe"), select=own.adapted, **options)


@pytest.mark.parametrize("name", TWINS)
def test_the_examples_keep_what_rules_promise(name):
    for spec in ("tic_tac_toe", "connect_four", "pig:target=20"):
        assert trellis.check_rule(getattr(own, name), start_of(spec), sims=300) > 50


@trellis.kernel
def leaves_one_out(graph, params, node, edges, rng):
    for i in range(1, edge_count(graph, node)):
        edges.scores[i] = edges.means[i]


@trellis.kernel
def writes_behind(graph, params, node, edges, rng):
    for i in range(edge_count(graph, node) + 1):
        edges.scores[i] = 1.0


@trellis.kernel
def changes_the_graph(graph, params, node, edges, rng):
    for i in range(edge_count(graph, node)):
        edges.scores[i] = edges.means[i]
    graph.nodes[node]["flags"] = 64


@trellis.kernel
def changes_means(graph, params, node, edges, rng):
    for i in range(edge_count(graph, node)):
        edges.scores[i] = edges.means[i]
        edges.means[i] = 0.25


@trellis.kernel
def remembers(graph, params, node, edges, rng):
    edges.roots[1000] += 1.0
    for i in range(edge_count(graph, node)):
        edges.scores[i] = edges.roots[1000]


@trellis.kernel
def no_number(graph, params, node, edges, rng):
    for i in range(edge_count(graph, node)):
        edges.scores[i] = math.sqrt(edges.means[i] - 2.0)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (leaves_one_out, "left out or not a number"),
        (writes_behind, "behind the last edge"),
        (changes_the_graph, "changes the graph"),
        (changes_means, "changes means or visits"),
        (remembers, "gives other scores"),
        (no_number, "not a number"),
    ],
)
def test_rules_that_break_a_promise_are_found(rule, message):
    with pytest.raises(BrokenContract, match=message):
        trellis.check_rule(rule, trellis.load("tic_tac_toe"), sims=100)


def test_a_score_that_is_no_number_ends_the_search_and_leaves_it_sound():
    search = Search(trellis.load("connect_four"), select=no_number, seed=1)
    with pytest.raises(BrokenContract, match="not a number"):
        search.run(sims=100)
    assert not (search.graph.nodes["flags"] & 1).any()


def test_a_decorator_says_what_a_rule_needs():
    @selection("uct1", squares=True)
    def rule(graph, params, node, edges, rng):
        for i in range(edge_count(graph, node)):
            edges.scores[i] = parent_visits(graph, params, node)

    assert (rule.name, rule.statistics, rule.squares) == ("rule", "uct1", True)
    assert Search(trellis.load("nim"), select=rule).params.squares_at >= 0
