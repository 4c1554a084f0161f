"""What a search for answers is told of a game, and which games it refuses."""

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game
from trellis.game.memory import MIB, refuse_too_much
from trellis.game.rules import HINT, Counts, Moves, State, Tables
from trellis.search.budget import is_refused, refuse_endless, refuse_hashed_past, refuse_many_values
from trellis.search.report import sum_of_two
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions.layout import Facts
from trellis.search.solve.questions.settings import QuestionSettings

_ROUNDING = 1e-9
_MEBIBYTES_OF_STACK = 2048


@kernel(HINT)
def no_hint(tables: Tables, state: State, moves: Moves, count: int, scores: Counts) -> int:
    """Stand in for the hints of a game that gives none; never called."""
    return 0


def refuse_unsuited(game: Game) -> None:
    """Refuse games of which a depth-first search with a table proves nothing, and say why."""
    what = f"cannot ask questions about {game.spec}: expected"
    refuse_hashed_past(game)
    if game.has_chance:
        raise BadParameter(f"{what} a game without chance")
    refuse_many_values(game, what)
    if game.players != 2:
        raise BadParameter(f"{what} two players")
    if sum_of_two(game) is None:
        raise BadParameter(f"{what} payoffs that add up to the least and the greatest one")
    refuse_endless(game, what)


def suits(game: Game) -> bool:
    """Tell whether questions can be asked about a game."""
    return not is_refused(refuse_unsuited, game)


def usable_symmetries(game: Game, settings: QuestionSettings) -> Counts:
    """List the symmetries that keep the players, by index, the identity first."""
    found: Counts = np.zeros(1, np.int64)
    if settings.symmetry and game.rules.transform is not None:
        same = [i for i, each in enumerate(game.symmetries) if each.players == (0, 1)]
        found = np.array(same or [0], np.int64)
    return found


def make_facts(game: Game, settings: QuestionSettings, method: str) -> Facts:
    """Return what kernels are told of a game and of how to search it."""
    facts = Facts()
    facts.words, facts.exact_key = game.state_words, game.exact_key
    facts.name_words = 1 if game.exact_key else int(np.count_nonzero(game.identity))
    facts.wide, facts.codes = game.max_moves, game.move_codes
    facts.deepest = int(game.max_plies or 0) + 2
    facts.images = len(usable_symmetries(game, settings))
    facts.bounded = game.rules.bounds is not None
    facts.constant_sum = float(game.constant_sum or 0.0)
    facts.slack = _ROUNDING * (game.payoff_range[1] - game.payoff_range[0])
    facts.threads = settings.threads
    _choose_order(facts, game, settings, method)
    room = y.work_bytes(facts.words, facts.wide, facts.deepest) / MIB
    if room > _MEBIBYTES_OF_STACK:
        raise LimitReached(
            f"{game.spec} is too long and too wide for a depth-first search: its stack would "
            f"take {room:,.0f} MiB"
        )
    refuse_too_much(settings.memory + room)
    return facts


def _choose_order(facts: Facts, game: Game, settings: QuestionSettings, method: str) -> None:
    order, hinted = settings.order, game.rules.hint is not None and settings.hints
    if order == "hint" and not hinted:
        raise BadParameter(
            f"{game.spec} gives no hints: expected order auto, rated, replies or history"
        )
    if order == "auto":
        order = "hint" if hinted else "replies" if method == "dfpn" else "rated"
    facts.hinted = hinted
    facts.rated = order == "rated"
    facts.replies = order == "replies" or method == "dfpn"
    facts.history = order in ("replies", "history")
