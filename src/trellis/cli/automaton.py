"""`trellis automaton`: the explicit automaton of a small game, counted and drawn."""

from pathlib import Path
from typing import Annotated

import typer

from trellis.cli.options import SheetGroup, Whole
from trellis.cli.output import (
    GameName,
    JsonFlag,
    MovesOption,
    SeedOption,
    compiled,
    console,
    load_game,
    play_moves,
    print_json,
    progress_bar,
    sheet_facts,
    writable,
    write_whole,
)
from trellis.game.errors import BadParameter


def automaton(
    game: GameName,
    moves: MovesOption = "",
    unfold: Annotated[
        bool, typer.Option("--unfold", help="Build the tree of all paths instead of the graph.")
    ] = False,
    minimise: Annotated[bool, typer.Option("--minimise", help="Merge equivalent states.")] = False,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the automaton into this file: .svg or .dot."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of states.", **Whole)] = 100_000,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetGroup,
) -> None:
    """Build the automaton of a small game: a state for each position, an edge for each move."""
    if draw is not None and draw.suffix not in {".svg", ".dot"}:
        raise BadParameter(f"bad drawing {str(draw)!r}: expected a name ending in .svg or .dot")
    if draw is not None:
        writable(draw)
    loaded = load_game(game, sheet)
    from trellis.game.automaton import automaton as build
    from trellis.game.reductions import unfolded

    start = play_moves(unfolded(loaded) if unfold else loaded, moves)
    with progress_bar(f"automaton of {start.game.spec}") as show:
        built = build(start, limit, show)
    if minimise:
        built = built.minimised()
    if draw is not None:
        write_whole(draw, built.svg() if draw.suffix == ".svg" else built.dot())
    compiled()
    ends = sum(payoffs is not None for payoffs in built.payoffs)
    if json:
        print_json(
            {"game": built.name, "states": built.states, "edges": len(built.edges), "ends": ends}
            | sheet_facts(loaded)
        )
        return
    console().print(
        f"{built.name}: {built.states:,} states, {len(built.edges):,} edges, {ends:,} ends"
        + (f"; drawn to {draw}" if draw else "")
    )
