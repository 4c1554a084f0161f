"""`trellis train`: teach a network to judge positions, by playing against itself."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from trellis.cli.help import option_name
from trellis.cli.options import Given, Option, OptionGroup
from trellis.cli.output import print_table, say, writable, write_lines
from trellis.cli.task import GAME, Task, load_game
from trellis.evaluation.training_settings import TrainingSettings
from trellis.game.errors import BadParameter, shorten
from trellis.game.options import options_of

if TYPE_CHECKING:
    from trellis.evaluation.network import Network
    from trellis.evaluation.td import Trainer

USUAL_GAMES = 300_000


def train(
    task: Task,
    game: Annotated[str, GAME],
    settings: Annotated[Given, OptionGroup(TrainingSettings, "Options for training")],
    games: Annotated[
        int, Option("Total number of games, including those before --resume.", above=0)
    ] = USUAL_GAMES,
    out: Annotated[Path | None, Option("The file to write.", usual="GAME.json")] = None,
    resume: Annotated[bool, Option("Continue the training in the file.")] = False,
    every: Annotated[
        int, Option("Number of games between two writes of the file.", above=0)
    ] = 10_000,
    test_games: Annotated[
        int, Option("Number of games of each match at the end.", above=0)
    ] = 10_000,
) -> None:
    """Train a network for a game by temporal differences, TD(λ), in games against itself.

    The file is written at regular intervals.  A training that was interrupted continues with
    --resume from its last file and ends with the same weights as one that was not.  At the end the
    network, looking one move ahead, plays against random moves and against itself before training.
    """
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
    with task.working(f"train {loaded.spec}") as show:
        network = trainer.run(games, path, show, every)
    seconds = perf_counter() - began
    matches = [] if task.interrupted else _matches(trainer, network, test_games)
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
    }
    if trainer.given_up:
        say(f"{trainer.given_up:,} games did not end in time and were given up")
    if task.interrupted:
        file = shorten(str(path), 200)
        say(f"{trainer.games:,} of {games:,} games; --resume goes on with {file}")
    task.answer(report, lambda: _print(report))


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
    network = f"a network of {report['inputs']} inputs and {report['hidden']} hidden units"
    write_lines(
        [f"{report['game']}: {network} after {report['games']:,} games in {report['file']}"]
    )
    rows = [
        (
            each["against"],
            f"{each['wins']:,}",
            f"{each['draws']:,}",
            f"{each['losses']:,}",
            f"{each['score']:.1%}",
            f"{each['low']:.1%} to {each['high']:.1%}",
        )
        for each in report["matches"]
    ]
    if rows:
        print_table(("against", "wins", "draws", "losses", "score", "95 % interval"), rows)
    played = report["games"] - report["resumed_from"]
    write_lines(
        [
            "",
            "it looks one move ahead and is first in half of the games; a draw counts 1/2",
            f"{played:,} games of training in {report['seconds']:.1f} s",
        ]
    )
