"""The map of the source names every folder and every file, and nothing else."""

import ast
import re
from pathlib import Path

import trellis

SOURCE = Path(trellis.__file__).parent
TITLE = re.compile(r"^## (?:Top level|`([\w/]+)/`: .+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\w+\.py)` \| (.+) \|$", re.MULTILINE)


def mapped() -> dict[str, str]:
    """Return what the map says of each file."""
    parts = TITLE.split((SOURCE / "README.md").read_text(encoding="utf-8"))
    found = {}
    for folder, text in zip(parts[1::2], parts[2::2], strict=True):
        for name, says in ROW.findall(text):
            path = f"{folder}/{name}" if folder else name
            assert path not in found, f"{path} is on the map twice"
            found[path] = says
    return found


def test_the_map_names_every_file_once():
    there = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py" or path.parent == SOURCE
    }
    assert set(mapped()) == there


def test_every_folder_is_on_the_map():
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} - {"."}
    assert {folder for folder in TITLE.findall(text) if folder} - {"gdl/sheets"} == folders


def test_folders_of_tests_mirror_those_of_the_source():
    tests = Path(__file__).parent
    folders = {path.parent.relative_to(tests).as_posix() for path in tests.rglob("test_*.py")}
    for folder in folders - {"."}:
        assert (SOURCE / folder).is_dir(), f"tests/{folder} mirrors no folder of the source"


def test_no_file_is_too_long_to_read():
    long = {
        path.relative_to(SOURCE).as_posix(): lines
        for path in SOURCE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert not long


def test_no_function_is_too_long_to_read():
    long = {
        f"{path.relative_to(SOURCE).as_posix()}: {node.name}": lines
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > 100
    }
    assert not long
