"""`trellis games`: what there is to play."""

from typing import Annotated

from trellis.cli.options import Argument
from trellis.cli.output import console, print_table, write_lines
from trellis.cli.task import SeededTask
from trellis.game.spec import Entry, find_entry, plain_value
from trellis.loading import registered_games

_WIDE = 130  # columns
_TITLES = ("name", "players", "chance", "bytes", "parameters with defaults", "what it is")


def games(
    task: SeededTask,
    names: Annotated[
        list[str] | None,
        Argument("Show only these games, with their parameters in detail.", metavar="NAME"),
    ] = None,
) -> None:
    """List the built-in games with their parameters."""
    known = registered_games()
    chosen = [find_entry(name, known) for name in names or []] or list(known)
    task.answer({"games": [_facts(entry) for entry in chosen]}, lambda: _print(chosen, bool(names)))


def _print(chosen: list[Entry], in_detail: bool) -> None:
    rows = [
        (
            entry.name,
            f"{entry.players}{' at once' if entry.simultaneous else ''}",
            "yes" if entry.chance else "",
            f"{entry.state_bytes:5}",
            ", ".join(f"{p.name}={plain_value(p.default)}" for p in entry.parameters),
            entry.summary,
        )
        for entry in chosen
    ]
    # A narrow terminal would break everything into pieces.
    shown = len(_TITLES) if console().width >= _WIDE else len(_TITLES) - 1
    print_table(_TITLES[:shown], [row[:shown] for row in rows], left=shown)
    for entry in chosen if in_detail else ():
        write_lines(["", f"{entry.name}: {entry.summary}"])
        write_lines(f"  {each.name}: {each.help}; {each.expected()}" for each in entry.parameters)
        if entry.aliases:
            write_lines([f"  also called {', '.join(entry.aliases)}"])


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "players": entry.players,
        "chance": entry.chance,
        "simultaneous": entry.simultaneous,
        "parameters": {each.name: each.to_dict() for each in entry.parameters},
        "state_bytes": entry.state_bytes,
        "aliases": list(entry.aliases),
        "summary": entry.summary,
    }
