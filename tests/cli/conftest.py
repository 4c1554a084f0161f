"""What tests of the command line share."""

import io
import sys

import pytest

from trellis.cli.main import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process; return its exit code, output and error output."""

    def run(*words, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
