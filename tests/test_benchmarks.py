"""Scripts of the folder benchmarks follow the names of the library."""

from importlib import import_module

import pytest

from places import DATA

FOLDER = DATA.parent.parent / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_finds_what_it_imports(script):
    assert import_module(script).__doc__
