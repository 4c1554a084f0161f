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
    to_int,
    uniform,
    unmix,
)
from trellis.game.boards import SQUARE_SYMMETRIES, draw_board, pieces_on, square_images
from trellis.game.common_rules import (
    list_bits,
    mapped_bits,
    packed_places,
    pay_winner,
    pick,
    rule,
    runs,
    start_empty,
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
    "MOVES", "NOBODY", "ONE", "PAYOFFS", "PLAY", "PLAYOUT", "SQUARE_SYMMETRIES", "START",
    "TRANSFORM", "VIEW", "ZERO", "BadParameter", "Game", "Rules", "State", "Symmetry", "Tables",
    "below", "draw_board", "hash_pair", "hash_words", "is_halted", "kernel", "key_of_words",
    "list_bits", "lowest_bit", "mapped_bits", "mix", "nth_bit", "packed_places", "pay_winner",
    "pick", "pieces_on", "popcount", "random_bit", "rule", "runs", "square_images", "start_empty",
    "tables", "to_int", "uniform", "unmix",
]  # fmt: skip
