"""Large sheets are built once: what was kept is recalled, and what was mangled is built anew."""

import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl import keeping, sheet
from trellis.gdl.sheet import Sheet
from trellis.loading import load
from trellis.search.mcts.engine import Search

TIC_TAC_TOE = SHEETS / "tic_tac_toe.kif"


@pytest.fixture
def built(monkeypatch, tmp_path):
    """Count what is built, and keep everything in a folder of its own."""
    names = []
    real = sheet.build

    def building(program, roles):
        names.append(roles)
        return real(program, roles)

    monkeypatch.setattr(sheet, "build", building)
    monkeypatch.setattr(keeping, "cache_home", lambda: tmp_path)
    monkeypatch.setattr(keeping, "_WORTH_SECONDS", 0.0)
    return names


def files(folder):
    return sorted((folder / "circuits").glob("*"))


def test_a_sheet_is_built_once_and_plays_the_same(built, tmp_path):
    def best():
        search = Search(load(str(TIC_TAC_TOE)).start(), seed=3)
        report = search.run(sims=500)
        return report.best, report.value, report.nodes

    first = best()
    assert len(built) == len(files(tmp_path)) == 1
    assert best() == first
    assert len(built) == 1


def test_another_text_is_another_circuit(built, tmp_path):
    text = TIC_TAC_TOE.read_text("utf-8")
    assert Sheet(text).circuit.goals
    assert Sheet(text.replace(" 100)", " 99)")).circuit.goals
    assert len(built) == len(files(tmp_path)) == 2


@pytest.mark.parametrize("content", [b"", b"x" * 100, None])
def test_a_mangled_file_is_built_anew(built, tmp_path, content):
    text = TIC_TAC_TOE.read_text("utf-8")
    circuit = Sheet(text).circuit
    (file,) = files(tmp_path)
    good = file.read_bytes()
    file.write_bytes(good[:-1] + b"\x07" if content is None else content)
    assert Sheet(text).circuit.net.fan == circuit.net.fan
    assert len(built) == 2
    assert file.read_bytes() == good
    assert Sheet(text).circuit.net.fan == circuit.net.fan
    assert len(built) == 2


def test_what_is_quickly_built_is_not_kept(built, tmp_path, monkeypatch):
    monkeypatch.setattr(keeping, "_WORTH_SECONDS", 1e9)
    assert Sheet(TIC_TAC_TOE.read_text("utf-8")).circuit.latches
    assert files(tmp_path) == []


def test_room_is_bounded(built, tmp_path, monkeypatch):
    text = TIC_TAC_TOE.read_text("utf-8")
    assert Sheet(text).circuit.latches
    (first,) = files(tmp_path)
    monkeypatch.setattr(keeping, "_MOST_BYTES_IN_ALL", int(1.5 * first.stat().st_size))
    assert Sheet(text + " ").circuit.latches
    assert len(files(tmp_path)) == 1
    assert files(tmp_path) != [first]
    monkeypatch.setattr(keeping, "_MOST_BYTES", 10)
    assert Sheet(text + "  ").circuit.latches
    assert len(files(tmp_path)) == 1


def test_a_sheet_that_cannot_run_is_refused_as_ever(built):
    with pytest.raises(sheet.BadSheet):
        Sheet("(role x) (legal x").circuit  # noqa: B018
    assert built == []
