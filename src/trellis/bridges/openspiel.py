"""OpenSpiel beside ours: the same game there, and its random playouts for comparison.

Where OpenSpiel has a game, ours uses the same action numbers, so no translation is needed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from trellis.game.errors import BadParameter
from trellis.game.game import Game, Value

Settings = Mapping[str, Value]

_BACKGAMMON_SCORING = {
    "winloss": "winloss_scoring",
    "gammons": "enable_gammons",
    "full": "full_scoring",
}

# How each game that both have is called there; None where OpenSpiel lacks the variant.
_NAMES: dict[str, Callable[[Settings], str | None]] = {
    "backgammon": lambda p: (
        f"backgammon(max_player_turns={p['max_player_turns']},"
        f"scoring_type={_BACKGAMMON_SCORING[str(p['scoring'])]})"
        # It lists rolls and plays in both orders, and pays nobody in the small game.
        if p["repeats"] and p["max_player_turns"] and not p["hyper"]
        else None
    ),
    "breakthrough": lambda p: f"breakthrough(rows={p['rows']},columns={p['columns']})",
    "connect_four": lambda p: (
        f"connect_four(rows={p['rows']},columns={p['columns']},x_in_row={p['x_in_row']})"
    ),
    "ein_stein": lambda p: "einstein_wurfelt_nicht",
    "gomoku": lambda p: f"mnk(m={p['m']},n={p['n']},k={p['k']})",
    "goofspiel": lambda p: (
        f"turn_based_simultaneous_game(game=goofspiel(num_cards={p['num_cards']},"
        f"players={p['players']},points_order={p['points_order']}))"
    ),
    "hex": lambda p: f"hex(board_size={p['board_size']})" if p["opening"] == "none" else None,
    "nim": lambda p: (
        None
        if p["max_take"] or ";" not in str(p["pile_sizes"])  # one heap reads as a number there
        else f"nim(pile_sizes={p['pile_sizes']},is_misere={p['is_misere']})"
    ),
    "pentago": lambda p: "pentago",
    "othello": lambda p: "othello" if p["board_size"] == 8 and not p["score"] else None,
    "kalah": lambda p: "mancala" if p == {"houses": 6, "seeds": 4, "score": False} else None,
    "pig": lambda p: (
        None
        if p["players"] == 1
        else f"pig(winscore={p['target']},diceoutcomes={p['faces']},players={p['players']},"
        f"horizon={p['horizon'] or 10**9})"  # 0 means no horizon here
    ),
    "nine_mens_morris": lambda p: "nine_mens_morris" if p["turn_limit"] == 200 else None,
    "amazons": lambda p: (
        f"amazons(board_size={p['board_size']})" if p["board_size"] in (6, 8, 10) else None
    ),
    "tic_tac_toe": lambda p: "tic_tac_toe",
}


# Games whose rules differ there, but little enough to compare speeds; and in what they differ.
_SIMILAR: dict[str, tuple[Callable[[Settings], str | None], str]] = {
    "go": (
        lambda p: (
            None
            if p["rows"] or p["columns"] or p["suicide"] or p["groups"] != "none"
            else f"go(board_size={p['board_size']},komi={p['komi']},max_game_length="
            f"{p['max_plies'] or 3 * int(p['board_size']) ** 2})"
        ),
        "OpenSpiel's go is a draw where a board comes again, and its random games fill eyes",
    ),
}


def openspiel_name(game: Game) -> str | None:
    """Return OpenSpiel's name for a game, or None where it has no such game."""
    name = _NAMES.get(game.name)
    return name(game.parameters) if name else None


def similar_name(game: Game) -> tuple[str | None, str | None]:
    """Return OpenSpiel's name for a game fit to be measured beside ours, and what differs."""
    if game.name in _SIMILAR:
        name, differs = _SIMILAR[game.name]
        found = name(game.parameters)
        return found, differs if found else None
    return openspiel_name(game), None


def load_openspiel(game: Game, *, similar: bool = False) -> Any:
    """Load the same game in OpenSpiel; or one that is fit to be measured beside it."""
    try:
        import pyspiel
    except ImportError:
        raise BadParameter(
            "OpenSpiel is not installed: expected the package open_spiel "
            '(pip install "trellis-games[openspiel]")'
        ) from None
    name = similar_name(game)[0] if similar else openspiel_name(game)
    if name is None:
        raise BadParameter(f"OpenSpiel has no game like {game.spec}")
    return pyspiel.load_game(name)


class OpenSpiel:
    """A game in OpenSpiel's C++, played and searched there as often as asked."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = load_openspiel(game, similar=True)
        low, high = game.payoff_range
        self._range = high - low
        self._seed = seed

    def playout_seconds(self, games: int) -> float:
        """Play random games from the start, in the loop its own Monte-Carlo search uses.

        Its evaluator cannot be called from Python, but a search of one simulation evaluates the
        root and does nothing else, so `games` rollouts an evaluation are `games` random games.
        """
        self._seed += 1
        return self._search(rollouts=games, c=1.0, sims=1, mebibytes=1)[0]

    def search(self, c: float, sims: int) -> tuple[float, float | None]:
        """Search from the start; return simulations a second and bytes a simulation.

        The memory is what the process grew by while the tree of the search was there.
        """
        # It explores on the game's own scale, ours on 0 to 1.
        seconds, grown = self._search(rollouts=1, c=c * self._range, sims=sims, mebibytes=1 << 20)
        return sims / seconds, None if grown is None else grown / sims

    def _search(
        self, *, rollouts: int, c: float, sims: int, mebibytes: int
    ) -> tuple[float, int | None]:
        """Search from the start; return the seconds it took and the bytes the process grew by."""
        import pyspiel  # load_openspiel has said what to do where it is missing

        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, self._seed)
        bot = pyspiel.MCTSBot(self.game, evaluator, c, sims, mebibytes, False, self._seed, False)
        state = self.game.new_initial_state()
        while state.is_chance_node():  # a search cannot begin at one; games lose a ply or two
            state.apply_action(state.legal_actions()[0])
        before, began = _resident(), perf_counter()
        root = bot.mcts_search(state)
        seconds, after = perf_counter() - began, _resident()
        del root
        return seconds, None if before is None or after is None else after - before


def _resident() -> int | None:
    """Return the memory this process holds, where the system tells."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return None
