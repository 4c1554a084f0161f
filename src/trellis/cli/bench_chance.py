"""`trellis bench --chance`: positions looked at by each search of a game of chance."""

from typing import Any

from rich.table import Table

from trellis.cli.output import compiled, console, load_game, print_json, progress_bar

USUAL_DEPTH = 9  # the paper's is 13, which takes minutes
SEARCHES = ("expectimax", "star1", "star2", "star2tt", "star2tt+")


def bench_chance(
    depth: int | None, jobs: int, memory: float, searches: list[str] | None, json: bool
) -> None:
    """Search the fifty stored positions of Dice and print tables I and II beside the paper's."""
    game = load_game("dice")
    from trellis.chance.experiment import (
        PUBLISHED,
        STATISTICS,
        count_nodes,
        stored_positions,
    )
    from trellis.chance.settings import star_settings
    from trellis.chance.shipped import shipped_evaluation

    wanted = list(searches or SEARCHES)
    for name in wanted:
        star_settings(name)
    depth = depth or USUAL_DEPTH
    positions = stored_positions(game)
    with progress_bar("bench --chance") as show:
        found = count_nodes(
            positions, shipped_evaluation(game), wanted, depth, memory, jobs, progress=show
        )
    compiled()
    content = {
        "game": game.spec,
        "positions": len(positions),
        "depth": depth,
        "searches": {
            work.search: {
                "nodes": {name: statistic(work.nodes) for name, statistic in STATISTICS.items()},
                "seconds": {
                    name: statistic(work.seconds) for name, statistic in STATISTICS.items()
                },
                "nodes_per_second": work.nodes_per_second,
                "mean_nodes_by_depth": work.by_depth,
                "values": work.values,
            }
            for work in found
        },
    }
    if json:
        print_json(content)
        return
    published = {
        name: {search: pair[0] for search, pair in row.items()} for name, row in PUBLISHED.items()
    }
    times = {
        name: {search: pair[1] for search, pair in row.items()} for name, row in PUBLISHED.items()
    }
    out = console()
    out.print(f"{len(positions)} positions of {game.spec}, {depth} plies; the paper's are at 13")
    out.print(_table("nodes, millions", content, "nodes", 1e-6, published))
    out.print(_table("seconds", content, "seconds", 1.0, times))
    out.print(_by_depth(content))
    base = content["searches"].get("star2") if isinstance(content["searches"], dict) else None
    for work in found:
        rate = f"{work.search}: {work.nodes_per_second / 1e6:.2f} million nodes a second"
        if base is not None and work.search.startswith("star2tt"):
            fewer = 1 - content_mean(content, work.search, "nodes") / base["nodes"]["mean"]
            less = 1 - content_mean(content, work.search, "seconds") / base["seconds"]["mean"]
            rate += f"; {fewer:.0%} fewer nodes than star2 and {less:.0%} less time, in the mean"
        out.print(rate)


def content_mean(content: dict[str, Any], search: str, what: str) -> float:
    """Return a mean from what programs read."""
    return float(content["searches"][search][what]["mean"])


def _table(
    title: str,
    content: dict[str, Any],
    what: str,
    scale: float,
    published: dict[str, dict[str, float]],
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title)
    for search in content["searches"]:
        table.add_column(search, justify="right")
        if search in published["mean"]:
            table.add_column("paper", justify="right", style="dim")
    for name, row in published.items():
        cells = [name]
        for search, work in content["searches"].items():
            cells.append(f"{scale * work[what][name]:,.3f}")
            if search in row:
                cells.append(f"{row[search]:,g}")
        table.add_row(*cells)
    return table


def _by_depth(content: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("mean nodes to depth")
    for search in content["searches"]:
        table.add_column(search, justify="right")
    for place in range(content["depth"]):
        table.add_row(
            str(place + 1),
            *(
                f"{work['mean_nodes_by_depth'][place]:,.0f}"
                for work in content["searches"].values()
            ),
        )
    return table
