"""What a match costs beside the simulations in it: 1 would be a match of nothing else.

    python benchmarks/match_cost.py
    python benchmarks/match_cost.py "connect_four;kalah" --sims 100 --a uct:c=0.3 --b uct

Games are played as `trellis match` plays them, in this process.  Then they are played once more,
and every position in which a player searched is searched again by one call of the kernel, with the
same settings and as many simulations; what a call costs that simulates nothing is taken off.  The
two take turns, and both are seconds of the processor in one run, so that other work on the machine
hardly matters to the ratio.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from trellis._kernel.jit import direct
from trellis.game.game import Game, Position
from trellis.loading import load
from trellis.players.match import Match, Seats, play_game
from trellis.players.player import Player, SearchPlayer, make_player
from trellis.search.mcts.decide import reset
from trellis.search.mcts.simulate import simulate

_SHEET = Path(__file__).parent.parent / "src" / "trellis" / "gdl" / "sheets" / "connect_four.kif"
_GAMES = (
    "connect_four", "hex:board_size=5", "breakthrough", "othello", "tic_tac_toe",
    "go:board_size=6", "kalah", "goofspiel", "dice", str(_SHEET),
)  # fmt: skip
_AT_ONCE = 4  # games, before their simulations are timed
_NO_MOVES, _NO_PAYOFFS = np.zeros(1, np.int32), np.zeros(1)


class Alone:
    """The simulations of one player, one call of the kernel for each position."""

    def __init__(self, game: Game, text: str) -> None:
        player = make_player(text, 0, game)
        if not isinstance(player, SearchPlayer):
            raise SystemExit(f"{text} does not search a graph")
        self.search = player.search_of(game.start())
        self.sims = player.sims or 0
        self.seconds, self.searches = 0.0, 0
        self._simulate: Callable[..., Any] = direct(simulate)

    def add(self, position: Position) -> None:
        """Count what the simulations of a position cost."""
        reset(self.search, position, self.searches)
        nothing = self._time(0)
        self.seconds += self._time(self.sims) - nothing
        self.searches += 1

    def _time(self, count: int) -> float:
        search = self.search
        arguments = (
            search.calls, search.tables, search.graph, search.packed, *search.working, search.rng,
            search.root_state, _NO_MOVES, 0, _NO_PAYOFFS, False, count,
        )  # fmt: skip
        began = process_time()
        self._simulate(*arguments)
        return process_time() - began


class Watched:
    """A player whose searches are repeated by `Alone`."""

    def __init__(self, player: Player, alone: Alone) -> None:
        self.name, self._player, self._alone = player.name, player, alone

    def choose(self, position: Position, player: int) -> str:
        """Choose as the player does."""
        move = self._player.choose(position, player)
        if getattr(self._player, "report", None) is not None:  # there was something to search
            self._alone.add(position)
        return move


class WatchedSeats(Seats):
    """Players of a match, watched."""

    def __init__(self, game: Game, *texts: str) -> None:
        super().__init__()
        self.alone = {text: Alone(game, text) for text in texts}

    def player(self, *arguments: Any) -> Player:
        """Return a player who is watched."""
        return Watched(super().player(*arguments), self.alone[arguments[0]])


def measure(game: Game, a: str, b: str, seconds: float) -> tuple[int, int, float, float]:
    """Return how many games and searches there were, and what both cost in seconds."""
    match = Match(game.spec, a, b, 0, (), 0, game.max_plies or 1_000)
    seats, watched = Seats(), WatchedSeats(game, a, b)
    for number in range(2):  # everything is compiled, and memory has been touched
        play_game(game, match, number, seats)
        play_game(game, match, number, watched)
    for alone in watched.alone.values():
        alone.seconds, alone.searches = 0.0, 0
    played, games = 0.0, 0
    while played < seconds:
        numbers = range(games, games + _AT_ONCE)
        began = process_time()
        for number in numbers:
            play_game(game, match, number, seats)
        played += process_time() - began
        for number in numbers:
            play_game(game, match, number, watched)
        games += _AT_ONCE
    simulated = sum(alone.seconds for alone in watched.alone.values())
    return games, sum(alone.searches for alone in watched.alone.values()), played, simulated


def main() -> None:
    """Measure every game with every budget."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("games", nargs="?", default=";".join(_GAMES), help="between semicolons")
    parser.add_argument("--sims", default="100,300,1000", help="budgets, between commas")
    parser.add_argument("--a", default="auto", help="a player without its budget")
    parser.add_argument("--b", default="uct1")
    parser.add_argument("--seconds", type=float, default=1.0, help="of games for each figure")
    options = parser.parse_args()
    print("| game | sims a move | µs a search in a match | its simulations | ratio |")
    print("|---|---|---|---|---|")
    for spec in options.games.split(";"):
        game = load(spec)
        for sims in options.sims.split(","):
            a, b = (
                f"{text}{',' if ':' in text else ':'}sims={sims}" for text in (options.a, options.b)
            )
            _, searches, played, simulated = measure(game, a, b, options.seconds)
            name = Path(spec).name if spec.endswith(".kif") else game.spec
            print(
                f"| {name} | {int(sims):,} | {1e6 * played / searches:.0f} "
                f"| {1e6 * simulated / searches:.0f} | {played / simulated:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
