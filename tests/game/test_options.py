"""Options that are written once: read, checked and shown from the fields of settings."""

from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from trellis.evaluation.training_settings import TrainingSettings
from trellis.game.errors import BadParameter
from trellis.game.options import check_options, markdown_table, option, options_of
from trellis.game.spec import read_options, split_options
from trellis.gdl.options import SheetOptions
from trellis.players.texts import DepthFirstOptions
from trellis.search.mcts import graph
from trellis.search.mcts.settings import Settings
from trellis.search.star.settings import StarSettings

DOCS = Path(__file__).parent.parent.parent / "docs"


@dataclass(frozen=True)
class Oven:
    heat: int = option(180, "How hot.", low=0, high=250)
    minutes: float = option(30.0, "How long.", above=0)
    fan: bool = option(False, "Blow.")
    shelf: str | None = option(None, "Where.", choices=("top", "middle"), usual="suits the dish")

    def __post_init__(self):
        check_options(self)


def test_text_becomes_values_of_the_right_type():
    words, given = split_options(" a , b, heat = 200,minutes=1e1, fan=yes,shelf=top")
    assert words == ["a", "b"]
    read = read_options(given, options_of(Oven))
    assert Oven(**read) == Oven(200, 10.0, fan=True, shelf="top")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("heat=251", "bad value 251 for heat: expected a whole number from 0 to 250"),
        ("heat=1_0", "bad value '1_0' for heat"),
        ("heat=1.5", "bad value '1.5' for heat"),
        ("minutes=0", "bad value 0 for minutes: expected a number above 0"),
        ("minutes=inf", "bad value 'inf' for minutes"),
        ("fan=maybe", "bad value 'maybe' for fan: expected true or false"),
        (
            "shelf=tpo",
            "bad value 'tpo' for shelf: expected one of top, middle; did you mean 'top'?",
        ),
        ("heta=3", "unknown option 'heta': expected heat, minutes, fan, shelf; did you mean"),
        ("heat=3,heat=4", "option 'heat' is given twice"),
        ("heat=3,", "bad option '': expected name=value"),
        ("=3", "bad option '=3': expected name=value"),
    ],
)
def test_bad_text_is_named(text, words):
    with pytest.raises(BadParameter) as caught:
        read_options(split_options(text)[1], options_of(Oven))
    assert str(caught.value).startswith(words)


def test_values_from_python_are_checked_too():
    with pytest.raises(BadParameter, match="bad value 251 for heat"):
        Oven(heat=251)
    with pytest.raises(BadParameter, match="bad value nan for minutes"):
        Oven(minutes=float("nan"))


def test_a_table_for_the_documentation():
    assert markdown_table(options_of(Oven).values()).splitlines()[2:] == [
        "| `heat` | 180 | a whole number from 0 to 250 | How hot. |",
        "| `minutes` | 30 | a number above 0 | How long. |",
        "| `fan` | false | true or false | Blow. |",
        "| `shelf` | suits the dish | top, middle | Where. |",
    ]


@pytest.mark.parametrize("settings", [Settings, StarSettings, TrainingSettings, SheetOptions])
def test_every_setting_is_an_option_and_its_default_is_allowed(settings):
    assert list(options_of(settings)) == [each.name for each in fields(settings)]
    settings()


def test_the_table_of_settings_in_the_documentation_is_up_to_date():
    """After a change of a setting: put what this prints into the page."""
    shown = [*options_of(StarSettings).values(), options_of(DepthFirstOptions)["weights"]]
    assert markdown_table(shown) in (DOCS / "chance-search.md").read_text(encoding="utf-8")


def test_grave_has_room_for_as_many_visits_as_a_node_counts():
    assert options_of(Settings)["grave"].high == graph.MOST_VISITS
