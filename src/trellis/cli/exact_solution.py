"""`trellis solve` for games of chance: what every position is worth, by looking at all of them."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from trellis._kernel.deadline import stop_asked
from trellis.cli.output import (
    coloured,
    compiled,
    console,
    print_json,
    progress_bar,
    say,
    write_strategy,
    write_values,
)
from trellis.cli.stopping import Stop, stoppable
from trellis.game.errors import LimitReached

if TYPE_CHECKING:
    from trellis._kernel.progress import Progress
    from trellis.game.game import Position
    from trellis.search.report import Report

T = TypeVar("T")


def solve_by_values(
    position: "Position",
    memory: float,
    seconds: float | None,
    strategy: Path | None,
    strong: Path | None,
    json: bool,
) -> None:
    """Solve a position and print what was found; the exit code is 0 only where the value is."""
    from trellis.search.solve.value_iteration import solve_exactly

    found, reached, stop = look_at_all(
        position,
        seconds,
        lambda watch: solve_exactly(position, memory, progress=watch),
    )
    compiled()
    if found is None:
        tell_interrupted(position, reached, json)
        stop.leave()
        return
    extra: dict[str, Any] = {}
    if strategy is not None and found.solved and found.values is not None:
        extra["strategy_positions"] = write_strategy(
            strategy, found.game, found.bounds[0][0], found.values.strategy()
        )
    if strong is not None and found.values is not None:
        extra["strong_positions"] = write_values(strong, found.game, found.values.items())
    if json:
        extra |= {"share": _share(found, position), "interrupted": False}
        print_json(found.facts() | extra)
    else:
        _print(found, position, extra, strategy, strong)
    if not found.solved:
        say(f"{position.game.spec} is not solved: {found.sentence()}")
        raise typer.Exit(1)


class _Interrupted(Exception):
    """Leaves the work from inside its progress callback."""


def look_at_all(
    position: "Position", seconds: float | None, work: Callable[["Progress"], T]
) -> tuple[T | None, str, Stop]:
    """Do work that looks at every position; return what came of it and how far it got.

    Nothing comes of it where somebody presses Ctrl-C; where it takes too long it is refused.
    """
    began, found, reached = perf_counter(), None, ""
    with stoppable() as stop, progress_bar(f"solve {position.game.spec}") as show:

        def watch(share: float, note: str) -> None:
            nonlocal reached
            reached = note
            if stop_asked():
                raise _Interrupted
            if seconds is not None and perf_counter() - began > seconds:
                raise LimitReached(
                    f"{position.game.spec} is not solved after {seconds:g} s, {note}: expected "
                    "more time or a smaller game"
                )
            show(share, note)

        with suppress(_Interrupted):
            found = work(watch)
    return found, reached, stop


def tell_interrupted(position: "Position", reached: str, json: bool) -> None:
    """Say how far it came: values are known only where all positions have been looked at."""
    low, high = map(float, position.game.payoff_range)
    if json:
        print_json(
            {"game": position.game.spec, "solved": False, "low": low, "high": high,
             "reached": reached, "interrupted": True}
        )  # fmt: skip
    say(f"{position.game.spec} is not solved: nothing is known of its value yet, {reached}")


def _share(found: "Report", position: "Position") -> float | None:
    """Return the value as a part of the scale: a probability where all is won or lost."""
    low, high = position.game.payoff_range
    return (found.value - low) / (high - low) if found.solved else None


def _print(
    found: "Report",
    position: "Position",
    extra: dict[str, Any],
    strategy: Path | None,
    strong: Path | None,
) -> None:
    out, game = console(), position.game
    low, high = game.payoff_range
    name = game.player_name(found.values_of)
    out.print(coloured(position))
    out.print()
    if found.solved:
        out.print(
            f"[bold]worth {found.value:+.9f}[/bold] for {name}, on a scale from "
            f"{low:g} to {high:g}: {_share(found, position):.9f} of the way up"
        )
    if found.best is not None:
        out.print(f"best for {found.player}: [bold]{found.best}[/bold]")
        if name != found.player:
            out.print(f"what each move is worth for {name}:")
    for move in found.moves[:24]:
        share = "" if move.probability is None else f"  probability {move.probability:.4f}"
        ends = f"{move.low:+.9f}" if found.solved else f"{move.low:+.6f} to {move.high:+.6f}"
        out.print(f"  {move.move:12}{ends}{share}")
    how = "no cycles, from the ends backwards"
    if found.cycles:
        knots = "knot" if found.cycles == 1 else "knots"
        how = f"{found.cycles:,} {knots} of cycles, at most {found.sweeps:,} sweeps"
    out.print(
        f"{found.nodes:,} positions, {found.edges:,} moves and outcomes, {how}; "
        f"{found.seconds:.2f} s"
    )
    if "strategy_positions" in extra:
        out.print(f"strategy of {extra['strategy_positions']:,} positions in {strategy}")
    if "strong_positions" in extra:
        out.print(f"values of {extra['strong_positions']:,} positions in {strong}")
