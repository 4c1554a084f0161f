"""`trellis match`: two players, many games, a score with its interval."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trellis.cli import INTERRUPTED
from trellis.cli.output import (
    GameName,
    JsonFlag,
    SeedOption,
    Whole,
    compiled,
    console,
    load_game,
    play_moves,
    positive,
    print_json,
    print_lines,
    progress_bar,
    read_moves,
    say,
    sheet_facts,
)
from trellis.cli.sheet_options import with_sheet_options
from trellis.cli.stopping import stoppable

if TYPE_CHECKING:
    from trellis.players.match import MatchResult, Tally


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("match")(with_sheet_options(match))


def match(
    game: GameName,
    a: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A player: random, flat, uct:c=0.3,sims=1000, ucd:0,1,2,time=1, …"
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Another player.")],
    games: Annotated[int, typer.Option(help="How many games.", **Whole)] = 100,
    moves: Annotated[str, typer.Option(help="Moves that every game begins with, by name.")] = "",
    opening: Annotated[
        int,
        typer.Option(help="Random moves after those, the same in both games of a pair.", **Whole),
    ] = 0,
    longest: Annotated[
        int | None,
        typer.Option(
            help="Stop a game after so many moves, as a draw; unless told, 1,000 where the rules "
            "of the game set no limit.",
            **Whole,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that play at once.", **Whole)] = 1,
    json: JsonFlag = False,
    seed: SeedOption = 0,
) -> None:
    """Let two players meet; tell A's score with a 95 % interval (Wilson; a draw counts half).

    With two players A is first in every other game; a game for one is played by each alone with
    the same seeds, and the payoffs are compared; with more players A takes each seat in turn and B
    all the others.  Options of players: sims, time, reuse, c, backup, rave, bounds, memory, ….
    The same seed gives the same result whatever the number of workers, except with time budgets.
    Memory is for each player in each worker.
    """
    positive(games, "--games")
    positive(workers, "--workers")
    loaded = load_game(game)
    from trellis.players.match import how_played, run_match

    play_moves(loaded, moves)  # says which move is illegal
    compiled()  # workers find everything compiled

    def show_score(share: float, tally: "Tally") -> None:
        wins, draws, losses = (tally.count(score) for score in (1.0, 0.5, 0.0))
        show(share, f"A {wins}, B {losses}, drawn {draws}")

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
            progress=show_score,
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
