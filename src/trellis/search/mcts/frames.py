"""What a position is called in the graph: which image of it is kept, and which node is whose."""

from typing import TYPE_CHECKING, Any

import numpy as np

from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.rules import Reals, Tables
from trellis.search.mcts import graph as g
from trellis.search.mcts.calls import SearchCalls
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.kernels import adapted_values, node_of_key
from trellis.search.mcts.params import Params, Scratch


class Frames:
    """The part of a search that translates between its positions and its nodes."""

    if TYPE_CHECKING:
        params: Params
        calls: SearchCalls
        tables: Tables
        record: Any
        scratch: Scratch
        graph: Graph
        game: Game
        position: Position
        _canonical: Any
        _images: list[int]

        @property
        def root(self) -> int:
            """Return the number of the root node."""

    # -- moves between the position as people see it and the node's own picture of it --------

    def frame_of(self, position: Position) -> int:
        """Return which image of a position the graph keeps."""
        if self.params.symmetries == 1:
            return 0
        return int(
            self._canonical(self.calls, self.tables, self.record, self.scratch, position.state)
        )

    def to_frame(self, position: Position, code: int, frame: int | None = None) -> int:
        """Return the move of the kept image that a move of `position` becomes."""
        index = self._images[self.frame_of(position) if frame is None else frame]
        if index == 0 or self.game.rules.map_move is None:
            return code
        return int(self.game.rules.map_move(self.tables, index, code))

    def root_codes(self) -> list[int]:
        """List the root's moves, as the graph numbers them."""
        return [self.to_frame(self.position, code) for code in self.position.move_codes()]

    def from_frame(self, position: Position, code: int) -> int:
        """Return the move of `position` that a move of its kept image stands for."""
        frame = self.frame_of(position)
        if frame == 0:
            return code
        for own in position.move_codes():
            if self.to_frame(position, own, frame) == code:
                return own
        raise AssertionError(f"no move of {position!r} becomes {code}")

    def adapted(self, node: int) -> Reals:
        """Return µ_d1 and n_d3 of a node's edges, a row each, as selection sees them."""
        out = np.zeros(2 * int(self.graph.nodes[node]["edges"]))
        adapted_values(self.graph, self.record, node, out)
        return out.reshape(2, -1)

    def node_of_player(self, player: int | None) -> tuple[Position, int]:
        """Return the position in which a player chooses at this moment, and its node or NONE."""
        position = self.position
        if player is None or position.acting == player:
            return position, self.root
        if player not in position.actors:
            raise BadParameter(f"player {player} does not act in this position")
        while position.acting != player:  # a hidden choice does not change this player's view
            position = position.play(position.move_codes()[0])
        key = np.uint64(self.calls.key(self.tables, position.state))
        if not self.params.transpositions:
            return position, g.NONE
        return position, int(node_of_key(self.graph, self.record, self.scratch, key))
