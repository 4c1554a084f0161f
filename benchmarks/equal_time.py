"""Matches at equal time, by the processor's clock or by that on the wall, with simulations counted.

    python benchmarks/equal_time.py GAME A B [--seconds 0.02] [--games 200] [--seed 0]

A and B are players that search graphs, such as `uct:rave=300,c=0`; each has so many seconds of the
*processor* for each move, so other work on the machine takes nothing from either.  What making the
graphs takes is not counted, as each player has one for all moves, emptied before each.

With `--clock wall` the players are those of `trellis match`, and their seconds are those on the
wall.  On a busy machine a player whose turn it is while the process waits for the processor may get
a simulation or two, and nothing makes that hit both alike.  The last lines say how many simulations
a move both had: the median, and in how many of a hundred moves fewer than there were legal moves.

Two random moves begin each pair of games; A is first in one of them.  Intervals are Wilson's.
"""

import argparse
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, thread_time
from typing import Any

from trellis.game.game import Position
from trellis.loading import load
from trellis.players.match import Match, draw_opening, wilson
from trellis.players.player import SearchPlayer, make_player
from trellis.players.texts import read_player
from trellis.search.mcts.engine import Search

_LOT = 256  # simulations between two looks at the clock
_MEMORY = 64.0  # MiB, as players have


@dataclass
class Side:
    """A player, and what it did."""

    text: str
    seconds: float
    by_wall: bool
    sims: list[int] = field(default_factory=list)
    starved: int = 0  # moves with fewer simulations than legal moves
    _mind: Any = None

    def begin(self, start: Position, seed: int) -> None:
        """Get ready for a game."""
        if self.by_wall:
            join = "," if ":" in self.text else ":"
            text = f"{self.text}{join}time={self.seconds}"
            self._mind = make_player(text, game=start.game, seed=seed)
            return
        settings = read_player(self.text).graph_settings(memory=_MEMORY)
        self._mind = Search(start, settings, seed=seed)

    def choose(self, position: Position) -> str | int:
        """Return a move."""
        legal = len(position.move_codes())
        if legal == 1:
            return position.moves()[0]
        if isinstance(self._mind, SearchPlayer):
            move: str | int = self._mind.choose(position, position.acting)
            search = self._mind.thinking
        else:
            search = self._mind
            search.restart_at(position)
            began = thread_time()
            while thread_time() - began < self.seconds and not search.solved:
                search.simulate(_LOT)
            move = search.best()
        self.sims.append(search.sims)
        self.starved += search.sims < legal and not search.solved
        return move


def play(position: Position, first: Side, second: Side) -> float:
    """Play a game to its end; return what whoever moves first at all gets."""
    sides = (first, second)
    while not position.is_over:
        position = position.play(sides[position.acting].choose(position))
    return position.payoffs()[0]


def main() -> None:
    """Play the match and print the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--seconds", type=float, default=0.02, help="for each move")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--clock", choices=("processor", "wall"), default="processor")
    options = parser.parse_args()
    game = load(options.game)
    by_wall = options.clock == "wall"
    a, b = (Side(text, options.seconds, by_wall) for text in (options.a, options.b))
    match = Match(game.spec, options.a, options.b, options.seed, (), 2, 1_000)
    score, began = 0.0, perf_counter()
    for number in range(options.games):
        opening = draw_opening(game, match, number // 2)
        position = game.start().play(*opening)
        a.begin(position, 4 * number + options.seed * 1_000_003)
        b.begin(position, 4 * number + 1 + options.seed * 1_000_003)
        paid = play(position, *((a, b) if number % 2 == 0 else (b, a)))
        least, greatest = game.payoff_range
        share = (paid - least) / (greatest - least)
        score += share if number % 2 == 0 else 1 - share
    low, high = wilson(score / options.games, options.games)
    print(
        f"{game.spec}  {options.a}  against  {options.b}  {options.seconds} s of the "
        f"{options.clock}: {score:g} of {options.games}, {score / options.games:.1%} "
        f"({low:.1%} to {high:.1%}), {perf_counter() - began:.0f} s"
    )
    for side in (a, b):
        print(
            f"  {side.text}: {median(side.sims):,.0f} simulations a move, "
            f"in {side.starved / len(side.sims):.1%} of the moves fewer than legal moves"
        )


if __name__ == "__main__":
    main()
