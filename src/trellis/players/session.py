"""A game in progress: who plays what, moves made so far, taking back."""

from dataclasses import dataclass, field

import numpy as np

from trellis.game.bits import generator
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.rules import CHANCE, Reals, State
from trellis.players.player import Player

_UNIFORMS_AT_ONCE, _NO_UNIFORMS = 32, np.zeros(0)
PERSON = None  # in the list of players: somebody at the keyboard


@dataclass
class Session:
    """A game between players, some of whom may be persons; chance is drawn from `seed`."""

    game: Game
    players: list[Player | None]
    seed: int = 0
    positions: list[Position] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if len(self.players) != self.game.players:
            raise BadParameter(
                f"{self.game.spec} needs {self.game.players} players, not {len(self.players)}"
            )
        self.positions = [self.game.start()]
        self._random: np.random.Generator | None = None  # where nobody asks, none is made
        self._uniforms, self._taken = _NO_UNIFORMS, 0

    @property
    def position(self) -> Position:
        """Return the present position."""
        return self.positions[-1]

    @property
    def waits_for_person(self) -> bool:
        """Tell whether somebody at the keyboard has to choose now."""
        acting = self.position.acting
        return acting >= 0 and self.players[acting] is PERSON

    @property
    def moment(self) -> Position:
        """Return the position before anybody chose at this moment.

        In a turn-taking game that is the present position.  Where several choose at once it is
        the last one that shows no hidden choice; only that may be shown to who chooses next.
        """
        last = len(self.positions) - 1
        while last > 0:
            before, now = self.positions[last - 1], self.positions[last]
            together = len(now.actors) > 1 and before.actors == now.actors
            if not together or before.acting >= now.acting:
                break
            last -= 1
        return self.positions[last]

    def play(self, move: str) -> None:
        """Play a move by name."""
        position = self.position
        code = position.code_of(move)
        after = position.play(code)
        self.moves.append(position.name(code))
        self.positions.append(after)

    def advance(self) -> str:
        """Let chance or the player in turn make one move; return its name."""
        position = self.position
        if position.is_chance:
            move = position.name(self._draw(position))
        else:
            player = self.players[position.acting]
            if player is None:
                raise BadParameter("a person has to choose")
            follow = getattr(player, "follow", None)
            if follow is not None:  # a program elsewhere knows positions by the moves to them
                follow(self.game, self.moves)
            move = player.choose(self.moment, position.acting)
        self.play(move)
        return move

    def _draw(self, position: Position) -> int:
        """Draw what chance does, as NumPy's `choice` draws it."""
        sums = np.cumsum(position.probabilities())
        uniform = self.uniforms_ahead()[0]
        self.take_uniforms(1)
        return position.move_codes()[int(np.searchsorted(sums / sums[-1], uniform, "right"))]

    def uniforms_ahead(self) -> Reals:
        """Return the numbers that decide what chance does next, one or more."""
        if self._taken == len(self._uniforms):
            self._random = self._random or generator(self.seed)
            self._uniforms, self._taken = self._random.random(_UNIFORMS_AT_ONCE), 0
        return self._uniforms[self._taken :]

    def take_uniforms(self, count: int) -> None:
        """Use up some of these numbers."""
        self._taken += count

    def skip(self, codes: list[int], state: State) -> None:
        """Take moves that were made elsewhere, and where they lead; not what is in between."""
        if codes:
            game, between = self.game, self.position.state
            rules, tables = game.direct_rules, game.tables
            for code in codes:
                chance = game.has_chance and rules.acting(tables, between) == CHANCE
                name = game.outcome_name if chance else game.move_name
                self.moves.append(name(between.copy(), code))
                rules.play(tables, between, code)
            self.positions.append(Position(game, state))

    def close(self) -> None:
        """Let programs go that played here."""
        for player in self.players:
            close = getattr(player, "close", None)
            if close is not None:
                close()

    def undo(self) -> bool:
        """Take back to the last choice of a person before this one; False where there is none."""
        for last in reversed(range(len(self.positions) - 1)):
            acting = self.positions[last].acting
            if acting >= 0 and self.players[acting] is PERSON:
                del self.positions[last + 1 :]
                del self.moves[last:]
                return True
        return False
