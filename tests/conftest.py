"""What all tests share: where data lies, which games and sizes are tried."""

from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).parent.parent.parent / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of rulesheets and recorded games beside the project, where there is one."""
    if not (SHARED / "gdl").is_dir():
        pytest.skip("needs ../shared/gdl (rulesheets and recorded games), which is not here")
    return SHARED
