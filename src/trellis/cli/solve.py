"""`trellis solve`: what a position is worth, proven."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from trellis.cli.options import Given, Option, OptionGroup, refuse
from trellis.cli.output import say, writable, write_records
from trellis.cli.solutions import (
    Plan,
    Solution,
    by_dice,
    by_methods,
    by_playouts,
    by_values,
    one_value,
    why_no_value,
)
from trellis.cli.task import PositionTask, play_moves, read_moves
from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.spec import plain_value
from trellis.search.mcts.settings import Settings
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.settings import DEFAULT_LIMIT, SETTINGS, TABLE_MEMORY

if TYPE_CHECKING:
    from trellis.game.game import Game

_NAMES = (
    "select", "c", "decisive", "bounds", "gamma", "delta", "symmetry", "memory", "when_full",
)  # fmt: skip
_ASKING = ("order", "hints", "threads", "rating_games")
_BOTH = ("memory", "symmetry")  # options of every method
_METHODS = ("auto", "bounds", "alphabeta", "dfpn", "exact", "mixed")
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
    questions: Annotated[Given, OptionGroup(QuestionSettings, "Options for questions", _ASKING)],
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
    certificate: Annotated[
        Path | None, Option("Write the proof as a file that `trellis verify` checks.")
    ] = None,
    save: Annotated[
        Path | None,
        Option("Write what is proven so far to this file now and then, and at the end."),
    ] = None,
    resume: Annotated[Path | None, Option("Go on from a file that --save wrote.")] = None,
    exact: Annotated[bool, Option("Evaluate every position, as for games of chance.")] = False,
    method: Annotated[
        str,
        Option("How to prove it: auto, bounds, alphabeta, dfpn, exact or mixed.", metavar="METHOD"),
    ] = "auto",
    question: Annotated[
        float | None,
        Option("Ask first whether the first player gets at least this payoff.", "none"),
    ] = None,
) -> None:
    """Prove what a position is worth, with the best line and how much work it took.

    Methods are tried in turns (auto), or one is chosen: graph search with score bounds (bounds),
    questions with two answers asked depth first (alphabeta) or by proof numbers (dfpn), or looking
    at every position (exact).  Options of one method choose it.  Where players choose at once,
    mixed finds the value with dice, in fractions.

    Games of chance, and any game with --exact, are solved by evaluating every position that can
    be reached; the value is then an expectation.

    Where players may move at the same time, or their payoffs are not known to add up to a
    constant, the answer is what each player can secure, and what the others can hold it to.

    The exit code is 0 only when the value is proven.
    """
    _refuse_same_file(strategy=strategy, strong=strong, certificate=certificate, save=save)
    for path in (strategy, strong, certificate, save):
        if path is not None:
            writable(path)
    given, strategies = dict(settings), strategy is not None
    if strategies and settings.setdefault("when_full", "stop") != "stop":
        raise BadParameter("--strategy needs the whole proof: expected --when-full stop")
    Settings(**settings)  # refuses bad values
    both = {name: given[name] for name in _BOTH if name in given}
    asking = QuestionSettings(**questions, **both)
    game = task.load()
    if strategies and not one_value(game):
        raise BadParameter(
            f"no strategy for {game.spec}: {why_no_value(game)}; expected it left out, or --strong"
        )
    playouts = {name: value for name, value in given.items() if name not in _BOTH}
    method = _choose_method(method, game, exact, playouts | {"limit": limit}, questions | {
        "question": question
    })  # fmt: skip
    if method in ("exact", "mixed"):
        why = f"has no effect with method {method}: expected it left out"
        refuse(why, symmetry=given.get("symmetry"))
        refuse(why, memory=given.get("memory") if method == "mixed" else None)
    if method in ("exact", "bounds", "mixed"):
        why = f"is for questions: expected it left out with method {method}"
        refuse(why, certificate=certificate, save=save, resume=resume)
    position = play_moves(game, task.moves)
    if method == "mixed":
        found = by_dice(task, position, time)
    elif method == "exact":
        found = by_values(task, position, settings.get("memory", TABLE_MEMORY), time)
    elif method == "bounds":
        found = by_playouts(task, position, limit, time, settings)
    else:
        more = {"when_full": "stop"} if strategies else {}
        found = by_methods(task, position, Plan(method, asking, question, save, resume), time, more)
    if found is None:
        low, high = map(float, game.payoff_range)
        late = "" if task.interrupted else f" after {time:g} s"
        line = f"{game.spec} is not solved{late}: nothing is known of its value yet"
        task.give_up(line, game=game.spec, solved=False, low=low, high=high)
        return
    report = found.report
    fraction = {"fraction": found.fraction} if method == "exact" and one_value(game) else {}
    content = report.to_dict() | fraction
    lines = _write_files(task, found, content, strategy, certificate, strong)
    if not report.solved:
        say(f"{game.spec} is not solved: {found.what_is_open()}")
        task.code = 1
    task.answer(content, lambda: found.show(lines))


def _write_files(
    task: PositionTask, found: Solution, content: Given, strategy: Path | None,
    certificate: Path | None, strong: Path | None,
) -> list[str]:  # fmt: skip
    """Write what was asked for to files; add to `content`, and return lines that tell of it."""
    report, game = found.report, found.position.game
    lines: list[str] = []
    if report.solved and (answer := found.answer()):
        content["answer"] = answer
    if strategy is not None and report.solved:
        head = {"game": report.game, "player": "both", "value": report.bounds[0][0]}
        moves = ({"position": each.code, "move": move} for each, move in found.strategy())
        content["strategy_positions"] = write_records(strategy, head, moves)
        lines.append(f"strategy of {content['strategy_positions']:,} positions in {strategy}")
    if certificate is not None and found.search is not None and not task.interrupted:
        lines += _certify(task, found, certificate, content)
    if strong is not None and not task.interrupted:
        with task.working(f"every position of {game.spec}", whole=True) as show:
            every = found.every_value(show)
            head = {"game": game.spec, "positions": len(every)}
            content["strong_positions"] = write_records(strong, head, every)
            lines.append(f"values of {len(every):,} positions in {strong}")
    return lines


def _refuse_same_file(**paths: Path | None) -> None:
    """Refuse two options that would write to one file."""
    known: dict[Path, str] = {}
    for name, path in paths.items():
        other = path and known.setdefault(path.absolute(), name)
        if other and other != name:
            raise BadParameter(f"--{other} and --{name} {shorten(str(path))}: expected two files")


def _certify(task: PositionTask, found: Solution, path: Path, content: Given) -> list[str]:
    """Write a certificate of what is proven; return lines that tell of it."""
    from trellis.search.solve.certificate import write_certificate

    low, high = map(float, found.position.game.payoff_range)
    if found.search is None or found.report.bounds[0] == (low, high):
        return []
    with task.working(f"certificate of {found.position.game.spec}") as show:
        head = write_certificate(
            found.search, path, read_moves(found.position.game, task.moves), show
        )
    if head is None:
        return [f"no certificate in {path}: stopped"]
    choices = sum(head["choices"])
    content["certificate_choices"] = choices
    return [f"certificate of {choices:,} choices in {path}"]


def _choose_method(
    method: str, game: "Game", exact: bool, playouts: Given, questions: Given
) -> str:
    """Return the method to use, and refuse options that would have no effect with it."""
    if method not in _METHODS:
        raise BadParameter(
            f"bad method {shorten(method)}: expected one of {', '.join(_METHODS)}"
            f"{nearest(method, _METHODS)}"
        )
    if exact and method not in ("auto", "exact"):
        raise BadParameter(f"--exact with --method {method}: expected one of the two")
    if exact or (game.has_chance and method == "auto"):
        method = "exact"
    asked = {name: value for name, value in questions.items() if value is not None}
    if method == "auto":
        from trellis.search.solve.questions.setup import suits

        told = any(value is not None for value in playouts.values())
        method = "bounds" if not suits(game) or (told and not asked) else "auto"
    if method == "exact":
        why = "is for proofs by playouts: every position is evaluated here; expected it left out"
        refuse(why, **playouts)
        refuse("is for questions: every position is evaluated here; expected it left out", **asked)
    if method == "bounds":
        refuse("is for questions: expected it left out, or --method alphabeta", **asked)
    if method == "mixed":
        refuse("is for questions: expected it left out with --method mixed", **asked)
    if method in ("alphabeta", "dfpn", "mixed"):
        refuse(
            f"is for proofs by playouts: expected it left out with --method {method}", **playouts
        )
    if method == "auto":
        refuse("is for proofs by playouts: expected it left out, or --method bounds", **playouts)
    return method
