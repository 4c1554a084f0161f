"""Matches: two players, many games, a score with an interval.

>>> from trellis.loading import load
>>> run_match(load("tic_tac_toe"), "uct:sims=100", "random", games=20).wins_a > 10
True
"""

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.bits import generator
from trellis.game.errors import (
    BadParameter,
    PlayerFailed,
    PlayerResigns,
    TrellisError,
)
from trellis.game.game import Game, Position
from trellis.loading import load
from trellis.players.game_loop import GameLoop, fits
from trellis.players.gtp_engine import end_engines
from trellis.players.player import Player, Say, SearchPlayer, make_player
from trellis.players.python_player import is_object, text_of
from trellis.players.session import Session
from trellis.players.workers import hand_out

LONGEST = 1_000  # moves, in games that have no longest by their rules
MOST_WORKERS = 256
MOST_GAMES = 10_000_000
MOST_OPENING = 10_000  # random moves
_OPENING_TRIES = 1_000
_Z95 = 1.959963984540054  # 95 % of a normal distribution lie within this many deviations

# Why a game ended.
ENDINGS = BY_RULES, AT_LONGEST, BY_RESIGNING, BY_FAILING = "rules", "longest", "resigned", "failed"

# What a seed is for, so that no two streams of random numbers are the same.
_FOR_OPENING, _FOR_CHANCE, _FOR_PLAYER = range(3)


# Told how many pairs of games gave A 0, 1/2, 1, 3/2 and 2, whether that is enough to know.
Decided = Callable[[Sequence[int]], bool]


@dataclass(frozen=True)
class Match:
    """What is to be played: all that a worker needs to know."""

    game: str
    a: str
    b: str
    seed: int
    moves: tuple[str, ...]  # played first in every game
    opening: int  # random moves after those, the same in both games of a pair
    longest: int  # a game is stopped after so many moves, and drawn


@dataclass(frozen=True)
class GameResult:
    """How one game of a match ended; None for payoffs where it was stopped."""

    number: int
    score_a: float  # 1, 1/2 or 0
    payoff_a: float | None
    payoff_b: float | None
    plies: int
    notes: tuple[str, ...] = ()
    forfeit: str = ""  # why somebody lost who could not go on
    moves: tuple[str, ...] = ()  # of a game for one, those of A
    ended: str = BY_RULES  # one of ENDINGS


class GameLog(Protocol):
    """Keeps games of matches, so that a match can go on where it was left."""

    def known(self, match: Match) -> Sequence[GameResult]:
        """Return the games of a match that have been played."""
        ...

    def add(self, match: Match, result: GameResult) -> None:
        """Keep a game."""
        ...


@dataclass(frozen=True)
class MatchResult:
    """The score of player A over a match: `low` and `high` hold it 95 times in 100."""

    game: str
    a: str
    b: str
    games: int
    wins_a: int
    wins_b: int
    draws: int
    score_a: float
    low: float
    high: float
    seconds: float
    payoff_a: float | None  # means over games that were not stopped
    payoff_b: float | None
    plies: float
    stopped: int
    seed: int
    pairs: tuple[int, ...] = ()  # how many pairs of games gave A 0, 1/2, 1, 3/2 and 2
    notes: tuple[str, ...] = ()
    forfeits: tuple[str, ...] = ()  # games that were lost by failing: which, who and why


class _Pairs:
    """Pairs of games from one start, counted by what they gave A, in the order of their numbers.

    Games may end in any order; a pair counts when all before it do, so that what is decided by
    counts does not depend on who was quick.
    """

    def __init__(self, decided: Decided | None) -> None:
        self.counts = [0] * 5
        self.stopped = False
        self._decided = decided
        self._scores: dict[int, float] = {}

    @property
    def games(self) -> int:
        """Return how many games have been counted."""
        return 2 * sum(self.counts)

    def add(self, result: GameResult) -> None:
        """Count a game as soon as its turn has come."""
        self._scores[result.number] = result.score_a
        while not self.stopped and {self.games, self.games + 1} <= self._scores.keys():
            self.counts[round(2 * (self._scores[self.games] + self._scores[self.games + 1]))] += 1
            self.stopped = self._decided is not None and self._decided(self.counts)


