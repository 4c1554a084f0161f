"""The one seam between the referee of Go and searches: the position that a player is shown.

The referee remembers every board.  Searches forget, so that positions that were reached in several
ways are one: they know the point that a ko forbids now, and simple ko from there on.  What else
repetition forbids at the root is left out of the answer by whoever asks (`thinking`).
"""

from functools import lru_cache

import numpy as np

from trellis.game.game import Position
from trellis.games.go import board as b
from trellis.games.go.game import Go
from trellis.protocols.gtp.go_board import PASS, GoBoard
from trellis.protocols.gtp.rulesets import Ruleset


@lru_cache(maxsize=32)
def search_game(rows: int, columns: int, komi: float, suicide: bool) -> Go:
    """Return the game that searches play."""
    size = max(rows, columns)
    return Go(
        board_size=size, rows=rows if rows < size else 0, komi=komi, suicide=suicide,
        columns=columns if columns < size else 0, superko="simple",
    )  # fmt: skip


def search_position(
    board: GoBoard, colour: int, rules: Ruleset, komi: float, passes: int | None = None
) -> Position:
    """Return the position for a search in which a colour is to move.

    With one pass just made the next one ends the game; after two the game goes on if somebody asks
    for a move all the same.
    """
    game = search_game(board.rows, board.columns, komi, rules.suicide)
    if passes is None:
        passes = 1 if board.passes == 1 and board.to_move == colour else 0
    state = np.zeros(game.state_words, np.uint64)
    words = board.words()
    state[: len(words)] = words
    status = np.uint64(colour) | np.uint64(passes) << b.PASSES_AT
    forbidden = board.forbidden_by_ko(colour, rules)
    if forbidden:
        bit = int(game.tables.ints[b.BIT_OF_CODE + forbidden[0]])
        status |= np.uint64(bit + 1) << b.KO_AT
    state[len(words) - 2] = status
    return Position(game, state)


def allowed_moves(
    board: GoBoard, position: Position, colour: int, rules: Ruleset
) -> dict[str, int]:
    """Return the moves that a player may choose, as searches name them: points, or PASS."""
    legal = {*board.legal(colour, rules), board.points}
    return {
        position.name(move): PASS if move == board.points else move
        for move in position.move_codes()
        if move in legal
    }
