"""A network with one hidden layer: what it computes, and the file it is kept in.

Both layers end in softsign, x / (1 + |x|).  It has the shape of a hyperbolic tangent and never
reaches -1 or 1, so that an estimate is always better than a loss and worse than a win; and it costs
one division, which processors do for several numbers at once, where `tanh` is a call into a library
for each.

Weights are one array, so that columns that are added up lie side by side:

    what each input adds to each hidden unit    [inputs * hidden], unit by unit for each input
    what each hidden unit begins with           [hidden]
    what each hidden unit adds to the value     [hidden]
    what the value begins with                  [1]

A file is JSON with a check sum over everything else in it.  Python writes real numbers with as many
digits as it takes to read the same number again.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.evaluation.features import FeatureSet
from trellis.game.bits import generator
from trellis.game.errors import BadParameter, shorten
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game
from trellis.game.rules import Reals

FORMAT = "trellis network 1"
MOST_HIDDEN = 1024
MOST_INPUTS = 1 << 16
LARGEST = 1e6  # of a weight; sums of weights then stay where softsign does not round to 1
_LARGEST_FILE = 1 << 28
_PATH = 200  # characters of a path that messages show: its end is what matters

# The weights of an evaluation: these four numbers, then the network's own.
_HIDDEN, _MIDDLE, _REACH, _INPUTS, _FIRST = range(5)


# -- what it computes ---------------------------------------------------------------------------


@kernel()
def softsign(number: float) -> float:
    """Squeeze a number into what lies between -1 and 1."""
    return number / (1.0 + abs(number))


@kernel()
def forward(weights: Reals, first: int, inputs: Reals, hidden: Reals) -> float:
    """Return what the network says, from -1 to 1; `hidden` is left with what its units say.

    The network's weights begin at `first`.  Many inputs are zero and cost nothing.
    """
    units = len(hidden)
    at = first + units * len(inputs)
    for unit in range(units):
        hidden[unit] = weights[at + unit]
    for i in range(len(inputs)):
        number = inputs[i]
        if number != 0.0:
            column = first + units * i
            for unit in range(units):
                hidden[unit] += number * weights[column + unit]
    at += units
    total = weights[at + units]
    for unit in range(units):
        hidden[unit] = softsign(hidden[unit])
        total += hidden[unit] * weights[at + unit]
    return softsign(total)


@kernel()
def count_inputs(weights: Reals) -> int:
    """Return how many inputs the network of an evaluation has."""
    return np.int64(weights[_INPUTS])  # type: ignore[return-value]


@kernel()
def count_hidden(weights: Reals) -> int:
    """Return how many hidden units the network of an evaluation has."""
    return np.int64(weights[_HIDDEN])  # type: ignore[return-value]


@kernel(makes_arrays=True)
def room_for(weights: Reals) -> tuple[Reals, Reals]:
    """Make room for the inputs and the hidden units of the network of an evaluation."""
    inputs = np.empty(count_inputs(weights), np.float64)
    return inputs, np.empty(count_hidden(weights), np.float64)


@kernel()
def judge(weights: Reals, player: int, inputs: Reals, hidden: Reals) -> float:
    """Return what player 0 can expect, in the game's own scale.

    The kernel `evaluate` of a game makes two arrays of the right lengths, calls its feature
    function, and returns this.
    """
    said = forward(weights, _FIRST, inputs, hidden)
    return weights[_MIDDLE] + weights[_REACH] * (said if player == 0 else -said)


# -- networks -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """A network for one game; `training` tells how it came about."""

    game: str  # its spec
    features: str  # the name of the inputs
    inputs: int
    hidden: int
    weights: Reals = field(repr=False)
    training: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_hidden(self.hidden)
        wanted = count_weights(self.inputs, self.hidden)
        if self.weights.shape != (wanted,):
            raise BadParameter(
                f"a network with {self.inputs} inputs and {self.hidden} hidden units needs "
                f"{wanted:,} weights, not {self.weights.size:,}"
            )
        # Written so that NaN, which no comparison holds for, is refused too.
        if not bool(np.all(np.abs(self.weights) <= LARGEST)):
            raise BadParameter(
                f"bad weights of a network for {self.game}: expected numbers from "
                f"{-LARGEST:,.0f} to {LARGEST:,.0f}"
            )

    def check_fits(self, game: Game, features: FeatureSet, *, any_spec: bool = False) -> None:
        """Refuse a network that was made for something else."""
        if self.game != game.spec and not any_spec:
            raise BadParameter(f"a network for {shorten(self.game)} cannot judge {game.spec}")
        if (self.features, self.inputs) != (features.name, features.count):
            raise BadParameter(
                f"a network with {self.inputs} inputs ({shorten(self.features)}) cannot judge "
                f"{game.spec}: expected {features.count} ({shorten(features.name)})"
            )

    def evaluation(
        self, game: Game, features: FeatureSet, *, fast: bool = True, any_spec: bool = False
    ) -> Evaluation:
        """Return this network as a judgement that searches can use.

        `fast=False` is the plain way, which the fast one is tested against; `any_spec` is for
        a network that judges a game it was not trained on.
        """
        self.check_fits(game, features, any_spec=any_spec)
        low, high = game.payoff_range
        name = f"network of {self.hidden} hidden units"
        if fast and features.compact is not None:
            function, make_weights = features.compact
            return Evaluation(name, function, low, high, make_weights(self))
        middle, reach = 0.5 * (low + high), 0.5 * (high - low)
        weights = np.concatenate([[self.hidden, middle, reach, self.inputs], self.weights])
        return Evaluation(name, features.evaluate, low, high, weights)


def count_weights(inputs: int, hidden: int) -> int:
    """Return how many weights a network has."""
    return hidden * (inputs + 2) + 1


def _check_hidden(hidden: int) -> None:
    if not 1 <= hidden <= MOST_HIDDEN:
        raise BadParameter(
            f"bad value {hidden} for hidden: expected a whole number from 1 to {MOST_HIDDEN:,}"
        )


def untrained(game: Game, features: FeatureSet, hidden: int, seed: int = 0) -> Network:
    """Make a network with small random weights."""
    _check_hidden(hidden)
    size = count_weights(features.count, hidden)
    weights = generator(seed).uniform(-1.0, 1.0, size) / np.sqrt(features.count)
    weights[-1] = 0.0
    return Network(game.spec, features.name, features.count, hidden, weights)


# -- files --------------------------------------------------------------------------------------


def _check_sum(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def write_network(path: Path, network: Network) -> None:
    """Write a file so that it is there whole or not at all, whenever this process may be killed."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "game": network.game,
        "features": network.features,
        "inputs": network.inputs,
        "hidden": network.hidden,
        "training": network.training,
        "weights": network.weights.tolist(),
    }
    content["check"] = _check_sum(content)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items()]
    # Always the same name: what a process that was killed has left is written over by the next.
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="ascii") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BadParameter(f"cannot write {shorten(str(path), _PATH)}: {error.strerror}") from error


