"""Matches: two players, many games, a score with an interval.

>>> from trellis.loading import load
>>> run_match(load("tic_tac_toe"), "uct:sims=100", "random", games=20).wins_a > 10
True
"""

import contextlib
import math
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import parent_process
from time import perf_counter

import numpy as np

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.bits import generator
from trellis.game.errors import BadParameter, LimitReached, TrellisError
from trellis.game.game import Game, Position
from trellis.loading import load
from trellis.players.player import Player, make_player
from trellis.players.session import Session

LONGEST = 1_000  # moves, in games that have no longest by their rules
MOST_WORKERS = 256
MOST_GAMES = 10_000_000
MOST_OPENING = 10_000  # random moves
_OPENING_TRIES = 1_000
_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_SECONDS_TO_END = 0.5  # a worker that has not gone by then is killed
_Z95 = 1.959963984540054  # 95 % of a normal distribution lie within this many deviations

# What a seed is for, so that no two streams of random numbers are the same.
_FOR_OPENING, _FOR_CHANCE, _FOR_PLAYER = range(3)


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
    notes: tuple[str, ...] = ()


class Tally:
    """The games of a match that have ended so far."""

    def __init__(self) -> None:
        self.results: list[GameResult] = []

    def count(self, score: float) -> int:
        """Count the games in which A scored 1, 1/2 or 0."""
        return sum(result.score_a == score for result in self.results)

    def note(self) -> str:
        """Tell the score so far."""
        return f"A {self.count(1.0)}, B {self.count(0.0)}, drawn {self.count(0.5)}"

    def result(self, match: Match, seconds: float) -> MatchResult:
        """Sum up."""
        games = sorted(self.results, key=lambda result: result.number)
        wins, draws, losses = (self.count(score) for score in (1.0, 0.5, 0.0))
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
            stopped=len(games) - len(ended),
            seed=match.seed,
            notes=tuple(dict.fromkeys(note for game in games for note in game.notes)),
        )


