"""How long after its deadline a player with a budget of time answers, and what answering takes.

    python benchmarks/deadlines.py
    python benchmarks/deadlines.py "go:board_size=9" --player uct2 --seconds 0.1

A player chooses a move in positions that random moves lead to.  Told are the median and the
greatest time from the deadline to the answer, in milliseconds, below zero where it came before; on
a machine with other work these are mostly the machine's.  What answering takes is told in
milliseconds of the processor, medians: to name the best move, and to make a whole report.
"""

import argparse
from itertools import pairwise
from statistics import median
from time import perf_counter, thread_time

from trellis.game.bits import generator
from trellis.game.game import Game, Position
from trellis.loading import load
from trellis.players.player import SearchPlayer, make_player
from trellis.search.mcts.decide import best_for

_GAMES = "connect_four;hex;breakthrough;go:board_size=9"
_MOVES_BEFORE = 8


def some_position(game: Game, seed: int) -> Position:
    """Return a position that some random moves lead to."""
    random = generator(seed)
    while True:
        position = game.start()
        for _ in range(_MOVES_BEFORE):
            codes = position.move_codes()
            position = position.play(codes[int(random.integers(len(codes)))])
            if position.is_over:
                break
        else:
            return position


def main() -> None:
    """Measure every game with every budget."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("games", nargs="?", default=_GAMES, help="between semicolons")
    parser.add_argument("--player", default="auto:bounds=off", help="a player without its budget")
    parser.add_argument("--seconds", default="0.05,0.1,0.5", help="budgets, between commas")
    parser.add_argument("--moves", type=int, default=20, help="for each figure")
    options = parser.parse_args()
    print("| game | seconds | median, ms late | greatest | best move, ms | report, ms |")
    print("|---|---|---|---|---|---|")
    for spec in options.games.split(";"):
        game = load(spec)
        for seconds in options.seconds.split(","):
            join = "," if ":" in options.player else ":"
            player = make_player(f"{options.player}{join}time={seconds}", 1, game)
            if not isinstance(player, SearchPlayer):
                raise SystemExit(f"{options.player} does not search a graph")
            figures = [_measure(player, some_position(game, i)) for i in range(options.moves + 1)]
            late, best, report = zip(*figures[1:], strict=True)  # first, memory is asked for
            print(
                f"| {spec} | {seconds} | {median(late):.2f} | {max(late):.2f} "
                f"| {median(best):.2f} | {median(report):.2f} |",
                flush=True,
            )


def _measure(player: SearchPlayer, position: Position) -> tuple[float, float, float]:
    """Return how late a move was, and what it takes to name it and to make a report."""
    began = perf_counter()
    player.choose(position, position.acting)
    late = perf_counter() - began - (player.seconds or 0.0)
    times = [thread_time()]
    if player.thinking is not None:
        best_for(player.thinking, position.acting)
        times.append(thread_time())
        player.thinking.report(position.acting)
        times.append(thread_time())
    best, report = (after - before for before, after in pairwise(times))
    return 1e3 * late, 1e3 * best, 1e3 * report


if __name__ == "__main__":
    main()
