"""What all games made from games share: words behind those of the inner game, closures."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numba
import numpy as np

from trellis._kernel.jit import JIT_DISABLED
from trellis.game.bits import ALL, ZERO
from trellis.game.game import Game
from trellis.game.rules import SIGNATURES, Moves, Reals, Rules, State, Tables

F = TypeVar("F")
# What a game made from another has in common with it, unless something else is said.
_SAME_FACTS = (
    "parameters", "players", "payoff_range", "constant_sum", "state_words", "max_moves",
    "move_codes", "max_plies", "compiled",
)  # fmt: skip
_SAME_WORDS = (
    "works_in_tables",
    "open_ends",
    "forgets",
    "hashed_past",
    "name",
    "notation",
    "symbols",
)


class Reduction(Game):
    """A game that wraps another and borrows its notation."""

    def __init__(
        self, inner: Game, label: str, rules: Rules, own: Tables | None = None, **facts: Any
    ) -> None:
        known = {name: getattr(inner, name) for name in _SAME_FACTS}
        added = int(facts.get("state_words", inner.state_words)) - inner.state_words
        known["identity"] = [*inner.identity, *[ALL] * added]
        super().__init__(rules, inner.own_tables() if own is None else own, **(known | facts))
        self.inner, self.label = inner, label
        for name in _SAME_WORDS:
            setattr(self, name, getattr(inner, name))

    @property
    def _by_spec(self) -> bool:
        return False  # the spec does not say how the game was wrapped

    @property
    def spec(self) -> str:
        """Return the name of the game in the name of the reduction: `unfolded(nim)`."""
        return f"{self.label}({self.inner.spec})"

    def move_name(self, state: State, move: int) -> str:
        """Name a move as the inner game does."""
        return self.inner.move_name(self._inside(state), move)

    def outcome_name(self, state: State, move: int) -> str:
        """Name an outcome as the inner game does."""
        return self.inner.outcome_name(self._inside(state), move)

    def board(self, state: State) -> str:
        """Draw the inner position."""
        return self.inner.board(self._inside(state))

    def player_name(self, player: int) -> str:
        """Name a player as the inner game does."""
        return self.inner.player_name(player)

    def words_of_key(self, key: int) -> Sequence[int]:
        """Take a key apart as the inner game does."""
        return self.inner.words_of_key(key)

    def _inside(self, state: State) -> State:
        return state[: self.inner.state_words].copy()


# What holds of the inner game alone.
LEFT_OUT: dict[str, Any] = dict.fromkeys(
    ("transform", "map_move", "batch", "marked_playout", "candidates", "allowed", "hint")
)
_made: dict[tuple[object, ...], Rules] = {}


def compiled(rules: Rules, compile_them: bool, *captured: object) -> Rules:
    """Compile closures to the fixed signatures; without a cache, since closures have no name.

    `captured` is all that the closures depend on, where that can be said: games that differ in
    their tables alone then share what was compiled.
    """
    if not compile_them or JIT_DISABLED:
        return rules
    if captured and captured in _made:
        return _made[captured]
    done: list[Any] = []
    for function, signature in zip(rules, SIGNATURES, strict=True):
        ready = function is None or hasattr(function, "py_func")
        done.append(function if ready else numba.njit(signature, nogil=True)(function))
    if captured:
        _made[captured] = Rules(*done)
    return Rules(*done)


def helper(function: F, compile_it: bool) -> F:
    """Compile a closure that closures of the rules call."""
    return numba.njit(nogil=True)(function) if compile_it and not JIT_DISABLED else function


def on_inner_words(inner: Game, added: np.uint64 = ZERO) -> Rules:
    """Wrap every function that only looks at or changes the inner words.

    At the start all words behind them are `added`.
    """
    words = inner.state_words
    start_, acting_, moves_, payoffs_, chances_, actors_, bounds_ = (
        inner.rules.start, inner.rules.acting, inner.rules.moves, inner.rules.payoffs,
        inner.rules.chances, inner.rules.actors, inner.rules.bounds,
    )  # fmt: skip

    def start(tables: Tables, state: State) -> None:
        start_(tables, state[:words])
        state[words:] = added

    def acting(tables: Tables, state: State) -> int:
        return acting_(tables, state[:words])

    def moves(tables: Tables, state: State, out: Moves) -> int:
        return moves_(tables, state[:words], out)

    def payoffs(tables: Tables, state: State, out: Reals) -> None:
        payoffs_(tables, state[:words], out)

    def chances(tables: Tables, state: State, out: Reals) -> None:
        chances_(tables, state[:words], out)  # type: ignore[misc]

    def actors(tables: Tables, state: State) -> int:
        return actors_(tables, state[:words])  # type: ignore[misc]

    def bounds(tables: Tables, state: State, out: Reals) -> None:
        bounds_(tables, state[:words], out)  # type: ignore[misc]

    return Rules(
        start, acting, moves, inner.rules.play, payoffs, inner.rules.key,
        chances=chances if chances_ is not None else None,
        actors=actors if actors_ is not None else None,
        bounds=bounds if bounds_ is not None else None,
    )  # fmt: skip
