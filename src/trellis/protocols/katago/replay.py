"""Boards of queries: the game is played again, from the board of the query before where it fits.

A front end that has a whole game analysed sends all its moves with each of its positions.
"""

from trellis.protocols.gtp.go_board import GoBoard
from trellis.protocols.gtp.parsing import CommandError
from trellis.protocols.katago.fields import QueryError
from trellis.protocols.katago.query import Query


class Replay:
    """A board that goes from query to query."""

    def __init__(self) -> None:
        self._begun: object = None
        self._board = GoBoard(2, 2)

    def board_of(self, query: Query, turn: int | None = None) -> GoBoard:
        """Return the board after so many moves of a query, or all; it is good until the next.

        As arbiters have it, either colour may move at any time, and ko is their business.
        """
        begun = (query.rows, query.columns, query.stones, query.first, query.rules.suicide)
        if begun != self._begun:
            board = GoBoard(query.rows, query.columns)
            try:
                board.set_up(query.stones, query.first)
            except CommandError as error:
                raise QueryError("initialStones", str(error)) from None
            self._board, self._begun = board, begun
        board = self._board
        wanted = query.moves if turn is None else query.moves[:turn]
        same = 0
        for ply, move in zip(board.plies, wanted, strict=False):
            if (ply.colour, ply.point) != move:
                break
            same += 1
        while len(board.plies) > same:
            board.undo()
        for number, (colour, point) in enumerate(wanted[same:], start=same):
            try:
                board.play(colour, point, query.rules)
            except CommandError as error:
                raise QueryError("moves", f"Illegal move {number}: {error}") from None
        return board
