"""A game of chance as a user writes it, in plain Python."""

from trellis.game.rules import CHANCE


class Coin:
    """Toss a coin three times; before each toss, call it or give up half a point."""

    players = 1
    payoff_range = (0.0, 3.0)
    max_moves = 2

    def start(self):
        return (0, 0.0, False)

    def acting(self, state):
        tosses, _, tossing = state
        return CHANCE if tossing else None if tosses == 3 else 0

    def moves(self, state):
        return ["heads", "tails"] if state[2] else ["call", "pass"]

    def chances(self, state):
        return [0.75, 0.25]

    def play(self, state, move):
        tosses, won, _ = state
        if move == "call":
            return (tosses, won, True)
        return (tosses + 1, won + {"heads": 1.0, "tails": 0.0, "pass": 0.5}[move], False)

    def payoffs(self, state):
        return [state[1]]
