"""Random playouts of any game: the generic loop, and many playouts in one call."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding
from trellis._kernel.jit import kernel, plain, ready
from trellis.game.bits import below, copy_words, uniform
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, BrokenContract, LimitReached
from trellis.game.game import Game, Position, position_of
from trellis.game.halting import HALT_AT, HALTED, is_halted, stoppable
from trellis.game.rules import CHANCE, NOBODY, Calls, Moves, Random, Reals, State, Tables

LONGEST_PLAYOUT = 100_000  # a playout of a game without an end of its own stops here
_BATCH = 4096  # games at once, where a game can do that
ENDLESS, STUCK = -1, -2  # what a playout that failed returns
TOO_LONG, TOO_MANY, BAD_PAYOFFS = -4, -5, -6  # a game broke its word in a search; see HALTED
ROUNDING = 1e-9  # by this part of their range payoffs may miss it, or their sum


@kernel(plain_too=True)
def draw_outcome(rng: Random, probabilities: Reals, count: int) -> int:
    """Draw the index of a chance outcome with the given probabilities."""
    point = uniform(rng)
    for i in range(count - 1):
        point -= probabilities[i]
        if point < 0.0:
            return i
    return count - 1


@kernel(takes_rules=True)
def random_playout(
    acting: object, moves: object, play: object, payoffs: object, chances: object,
    tables: Tables, state: State, rng: Random, buffer: Moves, probabilities: Reals, out: Reals,
) -> int:  # fmt: skip
    """Play uniformly random moves to the end through the rules; return the number of moves.

    Returns ENDLESS, with nothing in `out`, where the game does not end in `LONGEST_PLAYOUT`
    moves, STUCK where somebody acts without a legal move, and HALTED where it was told to stop.
    """
    plies = 0
    while True:
        if is_halted(rng):
            return HALTED
        who = acting(tables, state)  # type: ignore[operator]
        if who == NOBODY:
            payoffs(tables, state, out)  # type: ignore[operator]
            return plies
        if plies == LONGEST_PLAYOUT:
            return ENDLESS
        count = moves(tables, state, buffer)  # type: ignore[operator]
        if count < 1:
            return STUCK
        if who == CHANCE:
            chances(tables, state, probabilities)  # type: ignore[operator]
            index = draw_outcome(rng, probabilities, count)
        else:
            index = below(rng, count)
        play(tables, state, np.int64(buffer[index]))  # type: ignore[operator]
        plies += 1


@kernel(takes_rules=True, hot=True)
def finish_game(
    calls: Calls, own_playout: bool, tables: Tables, state: State, rng: Random, buffer: Moves,
    probabilities: Reals, out: Reals,
) -> int:  # fmt: skip
    """Play to the end as the game does itself, or as `random_playout` does."""
    if own_playout:
        return calls.playout(tables, state, rng, buffer, out)
    return random_playout(
        calls.acting, calls.moves, calls.play, calls.payoffs, calls.chances, tables, state, rng,
        buffer, probabilities, out,
    )  # fmt: skip


@kernel(entry=True, makes_arrays=True, later=True)
def many_playouts(
    calls: Calls, own_playout: bool, tables: Tables, start: State, rng: Random, buffer: Moves,
    probabilities: Reals, out: Reals, sums: Reals, squares: Reals, count: int,
) -> tuple[int, int]:  # fmt: skip
    """Play up to `count` games from `start`; add up payoffs and their squares.

    Returns the moves played, or a failure, and the games: fewer where it was told to stop.
    """
    state = start.copy()
    plies = 0
    for done in range(count):
        if is_halted(rng):
            return plies, done
        copy_words(start, state)
        length = finish_game(calls, own_playout, tables, state, rng, buffer, probabilities, out)
        if length == HALTED:
            return plies, done
        if length < 0:
            return length, done
        plies += length
        for player in range(len(sums)):
            sums[player] += out[player]
            squares[player] += out[player] * out[player]
    return plies, count


def refuse_failure(game: Game, code: int, state: State | None = None) -> None:
    """Raise the error behind a negative number of moves; `state` is where it was noticed."""
    if code >= 0:
        return
    where = "" if state is None else f" in position {Position(game, state.copy()).code}"
    if code == STUCK:
        raise BrokenContract(f"{game.spec}: somebody acts without legal moves{where}")
    if code == TOO_LONG:
        raise BrokenContract(
            f"{game.spec}: a game is longer than max_plies, {game.max_plies:,}, says{where}"
        )
    if code == TOO_MANY:
        raise BrokenContract(
            f"{game.spec}: more moves than max_moves, {game.max_moves:,}, says{where}"
        )
    if code == BAD_PAYOFFS:
        low, high = game.payoff_range
        both = "" if game.constant_sum is None else f", {game.constant_sum:g} in all"
        raise BrokenContract(
            f"{game.spec}: payoffs are not what was promised, {low:g} to {high:g}{both},{where}"
        )
    if code == ENDLESS:
        raise LimitReached(f"a random game of {game.spec} did not end in {LONGEST_PLAYOUT:,} moves")


@dataclass(frozen=True)
class Playouts:
    """What many random games from one position came to."""

    games: int
    plies: int  # moves played; a game that fills its board at once counts all that filled it
    means: tuple[float, ...]  # payoff of each player, in the game's own scale
    errors: tuple[float, ...]  # standard error of each mean
    seconds: float

    @property
    def per_second(self) -> float:
        """Return games per second."""
        return self.games / self.seconds if self.seconds > 0 else 0.0


class PlayoutRunner:
    """Plays random games from a position, with buffers made once.

    `own=False` ignores the game's own fast playout and plays through its rules: the twin that
    the fast one is tested against.
    """

    def __init__(self, game: Game, seed: int = 0, *, own: bool = True) -> None:
        rules = game.rules
        self.game = game
        self.rng = stoppable(seed)
        self._tables = game.own_tables()
        self._batch = rules.batch if own else None
        self._kernel = ready(many_playouts) if game.compiled else plain(many_playouts)
        self._functions = calls_of(game), own and rules.playout is not None, self._tables
        self._buffer = np.empty(game.max_moves, np.int32)
        self._probabilities = np.empty(game.max_moves, np.float64)
        self._out = np.zeros(game.players, np.float64)

    def run(self, position: Position, games: int, seconds: float | None = None) -> Playouts:
        """Play `games` random games from `position`, or as many as end in so many seconds.

        A game that time interrupts counts for nothing; with no game ended, means are not numbers.
        """
        sums = np.zeros(self.game.players)
        squares = np.zeros(self.game.players)
        began = perf_counter()
        deadline = None if seconds is None else began + seconds
        with heeding(deadline, self.rng, HALT_AT):
            if self._batch is not None and not position.is_over:
                plies, ended = self._run_batches(position, games, sums, squares)
            else:
                plies, ended = self._run_one_by_one(position, games, sums, squares)
        took = perf_counter() - began
        refuse_failure(self.game, plies)
        if not ended:
            unknown = (float("nan"),) * self.game.players
            return Playouts(0, 0, unknown, unknown, took)
        means = sums / ended
        spread = np.sqrt(np.maximum(squares / ended - means**2, 0.0) / ended)
        return Playouts(ended, plies, tuple(means.tolist()), tuple(spread.tolist()), took)

    def _run_one_by_one(
        self, position: Position, games: int, sums: Reals, squares: Reals
    ) -> tuple[int, int]:
        """Play games; return moves played, or a failure, and how many games ended."""

        def some(count: int) -> tuple[int, int]:
            plies, ended = self._kernel(
                *self._functions, position.state, self.rng,
                self._buffer, self._probabilities, self._out, sums, squares, count,
            )  # fmt: skip
            return int(plies), int(ended)

        if self.game.compiled:
            return some(games)
        plies = 0
        for done in range(games):  # rules in plain Python may be left in the middle of a game
            try:
                length, ended = some(1)
            except TimeIsUp:
                return plies, done
            if length < 0 or not ended:
                return min(length, plies), done
            plies += length
        return plies, games

    def _run_batches(
        self, position: Position, games: int, sums: Reals, squares: Reals
    ) -> tuple[int, int]:
        """Play many games at once; return moves played, or a failure, and how many games ended."""
        if self._batch is None:
            raise BadParameter(f"{self.game.spec} does not play in batches")
        players = self.game.players
        states = np.tile(position.state, min(games, _BATCH))
        out = np.zeros(min(games, _BATCH) * players)
        plies = 0
        for begun in range(0, games, _BATCH):
            count = min(_BATCH, games - begun)
            played = int(self._batch(self._tables, states, count, self.rng, out))
            if played == HALTED:
                return plies, begun
            if played < 0:
                return played, begun
            plies += played
            # A row for each player: NumPy is slow at adding up rows of two or three numbers.
            paid = out[: count * players].reshape(count, players).T.copy()
            sums += paid.sum(axis=1)
            squares += (paid * paid).sum(axis=1)
        return plies, games


def playouts(
    start: Game | Position | str, games: int, seed: int = 0, *, own: bool = True
) -> Playouts:
    """Play `games` random games from a position and average what they pay."""
    if games < 1:
        raise BadParameter(f"bad number of games {games}: expected 1 or more")
    position = position_of(start)
    return PlayoutRunner(position.game, seed, own=own).run(position, games)
