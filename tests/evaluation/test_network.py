"""Networks: what they compute, against NumPy; the files they are kept in; what is shipped."""

import json
import os
import random

import numpy as np
import pytest

from trellis.evaluation.network import LARGEST, Network, count_weights, read_network, untrained
from trellis.evaluation.network import write_network as write
from trellis.evaluation.shipped import feature_set, shipped_evaluation, shipped_network
from trellis.evaluation.td import TrainingSettings, read_settings
from trellis.game.errors import BadParameter
from trellis.loading import load
from trellis.search.star.engine import StarSearch
from trellis.search.star.reference import expectimax

BOARDS = [
    ("dice", 10),
    ("dice:lines=any", 10),
    ("dice:full=pass,lines=rows", 12),
    ("dice:k=3", 10),  # the usual board, but not the usual line
    ("dice", 3),
    ("dice:m=4,k=4", 7),
    ("dice:m=3,k=3", 10),
    ("dice:m=8,k=5", 5),
    ("dice:m=2,k=2", 2),
]


def positions(game, count, seed=0):
    draw = random.Random(seed)
    found = []
    while len(found) < count:
        position = game.start()
        while not position.is_over:
            found.append(position)
            position = position.play(draw.choice(position.move_codes()))
    return found[:count]


def grid(position):
    """The board as rows of characters, row 1 first, read from its drawing."""
    m = position.game.parameters["m"]
    return [line.split()[1:] for line in reversed(str(position).splitlines()[:m])]


def mover(position):
    """Who rolls or has rolled, read from the drawing."""
    return "xo".index(str(position).splitlines()[-1][0])


def dice_inputs(position):
    """The inputs of dice, from letters on a grid."""
    m, k, lines = (position.game.parameters[name] for name in ("m", "k", "lines"))
    board, player = grid(position), mover(position)
    if player == 1 and lines == "rc":
        board = [list(column) for column in zip(*board, strict=True)]
    own, other = "xo"[player], "xo"[1 - player]
    runs = {(who, n): 0 for who in "xo" for n in (2, 3)}
    for row in range(m):
        for column in range(m):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(k)]
                if all(0 <= r < m and 0 <= c < m for r, c in cells):
                    letters = "".join(board[r][c] for r, c in cells)
                    for who, rival in ("xo", "ox"):
                        if rival not in letters and letters.count(who) in (2, 3):
                            runs[who, letters.count(who)] += 1
    flat = [cell for line in board for cell in line]
    return np.array(
        [cell == own for cell in flat]
        + [cell == other for cell in flat]
        + [runs[own, 2] / 4, runs[own, 3] / 2, runs[other, 2] / 4, runs[other, 3] / 2],
        float,
    )


def says(network, inputs):
    """What a network says, by matrices."""
    n, h = network.inputs, network.hidden
    first = network.weights[: n * h].reshape(n, h)
    begin, out = network.weights[n * h : n * h + h], network.weights[n * h + h : -1]
    hidden = inputs @ first + begin
    total = hidden / (1 + np.abs(hidden)) @ out + network.weights[-1]
    return total / (1 + abs(total))


def random_network(game, hidden, seed=1):
    network = untrained(game, feature_set(game), hidden, seed)
    return Network(
        network.game, network.features, network.inputs, hidden, network.weights * 5 + 0.01
    )


def asked(evaluation, position):
    return float(evaluation.function(evaluation.weights, position.game.tables, position.state))


@pytest.mark.parametrize(("spec", "hidden"), BOARDS)
def test_both_ways_to_ask_a_dice_network_agree_with_matrices(spec, hidden):
    game = load(spec)
    network = random_network(game, hidden)
    fast = network.evaluation(game, feature_set(game))
    plain = network.evaluation(game, feature_set(game), fast=False)
    assert fast.function is not plain.function
    values = set()
    for position in positions(game, 400):
        value = says(network, dice_inputs(position)) * (1 - 2 * mover(position))
        assert asked(plain, position) == pytest.approx(value, abs=1e-12)
        assert asked(fast, position) == pytest.approx(value, abs=1e-12)
        values.add(value)
    assert len(values) > min(100, 2 * game.parameters["m"])


def test_the_usual_board_has_54_inputs():
    assert feature_set(load("dice")).count == 54


