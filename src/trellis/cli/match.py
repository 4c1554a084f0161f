"""`trellis match`: two players, many games, a score with its interval."""

import math
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trellis.cli.options import Argument, Option
from trellis.cli.output import print_table, say, writable, write_lines
from trellis.cli.task import PositionTask, read_moves
from trellis.cli.waiting import compiled
from trellis.game.errors import BadParameter
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.lab.sprt import Sprt
    from trellis.players.match import MatchResult

_GAMES, _SPRT_GAMES = 100, 100_000

# What matches and tournaments have in common.
Longest = Annotated[
    int | None,
    Option(
        "Stop a game after so many moves; it then counts as a draw.",
        usual="1,000 where the rules of the game set no limit",
    ),
]
Opening = Annotated[
    int,
    Option("Random moves to begin with; both games of a pair have the same.", low=0),
]
Workers = Annotated[int, Option("Number of worker processes.", above=0)]
Ray = Annotated[
    str | None,
    Option("Use a Ray cluster: its address, or `local`.", "none", metavar="ADDRESS"),
]
Record = Annotated[
    Path | None,
    Option(
        "Write every game to this file, a line of JSON each; games that it has are not played "
        "again.",
        metavar="FILE",
    ),
]


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
    games: Annotated[
        int | None,
        Option("Number of games, at most.", above=0, usual="100, or 100,000 with --sprt"),
    ] = None,
    opening: Annotated[
        int, Option("Random moves after --moves; both games of a pair have the same.")
    ] = 0,
    longest: Longest = None,
    workers: Workers = 1,
    sprt: Annotated[
        str | None,
        Option(
            "Stop as soon as it is decided which of two differences A has, in normalized Elo, such "
            "as elo0=0,elo1=10 (also alpha and beta, the chances of errors).",
            metavar="TEST",
        ),
    ] = None,
    record: Record = None,
) -> None:
    """Play a match between two players; print A's score with a 95 % interval (Wilson).

    A draw counts half.  In a game for two, A moves first in every other game.  A game for one is
    played by each of them alone with the same seeds, and the payoffs are compared.  In a game for
    more, A takes each seat in turn and B all the others.

    Players that search graphs have the options sims, time, reuse, endgame and groups, players that
    search depth first have depth, time and weights, and both have those that `trellis analyze
    --help` describes.  Memory is for each player in each worker process.

    The same seed gives the same result with any number of workers, except with time budgets.

    Elo is how much stronger A is on the usual scale, where 100 points score 64 %.  Normalized Elo
    says the same in standard deviations of a game, from pairs of games with one start, and is what
    --sprt tests; its estimate allows for the stop.  Pairs differ only with --opening.
    """
    for text in (a, b):
        read_player(text)  # refuses a bad one before anything is compiled
    test = None if sprt is None else _read_test(sprt)
    if record is not None:
        writable(record)
    task.position()  # says which move is illegal
    loaded = task.game
    if test is not None and loaded.players != 2:
        raise BadParameter(f"--sprt needs a game for two players, not {loaded.spec}")
    from trellis.players.match import how_played, run_match
    from trellis.players.match_file import MatchFile

    log = None if record is None else MatchFile(record)
    compiled()  # workers find everything compiled
    result = None
    with task.working(f"match {loaded.spec}") as show, suppress(KeyboardInterrupt):
        result = run_match(
            loaded, a, b,
            games=games or (_GAMES if test is None else _SPRT_GAMES), seed=task.seed,
            moves=read_moves(loaded, task.moves), opening=opening,
            longest=longest, workers=workers, progress=show, log=log,
            decided=None if test is None else (lambda pairs: test.verdict(pairs) is not None),
        )  # fmt: skip
    if result is None:  # not even one game
        task.interrupted = True
        task.answer({"game": loaded.spec, "a": a, "b": b, "games": 0}, lambda: None)
        return
    for note in (*result.notes, *result.forfeits):
        say(note)
    content = asdict(result)
    del content["notes"]
    strength = _strength(result, test)
    task.answer(content | strength, lambda: _print(result, how_played(loaded), strength))


def _read_test(text: str) -> "Sprt":
    from trellis.lab.sprt import read_sprt

    return read_sprt(text)


def _strength(result: "MatchResult", test: "Sprt | None") -> dict[str, Any]:
    """Return how much stronger A is, and how the test stands."""
    from trellis.lab.ratings import elo_of_score
    from trellis.lab.sprt import normalized_elo

    told: dict[str, Any] = {
        name: elo if math.isfinite(elo) else None
        for name, elo in (
            ("elo", elo_of_score(result.score_a)),
            ("elo_low", elo_of_score(result.low)),
            ("elo_high", elo_of_score(result.high)),
        )
    }
    alike = sum(count > 0 for count in result.pairs) < 2  # nothing to measure a deviation by
    if alike and (test is None or not sum(result.pairs)):
        return told
    if test is None:
        middle, reach = normalized_elo(result.pairs)
        low, high = middle - reach, middle + reach
    else:
        middle, low, high = test.estimate(result.pairs)
        told["sprt"] = {
            **asdict(test), "ratio": test.ratio(result.pairs), "bounds": test.bounds,
            "accepted": test.verdict(result.pairs),
        }  # fmt: skip
    return told | {
        "normalized_elo": middle, "normalized_elo_low": low, "normalized_elo_high": high
    }  # fmt: skip


def _strength_lines(told: dict[str, Any]) -> list[str]:
    def shown(elo: float | None, without: str) -> str:
        return without if elo is None else f"{elo:+.0f}"

    sign = "-∞" if told["elo_high"] is not None else "+∞"
    elo = f"{shown(told['elo_low'], '-∞')} to {shown(told['elo_high'], '+∞')}"
    lines = [f"A's Elo: {shown(told['elo'], sign)} (95 % interval {elo})"]
    if "normalized_elo" in told:
        lines[0] += (
            f"; normalized, by pairs: {told['normalized_elo']:+.0f} "
            f"({told['normalized_elo_low']:+.0f} to {told['normalized_elo_high']:+.0f})"
        )
    if "sprt" in told:
        test = told["sprt"]
        low, high = test["bounds"]
        verdict = {
            "elo0": f"at most {test['elo0']:g} is accepted",
            "elo1": f"at least {test['elo1']:g} is accepted",
            None: "not decided yet",
        }[test["accepted"]]
        ratio = f"log-likelihood ratio {test['ratio']:+.2f} between {low:+.2f} and {high:+.2f}"
        lines.append(f"test of {test['elo0']:g} against {test['elo1']:g}: {verdict} ({ratio})")
    return lines


def _print(result: "MatchResult", how: str, strength: dict[str, Any]) -> None:
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
        *_strength_lines(strength),
        how,
        "score: a win counts 1, a draw 1/2; interval: Wilson's; payoff: the mean of the game's own",
    ]
    if result.forfeits:
        lines.append(f"{len(result.forfeits):,} games were lost by a player that could not go on")
    if result.stopped:
        lines.append(f"{result.stopped:,} games were stopped before their end and count as draws")
    write_lines([*lines, f"{result.plies:.1f} moves a game; {result.seconds:.1f} s"])
