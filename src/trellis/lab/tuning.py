"""Tuning: finding better settings for a game, and believing it only after a test on fresh games.

A trial is a player with some settings; its score against the default over some games is a noisy
number.  Optuna proposes trials by what is known of earlier ones (its tree-structured Parzen
estimator), a few at a time, so that several workers have something to do and their number changes
nothing.  Whoever looks best among many was partly lucky: the best few play on, the better half each
time, and the winner must pass a sequential test against the default on games that nobody has played
before.

The record of results is the only truth: run again, everything that was played is found there, and
Optuna, which is told the same, proposes the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.spec import Value, plain_value
from trellis.lab.executors import Executor
from trellis.lab.experiment import Cell, Experiment, Scale
from trellis.lab.measures import Estimate
from trellis.lab.record import Record
from trellis.lab.results import CellResult
from trellis.lab.running import Run
from trellis.lab.sprt import Sprt
from trellis.players.texts import KINDS, read_player

if TYPE_CHECKING:
    import optuna

GRAPH_PLAYERS = [name for name, options in KINDS.items() if "reuse" in options]
DEPTHS = ("0", "1", "2", "inf")
TOGETHER = 4  # trials that are proposed at a time
FINALISTS = 4
_ROUNDS = 3  # in which finalists play on, the better half each time
_LOT = 100  # games of the last test between two looks at it
_FRESH = 1 << 40  # added to the seed for games that no trial has played


@dataclass(frozen=True)
class Dimension:
    """One setting that is tuned: numbers between two bounds, or one of some choices."""

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    choices: tuple[str, ...] = ()

    def propose(self, trial: "optuna.Trial") -> str:
        """Let Optuna choose a value."""
        if self.choices:
            return str(trial.suggest_categorical(self.name, self.choices))
        # Three digits are all that games can tell, and make equal trials equal.
        return f"{trial.suggest_float(self.name, self.low, self.high, log=self.log):.3g}"


DIMENSIONS: Mapping[str, Dimension] = {
    each.name: each
    for each in (
        Dimension("c", 0.05, 2.0, log=True),
        Dimension("d1", choices=DEPTHS),
        Dimension("d2", choices=DEPTHS),
        Dimension("d3", choices=DEPTHS),
        Dimension("rave", choices=("0", "30", "100", "300", "1000", "3000")),
        Dimension("fpu", choices=("none", "0.4", "0.6", "0.8", "1", "1.2")),
        Dimension("own_playouts", choices=("node", "edge")),
        Dimension("decisive", choices=("false", "true")),
        Dimension("rave_order", choices=("false", "true")),
    )
}


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what came of them against the default."""

    values: Mapping[str, str]
    player: str
    estimate: Estimate


@dataclass(frozen=True)
class Tuned:
    """What came of it."""

    game: str
    default: str
    trials: tuple[Trial, ...]  # the best first
    winner: Trial | None = None
    pairs: tuple[int, ...] = ()  # of the last test
    ratio: float = 0.0
    accepted: bool | None = None  # None where it was not decided
    test_games: int = 0
    interrupted: bool = False


def read_dimensions(names: str, ranges: Sequence[str] = ()) -> list[Dimension]:
    """Read what is tuned, `c,d1,rave`, and other bounds or choices, `c=0.1..1` or `d1=0,inf`.

    >>> read_dimensions("c", ["c=0.1..1"])[0].high
    1.0
    """
    chosen: dict[str, Dimension] = {}
    for name in (part.strip() for part in names.split(",")):
        if name not in DIMENSIONS:
            raise BadParameter(
                f"cannot tune {shorten(name)}: expected some of {', '.join(DIMENSIONS)}"
                f"{nearest(name, DIMENSIONS)}"
            )
        chosen[name] = DIMENSIONS[name]
    for text in ranges:
        name, _, values = (part.strip() for part in text.partition("="))
        if name not in chosen:
            raise BadParameter(f"range {shorten(text)} is of nothing that is tuned")
        chosen[name] = _with_range(chosen[name], values, text)
    return [*chosen.values()]


