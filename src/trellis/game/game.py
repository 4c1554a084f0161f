"""A game for people: facts about it, its compiled rules, names for its moves, boards as text."""

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from trellis._kernel.jit import direct
from trellis.game.bits import ALL, unmix
from trellis.game.errors import (
    BadParameter,
    BrokenContract,
    GameOver,
    IllegalMove,
    counted,
    nearest,
    shorten,
)
from trellis.game.hooks import game_called, way_to
from trellis.game.notation import Notation
from trellis.game.planes import Planes
from trellis.game.reading import Reading, check_of
from trellis.game.rules import CHANCE, NOBODY, Rules, State, Tables
from trellis.game.views import Views

Value = int | float | str | bool


@dataclass(frozen=True)
class Symmetry:
    """One way to map a game onto itself.

    `players[p]` is who player p becomes: (0, 1) for a mirror, (1, 0) where colours change.
    """

    name: str
    players: tuple[int, ...]


class Game(Notation, Reading):
    """Facts, rules and notation of one game.

    A game overrides `move_name` and `board`, and hands everything else to this constructor.

    players        how many, chance not counted
    payoff_range   the least and the greatest payoff any player can get
    constant_sum   what the payoffs of all players always add up to, or None
    state_words    64-bit words in a state
    max_moves      no position has more legal moves or chance outcomes
    move_codes     every move and outcome is a number from 0 to move_codes - 1
    max_plies      no game is longer, or None where a game may go on for ever
    symmetries     the identity first; empty where the game offers none
    group_names    names of the move groups, where the rules have `groups`
    notation       what a move looks like, for error messages: "a column, a to g"
    symbols        how each player is called, in one character where the board shows it
    pieces         the characters that are each player's pieces on the board, to be coloured;
                   the symbols unless the game says otherwise
    exact_key      no two positions share a key, whatever the rules' hash looks like: the key is
                   the position, packed and scrambled, and `words_of_key` takes it apart again
    identity       which bits of a state tell positions apart; all of them unless some follow from
                   the others, or do not matter to the future

    A search that proves something compares positions by `identity`, word by word, unless the key
    is exact: a hash of 64 bits would do nearly always, and a proof has to do always.
    """

    name: str = "game"
    notation: str = "a legal move"
    symbols: tuple[str, ...] = ("x", "o")
    pieces: tuple[str, ...] | None = None
    keeps_states = False  # whether a search had better keep positions than play moves again
    open_ends = False  # whether an end may leave open what it pays: `rules.bounds` tells
    works_in_tables = False  # whether the rules keep working memory in the tables
    # What matters to the future and keys leave out: no proof may merge two paths then, and other
    # searches only where `rules.candidates` and `rules.allowed` tell what the past forbids.
    forgets = ""
    hashed_past = ""  # why rules know of the past by hashes alone: nothing is proven then
    playout_is_uniform = True  # whether `playout` draws what `moves` lists with equal chances

    def __init__(
        self,
        rules: Rules,
        tables: Tables,
        *,
        parameters: Mapping[str, Value] | None = None,
        players: int = 2,
        payoff_range: tuple[float, float] = (-1.0, 1.0),
        constant_sum: float | None = 0.0,
        state_words: int,
        max_moves: int,
        move_codes: int,
        max_plies: int | None,
        symmetries: Sequence[Symmetry] = (),
        group_names: Sequence[str] = (),
        compiled: bool = True,
        exact_key: bool = False,
        identity: Sequence[Any] | State | None = None,
    ) -> None:
        self.rules = rules
        self.planes: Planes | None = None  # positions as numbers, for networks
        self._direct: tuple[Rules, Rules] | None = None
        self._tables = tables
        self._of_thread = threading.local()
        self.parameters = dict(parameters or {})
        self.players = players
        self.payoff_range = payoff_range
        self.constant_sum = constant_sum
        self.state_words = state_words
        self.max_moves = max_moves
        self.move_codes = move_codes
        self.max_plies = max_plies
        self.symmetries = tuple(symmetries)
        self.group_names = tuple(group_names)
        self.compiled = compiled
        self.exact_key = exact_key
        self.identity: State = (
            np.full(state_words, ALL) if identity is None else np.array(identity, np.uint64)
        )

    # -- facts that follow from the rules -------------------------------------------------

    @property
    def has_chance(self) -> bool:
        """Tell whether dice, cards or coins decide anything."""
        return self.rules.chances is not None

    @property
    def is_simultaneous(self) -> bool:
        """Tell whether several players may have to choose at the same moment."""
        return self.rules.actors is not None

    @property
    def spec(self) -> str:
        """Return the text that `trellis.load` turns into this game again: no defaults in it."""
        usual = _parameters_of(type(self).__init__)
        settings = ",".join(
            f"{name}={_plain_value(value)}"
            for name, value in self.parameters.items()
            if name not in usual or value != usual[name].default
        )
        if ":" in self.name:  # a class in a file of the user's
            return f"{self.name}({settings})" if settings else self.name
        return f"{self.name}:{settings}" if settings else self.name

    def __str__(self) -> str:
        return self.spec

    def __repr__(self) -> str:
        return f"<Game {self.spec}>"

    # -- positions ------------------------------------------------------------------------

    def start(self) -> "Position":
        """Return the position in which the game begins."""
        state = np.zeros(self.state_words, np.uint64)
        self.direct_rules.start(self.tables, state)
        return Position(self, state)

    def words_of_key(self, key: int) -> Sequence[int]:
        """Return the words that a key stands for, bits outside `identity` aside.

        A game with an exact key and several words overrides it.  Nothing but the contract calls
        it: that a key can be taken apart again shows that it is not a hash.
        """
        if not self.exact_key or self.state_words != 1:
            raise BrokenContract(f"{self.spec} does not say how to take its keys apart")
        return [unmix(key)]

    @property
    def tables(self) -> Tables:
        """Return the tables that this thread hands to the rules; see `own_tables`."""
        if not self.works_in_tables:
            return self._tables
        if not hasattr(self._of_thread, "tables"):
            self._of_thread.tables = self.own_tables()
        return self._of_thread.tables

    def own_tables(self) -> Tables:
        """Return tables for something that may move between threads, such as a search.

        Most games only read their tables.  Those that keep working memory in them get a copy of
        the tables as they were made, here, and one for each thread in `tables`.
        """
        if not self.works_in_tables:
            return self._tables
        return Tables(*(array.copy() for array in self._tables))

    @property
    def direct_rules(self) -> Rules:
        """Return the rules for callers who hand over arrays and tables of this very game."""
        if self._direct is None or self._direct[0] is not self.rules:
            ways: list[Any] = [rule and direct(rule) for rule in self.rules]
            self._direct = self.rules, Rules(*ways)
        return self._direct[1]

    def against_all(self, player: int, *, first: bool) -> "Game | None":
        """Return the game in which one player faces all the others, where the game has a way.

        `trellis.paranoid` wraps the rules of games that have none.
        """
        return None

    def grouping(self, name: str) -> "Game":
        """Return this game with move groups that it knows by name, where it knows some."""
        raise BadParameter(f"{self.spec} has no groups called {shorten(name)}")

    def with_playouts(self, name: str) -> "Game":
        """Return this game with random games of another kind, where it knows some by name.

        Nothing else differs: positions, keys and moves are the same, and so are the tables.
        """
        raise BadParameter(
            f"{self.spec} has no playouts called {shorten(name)}: expected own or rules"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self is other or (self._by_spec and other._by_spec and self.spec == other.spec)

    @property
    def _by_spec(self) -> bool:
        """Tell whether the spec says all; not so for objects of the user's."""
        return self.compiled

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> Any:
        if not self._by_spec:
            raise BadParameter(f"{self.spec} is an object of yours: expected a game with a name")
        return way_to(self.spec)


class Position(Views):
    """A position of a game, for people.  It never changes: `play` returns another one."""

    __slots__ = ("_acting", "_codes", "_origin", "_played", "_state", "game")

    def __init__(self, game: Game, state: State) -> None:
        self.game = game
        self._acting: int | None = None  # what rules were asked once they are not asked again
        self._codes: list[int] | None = None
        self._origin: Position | None = None  # where play began, and what was played since
        self._played: tuple[int, ...] = ()
        self._state = state.copy()  # the caller may go on writing to its own
        self._state.flags.writeable = False

    @property
    def state(self) -> State:
        """Return a copy of the words that are this position."""
        return self._state.copy()

    @property
    def acting(self) -> int:
        """Return the player to choose, `CHANCE`, or `NOBODY` when the game is over."""
        if self._acting is None:
            self._acting = int(self.game.direct_rules.acting(self.game.tables, self.state))
        return self._acting

    @property
    def actors(self) -> tuple[int, ...]:
        """Return all players who choose at this moment, hidden from each other."""
        if self.game.direct_rules.actors is None:
            return (self.acting,) if self.acting >= 0 else ()
        bits = int(self.game.direct_rules.actors(self.game.tables, self.state))
        return tuple(player for player in range(self.game.players) if bits >> player & 1)

    @property
    def is_over(self) -> bool:
        """Tell whether the game has ended."""
        return self.acting == NOBODY

    @property
    def is_chance(self) -> bool:
        """Tell whether chance decides what happens next."""
        return self.acting == CHANCE

    @property
    def key(self) -> int:
        """Return the 64-bit key of the position."""
        return int(self.game.direct_rules.key(self.game.tables, self.state))

    @property
    def view_key(self) -> int:
        """Return the key of what the acting player may know of the position."""
        view = self.game.direct_rules.view
        return self.key if view is None else int(view(self.game.tables, self.state))

    @property
    def code(self) -> str:
        """Return the position as text that `game.position` reads back."""
        words = "-".join(f"{int(word):x}" for word in self._state)
        return f"{words}.{check_of(self.game.spec, self._state)}"

    def move_codes(self) -> list[int]:
        """List the legal moves, or chance outcomes, as numbers."""
        if self._codes is None:
            count = 0
            buffer = np.empty(self.game.max_moves, np.int32)
            if not self.is_over:
                count = int(self.game.direct_rules.moves(self.game.tables, self.state, buffer))
            self._codes = buffer[:count].tolist()
        return [*self._codes]

    def moves(self) -> list[str]:
        """List the legal moves, or chance outcomes, by name."""
        return [self.name(move) for move in self.move_codes()]

    def chances(self) -> list[tuple[str, float]]:
        """List chance outcomes by name with their probabilities; empty unless chance acts."""
        if not self.is_chance:
            return []
        names = self.moves()
        return list(zip(names, self.probabilities(), strict=True))

    def probabilities(self) -> list[float]:
        """List the probabilities of the chance outcomes, in the order of `move_codes`."""
        chances = self.game.direct_rules.chances
        if chances is None or not self.is_chance:
            return []
        out = np.empty(self.game.max_moves, np.float64)
        chances(self.game.tables, self.state, out)
        return [float(each) for each in out[: len(self.move_codes())]]

    def moves_and_probabilities(self) -> list[tuple[int, float | None]]:
        """List moves, or chance outcomes, as numbers; each outcome with its probability."""
        codes = self.move_codes()
        drawn_with = self.probabilities() if self.is_chance else [None] * len(codes)
        return list(zip(codes, drawn_with, strict=True))

    def name(self, move: int) -> str:
        """Name one legal move or outcome of this position."""
        if self.is_chance:
            return self.game.outcome_name(self.state, move)
        return self.game.move_name(self.state, move)

    def code_of(self, name: str) -> int:
        """Return the number of the legal move called `name`; letter case is ignored."""
        wanted = name.strip().casefold()
        names = {}
        for move in self.move_codes():
            called = self.name(move).casefold()
            if called == wanted:
                return move
            names[called] = move
        if not names:
            raise GameOver(f"no move {shorten(name)}: the game of {self.game.spec} is over")
        expected = "an outcome" if self.is_chance else self.game.notation
        raise IllegalMove(
            f"illegal move {shorten(name)} for {self.actor_name()} in {self.game.spec}: expected "
            f"{expected}, for instance {next(iter(names))!r}{nearest(wanted, names)}"
        )

    def play(self, *moves: str | int) -> "Position":
        """Play moves, by name or by number, one after the other; return where they lead."""
        position = self
        for move in moves:
            position = position._after(move)
        return position

    def _after(self, move: str | int) -> "Position":
        if isinstance(move, str):
            code = self.code_of(move)
        elif isinstance(move, bool) or not isinstance(move, int | np.integer):
            raise IllegalMove(f"illegal move {shorten(str(move))}: expected a name or a number")
        else:
            code = int(move)
            if code not in self.move_codes():
                raise IllegalMove(
                    f"illegal move {code} for {self.actor_name()} in {self.game.spec}: expected "
                    f"one of {counted(len(self.move_codes()), 'legal move')}"
                )
        state = self.state
        self.game.direct_rules.play(self.game.tables, state, code)
        after = Position(self.game, state)
        after._origin, after._played = self._origin or self, (*self._played, code)
        return after

    def payoffs(self) -> tuple[float, ...]:
        """Return what each player gets; only where the game is over."""
        if not self.is_over:
            raise BadParameter(f"no payoffs yet: the game of {self.game.spec} is not over")
        out = np.zeros(self.game.players, np.float64)
        self.game.direct_rules.payoffs(self.game.tables, self.state, out)
        return tuple(float(payoff) for payoff in out)

    def actor_name(self) -> str:
        """Name who acts: a player, "chance", or "nobody"."""
        acting = self.acting
        if acting == CHANCE:
            return "chance"
        return "nobody" if acting == NOBODY else self.game.player_name(acting)

    def image(self, index: int) -> "Position":
        """Return this position seen through the game's symmetry number `index`."""
        transform = self.game.rules.transform
        if transform is None or not 0 <= index < len(self.game.symmetries):
            raise BadParameter(
                f"no symmetry {index}: {self.game.spec} offers {len(self.game.symmetries)}"
            )
        out = np.zeros(self.game.state_words, np.uint64)
        transform(self.game.tables, self.state, index, out)
        return Position(self.game, out)

    def canonical_key(self) -> int:
        """Return a key that all symmetric images of this position share."""
        if not self.game.symmetries:
            return self.key
        return min(self.image(index).key for index in range(len(self.game.symmetries)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and bool(np.array_equal(self._state, other._state))

    def __hash__(self) -> int:
        return hash((self.game.spec, self._state.tobytes()))

    def __str__(self) -> str:
        return self.game.board(self.state)

    def __repr__(self) -> str:
        return f"<Position of {self.game.spec}: {self.code}>"


def game_of(game: "Game | str") -> Game:
    """Return a game as it is, or the one of a name."""
    found = game_called(game) if isinstance(game, str) else game
    if not isinstance(found, Game):
        raise BadParameter(
            f"bad game {shorten(str(game))}: expected a game or its name, for instance connect_four"
        )
    return found


def position_of(start: "Game | Position | str") -> Position:
    """Return where to begin: a position as it is, of a game, or of its name, the first one."""
    if isinstance(start, str):
        start = game_called(start) or start
    if isinstance(start, Game):
        return start.start()
    if not isinstance(start, Position):
        raise BadParameter(
            f"bad start {shorten(str(start))}: expected a game or a position, for instance "
            'load("tic_tac_toe")'
        )
    return start


@cache
def _parameters_of(make: Callable[..., None]) -> Mapping[str, inspect.Parameter]:
    """Return what a class of games can be told; asked for with every position that is printed."""
    return inspect.signature(make).parameters


def _plain_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
