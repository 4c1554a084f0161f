"""Results as figures of matplotlib: lines, bars, heat maps; ours beside what was printed.

The same results make the same file, byte by byte.  Text stays text in SVG.
"""

import io
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.lab.measures import Estimate
from trellis.lab.rendering.wording import along, plain
from trellis.lab.verdicts import CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from trellis.lab.results import CellResult, Results

# Okabe and Ito's colours, which everybody can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_STYLE: Any = {
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#8a8f98",
    "axes.labelcolor": "#333a45", "axes.titlesize": "medium", "axes.titleweight": "bold",
    "axes.axisbelow": True, "font.size": 10, "font.family": "sans-serif",
    "legend.frameon": False, "legend.fontsize": "small", "svg.fonttype": "none",
    "text.parse_math": False, "xtick.color": "#333a45", "ytick.color": "#333a45",
}  # fmt: skip
_LONGEST = 32  # characters of a label
_SLANTED = 9  # characters from which on labels below columns are slanted
_MOST_NUMBERED = 150  # places of a heat map that still have room for numbers
_HASHED = re.compile(r'(\bid="|href="#|url\(#)')


@dataclass(frozen=True)
class _Point:
    """A cell, to be drawn."""

    result: "CellResult"

    @cached_property
    def estimate(self) -> Estimate:
        return self.result.estimate_at(CONFIDENCE)

    @property
    def x(self) -> float:
        """Return where it stands on the axis, or not a number."""
        return math.nan if self.result.cell.x is None else self.result.cell.x

    @property
    def row(self) -> str:
        return plain(self.result.cell.row)

    @property
    def column(self) -> str:
        return plain(self.result.cell.column)

    @property
    def printed(self) -> float:
        """Return what was published, or not a number."""
        published = self.result.cell.published
        return math.nan if published is None or published.value is None else published.value


def has_plot(results: "Results") -> bool:
    """Tell whether there is anything to draw."""
    return bool(results.experiment.plot.kind) and bool(_points(results, None))


def figure_of(results: "Results") -> "Figure":
    """Draw an experiment; whoever gets the figure may change it before it is saved."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    kind = results.experiment.plot.kind or _natural(results)
    if kind not in KINDS:
        raise BadParameter(
            f"unknown kind {shorten(kind)} of plot: expected one of {', '.join(KINDS)}"
            f"{nearest(kind, KINDS)}"
        )
    tables = list(dict.fromkeys(each.cell.table for each in results.cells))
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # names may be in any script
        figure = Figure(layout="constrained")
        KINDS[kind](figure, results, tables)
        figure.draw_without_rendering()  # settles the layout while the style is ours
    return figure


def svg_of(results: "Results", *, inside: bool = False) -> str:
    """Return the figure as SVG; `inside` a page, its names are its own and it names no host."""
    text = _saved(results, "svg").decode()
    if not inside:
        return text
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)
    prefix = "".join(each if each.isalnum() else "-" for each in results.experiment.name)
    return _HASHED.sub(lambda found: f"{found.group()}{prefix}-", text)


def picture_of(results: "Results", kind: str) -> bytes:
    """Return the figure as a file of a kind: svg, png or pdf."""
    return _saved(results, kind)


def _saved(results: "Results", kind: str) -> bytes:
    import matplotlib as mpl

    figure = figure_of(results)
    out = io.BytesIO()
    date: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    style = {**_STYLE, "svg.hashsalt": results.experiment.name}
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(out, format=kind, dpi=150, metadata=date)
    return out.getvalue()


def _natural(results: "Results") -> str:
    """Return how an experiment is drawn that does not say how."""
    xs = {each.cell.x for each in results.cells} - {None}
    return "lines" if len(xs) > 1 else "bars"


def _points(results: "Results", table: str | None) -> list[_Point]:
    """Return the cells of a table, or of all where none is named, that have been measured."""
    points = [_Point(each) for each in results.cells if table in (None, each.cell.table)]
    return [point for point in points if math.isfinite(point.estimate.value)]


def _ends(points: Sequence[_Point]) -> tuple[list[float], list[float]]:
    """Return the ends of intervals; the estimate itself where they have none."""
    lows, highs = [], []
    for each in points:
        estimate = each.estimate
        lows.append(estimate.low if math.isfinite(estimate.low) else estimate.value)
        highs.append(estimate.high if math.isfinite(estimate.high) else estimate.value)
    return lows, highs


def _measured(results: "Results") -> str:
    unit = results.measure.unit
    return plain(results.measure.what) + (f", {plain(unit)}" if unit else "")


def _panels(
    figure: "Figure", tables: Sequence[str], wide: float, high: float, *, share: bool = False
) -> "list[Axes]":
    """Return axes for each table, two in a row; they may share what they are measured by."""
    across = min(len(tables), 2)
    down = -(-len(tables) // across)
    figure.set_size_inches(wide * across, high * down)
    axes = figure.subplots(down, across, squeeze=False, sharex=share).ravel()
    for unused in axes[len(tables) :]:
        unused.set_visible(False)
    for each, table in zip(axes, tables, strict=False):
        if len(tables) > 1:
            each.set_title(_label(table), loc="left")
    return [*axes[: len(tables)]]


# -- lines -------------------------------------------------------------------------------------


def _lines(figure: "Figure", results: "Results", tables: Sequence[str]) -> None:
    """Draw a line for each row over `Cell.x`, with a band for its intervals."""
    plot = results.experiment.plot
    for axes, table in zip(_panels(figure, tables, 7.2, 4.4), tables, strict=True):
        points = [point for point in _points(results, table) if math.isfinite(point.x)]
        lines = list(dict.fromkeys(point.row for point in points))
        for place, line in enumerate(lines):
            own = sorted(
                (point for point in points if point.row == line),
                key=lambda point: point.x,
            )
            _line(axes, own, _COLOURS[place % len(_COLOURS)], line)
        if plot.log_x:
            axes.set_xscale("log", nonpositive="clip")
            _plain_numbers(axes.xaxis)
        if plot.log_y:
            axes.set_yscale("log", nonpositive="clip")
            _plain_numbers(axes.yaxis)
        axes.set_xlabel(plain(plot.x))
        axes.set_ylabel(_measured(results))
        axes.grid(color="#e6e8eb", linewidth=0.8)
        handles, labels = axes.get_legend_handles_labels()
        if len(labels) > 1:
            axes.legend(handles, labels)


def _line(axes: "Axes", points: Sequence[_Point], colour: str, name: str) -> None:
    xs = [point.x for point in points]
    lows, highs = _ends(points)
    axes.fill_between(xs, lows, highs, color=colour, alpha=0.18, linewidth=0)
    values = [point.estimate.value for point in points]
    axes.plot(
        xs, values, color=colour, marker="o", markersize=3.5, linewidth=1.6, label=_label(name)
    )
    printed = [point for point in points if math.isfinite(point.printed)]
    if printed:
        axes.plot(
            [point.x for point in printed], [point.printed for point in printed],
            color=colour, marker="D", markersize=6, markerfacecolor="none", linestyle=":",
            linewidth=1, label=f"{_label(name)}, published".strip(", "),
        )  # fmt: skip


def _plain_numbers(axis: Any) -> None:
    """Write 1,000 on a logarithmic axis instead of a power in mathematical type."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: along(value)))
    axis.set_minor_formatter(NullFormatter())


