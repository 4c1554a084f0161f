"""`trellis solve`: what a position is worth, proven."""

from pathlib import Path
from typing import Annotated

from trellis.cli.options import Given, Option, OptionGroup, refuse
from trellis.cli.output import say, writable, write_records
from trellis.cli.solutions import by_playouts, by_values, one_value, why_no_value
from trellis.cli.task import PositionTask, play_moves
from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import plain_value
from trellis.search.mcts.settings import Settings
from trellis.search.solve.settings import DEFAULT_LIMIT, SETTINGS, TABLE_MEMORY

_NAMES = (
    "select", "c", "decisive", "bounds", "gamma", "delta", "symmetry", "memory", "when_full",
)  # fmt: skip
_USUAL = {name: plain_value(value) for name, value in SETTINGS.items()} | {
    "select": "suits the game",
    "symmetry": "on where the game has symmetries",
    "memory": f"{SETTINGS['memory']:,.0f}; {TABLE_MEMORY:,.0f} where every position is evaluated",
}


def solve(
    task: PositionTask,
    settings: Annotated[
        Given, OptionGroup(Settings, "Options for proofs by playouts", _NAMES, _USUAL)
    ],
    limit: Annotated[
        int | None,
        Option("Maximum number of playouts.", f"{DEFAULT_LIMIT:,} without --time", above=0),
    ] = None,
    time: Annotated[float | None, Option("Maximum seconds.", "no limit", above=0)] = None,
    strategy: Annotated[
        Path | None, Option("Write an optimal strategy, for `play --player strategy:FILE`.")
    ] = None,
    strong: Annotated[
        Path | None, Option("Write the value of every position of a small game.")
    ] = None,
    exact: Annotated[bool, Option("Evaluate every position, as for games of chance.")] = False,
) -> None:
    """Prove what a position is worth, with the best line and how much work it took.

    Games of chance, and any game with --exact, are solved by evaluating every position that can
    be reached; the value is then an expectation.

    Where players may move at the same time, or their payoffs are not known to add up to a
    constant, the answer is what each player can secure, and what the others can hold it to.

    The exit code is 0 only when the value is proven.
    """
    if strategy is not None and strong is not None and strategy.absolute() == strong.absolute():
        raise BadParameter(f"--strategy and --strong {shorten(str(strong))}: expected two files")
    for path in (strategy, strong):
        if path is not None:
            writable(path)
    given = dict(settings)
    if strategy is not None and settings.setdefault("when_full", "stop") != "stop":
        raise BadParameter("--strategy needs the whole proof: expected --when-full stop")
    Settings(**settings)  # refuses bad values
    game = task.load()
    if strategy is not None and not one_value(game):
        raise BadParameter(
            f"no strategy for {game.spec}: {why_no_value(game)}; expected it left out, or --strong"
        )
    values = exact or game.has_chance
    if values:
        refuse(
            "is for proofs by playouts: every position is evaluated here; expected it left out",
            limit=limit, **(given | {"memory": None}),
        )  # fmt: skip
    position = play_moves(game, task.moves)
    if values:
        found = by_values(task, position, settings.get("memory", TABLE_MEMORY), time)
    else:
        found = by_playouts(task, position, limit, time, settings)
    if found is None:
        low, high = map(float, game.payoff_range)
        late = "" if task.interrupted else f" after {time:g} s"
        line = f"{game.spec} is not solved{late}: nothing is known of its value yet"
        task.give_up(line, game=game.spec, solved=False, low=low, high=high)
        return
    report = found.report
    content = report.facts() | ({"share": found.share} if values and one_value(game) else {})
    lines: list[str] = []
    if report.solved and (answer := found.answer()):
        content["answer"] = answer
    if strategy is not None and report.solved:
        head = {"game": report.game, "player": "both", "value": report.bounds[0][0]}
        moves = ({"position": each.code, "move": move} for each, move in found.strategy())
        content["strategy_positions"] = write_records(strategy, head, moves)
        lines.append(f"strategy of {content['strategy_positions']:,} positions in {strategy}")
    if strong is not None and not task.interrupted:
        with task.working(f"every position of {game.spec}", whole=True) as show:
            every = found.every_value(show)
            head = {"game": game.spec, "positions": len(every)}
            content["strong_positions"] = write_records(strong, head, every)
            lines.append(f"values of {len(every):,} positions in {strong}")
    if not report.solved:
        say(f"{game.spec} is not solved: {found.what_is_open()}")
        task.code = 1
    task.answer(content, lambda: found.show(lines))
