"""`trellis solve` for games without one value: what each player can secure."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from trellis.cli.exact_solution import look_at_all, tell_interrupted
from trellis.cli.output import (
    coloured,
    compiled,
    console,
    print_json,
    progress_bar,
    say,
    sheet_facts,
    write_values_of_all,
)
from trellis.cli.stopping import Stop
from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.game.game import Game, Position
    from trellis.search.report import Report


def why_no_value(game: "Game") -> str:
    """Say why there is not one number that one player raises and the other lowers."""
    reasons = []
    known = getattr(game, "known", None)
    if game.players > 2:
        reasons.append(f"it has {game.players} players")
    if game.players > 1 and game.constant_sum is None:
        status = known.constant_sum.status if known is not None else "unknown"
        if status == "refuted":
            reasons.append("its payoffs do not always add up to the same")
        elif hasattr(game, "sheet"):
            reasons.append("its payoffs are not proven to add up to a constant")
        else:
            reasons.append("its payoffs do not add up to a constant")
    if game.is_simultaneous:
        refuted = known is None or known.turn_taking.status == "refuted"
        sheet = hasattr(game, "sheet") and not refuted
        reasons.append(
            "players are not proven to take turns" if sheet else "players may choose at once"
        )
    return " and ".join(reasons)


def print_bounds(position: "Position", found: "Report", work: str) -> None:
    """Print a table with a row for each player."""
    out, game = console(), position.game
    out.print(coloured(position))
    out.print()
    out.print(f"not constant-sum, or not one move at a time: {why_no_value(game)}")
    table = Table(box=None, pad_edge=False)
    for title in ("player", "can secure", "can be held to"):
        table.add_column(title, justify="left" if title == "player" else "right")
    for player, (low, high) in enumerate(found.bounds):
        table.add_row(game.player_name(player), f"{low:.10g}", f"{high:.10g}")
    out.print(table)
    if found.best is not None:
        out.print(f"best for {found.player}, to secure it: [bold]{found.best}[/bold]")
    out.print(work)


def finish(game: "Game", found: "Report", more: str = "", stop: Stop | None = None) -> None:
    """Leave with 1, or as interrupted, and a line that says so, where bounds have not met."""
    if found.solved:
        return
    open_ = ", ".join(
        f"{game.player_name(player)} {low:.6g} to {high:.6g}"
        for player, (low, high) in enumerate(found.bounds)
        if low != high
    )
    say(f"{game.spec} is not solved: {open_}{more}")
    if stop is not None:
        stop.leave()
    raise typer.Exit(1)


def solve_each_by_values(
    position: "Position", memory: float, seconds: float | None, strong: Path | None, json: bool
) -> None:
    """Look at every position, for each player."""
    from trellis.search.solve.each_player import secure_exactly

    game = position.game
    found, reached, stop = look_at_all(
        position, seconds, lambda watch: secure_exactly(position, memory, progress=watch)
    )
    compiled()
    if found is None:
        tell_interrupted(position, reached, json)
        stop.leave()
        return
    extra: dict[str, Any] = {}
    if strong is not None:
        extra["strong_positions"] = write_strong(position, strong)
    if json:
        print_json(found.facts() | sheet_facts(game) | extra | {"interrupted": False})
    else:
        counts = f"{found.nodes:,} positions, {found.edges:,} moves and outcomes"
        print_bounds(position, found, f"{counts}; {found.seconds:.2f} s")
    finish(game, found)


def write_strong(position: "Position", path: Path) -> int:
    """Write what each player can secure in every position."""
    from trellis.search.solve.strong import secure_everywhere

    spec = position.game.spec
    with progress_bar(f"every position of {spec}") as show:
        return write_values_of_all(path, spec, secure_everywhere(position, progress=show).items())


def refuse_strategy(game: "Game", path: Path | None) -> None:
    """Refuse a strategy: it would be for games with one value."""
    if path is not None:
        raise BadParameter(
            f"no strategy for {game.spec}: {why_no_value(game)}; expected it left out, or --strong"
        )
