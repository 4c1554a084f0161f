"""How fast a sheet plays: random playouts by each evaluator, beside a fixed loop.

Machines differ, and the same machine from one minute to the next.  The fixed loop is measured in
the same run, before and after each evaluator, so that figures can be compared as ratios to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

import numba.types as nt
import numpy as np

from trellis._kernel.jit import kernel
from trellis._kernel.progress import Progress
from trellis._kernel.timing import Rounds, timed
from trellis.game.errors import LimitReached, TrellisError
from trellis.game.playouts import PlayoutRunner
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.evaluators.lane_playouts import FEW
from trellis.gdl.game import SheetGame
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.replay import EVALUATORS

_ROUNDS = 8  # that a measurement is divided into
_LEFT, _RIGHT, _LAST = np.uint64(13), np.uint64(7), np.uint64(17)


@kernel(nt.uint64(nt.int64))
def reference_loop(steps: int) -> np.uint64:
    """Draw so many numbers with xorshift: each depends on the one before, nothing is stored."""
    x = np.uint64(88172645463325252)
    for _ in range(steps):
        x ^= x << _LEFT
        x ^= x >> _RIGHT
        x ^= x << _LAST
    return x


def measure_reference() -> float:
    """Return how many steps of the fixed loop this machine makes in a second, now."""
    reference_loop(1)
    return Rounds(timed(lambda steps: float(reference_loop(steps))), 0.05, 1_000_000).next().rate


@dataclass
class Speed:
    """Playouts of one evaluator; `reason` tells why there are none."""

    playouts: int = 0
    states: float = 0.0  # steps made, each to another state
    seconds: float = 0.0
    reason: str = ""

    @property
    def playouts_per_second(self) -> float:
        """Return playouts per second."""
        return self.playouts / self.seconds if self.seconds else 0.0

    @property
    def states_per_second(self) -> float:
        """Return states per second."""
        return self.states / self.seconds if self.seconds else 0.0


@dataclass
class Measured:
    """All that is measured of a sheet."""

    file: str
    load_seconds: float = 0.0
    ground_seconds: float | None = None
    build_seconds: float | None = None
    forward_seconds: float | None = None  # to plan and write the forward chaining program
    gates: int | None = None
    reason: str = ""  # why there is no circuit
    reference: float = 0.0  # steps of the fixed loop per second
    evaluators: dict[str, Speed] = field(default_factory=dict)

    @property
    def chosen(self) -> str | None:
        """Return the fastest evaluator."""
        rates = {name: speed.playouts_per_second for name, speed in self.evaluators.items()}
        best = max(rates, key=rates.__getitem__, default=None)
        return best if best is not None and self.evaluators[best].playouts else None

    def to_dict(self) -> dict[str, Any]:
        """Return what programs read."""
        return {
            "file": self.file,
            "load_seconds": self.load_seconds,
            "ground_seconds": self.ground_seconds,
            "build_seconds": self.build_seconds,
            "forward_seconds": self.forward_seconds,
            "gates": self.gates,
            "evaluators": {
                name: {
                    "playouts_per_second": speed.playouts_per_second if speed.playouts else None,
                    "states_per_second": speed.states_per_second if speed.playouts else None,
                    **({"reason": speed.reason} if speed.reason else {}),
                }
                for name, speed in self.evaluators.items()
            },
            "chosen": self.chosen,
            "reason": self.reason or None,
            "reference_per_second": self.reference,
        }


def measure_sheet(
    sheet: Sheet,
    evaluators: tuple[str, ...] = EVALUATORS,
    seconds: float = 1.0,
    seed: int = 0,
    began: float | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Load a sheet and measure evaluators, about so many seconds each.

    `began` is when its file was opened, to count reading it as loading.
    """
    began = perf_counter() if began is None else began
    found = Measured(sheet.name)
    circuit = _load(sheet, found) if set(evaluators) != {"forward"} else None
    found.load_seconds = perf_counter() - began
    loops = [measure_reference()]
    wanted = [name for name in evaluators if circuit is not None or name == "forward"]
    wanted = wanted or ["forward"]  # what such a sheet is played by
    for number, name in enumerate(wanted):
        if progress is not None:
            progress(number / len(wanted), name)
        try:
            if name == "forward":
                found.evaluators[name] = _forward(sheet, found, seconds, seed)
            elif circuit is not None:
                found.evaluators[name] = _circuit(sheet, name, seconds, seed)
        except TrellisError as error:
            found.evaluators[name] = Speed(reason=str(error))
        loops.append(measure_reference())
    found.reference = median(loops)
    if circuit is None and found.forward_seconds is not None:
        found.load_seconds += found.forward_seconds
    return found


def _load(sheet: Sheet, found: Measured) -> Circuit | None:
    began = perf_counter()
    try:
        found.ground_seconds = sheet.ground.seconds
        between = perf_counter()
        circuit = sheet.circuit
        found.build_seconds = perf_counter() - between
    except LimitReached as limit:
        found.reason = str(limit)
        found.ground_seconds = perf_counter() - began
        return None
    found.gates = circuit.gates
    return circuit


# --- evaluators


def _circuit(sheet: Sheet, name: str, seconds: float, seed: int) -> Speed:
    """Measure the playouts that users get: those of the game that the sheet is loaded as."""
    way, lanes = ("event", None) if name == "event" else ("lanes", int(name[len("lanes") :]))
    game = SheetGame(sheet, playouts=way, lanes=lanes)
    start, runner = game.start(), PlayoutRunner(game, seed)

    def run(games: int) -> float:
        return float(runner.run(start, games).plies)

    speed = _measure(run, lanes or 1, seconds)
    # A ply is one player's choice; a state follows when all have chosen.
    if name == "event" and (game.is_simultaneous or game.has_chance):
        steps = PlayoutRunner(SheetGame(sheet, playouts="lanes"), seed).run(start, FEW)
        speed.states = speed.playouts * steps.plies / steps.games
    return speed


def _forward(sheet: Sheet, found: Measured, seconds: float, seed: int) -> Speed:
    began = perf_counter()
    machine = sheet.forward
    found.forward_seconds = perf_counter() - began
    dice = Random(seed)

    def run(games: int) -> float:
        return float(sum(machine.playout(dice)[1] for _ in range(games)))

    return _measure(run, 1, seconds)


def _measure(run: Callable[[int], float], games: int, seconds: float) -> Speed:
    """Measure `run(games)`, which returns states, with at least so many games at once."""
    run(games)
    best = Rounds(timed(run), seconds / _ROUNDS, games).fastest(_ROUNDS)
    return Speed(best.count, best.amount, best.seconds)
