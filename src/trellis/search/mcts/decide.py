"""Moves without reports: what a player asks of a search, and a search that begins anew in place.

Whoever only wants a move need not wait for a report, which takes from 1 to 30 milliseconds; it can
be asked for afterwards.  A search that is reset is what a new one with the same seed would be, to
the bit, in memory that is there already.
"""

from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from trellis._kernel.deadline import heeding
from trellis._kernel.jit import direct
from trellis.game.game import Position
from trellis.game.halting import HALT_AT, HALTED
from trellis.search.budget import refuse_chance, refuse_over
from trellis.search.mcts import graph as g
from trellis.search.mcts.anew import LOOP, search_anew
from trellis.search.mcts.choose import MAX, ROBUST, SECURE, best_of_node
from trellis.search.mcts.settings import Settings

if TYPE_CHECKING:
    from trellis.search.mcts.engine import Search

_RULES = {"robust": ROBUST, "max": MAX, "secure": SECURE}
_NO_MOVES, _NO_PAYOFFS = np.zeros(1, np.int32), np.zeros(1)

_direct = cache(direct)

# The code of a move, and whether it is known to reach what is proven of the position.
Decision = tuple[int, bool]


def final_rule(search: "Search") -> str:
    """Return how the best move is chosen, with what suits the settings in place of `auto`."""
    settings, params = search.settings, search.params
    if settings.final_move != "auto":
        return settings.final_move
    misleading = params.d3 > 1 or params.everywhere
    return "max" if misleading and not settings.sequential_halving else "robust"


def rule_number(search: "Search") -> int:
    """Return the same as kernels know it."""
    return _RULES[final_rule(search)]


def some_illegal(search: "Search") -> bool:
    """Tell whether a node may have tried moves that are illegal on the path to here."""
    return bool(search.params.forgets or search.game.group_names)


def _can_choose(search: "Search") -> bool:
    """Tell whether kernels can choose: moves are what they are called, and rules are compiled."""
    return search.game.compiled and search.params.symmetries == 1


def decides_at_once(settings: Settings) -> bool:
    """Tell whether one call of a kernel can be a whole search with such settings."""
    odd = settings.symmetry or settings.sequential_halving or settings.when_full == "drake"
    return not odd and settings.evaluate is None and settings.temperature == 0.0


def best_for(search: "Search", player: int | None = None) -> Decision:
    """Return the best move of a player at this moment, the one that a report would name.

    With a temperature it is drawn by visits, where nothing is proven.
    """
    if search.settings.temperature > 0.0 and not search.solved:
        from trellis.search.mcts.temperature import drawn_by_visits  # which reports, and decides

        drawn = drawn_by_visits(search, player)
        if drawn is not None:
            return drawn, True
    if _can_choose(search):
        position, node = search.node_of_player(player)
        if node != g.NONE:
            code, sure = _direct(best_of_node)(
                search.calls, search.tables, search.graph, search.packed, search.scratch,
                search.rng, node, position.state, rule_number(search),
                some_illegal(search),
            )  # fmt: skip
            if code != g.NONE:
                return int(code), bool(sure)
    report = search.report(player)
    position, _ = search.node_of_player(player)
    sure = not report.solved or report.moves[0].low >= report.low
    return position.code_of(report.moves[0].move), sure


def make_ready(search: "Search") -> None:
    """Compile, or load, what chooses moves: before a clock runs."""
    if _can_choose(search):
        _direct(best_of_node)


def reset(search: "Search", position: Position, seed: int) -> None:
    """Make a search what a new one of a position of the same game would be."""
    refuse_over(position)
    search.clear()
    search.begin(seed)
    counters = search.graph.counters
    counters[[g.ROOT_TURN, g.BASE_TURN]] = 0
    if search.params.when_full != g.DRAKE:
        counters[g.INDEX_SIZE] = min(len(search.graph.index), g.FIRST_INDEX)
    search.set_root(position)


def follow(search: "Search", position: Position) -> None:
    """Search from a position that play has come to, keeping what is known of what lies ahead.

    As `Search.advance`, for those who know the position and need not know the moves.
    """
    if search.position == position:
        return
    search.turn += 1
    search.seconds = 0.0
    search.set_root(position)
    search.graph.counters[[g.SIMS, g.FULL, g.COLLECT_AT]] = 0
    if search.params.when_full == g.COLLECT:
        search.collect()


def decide_anew(
    search: "Search", position: Position, seed: int, sims: int, player: int
) -> Decision:
    """Reset a search, make so many simulations, and return the best move of a player.

    Everything in one call of a kernel where that is possible and takes no longer than a slice.
    """
    at_once = search.game.compiled and decides_at_once(search.settings)
    if not at_once or sims > search.slice:
        reset(search, position, seed)
        search.think(sims)
        return best_for(search, player)
    refuse_over(position)
    refuse_chance(position)
    began = perf_counter()
    search.begin(seed)
    search.stand_at(position)
    with heeding(None, search.rng, HALT_AT):
        done, failure, code, sure = _direct(search_anew)(
            LOOP, search.calls, search.tables, search.graph, search.packed, *search.working,
            search.rng, search.root_state, _NO_MOVES, _NO_PAYOFFS, sims, rule_number(search),
            some_illegal(search),
        )  # fmt: skip
        search.end_slice(int(failure))
    search.seconds = perf_counter() - began
    if failure == HALTED or (code == g.NONE and done < sims):  # something is to be done first
        search.collect_where_due()
        search.think(max(1, sims - int(done)))
    if code == g.NONE or position.acting != player:
        return best_for(search, player)
    return int(code), bool(sure)
