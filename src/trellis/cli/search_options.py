"""Options of every command that searches, and the settings they make."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis.cli.output import Real, Whole
from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.search.mcts.settings import Settings

Select = Annotated[
    str,
    typer.Option(
        help="uct0, uct1, uct2, uct3, simple, nodes, or ucd:d1,d2,d3 (inf allowed); "
        "auto suits the game."
    ),
]
Explore = Annotated[
    float | None, typer.Option("-c", help="How much to explore, on payoffs 0 to 1.", **Real)
]
Backup = Annotated[
    str | None,
    typer.Option(help="path, all, exact or recompute; suits --select unless given."),
]
OwnPlayouts = Annotated[str, typer.Option(help="Keep n' and µ' per node, per edge, or none.")]
Tuned = Annotated[bool, typer.Option("--ucb1-tuned", help="UCB1-tuned.")]
Fpu = Annotated[
    float | None,
    typer.Option(help="First play urgency: value of an untried move.", **Real),
]
Decisive = Annotated[
    bool, typer.Option("--decisive", help="Take a winning move, avoid a losing one.")
]
Rave = Annotated[float, typer.Option(help="RAVE with this equivalence parameter.", **Real)]
RaveBias = Annotated[float, typer.Option(help="RAVE with this bias, 4b².", **Real)]
Grave = Annotated[
    int, typer.Option(help="GRAVE: visits an ancestor needs to lend its statistics.", **Whole)
]
RaveChildren = Annotated[
    bool, typer.Option("--rave-children", help="RAVE UCD: mix what the children know.")
]
Bounds = Annotated[
    str,
    typer.Option(help="off, plain, cuts, guided, deep or solver; auto is cuts where possible."),
]
Gamma = Annotated[float, typer.Option(help="Bias by what is proven at least.", **Real)]
Delta = Annotated[float | None, typer.Option(help="Bias by what is proven at most.", **Real)]
Memory = Annotated[float | None, typer.Option(help="MiB for the graph, or for a table.", **Real)]
WhenFull = Annotated[str | None, typer.Option(help="When memory is full: stop, collect or drake.")]
Tolerance = Annotated[
    float, typer.Option(help="Smaller changes do not climb (exact backup, infinite depth).", **Real)
]
SequentialHalving = Annotated[
    bool, typer.Option("--sequential-halving", help="Sequential halving at the root.")
]
FinalMove = Annotated[
    str,
    typer.Option(
        help="Choose the final move by most visits (robust), best value (max) or lower "
        "confidence bound (secure); auto suits --select."
    ),
]
Threads = Annotated[
    int,
    typer.Option(help="Threads: searches merged at the root, or parts of one --search.", **Whole),
]


def given(**options: Any) -> dict[str, Any]:
    """Leave out what was not given."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_others(
    command: Callable[..., None], values: Mapping[str, Any], heeded: Iterable[str], why: str
) -> None:
    """Refuse options of a command that were given and would not be looked at."""
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in heeded and name in values and values[name] != parameter.default:
            option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
            raise BadParameter(f"{option} {why}")


def make_settings(**options: Any) -> "Settings":
    """Make settings from options; what is None keeps its default."""
    from trellis.search.mcts.settings import Settings

    return Settings(**given(**options))
