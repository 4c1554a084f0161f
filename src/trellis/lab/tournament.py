"""Tournaments: several players, a match between every two of them, one table.

All pairings are played a round at a time, two games each, so that a tournament that is stopped has
played all of them nearly equally often.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game
from trellis.lab.ratings import Rating, rate
from trellis.loading import load
from trellis.players.match import GameLog, GameResult, Match, MatchResult, run_match

MOST_PLAYERS = 64
_PAIR = (0.0, 0.5, 1.0, 1.5, 2.0)  # what a pair of games can give


@dataclass(frozen=True)
class Pairing:
    """A match of a tournament: two players by their places in the list."""

    first: int
    second: int
    result: MatchResult


@dataclass(frozen=True)
class Tournament:
    """What came of it."""

    game: str
    players: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    ratings: tuple[Rating, ...]  # in the order of `players`
    seconds: float

    def score(self, player: int, other: int) -> float | None:
        """Return a player's score against another; None where they have not met."""
        for each in self.pairings:
            if (each.first, each.second) == (player, other):
                return each.result.score_a
            if (each.first, each.second) == (other, player):
                return 1 - each.result.score_a
        return None


class _Memory:
    """Games of the matches so far, and the log behind them, if there is one."""

    def __init__(self, log: GameLog | None) -> None:
        self._log = log
        self._games: dict[Match, list[GameResult]] = {}

    def known(self, match: Match) -> list[GameResult]:
        """Return the games of a match that have been played."""
        if match not in self._games:
            self._games[match] = [*self._log.known(match)] if self._log is not None else []
        return self._games[match]

    def add(self, match: Match, result: GameResult) -> None:
        """Keep a game."""
        self.known(match).append(result)
        if self._log is not None:
            self._log.add(match, result)


def run_tournament(
    game: Game | str,
    players: Sequence[str],
    *,
    games: int = 100,
    gauntlet: bool = False,
    seed: int = 0,
    opening: int = 0,
    longest: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    log: GameLog | None = None,
) -> Tournament:
    """Let every two players meet in `games` games, or the first one and each other (`gauntlet`).

    The game numbered n of each pairing begins from the same start as that of all others.  Stopped
    by Ctrl-C it tells what is known so far; games that a `log` knows are not played again.
    """
    loaded = load(game)
    _check(loaded, players, games)
    pairings = [
        (first, second)
        for first, second in combinations(range(len(players)), 2)
        if not gauntlet or first == 0
    ]
    memory = _Memory(log)
    found: dict[tuple[int, int], MatchResult] = {}
    seconds = 0.0
    # With several workers a round is as long as it takes to keep them busy.
    step = max(2, 2 * workers)
    for upto in [*range(step, games, step), games]:
        for done, pairing in enumerate(pairings):
            if stop_asked():
                break
            if progress is not None:
                share = ((upto - step) * len(pairings) + step * done) / (games * len(pairings))
                progress(max(0.0, share), f"game {upto} of {games}")
            try:
                found[pairing] = run_match(
                    loaded, players[pairing[0]], players[pairing[1]],
                    games=upto, seed=seed, opening=opening, longest=longest,
                    workers=workers, log=memory,
                )  # fmt: skip
            except KeyboardInterrupt:  # not even one game of this pairing
                break
            seconds += found[pairing].seconds
    if not found:
        raise KeyboardInterrupt
    scores = {
        pairing: [
            score for score, count in zip(_PAIR, result.pairs, strict=True) for _ in range(count)
        ]
        for pairing, result in found.items()
    }
    return Tournament(
        loaded.spec,
        tuple(players),
        tuple(Pairing(*pairing, result) for pairing, result in found.items()),
        tuple(rate(players, scores, seed=seed)),
        seconds,
    )


def _check(game: Game, players: Sequence[str], games: int) -> None:
    """Refuse what is no tournament."""
    if game.players != 2:
        raise BadParameter(f"a tournament needs a game for two players, not {game.spec}")
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise BadParameter(
            f"a tournament of {len(players)} players: expected 2 to {MOST_PLAYERS} of them"
        )
    for place, player in enumerate(players):
        if player in players[:place]:
            raise BadParameter(
                f"player {shorten(player)} is given twice: expected different players"
            )
    if games < 2 or games % 2:
        raise BadParameter(
            f"bad value {games} for games: expected an even number, each player begins half of them"
        )
