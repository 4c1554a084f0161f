"""Training: what one game changes, where it leads, and that it can stop anywhere."""

from dataclasses import replace

import numpy as np
import pytest

from trellis.evaluation.network import Network, read_network, write_network
from trellis.evaluation.shipped import feature_set
from trellis.evaluation.td import Trainer, TrainingSettings, is_unfinished, read_settings
from trellis.game.bits import below, seeded, uniform
from trellis.game.errors import BadParameter
from trellis.game.playouts import draw_outcome
from trellis.loading import load


def trainer(spec, **settings):
    game = load(spec)
    return Trainer(game, feature_set(game), TrainingSettings(**settings))


class Twin:
    """The same training with positions for people, and slopes by trying out.

    It shares the feature function and the dice with what it is compared to, and nothing else.
    """

    def __init__(self, spec, settings):
        self.game, self.settings = load(spec), settings
        self.features = feature_set(self.game)
        first = Trainer(self.game, self.features, settings).first
        self.weights, self.shape = first.weights.copy(), (first.inputs, first.hidden)
        self.rng, self.games = seeded(settings.seed), 0

    def judge(self, position, weights=None):
        if position.is_over:
            low, high = self.game.payoff_range
            return (position.payoffs()[0] - (low + high) / 2) / ((high - low) / 2)
        weights = self.weights if weights is None else weights
        inputs, hidden = self.shape
        out = np.zeros(inputs)
        player = self.features.function(self.game.tables, position.state, out)
        sums = out @ weights[: inputs * hidden].reshape(inputs, hidden)
        sums += weights[inputs * hidden : inputs * hidden + hidden]
        total = (sums / (1 + np.abs(sums))) @ weights[-1 - hidden : -1] + weights[-1]
        return (total / (1 + abs(total))) * (1 - 2 * player)

    def slope(self, position):
        step, found = 1e-6, np.zeros_like(self.weights)
        for i in range(len(found)):
            ends = []
            for sign in (1, -1):
                moved = self.weights.copy()
                moved[i] += sign * step
                ends.append(self.judge(position, moved))
            found[i] = (ends[0] - ends[1]) / (2 * step)
        return found

    def play(self):
        settings, position = self.settings, self.game.start()
        traces = self.slope(position)
        said = self.judge(position)
        while not position.is_over:
            explores, chance = False, position.is_chance
            codes = position.move_codes()
            if chance:
                code = codes[draw_outcome(self.rng, np.array(position.probabilities()), len(codes))]
            else:
                explores = settings.explore > 0 and uniform(self.rng) < settings.explore
                if explores:
                    code = codes[below(self.rng, len(codes))]
                else:
                    side = 1 - 2 * position.acting
                    code = max(codes, key=lambda c: side * self.judge(position.play(c)))
            position = position.play(code)
            if chance and not self.features.sees_chance:
                continue
            if not explores:
                rate = settings.rate / (1 + self.games / settings.patience)
                self.weights += rate * (self.judge(position) - said) * traces
            if not position.is_over:
                kept = 0.0 if explores else settings.trace
                traces = kept * traces + self.slope(position)
                said = self.judge(position)
        self.games += 1


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("dice:m=3,k=3", {"explore": 0.0}),
        ("dice:m=3,k=3", {"explore": 0.3, "trace": 0.9}),
        ("dice:m=2,k=2,lines=any", {"trace": 0.0, "patience": 2.0}),
        ("pig:target=8,faces=4", {"explore": 0.2}),
        ("pig:target=4,faces=3,players=1,horizon=6", {"explore": 0.2}),
    ],
)
def test_games_change_the_weights_as_the_definition_says(spec, settings):
    chosen = TrainingSettings(**{"hidden": 3, "rate": 0.3, "seed": 5} | settings)
    ours, twin = trainer(spec, **vars(chosen)), Twin(spec, chosen)
    ours.run(4)
    for _ in range(4):
        twin.play()
    changed = np.abs(twin.weights - ours.first.weights).max()
    assert changed > 0.01
    assert np.abs(twin.weights - ours.network().weights).max() < 1e-6


def test_networks_learn_the_known_value_of_a_small_board():
    """Three in a row on 3 by 3: the first player's exact value is 0.347450846.

    Each network wavers by what its last games happened to be; the mean of several does so less.
    """
    values = []
    for seed in range(3):
        taught = trainer("dice:m=3,k=3", seed=seed, rate=0.1, patience=5000)
        judged = taught.run(60_000).evaluation(taught.game, taught.features)
        start = taught.game.start()
        values.append(judged.function(judged.weights, taught.game.tables, start.state))
    assert np.mean(values) == pytest.approx(0.347450846, abs=0.04)
    assert max(values) - min(values) < 0.2


@pytest.mark.parametrize(
    ("spec", "explore", "games"), [("dice", 0.0, 10_000), ("pig:target=30", 0.1, 2_000)]
)
def test_training_beats_random_moves_and_the_untrained(spec, explore, games):
    taught = trainer(spec, seed=2, explore=explore)
    network = taught.run(games)
    for other, least in ((None, 1400), (taught.first, 1100)):
        wins, draws, losses = taught.meet(network, other, 2000)
        assert wins + draws + losses == 2000
        assert wins + draws / 2 > least


