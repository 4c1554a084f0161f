"""A game written as a plain Python class, made to look like any other game.

The class needs four methods; its states may be anything hashable:

    start()               the first state
    moves(state)          legal moves of who acts; empty when the game is over
    play(state, move)     the state after a move; never changes `state`
    payoffs(state)        one number a player once it is over (or one number: the first player's,
                          the second gets its negative; a lone player gets it as it is)

and may have more:

    players, payoff_range, constant_sum, max_moves, max_plies, symbols      attributes
    acting(state)         who acts: a player, CHANCE, or a set of players who choose at once (such
                          a class says simultaneous = True); None or an empty set when it is over;
                          without it players take turns
    chances(state)        probabilities of the moves, where chance acts
    bounds(state)         what each player gets at least and at most: (low, high) for each; also at
                          the end, where it says how far the payoffs can be relied on
    board(state), move_name(state, move)                                    for people

Where `acting` returns a set, `moves` is asked as moves(state, player) and `play` gets a
dictionary {player: move}.
"""

import threading
import traceback
from collections.abc import Callable, Hashable, Mapping
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trellis._kernel.deadline import look
from trellis.game.bits import GOLDEN, below, key_of_words, uniform, unmix
from trellis.game.errors import (
    BrokenContract,
    IllegalMove,
    LimitReached,
    TrellisError,
    counted,
    shorten,
)
from trellis.game.game import Game, Position, Value
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT, STUCK
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

DEFAULT_MAX_MOVES = 1024
MAX_MOVE_CODES = 1 << 20
_LARGEST = 1e100  # payoff, and one by the narrowest range of payoffs
_TOLERANCE = 1e-9  # of probabilities that add up to 1
REQUIRED = ("start", "moves", "play", "payoffs")


_NOT_HASHABLE = "expected something hashable, such as a number, a string or a tuple"


def _careful(own: Any, name: str) -> Callable[..., Any]:
    """Wrap a method of the user's, so that its errors say where in *their* file they arose."""
    method = getattr(own, name)

    def ask(*arguments: Any) -> Any:
        try:
            return method(*arguments)
        except TrellisError:
            raise
        except (Exception, SystemExit) as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            raise BrokenContract(
                f"{type(own).__name__}.{name} raised {type(error).__name__}: {_told(error)} "
                f"({Path(frame.filename).name}, line {frame.lineno})"
            ) from error

    return ask


def _told(error: BaseException) -> str:
    """Return what an error says; it may be one of the user's own, which cannot say it."""
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - whatever it is
        return "an error that cannot be written"


def _facts(own: Any) -> tuple[int, tuple[float, float]]:
    """Read the number of players and the range of payoffs off the user's object."""
    try:
        players = int(getattr(own, "players", 2))
        low, high = (float(end) for end in getattr(own, "payoff_range", (-1.0, 1.0)))
    except (TypeError, ValueError):
        players, low, high = 0, 0.0, 0.0
    # Searches divide by the width of the range and multiply by it: both must be numbers.
    extreme = max(abs(low), abs(high)) > _LARGEST or not high - low > 1.0 / _LARGEST
    if players < 1 or not np.isfinite([low, high]).all() or extreme:
        raise BrokenContract(
            f"{type(own).__name__}: expected players, a number of 1 or more, and payoff_range, "
            "the least and the greatest payoff"
        )
    return players, (low, high)


def _whole(own: Any, name: str, usual: int | None) -> int | None:
    """Read a count off the user's object."""
    told = getattr(own, name, usual)
    if told is None and usual is None:
        return None
    if not isinstance(told, int | np.integer) or isinstance(told, bool) or told < 0:
        raise BrokenContract(
            f"{type(own).__name__}: {name} is {shorten(str(told))}: expected a whole number, "
            "0 or more"
        )
    return int(told)


def _sum(own: Any, players: int) -> float | None:
    """Read what payoffs are said to add up to off the user's object."""
    told = getattr(own, "constant_sum", 0.0 if players == 2 else None)
    try:
        total = None if told is None else float(told)
    except (TypeError, ValueError):
        total = nan
    if total is not None and not isfinite(total):
        raise BrokenContract(
            f"{type(own).__name__}: constant_sum is {shorten(str(told))}: expected a number, or "
            "None where payoffs do not add up to a constant"
        )
    return total


