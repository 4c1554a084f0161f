"""`trellis automaton`: the explicit automaton of a small game, counted and drawn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trellis.cli.options import Option
from trellis.cli.output import writable, write_lines, write_whole
from trellis.cli.task import PositionTask, play_moves

if TYPE_CHECKING:
    from trellis.game.automaton import Automaton


def automaton(
    task: PositionTask,
    unfold: Annotated[bool, Option("Build the tree of all paths instead of the graph.")] = False,
    minimise: Annotated[bool, Option("Merge equivalent states.")] = False,
    draw: Annotated[Path | None, Option("Draw the automaton into this file: .svg or .dot.")] = None,
    limit: Annotated[int, Option("Maximum number of states.")] = 100_000,
) -> None:
    """Build the automaton of a small game: a state for each position, an edge for each move."""
    if draw is not None:
        writable(draw, (".svg", ".dot"))
    loaded = task.load()
    from trellis.game.automaton import automaton as build
    from trellis.game.reductions import unfolded

    start = play_moves(unfolded(loaded) if unfold else loaded, task.moves)
    built: Automaton | None = None
    with task.working(f"automaton of {start.game.spec}", whole=True) as show:
        built = build(start, limit, show)
        built = built.minimised() if minimise else built
    if built is None:
        task.give_up(f"the automaton of {start.game.spec} is not finished", game=start.game.spec)
        return
    if draw is not None:
        write_whole(draw, built.svg() if draw.suffix.lower() == ".svg" else built.dot())
    counts = {
        "states": built.states,
        "edges": len(built.edges),
        "ends": sum(payoffs is not None for payoffs in built.payoffs),
    }
    words = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    drawn = f"; drawn to {draw}" if draw else ""
    task.answer(
        {"game": built.name, **counts}, lambda: write_lines([f"{built.name}: {words}{drawn}"])
    )
