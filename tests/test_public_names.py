"""What `trellis` exports: typed options, and nothing that takes just anything by name."""

import inspect
from dataclasses import fields
from typing import Any, Literal, Unpack, get_args, get_origin, get_type_hints

import pytest

import trellis
from trellis.evaluation.training_settings import TrainingOptions, TrainingSettings
from trellis.game.options import options_of

OPTIONS = [
    (trellis.SearchOptions, trellis.Settings),
    (trellis.StarOptions, trellis.StarSettings),
    (TrainingOptions, TrainingSettings),
]


@pytest.mark.parametrize(("options", "settings"), OPTIONS)
def test_options_are_the_fields_of_settings(options, settings):
    own_types = {"Selection": Any, "NodeBackup": Any, "Callable": Any, "Evaluation": Any}
    described = options_of(settings)
    assert [*options.__annotations__] == [field.name for field in fields(settings)]
    plain = {name: known for name, known in described.items() if not known.text}
    for name, known in plain.items():
        annotation = options.__annotations__[name]
        hints = get_type_hints(type("One", (), {"__annotations__": {name: annotation}}), own_types)
        parts = [part for part in get_args(hints[name]) or (hints[name],) if part is not type(None)]
        if known.choices:
            literal = hints[name] if get_origin(hints[name]) is Literal else parts[0]
            assert get_args(literal) == known.choices, name
        else:
            assert parts == [known.type], name


@pytest.mark.parametrize("name", trellis.__all__)
def test_every_name_is_there_and_takes_named_options(name):
    thing = getattr(trellis, name)
    is_error = isinstance(thing, type) and issubclass(thing, Exception)
    if (
        not callable(thing)
        or is_error
        or name in ("kernel", "load", "SearchOptions", "StarOptions")
    ):
        return  # what a game or Numba takes is not for us to say
    given = inspect.signature(thing).parameters.values()
    anything = [each for each in given if each.kind is each.VAR_KEYWORD]
    for each in anything:
        assert get_origin(each.annotation) is Unpack, f"{name} takes {each}"


def test_an_unknown_option_is_refused_and_a_known_one_taken():
    assert trellis.Search("tic_tac_toe", c=0.3, bounds="off").settings.c == 0.3
    with pytest.raises(trellis.BadParameter, match="unknown setting"):
        trellis.Search("tic_tac_toe", curiosity=0.3)
