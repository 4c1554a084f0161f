"""`trellis match`: two players, many games, a score with its interval."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trellis.cli import INTERRUPTED
from trellis.cli.options import SheetGroup, Whole, positive
from trellis.cli.output import (
    GameName,
    JsonFlag,
    SeedOption,
    compiled,
    console,
    load_game,
    play_moves,
    print_json,
    print_lines,
    progress_bar,
    read_moves,
    say,
    sheet_facts,
)
from trellis.cli.stopping import stoppable
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.players.match import MatchResult


def match(
    game: GameName,
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="A player: random, flat, uct:c=0.3,sims=1000, ucd:0,1,2,time=1, star2tt:depth=5 "
            "and others.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Another player.")],
    games: Annotated[int, typer.Option(help="Number of games.", **Whole)] = 100,
    moves: Annotated[
        str, typer.Option(help="Moves that every game begins with, by name.", show_default=False)
    ] = "",
    opening: Annotated[
        int,
        typer.Option(help="Random moves after those; both games of a pair have the same.", **Whole),
    ] = 0,
    longest: Annotated[
        int | None,
        typer.Option(
            help="Stop a game after so many moves; it then counts as a draw.",
            show_default="1,000 where the rules of the game set no limit",
            **Whole,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Number of worker processes.", **Whole)] = 1,
    json: JsonFlag = False,
    seed: SeedOption = 0,
    *,
    sheet: SheetGroup,
) -> None:
    """Play a match between two players; print A's score with a 95 % interval (Wilson).

    A draw counts half.  In a game for two, A moves first in every other game.  A game for one is
    played by each of them alone with the same seeds, and the payoffs are compared.  In a game for
    more, A takes each seat in turn and B all the others.
    Players have options such as sims, time, reuse, c, backup, rave, bounds and memory; memory is
    for each player in each worker process.
    The same seed gives the same result with any number of workers, except with time budgets.
    """
    positive(games=games, workers=workers)
    for text in (a, b):
        read_player(text)  # refuses a bad one before anything is compiled
    loaded = load_game(game, sheet)
    from trellis.players.match import how_played, run_match

    play_moves(loaded, moves)  # says which move is illegal
    compiled()  # workers find everything compiled

    result = None
    with (
        stoppable() as stop,
        progress_bar(f"match {loaded.spec}") as show,
        suppress(KeyboardInterrupt),
    ):
        result = run_match(
            loaded,
            a,
            b,
            games=games,
            seed=seed,
            moves=read_moves(loaded, moves),
            opening=opening,
            longest=longest,
            workers=workers,
            progress=show,
        )
    facts = sheet_facts(loaded) | {"interrupted": stop.asked}
    if result is None:  # not even one game
        if json:
            print_json({"game": loaded.spec, "a": a, "b": b, "games": 0, **facts})
        raise typer.Exit(INTERRUPTED)
    for note in result.notes:
        say(note)
    if json:
        content = asdict(result)
        del content["notes"]
        print_json(content | facts)
    else:
        _print(result, how_played(loaded), console())
    stop.leave()


def _print(result: "MatchResult", how: str, out: Console) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("player")
    for title in ("wins", "draws", "losses", "score", "95 % interval", "payoff"):
        table.add_column(title, justify="right")
    for name, player, wins, losses, score, low, high, payoff in (
        ("A", result.a, result.wins_a, result.wins_b, result.score_a, result.low, result.high,
         result.payoff_a),
        ("B", result.b, result.wins_b, result.wins_a, 1 - result.score_a, 1 - result.high,
         1 - result.low, result.payoff_b),
    ):  # fmt: skip
        table.add_row(
            name,
            escape(player),
            f"{wins:,}",
            f"{result.draws:,}",
            f"{losses:,}",
            f"{score:.1%}",
            f"{low:.1%} to {high:.1%}",
            "-" if payoff is None else f"{payoff:+.3f}",
        )
    out.print(f"{result.game}, {result.games:,} games", markup=False)
    print_lines(out, table)
    out.print(f"\n{how}", markup=False)
    out.print(
        "score: a win counts 1, a draw 1/2; interval: Wilson's; payoff: the mean of the game's own",
        markup=False,
    )
    if result.stopped:
        out.print(
            f"{result.stopped:,} games were stopped before their end and count as draws",
            markup=False,
        )
    out.print(f"{result.plies:.1f} moves a game; {result.seconds:.1f} s", markup=False)
