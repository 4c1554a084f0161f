"""`trellis tune`: better settings for a game, believed only after a test on fresh games."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trellis.cli.match import Opening, Ray, Workers
from trellis.cli.options import Option
from trellis.cli.output import print_table, say, write_lines
from trellis.cli.reproduce import RecordFile, default_record
from trellis.cli.task import GameTask
from trellis.cli.waiting import compiled
from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.lab.tuning import Tuned

_SHOWN = 10  # trials


def tune(
    task: GameTask,
    params: Annotated[
        str,
        Option("What to tune: some of c, d1, d2, d3, rave, fpu, own_playouts, decisive, …"),
    ] = "c",
    range: Annotated[  # noqa: A002  (the option's name)
        list[str] | None,
        Option("Other bounds or choices of one of them: c=0.1..1 or d1=0,inf."),
    ] = None,
    budget: Annotated[
        int, Option("Games of trials; the last test comes besides.", above=0)
    ] = 4_000,
    sims: Annotated[
        int | None, Option("Simulations a move.", "1,000 without --time", above=0)
    ] = None,
    time: Annotated[float | None, Option("Seconds a move.", "no limit", above=0)] = None,
    default: Annotated[
        str, Option("The player to beat, and to begin from.", metavar="PLAYER")
    ] = "auto",
    opening: Opening = 2,
    sprt: Annotated[
        str, Option("What the winner has to show, in normalized Elo.", metavar="TEST")
    ] = "elo0=0,elo1=20",
    test_games: Annotated[int, Option("Games of the last test, at most.", above=0)] = 10_000,
    keep: Annotated[
        bool, Option("Keep settings that pass the test, for the player auto in this game.")
    ] = True,
    workers: Workers = 1,
    ray: Ray = None,
    record: RecordFile = None,
) -> None:
    """Look for better settings in a game, and test the best on games that none has played.

    Half of the budget goes to trials that a model of what is known proposes, half to the best of
    them; the winner must then beat the default in a sequential test.  Only what passes is kept.
    """
    from trellis.lab.sprt import read_sprt
    from trellis.lab.tuning import Tuner, read_dimensions

    dimensions = read_dimensions(params, range or [])
    test = read_sprt(sprt)
    loaded = task.load()
    if loaded.players != 2:
        raise BadParameter(f"tuning needs a game for two players, not {loaded.spec}")
    from trellis.lab.executors.choice import executor_maker
    from trellis.lab.record import Record

    a_move: dict[str, Any] = {"sims": sims} if sims or time is None else {}
    a_move = {name: value or 1_000 for name, value in a_move.items()}
    if time is not None:
        a_move["time"] = time
    make, _ = executor_maker(workers, ray)
    opened = Record(record or default_record())
    with opened.leading(), task.working(f"tune {loaded.spec}") as progress:
        found = Tuner(
            loaded.spec, dimensions, opened, make, games=budget, budget=a_move, default=default,
            opening=opening, seed=task.seed, sprt=test, most_test_games=test_games,
            progress=progress, notice=say,
        ).tune()  # fmt: skip
    compiled()
    # What has beaten somebody else need not beat auto.
    kept = _keep(found, a_move) if keep and found.accepted and default == "auto" else None
    task.answer(_facts(found, kept), lambda: _print(found, kept))


def _keep(found: "Tuned", a_move: dict[str, Any]) -> Path | None:
    from trellis.lab.tuning import settings_of
    from trellis.lab.version import version
    from trellis.players.tuned import keep_tuned

    assert found.winner is not None  # noqa: S101  (accepted)
    evidence = {
        "pairs": list(found.pairs), "ratio": found.ratio, "against": found.default,
        "budget": a_move, "version": version(),
    }  # fmt: skip
    return keep_tuned(found.game, settings_of(found.winner), evidence)


def _facts(found: "Tuned", kept: Path | None) -> dict[str, Any]:
    return {
        "game": found.game, "default": found.default,
        "winner": None if found.winner is None else found.winner.player,
        "accepted": found.accepted, "pairs": list(found.pairs), "ratio": found.ratio,
        "test_games": found.test_games, "kept": None if kept is None else str(kept),
        "trials": [
            {"player": each.player, "values": dict(each.values), **asdict(each.estimate)}
            for each in found.trials
        ],
    }  # fmt: skip


def _print(found: "Tuned", kept: Path | None) -> None:
    rows = [
        (each.player, f"{each.estimate.samples:,}", f"{each.estimate.value:.1f}%",
         f"{each.estimate.low:.1f}% to {each.estimate.high:.1f}%")
        for each in found.trials[:_SHOWN]
    ]  # fmt: skip
    write_lines([f"{found.game}, against {found.default}"])
    print_table(("player", "games", "score", "95 % interval"), rows)
    if found.winner is None:
        write_lines(["", "stopped before a winner was found; the same command goes on"])
        return
    said = {
        True: "passed: it is stronger", False: "failed: it is not stronger", None: "not decided",
    }[found.accepted]  # fmt: skip
    lines = ["", f"winner: {found.winner.player}"]
    if found.test_games:
        lines.append(
            f"test on {found.test_games:,} fresh games: {said} (log-likelihood ratio "
            f"{found.ratio:+.2f}, pairs {'/'.join(map(str, found.pairs))})"
        )
    else:
        lines.append("it is the default")
    if found.accepted and found.default != "auto":
        lines.append("not kept: only what has beaten auto is")
    if kept is not None:
        lines.append(f"auto uses it for {found.game} from now on ({kept})")
    write_lines(lines)
