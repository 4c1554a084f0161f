"""`trellis analyze --search star2tt`: a position searched depth first."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.search.star.engine import MoveBounds, StarReport, StarSearch

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
            progress=lambda share, state: show(share, f"{state.nodes:,} nodes"),
        )
    compiled()
    if json:
        content = as_json(report, engine, search) | sheet_facts(loaded)
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


def as_json(report: "StarReport", engine: "StarSearch", name: str) -> dict[str, Any]:
    """Return what programs read; values are those of who moves, of player 0 at chance."""
    position, game = engine.position, engine.game
    low, high = _for_mover(engine, report.low, report.high)
    return {
        "game": game.spec,
        "engine": name,
        "player": position.actor_name(),
        "best": report.best_name,
        "value": 0.5 * (low + high),
        "low": low,
        "high": high,
        "depth": report.depth,
        "exact": report.exact,
        "note": report.note,
        "evaluation": engine.evaluation.name if engine.evaluation else None,
        "nodes": report.nodes,
        "leaves": report.leaves,
        "seconds": report.seconds,
        "nodes_per_second": report.nodes / report.seconds if report.seconds else 0.0,
        "bytes": engine.table.words.nbytes,
        "sims": None,
        "sims_per_second": None,
        "edges": None,
        "transpositions": None,
        "moves": [
            {
                "move": line.name,
                "probability": line.share,
                "visits": None,
                "value": 0.5 * (ends[0] + ends[1]) if ends[1] - ends[0] < 1e-9 else None,
                "low": ends[0],
                "high": ends[1],
            }
            for line in _sorted(report, engine)
            for ends in [_for_mover(engine, line.low, line.high)]
        ],
    }


def _for_mover(engine: "StarSearch", low: float, high: float) -> tuple[float, float]:
    """Return bounds as who moves sees them; at chance, as player 0 does."""
    if engine.position.acting != 1:
        return low, high
    total = engine.game.constant_sum or 0.0
    return total - high, total - low


def _sorted(report: "StarReport", engine: "StarSearch") -> "list[MoveBounds]":
    if report.best is None:
        return list(report.moves)

    def order(line: "MoveBounds") -> tuple[bool, float]:
        return line.code != report.best, -_for_mover(engine, line.low, line.high)[1]

    return sorted(report.moves, key=order)


def _print(report: "StarReport", engine: "StarSearch", position: "Position") -> None:
    out = console()
    out.print(coloured(position))
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("outcome" if position.is_chance else "move")
    if position.is_chance:
        table.add_column("probability", justify="right")
    table.add_column("value", justify="right")
    least, most = _for_mover(engine, *engine.range)
    for line in _sorted(report, engine)[:_SHOWN]:
        low, high = _for_mover(engine, line.low, line.high)
        share = [f"{line.share:.4f}"] if line.share is not None else []
        table.add_row(line.name, *share, _worth(low, high, least, most))
    out.print(table)
    if len(report.moves) > _SHOWN:
        out.print(f"… and {len(report.moves) - _SHOWN} more")
    low, high = _for_mover(engine, report.low, report.high)
    whole = "the value of the game" if report.exact else f"searched {report.depth} plies deep"
    if engine.settings.samples:
        whole += f" with {engine.settings.samples} rolls drawn at each chance node: an estimate"
    scale = f"on a scale from {least:g} to {most:g}"
    worth = f"{_worth(low, high, least, most)}, {whole}, {scale}"
    if report.best_name is not None:
        out.print(f"\nbest for {position.actor_name()}: [bold]{report.best_name}[/bold], {worth}")
    else:
        out.print(f"\nworth to {engine.game.player_name(0)}: {worth}")
    if report.note:
        out.print(report.note)
    judged = engine.evaluation.name if engine.evaluation else "the middle of the scale"
    out.print(
        f"{report.nodes:,} nodes in {report.seconds:.2f} s, "
        f"{report.nodes / max(report.seconds, 1e-9):,.0f} a second; "
        f"{report.leaves:,} leaves judged by {judged}"
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
