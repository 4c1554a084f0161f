"""What all tests share."""

from pathlib import Path

import pytest

from places import SHARED


@pytest.fixture
def shared() -> Path:
    """The folder of rulesheets and recorded games beside the project, where there is one."""
    if not (SHARED / "gdl").is_dir():
        pytest.skip("needs ../shared/gdl (rulesheets and recorded games), which is not here")
    return SHARED
