"""`trellis analyze --search star2tt`: a position searched depth first."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.table import Table

from trellis.cli.options import Given, positive
from trellis.cli.output import (
    coloured,
    compiled,
    console,
    load_game,
    play_moves,
    print_json,
    progress_bar,
    sheet_facts,
)
from trellis.cli.stopping import stoppable
from trellis.players.texts import DEFAULT_DEPTH, PlayerText, read_search
from trellis.search.report import mirrored

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.search.report import Report
    from trellis.search.star.engine import StarSearch

_SHOWN = 24
_USUAL_TABLE, _SMALL_TABLE = 256.0, 16.0  # MiB
_SHALLOW = 9  # plies that are searched sooner than a large table is touched


def analyze_depth_first(
    game: str,
    moves: str,
    search: str,
    beside: Given,
    threads: int,
    seed: int,
    json: bool,
    sheet: Given,
) -> None:
    """Search a position to a depth, or for a time, and print what was found."""
    positive(threads=threads)
    read = _read(search, {name: value for name, value in beside.items() if value is not None})
    loaded = load_game(game, sheet)
    from trellis.players.star_player import make_star_player

    player = make_star_player(read, seed)
    position = play_moves(loaded, moves)
    engine = player.search_of(position)
    with stoppable() as stop, progress_bar(f"{search} {loaded.spec}") as show:
        report = engine.run(
            depth=player.depth,
            seconds=player.seconds,
            threads=threads,
            progress=show,
        )
    compiled()
    if json:
        content = report.facts() | {"engine": search} | sheet_facts(loaded)
        print_json(content | {"interrupted": stop.asked})
    else:
        _print(report, engine, position)
    stop.leave()


def _read(search: str, beside: Given) -> PlayerText:
    """Read the search, as for a player; options beside it fill in what it leaves open."""
    read = read_search(search, elsewhere=beside)
    options: Given = {"deeper": False, **read.options, **beside}  # the value to one depth
    depth = options.get("depth", None if "time" in options else DEFAULT_DEPTH)
    shallow = depth is not None and depth <= _SHALLOW
    options.setdefault("memory", _SMALL_TABLE if shallow else _USUAL_TABLE)
    read = replace(read, options=options)
    read.star_settings()  # refuses bad values
    return read


def _print(report: "Report", engine: "StarSearch", position: "Position") -> None:
    out = console()
    out.print(coloured(position))
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("outcome" if position.is_chance else "move")
    if position.is_chance:
        table.add_column("probability", justify="right")
    table.add_column("value", justify="right")
    scale = engine.range
    if report.values_of == 1:
        scale = mirrored(scale, report.constant_sum or 0.0)
    for line in report.moves[:_SHOWN]:
        share = [f"{line.probability:.4f}"] if line.probability is not None else []
        table.add_row(line.move, *share, _worth(line.low, line.high, *scale))
    out.print(table)
    if len(report.moves) > _SHOWN:
        out.print(f"… and {len(report.moves) - _SHOWN} more")
    whole = "the value of the game" if report.solved else f"searched {report.depth} plies deep"
    if engine.settings.samples:
        whole += f" with {engine.settings.samples} rolls drawn at each chance node: an estimate"
    worth = (
        f"{_worth(report.low, report.high, *scale)}, {whole}, "
        f"on a scale from {scale[0]:g} to {scale[1]:g}"
    )
    if report.best is not None:
        out.print(f"\nbest for {report.player}: [bold]{report.best}[/bold], {worth}")
    else:
        out.print(f"\nworth to {engine.game.player_name(report.values_of)}: {worth}")
    if report.note:
        out.print(report.note)
    judged = report.details["evaluation"] or "the middle of the scale"
    out.print(
        f"{report.nodes:,} nodes in {report.seconds:.2f} s, {report.nodes_per_second:,.0f} a "
        f"second; {report.leaves:,} leaves judged by {judged}"
    )


def _worth(low: float, high: float, least: float, most: float) -> str:
    if high - low < 1e-9:
        return _signed(0.5 * (low + high), 6)
    parts = [f"≥ {_signed(low, 4)}"] if low > least + 1e-12 else []
    parts += [f"≤ {_signed(high, 4)}"] if high < most - 1e-12 else []
    return ", ".join(parts) or "-"


def _signed(value: float, digits: int) -> str:
    """Write a number with its sign; adding 0 makes 0.0 of -0.0, which reads badly."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"
