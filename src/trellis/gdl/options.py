"""How a rulesheet is loaded and played: its options, as parameters of its name or of commands.

Nothing here imports Numba.
"""

from dataclasses import dataclass
from typing import Any

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import check_options, option
from trellis.game.spec import split_options
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.load_limit import LOAD_SECONDS

PROVE_SECONDS = 5.0  # for what can be proven of a sheet while it is loaded


@dataclass(frozen=True)
class SheetOptions:
    """What can be told beside the file: `game.kif:evaluator=forward`, `--evaluator forward`."""

    ground_limit: str | None = option(
        None,
        "Limits of grounding: seconds, or seconds=60,mebibytes=3000,rules=2500000.",
        text="seconds, or some of seconds=N, mebibytes=N, rules=N, joined by +",
        usual=f"{Limits().seconds:g} seconds, {Limits().mebibytes:,} MiB, {Limits().rules:,} rules",
    )
    evaluator: str = option(
        "auto",
        "What plays the rulesheet: circuit, event and lanes refuse to fall back to forward "
        "chaining.",
        choices=("auto", "circuit", "event", "lanes", "forward"),
    )
    ignore_step: bool = option(
        False, "Leave the step counter out of positions; refused where a rule depends on it."
    )
    load_time: float = option(LOAD_SECONDS, "Seconds that loading the rulesheet may take.", above=0)
    prove_time: float = option(
        PROVE_SECONDS, "Seconds for proving what searches may rely on.", low=0
    )

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def limits(self) -> Limits:
        """Return what grounding may cost."""
        return Limits() if self.ground_limit is None else read_limits(self.ground_limit)


def read_limits(text: str) -> Limits:
    """Read limits: `5` is seconds; `seconds=5,rules=1000` has names, parted by "," or "+"."""
    words, given = split_options(text.replace("+", ","), "ground limit")
    if words and "seconds" not in given:
        given["seconds"] = words.pop(0)
    try:
        read: dict[str, Any] = {
            name: (float if name == "seconds" else int)(value) for name, value in given.items()
        }
        limits = Limits(**read)
    except (TypeError, ValueError):
        limits = None
    if words or not given or limits is None or not all(0 < limit < 1e9 for limit in limits):
        names = ", ".join(f"{each}=N" for each in Limits._fields)
        raise BadParameter(
            f"bad ground limit {shorten(text)}: expected seconds, or some of {names}, above 0"
        )
    return limits
