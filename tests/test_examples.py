"""Examples that learn something do so at a tiny scale."""

import learn_connect_four as example
import numpy as np
import pytest

import trellis


@pytest.fixture(scope="module")
def network():
    return example.learn(games=4, sims=16, round_games=2, say=lambda line: None)


def test_slopes_are_those_of_the_loss():
    """The step that a network takes follows finite differences of its loss."""
    random = np.random.default_rng(1)
    network = example.Network(seed=2)
    features = random.integers(0, 2, (6, 3, 5, 5)).astype(np.float32)
    values = random.uniform(-1, 1, 6).astype(np.float32)
    policies = random.dirichlet(np.ones(5), 6).astype(np.float32)

    def loss():
        *_, told, logits = network.forward(features)
        shares = example.softmax(logits)
        return ((told - values) ** 2).mean() - (policies * np.log(shares)).sum(1).mean()

    network.weights = [each.astype(np.float64) for each in network.weights]
    before = [each.copy() for each in network.weights]
    differences = []
    for weight in network.weights:
        place = np.unravel_index(np.argmax(np.abs(weight)), weight.shape)
        kept = weight[place]
        losses = []
        for change in (1e-4, -1e-4):
            weight[place] = kept + change
            losses.append(loss())
        weight[place] = kept
        differences.append((place, (losses[0] - losses[1]) / 2e-4))
    network.learn(features, values, policies, rate=0.0, decay=0.0)
    for (place, expected), mean in zip(differences, network.means, strict=True):
        assert mean[place] / 0.1 == pytest.approx(expected, rel=1e-2, abs=1e-4)
    for weight, was in zip(network.weights, before, strict=True):
        assert np.array_equal(weight, was)


def test_learning_again_with_the_same_seed_gives_the_same_network(network):
    again = example.learn(games=4, sims=16, round_games=2, say=lambda line: None)
    for one, other in zip(network.weights, again.weights, strict=True):
        assert np.array_equal(one, other)


def test_what_games_against_itself_teach_is_in_bounds(network):
    planes, values, policies = example.self_play(
        network, trellis.load(example.GAME), 16, np.random.default_rng(3)
    )
    assert len(planes) == len(values) == len(policies)
    assert (np.abs(values) <= 1).all()
    assert policies.sum(1) == pytest.approx(1)


def test_learning_makes_errors_smaller(network):
    game, random = trellis.load(example.GAME), np.random.default_rng(4)
    planes, values, policies = example.self_play(network, game, 16, random)
    learner = example.Network(seed=5)
    losses = [sum(learner.learn(planes, values, policies)) for _ in range(60)]
    assert losses[-1] < losses[0] * 0.8


def test_a_network_plays_against_playouts_and_survives_a_file(network, tmp_path, monkeypatch):
    file = tmp_path / "network.npz"
    network.save(file)
    monkeypatch.setattr(example, "FILE", file)
    monkeypatch.setattr(example, "_network", None)
    start = trellis.load(example.GAME).start()
    features, legal = game_arrays(start)
    for one, other in zip(
        example.judge(features, legal), network.judge(features, legal), strict=True
    ):
        assert np.array_equal(one, other)
    result = example.compare(example.Network.load(file), sims=16, games=2)
    assert result.games == 2
    assert not result.forfeits


def game_arrays(position):
    planes = position.game.planes.of(position)[None]
    return planes, np.ones((1, position.game.move_codes), bool)
