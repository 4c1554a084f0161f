"""P-games: sums that do not depend on the path, signs, merging, groups, and known error rates."""

import random

import numpy as np
import pytest
from random_play import ends_of_playouts

from trellis.game.errors import BadParameter
from trellis.game.playouts import PlayoutRunner
from trellis.loading import load

GRAPHS = [
    "branching=2,depth=7,combine=20",
    "branching=2,depth=9,combine=50,seed=4",
    "branching=3,depth=5,combine=30,seed=1",
    "branching=5,depth=4,combine=60,seed=2,group_size=2",
    "branching=2,depth=6,combine=90,seed=5",
]


def _sum(position):
    """The sum as the board tells it."""
    return int(str(position).splitlines()[1].removeprefix("sum "))


def _numbers(position):
    """The numbers on the moves as the board tells them."""
    entries = str(position).splitlines()[2].split("  ")
    return [int(entry.partition(": ")[2]) for entry in entries]


def _paths(position, total=0):
    """Walk all paths; at each position yield it with the sum of the numbers that led there."""
    yield position, total
    if not position.is_over:
        for move, number in enumerate(_numbers(position)):
            yield from _paths(position.play(move), total + number)


@pytest.mark.parametrize("settings", [*GRAPHS, "branching=2,depth=6", "branching=4,depth=3"])
def test_every_path_to_a_position_has_the_sum_of_the_position(settings):
    sums = {}
    for position, total in _paths(load(f"pgame:{settings}").start()):
        assert sums.setdefault(position, total) == total
        assert _sum(position) == total
        if position.is_over:
            value = float(np.sign(total))
            assert position.payoffs() == (value, -value)


@pytest.mark.parametrize("settings", GRAPHS)
def test_no_move_counts_against_its_own_player(settings):
    for position, _ in _paths(load(f"pgame:{settings}").start()):
        if not position.is_over:
            sign = 1 if position.acting == 0 else -1
            assert all(sign * number >= 0 for number in _numbers(position))


def test_numbers_of_a_tree_are_uniform_from_0_to_127():
    game = load("pgame:branching=16,depth=4,group_size=16,seed=9")
    seen = [[], []]
    for first in range(16):
        for second in range(16):
            position = game.start().play(first, second)
            seen[0] += _numbers(position)
            seen[1] += _numbers(position.play(0))
    for sign, numbers in zip((1, -1), seen, strict=True):
        magnitudes = np.array(numbers) * sign
        assert magnitudes.min() >= 0
        assert magnitudes.max() <= 127
        assert magnitudes.mean() == pytest.approx(63.5, abs=2.5)
        assert len(set(magnitudes.tolist())) == 128


def test_a_sum_of_zero_is_a_draw():
    # Depth 1 with 16 moves: some seed has a move that carries 0.
    for seed in range(40):
        start = load(f"pgame:branching=16,depth=1,group_size=16,seed={seed}").start()
        for move, number in enumerate(_numbers(start)):
            assert start.play(move).payoffs()[0] == float(number > 0)
            if number == 0:
                return
    pytest.fail("no move carried 0 in 640")


@pytest.mark.parametrize("combine", [5, 20, 40])
def test_about_the_share_of_nodes_that_was_asked_for_is_merged(combine):
    game = load(f"pgame:branching=3,depth=8,combine={combine}")
    layer, layers = {game.start()}, []
    for _ in range(game.depth):
        layers.append(layer)
        layer = {position.play(move) for position in layer for move in range(3)}
    slots, nodes = 3 * len(layers[-1]), len(layer)
    assert 1 - nodes / slots == pytest.approx(combine / 100, abs=0.03)


@pytest.mark.parametrize("settings", GRAPHS)
def test_the_moves_of_a_position_lead_to_different_positions(settings):
    for position, _ in _paths(load(f"pgame:{settings}").start()):
        if not position.is_over:
            codes = position.move_codes()
            assert len({position.play(move) for move in codes}) == len(codes)


def test_merged_nodes_have_parents_with_like_scores_and_near_each_other():
    game = load("pgame:branching=2,depth=14,combine=20,seed=1")
    targets, scores = game.graph.targets[13], game.graph.scores[13]
    parents = {}
    for slot, target in enumerate(targets.tolist()):
        parents.setdefault(target, []).append(slot // 2)
    shared = [p for p in parents.values() if len(p) > 1]
    assert len(shared) > 100
    gaps = [abs(int(scores[p[0]]) - int(scores[p[1]])) for p in shared]
    distances = [abs(p[0] - p[1]) for p in shared]
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(scores), size=(4000, 2))
    random_gap = np.abs(scores[pairs[:, 0]] - scores[pairs[:, 1]]).mean()
    assert np.mean(gaps) < 0.6 * random_gap
    assert np.median(distances) < 0.5 * np.median(np.abs(pairs[:, 0] - pairs[:, 1]))


def test_a_tree_is_the_same_game_whether_it_is_stored_or_not():
    hashed = load("pgame:branching=6,depth=4,group_size=6,seed=8")
    stored = load("pgame:branching=6,depth=4,group_size=3,seed=8")
    assert hashed.rules.groups is None
    assert stored.rules.groups is not None
    dice = random.Random(8)
    for _ in range(60):
        one, other = hashed.start(), stored.start()
        assert hashed.value(one) == stored.value(other)
        while not one.is_over:
            assert _numbers(one) == _numbers(other)
            assert hashed.best_moves(one) == stored.best_moves(other)
            move = dice.randrange(6)
            one, other = one.play(move), other.play(move)
        assert one.payoffs() == other.payoffs()


