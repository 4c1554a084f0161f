"""Leaves that are judged: graphs against the plain twin, limits, what a judge may say."""

import numpy as np
import pytest
from test_reference import assert_same_graph, start_of

import trellis
from trellis._kernel.jit import kernel
from trellis.game.bits import mix, popcount
from trellis.game.errors import BadParameter, BrokenContract
from trellis.game.evaluation import EVALUATE, Evaluation
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.asking import Asker
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reference import ReferenceSearch
from trellis.search.mcts.reference_graph import ReferenceRule
from trellis.search.mcts.reference_leaves import puct_scores

GAMES = [
    "tic_tac_toe", "connect_four:rows=4,columns=4,x_in_row=3", "hex:board_size=4",
    "pig:target=12,horizon=1000", "pig:target=6,players=3,horizon=1000", "leftright:h=12", "nim",
    "random_automaton:states=60,cyclic=true,chance=30,seed=41",
    "random_automaton:states=80,players=1,chance=20,seed=25",
    "random_automaton:states=60,players=3,chance=20,seed=57", "go:board_size=3,history=ko",
]  # fmt: skip


def judge_for(game):
    """Return an evaluation that depends on everything it is told, and on nothing else."""
    low, high = game.payoff_range

    def evaluate(features, legal):
        flat = np.asarray(features, np.float64).reshape(len(features), -1)
        flat = flat % 1009
        weights = np.random.default_rng(5).random((flat.shape[1], game.players))
        values = low + (high - low) * (np.sin(flat @ weights) + 1) / 2
        if game.players == 2 and game.constant_sum is not None:
            values[:, 1] = game.constant_sum - values[:, 0]
        priors = np.random.default_rng(6).random(legal.shape[1]) + 0.01 * values[:, :1] - low * 0.01
        return values, priors

    return evaluate


def twin_of(position, evaluate, **options):
    game = position.game

    def judge(leaf):
        features = game.planes.of(leaf)[None] if game.planes else leaf.state[None]
        codes = leaf.move_codes()
        legal = np.zeros((1, game.move_codes), bool)
        legal[0, codes] = True
        values, priors = evaluate(features, legal)
        return values[0].tolist(), {code: float(priors[0, code]) for code in codes}

    def scores(search, node):
        params = search.params
        return puct_scores(node, search.depths[0], params.fpu, params.c)

    rule = ReferenceRule(scores)
    return ReferenceSearch(position, rule=rule, judge=judge, **({"select": "uct2"} | options))


@pytest.mark.parametrize("batch", [1, 5, 64])
@pytest.mark.parametrize("spec", GAMES)
def test_judged_leaves_build_the_same_graph(spec, batch):
    start = start_of(spec)
    evaluate = judge_for(start.game)
    for options in ({}, {"bounds": "off"}, {"fpu": 0.4, "select": "uct1"}, {"select": "uct0"}):
        search = Search(start, evaluate=evaluate, batch=batch, seed=2, memory=8, **options)
        twin = twin_of(start, evaluate, batch=batch, seed=2, **options)
        for _ in range(3):
            done = search.simulate(60)
            assert twin.simulate(60) == done
            assert_same_graph(search, twin)
            assert_priors(search, twin)
            if done < 60:
                break


def assert_priors(search, twin):
    graph, params = search.graph, search.params
    assert not (graph.nodes["flags"] & g.WAITING).any()
    for i, node in enumerate(twin.nodes):
        first = int(graph.nodes[i]["first"])
        for j, edge in enumerate(node.edges):
            at = (first + j) * params.extra_stride
            if node.player >= 0:
                assert graph.extras[at + params.prior_at] == pytest.approx(edge.prior)
            assert graph.extras[at + params.virtual_at] == edge.virtual == 0


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four:rows=4,columns=4,x_in_row=3"])
def test_symmetry_builds_the_same_graph(spec):
    start = start_of(spec)
    evaluate = judge_for(start.game)
    search = Search(start, evaluate=evaluate, batch=4, symmetry=True, seed=1, memory=8)
    twin = twin_of(start, evaluate, batch=4, symmetry=True, seed=1)
    search.simulate(200), twin.simulate(200)
    assert_same_graph(search, twin)


@pytest.mark.parametrize("options", [{}, {"symmetry": True}, {"bounds": "deep"}])
def test_what_is_proven_does_not_rest_on_what_is_said(options):
    def liar(features, legal):  # the player to move has always lost
        values = np.where(np.asarray(features)[:, 2, 0, :1] > 0, -1.0, 1.0)
        return values, None

    for batch in (1, 16):
        report = Search(trellis.load("tic_tac_toe"), evaluate=liar, batch=batch, **options).run(
            sims=60_000
        )
        assert report.solved
        assert report.value == 0.0


