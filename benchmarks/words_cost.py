"""What it costs to tell positions apart by their words: speed and memory, with and without.

`python benchmarks/words_cost.py [ROUNDS]`

Searches of the graph from the start, bounds on, and star searches to a fixed depth take turns: one
that compares words, and one that pretends the game's key to be exact and trusts keys alone.
Games with an exact key have nothing to compare and are not listed.  Time is the processor's own, so
that other programs disturb less; the median of the ratios is printed.
"""

import sys
from collections.abc import Callable
from statistics import median
from time import process_time

from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.star.engine import StarSearch
from trellis.search.star.table import make_table

GRAPH_GAMES = ("hex", "breakthrough", "othello", "amazons", "gomoku", "kalah", "quarto")
STAR_GAMES = (("ein_stein", 4), ("pig:target=30,horizon=60", 12), ("dice:m=6,k=4", 7))
SIMS = 100_000
NODE_BYTES = g.NODE.itemsize + 6  # and its place in the index


def graph_search(spec: str, seed: int, words: bool) -> tuple[float, int, float]:
    """Return simulations a second, words kept at a node, and bytes a simulation."""
    game = load(spec)
    game.exact_key = not words
    search = Search(game, seed=seed)
    search.simulate(1)
    began = process_time()
    search.simulate(SIMS)
    return SIMS / (process_time() - began), search.params.kept, search.bytes / SIMS


def star_search(spec: str, depth: int, words: bool) -> tuple[float, int, float]:
    """Return nodes a second, words kept at an entry, and bytes an entry."""
    game = load(spec)
    table = make_table(64, game.identity if words else None)
    search = StarSearch(game, table=table)
    began = process_time()
    report = search.run(depth=depth)
    nbytes = sum(array.nbytes for array in (table.entries, table.states))
    return report.nodes / (process_time() - began), table.words_kept, nbytes / len(table.entries)


def compare(
    search: Callable[[bool, int], tuple[float, int, float]], rounds: int
) -> tuple[int, str]:
    """Search with words and without, in turns; return how many are kept, bytes and the ratio."""
    pairs = [[search(words, number) for words in (True, False)] for number in range(rounds)]
    (_, kept, with_words), (_, _, without) = pairs[0]
    ratio = median(new[0] / old[0] for new, old in pairs)
    return kept, f"{with_words:.0f} against {without:.0f}  {ratio:.3f}"


def main() -> None:
    """Measure all games in turns."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print("graph searches: game, words kept, bytes a node, bytes a simulation, speed with/without")
    for spec in GRAPH_GAMES:
        graph_search(spec, 0, words=True)
        kept, speeds = compare(lambda words, seed: graph_search(spec, seed, words=words), rounds)  # noqa: B023
        node = f"{NODE_BYTES + 8 * kept} against {NODE_BYTES}"
        print(f"{spec:14} {kept} words  {node}  {speeds}", flush=True)
    print("star searches: game, depth, words kept, bytes an entry, speed with/without")
    for spec, depth in STAR_GAMES:
        star_search(spec, depth, words=True)
        kept, speeds = compare(lambda words, _: star_search(spec, depth, words=words), rounds)  # noqa: B023
        print(f"{spec} {depth} plies  {kept} words  {speeds}", flush=True)


if __name__ == "__main__":
    main()
