"""What `--help` tells, of every command."""

import re

import pytest
import typer.main

from trellis.cli.help import sections
from trellis.cli.main import app
from trellis.cli.options import SHEET_OPTIONS, option_name
from trellis.game.options import options_of
from trellis.search.star.settings import StarSettings


def _commands(group, words=()):
    yield words, group
    for name, command in getattr(group, "commands", {}).items():
        yield from _commands(command, (*words, name))


COMMANDS = dict(_commands(typer.main.get_command(app)))


@pytest.fixture
def helped(run, monkeypatch):
    """Return what the help of a command says on a terminal of 80 columns."""

    def helped(*words):
        monkeypatch.setenv("COLUMNS", "80")
        code, out, err = run(*words, "--help")
        assert (code, err) == (0, "")
        return out

    return helped


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_everything_is_named_in_one_style_and_fits(helped, words):
    text = helped(*words)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"<\w+>", text)  # Typer's own way to write <bool> and <str>
    assert not re.search(r"\[default:$", text, re.MULTILINE)  # its value stands beside it
    for each in COMMANDS[words].params:
        written = each.opts[0] if each.param_type_name == "option" else each.metavar
        assert written in text.replace("--[no-]", "--")
        if getattr(each, "is_flag", False):
            assert each.metavar in ("", None)
        else:
            assert re.fullmatch(r"[A-Z]+", each.metavar), each.metavar


@pytest.mark.parametrize("words", [each for each in COMMANDS if each and each[0] != "gdl"])
def test_options_of_rulesheets_take_one_line(helped, words):
    titles = list(sections(COMMANDS[words]))
    assert SHEET_OPTIONS.title not in titles
    takes_sheets = any(each.name == "ground_limit" for each in COMMANDS[words].params)
    assert ("`trellis gdl --help` describes" in helped(*words)) == takes_sheets


def test_options_of_rulesheets_are_described_once(helped):
    text = " ".join(helped("gdl").split())
    for each in SHEET_OPTIONS.options().values():
        assert option_name(each.public_name) in text
        assert each.help in text
    assert "--ground-limit" in helped("analyze")


def test_analyze_describes_every_setting_of_a_star_search(helped):
    text = " ".join(helped("analyze").split())
    for each in options_of(StarSettings).values():
        assert option_name(each.name).removeprefix("--") in text
        if each.name != "memory":  # which both kinds of search have
            assert each.help in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "analyze dice --depth 1.5",
            "bad value '1.5' for --depth: expected a whole number above 0",
        ),
        ("analyze hex --time soon", "bad value 'soon' for --time: expected a number above 0"),
        ("analyze hex -c much", "bad value 'much' for -c: expected a number from 0 up"),
        ("match hex random random --games ten", "bad value 'ten' for --games"),
        ("train dice --lambda 3", "bad value 3 for --lambda: expected a number from 0 to 1"),
        ("gdl show a.kif --prove-time -1", "bad value -1 for --prove-time"),
        ("perft hex 1e3", "bad value '1e3' for DEPTH: expected a whole number"),
    ],
)
def test_a_bad_number_is_refused_by_the_name_of_its_option(run, words, expected):
    code, out, err = run(*words.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
