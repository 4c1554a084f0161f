"""`trellis games`: what there is to play."""

from typing import Annotated

from trellis.cli.options import Argument
from trellis.cli.output import console, print_table, write_lines
from trellis.cli.task import SeededTask
from trellis.game.spec import Entry, find_entry, plain_value
from trellis.loading import registered_games

_WIDE = 130  # columns
_TITLES = ("name", "players", "chance", "bytes", "parameters with defaults", "what it is")
_NARROW_TITLES = ("name", "what it is")


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
    # A narrow terminal would break everything into pieces; what a game is comes first there.
    wide = console().width >= _WIDE
    rows = [_row(entry, wide=wide) for entry in chosen]
    titles = _TITLES if wide else _NARROW_TITLES
    print_table(titles, rows, left=len(titles))
    if not wide and not in_detail:
        write_lines(["", "trellis games NAME shows the parameters of a game."])
    for entry in chosen if in_detail else ():
        write_lines(["", f"{entry.name}: {entry.summary}"])
        write_lines(f"  {each.name}: {each.help}; {each.expected()}" for each in entry.parameters)
        if entry.aliases:
            write_lines([f"  also called {', '.join(entry.aliases)}"])


def _row(entry: Entry, *, wide: bool) -> tuple[str, ...]:
    players = f"{entry.players}{' at once' if entry.simultaneous else ''}"
    if not wide:
        return entry.name, entry.summary
    given = ", ".join(f"{p.name}={plain_value(p.default)}" for p in entry.parameters)
    chance = "yes" if entry.chance else ""
    return entry.name, players, chance, f"{entry.state_bytes:5}", given, entry.summary


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
