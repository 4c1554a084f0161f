"""Playouts that mark moves, watched: the same function in plain Python, move by move."""

from types import FunctionType
from typing import Any

import numpy as np

from trellis.game.game import Game
from trellis.game.rules import State, words_of_codes


def deeply_plain(function: Any, done: dict[Any, Any] | None = None) -> Any:
    """Return the Python function behind a kernel, with all kernels it calls as plain ones."""
    done = {} if done is None else done
    own = getattr(function, "py_func", function)
    if own not in done:
        names = dict(own.__globals__)
        done[own] = FunctionType(own.__code__, names, own.__name__, own.__defaults__)
        for name in own.__code__.co_names:
            if hasattr(names.get(name), "py_func"):
                names[name] = deeply_plain(names[name], done)
    return done[own]


class Marks:
    """Words of marks that remember in which order bits were set, and those set again."""

    def __init__(self, size: int) -> None:
        self.words = np.zeros(size, np.uint64)
        self.order: list[tuple[int, int]] = []  # a word and a bit of it

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word: int) -> "_Word":
        return _Word(self, int(word))

    def __setitem__(self, word: int, value: np.uint64) -> None:
        self.words[int(word)] = value


class _Word:
    def __init__(self, marks: Marks, word: int) -> None:
        self.marks, self.word = marks, word

    def __or__(self, bits: np.uint64) -> np.uint64:
        assert int(bits).bit_count() == 1, "a move at a time"
        self.marks.order.append((self.word, int(bits).bit_length() - 1))
        return self.marks.words[self.word] | bits


def watched_playout(
    game: Game, playout: Any, state: State, rng: Any
) -> tuple[list[tuple[int, int]], int, list[float], list[int]]:
    """Play out in plain Python; return who made which move in order, plies, payoffs, the marks.

    `state` and `rng` are changed as the kernel changes them.
    """
    words = words_of_codes(game.move_codes)
    marks, out = Marks(game.players * words), np.zeros(game.players)
    buffer = np.zeros(game.max_moves, np.int32)
    with np.errstate(over="ignore"):
        plies = deeply_plain(playout)(game.own_tables(), state, rng, buffer, marks, out)
    made = [(word // words, 64 * (word % words) + bit) for word, bit in marks.order]
    return made, int(plies), out.tolist(), marks.words.tolist()
