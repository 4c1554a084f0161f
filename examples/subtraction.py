"""A game of one's own in plain Python: take one, two or three; who takes the last one wins."""


class Subtraction:
    """A state is (objects left, whose turn it is)."""

    def __init__(self, heap=21):
        self.heap = heap

    def start(self):
        return self.heap, 0

    def acting(self, state):
        return state[1]

    def moves(self, state):
        return [take for take in (1, 2, 3) if take <= state[0]]

    def play(self, state, take):
        return state[0] - take, 1 - state[1]

    def payoffs(self, state):
        return (-1, 1) if state[1] == 0 else (1, -1)

    def board(self, state):
        return "|" * state[0] or "(empty)"