def test_a_network_meets_itself_on_equal_terms():
    """The first player's advantage goes to each in turn."""
    taught = trainer("dice:m=3,k=3")
    wins, _, losses = taught.meet(taught.first, taught.first, 4000)
    assert abs(wins - losses) < 4 * 4000**0.5
    as_first = trainer("dice:m=2,k=2,lines=any")  # won by the first player's second checker
    assert as_first.meet(as_first.first, as_first.first, 100) == (50, 0, 50)


def test_meeting_does_not_disturb_the_training():
    plain, watched = trainer("dice:m=3,k=3"), trainer("dice:m=3,k=3")
    plain.run(200)
    watched.run(100)
    watched.meet(watched.network(), None, 50)
    watched.run(200)
    assert watched.network().weights.tobytes() == plain.network().weights.tobytes()


@pytest.mark.parametrize(
    ("spec", "explore"), [("dice:m=4,k=3", 0.0), ("dice:m=3,k=3", 0.2), ("pig:target=20", 0.1)]
)
def test_a_training_taken_up_ends_like_one_that_never_stopped(spec, explore, tmp_path):
    path = tmp_path / "net.json"
    whole = trainer(spec, seed=3, explore=explore).run(900)
    trainer(spec, seed=3, explore=explore).run(333, path, every=50)
    kept = read_network(path)
    assert kept.training["games"] == 333
    again = trainer(spec, seed=3, explore=explore)
    again.take_up(kept)
    rest = again.run(900)
    assert rest.weights.tobytes() == whole.weights.tobytes()
    assert rest.training == whole.training
    assert (
        trainer(spec, seed=4, explore=explore).run(900).weights.tobytes() != whole.weights.tobytes()
    )


def test_ctrl_c_leaves_a_file_to_go_on_from(tmp_path):
    path = tmp_path / "net.json"
    stopped = trainer("dice:m=3,k=3")

    def interrupt(fraction, note):
        assert note == f"{stopped.games:,} games"
        if stopped.games >= 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.run(5000, path, interrupt, every=2000)
    kept = read_network(path)
    assert 500 <= kept.training["games"] < 2000
    assert is_unfinished(kept)
    again = trainer("dice:m=3,k=3")
    again.take_up(kept)
    assert again.run(2000).weights.tobytes() == (
        trainer("dice:m=3,k=3").run(2000).weights.tobytes()
    )


def test_a_training_does_not_go_on_with_anything_else():
    network = trainer("dice:m=3,k=3").run(10)
    with pytest.raises(BadParameter, match=r"for 'dice:m=3,k=3' cannot judge dice:m=4,k=3"):
        trainer("dice:m=4,k=3").take_up(network)
    with pytest.raises(BadParameter, match="other settings"):
        trainer("dice:m=3,k=3", rate=0.2).take_up(network)
    for changes in ({"random": "?"}, {"games": -1}, {"games": "1"}, {"plies": None}):
        broken = replace(network, training=network.training | changes)
        with pytest.raises(BadParameter, match="does not tell how its training can go on"):
            trainer("dice:m=3,k=3").take_up(broken)
    for changes in ({"rate": "fast"}, {"hidden": 1.5}, {"seed": None}):
        with pytest.raises(BadParameter, match="does not tell how it was trained"):
            read_settings(replace(network, training=network.training | changes))
    with pytest.raises(BadParameter, match="10 hidden units, its training 11"):
        read_settings(replace(network, training=network.training | {"hidden": 11}))


def test_files_of_a_training_are_networks(tmp_path):
    network = trainer("dice:m=3,k=3").run(10)
    write_network(tmp_path / "net.json", network)
    again = read_network(tmp_path / "net.json")
    assert isinstance(again, Network)
    assert again.training == network.training
    assert read_settings(again) == TrainingSettings()


@pytest.mark.parametrize(
    ("spec", "settings", "says"),
    [
        ("dice", {"hidden": 0}, "hidden"),
        ("dice", {"hidden": 5000}, "hidden"),
        ("dice", {"trace": 1.1}, "lambda"),
        ("dice", {"rate": 0.0}, "rate"),
        ("dice", {"explore": -0.1}, "explore"),
        ("dice", {"patience": float("nan")}, "patience"),
        ("tic_tac_toe", {}, "no feature function for tic_tac_toe: expected one of dice, pig"),
        ("pig:players=3", {}, "cannot train on pig:players=3"),
    ],
)
def test_bad_settings_and_games_are_refused_by_name(spec, settings, says):
    with pytest.raises(BadParameter, match=says):
        trainer(spec, **settings)


def test_bad_numbers_of_games_are_refused():
    for games in (0, -1, 10**10):
        with pytest.raises(BadParameter, match="bad number of games"):
            trainer("dice:m=3,k=3").run(games)
