"""Our players as bots of OpenSpiel: `trellis.openspiel.bot("simple:sims=1000", game)`."""

from typing import Any

from trellis.bridges.openspiel_game import PREFIX, load_openspiel
from trellis.game.errors import BadParameter
from trellis.players.player import make_player

Policy = list[tuple[int, float]]


def bot(player: str, game: Any, player_id: int = 0, seed: int = 0) -> Any:
    """Return a `pyspiel.Bot` that asks one of our players.

    `game` is OpenSpiel's, or its name.  The bot follows the history of the states that it is shown,
    whatever came before; a player with `reuse=true` keeps its graph from move to move.
    """
    try:
        import pyspiel
    except ImportError:
        raise BadParameter(
            'bots of OpenSpiel need it: pip install "trellis-games[openspiel]"'
        ) from None

    class Bot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
        """One of our players in a game of OpenSpiel."""

        def __init__(self) -> None:
            pyspiel.Bot.__init__(self)
            self._game = load_openspiel(f"{PREFIX}{game}")
            self._player = make_player(player, seed, self._game)
            self._actions: list[int] = []  # that led to the position
            self._position = self._game.start()

        def player_id(self) -> int:
            """Return whom the bot plays for."""
            return player_id

        def provides_policy(self) -> bool:
            """Tell that the bot says how likely its moves are."""
            return True

        def restart(self) -> None:
            """Begin a new game."""
            self._actions, self._position = [], self._game.start()

        def restart_at(self, state: Any) -> None:
            """Go on from a state."""
            self._follow(state)

        def inform_action(self, state: Any, player_id: int, action: int) -> None:
            """Do nothing: the next state tells what was played."""

        def step(self, state: Any) -> int:
            """Return the action to play."""
            self._follow(state)
            name = self._player.choose(self._position, self._position.acting)
            place = self._position.moves().index(name)
            return int(state.legal_actions()[place])

        def step_with_policy(self, state: Any) -> tuple[Policy, int]:
            """Return the share of visits of each action, and the action to play."""
            action = self.step(state)
            report = getattr(self._player, "report", None)
            visits = {line.move: line.visits for line in report.moves} if report else {}
            total = sum(visits.values())
            actions = state.legal_actions()
            if not total:
                return [(each, float(each == action)) for each in actions], action
            names = self._position.moves()
            shares = [visits.get(name, 0) / total for name in names]
            return list(zip(actions, shares, strict=True)), action

        def _follow(self, state: Any) -> None:
            """Come to the position of a state, by the moves that led there."""
            history = list(state.history())
            if history[: len(self._actions)] != self._actions:
                self.restart()
            replay = state.get_game().new_initial_state()
            for action in self._actions:
                replay.apply_action(action)
            for action in history[len(self._actions) :]:
                chance = replay.is_chance_node()
                legal = (
                    [each for each, _ in replay.chance_outcomes()]
                    if chance
                    else replay.legal_actions()
                )
                code = self._position.move_codes()[legal.index(action)]
                self._position = self._position.play(code)
                replay.apply_action(action)
            self._actions = history

    return Bot()
