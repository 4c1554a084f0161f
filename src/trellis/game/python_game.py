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
    shorten,
)
from trellis.game.game import Game, Value
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT, STUCK
from trellis.game.rules import CHANCE, NOBODY, Moves, Random, Reals, Rules, State, Tables, tables

DEFAULT_MAX_MOVES = 1024
MAX_MOVE_CODES = 1 << 20
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
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            raise BrokenContract(
                f"{type(own).__name__}.{name} raised {type(error).__name__}: {error} "
                f"({Path(frame.filename).name}, line {frame.lineno})"
            ) from error

    return ask


def _facts(own: Any) -> tuple[int, tuple[float, float]]:
    """Read the number of players and the range of payoffs off the user's object."""
    try:
        players = int(getattr(own, "players", 2))
        low, high = (float(end) for end in getattr(own, "payoff_range", (-1.0, 1.0)))
    except (TypeError, ValueError):
        players, low, high = 0, 0.0, 0.0
    if players < 1 or not np.isfinite([low, high]).all() or not low < high:
        raise BrokenContract(
            f"{type(own).__name__}: expected players, a number of 1 or more, and payoff_range, "
            "the least and the greatest payoff"
        )
    return players, (low, high)


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
        self.symbols = tuple(getattr(own, "symbols", ("x", "o")))
        self.notation = str(getattr(own, "notation", "a legal move"))
        self._start, self._own_moves, self._own_play, self._own_payoffs = (
            _careful(own, name) for name in REQUIRED
        )
        self._acting = _careful(own, "acting") if hasattr(own, "acting") else None
        self._chances = _careful(own, "chances") if hasattr(own, "chances") else None
        self._bounds = _careful(own, "bounds") if hasattr(own, "bounds") else None
        self._simultaneous = self._acting is not None and bool(getattr(own, "simultaneous", False))
        self._moments = _Interned()
        self._moves = _Interned()
        super().__init__(
            self._rules(),
            tables(),
            parameters=parameters,
            players=players,
            payoff_range=(low, high),
            constant_sum=getattr(own, "constant_sum", 0.0 if players == 2 else None),
            state_words=1,
            max_moves=int(getattr(own, "max_moves", DEFAULT_MAX_MOVES)),
            move_codes=MAX_MOVE_CODES,
            max_plies=getattr(own, "max_plies", None),
            compiled=False,
            exact_key=True,  # one word, and hashing one word loses nothing
        )

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
            who = tuple(sorted(int(player) for player in acting))
            if who and not self._simultaneous:
                raise BrokenContract(
                    f"{self.name}: acting returned {acting!r}: a game in which a set of players "
                    "chooses at once must say simultaneous = True"
                )
            return who
        return (int(acting),) if acting != NOBODY and self._listed(moment.state) else ()

    def _listed(self, *arguments: Any) -> list[Hashable]:
        return list(self._own_moves(*arguments))

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

    def _probabilities(self, moment: _Moment, count: int) -> list[float]:
        if self._chances is None:
            raise BrokenContract(f"{self.name}: chance acts, but there is no method `chances`")
        told = self._chances(moment.state)
        try:
            shares = [float(share) for share in told]
        except (TypeError, ValueError):
            raise BrokenContract(
                f"{self.name}: chances returned {shorten(repr(told))}: expected numbers"
            ) from None
        if len(shares) != count:
            raise BrokenContract(f"{self.name}: {len(shares)} probabilities for {count} moves")
        return shares

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
                    f"{self.name} has {len(legal)} moves in a position; "
                    f"set max_moves above {self.max_moves}"
                )
            for i, move in enumerate(legal):
                out[i] = codes.number(move)
                if out[i] >= MAX_MOVE_CODES:
                    raise LimitReached(
                        f"{self.name} has made more than {MAX_MOVE_CODES:,} different moves: "
                        "expected moves that come again, such as a cell, without the position"
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
            shares = self._probabilities(moment, len(self._legal(moment, (CHANCE,))))
            out[: len(shares)] = shares

        def bounds(tables: Tables, state: State, out: Reals) -> None:
            moment = at(state)
            pairs = self._bounds(moment.state) if self._bounds and not moment.chosen else ()
            out[::2], out[1::2] = self.payoff_range
            for player, (low, high) in enumerate(pairs):
                out[2 * player], out[2 * player + 1] = low, high

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
                    shares = np.cumsum(self._probabilities(moment, len(legal)))
                    drawn = int(np.searchsorted(shares, uniform(rng), side="right"))
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
        named = getattr(self.own, "move_name", None)
        if named is not None:
            return str(named(self._moments.items[int(state[0])].state, own_move))
        return "".join(str(own_move).split())

    def board(self, state: State) -> str:
        """Ask the user's class; without an answer, the state as text."""
        moment = self._moments.items[int(state[0])]
        drawn = getattr(self.own, "board", None)
        return str(drawn(moment.state) if drawn is not None else moment.state)


_HIDDEN = "?"
