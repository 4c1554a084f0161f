"""Where test data lies, and what tests of commands look at."""

import signal
from pathlib import Path

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parent.parent.parent / "shared"


def hear_ctrl_c() -> None:
    """Let a new process hear Ctrl-C: one that runs in the background inherits deaf ears."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def told(err: str) -> list[str]:
    """Return what a command said on standard error, besides that it compiles for a while."""
    return [line for line in err.splitlines() if "later starts are quick" not in line]
