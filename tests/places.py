"""Where test data lies."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parent.parent.parent / "shared"
