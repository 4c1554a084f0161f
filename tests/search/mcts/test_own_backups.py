"""Backups of the user's own: the examples against plain Python, and the check of backups."""

import math
import re
from pathlib import Path

import backup_rules as own
import numpy as np
import pytest
from test_reference import assert_same_graph, start_of

import trellis
from trellis.game.errors import BadParameter, BrokenContract
from trellis.parts import edge_count, own_mean, own_visits
from trellis.search.mcts import graph as g
from trellis.search.mcts.backups import BACKUPS, Backup, register
from trellis.search.mcts.counting import halve_everywhere
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reference import ReferenceSearch

EXAMPLES = Path(__file__).parents[3] / "examples"
GAMES = [
    "connect_four:rows=4,columns=4,x_in_row=3", "nim", "pig:target=6,horizon=1000",
    "random_automaton:states=80,players=1,chance=20,seed=25",
    "random_automaton:states=80,cyclic=true,payoffs=10,seed=52",
]  # fmt: skip


def seen(search, node):
    """Return worth and visits of each edge, for who moves, from the definitions."""
    return [(search.mean(e, math.inf, node.player), e.visits) for e in node.edges]


def power_mean(search, node):
    rows = seen(search, node)
    if node.own:
        rows.append((node.own_totals[node.player] / node.own, node.own))
    visits = sum(n for _, n in rows)
    return (sum(n * max(mean, 0.0) ** own.POWER for mean, n in rows) / visits) ** (1 / own.POWER)


def soft_max(search, node):
    means = [max(mean, 0.0) for mean, _ in seen(search, node)]
    return own.HEAT * math.log(sum(math.exp(m / own.HEAT) for m in means) / len(means))


def most_visited(search, node):
    return max(seen(search, node), key=lambda row: row[1])[0]


TWINS = {"power_mean": power_mean, "soft_max": soft_max, "most_visited": most_visited}