def _with_range(dimension: Dimension, values: str, text: str) -> Dimension:
    low, dots, high = values.partition("..")
    try:
        if dots and not dimension.choices:
            made = Dimension(dimension.name, float(low), float(high), dimension.log)
            if math.isfinite(made.low) and math.isfinite(made.high) and 0 < made.low < made.high:
                return made
    except ValueError:
        pass
    choices = tuple(value.strip() for value in values.split(",") if value.strip())
    if dots or not choices:
        raise BadParameter(
            f"bad range {shorten(text)}: expected two numbers, c=0.1..1, or choices, d1=0,inf"
        )
    return Dimension(dimension.name, choices=choices)


def player_of(values: Mapping[str, str], default: str = "auto") -> str:
    """Return a player with tuned settings; depths make it UCD.

    >>> player_of({"c": "0.3", "d1": "inf", "fpu": "none", "rave": "0"})
    'ucd:inf,0,1,c=0.3'
    """
    depths = {"d1": "1", "d2": "0", "d3": "1"}  # the simple way, where nothing is said
    if depths.keys() & values.keys():
        depths |= {name: value for name, value in values.items() if name in depths}
        head = f"ucd:{depths['d1']},{depths['d2']},{depths['d3']}"
    else:
        graph = read_player(default).kind in GRAPH_PLAYERS
        head = default if graph else "auto"  # of a player without settings there is nothing to tune
    unset = {("rave", "0"), ("fpu", "none"), ("decisive", "false"), ("rave_order", "false")}
    options = [
        f"{name}={value}"
        for name, value in values.items()
        if name not in depths and (name, value) not in unset
    ]
    mark = "," if ":" in head else ":"
    return mark.join([head, ",".join(options)]) if options else head


