"""Games that were played elsewhere, as the graph takes them: every move a number, every payoff."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search


def recorded(
    search: "Search", moves: Sequence[str | int], payoffs: Sequence[float] | None
) -> tuple[list[int], list[int], Sequence[float]]:
    """Return moves as the graph numbers them, who made them, and the payoffs."""
    position = search.position
    codes, movers = [], []
    for move in moves:
        code = position.code_of(move) if isinstance(move, str) else int(move)
        movers.append(position.acting)
        codes.append(search.to_frame(position, code))
        position = position.play(code)
    if payoffs is None:
        payoffs = position.payoffs()
    least, greatest = search.game.payoff_range
    if len(payoffs) != search.game.players or not all(
        least <= payoff <= greatest for payoff in payoffs
    ):
        raise BadParameter(
            f"bad payoffs {tuple(payoffs)}: expected {search.game.players} from {least:g} "
            f"to {greatest:g}"
        )
    return codes, movers, payoffs
