"""How fast forward chaining plays a sheet, and what is said where that was not asked for."""

from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from trellis.game.errors import LimitReached, TrellisError, shorten
from trellis.gdl.grounding.time_limit import time_limit

if TYPE_CHECKING:
    from trellis.gdl.evaluators.machine import Machine

_MOMENT, _LONGEST = 0.3, 2.0  # seconds

ASKED_FOR = "asked for"  # the reason of forward chaining that is no fallback


def steps_per_second(machine: "Machine") -> float:
    """Play at random for a moment; return how many steps a second that makes, 0 where none did."""
    dice, steps, began = Random(0), 0, perf_counter()
    try:
        with time_limit(_LONGEST, "a moment"):
            state = machine.initial()
            while perf_counter() - began < _MOMENT:
                legal = [] if machine.terminal(state) else machine.legal(state)
                if not legal or not all(legal):
                    if not steps:
                        return 0.0
                    state = machine.initial()
                    continue
                state = machine.next(state, [dice.choice(moves) for moves in legal])
                steps += 1
    except LimitReached:
        pass
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
        pace = (
            f"about {rate:,.0f} steps a second" if rate >= 2 else f"about {rate:.1f} steps a second"
        )
    name = shorten(Path(game.name).stem).strip("'")
    return f"{name}: {game.reason}; played by forward chaining, {pace}{_remedy(game.reason)}"


def _remedy(reason: str) -> str:
    """Name the option that changes it, if there is one."""
    if "for loading" in reason:
        return "; --load-time changes that"
    if "ground" in reason:
        return "; --ground-limit changes that"
    return ""