def test_runs_are_lines_that_are_still_open():
    # x has a1 b1 c1, o has d2 c3 and a3: x can still complete a1-d1 with one, b1-e1 with two more.
    game = load("dice")
    position = game.start()
    for line, cell in zip(
        ["row-1", "column-d", "row-1", "column-c", "row-1", "column-a"],
        ["a1", "d2", "b1", "c3", "c1", "a3"],
        strict=True,
    ):
        position = position.play(line, cell)
    features = feature_set(game)
    out = np.full(54, np.nan)
    assert features.function(game.tables, position.state, out) == 0
    assert np.flatnonzero(out[:25]).tolist() == [0, 1, 2]
    assert np.flatnonzero(out[25:50]).tolist() == [8, 10, 12]
    # Open for x: a1-d1 with three, b1-e1 with two; for o, with two each: a3-d3, a5-d2 and b4-e1.
    assert out[50:].tolist() == [1 / 4, 1 / 2, 3 / 4, 0]


@pytest.mark.parametrize(
    ("spec", "exchange"),
    [
        ("dice", "diagonal mirror, players exchanged"),
        ("dice:lines=any", "identity, players exchanged"),
        ("dice:lines=rows", "identity, players exchanged"),
    ],
)
def test_exchanging_the_players_turns_the_value(spec, exchange):
    game = load(spec)
    evaluation = random_network(game, 10).evaluation(game, feature_set(game))
    index = [symmetry.name for symmetry in game.symmetries].index(exchange)
    for position in positions(game, 300):
        # Up to rounding: for the other player the rows are added up from other numbers.
        value = asked(evaluation, position)
        assert value == pytest.approx(-asked(evaluation, position.image(index)), abs=1e-13)
        assert abs(value) > 1e-6


@pytest.mark.parametrize("sign", [-1, 1])
def test_no_network_reaches_a_win_or_a_loss(sign):
    game = load("dice")
    features = feature_set(game)
    weights = np.full(count_weights(54, 10), LARGEST)
    weights[-1] = weights[-1] * sign
    weights[-11:-1] *= sign
    network = Network(game.spec, features.name, 54, 10, weights)
    for fast in (True, False):
        evaluation = network.evaluation(game, features, fast=fast)
        values = [asked(evaluation, position) for position in positions(game, 100)]
        assert max(map(abs, values)) < 1.0
        assert max(map(abs, values)) > 0.999


def test_a_pig_network_agrees_with_matrices():
    game = load("pig:target=30")
    network = random_network(game, 6)
    evaluation = network.evaluation(game, feature_set(game))
    for position in positions(game, 300):
        scores = [int(line.split()[2]) / 30 for line in str(position).splitlines()[:2]]
        words = str(position).splitlines()[2].split()
        player, rolls, brought = int(words[1]) - 1, "rolls," in words, int(words[-3]) / 30
        four = [scores[player], scores[1 - player], brought, scores[player] + brought]
        inputs = np.array([*four, *(number * rolls for number in four), rolls], float)
        value = says(network, inputs) * (1 - 2 * player)
        assert asked(evaluation, position) == pytest.approx(value, abs=1e-12)


# -- files --------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "net.json"
    network = random_network(load("dice:m=3,k=3"), 4)
    write(path, network)
    return path, network


def test_a_file_gives_back_the_very_same_network(kept):
    path, network = kept
    again = read_network(path)
    assert again.weights.tobytes() == network.weights.tobytes()
    assert (again.game, again.features, again.inputs, again.hidden) == (
        network.game, network.features, network.inputs, network.hidden,
    )  # fmt: skip
    assert [child.name for child in path.parent.iterdir()] == ["net.json"]


def test_a_truncated_file_is_refused_wherever_it_ends(kept):
    path, _ = kept
    whole = path.read_bytes()
    for length in [*range(0, len(whole) - 2, 37), len(whole) - 2]:
        path.write_bytes(whole[:length])
        with pytest.raises(BadParameter, match=r"net\.json.* network file") as refused:
            read_network(path)
        assert "\n" not in str(refused.value)


def test_a_damaged_file_is_refused(kept):
    path, network = kept
    text = path.read_text()
    digits = repr(float(network.weights[5]))
    other = digits[:-1] + ("1" if digits[-1] != "1" else "2")
    assert text.count(digits) == 1
    path.write_text(text.replace(digits, other))
    with pytest.raises(BadParameter, match="damaged"):
        read_network(path)