def _label(text: str) -> str:
    """Return a name as a label that leaves room for the plot.

    A legend leaves out what begins with an underscore.
    """
    name = plain(text)
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return f" {name}" if name.startswith("_") else name


# -- bars --------------------------------------------------------------------------------------


def _bars(figure: "Figure", results: "Results", tables: Sequence[str]) -> None:
    """Draw a dot with its interval for each cell, and a diamond for what was printed.

    Where the scale is none that begins at a meaningful zero, the length of a bar says nothing; so a
    bar is drawn faintly behind the dot.
    """
    plot = results.experiment.plot
    most = max((len(_points(results, table)) for table in tables), default=1)
    high = max(2.2, 0.27 * most + 1.0)
    for axes, table in zip(_panels(figure, tables, 7.2, high, share=True), tables, strict=True):
        points = _points(results, table)
        places = range(len(points))
        values = [point.estimate.value for point in points]
        lows, highs = _ends(points)
        off = [
            [max(value - low, 0.0) for value, low in zip(values, lows, strict=True)],
            [max(top - value, 0.0) for value, top in zip(values, highs, strict=True)],
        ]
        groups = list(dict.fromkeys(point.column for point in points if point.row))
        colours = [
            _COLOURS[groups.index(point.column) % len(_COLOURS)] if point.row else _COLOURS[0]
            for point in points
        ]
        axes.barh(places, values, color=colours, alpha=0.22, height=0.72, linewidth=0)
        axes.errorbar(
            values, places, xerr=off, fmt="none", ecolor="#333a45", elinewidth=1.1, capsize=2
        )
        axes.scatter(values, places, c=colours, s=26, zorder=3, label="measured here")
        printed = [(point.printed, place) for place, point in enumerate(points)]
        known = [pair for pair in printed if math.isfinite(pair[0])]
        if known:
            axes.scatter(
                [value for value, _ in known], [place for _, place in known], marker="D", s=34,
                facecolors="none", edgecolors="#111111", zorder=4, label="published",
            )  # fmt: skip
            axes.legend(loc="lower right" if not plot.log_x else "best")
        axes.set_yticks([*places], [_label(point.result.cell.name) for point in points])
        axes.set_ylim(len(points) - 0.4, -0.6)
        if plot.log_y or plot.log_x:
            axes.set_xscale("log", nonpositive="clip")
            _plain_numbers(axes.xaxis)
        axes.set_xlabel(_measured(results))
        axes.grid(axis="x", color="#e6e8eb", linewidth=0.8)
        axes.tick_params(axis="y", length=0)


