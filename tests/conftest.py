"""What all tests share."""

import io
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from places import SHARED

# No test watches the clock: the first example of a property may have to compile its kernel.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell lets what it runs in the background ignore Ctrl-C, and so would tests and their commands.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with those that may take longest, so that no process waits for the last of them."""

    def allowed(item: pytest.Item) -> float:
        limit = item.get_closest_marker("timeout")
        return 0.0 if limit is None else float(limit.args[0])

    items.sort(key=allowed, reverse=True)


@pytest.fixture
def shared() -> Path:
    """The folder of rulesheets and recorded games beside the project, where there is one."""
    if not (SHARED / "gdl").is_dir():
        pytest.skip("needs ../shared/gdl (rulesheets and recorded games), which is not here")
    return SHARED


@pytest.fixture
def written(tmp_path):
    """Write text or bytes to a file of a name; return its path."""

    def written(text, name):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process; return its exit code, output and error output."""

    def run(*words, typed=""):
        from trellis.cli.main import main

        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
