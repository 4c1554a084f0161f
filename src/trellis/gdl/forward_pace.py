"""How fast forward chaining plays a sheet, and what is said where that was not asked for."""

from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

from trellis.game.errors import LimitReached, TrellisError, shorten
from trellis.gdl.checking.witness import random_play
from trellis.gdl.evaluators.machine import Machine
from trellis.gdl.grounding.time_limit import time_limit

_MOMENT, _LONGEST = 0.3, 2.0  # seconds
_LONGEST_GAME = 100_000  # steps

ASKED_FOR = "asked for"  # the reason of forward chaining that is not a fallback


def steps_per_second(machine: Machine) -> float:
    """Play at random for a moment; return how many steps a second that makes, 0 where none did."""
    steps, began = 0, perf_counter()
    with suppress(LimitReached), time_limit(_LONGEST, "a moment"):
        for moment in random_play(machine, seed=0, longest=_LONGEST_GAME):
            steps += moment.before is not None
            goes_on = moment.legal is not None and all(moment.legal)
            if perf_counter() - began >= _MOMENT or not (steps or goes_on):
                break
    return steps / (perf_counter() - began)


def fallback_line(game: Any) -> str:
    """Say why a sheet is played by forward chaining, how fast that is and what changes it."""
    if game.reason in ("", ASKED_FOR):
        return ""
    try:
        rate = steps_per_second(game.own.machine)
    except TrellisError:  # whoever plays is told
        rate = 0.0
    pace = "less than one step in two seconds"
    if rate > 0:
        pace = f"about {rate:{',.0f' if rate >= 2 else '.1f'}} steps a second"
    name = shorten(Path(game.name).stem).strip("'")
    return f"{name}: {game.reason}; played by forward chaining, {pace}{_remedy(game.reason)}"


def _remedy(reason: str) -> str:
    """Name the option that changes it, if there is one."""
    if "for loading" in reason:
        return "; --load-time changes that"
    if "ground" in reason:
        return "; --ground-limit changes that"
    return ""