def run_both(spec, backup, twin_of, *, sims=150, **options):
    start = start_of(spec)
    search = Search(start, backup=backup, seed=1, memory=8, **options)
    twin = ReferenceSearch(start, backup=backup, worth=twin_of, seed=1, **options)
    for _ in range(3):
        assert twin.simulate(sims // 3) == search.simulate(sims // 3)
        assert_same_graph(search, twin)
    return search


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("spec", GAMES)
def test_examples_build_the_same_graph_as_their_formulas(spec, name):
    select = "ucd:inf,1,inf" if spec == "nim" else "ucd:inf,0,1"
    run_both(spec, getattr(own, name), TWINS[name], select=select, bounds="off")


def test_bounds_and_symmetry_go_together_with_a_backup():
    run_both("connect_four:rows=4,columns=4,x_in_row=3", own.power_mean, power_mean, select="uct3")
    run_both("hex:board_size=3", own.soft_max, soft_max, select="ucd:inf,0,1", symmetry=True)


@trellis.kernel
def mean(graph, params, node, edges):
    """What the built-in `recompute` comes to."""
    visits = own_visits(graph, node)
    total = visits * own_mean(graph, params, node)
    for i in range(edge_count(graph, node)):
        visits += edges.visits[i]
        total += edges.visits[i] * edges.means[i]
    return total / visits


@pytest.mark.parametrize("spec", GAMES)
def test_the_mean_through_the_door_is_the_built_in_backup(spec):
    ours, theirs = (
        Search(start_of(spec), select="ucd:inf,0,1", backup=each, seed=4, bounds="off", memory=16)
        for each in ("recompute", mean)
    )
    assert theirs.simulate(1_000) == ours.simulate(1_000)
    used = int(ours.graph.counters[g.NODES])
    assert (ours.graph.nodes["visits"][:used] == theirs.graph.nodes["visits"][:used]).all()
    size = used * ours.params.level_stride
    assert np.allclose(ours.graph.levels[:size], theirs.graph.levels[:size])


def test_worth_is_computed_anew_where_counts_are_halved_and_memory_was_full():
    search = Search("connect_four", backup=own.power_mean, seed=2, memory=1, bounds="off")
    search.simulate(2_000)
    halve_everywhere(search)
    slot = search.params.mean_at
    root = search.root * search.params.level_stride
    before = search.graph.levels[root + slot]
    halve_everywhere(search)
    assert before != search.graph.levels[root + slot]  # of half the playouts
    search = Search("connect_four", backup=own.power_mean, seed=2, memory=0.2, when_full="collect")
    search.simulate(4_000)
    assert search.collections > 0
    used = search.graph.nodes["flags"] & g.USED != 0
    whole = search.graph.levels.reshape(-1, search.params.level_stride).sum(1)[used]
    means = whole / search.graph.nodes["visits"][used]
    assert means.min() >= -1e-9
    assert means.max() <= 1 + 1e-9


def test_a_backup_in_a_game_written_in_python():
    game = trellis.load(str(EXAMPLES / "subtraction.py"))
    select = {"select": "ucd:inf,0,1", "bounds": "off", "seed": 1}
    search = Search(game, backup=own.power_mean, **select)
    twin = ReferenceSearch(game, backup=own.power_mean, worth=power_mean, **select)
    search.simulate(200), twin.simulate(200)
    assert_same_graph(search, twin)
    halve_everywhere(search)


def test_ments_finds_the_winning_move_of_nim():
    """A heap of six, of which one to three are taken: two leave four, which loses."""
    start = trellis.load(str(EXAMPLES / "subtraction.py") + ":Subtraction(heap=6)")
    search = Search(start, select=own.e2w, backup=own.soft_max, bounds="off", seed=1)
    report = search.run(sims=600)
    assert max(report.moves, key=lambda row: row.adapted).move == "2"


def test_backups_from_files_and_as_options_of_players():
    text = f"{EXAMPLES / 'backup_rules.py'}:power_mean"
    by_file, by_function = (
        Search("tic_tac_toe", backup=each, seed=5) for each in (text, own.power_mean)
    )
    assert by_file.run(sims=300).best == by_function.run(sims=300).best
    player = trellis.make_player(f"uct:backup={text},sims=200", seed=1)
    start = trellis.load("tic_tac_toe").start()
    assert player.choose(start, 0) in start.moves()


@pytest.mark.parametrize(
    ("backup", "message"),
    [
        ("nowhere.py:worth", "no such file of backups: 'nowhere.py'"),
        (str(EXAMPLES / "backup_rules.py"), "3 backups: expected"),
        (f"{EXAMPLES / 'backup_rules.py'}:powermean", "did you mean 'power_mean'"),
        ("recompte", "expected one of path, all, exact, recompute, or file.py:name"),
        (lambda graph, params, node, edges: 0.5, "expected it to be decorated with @trellis"),
        (trellis.kernel(lambda graph, params, node, edges: "much"), "does not compile"),
        (3, "expected a function"),
    ],
)
def test_what_is_no_backup_gets_one_line(backup, message):
    with pytest.raises(BadParameter, match=re.escape(message)) as error:
        Search("tic_tac_toe", backup=backup)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("goofspiel", {}, "expected one player, or two in turn"),
        ("tic_tac_toe", {"select": "simple"}, "does not select by it"),
        ("tic_tac_toe", {"when_full": "drake"}, "when_full=stop or collect"),
        ("tic_tac_toe", {"own_playouts": "edge"}, "own_playouts=node"),
    ],
)
def test_settings_without_room_for_a_backup_are_refused(game, options, message):
    with pytest.raises(BadParameter, match=message):
        Search(game, backup=own.power_mean, **options)


@pytest.mark.parametrize("name", TWINS)
def test_the_examples_keep_what_backups_promise(name):
    for spec in ("tic_tac_toe", "pig:target=20"):
        assert trellis.check_backup(getattr(own, name), start_of(spec), sims=300) > 50


@trellis.kernel
def too_much(graph, params, node, edges):
    return 1.5 if edge_count(graph, node) > 3 else 0.5


@trellis.kernel
def writes(graph, params, node, edges):
    graph.nodes[node]["turn"] += 1
    return 0.5


@trellis.kernel
def forgets_means(graph, params, node, edges):
    edges.means[0] = 0.25
    return 0.5


@trellis.kernel
def remembers(graph, params, node, edges):
    edges.roots[1000] += 0.001
    return edges.roots[1000] % 1.0


@pytest.mark.parametrize(
    ("backup", "message"),
    [
        (too_much, "expected a number from 0 to 1"), (writes, "changes the graph"),
        (forgets_means, "changes means or visits"), (remembers, "asked the same again"),
    ],
)  # fmt: skip
def test_backups_that_break_a_promise_are_found(backup, message):
    with pytest.raises(BrokenContract, match=message):
        trellis.check_backup(backup, trellis.load("tic_tac_toe"), sims=100)


def test_a_worth_that_none_can_be_ends_the_search():
    with pytest.raises(BrokenContract, match="something else than a number from 0 to 1"):
        Search("tic_tac_toe", backup=too_much, seed=1).run(sims=100)


def test_a_name_is_given_once():
    with pytest.raises(BadParameter, match="there already"):
        register(Backup("path"))
    assert list(BACKUPS) == ["path", "all", "exact", "recompute"]
