"""A game without an end: one move, again and again."""


class Forever:
    def start(self):
        return 0

    def moves(self, state):
        return ["on"]

    def play(self, state, move):
        return 1 - state

    def payoffs(self, state):
        return 0
