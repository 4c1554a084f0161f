"""Measuring playouts, simulations and nodes per second, ours and OpenSpiel's turn by turn."""

from dataclasses import asdict, dataclass, field
from statistics import mean, median
from time import perf_counter
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis._kernel.timing import Lot, Rounds
from trellis.bridges.openspiel import OpenSpiel, similar_name
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game, Position
from trellis.game.playouts import PlayoutRunner
from trellis.search.mcts.engine import Search
from trellis.search.mcts.settings import Settings
from trellis.search.star.engine import StarSearch
from trellis.search.star.settings import StarSettings
from trellis.search.star.table import make_table

ROUNDS = 7
_SEARCH_CALL = 100_000  # simulations: short enough for Ctrl-C
_WITHOUT_RAVE: dict[str, Any] = {
    "rave": 0.0, "rave_bias": 0.0, "grave": 0, "rave_order": False, "rave_children": False,
}  # fmt: skip
_STAR_POSITIONS, _STAR_ROUNDS = 4, 3


@dataclass
class Measurement:
    """Playouts per second of one game."""

    game: str
    per_second: float
    against: str | None = None
    against_per_second: float | None = None
    ratios: list[float] = field(default_factory=list)
    measure: str = "playouts"
    bytes_per_sim: float | None = None
    against_bytes_per_sim: float | None = None
    select: str | None = None
    of_plain: list[float] = field(default_factory=list)  # speed as a part of that without RAVE
    differs: str | None = None  # in what the other system's game is another

    @property
    def ratio(self) -> float | None:
        """Return the median over all rounds, or None where there was nothing to compare."""
        return median(self.ratios) if self.ratios else None

    def to_dict(self) -> dict[str, object]:
        """Return the measurement as it goes into JSON."""
        found = asdict(self)
        ratios, of_plain = found.pop("ratios"), found.pop("of_plain")
        ends = {"ratio_low": min(ratios, default=None), "ratio_high": max(ratios, default=None)}
        if of_plain:
            ends |= {
                "of_plain": median(of_plain),
                "of_plain_low": min(of_plain),
                "of_plain_high": max(of_plain),
            }
        return found | {"ratio": self.ratio} | ends


def measure(
    game: Game, *, against: str | None = None, seconds: float = 2.0, seed: int = 0
) -> Measurement | None:
    """Measure a game for about `seconds` on each side; None where somebody asks to stop at once."""
    start, roller, each = game.start(), PlayoutRunner(game, seed), seconds / ROUNDS

    def play(games: int, most_seconds: float) -> Lot:
        found = roller.run(start, games, most_seconds)
        return Lot(found.games, 0.0, found.seconds)

    sides = [Rounds(play, each)]
    if _is_there(against, game):
        theirs = OpenSpiel(game, seed)
        sides.append(Rounds(lambda games, _: Lot(games, 0.0, theirs.playout_seconds(games)), each))
    turns: list[list[float]] = []
    while len(turns) < ROUNDS:
        turn = [side.next().rate for side in sides]
        if stop_asked():  # it was cut short
            break
        turns.append(turn)
    if not turns:
        return None
    rates, *others = zip(*turns, strict=True)
    return Measurement(
        game.spec,
        max(rates),
        against if others else None,
        max(others[0]) if others else None,
        [our / their for our, their in turns] if others else [],
        differs=similar_name(game)[1] if others else None,
    )


def _is_there(against: str | None, game: Game) -> bool:
    """Tell whether the system to compare with has this game."""
    there = against == "openspiel" and similar_name(game)[0] is not None
    return there and not game.is_simultaneous


def measure_search(
    game: Game,
    *,
    against: str | None = None,
    sims: int = 500_000,
    settings: Settings,
    seed: int = 0,
) -> Measurement | None:
    """Measure searches of `sims` simulations from the start, ours before and after theirs.

    Searches with RAVE take turns with the same search without it.  None where somebody asks to
    stop before one has ended.
    """
    start = game.start()
    while start.is_chance:  # nobody searches for a die
        start = start.play(start.move_codes()[0])
    without = settings.replace(**_WITHOUT_RAVE)
    kinds = [settings] if without == settings else [settings, without]
    for kind in kinds:
        Search(start, kind, seed=seed).simulate(1)  # whatever compiling there is

    theirs = OpenSpiel(game, seed) if _is_there(against, game) else None
    rounds = []
    rate, theirs_bytes = None, None
    for number in range(4 if theirs or len(kinds) > 1 else 3):
        if theirs is not None and number == 2:
            rate, theirs_bytes = theirs.search(settings.c, sims)
        searches = [Search(start, kind, seed=seed + number) for kind in kinds]
        lots = _by_turns(searches, sims)
        if stop_asked():
            break
        rounds.append(([lot.rate for lot in lots], searches[0].bytes / max(lots[0].count, 1)))
    if not rounds:
        return None
    rates = [measured[0] for measured, _ in rounds]
    return Measurement(
        game.spec,
        max(rates),
        against if theirs else None,
        rate,
        [our / rate for our in rates] if rate else [],
        "sims",
        rounds[-1][1],
        theirs_bytes,
        settings.select,
        [measured[0] / measured[1] for measured, _ in rounds if len(measured) > 1],
        similar_name(game)[1] if theirs else None,
    )


def _by_turns(searches: list[Search], sims: int) -> list[Lot]:
    """Let each search make so many simulations, a lot at a time in turns."""
    done, seconds = [0] * len(searches), [0.0] * len(searches)
    open_ones = list(range(len(searches)))
    while open_ones and not stop_asked():
        for i in open_ones:
            began = perf_counter()
            done[i] += searches[i].simulate(min(_SEARCH_CALL, sims - done[i]))
            seconds[i] += perf_counter() - began
        open_ones = [i for i in open_ones if done[i] < sims and not searches[i].solved]
    return [Lot(count, 0.0, took) for count, took in zip(done, seconds, strict=True)]


def measure_star(
    positions: list[Position],
    evaluation: Evaluation | None,
    settings: StarSettings,
    seconds: float = 2.0,
) -> float:
    """Return positions looked at in a second by one thread, the mean over some of `positions`."""
    table = make_table(settings.memory)
    rates = []
    for place in range(_STAR_POSITIONS):
        # All from the first half of the game: later ones are over at once.
        position = positions[place * len(positions) // (2 * _STAR_POSITIONS)]

        def look(_: int, most_seconds: float, position: Position = position) -> Lot:
            table.clear()
            search = StarSearch(position, settings, evaluation, table=table)
            search.run(seconds=most_seconds)
            return Lot(search.nodes, 0.0, search.seconds)

        rounds = Rounds(look, seconds / (_STAR_POSITIONS * _STAR_ROUNDS))
        rates.append(rounds.fastest(_STAR_ROUNDS).rate)
    return mean(rates)
