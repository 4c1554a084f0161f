"""What a search expects after each move of its position, not only after the best one."""

from typing import TYPE_CHECKING

from trellis.search.mcts import graph as g
from trellis.search.mcts.reporting import edge_lines, principal_variation

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search


def lines_after(search: "Search") -> dict[str, list[str]]:
    """Return for each move that was tried how play would go on after it, best replies first."""
    position = search.position
    found: dict[str, list[str]] = {}
    for line in edge_lines(search, search.root, position):
        if line.child == g.NONE:
            continue
        code = search.from_frame(position, line.code)
        after = position.play(code)
        known = [] if after.is_over else edge_lines(search, line.child, after)
        if known:
            found[position.name(code)] = principal_variation(search, after, line.child, known)
    return found
