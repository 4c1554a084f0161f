"""`trellis analyze --search star2tt`: a position searched depth first."""

from dataclasses import replace
from typing import TYPE_CHECKING

from trellis.cli.options import Given
from trellis.cli.output import print_best, print_board, print_table, write_lines
from trellis.cli.task import PositionTask
from trellis.players.texts import DEFAULT_DEPTH, PlayerText, read_search
from trellis.search.report import mirrored

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.search.report import Report
    from trellis.search.star.engine import StarSearch

_SHOWN = 24
_USUAL_TABLE, _SMALL_TABLE = 256.0, 16.0  # MiB
_SHALLOW = 9  # plies that are searched sooner than a large table is touched


def analyze_depth_first(task: PositionTask, search: str, beside: Given, threads: int) -> None:
    """Search a position to a depth, or for a time, and print what was found."""
    read = _read(search, {name: value for name, value in beside.items() if value is not None})
    position = task.position()
    from trellis.players.star_player import make_star_player

    player = make_star_player(read, task.seed)
    engine = player.search_of(position)
    with task.working(f"{search} {task.game.spec}") as show:
        report = engine.run(
            depth=player.depth, seconds=player.seconds, threads=threads, progress=show
        )
    task.answer(report.to_dict() | {"engine": search}, lambda: _print(report, engine, position))


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
    print_board(position)
    scale = engine.range
    if report.values_of == 1:
        scale = mirrored(scale, report.constant_sum or 0.0)
    rows = [
        (
            line.move,
            *([] if line.probability is None else [f"{line.probability:.4f}"]),
            _worth(line.low, line.high, *scale),
        )
        for line in report.moves[:_SHOWN]
    ]
    chance = position.is_chance
    print_table(("outcome", "probability", "value") if chance else ("move", "value"), rows)
    if len(report.moves) > _SHOWN:
        write_lines([f"… and {len(report.moves) - _SHOWN} more"])
    whole = "the value of the game" if report.solved else f"searched {report.depth} plies deep"
    if engine.settings.samples:
        whole += f" with {engine.settings.samples} rolls drawn at each chance node: an estimate"
    worth = (
        f"{_worth(report.low, report.high, *scale)}, {whole}, "
        f"on a scale from {scale[0]:g} to {scale[1]:g}"
    )
    if report.best is not None:
        print_best(report.player, report.best, worth)
    else:
        write_lines(["", f"worth to {engine.game.player_name(report.values_of)}: {worth}"])
    judged = report.details["evaluation"] or "the middle of the scale"
    work = (
        f"{report.nodes:,} nodes in {report.seconds:.2f} s, {report.nodes_per_second:,.0f} a "
        f"second; {report.leaves:,} leaves judged by {judged}"
    )
    write_lines([report.note, work] if report.note else [work])


def _worth(low: float, high: float, least: float, most: float) -> str:
    if high - low < 1e-9:
        return _signed(0.5 * (low + high), 6)
    parts = [f"≥ {_signed(low, 4)}"] if low > least + 1e-12 else []
    parts += [f"≤ {_signed(high, 4)}"] if high < most - 1e-12 else []
    return ", ".join(parts) or "-"


def _signed(value: float, digits: int) -> str:
    """Write a number with its sign; adding 0 makes 0.0 of -0.0, which reads badly."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"
