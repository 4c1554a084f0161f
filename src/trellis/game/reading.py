"""Positions from text: a code, the moves that lead there, or a board as it is printed.

>>> from trellis.loading import load
>>> game = load("tic_tac_toe")
>>> position = game.parse("b2 a1")
>>> position.history
['b2', 'a1']
>>> game.parse(str(position)) == game.parse(position.code) == position
True

A code is read by any game.  A board is read where it says all there is to know: where every move
places a stone that stays.  Such a board is reached by moves, so nothing is read that no game can
come to.
"""

import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from trellis.game.errors import BadParameter, IllegalMove, TrellisError, shorten

if TYPE_CHECKING:
    from trellis.game.batch import Batch
    from trellis.game.game import Game, Position
    from trellis.game.rules import State

_CODE = re.compile(r"[0-9a-f]+(-[0-9a-f]+)*\.[0-9a-f]{8}")
Stacks = list[list[tuple[int, int]]]  # what has to be played in order: player and move


class Reading:
    """What a game makes of text, and of numbers: positions."""

    stones_stay = False  # every move places a stone of the player in turn, which stays

    if TYPE_CHECKING:
        state_words: int

        @property
        def spec(self) -> str:
            """Return the game as text."""

        def start(self) -> "Position":
            """Return the position in which the game begins."""

    def cells_of(self, move: int) -> list[tuple[int, int]]:
        """List the places, line and column of the text, that stones of a move may come to.

        The first one first.  Only games with `stones_stay` are asked; most have one place a move.
        """
        before, after = (str(each).splitlines() for each in (self.start(), self.start().play(move)))
        return [
            (row, column)
            for row, line in enumerate(before)
            for column in range(len(line))
            if line[column] != after[row][column]
        ]

    def position(self, code: str) -> "Position":
        """Return the position whose `code` this is: its words in hexadecimal, and a check.

        The check keeps made-up words out: rules may do anything on words that are not a position.
        """
        body, _, check = code.partition(".")
        try:
            words = [int(word, 16) for word in body.split("-")]
            state = np.array(words, dtype=np.uint64)
        except (ValueError, OverflowError):
            raise BadParameter(
                f"position code {shorten(code)} is not hexadecimal words joined by '-'"
            ) from None
        if check != check_of(self.spec, state):
            raise BadParameter(
                f"position code {shorten(code)} was not written by a position of {self.spec}"
            )
        if len(state) != self.state_words:
            raise BadParameter(
                f"position code {shorten(code)} has {len(state)} words; "
                f"{self.spec} needs {self.state_words}"
            )
        return type(self.start())(self, state)  # type: ignore[arg-type]

    def parse(self, text: str) -> "Position":
        """Return the position that text stands for.

        It is a `code`, the names of moves from the start with blanks between them, or, where every
        move places a stone that stays, a board as `str(position)` prints it.
        """
        lines = text.strip("\n").splitlines()
        if not text.strip():
            raise BadParameter(f"no position of {self.spec}: expected {self._expected()}")
        if _CODE.fullmatch(text.strip()):
            return self.position(text.strip())
        if len(lines) > 1 and self.stones_stay:
            return _read_board(self, lines)  # type: ignore[arg-type]
        if len(lines) > 1:
            raise BadParameter(
                f"a board of {self.spec} does not say all of a position: expected "
                f"{self._expected()}"
            )
        position = self.start()
        try:
            return position.play(*text.split())
        except TrellisError as error:
            raise BadParameter(
                f"{shorten(text.strip())} is no position of {self.spec}: expected "
                f"{self._expected()} ({error})"
            ) from None

    def _expected(self) -> str:
        board = ", or a board as it is printed" if self.stones_stay else ""
        return f"a code, as position.code writes it, or moves from the start{board}"

    def batch(self, count: int) -> "Batch":
        """Return so many positions of this game side by side, as arrays; see `Batch`."""
        from trellis.game.batch import Batch

        return Batch(self, count)  # type: ignore[arg-type]


def check_of(spec: str, state: "State") -> str:
    """Return what a code ends with, so that no other words pass for a position."""
    return f"{zlib.crc32(state.tobytes(), zlib.crc32(spec.encode())):08x}"


def _read_board(game: "Game", lines: list[str]) -> "Position":
    """Return the position of a board, by placing its stones one after the other.

    A game that is over ended with its last stone, so each that may have been the last is tried.
    """
    refused = BadParameter(
        f"this is no board of {game.spec}: expected one as it is printed, with as many stones of "
        "each player as turns make"
    )
    stacks = _stones_on(game, [line.rstrip() for line in lines])
    count = sum(map(len, stacks or ()))
    if stacks is None:
        raise refused
    if count == 0:
        return game.start()
    last_player = (count - 1) % 2
    for stack in stacks:
        if not stack or stack[-1][0] != last_player:
            continue
        last = stack.pop()
        order = _in_turn(stacks)
        stack.append(last)
        if order is None:
            continue
        try:
            found = game.start().play(*order, last[1])
        except IllegalMove:  # the game was over before
            continue
        return type(found)(game, found.state)  # nobody knows in which order it was
    raise refused


def _stones_on(game: "Game", lines: list[str]) -> Stacks | None:
    """Return the stones of a board; None where it is not one of this game."""
    start = game.start()
    empty = [line.rstrip() for line in str(start).splitlines()]
    if [*map(len, lines)] != [*map(len, empty)]:
        return None
    places = {
        (row, column): line[column]
        for row, line in enumerate(lines)
        for column in range(len(line))
        if line[column] != empty[row][column]
    }
    known = {symbol: player for player, symbol in enumerate(game.symbols)}
    if any(each not in known for each in places.values()):
        return None
    stacks: Stacks = []
    for move in start.move_codes():
        cells = game.cells_of(move)
        if not _is_stacked(cells, lines, empty):
            return None
        found = [known[places.pop(cell)] for cell in cells if cell in places]
        stacks.append([(player, move) for player in found])
    return None if places else stacks


def _is_stacked(cells: list[tuple[int, int]], lines: list[str], empty: list[str]) -> bool:
    """Tell whether nothing hangs in the air: no free cell is below a taken one."""
    taken = [lines[row][column] != empty[row][column] for row, column in cells]
    return taken == sorted(taken, reverse=True)


def _in_turn(stacks: Stacks) -> list[int] | None:
    """Return an order in which players in turn can play what stands, each stack from below."""
    heights = [0] * len(stacks)
    total = sum(map(len, stacks))
    order: list[int] = []
    dead: set[tuple[int, ...]] = set()
    tried = [0]  # at each depth, the first stack not looked at yet
    while len(order) < total:
        at = next(
            (
                i
                for i in range(tried[-1], len(stacks))
                if heights[i] < len(stacks[i]) and stacks[i][heights[i]][0] == len(order) % 2
            ),
            None,
        )
        if at is not None and tuple(heights) not in dead:
            tried[-1] = at + 1
            order.append(at)
            heights[at] += 1
            tried.append(0)
        elif not order:
            return None
        else:
            dead.add(tuple(heights))
            tried.pop()
            heights[order.pop()] -= 1
    played = [0] * len(stacks)
    moves = []
    for at in order:
        moves.append(stacks[at][played[at]][1])
        played[at] += 1
    return moves
