"""How often a search chooses a wrong move, against the exact values of all moves.

A sample is a position and `runs` searches of it.  A game may be generated for each sample: `{seed}`
in its text stands for the sample's number (`pgame:combine=20,seed={seed}`).  Or the position is
drawn along random play of one game, among those where some move is worse than another.  Sample n
is the same position in every cell with the same game, so that cells can be compared in pairs.

What is measured is the share of searches that choose a move worth less than the best one.  How
much less it is worth, how far the value of the search is off, and how often a move drawn at random
would be wrong stand beside it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite, nan
from random import Random
from statistics import mean, variance
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.options import option
from trellis.game.reductions import grouped
from trellis.lab.estimates import share_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import KEPT_GAMES, Estimate, Measure, Sample, loaded
from trellis.lab.measures.match import with_budget
from trellis.players.player import SearchPlayer, make_player
from trellis.players.texts import read_player
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reporting import choose, edge_lines
from trellis.search.solve.strong import solve_strongly

_SLACK = 1e-9  # of the range of payoffs: values closer than this are the same
_TRIES = 200  # random games, until one has a position where the choice matters

Worths = Mapping[int, float]  # of moves, by number: what the player to move gets
Chooser = Callable[[], tuple[int, float]]  # a search: its move, and what it holds it to be worth


def which_positions() -> Any:
    """Return the option that says which positions are samples."""
    return option(
        "start",
        "Which position of the game: its start, or one drawn along random play where the choice "
        "matters.",
        choices=("start", "random"),
    )


def most_positions() -> Any:
    """Return the option that bounds what is solved to know the truth."""
    return option(2_000_000, "Positions at most of a game that has to be solved.", low=1)


@dataclass(frozen=True)
class ChoiceSettings:
    """Which positions, which search, how often."""

    game: str = option(None, "The game; {seed} in it is the sample's number.", text="a game")
    player: str = option(None, "The search.", text="a player")
    sims: int | None = option(
        None, "Playouts, for a player that names none.", low=1, usual="the player's own"
    )
    runs: int = option(1, "Searches of each position.", low=1)
    positions: str = which_positions()
    first: int = option(
        0, "What is added to the sample's number: other games and positions.", low=0
    )
    groups: bool = option(
        False, "Choose a group of moves first, then a move of it, by the game's own groups."
    )
    limit: int = most_positions()

    def game_of(self, number: int) -> Game:
        """Return the game of a sample."""
        return loaded(self.game.replace("{seed}", str(self.first + number)))


@lru_cache(maxsize=KEPT_GAMES)
def _with_groups(game: Game) -> Game:
    return grouped(game)


@lru_cache(maxsize=2)
def _worth_of(game: Game, limit: int) -> Callable[[Position], float]:
    """Return what tells what the first player gets from a position with best play."""
    known = getattr(game, "value", None)  # some generated games know it themselves
    if callable(known):
        return lambda position: float(known(position))
    values = solve_strongly(game, limit=limit)

    def worth(position: Position) -> float:
        low, high = values[position]
        if low != high:
            raise BadParameter(f"{game.spec} has positions without a value: play may never end")
        return low

    return worth


@lru_cache(maxsize=1024)
def worths_of(position: Position, limit: int) -> Worths:
    """Return what every move is worth to the player who makes it."""
    game = position.game
    worth, total = _worth_of(game, limit), float(game.constant_sum or 0.0)
    found = {code: worth(position.play(code)) for code in position.move_codes()}
    if position.acting == 0:
        return found
    return {code: total - value for code, value in found.items()}


def _matters(worths: Worths, game: Game) -> bool:
    low, high = game.payoff_range
    return max(worths.values()) - min(worths.values()) > _SLACK * (high - low)


def position_of_sample(settings: ChoiceSettings, number: int) -> Position | None:
    """Return the position of a sample; None where no choice in the game matters."""
    if settings.positions == "start":
        return settings.game_of(number).start()
    return _drawn(settings.game, settings.first, settings.limit, number)


@lru_cache(maxsize=1024)  # cells that differ in their search have the same positions
def _drawn(text: str, first: int, limit: int, number: int) -> Position | None:
    game = ChoiceSettings(text, first=first).game_of(number)
    dice = Random(seed_of(first, number, text))
    for _ in range(_TRIES):
        position, found = game.start(), []
        while not position.is_over:
            codes = position.move_codes()
            if len(codes) > 1 and _matters(worths_of(position, limit), game):
                found.append(position)
            position = position.play(dice.choice(codes))
        if found:
            return dice.choice(found)
    return None


# -- searches --------------------------------------------------------------------------------


def _chooser(settings: ChoiceSettings, position: Position, seed: int) -> Chooser:
    """Return what searches a position anew each time it is called."""
    inside = _with_groups(position.game).start() if settings.groups else position
    player = make_player(with_budget(settings.player, settings.sims, None), seed, inside.game)
    if not isinstance(player, SearchPlayer) or player.settings.sequential_halving:
        if settings.groups:
            raise BadParameter(f"{settings.player} knows no groups: expected a search of a graph")
        return lambda: _ask(player, position)
    # One graph serves all runs: it is emptied, which takes a tenth of the time of a new one.
    search, sims = player.search_of(inside, seed), int(player.sims or 0)

    def run() -> tuple[int, float]:
        search.restart_at(inside)
        search.simulate(sims)
        return _grouped_choice(search, position) if settings.groups else _choice(search)

    return run


def _choice(search: Search) -> tuple[int, float]:
    lines = edge_lines(search, search.root, search.position)
    best = choose(search, lines)
    return search.from_frame(search.position, best.code), best.adapted


def _grouped_choice(search: Search, position: Position) -> tuple[int, float]:
    """Return the best move of the best group."""
    report = search.report()
    if len(report.line) > 1:
        return position.code_of(report.line[1]), report.value
    # So few playouts that nothing is known beyond the group: any of its moves.
    inside = search.position.play(report.moves[0].move)
    codes = inside.move_codes()
    return codes[int(search.rng[0]) % len(codes)], report.value


def _ask(player: Any, position: Position) -> tuple[int, float]:
    """Have a player choose; one that only draws moves holds them to be worth nothing known."""
    move = player.choose(position, position.acting)
    report = getattr(player, "report", None)
    value = nan if report is None else report.for_player(position.acting).value
    return position.code_of(move), value


# -- the measure -----------------------------------------------------------------------------


def check(settings: ChoiceSettings) -> None:
    """Refuse games without exact values, and players that do not play them."""
    game = settings.game_of(0)
    if game.players > 2 or game.has_chance or game.is_simultaneous or game.constant_sum is None:
        raise BadParameter(
            f"{game.spec} has no exact value of one number for each move: expected a game of two "
            "players in turn, without chance, whose payoffs add up to a constant"
        )
    if settings.groups and settings.positions != "start":
        raise BadParameter("groups are for starts of games: expected positions=start")
    if {"time", "reuse"} & read_player(settings.player).options.keys():
        raise BadParameter(f"bad player {settings.player}: expected a number of playouts, no time")
    position = position_of_sample(settings, 0)
    if position is not None:
        _chooser(settings, position, 0)


def take(settings: ChoiceSettings, stream: int, number: int) -> Sample:
    """Search one position several times, and count the wrong choices."""
    position = position_of_sample(settings, number)
    if position is None:
        return {"value": None, "void": f"no choice matters in {settings.game_of(number).spec}"}
    low, high = position.game.payoff_range
    worths, scale = worths_of(position, settings.limit), 100 / (high - low)
    best, run = max(worths.values()), _chooser(settings, position, seed_of(stream, number))
    chosen = []
    for _ in range(settings.runs):
        chosen.append(run())
        if stop_asked():
            return {"value": None, "void": "it was stopped"}
    losses = [best - worths[code] for code, _ in chosen]
    wrong = [loss * scale > 100 * _SLACK for loss in losses]
    at_random = [(best - worth) * scale > 100 * _SLACK for worth in worths.values()]
    off = mean(abs(value - best) for _, value in chosen)
    return {
        "value": 100 * mean(wrong), "runs": settings.runs, "loss": scale * mean(losses),
        "value_error": scale * off if isfinite(off) else None,
        "random": 100 * mean(at_random), "position": position.code,
    }  # fmt: skip


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the share of wrong choices in percent.

    Searches of one position are alike, so the interval is Wilson's for as many searches as the
    spread of the positions is worth: at least one for each of them, at most all there were.
    """
    shares = [float(sample["value"]) / 100 for sample in samples]
    share, runs = mean(shares), sum(int(sample["runs"]) for sample in samples)
    worth = float(len(shares))
    if len(shares) > 1:
        spread = variance(shares) / len(shares)
        single = share * (1 - share)
        worth = min(runs, max(len(shares), single / spread)) if spread > 0 else len(shares)
    low, high = share_interval(share, worth, confidence)
    facts: dict[str, Any] = {}
    for name in ("loss", "value_error", "random"):
        known = [float(sample[name]) for sample in samples if sample[name] is not None]
        facts[name] = mean(known) if known else None
    return Estimate(100 * share, 100 * low, 100 * high, len(shares), facts=facts)


MEASURE = Measure(
    "choice_error", "wrong choices", "%", ChoiceSettings, check, take, sum_up, digits=2
)