# -- heat maps ---------------------------------------------------------------------------------


def _heat(figure: "Figure", results: "Results", tables: Sequence[str]) -> None:
    """Draw rows and columns as coloured places: ours, and what was printed on the same scale."""
    every = _points(results, None)
    sides = 2 if any(math.isfinite(point.printed) for point in every) else 1
    shape = [_shape(results, table) for table in tables]
    down = max((len(rows) for rows, _ in shape), default=1)
    across = max((len(columns) for _, columns in shape), default=1)
    beside = max((len(_label(row)) for rows, _ in shape for row in rows), default=0)
    below = max((len(_label(column)) for _, columns in shape for column in columns), default=0)
    wide = max(2.6, 0.66 * across + 0.9)
    high = max(1.8, 0.46 * down + 0.8) + (0.05 * below if below > _SLANTED else 0.0)
    figure.set_size_inches(wide * sides + 0.075 * beside + 0.9, high * len(tables))
    grid = figure.subplots(len(tables), sides, squeeze=False)
    colours = _scale(results, every)
    for table, (rows, columns), line in zip(tables, shape, grid, strict=True):
        points = {
            (point.row, point.column): point
            for point in map(_Point, results.cells)
            if point.result.cell.table == table
        }
        for side, axes in enumerate(line):
            at = [[_side(points.get((row, column)), side) for column in columns] for row in rows]
            mesh = _mesh(axes, at, rows, columns, colours)
            name = ("measured here", "published")[side] if sides == 2 else ""
            titles = [each for each in (_label(table), name) if each]
            axes.set_title(": ".join(titles), loc="left")
            if side:
                axes.set_yticks([])
            if side == sides - 1:
                figure.colorbar(mesh, ax=[*line], label=_measured(results), fraction=0.05)


def _shape(results: "Results", table: str) -> tuple[list[str], list[str]]:
    cells = [each.cell for each in results.cells if each.cell.table == table]
    rows = list(dict.fromkeys(plain(cell.row) for cell in cells))
    return rows, list(dict.fromkeys(plain(cell.column) for cell in cells))


def _side(point: _Point | None, side: int) -> float:
    """Return what a place shows: what was measured, or what was printed."""
    if point is None:
        return math.nan
    return point.printed if side else point.estimate.value


def _scale(results: "Results", points: Sequence[_Point]) -> dict[str, Any]:
    """Return colours: around one half for scores, else from few to many, on one scale for all."""
    from matplotlib.colors import LogNorm, Normalize

    values = [value for point in points for value in (point.estimate.value, point.printed)]
    known = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    if results.measure.unit == "%" and "score" in results.measure.what:
        reach = max(high - 50, 50 - low, 5.0)
        return {"cmap": "RdBu", "norm": Normalize(50 - reach, 50 + reach)}
    if (results.experiment.plot.log_y or results.experiment.plot.log_x) and low > 0:
        return {"cmap": "viridis", "norm": LogNorm(low, max(high, low * 1.01))}
    return {"cmap": "viridis", "norm": Normalize(low, high if high > low else low + 1)}


def _mesh(
    axes: "Axes", values: Sequence[Sequence[float]], rows: Sequence[str], columns: Sequence[str],
    colours: dict[str, Any],
) -> Any:  # fmt: skip
    """Colour the places and write numbers into them."""
    from matplotlib import colormaps

    mesh = axes.pcolormesh(values, edgecolors="white", linewidth=1.5, **colours)
    axes.invert_yaxis()
    axes.set_xticks([place + 0.5 for place in range(len(columns))], [*map(_label, columns)])
    axes.set_yticks([place + 0.5 for place in range(len(rows))], [*map(_label, rows)])
    if max((len(label) for label in columns), default=0) > _SLANTED:
        axes.tick_params(axis="x", rotation=30)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if len(rows) * len(columns) <= _MOST_NUMBERED:
        map_, norm = colormaps[colours["cmap"]], colours["norm"]
        for down, line in enumerate(values):
            for across, value in enumerate(line):
                if math.isfinite(value):
                    red, green, blue, _ = map_(norm(value))
                    dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.55
                    axes.text(
                        across + 0.5, down + 0.5, _short(value), ha="center", va="center",
                        color="white" if dark else "#1b1f24", fontsize="small",
                    )  # fmt: skip
    return mesh


def _short(value: float) -> str:
    """Return a number for a place with little room."""
    if abs(value) < 10:
        return f"{value:.3g}"
    return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"


KINDS: dict[str, Callable[["Figure", "Results", Sequence[str]], None]] = {
    "lines": _lines, "bars": _bars, "heat": _heat,
}  # fmt: skip
