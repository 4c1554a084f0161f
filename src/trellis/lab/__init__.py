"""Experiments: what was published, and the same measured here.

>>> from trellis import lab
>>> lab.find_experiment("ucd-table-5").title
'UCD on Connect 4: 27 depths against a plain tree'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Names are looked up when first used, as those of the package are.
_HOMES = {
    "exchange": "export_record import_record",
    "experiment": "Cell Claim Experiment Plot Published Scale",
    "experiment_file": "read_experiment",
    "experiments": "all_experiments find_experiment",
    "record": "Record",
    "rendering.writing": "write_plots write_report",
    "results": "Results",
    "running": "run",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

if TYPE_CHECKING:
    from trellis.lab.exchange import export_record, import_record
    from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale
    from trellis.lab.experiment_file import read_experiment
    from trellis.lab.experiments import all_experiments, find_experiment
    from trellis.lab.record import Record
    from trellis.lab.rendering.writing import write_plots, write_report
    from trellis.lab.results import Results
    from trellis.lab.running import run

__all__ = [
    "Cell", "Claim", "Experiment", "Plot", "Published", "Record", "Results", "Scale",
    "all_experiments", "export_record", "find_experiment", "import_record", "read_experiment",
    "run", "write_plots", "write_report",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"trellis.lab.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'trellis.lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, *(name for name in globals() if name.startswith("__"))])
