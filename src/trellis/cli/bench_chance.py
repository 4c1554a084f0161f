"""`trellis bench --chance`: positions looked at by each search of a game of chance."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.cli.chance_figure import ENDINGS, draw_nodes_by_depth
from trellis.cli.output import print_table, writable, write_lines
from trellis.cli.task import Task, load_game
from trellis.players.texts import read_search
from trellis.search.star.settings import StarSettings

if TYPE_CHECKING:
    from trellis.game.evaluation import Evaluation
    from trellis.game.game import Position
    from trellis.lab.star_counts import Work

USUAL_DEPTH = 9  # the paper's is 13, which takes minutes
SEARCHES = ("expectimax", "star1", "star2", "star2tt", "star2tt+")
_SHARED = ("depth", "time", "memory")  # options that all searches have in common
_SPEED_TABLE = 16.0  # MiB: touching a larger one would take longer than some of the searches
_MANY = 1e6  # nodes that are better told in millions


def bench_chance(
    task: Task,
    depth: int,
    jobs: int,
    memory: float,
    searches: list[str] | None,
    seconds: float,
    plot: Path | None,
) -> None:
    """Search the fifty stored positions of Dice and print tables I and II beside the paper's."""
    if plot is not None:
        writable(plot, ENDINGS)
    wanted = {
        name: read_search(name, _SHARED).star_settings().replace(memory=memory)
        for name in searches or SEARCHES
    }
    game = load_game("dice")
    from trellis.evaluation.shipped import shipped_evaluation
    from trellis.lab.papers.star2_tt import PUBLISHED
    from trellis.lab.star_counts import count_nodes, stored_positions

    positions, judge = stored_positions(game), shipped_evaluation(game)
    with task.working("bench --chance") as show:
        found = count_nodes(positions, judge, wanted, depth, memory, jobs, progress=show)
        speeds = _measure_speeds(wanted, positions, judge, seconds, show)
    content: dict[str, Any] = {
        "game": game.spec,
        "positions": len(positions),
        "depth": depth,
        "searches": {work.search: _facts(work, speeds.get(work.search)) for work in found},
    }
    if plot is not None and found:
        published = {name: pair[0] * 1e6 for name, pair in PUBLISHED["mean"].items()}
        draw_nodes_by_depth(plot, found, published)
    task.answer(content, lambda: _print(content, found, plot) if found else None)


def _measure_speeds(
    searches: dict[str, StarSettings],
    positions: "list[Position]",
    judge: "Evaluation | None",
    seconds: float,
    show: Progress,
) -> dict[str, tuple[float, float]]:
    """Measure nodes a second with and without the network; searches cut short are left out."""
    from trellis.bench.measure import measure_star

    speeds = {}
    for name, settings in searches.items():
        if stop_asked():
            break
        show(1.0, f"{name}, nodes a second")
        small = settings.replace(memory=_SPEED_TABLE)
        with_network, without = (measure_star(positions, e, small, seconds) for e in (judge, None))
        if not stop_asked():
            speeds[name] = (with_network, without)
    return speeds


def _facts(work: "Work", speeds: tuple[float, float] | None) -> dict[str, Any]:
    """Return what one search did, as it goes into JSON."""
    from trellis.lab.star_counts import STATISTICS

    return {
        "nodes": {name: statistic(work.nodes) for name, statistic in STATISTICS.items()},
        "seconds": {name: statistic(work.seconds) for name, statistic in STATISTICS.items()},
        "nodes_per_second": work.nodes_per_second,
        "nodes_per_second_with_network": speeds and speeds[0],
        "nodes_per_second_without_evaluation": speeds and speeds[1],
        "mean_nodes_by_depth": work.by_depth,
        "values": work.values,
    }


def _print(content: dict[str, Any], found: "list[Work]", plot: Path | None) -> None:
    """Print tables I and II, nodes by depth, speeds, and what follows from them."""
    from trellis.lab.papers.star2_tt import PUBLISHED, PUBLISHED_DEPTH

    depth = content["depth"]
    beside = depth == PUBLISHED_DEPTH
    note = "" if beside else f"; the paper's figures are for {PUBLISHED_DEPTH}, and not shown"
    write_lines([f"{content['positions']} positions of {content['game']}, {depth} plies{note}"])
    for what, place in (("nodes", 0), ("seconds", 1)):
        printed = {
            name: {search: pair[place] for search, pair in row.items() if beside}
            for name, row in PUBLISHED.items()
        }
        _print_figures(content["searches"], what, printed)
    by_depth = [
        (str(place + 1), *(f"{work.by_depth[place]:,.0f}" for work in found))
        for place in range(len(found[0].by_depth))
    ]
    print_table(("mean nodes to depth", *(work.search for work in found)), by_depth)
    _print_speeds(content["searches"])
    _compare(content["searches"])
    if plot is not None:
        write_lines([f"drawn in {plot}"])


def _compare(searches: dict[str, Any]) -> None:
    """Say how much less work each search takes than Star2, and whether all found the same."""
    base = searches.get("star2")
    for name, work in searches.items():
        if base is not None and name != "star2" and name.startswith("star2"):
            fewer, less = (
                1 - work[what]["mean"] / base[what]["mean"] for what in ("nodes", "seconds")
            )
            apart = f"{_apart(fewer, 'fewer')} nodes than star2 and {_apart(less, 'less')} time"
            write_lines([f"{name}: {apart}, in the mean"])
    values = [work["values"] for work in searches.values()]
    apart = max(max(each) - min(each) for each in zip(*values, strict=True))
    if len(values) > 1:
        write_lines([f"values of a position differ by {apart:.1e} at most"])


def _apart(part: float, word: str) -> str:
    return f"{abs(part):.0%} {word if part >= 0 else 'more'}"


def _print_figures(
    searches: dict[str, Any], what: str, published: dict[str, dict[str, float]]
) -> None:
    """Print one of the paper's tables, beside its own figures where there are any."""
    title, scale, digits = what, 1.0, 3
    if what == "nodes":
        many = max(work[what]["max"] for work in searches.values()) >= _MANY
        title, scale, digits = ("M nodes", 1e-6, 3) if many else ("nodes", 1.0, 0)
    titles = [title]
    for search in searches:
        titles += [search, "paper"] if search in published["mean"] else [search]
    rows = []
    for name, row in published.items():
        cells = [name]
        for search, work in searches.items():
            cells.append(f"{scale * work[what][name]:,.{digits}f}")
            if search in row:
                cells.append(f"{row[search]:,g}")
        rows.append(cells)
    print_table(titles, rows)


def _print_speeds(searches: dict[str, Any]) -> None:
    rows = []
    for title, key in (
        ("in the table above", "nodes_per_second"),
        ("with the network", "nodes_per_second_with_network"),
        ("without an evaluation", "nodes_per_second_without_evaluation"),
    ):
        rates = [work[key] for work in searches.values()]
        rows.append((title, *("-" if rate is None else f"{rate * 1e-6:.1f}" for rate in rates)))
    print_table(("million nodes a second", *searches), rows)
    write_lines([f"the last two rows: one thread, with a table of {_SPEED_TABLE:g} MiB"])