def read_network(path: Path) -> Network:
    """Read a file that `write_network` has written, or say in one line what is wrong with it."""
    where = shorten(str(path), _PATH)
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise BadParameter(f"{where} is too large to be a network")
        content = json.loads(path.read_text(encoding="ascii"))
    except OSError as error:
        raise BadParameter(f"cannot read a network from {where}: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise BadParameter(
            f"{where} is not a whole network file: expected JSON with the format {FORMAT!r}"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadParameter(f"{where} is not a network file: expected the format {FORMAT!r}")
    check = content.pop("check", None)
    if check != _check_sum(content):
        raise BadParameter(f"{where} is damaged: its check sum does not match what it holds")
    try:
        return _network_of(content)
    except BadParameter as error:
        raise BadParameter(f"{where}: {error}") from None


def _network_of(content: dict[str, Any]) -> Network:
    kinds = {
        "game": str, "features": str, "inputs": int, "hidden": int, "training": dict,
        "weights": list,
    }  # fmt: skip
    for key, kind in kinds.items():
        value = content.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadParameter(f"bad entry {key!r} of a network: expected {kind.__name__}")
    if not 1 <= content["inputs"] <= MOST_INPUTS:
        raise BadParameter(f"bad number of inputs {content['inputs']} of a network")
    if not all(isinstance(number, float) for number in content["weights"]):
        raise BadParameter("bad weights of a network: expected a list of real numbers")
    return Network(
        content["game"],
        content["features"],
        content["inputs"],
        content["hidden"],
        np.array(content["weights"], np.float64),
        content["training"],
    )