def test_memory_that_is_full_and_positions_that_move_on():
    game = trellis.load("connect_four")
    evaluate = judge_for(game)
    for when_full in ("stop", "collect"):
        search = Search(game, evaluate=evaluate, memory=0.2, when_full=when_full, batch=8)
        assert search.simulate(5_000) == 5_000
        assert search.full or search.collections
        search.advance("d", "d")
        search.simulate(2_000)
        assert not (search.graph.nodes["flags"] & g.WAITING).any()
        assert search.report().best in search.position.moves()


def test_nobody_is_asked_where_chance_moves():
    game = trellis.load("pig:target=12,horizon=1000")
    asked = []

    def evaluate(features, legal):
        asked.extend(np.asarray(features).tolist())
        return np.zeros((len(features), 1)), None

    Search(game, evaluate=evaluate, batch=4).simulate(500)
    assert len(asked) > 100
    for words in asked:
        assert trellis.Position(game, np.array(words, np.uint64)).acting >= 0


def test_noise_comes_and_goes_with_the_root():
    game = trellis.load("connect_four")
    flat = lambda features, legal: (np.zeros(len(features)), None)  # noqa: E731
    plain, noisy = (Search(game, evaluate=flat, noise=noise, seed=3) for noise in (0.0, 0.25))
    for search in (plain, noisy):
        search.simulate(200)
    priors = [priors_of(search, search.root) for search in (plain, noisy)]
    assert np.allclose(priors[0], 1 / 7)
    assert not np.allclose(priors[1], 1 / 7)
    assert priors[1].sum() == pytest.approx(1.0)
    old = noisy.root
    noisy.set_root(noisy.position.play("d"))
    noisy.simulate(50)
    assert np.allclose(priors_of(noisy, old), 1 / 7)
    assert not np.allclose(priors_of(noisy, noisy.root), 1 / 7)


def priors_of(search, node):
    record, params = search.graph.nodes[node], search.params
    edges = int(record["first"]) + np.arange(int(record["edges"]))
    return search.graph.extras[edges * params.extra_stride + params.prior_at]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (lambda f, m: np.zeros((len(f), 3)), "values of shape"),
        (lambda f, m: np.full(len(f), 7.0), "no payoff"),
        (lambda f, m: np.full(len(f), np.nan), "no payoff"),
        (lambda f, m: (np.zeros(len(f)), np.ones(3)), "priors of shape"),
        (lambda f, m: (np.zeros(len(f)), -1.0 * m), "below 0"),
    ],
)
def test_a_judge_that_breaks_its_word_ends_the_search_and_leaves_it_sound(told, message):
    search = Search(trellis.load("connect_four"), evaluate=told, seed=1)
    with pytest.raises(BrokenContract, match=message):
        search.run(sims=100)
    assert not (search.graph.nodes["flags"] & (g.WAITING | g.ON_PATH)).any()
    assert search.graph.nodes["visits"].sum() == 0


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("connect_four", {"evaluate": "no.onnx"}, "no such file of a network"),
        ("nim", {"evaluate": "no.py:f"}, "no such evaluation"),
        ("nim", {"evaluate": 3}, "bad evaluation"),
        ("goofspiel", {"evaluate": lambda f, m: f}, "choose at once"),
        ("nim", {"evaluate": lambda f, m: f, "select": "uct3"}, "path"),
        ("nim", {"evaluate": lambda f, m: f, "rave": 10.0}, "need playouts"),
        ("nim", {"evaluate": lambda f, m: f, "when_full": "drake"}, "no priors"),
        ("nim", {"evaluate": lambda f, m: f, "batch": 2000}, "batch"),
    ],
)
def test_what_cannot_be_done_gets_one_line(spec, options, message):
    with pytest.raises(BadParameter, match=message) as error:
        Search(trellis.load(spec), **options)
    assert "\n" not in str(error.value)


@kernel(EVALUATE)
def by_key(weights, tables, state):
    return weights[0] * np.float64(popcount(mix(state[0]) & np.uint64(63))) / 6.0


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", "connect_four", "pig:target=12,horizon=1000", "leftright:h=12"]
)
def test_a_compiled_evaluation_builds_the_same_graph(spec):
    start = start_of(spec)
    evaluation = Evaluation("by key", by_key, 0.0, 1.0, np.array([0.9]))
    for options in ({}, {"select": "uct2", "bounds": "off"}):
        search = Search(start, evaluate=evaluation, seed=4, memory=8, **options)
        twin = ReferenceSearch(start, evaluation=evaluation, seed=4, **options)
        assert search.params.leaves == k.JUDGED
        assert search.simulate(150) == twin.simulate(150)
        assert_same_graph(search, twin)


def test_batches_grow_with_what_is_known():
    game = trellis.load("connect_four")
    sizes = []

    def evaluate(features, legal):
        sizes.append(len(features))
        return np.zeros(len(features)), None

    search = Search(game, evaluate=evaluate, batch=64, bounds="off")
    search.simulate(4_000)
    assert sizes[0] == 1
    assert max(sizes) == 64
    assert isinstance(search.asker, Asker)
    assert sum(sizes) == search.asker.asked
