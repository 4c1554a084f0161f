"""Options that every command with a GAME has for the case that it is a rulesheet."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from trellis.cli.output import Real, positive
from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import split_sheet_spec

GroundLimit = Annotated[
    str | None,
    typer.Option(
        "--ground-limit",
        metavar="LIMIT",
        help="What grounding may cost: seconds, or seconds=60,mebibytes=3000,rules=2500000.",
    ),
]
_Evaluator = Annotated[
    str | None,
    typer.Option(
        "--evaluator", help="Play a rulesheet by auto, circuit, event, sliced or forward."
    ),
]
LoadTime = Annotated[
    float | None,
    typer.Option(
        "--load-time", help="Seconds that loading a rulesheet may take; 300 unless told.", **Real
    ),
]
_ProveTime = Annotated[
    float | None,
    typer.Option(
        "--prove-time",
        help="Seconds to prove of a rulesheet what searches may rely on; 5 unless told.",
        **Real,
    ),
]
_IgnoreStep = Annotated[
    bool,
    typer.Option(
        "--ignore-step",
        help="Leave a rulesheet's step counter out of positions, where nothing looks at it.",
    ),
]


def sheet_parameters(
    *,
    ground_limit: GroundLimit = None,
    evaluator: _Evaluator = None,
    ignore_step: _IgnoreStep = False,
    load_time: LoadTime = None,
    prove_time: _ProveTime = None,
) -> dict[str, str]:
    """Return the options that were given as the parameters of a sheet that they stand for."""
    found: dict[str, str] = {}
    if ground_limit is not None:
        # Commas part the parameters of a game.
        found["ground_limit"] = ground_limit.replace(" ", "").replace(",", "+")
    if evaluator is not None:
        found["evaluator"] = evaluator
    if ignore_step:
        found["ignore_step"] = "true"
    if load_time is not None:
        positive(load_time, "--load-time")
        found["load_time"] = f"{load_time:g}"
    if prove_time is not None:
        found["prove_time"] = f"{prove_time:g}"
    return found


def with_sheet_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of rulesheets; they become parameters of its `game`.

    So the command itself, and whoever loads the game again from its name, need not know of them.
    """
    own = inspect.signature(command)
    added = inspect.signature(sheet_parameters).parameters
    both = [*own.parameters.values(), *added.values()]

    @wraps(command)
    def run(**given: Any) -> None:
        settings = sheet_parameters(**{name: given.pop(name) for name in added})
        command(**{**given, "game": join_options(given["game"], settings)})

    # Typer reads the options off the signature.
    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in both]
    run.__signature__ = own.replace(parameters=keyword)  # type: ignore[attr-defined]
    return run


def join_options(game: str, settings: dict[str, str]) -> str:
    """Add parameters to the name of a rulesheet; any other game is refused."""
    if not settings:
        return game
    split = split_sheet_spec(game.strip())
    if split is None:
        option = "--" + next(iter(settings)).replace("_", "-")
        raise BadParameter(
            f"{option} is for rulesheets: expected a .kif file, not {shorten(game.strip())}"
        )
    text = ",".join(f"{name}={value}" for name, value in settings.items())
    path, rest = split
    if rest.startswith("("):
        rest = f":{rest[1:].removesuffix(')')}"
    return f"{path}{rest},{text}" if rest.strip(":") else f"{path}:{text}"