@pytest.mark.parametrize("settings", ["depth=7", "branching=3,depth=5,seed=2", *GRAPHS])
def test_values_are_minimax_values(settings):
    game = load(f"pgame:{settings}")

    def minimax(position):
        if position.is_over:
            return position.payoffs()[0]
        values = [minimax(position.play(move)) for move in position.move_codes()]
        return max(values) if position.acting == 0 else min(values)

    position = game.start()
    for move in (0, 1, 1):
        assert game.value(position) == minimax(position)
        position = position.play(move)


@pytest.mark.parametrize(
    ("settings", "seeds", "expected", "tolerance"),
    [("branching=2,depth=20", 600, 0.235, 0.04), ("branching=10,depth=6", 600, 0.54, 0.07)],
)
def test_a_random_first_move_errs_as_often_as_published(settings, seeds, expected, tolerance):
    errors = []
    for seed in range(seeds):
        game = load(f"pgame:{settings},group_size=16,seed={seed}")
        errors.append(1 - len(game.best_moves(game.start())) / game.branching)
    # The spread of one error is about 0.25 and 0.42, so this is four standard errors of the mean.
    assert np.mean(errors) == pytest.approx(expected, abs=tolerance)


def _group_of(game, position):
    return [int(game.rules.groups(game.tables, position.state, m)) for m in position.move_codes()]


def _won_by_mover(game, position):
    side = 1 if position.acting == 0 else -1
    return [side * game.value(position.play(move)) > 0 for move in position.move_codes()]


@pytest.mark.parametrize("overlap", ["true", "false"])
def test_the_ungrouped_group_holds_the_others_or_with_overlap_all(overlap):
    game = load(f"pgame:branching=8,depth=3,group_size=4,overlap={overlap}")
    assert game.group_names == ("biased", "ungrouped")
    for first in range(8):
        bits = _group_of(game, game.start().play(first))
        assert set(bits) <= ({2, 3} if overlap == "true" else {1, 2})
        assert sum(bit & 1 for bit in bits) <= 4


@pytest.mark.parametrize("bias", [0, 100])
def test_full_bias_groups_only_winning_moves_or_none(bias):
    game = load(f"pgame:branching=8,depth=4,group_size=4,bias={bias},seed=3")
    sizes = []
    for first in range(8):
        for second in range(8):
            position = game.start().play(first, second)
            won = _won_by_mover(game, position)
            biased = [bit & 1 == 1 for bit in _group_of(game, position)]
            assert all(w == (bias == 100) for w, b in zip(won, biased, strict=True) if b)
            # As large as there are moves of that kind, up to its four places.
            assert sum(biased) == min(4, sum(w == (bias == 100) for w in won))
            sizes.append(sum(biased))
    assert len(set(sizes)) > 1


def test_bias_is_the_share_of_winning_moves_where_both_kinds_abound():
    game = load("pgame:branching=16,depth=3,group_size=3,bias=75,seed=1")
    places = winning = 0
    for first in range(16):
        for second in range(16):
            position = game.start().play(first, second)
            won = _won_by_mover(game, position)
            if 3 <= sum(won) <= 13:
                biased = [bit & 1 == 1 for bit in _group_of(game, position)]
                assert sum(biased) == 3
                places += 3
                winning += sum(w for w, b in zip(won, biased, strict=True) if b)
    assert places > 100
    assert winning / places == pytest.approx(0.75, abs=0.15)


def test_groups_do_not_change_the_graph():
    games = [
        load(f"pgame:branching=6,depth=4,combine=30,group_size={size},bias={bias}")
        for size, bias in ((2, 10), (5, 90), (6, 50))
    ]
    assert all(np.array_equal(game.graph.targets[3], games[0].graph.targets[3]) for game in games)
    assert all(np.array_equal(game.graph.scores[4], games[0].graph.scores[4]) for game in games)


def test_seeds_make_different_games():
    boards = {str(load(f"pgame:seed={seed}").start()) for seed in range(20)}
    assert len(boards) > 15


def test_a_deep_tree_costs_nothing_and_paths_stay_apart():
    game = load("pgame:branching=16,depth=40")
    assert game.rules.groups is None
    assert game.state_words == 4
    rng = random.Random(1)
    ends = set()
    for _ in range(50):
        position = game.start()
        while not position.is_over:
            position = position.play(rng.randrange(16))
        ends.add(position.key)
    assert len(ends) == 50
    # The last move lies in the third word of the path, and still makes a difference.
    position = game.start()
    for _ in range(39):
        position = position.play(15)
    assert len({position.play(move).key for move in range(16)}) == 16


def test_a_graph_too_large_to_store_is_refused_with_its_size():
    with pytest.raises(BadParameter, match=r"nodes and would take .* MB; expected at most 200 MB"):
        load("pgame:depth=40,combine=10")


@pytest.mark.parametrize(
    "settings", ["", "branching=3,depth=7", "branching=16,depth=40", "depth=10,combine=20"]
)
def test_playouts_from_the_middle_end_where_the_rules_end(settings):
    game = load(f"pgame:{settings}" if settings else "pgame")
    position = game.start().play(1, 0, 1)
    fast = PlayoutRunner(game, 1).run(position, 3000)
    slow = PlayoutRunner(game, 2, own=False).run(position, 3000)
    assert fast.plies == slow.plies == 3000 * (game.depth - 3)
    error = np.hypot(fast.errors[0], slow.errors[0])
    assert fast.means[0] == pytest.approx(slow.means[0], abs=5 * error + 1e-9)


@pytest.mark.parametrize("settings", ["depth=20", "branching=16,depth=40", "branching=3,depth=33"])
def test_a_playout_leaves_the_position_that_its_path_leads_to(settings):
    game = load(f"pgame:{settings}")
    for end, _, _ in ends_of_playouts(game.start(), 20, seed=5):
        path = str(end).splitlines()[0].partition("path ")[2].split("-")
        assert game.start().play(*path) == end
