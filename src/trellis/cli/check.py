"""`trellis check`: whether a game keeps the promises that searches rely on."""

from typing import Annotated, Any

from trellis.cli.options import Option
from trellis.cli.output import write_lines
from trellis.cli.task import GameTask


def check(
    task: GameTask,
    games: Annotated[int, Option("Number of random games to play.", above=0)] = 20,
    time: Annotated[float, Option("Seconds after which no more is looked at.", above=0)] = 60.0,
    select: Annotated[
        str | None,
        Option(
            "Check a selection rule, FILE.py:NAME, instead, in searches of this game.",
            usual="none",
            metavar="RULE",
        ),
    ] = None,
    backup: Annotated[
        str | None,
        Option(
            "Check a backup, FILE.py:NAME, instead, in searches of this game.",
            usual="none",
            metavar="BACKUP",
        ),
    ] = None,
) -> None:
    """Check that a game keeps the contract that searches rely on, by playing random games.

    This is for games that you have written yourself.  Every position of the random games is looked
    at, and some more near the start: that moves have names which read back, that equal positions
    have equal keys, that mirror images play alike; then fast playouts are compared with slow ones.
    What is left when the time is up is left out, and the answer says so.

    With --select it is a selection rule of yours that is checked: that it scores every edge, gives
    the same scores again, changes nothing else, and computes what its Python source does.
    With --backup it is a backup: that what it says of a node is from 0 to 1, and likewise the rest.
    """
    loaded = task.load()
    if select is not None or backup is not None:
        _check_parts(task, select, backup)
        return
    from trellis.game.contract import check_game

    with task.working(f"check {loaded.spec}") as show:
        report = check_game(loaded, games, task.seed, progress=show, seconds=time)
    facts = {
        name: getattr(report, name)
        for name in ("game", "positions", "games", "most_moves", "longest", "finished")
    }
    left = "" if report.finished else f", as far as was looked at in {time:g} s (--time)"
    line = (
        f"{report.game} keeps the contract{left}: {report.positions:,} positions looked at in "
        f"{report.games} games, at most {report.most_moves} moves, longest game {report.longest}"
    )
    task.answer(facts, lambda: write_lines([line]))


def _check_parts(task: GameTask, select: str | None, backup: str | None) -> None:
    """Check a selection rule, a backup, or both in turn."""
    from trellis.search.mcts.check_parts import check_backup, check_rule

    start = task.game.start()
    while start.is_chance and not start.is_over:
        start = start.play(start.move_codes()[0])
    facts: dict[str, Any] = {"game": task.game.spec}
    lines = []
    for kind, part, look in (("rule", select, check_rule), ("backup", backup, check_backup)):
        if part is not None:
            nodes = look(part, start, seed=task.seed)
            facts |= {kind: part, "nodes": nodes}
            lines.append(
                f"{part} keeps what {kind}s promise: {nodes:,} nodes of {task.game.spec} looked at"
            )
    task.answer(facts, lambda: write_lines(lines))