@pytest.mark.parametrize(
    "text", [b"", b"[1, 2]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"format": "another"}', b"NaN"]
)
def test_what_is_no_network_is_refused(tmp_path, text):
    path = tmp_path / "net.json"
    path.write_bytes(text)
    with pytest.raises(BadParameter, match="network file"):
        read_network(path)


def _with_check_sum(path, changes):
    """Write a file whose check sum is right but whose content is not."""
    from trellis.evaluation import network

    content = json.loads(path.read_text()) | changes
    del content["check"]
    content["check"] = network._check_sum(content)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"hidden": 5}, "needs 121 weights, not 97"),
        ({"hidden": 0}, "hidden"),
        ({"hidden": True}, "hidden"),
        ({"inputs": -4}, "inputs"),
        ({"weights": [0.0] * 96}, "needs 97 weights, not 96"),
        ({"weights": [0.0] * 96 + [float("nan")]}, "bad weights"),
        ({"weights": [0.0] * 96 + [1e300]}, "bad weights"),
        ({"weights": [0.0] * 96 + ["1"]}, "bad weights"),
        ({"weights": "0"}, "weights"),
        ({"game": None}, "game"),
    ],
)
def test_bad_entries_are_refused_by_name(kept, changes, says):
    path, network = kept
    assert (network.inputs, len(network.weights)) == (22, 97)
    _with_check_sum(path, changes)
    with pytest.raises(BadParameter, match=says) as refused:
        read_network(path)
    assert "net.json" in str(refused.value)


def test_missing_files_and_folders_are_refused(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(BadParameter, match="cannot read a network"):
            read_network(path)


def test_a_network_for_something_else_is_refused(kept):
    network = read_network(kept[0])
    for spec in ("dice:m=3,k=3,lines=any", "dice:m=3,k=2"):
        game = load(spec)
        with pytest.raises(BadParameter, match=r"for 'dice:m=3,k=3' cannot judge dice:m=3"):
            network.evaluation(game, feature_set(game))
    game = load("dice")
    with pytest.raises(BadParameter, match=r"22 inputs .* cannot judge dice: expected 54"):
        network.evaluation(game, feature_set(game), any_spec=True)


def test_a_file_that_cannot_be_written_stays_as_it_was(kept, monkeypatch):
    path, _ = kept
    before = path.read_bytes()

    def fail(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(BadParameter, match="No space left"):
        write(path, random_network(load("dice"), 10))
    assert path.read_bytes() == before
    assert [child.name for child in path.parent.iterdir()] == ["net.json"]


# -- what is shipped ----------------------------------------------------------------------------


def test_the_shipped_network_is_what_the_command_makes_unless_told_otherwise():
    from trellis.cli.train import USUAL_GAMES

    network = shipped_network("dice")
    assert (network.game, network.inputs, network.hidden) == ("dice", 54, 10)
    assert read_settings(network) == TrainingSettings()
    assert network.training["games"] == USUAL_GAMES


def test_games_with_and_without_a_shipped_evaluation():
    for spec in ("dice", "dice:lines=any", "dice:lines=rows,full=pass", "backgammon"):
        game = load(spec)
        evaluation = shipped_evaluation(game)
        assert (evaluation.low, evaluation.high) == game.payoff_range
        values = [asked(evaluation, position) for position in positions(game, 60)]
        assert evaluation.low < min(values) < -0.02 < 0.02 < max(values) < evaluation.high
    for spec in ("dice:m=4,k=4", "dice:k=3", "pig", "tic_tac_toe"):
        assert shipped_evaluation(load(spec)) is None


def test_backgammon_is_judged_in_its_own_scale():
    game = load("backgammon:scoring=full")
    evaluation = shipped_evaluation(game)
    assert evaluation.high == 3
    plain = shipped_evaluation(load("backgammon"))
    assert plain.high == 1
    for position in positions(game, 60, seed=3):
        # No gammon is foreseen, so it is worth what it is worth without them.
        value = asked(evaluation, position)
        tables = load("backgammon").tables
        assert value == pytest.approx(plain.function(plain.weights, tables, position.state))


def test_a_search_with_the_shipped_network_finds_what_expectimax_finds():
    game = load("dice")
    evaluation = shipped_evaluation(game)
    position = positions(game, 12)[10]
    report = StarSearch(position, "star2tt", evaluation).run(depth=4)
    truth = expectimax(position, 4, lambda leaf: asked(evaluation, leaf))
    assert report.value == pytest.approx(truth, abs=1e-9)
    assert not report.solved
