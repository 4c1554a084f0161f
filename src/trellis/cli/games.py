"""`trellis games`: what there is to play."""

from typing import Annotated

import typer
from rich.table import Table

from trellis.cli.output import JsonFlag, SeedOption, console, print_json, print_lines
from trellis.game.spec import Entry, find_entry, plain_value
from trellis.loading import registered_games

_WIDE = 130  # columns


def games(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Show only these games, with their parameters in detail."
        ),
    ] = None,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """List the built-in games with their parameters."""
    known = registered_games()
    chosen = [find_entry(name, known) for name in names or []] or list(known)
    if json:
        print_json({"games": [_facts(entry) for entry in chosen]})
        return
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    titles = ["name", "players", "chance", "bytes", "parameters with defaults", "what it is"]
    if out.width < _WIDE:
        titles.pop()  # a narrow terminal would break everything into pieces
    for title in titles:
        table.add_column(title, justify="right" if title == "bytes" else "left")
    for entry in chosen:
        row = [
            entry.name,
            f"{entry.players}{' at once' if entry.simultaneous else ''}",
            "yes" if entry.chance else "",
            str(entry.state_bytes),
            ", ".join(f"{p.name}={plain_value(p.default)}" for p in entry.parameters),
            entry.summary,
        ]
        table.add_row(*row[: len(titles)])
    print_lines(out, table)
    for entry in chosen if names else ():
        out.print(f"\n{entry.name}: {entry.summary}", markup=False)
        for parameter in entry.parameters:
            out.print(f"  {parameter.name}: {parameter.help}; {parameter.expected()}", markup=False)
        if entry.aliases:
            out.print(f"  also called {', '.join(entry.aliases)}")


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "players": entry.players,
        "chance": entry.chance,
        "simultaneous": entry.simultaneous,
        "parameters": {each.name: each.facts() for each in entry.parameters},
        "state_bytes": entry.state_bytes,
        "aliases": list(entry.aliases),
        "summary": entry.summary,
    }
