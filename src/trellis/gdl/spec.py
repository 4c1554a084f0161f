"""The name of a rulesheet with parameters, as people write it: `game.kif:evaluator=forward`."""

from math import inf
from pathlib import Path

from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game
from trellis.game.spec import read_value, split_sheet_spec, split_spec
from trellis.gdl.game import PROVE_SECONDS, load_sheet
from trellis.gdl.grounding.clingo import Limits, read_limits
from trellis.gdl.load_limit import LOAD_SECONDS


def load_sheet_spec(spec: str) -> Game:
    """Load a rulesheet: `game.kif`, or `game.kif:evaluator=forward`."""
    path, rest = split_sheet_spec(spec) or (Path(spec), "")
    _, given = split_spec(f"sheet{rest}")
    known = ("evaluator", "ground_limit", "ignore_step", "load_time", "prove_time")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BadParameter(
            f"a rulesheet has no parameter {shorten(unknown[0])}: expected {', '.join(known)}"
        )
    settings = {name: read_value(text) for name, text in given.items()}
    ignore_step = settings.get("ignore_step", False)
    if not isinstance(ignore_step, bool):
        raise BadParameter(
            f"bad value {shorten(given['ignore_step'])} of ignore_step: expected true or false"
        )
    usual = {"load_time": LOAD_SECONDS, "prove_time": PROVE_SECONDS}
    seconds = {name: settings.get(name, usual[name]) for name in usual}
    for name, value in seconds.items():
        least = 0 if name == "prove_time" else 1e-9
        if not isinstance(value, int | float) or not least <= value < inf:
            raise BadParameter(
                f"bad value {shorten(given[name])} of {name}: expected seconds, "
                f"{'0 or more' if least == 0 else 'above 0'}"
            )
    return load_sheet(
        path,
        str(settings.get("evaluator", "auto")),
        read_limits(given["ground_limit"]) if "ground_limit" in given else Limits(),
        settings,
        ignore_step=ignore_step,
        seconds=float(seconds["load_time"]),
        prove_seconds=float(seconds["prove_time"]),
    )
