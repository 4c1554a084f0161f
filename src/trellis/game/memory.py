"""How much memory this machine has.

Memory that nobody has touched yet costs nothing, so the system promises any amount; a process that
touches more than there is gets killed without a word.  Hence a look beforehand.
"""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from trellis.game.errors import BadParameter

MIB = 1 << 20
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def memory_of_machine() -> float:
    """Return the mebibytes this process may hope for; infinite where nobody says."""
    known = []
    with suppress(AttributeError, OSError, ValueError):  # no such thing on some systems
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _LIMITS:  # a container may have less
        try:
            text = Path(path).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if text.isdigit():
            known.append(int(text))
    return min((each / MIB for each in known if each > 0), default=float("inf"))


def refuse_too_much(memory: float) -> None:
    """Refuse a budget, in mebibytes, that this machine cannot keep."""
    there_is = memory_of_machine()
    if memory > there_is:
        raise BadParameter(
            f"bad memory {memory:g} MiB: expected at most the {there_is:,.0f} MiB of this machine"
        )