def wilson(score: float, games: int, z: float = _Z95) -> tuple[float, float]:
    """Return Wilson's score interval for a share of `games`.

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
    a: str,
    b: str,
    *,
    games: int = 100,
    seed: int = 0,
    moves: Sequence[str] = (),
    opening: int = 0,
    longest: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match between two players given as text; `how_played` says who sits where.

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
    for player in (a, b):
        make_player(player, game=loaded)
    if longest is None:
        longest = loaded.max_plies or LONGEST
    match = Match(loaded.spec, a, b, seed, tuple(moves), opening, longest)
    if loaded.start().play(*moves).is_over:
        raise BadParameter(f"nothing to play: the game of {loaded.spec} is over after the moves")
    draw_opening(loaded, match, 0)  # everything that can be refused is refused before it begins
    workers = min(workers, games)
    if workers > 1:
        _refuse_unnamed(loaded)
    began = perf_counter()
    tally = Tally()
    source = (
        _play_with_workers(match, games, workers)
        if workers > 1
        else (play_game(loaded, match, number) for number in range(games))
    )
    with contextlib.closing(source), contextlib.suppress(_Abandoned):
        for result in source:
            tally.results.append(result)
            if progress is not None:
                progress(len(tally.results) / games, tally.note())
    if not tally.results:  # somebody has asked to stop
        raise KeyboardInterrupt
    return tally.result(match, perf_counter() - began)


# -- one game --------------------------------------------------------------------------------


def play_game(game: Game, match: Match, number: int) -> GameResult:
    """Play game `number` of a match; it depends on nothing but the two."""
    first = draw_opening(game, match, number // 2 if game.players == 2 else number)
    notes: list[str] = []
    if game.players == 1:
        alone = [
            _play_out(game, match, first, number, [_seat(match, text, number, 0, notes)])
            for text in (match.a, match.b)
        ]
        (own, _), (other, _) = alone
        plies = max(plies for _, plies in alone)
        if own is None or other is None:
            return GameResult(number, 0.5, None, None, plies, tuple(notes))
        return GameResult(number, _compare(own[0], other[0]), own[0], other[0], plies, tuple(notes))
    seat = number % game.players
    players = [
        _seat(match, match.a if place == seat else match.b, number, place, notes)
        for place in range(game.players)
    ]
    payoffs, plies = _play_out(game, match, first, number, players)
    if payoffs is None:
        return GameResult(number, 0.5, None, None, plies, tuple(notes))
    others = [payoff for place, payoff in enumerate(payoffs) if place != seat]
    return GameResult(
        number,
        _compare(payoffs[seat], max(others)),
        payoffs[seat],
        sum(others) / len(others),
        plies,
        tuple(notes),
    )


def _seat(match: Match, text: str, number: int, place: int, notes: list[str]) -> Player:
    return make_player(text, _derive(match.seed, _FOR_PLAYER, number, place), say=notes.append)


def _play_out(
    game: Game, match: Match, first: list[str], number: int, players: list[Player]
) -> tuple[tuple[float, ...] | None, int]:
    """Play one game to its end; return the payoffs, None where it was stopped, and its length."""
    # Both games of a pair meet the same dice, as long as they go the same way.
    pair = number // 2 if game.players == 2 else number
    session = Session(game, [*players], _derive(match.seed, _FOR_CHANCE, pair))
    for move in first:
        session.play(move)
    while not session.position.is_over:
        if len(session.moves) >= match.longest:
            return None, len(session.moves)
        session.advance()
        if stop_asked():  # whoever was thinking may not have come to the end of it
            raise _Abandoned
    return session.position.payoffs(), len(session.moves)


class _Abandoned(Exception):
    """Leaves a game that somebody has asked to stop; those before it count."""


def draw_opening(game: Game, match: Match, pair: int) -> list[str]:
    """Return the moves that games of a pair begin with: those given, then random ones."""
    random = generator(_derive(match.seed, _FOR_OPENING, pair))
    given = [*match.moves]
    start = game.start().play(*given)
    for _ in range(_OPENING_TRIES if match.opening else 1):
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
        shares = position.probabilities() if position.is_chance else None
        code = codes[int(random.choice(len(codes), p=shares))]
        names.append(position.name(code))
        position = position.play(code)
        if position.is_over:
            return None
    return names


def _compare(own: float, other: float) -> float:
    return 0.5 if own == other else float(own > other)


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def _derive(seed: int, *purpose: int) -> int:
    """Make a seed for one purpose; near-by seeds and purposes give unrelated ones."""
    sequence = np.random.SeedSequence(seed & ((1 << 128) - 1), spawn_key=purpose)
    return int(sequence.generate_state(1, np.uint64)[0])


# -- several processes -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Failure:
    """What went wrong in a worker; an error of another kind than ours travels as text."""

    error: TrellisError | None
    text: str
    trace: str
    memory: bool = False


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


def _play_with_workers(match: Match, games: int, workers: int) -> Generator[GameResult, None, None]:
    """Hand out games one by one; whatever happens, no worker stays behind."""
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    processes, idle = [], []
    busy: dict[Connection, int] = {}
    try:
        with _ctrl_c_ignored():  # which the workers inherit: the parent alone answers Ctrl-C
            for _ in range(workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, match), daemon=True)
                process.start()
                theirs.close()
                processes.append(process)
                idle.append(ours)
        waiting = iter(range(games))
        for connection, number in zip(idle, waiting, strict=False):
            _hand_over(connection, number, busy)
        while busy:
            ready = wait([*busy], timeout=_HEARD)
            if stop_asked():
                return
            for connection in [each for each in busy if each in ready]:
                number = busy.pop(connection)
                yield _receive(connection, number)
                following = next(waiting, None)
                if following is not None:
                    _hand_over(connection, following, busy)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(_SECONDS_TO_END)
            if process.is_alive():
                process.kill()
                process.join()
        for connection in idle:
            connection.close()


def _hand_over(connection: Connection, number: int, busy: dict[Connection, int]) -> None:
    busy[connection] = number
    with contextlib.suppress(OSError):  # a worker that has gone is noticed when it is waited for
        connection.send(number)


def _receive(connection: Connection, number: int) -> GameResult:
    """Return what a worker has sent, or raise what went wrong there."""
    try:
        answer = connection.recv()
    except (EOFError, OSError):
        raise LimitReached(
            f"a worker was lost in game {number + 1}: expected more memory, fewer workers, or, in "
            'a script, the line `if __name__ == "__main__":`'
        ) from None
    if isinstance(answer, GameResult):
        return answer
    if answer.memory:
        raise MemoryError
    error = answer.error or RuntimeError(f"in game {number + 1}, in a worker: {answer.text}")
    error.add_note(answer.trace)
    raise error


def _work(connection: Connection, match: Match) -> None:
    """Play games as long as the parent wants any."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    game: Game | None = None
    with contextlib.suppress(EOFError, OSError):  # the parent has gone
        while True:
            number = connection.recv()
            answer: GameResult | _Failure
            try:
                game = game or load(match.game)
                answer = play_game(game, match, number)
            except Exception as error:  # noqa: BLE001  (said by the parent, whatever it is)
                answer = _failure(error)
            connection.send(answer)


def _failure(error: Exception) -> _Failure:
    ours = type(error)(*error.args) if isinstance(error, TrellisError) else None
    return _Failure(
        ours,
        f"{type(error).__name__}: {error}",
        traceback.format_exc(),
        memory=isinstance(error, MemoryError),
    )


def _end_with_parent() -> None:
    """End this process when its parent has ended, however that came about."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextlib.contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Ignore Ctrl-C for a moment; elsewhere than in the main thread nothing can be changed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
