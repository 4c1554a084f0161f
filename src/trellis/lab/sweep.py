"""Sweeps: the same match over a grid of settings, games and budgets."""

from collections.abc import Mapping, Sequence
from typing import Any

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import options_of
from trellis.game.spec import Value, read_value
from trellis.lab.experiment import Experiment
from trellis.lab.experiment_file import experiment_of
from trellis.lab.measures.match import MatchSettings

_OF_MATCH = ("game", "sims", "time", "opening")


def read_grid(texts: Sequence[str]) -> dict[str, list[Value]]:
    """Read what is varied: names with their values, `c=0.2 0.4 0.8`.

    >>> read_grid(["c=0.2 0.4", "game=hex nim"])
    {'c': [0.2, 0.4], 'game': ['hex', 'nim']}
    """
    grid: dict[str, list[Value]] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise BadParameter(
                f"bad grid {shorten(text)}: expected a name and values, c=0.2 0.4 0.8"
            )
        if name in grid:
            raise BadParameter(f"grid {shorten(name)} is given twice")
        grid[name] = [read_value(value) for value in values.split()]
    if not grid:
        raise BadParameter("nothing is varied: expected a grid such as c=0.2 0.4 0.8")
    return grid


def sweep_of(
    game: str,
    a: str,
    b: str,
    grid: Mapping[str, Sequence[Value]],
    *,
    games: int = 100,
    seed: int = 0,
    **settings: Any,
) -> Experiment:
    """Return the experiment: a match for each combination of the grid's values.

    A name of the grid stands in braces in the text of a player, `uct:c={c}`, or is a setting of
    the match: the game, `sims` or `time` of players that have no budget of their own, `opening`.
    """
    known = options_of(MatchSettings)
    for name in grid:
        if not any(f"{{{name}}}" in player for player in (a, b)) and name not in known:
            raise BadParameter(
                f"nothing is varied by {shorten(name)}: expected {{{name}}} in a player's text, or "
                f"one of {', '.join(_OF_MATCH)}"
            )
    of_all = {"game": game, "a": a, "b": b, **settings}
    return experiment_of(
        {
            "title": f"{a} against {b}",
            "measure": "match",
            "settings": {name: value for name, value in of_all.items() if name not in grid},
            "grid": {name: list(values) for name, values in grid.items()},
            "scales": {"paper": {"samples": games}},
            "plot": {"kind": "heat" if len(grid) > 1 else "lines", "x": [*grid][-1]},
            "seed": seed,
            "batch": 4,
        },
        "sweep",
    )
