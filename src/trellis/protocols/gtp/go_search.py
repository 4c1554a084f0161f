"""The one seam between the referee of Go and searches: the position that a player is shown.

Searches play by the rules of the game in progress: its position brings every board that there was,
and what superko forbids is not played on any path that a search goes (`docs/graph-search.md`, keys
that forget).  Players that prove, or keep a table, cannot do that: they look ahead with simple ko,
and what superko forbids now is left out of the answer by whoever asks (`thinking`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from trellis.game.game import Game, Position
from trellis.game.rules import State
from trellis.games.go import board as b
from trellis.games.go.game import Go
from trellis.protocols.gtp.go_board import PASS, GoBoard
from trellis.protocols.gtp.parsing import other
from trellis.protocols.gtp.rulesets import Ruleset

_SAMPLE = 5  # rows of a board that stands for all


@lru_cache(maxsize=32)
def search_game(rows: int, columns: int, komi: float, ko: str, suicide: bool) -> Go:
    """Return the game that searches play; `ko` as in rules."""
    size = max(rows, columns)
    return Go(
        board_size=size, rows=rows if rows < size else 0, komi=komi, suicide=suicide,
        columns=columns if columns < size else 0, superko=ko.lower(),
    )  # fmt: skip


def searched_rules(rules: Ruleset, fits: Callable[[Game], bool]) -> Ruleset:
    """Return the rules that a player can search by, which says itself whether a game fits it."""
    plain = replace(rules, ko="SIMPLE")
    if rules == plain:
        return rules
    return rules if fits(search_game(_SAMPLE, _SAMPLE, 0.5, rules.ko, rules.suicide)) else plain


def search_position(
    board: GoBoard, colour: int, rules: Ruleset, komi: float, passes: int | None = None
) -> Position:
    """Return the position for a search in which a colour is to move.

    With one pass just made the next one ends the game; after two the game goes on if somebody asks
    for a move all the same.
    """
    game = search_game(board.rows, board.columns, komi, rules.ko, rules.suicide)
    if passes is None:
        passes = 1 if board.passes == 1 and board.to_move == colour else 0
    state = np.zeros(game.state_words, np.uint64)
    words = board.words()
    state[: len(words)] = words
    status = np.uint64(colour) | np.uint64(passes) << b.PASSES_AT
    point = board.simple_ko(colour)
    if point is not None:
        bit = int(game.tables.ints[b.BIT_OF_CODE + point])
        status |= np.uint64(bit + 1) << b.KO_AT
    if rules.ko != "SIMPLE":
        status |= _bring_history(board, game, state)
    state[len(words) - 2] = status
    return Position(game, state)


def _bring_history(board: GoBoard, game: Go, state: State) -> np.uint64:
    """Write the boards that there were as the rules remember them; return what status says of it.

    A game may not go on for ever: of a very long one only the last boards are brought, so that
    searches have room for more.
    """
    ints = game.tables.ints
    first = 2 * int(ints[b.WORDS]) + 3
    situational = ints[b.SUPERKO] == b.SITUATIONAL
    boards = board.codes()
    movers = [board.first] + [other(ply.colour) for ply in board.plies]
    entries = [
        2 * code + mover if situational else code
        for code, mover, is_new in zip(
            boards, movers, [True, *(ply.point != PASS for ply in board.plies)], strict=True
        )
        if is_new or situational
    ]
    room = 2 * int(ints[b.HISTORY_WORDS]) // 3
    kept = entries[-room:]
    state[first - 1] = len(kept)
    state[first : first + len(kept)] = np.array([each % 2**64 for each in kept], np.uint64)
    counted = min(len(board.plies), room) if ints[b.CAP] else 0
    most = min(board.most_stones(), int(b.MOST))
    return np.uint64(counted) << b.PLIES_AT | np.uint64(most) << b.MOST_AT


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