class _Moment(NamedTuple):
    """A state of the user's, whose turn it is, and the hidden choices made at this moment."""

    state: Hashable
    turn: int
    chosen: tuple[Hashable, ...] = ()


class _Interned:
    """Numbers for hashable things, in order of appearance."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._numbers: dict[Hashable, int] = {}
        self._adding = threading.RLock()

    def number(self, item: Hashable) -> int:
        """Return the number of an item, giving it the next one if it is new."""
        try:
            found = self._numbers.get(item)
        except TypeError:
            raise BrokenContract(
                f"{shorten(str(item), 80)} cannot be a state or a move: {_NOT_HASHABLE}"
            ) from None
        except Exception as error:
            raise BrokenContract(
                f"a state or a move that is compared raised {type(error).__name__}: {_told(error)}"
            ) from error
        if found is None:
            with self._adding:  # else two threads might give one number to two items
                found = self._numbers.get(item)
                if found is None:
                    found = len(self.items)
                    self.items.append(item)  # first: who finds a number finds its item
                    self._numbers[item] = found
        return found


class PythonGame(Game):
    """Wraps a user's object; its states become numbers, so that one word holds a position."""

    def __init__(self, own: Any, parameters: Mapping[str, Value] | None = None) -> None:
        missing = [name for name in REQUIRED if not callable(getattr(own, name, None))]
        if missing:
            raise BrokenContract(
                f"{type(own).__name__} lacks {', '.join(missing)}: a game needs the methods "
                f"{', '.join(REQUIRED)}"
            )
        players, (low, high) = _facts(own)
        self.own = own
        self.name = str(getattr(own, "name", type(own).__name__))
        self.symbols = tuple(map(str, getattr(own, "symbols", None) or ("x", "o")))
        self.notation = str(getattr(own, "notation", "a legal move"))
        self._start, self._own_moves, self._own_play, self._own_payoffs = (
            _careful(own, name) for name in REQUIRED
        )
        self._acting = _careful(own, "acting") if hasattr(own, "acting") else None
        self._chances = _careful(own, "chances") if hasattr(own, "chances") else None
        self._bounds = _careful(own, "bounds") if hasattr(own, "bounds") else None
        # What an end pays may be open wherever `bounds` is asked about it.
        self.open_ends = self._bounds is not None
        self._simultaneous = self._acting is not None and bool(getattr(own, "simultaneous", False))
        self._moments = _Interned()
        self._moves = _Interned()
        super().__init__(
            self._rules(),
            tables(),
            parameters=parameters,
            players=players,
            payoff_range=(low, high),
            constant_sum=_sum(own, players),
            state_words=1,
            max_moves=_whole(own, "max_moves", DEFAULT_MAX_MOVES) or 0,
            move_codes=MAX_MOVE_CODES,
            max_plies=_whole(own, "max_plies", None),
            compiled=False,
            exact_key=True,  # one word, and hashing one word loses nothing
        )

    def position_of(self, own_state: Hashable) -> Position:
        """Return the position that a state of the user's is, with player 0 first to choose."""
        return Position(self, np.array([self._moments.number(_Moment(own_state, 0))], np.uint64))

    def words_of_key(self, key: int) -> list[int]:
        """Take a key apart: undo `key_of_words`."""
        return [unmix((key - int(GOLDEN)) % (1 << 64)) ^ int(GOLDEN)]

    # -- the user's object, asked in one place each -------------------------------------------

    def _who(self, moment: _Moment) -> tuple[int, ...]:
        """Return who chooses at this moment: several players, one, (CHANCE,), or nobody: ()."""
        if self._acting is None:
            return (moment.turn,) if self._listed(moment.state) else ()
        acting = self._acting(moment.state)
        if acting is None:
            return ()
        if not isinstance(acting, int | np.integer):
            try:
                who = tuple(sorted(int(player) for player in acting))
            except (TypeError, ValueError):
                raise self._nobody_acts(acting) from None
            if who and not self._simultaneous:
                raise BrokenContract(
                    f"{self.name}: acting returned {acting!r}: a game in which a set of players "
                    "chooses at once must say simultaneous = True"
                )
            if who and not 0 <= who[0] <= who[-1] < self.players:
                raise self._nobody_acts(acting)
            return who
        if acting == NOBODY or not self._listed(moment.state):
            return ()
        if acting == CHANCE:
            if self._chances is None:
                raise BrokenContract(f"{self.name}: chance acts, but there is no method `chances`")
        elif not 0 <= acting < self.players:
            raise self._nobody_acts(acting)
        return (int(acting),)

    def _nobody_acts(self, told: Any) -> BrokenContract:
        return BrokenContract(
            f"{self.name}: acting returned {shorten(str(told))}: expected a player, 0 to "
            f"{self.players - 1}, CHANCE, or a set of players"
        )

    def _listed(self, *arguments: Any) -> list[Hashable]:
        told = self._own_moves(*arguments)
        try:
            return list(told)
        except TypeError:
            raise BrokenContract(
                f"{self.name}: moves returned {shorten(str(told))}: expected a list"
            ) from None

    def _legal(self, moment: _Moment, who: tuple[int, ...]) -> list[Hashable]:
        if self._gathers(moment):
            return self._listed(moment.state, who[len(moment.chosen)])
        return self._listed(moment.state)

    def _gathers(self, moment: _Moment) -> bool:
        """Tell whether `acting` returned a set here, so that choices are gathered."""
        if not self._simultaneous or self._acting is None:
            return False
        return not isinstance(self._acting(moment.state), int | np.integer | None)

    def _after(self, moment: _Moment, who: tuple[int, ...], move: Hashable) -> _Moment:
        if self._gathers(moment):
            chosen = (*moment.chosen, move)
            if len(chosen) < len(who):
                return moment._replace(chosen=chosen)
            state = self._own_play(moment.state, dict(zip(who, chosen, strict=True)))
        else:
            state = self._own_play(moment.state, move)
        # With an `acting` of its own the state knows whose turn it is; ours would split positions.
        turn = (moment.turn + 1) % self.players if self._acting is None else 0
        return _Moment(state, turn)

    def _pay(self, moment: _Moment, out: Reals) -> None:
        payoffs = self._own_payoffs(moment.state)
        if isinstance(payoffs, int | float | np.number) and self.players <= 2:
            payoffs = (payoffs, -payoffs)[: self.players]
        try:
            each = [float(payoff) for payoff in payoffs]
        except (TypeError, ValueError):
            each = []
        if len(each) != self.players:
            raise BrokenContract(
                f"{self.name}: payoffs returned {shorten(str(payoffs))}: expected one number for "
                f"each of {self.players} players"
            )
        out[: self.players] = each

    def _bound(self, told: Any, out: Reals) -> None:
        least, greatest = self.payoff_range
        try:
            pairs = [(max(float(low), least), min(float(high), greatest)) for low, high in told]
        except (TypeError, ValueError):
            pairs = []
        if len(pairs) != self.players or not all(low <= high for low, high in pairs):
            raise BrokenContract(
                f"{self.name}: bounds returned {shorten(str(told))}: expected the least and the "
                f"greatest payoff of each of {self.players} players"
            )
        out[: 2 * self.players] = [end for pair in pairs for end in pair]

    def _probabilities(self, moment: _Moment, count: int) -> list[float]:
        told = self._chances(moment.state) if self._chances is not None else ()
        try:
            probabilities = [float(each) for each in told]
        except (TypeError, ValueError):
            raise BrokenContract(
                f"{self.name}: chances returned {shorten(str(told))}: expected numbers"
            ) from None
        if len(probabilities) != count:
            raise BrokenContract(
                f"{self.name}: {len(probabilities)} probabilities for {counted(count, 'move')}"
            )
        if not (min(probabilities) >= 0.0 and abs(sum(probabilities) - 1.0) < _TOLERANCE):
            raise BrokenContract(
                f"{self.name}: chances returned {shorten(str(told))}: expected probabilities, "
                "which add up to 1"
            )
        return probabilities

    # -- the same as functions on words ---------------------------------------------------------

    def _rules(self) -> Rules:
        moments, codes = self._moments, self._moves

        def at(state: State) -> _Moment:
            moment: _Moment = moments.items[int(state[0])]
            return moment

        def start(tables: Tables, state: State) -> None:
            state[0] = moments.number(_Moment(self._start(), 0))

        def acting(tables: Tables, state: State) -> int:
            moment = at(state)
            who = self._who(moment)
            return who[len(moment.chosen)] if who else NOBODY

        def moves(tables: Tables, state: State, out: Moves) -> int:
            moment = at(state)
            legal = self._legal(moment, self._who(moment))
            if len(legal) > self.max_moves:
                raise BrokenContract(
                    f"{self.name} has {counted(len(legal), 'move')} in a position; "
                    f"set max_moves above {self.max_moves}"
                )
            for i, move in enumerate(legal):
                out[i] = codes.number(move)
                if out[i] >= MAX_MOVE_CODES:
                    raise LimitReached(
                        f"{self.name} has made more than {MAX_MOVE_CODES:,} different moves: "
                        "expected moves that come again, such as a cell, without the position"
                    )
            if len(set(legal)) < len(legal):
                raise BrokenContract(
                    f"{self.name}: moves returned {shorten(str(legal))}: expected every move once"
                )
            return len(legal)

        def play(tables: Tables, state: State, move: int) -> None:
            moment = at(state)
            if not 0 <= move < len(codes.items):
                raise IllegalMove(f"illegal move {move} in {self.name}: expected a legal move")
            state[0] = moments.number(self._after(moment, self._who(moment), codes.items[move]))

        def payoffs(tables: Tables, state: State, out: Reals) -> None:
            self._pay(at(state), out)

        def chances(tables: Tables, state: State, out: Reals) -> None:
            moment = at(state)
            probabilities = self._probabilities(moment, len(self._legal(moment, (CHANCE,))))
            out[: len(probabilities)] = probabilities

        def bounds(tables: Tables, state: State, out: Reals) -> None:
            moment = at(state)
            out[::2], out[1::2] = self.payoff_range
            if self._bounds is not None and not moment.chosen:
                self._bound(self._bounds(moment.state), out)

        def actors(tables: Tables, state: State) -> int:
            return sum(1 << player for player in self._who(at(state)) if player >= 0)

        def view(tables: Tables, state: State) -> int:
            # Number the moment by how many have chosen, not by what.
            moment = at(state)
            if not moment.chosen:
                return int(key_of_words(tables, state))
            hidden = moments.number(moment._replace(chosen=(_HIDDEN,) * len(moment.chosen)))
            return int(key_of_words(tables, np.array([hidden], np.uint64)))

        def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
            """Play on the user's own states: interning every state of a playout would hoard."""
            moment, plies = at(state), 0
            while who := self._who(moment):
                look()  # a move may take long: no time for one more?
                legal = self._legal(moment, who)
                if not legal:
                    return STUCK
                if who == (CHANCE,):
                    sums = np.cumsum(self._probabilities(moment, len(legal)))
                    drawn = int(np.searchsorted(sums, uniform(rng), side="right"))
                    index = min(drawn, len(legal) - 1)
                else:
                    index = below(rng, len(legal))
                moment = self._after(moment, who, legal[index])
                plies += 1
                if plies >= LONGEST_PLAYOUT:
                    return ENDLESS
            state[0] = moments.number(moment)
            self._pay(moment, out)
            return plies

        return Rules(
            start, acting, moves, play, payoffs, key_of_words,
            chances=chances if self._chances is not None else None,
            actors=actors if self._simultaneous else None,
            view=view if self._simultaneous else None,
            playout=playout,
            bounds=bounds if self._bounds is not None else None,
        )  # fmt: skip

    # -- for people --------------------------------------------------------------------------------

    def move_name(self, state: State, move: int) -> str:
        """Ask the user's class; without an answer, the move as text with spaces left out."""
        own_move = self._moves.items[move]
        if hasattr(self.own, "move_name"):
            return str(
                _careful(self.own, "move_name")(self._moments.items[int(state[0])].state, own_move)
            )
        return "".join(str(own_move).split())

    def board(self, state: State) -> str:
        """Ask the user's class; without an answer, the state as text."""
        moment = self._moments.items[int(state[0])]
        drawn = hasattr(self.own, "board")
        return str(_careful(self.own, "board")(moment.state) if drawn else moment.state)


_HIDDEN = "?"
