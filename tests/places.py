"""Where test data lies, and what tests of commands look at."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parent.parent.parent / "shared"


def told(err: str) -> list[str]:
    """Return what a command said on standard error, besides that it compiles for a while."""
    return [line for line in err.splitlines() if "later starts are quick" not in line]
