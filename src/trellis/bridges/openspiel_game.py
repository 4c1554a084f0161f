"""Games of OpenSpiel as games of ours: `trellis.load("openspiel:y(board_size=9)")`.

Any game with perfect information in which players take turns, chance included.  It runs through
Python, so a search makes some thousands of simulations a second at most.

OpenSpiel has no key that tells positions apart.  By default a position is the moves that led to it,
so that the search is one of a tree, and what it proves is sound.  With a `key` of the user's, a
function of OpenSpiel's state such as `str`, paths meet where it says the same, and nothing is
proven: who knows whether it tells apart what differs.
"""

from collections.abc import Callable, Hashable
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.python_game import PythonGame
from trellis.game.rules import CHANCE

PREFIX = "openspiel:"
_LONGEST = 300  # characters
Key = Callable[[Any], Hashable]


class Held:
    """A state of OpenSpiel, which is what its key says."""

    __slots__ = ("key", "state")

    def __init__(self, state: Any, key: Hashable) -> None:
        self.state, self.key = state, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class OpenSpielRules:
    """The rules of a game of OpenSpiel, as `PythonGame` asks for them."""

    def __init__(self, game: Any, key: Key | None) -> None:
        import pyspiel

        kind = game.get_type()
        if kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
            raise BadParameter(f"OpenSpiel's {kind.short_name} hides something from its players")
        if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
            raise BadParameter(f"in OpenSpiel's {kind.short_name} players do not take turns")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise BadParameter(f"OpenSpiel's {kind.short_name} does not list what chance may do")
        self._game, self._key = game, key
        self.players = game.num_players()
        self.payoff_range = game.min_utility(), game.max_utility()
        sums = pyspiel.GameType.Utility
        self.constant_sum = (
            float(game.utility_sum() or 0.0)
            if kind.utility in (sums.ZERO_SUM, sums.CONSTANT_SUM)
            else None
        )
        self.max_moves = max(game.num_distinct_actions(), game.max_chance_outcomes(), 1)
        # With a key of the user's the same position may come again.
        self.max_plies = None if key else game.max_history_length()

    def _held(self, state: Any, history: tuple[int, ...]) -> Held:
        return Held(state, self._key(state) if self._key else history)

    def start(self) -> Held:
        """Return the first state."""
        return self._held(self._game.new_initial_state(), ())

    def acting(self, held: Held) -> int | None:
        """Tell who acts."""
        state = held.state
        if state.is_terminal():
            return None
        return CHANCE if state.is_chance_node() else int(state.current_player())

    def moves(self, held: Held) -> list[int]:
        """List OpenSpiel's actions."""
        state = held.state
        if state.is_terminal():
            return []
        if state.is_chance_node():
            return [action for action, _ in state.chance_outcomes()]
        found: list[int] = state.legal_actions()
        return found

    def chances(self, held: Held) -> list[float]:
        """Return the probabilities of what chance may do."""
        return [probability for _, probability in held.state.chance_outcomes()]

    def play(self, held: Held, action: int) -> Held:
        """Return the state after an action."""
        state = held.state.clone()
        state.apply_action(action)
        return self._held(state, (*held.key, action) if self._key is None else ())  # type: ignore[misc]

    def payoffs(self, held: Held) -> list[float]:
        """Return what everybody gets."""
        found: list[float] = held.state.returns()
        return found

    def board(self, held: Held) -> str:
        """Return OpenSpiel's text."""
        return str(held.state)

    def move_name(self, held: Held, action: int) -> str:
        """Return OpenSpiel's name of an action, without spaces; its number where that is empty."""
        name = held.state.action_to_string(held.state.current_player(), action)
        return "".join(name.split()) or str(action)


def load_openspiel(text: str, key: Key | None = None) -> PythonGame:
    """Load `openspiel:NAME(…)`."""
    name = text.removeprefix(PREFIX).strip()
    if not name or len(name) > _LONGEST:
        raise BadParameter(f"bad game {shorten(text)}: expected {PREFIX}NAME(parameter=value)")
    try:
        import pyspiel
    except ImportError:
        raise BadParameter(
            'games of OpenSpiel need it: pip install "trellis-games[openspiel]"'
        ) from None
    known, short = pyspiel.registered_names(), name.partition("(")[0].strip()
    if short not in known:  # OpenSpiel would list all of them on standard error
        raise BadParameter(f"OpenSpiel has no game {shorten(short)}{nearest(short, known)}")
    try:
        game = pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise BadParameter(f"OpenSpiel cannot load {shorten(name)}: {shorten(reason)}") from error
    made = PythonGame(OpenSpielRules(game, key))
    made.name = f"{PREFIX}{game}".replace("()", "")
    if key is not None:
        made.hashed_past = (
            f"positions of {made.name} are told apart by {getattr(key, '__name__', 'a key')}, "
            "which may be the same for different ones; expected no key"
        )
    return made