def _sum_up(
    match: Match, results: list[GameResult], seconds: float, pairs: tuple[int, ...]
) -> MatchResult:
    games = sorted(results, key=lambda result: result.number)
    scores = Counter(game.score_a for game in games)
    wins, draws, losses = (scores[score] for score in (1.0, 0.5, 0.0))
    score = (wins + draws / 2) / len(games)
    low, high = wilson(score, len(games))
    ended = [game for game in games if game.payoff_a is not None]
    return MatchResult(
        match.game,
        match.a,
        match.b,
        games=len(games),
        wins_a=wins,
        wins_b=losses,
        draws=draws,
        score_a=score,
        low=low,
        high=high,
        seconds=seconds,
        payoff_a=_mean([game.payoff_a or 0.0 for game in ended]),
        payoff_b=_mean([game.payoff_b or 0.0 for game in ended]),
        plies=_mean([game.plies for game in games]) or 0.0,
        stopped=sum(game.payoff_a is None and not game.forfeit for game in games),
        seed=match.seed,
        pairs=pairs,
        notes=tuple(dict.fromkeys(note for game in games for note in game.notes)),
        forfeits=tuple(game.forfeit for game in games if game.forfeit),
    )


def wilson(score: float, games: float, z: float = _Z95) -> tuple[float, float]:
    """Return Wilson's score interval for a score, a fraction of so many `games`.

    With draws counted half it is a little wider than it need be, never narrower.

    >>> [round(end, 4) for end in wilson(81 / 263, 263)]
    [0.2553, 0.3662]
    """
    spread = z * z / games
    middle = (score + spread / 2) / (1 + spread)
    reach = math.sqrt(score * (1 - score) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def how_played(game: Game) -> str:
    """Say who sits where, and what a win is."""
    if game.players == 1:
        return (
            "each plays alone, with the same seeds; the greater payoff wins the game, equal ones "
            "draw it"
        )
    if game.players == 2:
        return "A is first in every other game; the greater payoff wins, equal ones draw"
    return (
        f"A takes the {game.players} seats in turn, B all the others; A wins with more than every "
        f"other gets, draws with as much as the best: even players score below one half"
    )


def run_match(
    game: Game | str,
    a: Any,
    b: Any,
    *,
    games: int = 100,
    seed: int = 0,
    moves: Sequence[str] = (),
    opening: int = 0,
    longest: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    log: GameLog | None = None,
    decided: Decided | None = None,
) -> MatchResult:
    """Play a match between two players; `how_played` says who sits where.

    A player is a text, or an object with `choose(position)`, which plays in this process alone.

    A game of two ends the match early where `decided` says so of the counts of pairs so far.
    Games that a `log` knows are not played again, and those that are played are added to it.
    The same seed gives the same games whatever the number of workers, unless a player has a
    budget of time.  A script that asks for several workers needs the usual
    `if __name__ == "__main__":`, since each of them starts Python anew.
    """
    for name, number, least, most in (
        ("games", games, 1, MOST_GAMES),
        ("workers", workers, 1, MOST_WORKERS),
        ("opening", opening, 0, MOST_OPENING),
        ("longest", 1 if longest is None else longest, 1, 1 << 30),
    ):
        if not least <= number <= most:
            raise BadParameter(
                f"bad value {number} for {name}: expected a whole number from {least:,} to {most:,}"
            )
    loaded = load(game)
    a, b = text_of(a), text_of(b)
    for player in (a, b):
        make_player(player, game=loaded)
        if workers > 1 and is_object(player):
            raise BadParameter(
                f"player {player} is an object, which cannot travel to other processes: expected "
                "workers=1, or its text, bot.py:Bot"
            )
    if longest is None:
        longest = loaded.max_plies or LONGEST
    match = Match(loaded.spec, a, b, seed, tuple(moves), opening, longest)
    if loaded.start().play(*moves).is_over:
        raise BadParameter(f"nothing to play: the game of {loaded.spec} is over after the moves")
    draw_opening(loaded, match, 0)  # everything that can be refused is refused before it begins
    results = [each for each in (log.known(match) if log else ()) if each.number < games]
    scores = Counter(result.score_a for result in results)
    pairs = _Pairs(decided)
    for result in results:
        pairs.add(result)
    known = {result.number for result in results}
    numbers = [number for number in range(games) if number not in known and not pairs.stopped]
    workers = min(workers, len(numbers))
    if workers > 1:
        _refuse_unnamed(loaded)
    began, alone = perf_counter(), _Games(match, loaded)
    source = (
        hand_out(_Games(match), numbers, workers)
        if workers > 1
        else (alone(number) for number in numbers)
    )
    try:
        with contextlib.closing(source), contextlib.suppress(_Abandoned):
            for result in source:
                if log is not None:
                    log.add(match, result)
                results.append(result)
                pairs.add(result)
                scores[result.score_a] += 1
                if progress is not None:
                    note = f"A {scores[1.0]}, B {scores[0.0]}, drawn {scores[0.5]}"
                    progress(len(results) / games, note)
                if pairs.stopped:
                    break
    finally:
        end_engines()
    if not results:  # somebody has asked to stop
        raise KeyboardInterrupt
    if pairs.stopped:
        results = [each for each in results if each.number < pairs.games]
    counts = tuple(pairs.counts) if loaded.players == 2 else ()
    return _sum_up(match, results, perf_counter() - began, counts)


@dataclass
class _Games:
    """Games of a match by their numbers; where it has travelled, it loads the game by its name."""

    match: Match
    game: Game | None = None
    seats: "Seats | None" = None

    def __call__(self, number: int) -> GameResult:
        """Play one game."""
        self.game, self.seats = self.game or load(self.match.game), self.seats or Seats()
        return play_game(self.game, self.match, number, self.seats)


class Seats:
    """Makes players, and keeps those that can go on to another game without a trace of the last.

    That is how the graphs of searches are made once a match, not once a move.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], SearchPlayer] = {}
        self._taken: Counter[str] = Counter()

    def clear(self) -> None:
        """Let everybody get up: another game begins."""
        self._taken.clear()

    def player(self, text: str, seed: int, say: Say) -> Player:
        """Return a player who is what a new one would be."""
        place = text, self._taken[text]
        self._taken[text] += 1
        kept = self._kept.get(place)
        if kept is not None:
            kept.begin_game(seed)
            return kept
        player = make_player(text, seed, say=say)
        if type(player) is SearchPlayer:
            self._kept[place] = player
        return player


# -- one game --------------------------------------------------------------------------------


def play_game(game: Game, match: Match, number: int, seats: Seats | None = None) -> GameResult:
    """Play game `number` of a match; it depends on nothing but the two.

    Where one process plays several games, `seats` saves making players anew for each.
    """
    seats = seats or Seats()
    seats.clear()
    first = draw_opening(game, match, number // 2 if game.players == 2 else number)
    notes: list[str] = []
    seat = number % game.players  # alone, both sit at the same one, and A's payoff comes first
    if game.players == 1:
        alone = [
            _play_out(game, match, first, number, [_seat(match, text, number, 0, notes, seats)])
            for text in (match.a, match.b)
        ]
        plies = max(len(each.moves) for each in alone)
        moves = alone[0].moves
        paid = [each.payoffs[0] for each in alone if each.payoffs]
        payoffs = tuple(paid) if len(paid) == len(alone) else None
        ended = max((each.ended for each in alone), key=ENDINGS.index)
    else:
        players = [
            _seat(match, match.a if place == seat else match.b, number, place, notes, seats)
            for place in range(game.players)
        ]
        game_over = _play_out(game, match, first, number, players)
        payoffs, moves, ended = game_over.payoffs, game_over.moves, game_over.ended
        plies = len(moves)
        if ended == BY_FAILING:
            loser = game_over.loser
            who = "A" if loser == seat else "B"
            told = f"game {number + 1}: {who}, {players[loser].name}, loses: {game_over.why}"
            score = float(loser != seat)
            return GameResult(number, score, None, None, plies, tuple(notes), told, moves, ended)
    if payoffs is None:
        return GameResult(number, 0.5, None, None, plies, tuple(notes), "", moves, ended)
    others = [payoff for place, payoff in enumerate(payoffs) if place != seat]
    own, best, mean = payoffs[seat], max(others), sum(others) / len(others)
    score = 0.5 if own == best else float(own > best)
    return GameResult(number, score, own, mean, plies, tuple(notes), "", moves, ended)


def _seat(
    match: Match, text: str, number: int, place: int, notes: list[str], seats: Seats
) -> Player:
    return seats.player(text, _derive(match.seed, _FOR_PLAYER, number, place), notes.append)


class _Ending(NamedTuple):
    """How a game ended: without payoffs where it was stopped, or somebody could not go on."""

    payoffs: tuple[float, ...] | None
    moves: tuple[str, ...]
    ended: str
    loser: int = -1  # who could not go on, and why
    why: str = ""


def _play_out(
    game: Game, match: Match, first: list[str], number: int, players: list[Player]
) -> _Ending:
    """Play one game to its end."""
    # Both games of a pair meet the same dice, as long as they go the same way.
    pair = number // 2 if game.players == 2 else number
    seed = _derive(match.seed, _FOR_CHANCE, pair) if game.has_chance else 0
    session = Session(game, [*players], seed)
    for move in first:
        session.play(move)
    loop = GameLoop(session) if fits(game, players) else None
    try:
        while not session.position.is_over:
            if len(session.moves) >= match.longest:
                return _Ending(None, tuple(session.moves), AT_LONGEST)
            try:
                if loop is None or not loop.play(match.longest):
                    session.advance()
            except PlayerFailed as failure:
                if stop_asked():
                    raise _Abandoned from None
                loser = session.position.acting
                if isinstance(failure, PlayerResigns):
                    return _Ending(_resigned(game, loser), tuple(session.moves), BY_RESIGNING)
                return _Ending(None, tuple(session.moves), BY_FAILING, loser, str(failure))
            if stop_asked():  # whoever was thinking may not have come to the end of it
                raise _Abandoned
        return _Ending(session.position.payoffs(), tuple(session.moves), BY_RULES)
    finally:
        session.close()


def _resigned(game: Game, loser: int) -> tuple[float, ...]:
    """Return payoffs as if the worst had happened to who resigned."""
    least, greatest = game.payoff_range
    return tuple(least if seat == loser else greatest for seat in range(game.players))


class _Abandoned(Exception):
    """Leaves a game that somebody has asked to stop; those before it count."""


def draw_opening(game: Game, match: Match, pair: int) -> list[str]:
    """Return the moves that games of a pair begin with: those given, then random ones."""
    given = [*match.moves]
    if not match.opening:
        return given
    random = generator(_derive(match.seed, _FOR_OPENING, pair))
    start = game.start().play(*given)
    for _ in range(_OPENING_TRIES):
        names = _random_moves(start, match.opening, random)
        if names is not None:
            return [*given, *names]
    raise BadParameter(
        f"bad value {match.opening} for opening: {_OPENING_TRIES:,} times the game of {game.spec} "
        "was over by then; expected fewer random moves"
    )


def _random_moves(position: Position, count: int, random: np.random.Generator) -> list[str] | None:
    """Draw moves; None where they end the game."""
    names: list[str] = []
    for _ in range(count):
        codes = position.move_codes()
        probabilities = position.probabilities() if position.is_chance else None
        code = codes[int(random.choice(len(codes), p=probabilities))]
        names.append(position.name(code))
        position = position.play(code)
        if position.is_over:
            return None
    return names


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _derive(seed: int, *purpose: int) -> int:
    """Make a seed for one purpose; near-by seeds and purposes give unrelated ones."""
    sequence = np.random.SeedSequence(seed & ((1 << 128) - 1), spawn_key=purpose)
    return int(sequence.generate_state(1, np.uint64)[0])


def _refuse_unnamed(game: Game) -> None:
    """Refuse a game that a worker could not load by its name."""
    try:
        same = load(game.spec).spec == game.spec
    except TrellisError:
        same = False
    if not same:
        raise BadParameter(
            f"{game.spec} has no name to load it by, which workers need: expected 1 worker"
        )
