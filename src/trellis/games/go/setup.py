"""Positions of Go that no game has led to: stones set up, or somebody's turn who was not next."""

from collections.abc import Iterable

import numpy as np

from trellis.game.errors import BadParameter, GameOver, IllegalMove
from trellis.game.game import Position
from trellis.game.rules import State
from trellis.games.go import board as b
from trellis.games.go.game import Go
from trellis.games.go.rules import entry_of, remember, was_before


def set_up(game: Go, black: Iterable[int], white: Iterable[int], player: int = 0) -> Position:
    """Return the position with these stones, by their moves' numbers, and a player to move.

    Nothing was before it: no ko, no passes, no moves made.  Every chain needs a liberty.
    """
    stones = (set(black), set(white))
    for code in stones[0] & stones[1]:
        raise BadParameter(f"two stones on {game.move_name(None, code)}")
    for code in stones[0] | stones[1]:
        if not 0 <= code < game.points:
            raise BadParameter(f"no point {code} on a board of {game.rows}x{game.columns}")
    tables = game.tables
    words = b.words_of(game.rows, game.columns)
    state = np.zeros(game.state_words, np.uint64)
    weight = 0
    for colour in range(2):
        for code in stones[colour]:
            bit = int(tables.ints[b.BIT_OF_CODE + code])
            state[colour * words + bit // 64] |= np.uint64(1 << bit % 64)
            weight += int(tables.words[b.WEIGHTS + colour * b.MOST_BITS + bit])
    state[2 * words + 1] = weight % 2**64
    _refuse_dead(game, state, stones)
    if tables.ints[b.HISTORY] != b.NO_HISTORY:
        state[2 * words] = np.uint64(len(stones[0] | stones[1])) << b.MOST_AT
    return _with_side(game, state, player)


def with_turn(position: Position, player: int) -> Position:
    """Return the same stones with this player to move; passes and a ko are forgotten.

    A file or an arbiter may have somebody move twice, or go on after both have passed.  Where moves
    are counted the turn that was left out counts, too.
    """
    game = _go(position)
    state = position.state
    if game.tables.ints[b.CAP] or game.tables.ints[b.KEY_TURN]:
        state[2 * b.words_of(game.rows, game.columns)] += np.uint64(1) << b.PLIES_AT
    return _with_side(game, state, player)


def play_anyway(position: Position, move: int) -> Position:
    """Put a stone on an empty point, or pass, also where a rule of ko or suicide forbids it."""
    game = _go(position)
    if position.is_over:
        raise GameOver(f"no move {move}: the game of {game.spec} is over")
    if move != game.points:
        row, column = divmod(move, game.columns)
        if not 0 <= row < game.rows or game.stones(position.state)[row][column] != ".":
            raise IllegalMove(f"no stone can be put on {game.move_name(None, move)}")
    if move in position.move_codes():
        return position.play(move)
    state = position.state
    game.rules.play(game.tables, state, move)
    at = 2 * b.words_of(game.rows, game.columns) + 2
    if int(game.tables.ints[b.HISTORY]) == b.IN_ORDER and state[at] > position.state[at]:
        last = at + int(state[at])
        if state[last] in state[at + 1 : last]:
            # A board that came again is in the list already, which has room for each of them once.
            state[last] = 0
            state[at] -= np.uint64(1)
    return Position(game, state)


def _go(position: Position) -> Go:
    if not isinstance(position.game, Go):
        raise BadParameter(f"{position.game.spec} is not go")
    return position.game


def _with_side(game: Go, state: State, player: int) -> Position:
    at = 2 * b.words_of(game.rows, game.columns)
    forgotten = b.SIDE | (b.PASSES << b.PASSES_AT) | (b.KO << b.KO_AT)
    state[at] = (state[at] & ~forgotten) | np.uint64(player)
    if game.tables.ints[b.HISTORY] != b.NO_HISTORY:
        entry = np.uint64(entry_of(game.tables, state[at + 1], np.uint64(player)))
        if not was_before(game.tables, state, entry):
            remember(game.tables, state, entry)
    return Position(game, state)


def _refuse_dead(game: Go, state: State, stones: tuple[set[int], set[int]]) -> None:
    words = b.words_of(game.rows, game.columns)
    for colour in range(2):
        own, other = np.uint64(colour * words), np.uint64((1 - colour) * words)
        for code in sorted(stones[colour]):
            bit = np.uint64(game.tables.ints[b.BIT_OF_CODE + code])
            alive, _ = b.list_own(game.tables, state, own, other, bit)
            if not alive:
                raise BadParameter(f"the chain of {game.move_name(None, code)} has no liberty")