@dataclass
class Tuner:
    """Tunes one game; `games` is the budget for trials, without the last test."""

    game: str
    dimensions: Sequence[Dimension]
    record: Record
    make_executor: Callable[[], Executor]
    games: int = 4_000
    games_a_trial: int = 40
    budget: Mapping[str, Value] = field(default_factory=dict)  # sims or time of a move
    default: str = "auto"
    opening: int = 2
    seed: int = 0
    sprt: Sprt = field(default_factory=Sprt)
    most_test_games: int = 20_000
    progress: Progress | None = None
    notice: Callable[[str], None] = print

    def tune(self) -> Tuned:
        """Find a winner and test it; Ctrl-C leaves what is known."""
        study = self._study()
        trials: dict[str, Trial] = {}
        rounds = max(1, self.games // 2 // (self.games_a_trial * TOGETHER))
        for number in range(rounds):
            proposed = [study.ask() for _ in range(TOGETHER)]
            values = [
                {each.name: each.propose(trial) for each in self.dimensions} for trial in proposed
            ]
            found = self._measure(
                [player_of(each, self.default) for each in values], self.games_a_trial,
                number / (2 * rounds),
            )  # fmt: skip
            if stop_asked():
                return self._stopped(trials)
            for trial, chosen in zip(proposed, values, strict=True):
                player = player_of(chosen, self.default)
                estimate = found[player].estimate_at(0.95)
                if estimate.samples:
                    trials[player] = Trial(chosen, player, estimate)
                    study.tell(trial, estimate.value)
                else:
                    study.tell(trial, state=_failed())
        if not trials:
            raise BadParameter(f"no settings could be tried on {self.game}")
        winner = self._play_off(trials)
        if winner is None:
            return self._stopped(trials)
        return self._test(winner, trials)

    def _study(self) -> "optuna.Study":
        try:
            import optuna
        except ImportError:
            raise BadParameter(
                'tuning needs Optuna: expected it installed, pip install "trellis-games[tune]"'
            ) from None
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.TPESampler(
            seed=self.seed & 0xFFFFFFFF, n_startup_trials=3 * TOGETHER, constant_liar=True
        )  # fmt: skip
        return optuna.create_study(direction="maximize", sampler=sampler)

    def _play_off(self, trials: dict[str, Trial]) -> Trial | None:
        """Let the best few play on; each round the better half stays."""
        best = sorted(trials.values(), key=lambda trial: -trial.estimate.value)[: FINALISTS * 2]
        games = self.games_a_trial
        left = self.games // 2
        for number in range(_ROUNDS):
            share = left // _ROUNDS // max(len(best), 1)
            games += max(2, share // 2 * 2)
            found = self._measure([each.player for each in best], games, 0.5 + number / 6)
            if stop_asked():
                return None
            best = [
                Trial(each.values, each.player, found[each.player].estimate_at(0.95))
                for each in best
            ]
            for each in best:
                trials[each.player] = each
            best.sort(key=lambda trial: -trial.estimate.value)
            best = best[: max(1, len(best) // 2)]
        return best[0]

    def _test(self, winner: Trial, trials: dict[str, Trial]) -> Tuned:
        """Test the winner against the default on fresh games, until that is decided."""
        pairs: list[int] = [0] * 5
        accepted: bool | None = None
        games = 0
        if winner.player != self.default:
            while accepted is None and games < self.most_test_games and not stop_asked():
                games += _LOT
                share = min(0.99, games / self.most_test_games)
                found = self._measure([winner.player], games, share, fresh=True)
                pairs, accepted = self._decide(found[winner.player])
        ordered = sorted(trials.values(), key=lambda trial: -trial.estimate.value)
        return Tuned(
            self.game, self.default, tuple(ordered), winner, tuple(pairs),
            self.sprt.ratio(pairs), accepted, 2 * sum(pairs), stop_asked(),
        )  # fmt: skip

    def _decide(self, result: CellResult) -> tuple[list[int], bool | None]:
        """Count pairs in their order, up to the one that decides."""
        scores = dict(result.counted())
        pairs = [0] * 5
        for first in range(0, 2 * (max(scores, default=-1) // 2 + 1), 2):
            if first not in scores or first + 1 not in scores:
                continue  # a game that does not count takes its pair with it
            pairs[round(2 * (scores[first] + scores[first + 1]))] += 1
            verdict = self.sprt.verdict(pairs)
            if verdict is not None:
                return pairs, verdict == "elo1"
        return pairs, None

    def _measure(
        self, players: Sequence[str], games: int, share: float, *, fresh: bool = False
    ) -> dict[str, CellResult]:
        """Return the results of players against the default; games on record are not played."""
        distinct = tuple(dict.fromkeys(players))
        settings: dict[str, Value] = {
            "game": self.game, "b": self.default, "opening": self.opening, **self.budget
        }  # fmt: skip
        experiment = Experiment(
            f"tune {self.game}", f"settings for {self.game}", "match",
            tuple(Cell(player, {**settings, "a": player}) for player in distinct),
            {"paper": Scale(games)}, seed=self.seed + (_FRESH if fresh else 0), batch=2,
        )  # fmt: skip

        def show(part: float, note: str) -> None:
            if self.progress is not None:
                self.progress(share, f"{'test' if fresh else 'trials'}: {note}")

        run = Run(experiment, "paper", self.record, progress=show, notice=self.notice)
        return {each.cell.name: each for each in run.go(self.make_executor).cells}

    def _stopped(self, trials: dict[str, Trial]) -> Tuned:
        ordered = sorted(trials.values(), key=lambda trial: -trial.estimate.value)
        return Tuned(self.game, self.default, tuple(ordered), interrupted=True)


def _failed() -> Any:
    from optuna.trial import TrialState

    return TrialState.FAIL


def settings_of(trial: Trial) -> dict[str, Any]:
    """Return what a player needs to be told to play like a trial."""
    read = read_player(trial.player)
    settings = {name: plain_value(value) for name, value in read.options.items() if name != "tuned"}
    if read.kind == "ucd":
        settings["select"] = f"ucd:{read.words}"
    return settings
