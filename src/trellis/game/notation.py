"""How people write and see a game: names of moves and players, boards, what is counted.

Every game has these; those that say nothing get numbers and words of memory.
"""

from trellis.game.rules import State


class Notation:
    """The notation of a game, for it to override."""

    players: int
    symbols: tuple[str, ...]

    def move_name(self, state: State, move: int) -> str:
        """Name a legal move of `state`."""
        return str(move)

    def outcome_name(self, state: State, move: int) -> str:
        """Name a chance outcome; as a move unless the game says otherwise."""
        return self.move_name(state, move)

    def other_names(self, move: int) -> tuple[str, ...]:
        """Return what else people may type for a move: the number of a column."""
        return ()

    def board(self, state: State) -> str:
        """Draw the position as text."""
        return "-".join(f"{int(word):x}" for word in state)

    def aftermath(self, before: State, after: State) -> str:
        """Say what a move did that neither its name nor a glance at the board tells, or nothing."""
        return ""

    def tally(self, state: State) -> str:
        """Say what is counted at the end, as "discs: x 40, o 24", or nothing."""
        return ""

    def player_name(self, player: int) -> str:
        """Name a player as people of this game do."""
        if self.players == 1:
            return "player"
        named = player < len(self.symbols) and not self.symbols[player].isdigit()
        return self.symbols[player] if named else f"player {player + 1}"
