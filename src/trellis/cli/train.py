"""`trellis train`: teach a network to judge positions, by playing against itself."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from trellis.cli.output import (
    GameName,
    JsonFlag,
    Real,
    Whole,
    compiled,
    console,
    load_game,
    positive,
    print_json,
    print_lines,
    progress_bar,
    say,
    writable,
)
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter, shorten

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.evaluation.td import Trainer, TrainingSettings

USUAL_GAMES = 300_000


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("train")(train)


def train(
    game: GameName,
    games: Annotated[
        int, typer.Option(help="Games in all, those before a --resume counted.", **Whole)
    ] = USUAL_GAMES,
    hidden: Annotated[
        int | None, typer.Option(help="Hidden units; 10 unless told.", **Whole)
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option(
            "--lambda", help="How far corrections reach back, 0 to 1; 0.7 unless told.", **Real
        ),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Rate of learning at first; 0.05 unless told.", **Real)
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option(help="Games after which the rate has halved; 50,000 unless told.", **Real),
    ] = None,
    explore: Annotated[
        float | None,
        typer.Option(help="Share of moves drawn at random, 0 to 1; 0 unless told.", **Real),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write, GAME.json unless told.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training in the file.")
    ] = False,
    every: Annotated[int, typer.Option(help="Games between two files.", **Whole)] = 10_000,
    test_games: Annotated[
        int, typer.Option(help="Games of each match at the end.", **Whole)
    ] = 10_000,
    json: JsonFlag = False,
    seed: Annotated[
        int | None, typer.Option(help="Same seed, same weights; 0 unless told.", **Whole)
    ] = None,
) -> None:
    """Train a network for a game by temporal differences, TD(λ), in games against itself.

    The file is written every now and then, whole or not at all: a training that was killed goes on
    with --resume from its last file and ends with the same weights as one that was not.  At the end
    the network, looking one move ahead, meets random moves and itself as it was before training.
    """
    for number, name in ((games, "--games"), (every, "--every"), (test_games, "--test-games")):
        positive(number, name)
    path = Path(f"{_file_name(game)}.json") if out is None else out
    writable(path)
    loaded = load_game(game)
    from trellis.evaluation.network import read_network
    from trellis.evaluation.shipped import feature_set
    from trellis.evaluation.td import Trainer, TrainingSettings, read_settings

    options = {
        "hidden": hidden, "trace": trace, "rate": rate, "patience": patience, "explore": explore,
        "seed": seed,
    }  # fmt: skip
    asked: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    features = feature_set(loaded)
    if resume:
        known = read_network(path)
        known.check_fits(loaded, features)
        settings = read_settings(known)
        _refuse_changes(path, settings, asked)
        trainer = Trainer(loaded, features, settings)
        trainer.take_up(known)
    else:
        _refuse_loss(path)
        trainer = Trainer(loaded, features, TrainingSettings(**asked))
    before = trainer.games
    if before > games:
        raise BadParameter(
            f"{shorten(str(path), 200)} has {before:,} games behind it: expected --games to be no "
            "fewer"
        )
    began = perf_counter()
    with stoppable() as stop, progress_bar(f"train {loaded.spec}") as show:
        network = trainer.run(
            games, path, lambda share, state: show(share, f"{state.games:,} games"), every
        )
    seconds = perf_counter() - began
    matches = [] if stop.asked else _matches(trainer, network, test_games)
    compiled()
    report = {
        "game": loaded.spec,
        "file": str(path),
        "inputs": features.count,
        "hidden": network.hidden,
        "lambda": trainer.settings.trace,
        "rate": trainer.settings.rate,
        "patience": trainer.settings.patience,
        "explore": trainer.settings.explore,
        "seed": trainer.settings.seed,
        "games": trainer.games,
        "resumed_from": before,
        "given_up": trainer.given_up,
        "seconds": seconds,
        "matches": matches,
        "interrupted": stop.asked,
    }
    if trainer.given_up:
        say(f"{trainer.given_up:,} games did not end in time and were given up")
    if json:
        print_json(report)
    else:
        _print(report)
    if stop.asked:
        file = shorten(str(path), 200)
        say(f"{trainer.games:,} of {games:,} games; --resume goes on with {file}")
    stop.leave()


def _file_name(game: str) -> str:
    """Return the name of a game without its parameters, for a file."""
    return Path(game.strip().partition(":")[0].partition("(")[0]).stem or "network"


def _refuse_changes(path: Path, settings: "TrainingSettings", asked: dict[str, Any]) -> None:
    """Refuse to go on with a training in another way than it began."""
    for name, value in asked.items():
        begun = getattr(settings, name)
        if value != begun:
            option = "lambda" if name == "trace" else name
            raise BadParameter(
                f"cannot go on with {shorten(str(path), 200)}: it began with --{option} {begun:g}, "
                f"not {value:g}"
            )


def _refuse_loss(path: Path) -> None:
    """Refuse to write over a training that somebody may want to go on with."""
    from trellis.evaluation.network import read_network
    from trellis.evaluation.td import is_unfinished

    if not path.is_file():
        return
    try:
        known = read_network(path)
    except BadParameter:
        if path.stat().st_size == 0:
            return
        raise BadParameter(
            f"{shorten(str(path), 200)} is there already and is no network: expected another file"
        ) from None
    if is_unfinished(known):
        raise BadParameter(
            f"{shorten(str(path), 200)} holds a training that is not finished: expected --resume, "
            "or another file"
        )


def _matches(trainer: "Trainer", network: "Network", games: int) -> list[dict[str, Any]]:
    """Let the network meet random moves and itself before training."""
    from trellis.players.match import wilson

    found = []
    for name, other in (("random moves", None), ("the untrained network", trainer.first)):
        wins, draws, losses = trainer.meet(network, other, games, seed=trainer.settings.seed)
        score = (wins + draws / 2) / games
        low, high = wilson(score, games)
        found.append(
            {
                "against": name, "games": games, "wins": wins, "draws": draws, "losses": losses,
                "score": score, "low": low, "high": high,
            }
        )  # fmt: skip
    return found


def _print(report: dict[str, Any]) -> None:
    out = console()
    out.print(
        f"{report['game']}: a network of {report['inputs']} inputs and {report['hidden']} hidden "
        f"units after {report['games']:,} games in {report['file']}",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("against")
    for title in ("wins", "draws", "losses", "score", "95 % interval"):
        table.add_column(title, justify="right")
    for match in report["matches"]:
        table.add_row(
            match["against"],
            f"{match['wins']:,}",
            f"{match['draws']:,}",
            f"{match['losses']:,}",
            f"{match['score']:.1%}",
            f"{match['low']:.1%} to {match['high']:.1%}",
        )
    if report["matches"]:
        print_lines(out, table)
    played = report["games"] - report["resumed_from"]
    out.print(
        f"\nit looks one move ahead and is first in half of the games; a draw counts 1/2\n"
        f"{played:,} games of training in {report['seconds']:.1f} s",
        markup=False,
    )
