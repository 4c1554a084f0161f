"""What a search calls besides the rules of the game: somebody else's selection rule, a judge.

Kernels take these as values, so they are compiled once and serve every rule.  Nothing there means
the built-in ones; the stand-ins are never called.
"""

from collections.abc import Callable
from typing import Any

from trellis._kernel.jit import kernel, plain, ready
from trellis.game.calls import calls_of
from trellis.game.evaluation import Evaluation, no_evaluation
from trellis.game.game import Game
from trellis.game.rules import Calls, Random, Reals, State, Tables
from trellis.search.mcts.backup_kernels import Apply, Worth, no_worth
from trellis.search.mcts.backups import Backup
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.own_parts import OwnPart
from trellis.search.mcts.params import Lanes, Params


class SearchCalls(Calls):
    """The functions a search calls: those of the game, a rule, a judge, a backup."""

    select: Callable[[Graph, Params, int, Lanes, Random], None]
    evaluate: Callable[[Reals, Tables, State], float]
    backup: Apply
    worth: Worth


# Of a rule that scores the edges of a node: rule(graph, params, node, edges, rng).
SELECT = dict(SearchCalls.kernel_type.fields)["select"].signature
Rule = Callable[[Graph, Params, int, Lanes, Random], None]


@kernel(SELECT)
def no_rule(graph: Graph, params: Params, node: int, edges: Lanes, rng: Random) -> None:
    """Stand in for a rule, where the built-in one selects; never called."""
    edges.scores[0] = 0.0


def search_calls_of(
    game: Game, params: Params, rule: OwnPart | None, evaluation: Evaluation | None, backup: Backup
) -> SearchCalls:
    """Return everything that a search of a game calls."""

    def called(part: OwnPart | None, stand_in: Any) -> Any:
        if part is not None:
            stand_in = part.compiled if game.compiled else part.function
        return ready(stand_in) if game.compiled else plain(stand_in)

    calls: SearchCalls = calls_of(
        game, SearchCalls, called(rule, no_rule),
        evaluation.function if evaluation else no_evaluation,
        called(None, backup.function()), called(backup.worth, no_worth),
        views=game.is_simultaneous, candidates=params.forgets,
    )  # fmt: skip
    return calls
