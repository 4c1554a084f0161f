"""`trellis match`: two players, many games, a score with its interval."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from trellis.cli.options import Argument, Option
from trellis.cli.output import print_table, say, write_lines
from trellis.cli.task import PositionTask, read_moves
from trellis.cli.waiting import compiled
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.players.match import MatchResult


def match(
    task: PositionTask,
    a: Annotated[
        str,
        Argument(
            "A player: random, flat, uct:c=0.3,sims=1000, ucd:0,1,2,time=1, star2tt:depth=5 and "
            "others."
        ),
    ],
    b: Annotated[str, Argument("Another player.")],
    games: Annotated[int, Option("Number of games.", above=0)] = 100,
    opening: Annotated[
        int, Option("Random moves after --moves; both games of a pair have the same.")
    ] = 0,
    longest: Annotated[
        int | None,
        Option(
            "Stop a game after so many moves; it then counts as a draw.",
            usual="1,000 where the rules of the game set no limit",
        ),
    ] = None,
    workers: Annotated[int, Option("Number of worker processes.", above=0)] = 1,
) -> None:
    """Play a match between two players; print A's score with a 95 % interval (Wilson).

    A draw counts half.  In a game for two, A moves first in every other game.  A game for one is
    played by each of them alone with the same seeds, and the payoffs are compared.  In a game for
    more, A takes each seat in turn and B all the others.

    Players that search graphs have the options sims, time, reuse and groups, and those that
    `trellis analyze --help` describes; players that search depth first depth, time, weights and
    likewise.  Memory is for each player in each worker process.

    The same seed gives the same result with any number of workers, except with time budgets.
    """
    for text in (a, b):
        read_player(text)  # refuses a bad one before anything is compiled
    task.position()  # says which move is illegal
    loaded = task.game
    from trellis.players.match import how_played, run_match

    compiled()  # workers find everything compiled
    result = None
    with task.working(f"match {loaded.spec}") as show, suppress(KeyboardInterrupt):
        result = run_match(
            loaded, a, b,
            games=games, seed=task.seed, moves=read_moves(loaded, task.moves), opening=opening,
            longest=longest, workers=workers, progress=show,
        )  # fmt: skip
    if result is None:  # not even one game
        task.interrupted = True
        task.answer({"game": loaded.spec, "a": a, "b": b, "games": 0}, lambda: None)
        return
    for note in (*result.notes, *result.forfeits):
        say(note)
    content = asdict(result)
    del content["notes"]
    task.answer(content, lambda: _print(result, how_played(loaded)))


def _print(result: "MatchResult", how: str) -> None:
    rows = [
        (
            name,
            player,
            f"{wins:,}",
            f"{result.draws:,}",
            f"{losses:,}",
            f"{score:.1%}",
            f"{low:.1%} to {high:.1%}",
            "-" if payoff is None else f"{payoff:+.3f}",
        )
        for name, player, wins, losses, score, low, high, payoff in (
            ("A", result.a, result.wins_a, result.wins_b, result.score_a, result.low, result.high,
             result.payoff_a),
            ("B", result.b, result.wins_b, result.wins_a, 1 - result.score_a, 1 - result.high,
             1 - result.low, result.payoff_b),
        )
    ]  # fmt: skip
    write_lines([f"{result.game}, {result.games:,} games"])
    titles = ("", "player", "wins", "draws", "losses", "score", "95 % interval", "payoff")
    print_table(titles, rows, left=2)
    lines = [
        "",
        how,
        "score: a win counts 1, a draw 1/2; interval: Wilson's; payoff: the mean of the game's own",
    ]
    if result.forfeits:
        lines.append(f"{len(result.forfeits):,} games were lost by a player that could not go on")
    if result.stopped:
        lines.append(f"{result.stopped:,} games were stopped before their end and count as draws")
    write_lines([*lines, f"{result.plies:.1f} moves a game; {result.seconds:.1f} s"])
