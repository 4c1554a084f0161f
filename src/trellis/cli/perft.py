"""`trellis perft`: count games and distinct positions."""

from dataclasses import asdict
from typing import Annotated

from trellis.cli.options import Argument, Option
from trellis.cli.output import print_table
from trellis.cli.task import PositionTask


def perft(
    task: PositionTask,
    depth: Annotated[int, Argument("Depth in plies.")],
    limit: Annotated[
        int | None,
        Option("Maximum number of positions in one ply.", usual="as many as fit into 4 GB"),
    ] = None,
) -> None:
    """Count the games of each length, and the distinct positions they reach."""
    start = task.position()
    from trellis.game.perft import perft as count

    with task.working(f"perft {task.game.spec}") as show:
        plies = count(start, depth, limit=limit, progress=show)
    rows = [
        (str(ply.ply), f"{ply.games:,}", f"{ply.positions:,}", f"{ply.ended:,}") for ply in plies
    ]
    task.answer(
        {"game": task.game.spec, "plies": [asdict(ply) for ply in plies]},
        lambda: print_table(("ply", "games", "positions", "ended"), rows, left=0),
    )
