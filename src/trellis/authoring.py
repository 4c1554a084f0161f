"""Everything needed to write a compiled game, in one place: `from trellis.authoring import …`.

`docs/your-own-game.md` shows how; `game/rules.py` explains the functions.
"""

from trellis._kernel.jit import kernel
from trellis.game.bits import (
    GOLDEN,
    ONE,
    ZERO,
    below,
    hash_pair,
    hash_words,
    key_of_words,
    lowest_bit,
    mix,
    nth_bit,
    popcount,
    random_bit,
    uniform,
)
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Symmetry
from trellis.game.halting import HALTED, is_halted
from trellis.game.rules import (
    ACTING,
    ACTORS,
    CHANCE,
    CHANCES,
    GROUPS,
    KEY,
    MAP_MOVE,
    MOVES,
    NOBODY,
    PAYOFFS,
    PLAY,
    PLAYOUT,
    START,
    TRANSFORM,
    VIEW,
    Rules,
    State,
    Tables,
    tables,
)

__all__ = [
    "ACTING", "ACTORS", "CHANCE", "CHANCES", "GOLDEN", "GROUPS", "HALTED", "KEY", "MAP_MOVE",
    "MOVES", "NOBODY", "ONE", "PAYOFFS", "PLAY", "PLAYOUT", "START", "TRANSFORM", "VIEW",
    "ZERO", "BadParameter", "Game", "Rules", "State", "Symmetry", "Tables", "below", "hash_pair",
    "hash_words", "is_halted", "kernel", "key_of_words", "lowest_bit", "mix", "nth_bit", "popcount",
    "random_bit", "tables", "uniform",
]  # fmt: skip
