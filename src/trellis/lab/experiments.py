"""All experiments there are: those of the papers, by name, and those that people write in files."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter, nearest, shorten

if TYPE_CHECKING:
    from trellis.lab.experiment import Experiment

# Files of `lab/papers`, each with a function `experiments()`: a new one is entered here.
PAPERS = (
    "papers.ucd_figures",
    "papers.ucd_leftright",
    "papers.ucd_hex",
    "papers.ucd_go",
    "papers.ucd_tables",
    "papers.drake",
    "papers.thesis_games",
    "papers.thesis_bounds",
    "papers.thesis_solving",
    "papers.star2_tt",
    "papers.childs",
    "papers.go_groups",
    "studies.sharing",
    "studies.strength",
    "studies.go_depths",
    "studies.go_strength",
    "studies.hex_scores",
    "studies.error_map",
)


@cache
def all_experiments() -> "dict[str, Experiment]":
    """Return the experiments that come with the package, by name, in the order of the papers."""
    found: dict[str, Experiment] = {}
    for paper in PAPERS:
        for experiment in import_module(f"trellis.lab.{paper}").experiments():
            if experiment.name in found:
                raise AssertionError(f"two experiments are called {experiment.name}")
            found[experiment.name] = experiment
    return found


def find_experiment(text: str) -> "Experiment":
    """Return the experiment of a name, or the one in a file."""
    if text.endswith(".toml"):
        from trellis.lab.experiment_file import read_experiment

        return read_experiment(Path(text))
    known = all_experiments()
    if text not in known:
        raise BadParameter(
            f"unknown experiment {shorten(text)}: expected a name that `trellis reproduce --list` "
            f"tells, or a file that ends in .toml{nearest(text, known)}"
        )
    return known[text]
