"""`trellis sweep`: a match over a grid of settings, games and budgets."""

from typing import Annotated

from trellis.cli.match import Opening, Ray, Workers
from trellis.cli.options import Argument, Option
from trellis.cli.output import say
from trellis.cli.reproduce import RecordFile, default_record, show_results
from trellis.cli.task import SeededTask
from trellis.cli.waiting import await_compiling, compiled


def sweep(
    task: SeededTask,
    game: Annotated[str, Argument("The game, unless the grid varies it.", metavar="GAME")],
    a: Annotated[str, Argument("The player whose score is measured, such as uct:c={c}.")],
    b: Annotated[str, Argument("Its opponent.")],
    grid: Annotated[
        list[str] | None,
        Option("What is varied, and its values: 'c=0.2 0.4 0.8'; may be given several times."),
    ] = None,
    games: Annotated[int, Option("Games of each combination.", above=0)] = 100,
    sims: Annotated[
        int | None, Option("Simulations a move, for players that name none.", above=0)
    ] = None,
    time: Annotated[
        float | None, Option("Seconds a move, for players that name none.", above=0)
    ] = None,
    opening: Opening = 2,
    workers: Workers = 1,
    ray: Ray = None,
    record: RecordFile = None,
) -> None:
    """Play a match for each combination of settings, and show where the first player does best.

    A name of the grid stands in braces in the text of a player; or it is game, sims, time or
    opening.  Of a grid with two names or more the last two make a heat map.
    """
    from trellis.lab.running import run
    from trellis.lab.sweep import read_grid, sweep_of

    values = read_grid(grid or [])
    budget = {name: value for name, value in (("sims", sims), ("time", time)) if value is not None}
    experiment = sweep_of(
        game, a, b, values, games=games, seed=task.seed, opening=opening, **budget
    )
    if record is None:
        record = default_record()
    await_compiling("sweep")
    with task.working("sweep") as progress:
        found = run(
            experiment, workers=workers, ray=ray, record=record, progress=progress, notice=say
        )
    compiled()
    task.answer(found.to_dict(), lambda: show_results(found))
