"""`trellis train`: teach a network to judge positions, by playing against itself."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from trellis.cli.options import Given, OptionGroup, Whole, option_name, positive
from trellis.cli.output import (
    GameName,
    JsonFlag,
    compiled,
    console,
    load_game,
    print_json,
    print_lines,
    progress_bar,
    say,
    writable,
)
from trellis.cli.stopping import stoppable
from trellis.evaluation.training_settings import TrainingSettings
from trellis.game.errors import BadParameter, shorten
from trellis.game.options import options_of

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.evaluation.td import Trainer

USUAL_GAMES = 300_000


def train(
    game: GameName,
    games: Annotated[
        int, typer.Option(help="Total number of games, including those before --resume.", **Whole)
    ] = USUAL_GAMES,
    out: Annotated[
        Path | None, typer.Option(help="The file to write.", show_default="GAME.json")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the training in the file.")
    ] = False,
    every: Annotated[
        int, typer.Option(help="Number of games between two writes of the file.", **Whole)
    ] = 10_000,
    test_games: Annotated[
        int, typer.Option(help="Number of games of each match at the end.", **Whole)
    ] = 10_000,
    json: JsonFlag = False,
    *,
    settings: Annotated[Given, OptionGroup(TrainingSettings, "Options for training")],
) -> None:
    """Train a network for a game by temporal differences, TD(λ), in games against itself.

    The file is written at regular intervals.  A training that was interrupted continues with
    --resume from its last file and ends with the same weights as one that was not.  At the end the
    network, looking one move ahead, plays against random moves and against itself before training.
    """
    positive(games=games, every=every, test_games=test_games)
    chosen = TrainingSettings(**settings)
    path = Path(f"{_file_name(game)}.json") if out is None else out
    writable(path)
    loaded = load_game(game)
    from trellis.evaluation.network import read_network
    from trellis.evaluation.shipped import feature_set
    from trellis.evaluation.td import Trainer, read_settings

    features = feature_set(loaded)
    if resume:
        known = read_network(path)
        known.check_fits(loaded, features)
        begun = read_settings(known)
        _refuse_changes(path, begun, settings)
        trainer = Trainer(loaded, features, begun)
        trainer.take_up(known)
    else:
        _refuse_loss(path)
        trainer = Trainer(loaded, features, chosen)
    before = trainer.games
    if before > games:
        raise BadParameter(
            f"{shorten(str(path), 200)} has {before:,} games behind it: expected --games to be no "
            "fewer"
        )
    began = perf_counter()
    with stoppable() as stop, progress_bar(f"train {loaded.spec}") as show:
        network = trainer.run(games, path, show, every)
    seconds = perf_counter() - began
    matches = [] if stop.asked else _matches(trainer, network, test_games)
    compiled()
    report = {
        "game": loaded.spec,
        "file": str(path),
        "inputs": features.count,
        **{
            each.public_name: getattr(trainer.settings, name)
            for name, each in options_of(TrainingSettings).items()
        },
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


def _refuse_changes(path: Path, begun: TrainingSettings, given: Given) -> None:
    """Refuse to continue a training with other settings than it began with."""
    for name, value in given.items():
        before = getattr(begun, name)
        if value != before:
            option = option_name(options_of(TrainingSettings)[name].public_name)
            raise BadParameter(
                f"cannot continue {shorten(str(path), 200)}: it began with {option} {before:g}, "
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
            f"{shorten(str(path), 200)} exists and is not a network: expected another file"
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
