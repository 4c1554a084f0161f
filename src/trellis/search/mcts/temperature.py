"""Moves drawn by their visits, for self-play: a temperature makes games differ."""

from typing import TYPE_CHECKING

import numpy as np

from trellis.search.mcts.graph import NONE
from trellis.search.mcts.reporting import edge_lines

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search


def drawn_by_visits(search: "Search", player: int | None) -> int | None:
    """Draw a move by its visits to the power of 1 / temperature; None where there are none."""
    position, node = search.node_of_player(player)
    known = edge_lines(search, node, position) if node != NONE else []
    lines = [line for line in known if line.visits]
    if not lines:
        return None
    logs = np.log([line.visits for line in lines]) / search.settings.temperature
    weights = np.exp(logs - logs.max())
    line = lines[int(search.random.choice(len(lines), p=weights / weights.sum()))]
    return search.from_frame(position, line.code)
