"""What a search calls besides the rules of the game: somebody else's selection rule, a judge.

Kernels take these as values, so they are compiled once and serve every rule.  Nothing there means
the built-in ones; the stand-ins are never called.
"""

from collections.abc import Callable

from trellis._kernel.jit import kernel, plain
from trellis.game.calls import calls_of
from trellis.game.evaluation import Evaluation, no_evaluation
from trellis.game.game import Game
from trellis.game.rules import Calls, Random, Reals, State, Tables
from trellis.search.mcts.graph import Graph
from trellis.search.mcts.params import Lanes, Params


class SearchCalls(Calls):
    """The functions a search calls: those of the game, a rule and a judge of positions."""

    select: Callable[[Graph, Params, int, Lanes, Random], None]
    evaluate: Callable[[Reals, Tables, State], float]


# Of a rule that scores the edges of a node: rule(graph, params, node, edges, rng).
SELECT = dict(SearchCalls.kernel_type.fields)["select"].signature
Rule = Callable[[Graph, Params, int, Lanes, Random], None]


@kernel(SELECT)
def no_rule(graph: Graph, params: Params, node: int, edges: Lanes, rng: Random) -> None:
    """Stand in for a rule, where the built-in one selects; never called."""
    edges.scores[0] = 0.0


def search_calls_of(
    game: Game, params: Params, rule: Rule | None, evaluation: Evaluation | None = None
) -> SearchCalls:
    """Return everything that a search of a game calls."""
    select = rule or no_rule
    calls: SearchCalls = calls_of(
        game, SearchCalls, select if game.compiled else plain(select),
        evaluation.function if evaluation else no_evaluation,
        views=game.is_simultaneous, candidates=params.forgets,
    )  # fmt: skip
    return calls
