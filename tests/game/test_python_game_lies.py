"""Games written as plain classes that break their word: they are told so, and nothing is proven."""

import numpy as np
import pytest

import trellis
from trellis.game.errors import BrokenContract
from trellis.game.python_game import PythonGame
from trellis.search.solve.proof import solve
from trellis.search.solve.value_iteration import solve_exactly


class Counting:
    """Take one or two of three; who takes the last one wins."""

    max_moves, max_plies = 3, 3

    def start(self):
        return 3, 0

    def acting(self, state):
        return state[1]

    def moves(self, state):
        return [take for take in (1, 2) if take <= state[0]]

    def play(self, state, take):
        return state[0] - take, 1 - state[1]

    def payoffs(self, state):
        return (-1, 1) if state[1] == 0 else (1, -1)


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("not even this")


def _leave(*_):
    raise SystemExit(0)  # what `exit()` does, which would look like success


def _wordless(*_):
    raise Wordless


_CHANCE = {"acting": lambda self, state: trellis.CHANCE if state[0] == 2 else state[1]}

# What a class has instead, and what is said to it.
LIES = {
    "a player who is none": (
        {"acting": lambda self, state: 7 if state[0] == 1 else state[1]},
        "acting returned '7': expected a player, 0 to 1",
    ),
    "a negative player": (
        {"acting": lambda self, state: -7 if state[0] == 1 else state[1]},
        "acting returned '-7': expected a player",
    ),
    "half a player": ({"acting": lambda self, state: 0.5}, "acting returned '0.5'"),
    "no list of moves": (
        {"moves": lambda self, state: None},
        "moves returned 'None': expected a list",
    ),
    "a move twice": ({"moves": lambda self, state: [1, True]}, "expected every move once"),
    "chance without chances": (_CHANCE, "there is no method `chances`"),
    "probabilities above 1": (
        {**_CHANCE, "chances": lambda self, state: [0.9, 0.9]},
        r"chances returned '\[0.9, 0.9\]': expected probabilities",
    ),
    "probabilities below 0": (
        {**_CHANCE, "chances": lambda self, state: [1.5, -0.5]},
        "expected probabilities",
    ),
    "probabilities that are none": (
        {**_CHANCE, "chances": lambda self, state: [np.nan, np.nan]},
        "expected probabilities",
    ),
    "bounds the wrong way round": (
        {"bounds": lambda self, state: [(1, -1), (1, -1)]},
        "bounds returned .* expected the least and the greatest payoff of each of 2 players",
    ),
    "bounds out of range": (
        {"bounds": lambda self, state: [(5, 9), (-9, -5)]},
        "bounds returned",
    ),
    "bounds of nobody": ({"bounds": lambda self, state: 3}, "bounds returned '3'"),
    "leaving the program": ({"play": _leave}, "play raised SystemExit: 0"),
    "an error without words": ({"play": _wordless}, "raised Wordless: an error that cannot be"),
    "a negative length": ({"max_plies": -3}, "max_plies is '-3': expected a whole number"),
    "a length in words": ({"max_plies": "many"}, "max_plies is 'many'"),
    "half a move": ({"max_plies": 6.5}, "max_plies is '6.5'"),
    "fewer moves than none": ({"max_moves": -1}, "max_moves is '-1'"),
    "payoffs beyond all numbers": ({"payoff_range": (-1e308, 1e308)}, "expected players"),
    "a range that is hardly one": ({"payoff_range": (0.0, 5e-324)}, "expected players"),
    "names that cannot be told": ({"move_name": _wordless}, "Lying.move_name raised Wordless"),
    "a sum that is no number": ({"constant_sum": np.nan}, "constant_sum is 'nan'"),
}


@pytest.mark.parametrize("ask", [solve, solve_exactly], ids=["proof", "all positions"])
@pytest.mark.parametrize("lie", LIES)
def test_nothing_is_proven_of_a_game_that_breaks_its_word(lie, ask):
    """It is told so in one line, whichever search comes upon it."""
    changes, told = LIES[lie]
    own = type("Lying", (Counting,), changes)
    with pytest.raises(BrokenContract, match=told):
        ask(PythonGame(own()))
    assert ask(PythonGame(Counting())).low == -1.0


def test_states_that_are_never_equal_and_states_that_cannot_be_compared_are_told_so():
    class Mere:
        def __init__(self, left, turn):
            self.left, self.turn = left, turn

        def __getitem__(self, place):
            return (self.left, self.turn)[place]

    class Touchy(Mere):
        def __eq__(self, other):
            raise ValueError("hands off")

        def __hash__(self):
            return 1

    def counting(kind):
        changes = {
            "start": lambda self: kind(3, 0),
            "play": lambda self, state, take: kind(state[0] - take, 1 - state[1]),
        }
        return PythonGame(type("Objects", (Counting,), changes)())

    with pytest.raises(BrokenContract, match="1 leads to another position when it is played again"):
        solve_exactly(counting(Mere))
    with pytest.raises(BrokenContract, match="compared raised ValueError: hands off"):
        solve(counting(Touchy))


def test_a_search_of_chance_refuses_probabilities_that_do_not_add_up():
    """It would find more than there is to win."""
    changes, _ = LIES["probabilities above 1"]
    with pytest.raises(BrokenContract, match="expected probabilities"):
        trellis.rank_moves(PythonGame(type("Lying", (Counting,), changes)()).start(), sims=50)
