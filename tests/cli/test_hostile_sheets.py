"""Rulesheets that were made to break things, each once found by a fuzzer or a tester.

`verdicts.tsv` holds the exit code of `trellis gdl check`: 0 where a sheet can be played, 2 where it
cannot.  Whatever a sheet is, there is an answer in bounded time and never a traceback.
"""

import csv
from pathlib import Path

import pytest

from trellis.cli.main import main
from trellis.game.errors import TrellisError
from trellis.game.playouts import PlayoutRunner
from trellis.loading import load

FOLDER = Path(__file__).parent.parent / "data" / "hostile"
_LINES = (FOLDER / "verdicts.tsv").read_text().splitlines()
VERDICTS = {row["sheet"]: int(row["exit"]) for row in csv.DictReader(_LINES, delimiter="\t")}
# Errors by the language's rules that keep nobody from loading them: an unsafe rule that nothing
# asks for, a game that is over before it begins, and play that stops since a role has no move.
LOADED_ALL_THE_SAME = {"unsafe.kif", "onterm.kif", "stuck.kif", "unknown.kif"}


def test_every_sheet_has_a_verdict():
    assert {path.name for path in FOLDER.glob("*.kif")} == VERDICTS.keys()


@pytest.mark.parametrize("name", VERDICTS)
def test_check_has_an_answer(name, capsys):
    code = main(["gdl", "check", str(FOLDER / name), "--ground-limit", "1"])
    out, err = capsys.readouterr()
    assert code == VERDICTS[name], out + err
    assert "Traceback" not in out + err
    assert out or err
    if code == 2:
        assert "error" in out


# Those whose grounding explodes are slow in any other way of playing them.
@pytest.mark.parametrize("name", [name for name in VERDICTS if not name.startswith("explode")])
def test_what_cannot_be_played_is_refused(name):
    try:
        game = load(f"{FOLDER / name}:ground_limit=1")
        if game.compiled:
            PlayoutRunner(game).run(game.start(), 3)
    except TrellisError as error:
        assert "\n" not in str(error)
    else:
        assert VERDICTS[name] == 0 or name in LOADED_ALL_THE_SAME
