"""How a search went on: what it knew of each move from time to time, as data and as a plot.

>>> import trellis
>>> search = trellis.Search("tic_tac_toe", seed=1, bounds="off")
>>> trace = Trace(search)
>>> report = search.run(sims=2_000, progress=trace)
>>> trace.rows[-1].sims, trace.rows[-1].report.best == report.best
(2000, True)
"""

from dataclasses import dataclass
from typing import Any, Protocol

from trellis.game.errors import BadParameter
from trellis.search.report import Report

_MOST_LINES = 6  # moves in a plot


class Reporting(Protocol):
    """A search that can be asked while it runs."""

    def report(self) -> Report:
        """Tell what has been found out so far."""


@dataclass(frozen=True)
class Moment:
    """What a search had found out at some time."""

    sims: int
    seconds: float
    report: Report


class Trace:
    """A progress callback that remembers reports: `search.run(…, progress=trace)`.

    `most` is how many it takes of one run, evenly over its budget; the last one is always taken.
    """

    def __init__(self, search: Reporting, most: int = 100) -> None:
        if most < 1:
            raise BadParameter(f"bad value {most} for most: expected a whole number from 1 up")
        self._search, self._most = search, most
        self._next = 0.0
        self.rows: list[Moment] = []

    def __call__(self, fraction: float, note: str) -> None:
        """Remember what is known now, where enough has been done since the last time."""
        if fraction < self._next and fraction < 1.0:
            return
        self._next = fraction + 1.0 / self._most if fraction < 1.0 else 0.0
        report = self._search.report()
        self.rows.append(Moment(report.sims, report.seconds, report))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns of plain data: a row for each move at each time."""
        columns: dict[str, list[Any]] = {
            name: [] for name in ("sims", "seconds", "move", "visits", "value")
        }
        for row in self.rows:
            for line in row.report.moves:
                values = (row.sims, row.seconds, line.move, line.visits, line.adapted)
                for column, value in zip(columns.values(), values, strict=True):
                    column.append(value)
        return columns

    def to_pandas(self) -> Any:
        """Return the same as a frame of pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise BadParameter('frames need pandas: pip install "trellis-games[lab]"') from None
        return pd.DataFrame(self.to_dict())

    def plot(self, axes: Any = None) -> Any:
        """Draw visits and values of the best moves over time; return both axes of matplotlib."""
        from matplotlib import pyplot as plt

        if not self.rows:
            raise BadParameter("nothing to plot yet: expected a run with progress=trace")
        if axes is None:
            _, axes = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
        last = self.rows[-1].report
        times = [row.sims for row in self.rows]
        for line in last.moves[:_MOST_LINES]:
            seen = [
                next((each for each in row.report.moves if each.move == line.move), None)
                for row in self.rows
            ]
            axes[0].plot(times, [each.visits if each else 0 for each in seen], label=line.move)
            axes[1].plot(times, [each.adapted if each else float("nan") for each in seen])
        axes[0].set_ylabel("visits")
        axes[0].legend(fontsize=8)
        axes[1].set_ylabel(f"value for {last.player}")
        axes[1].set_xlabel("simulations")
        axes[0].set_title(last.sentence(), fontsize=10)
        return axes
