"""`trellis tournament`: several players, ratings with intervals, a table of who beat whom."""

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from trellis.cli.match import Longest, Opening, Record, Workers
from trellis.cli.options import Argument, Option
from trellis.cli.output import print_table, say, writable, write_lines
from trellis.cli.task import GameTask
from trellis.cli.waiting import compiled
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.lab.tournament import Tournament


def tournament(
    task: GameTask,
    players: Annotated[
        list[str],
        Argument("Players, as `trellis match --help` describes them.", metavar="PLAYER"),
    ],
    games: Annotated[
        int, Option("Games between every two players; an even number.", above=0)
    ] = 100,
    gauntlet: Annotated[
        bool, Option("Only the first player meets all others, who do not meet each other.")
    ] = False,
    opening: Opening = 2,
    longest: Longest = None,
    workers: Workers = 1,
    record: Record = None,
) -> None:
    """Play a match between every two of several players; print ratings and who beat whom.

    Ratings are on the scale of Elo, where 100 points more score 64 %, and their mean is 0; the
    intervals are those of 95 %.  Pairings take turns, so Ctrl-C leaves a fair table; with
    --record the same command goes on with it.
    """
    for text in players:
        read_player(text)  # refuses a bad one before anything is compiled
    if record is not None:
        writable(record)
    loaded = task.load()
    from trellis.lab.tournament import run_tournament
    from trellis.players.match_file import MatchFile

    log = None if record is None else MatchFile(record)
    compiled()
    found = None
    with task.working(f"tournament {loaded.spec}") as show, suppress(KeyboardInterrupt):
        found = run_tournament(
            loaded, players,
            games=games, gauntlet=gauntlet, seed=task.seed, opening=opening, longest=longest,
            workers=workers, progress=show, log=log,
        )  # fmt: skip
    if found is None:  # not even one game
        task.interrupted = True
        task.answer({"game": loaded.spec, "players": players, "pairings": []}, lambda: None)
        return
    told = found
    for pairing in told.pairings:
        for note in (*pairing.result.notes, *pairing.result.forfeits):
            say(note)
    content = {
        "game": told.game,
        "players": [asdict(rating) for rating in told.ratings],
        "pairings": [_facts(told, place) for place in range(len(told.pairings))],
        "seconds": told.seconds,
        "seed": task.seed,
    }
    task.answer(content, lambda: _print(told))


def _facts(found: "Tournament", place: int) -> dict[str, object]:
    facts = asdict(found.pairings[place].result)
    return {name: value for name, value in facts.items() if name not in {"game", "notes"}}


def _print(found: "Tournament") -> None:
    order = sorted(range(len(found.players)), key=lambda player: -found.ratings[player].elo)
    numbers = [str(place + 1) for place in range(len(order))]
    titles = ("", "player", "Elo", "95 % interval", "games", "score", *numbers)
    rows = []
    for number, player in zip(numbers, order, strict=True):
        rating = found.ratings[player]
        against = [found.score(player, other) for other in order]
        rows.append(
            (
                number,
                rating.player,
                f"{rating.elo:+.0f}",
                f"{rating.low:+.0f} to {rating.high:+.0f}",
                f"{rating.games:,}",
                f"{rating.score:.1%}",
                *("-" if score is None else f"{score:.0%}" for score in against),
            )
        )
    write_lines([f"{found.game}, {sum(each.result.games for each in found.pairings):,} games"])
    print_table(titles, rows, left=2)
    write_lines(
        [
            "",
            "score: a win counts 1, a draw 1/2; columns 1, 2, …: the score against that player",
            f"{found.seconds:.1f} s",
        ]
    )
