"""Random games a second of one game, by this program or by another one.

Rates depend on the machine and on what else it does: what can be compared is rates of one run.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from trellis._kernel.timing import Lot, Rounds
from trellis.game.errors import BadParameter, TrellisError
from trellis.game.options import option
from trellis.game.playouts import PlayoutRunner
from trellis.game.spec import split_spec
from trellis.gdl.sheet import Sheet
from trellis.lab.estimates import mean_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample, loaded
from trellis.lab.prolog import play_prolog


@dataclass(frozen=True)
class RateSettings:
    """What is played, by whom, for how long."""

    game: str = option(
        None, "The game; a rulesheet that comes with the package by its name, as in gdl:hex.",
        text="a game",
    )  # fmt: skip
    engine: str = option(
        "trellis", "Who plays: trellis, or swipl (rulesheets only).", choices=("trellis", "swipl")
    )
    seconds: float = option(1.0, "Seconds of a sample, about.", above=0, high=3600)

    def text(self) -> str:
        """Return the game as it is loaded."""
        if not self.game.startswith("gdl:"):
            return self.game
        name, colon, options = self.game.removeprefix("gdl:").partition(":")
        return f"{sheet_path(name)}{colon}{options}"


def sheet_path(name: str) -> Path:
    """Return where a rulesheet of the package lies."""
    import trellis.gdl

    path = Path(trellis.gdl.__file__).parent / "sheets" / f"{name}.kif"
    if not name.isidentifier() or not path.is_file():
        raise BadParameter(f"no rulesheet of the package is called {name}")
    return path


def check(settings: RateSettings) -> None:
    """Refuse games that do not exist, and those that the other program cannot play."""
    loaded(settings.text())
    if settings.engine == "swipl" and not split_spec(settings.text()).is_sheet:
        raise BadParameter(f"swipl plays rulesheets only: expected one, not {settings.game}")


def take(settings: RateSettings, stream: int, number: int) -> Sample:
    """Play for some seconds."""
    if settings.engine == "swipl":
        sheet = Sheet.from_file(str(split_spec(settings.text()).file))
        try:
            games, steps = play_prolog(sheet, settings.seconds)
        except (TrellisError, subprocess.TimeoutExpired) as error:
            return {"value": None, "void": str(error)}
        return {"value": games, "steps": steps}
    game = loaded(settings.text())
    runner, start = PlayoutRunner(game, seed_of(stream, number) % (1 << 62)), game.start()
    runner.run(start, 1_000, settings.seconds / 4)  # not measured: memories fill, code is compiled

    def play(games: int, most_seconds: float) -> Lot:
        found = runner.run(start, games, most_seconds)
        return Lot(found.games, float(found.plies), found.seconds)

    lot = Rounds(play, settings.seconds).next()
    return {"value": lot.rate, "steps": lot.amount / max(lot.seconds, 1e-9)}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean rate."""
    values = [float(sample["value"]) for sample in samples]
    low, high = mean_interval(values, confidence)
    return Estimate(mean(values), max(low, 0.0), high, len(values), facts={"best": max(values)})


MEASURE = Measure(
    "rate", "random games", "games/s", RateSettings, check, take, sum_up, digits=0, timed=True
)
