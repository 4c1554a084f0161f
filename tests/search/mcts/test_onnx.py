"""Networks in files of ONNX, run by ONNX Runtime, against the same network in NumPy."""

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.search.mcts.onnx_model import OnnxModel

pytest.importorskip("onnxruntime", reason="ONNX Runtime is not installed")
onnx = pytest.importorskip("onnx", reason="onnx, which writes the models, is not installed")

GAME = "connect_four:rows=4,columns=5,x_in_row=3"
PLANES, ROWS, COLUMNS = 3, 4, 5
SIZE = PLANES * ROWS * COLUMNS
RANDOM = np.random.default_rng(3)
VALUE = RANDOM.normal(size=(SIZE, 1)).astype(np.float32) / 8
POLICY = RANDOM.normal(size=(SIZE, COLUMNS)).astype(np.float32) / 8


def write_model(path, *, outputs=("value", "policy"), softmax=False):
    """Write a network of one layer for each output."""
    helper, real = onnx.helper, onnx.TensorProto.FLOAT
    last = "Softmax" if softmax else "Identity"
    made = {
        "value": [
            helper.make_node("MatMul", ["flat", "value_weights"], ["sum"]),
            helper.make_node("Tanh", ["sum"], ["value"]),
        ],
        "policy": [
            helper.make_node("MatMul", ["flat", "policy_weights"], ["logits"]),
            helper.make_node(last, ["logits"], ["policy"]),
        ],
    }
    widths = {"value": 1, "policy": COLUMNS}
    graph = helper.make_graph(
        [
            helper.make_node("Flatten", ["board"], ["flat"]),
            *(node for name in outputs for node in made[name]),
        ],
        "network",
        [helper.make_tensor_value_info("board", real, ["B", PLANES, ROWS, COLUMNS])],
        [helper.make_tensor_value_info(name, real, ["B", widths[name]]) for name in outputs],
        [
            onnx.numpy_helper.from_array(VALUE, "value_weights"),
            onnx.numpy_helper.from_array(POLICY, "policy_weights"),
        ],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), str(path))
    return path


def in_numpy(features, legal):
    """Judge as the network does."""
    flat = features.reshape(len(features), -1)
    logits = np.where(legal, flat @ POLICY, -np.inf)
    priors = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.tanh(flat @ VALUE), priors


@pytest.mark.parametrize("outputs", [("value", "policy"), ("policy", "value")])
@pytest.mark.parametrize("softmax", [False, True])
def test_a_model_judges_as_the_same_network_in_numpy(tmp_path, outputs, softmax):
    game = trellis.load(GAME)
    model = OnnxModel(write_model(tmp_path / "m.onnx", outputs=outputs, softmax=softmax), game)
    positions = [game.start().play(*moves) for moves in ("", "c", "cc", "ccbbb", "aabba")]
    features = np.stack([game.planes.of(position) for position in positions]).astype(np.float32)
    legal = np.zeros((len(positions), COLUMNS), np.bool_)
    for row, position in zip(legal, positions, strict=True):
        row[position.move_codes()] = True
    values, priors = model(features, legal)
    expected_values, expected = in_numpy(features, legal)
    assert np.allclose(values, expected_values, atol=1e-5)
    shares = [np.where(legal, each, 0.0) for each in (priors, expected)]
    shares = [each / each.sum(axis=1, keepdims=True) for each in shares]
    assert np.allclose(*shares, atol=1e-5)


def test_a_search_with_a_model_is_one_with_the_same_network_in_numpy(tmp_path):
    path = str(write_model(tmp_path / "m.onnx"))
    ours, theirs = (
        trellis.Search(GAME, evaluate=judge, seed=2, batch=8, bounds="off").run(sims=400)
        for judge in (path, in_numpy)
    )
    assert ours.best == theirs.best
    assert [line.visits for line in ours.moves] == [line.visits for line in theirs.moves]


def test_a_model_plays(tmp_path):
    text = f"network:{write_model(tmp_path / 'model.onnx')},sims=400"
    start = trellis.load(GAME).start()
    assert trellis.make_player(text, seed=1).choose(start, 0) in start.moves()
    values_only = write_model(tmp_path / "value.onnx", outputs=("value",))
    search = trellis.Search(GAME, evaluate=str(values_only), seed=1)
    assert search.run(sims=200).best in start.moves()


def test_what_is_no_model_gets_one_line(tmp_path):
    (tmp_path / "broken.onnx").write_bytes(b"no network")
    with pytest.raises(BadParameter, match="is not a network") as error:
        trellis.Search(GAME, evaluate=str(tmp_path / "broken.onnx"))
    assert "\n" not in str(error.value)
    path = str(write_model(tmp_path / "m.onnx"))
    with pytest.raises(BadParameter, match="3 x 6 x 7, the planes of connect_four"):
        trellis.Search("connect_four", evaluate=path)
