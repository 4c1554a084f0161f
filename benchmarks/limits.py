"""How far the search goes: threads, memory, large graphs, the clock.

`python benchmarks/limits.py threads|memory|nodes|clock` measures one of them:

    threads   simulations a second on two threads, against one, turn by turn
    memory    100 million simulations in a graph of 256 MiB: resident memory, speed, first moves
    nodes     simulations a second while the graph grows from half a million to 20 million nodes
    clock     how far searches overshoot their time: built-in games, circuits, forward chaining,
              games in Python, star searches; `clock FILE.kif ...` adds sheets by forward chaining
"""

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import trellis.gdl
from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.parallel import ParallelSearch
from trellis.search.star.engine import StarSearch

GAME = "connect_four"
ROUNDS = 5


def threads() -> None:
    """Compare two threads with one."""
    ratios = []
    for seed in range(ROUNDS):
        rates = []
        for number in (1, 2):
            search = ParallelSearch(load(GAME), threads=number, bounds="off", seed=seed)
            began = perf_counter()
            rates.append(search.run(seconds=2).sims / (perf_counter() - began))
        ratios.append(rates[1] / rates[0])
        print(f"one {rates[0]:,.0f}/s  two {rates[1]:,.0f}/s  ratio {ratios[-1]:.2f}", flush=True)
    print(f"median ratio {median(ratios):.2f}")


def memory(sims: int = 100_000_000, mib: int = 256) -> None:
    """Search on and on in little memory."""
    Search(load(GAME), bounds="off").simulate(1)
    before = _resident()
    search = Search(load(GAME), bounds="off", memory=mib, when_full="collect")
    began = perf_counter()
    while search.sims < sims:
        start = perf_counter()
        search.simulate(sims // 10)
        report = search.report()
        values = ", ".join(f"{line.move} {line.value:+.4f}" for line in report.moves[:3])
        print(
            f"{search.sims / 1e6:5.0f} million sims  {sims / 10 / (perf_counter() - start):9,.0f}/s"
            f"  {search.collections:2} collections  peak {_resident():.0f} MiB"
            f" (before the search {before:.0f})  {values}",
            flush=True,
        )
    print(f"{perf_counter() - began:.0f} s")


def nodes(most: int = 20_000_000) -> None:
    """Let a graph grow."""
    search = Search(load(GAME), bounds="off", memory=4096, when_full="stop")
    wanted, first = 500_000, 0.0
    while wanted <= most:
        while int(search.graph.counters[g.LIVE_NODES]) < wanted:
            search.simulate(50_000)
        began = perf_counter()
        search.simulate(300_000)
        rate = 300_000 / (perf_counter() - began)
        first = first or rate
        print(f"{wanted / 1e6:5.1f} million nodes  {rate:9,.0f}/s  {rate / first:.0%}", flush=True)
        wanted = most if wanted < most < 2 * wanted else 2 * wanted


SHEETS = Path(trellis.gdl.__file__).parent / "sheets"
TIMES = (0.001, 0.01, 0.1, 0.5, 1.0)  # seconds


class Sleepy:
    """A game in Python whose moves take five milliseconds."""

    max_moves = 3

    def start(self) -> tuple[int, int]:
        """Return the matches there are, and whose turn it is."""
        return 60, 0

    def moves(self, state: tuple[int, int]) -> list[int]:
        """List how many may be taken."""
        return [take for take in (1, 2, 3) if take <= state[0]]

    def play(self, state: tuple[int, int], take: int) -> tuple[int, int]:
        """Take some, slowly."""
        sleep(0.005)
        return state[0] - take, 1 - state[1]

    def payoffs(self, state: tuple[int, int]) -> int:
        """Let who took the last one win."""
        return 1 if state[1] == 1 else -1


def clock(*files: str) -> None:
    """Search for some times, of each kind of game; tell the worst overshoot."""
    kinds: dict[str, list[Callable[[], Any]]] = {
        "built-in games": [
            lambda name=name: Search(load(name))
            for name in (GAME, "hex", "othello", "pentago", "nine_mens_morris:turn_limit=0", "pig")
        ],
        "circuits": [
            lambda name=name: Search(load(str(SHEETS / f"{name}.kif")))
            for name in ("connect_four", "breakthrough", "pig")
        ],
        "forward chaining": [
            lambda name=name: Search(load(f"{name}:evaluator=forward"))
            for name in (str(SHEETS / "breakthrough.kif"), *files)
        ],
        "games in Python": [lambda: Search(load(Sleepy()))],
        "star searches": [
            lambda: StarSearch(load("dice"), memory=16.0),
            lambda: StarSearch(load("backgammon"), memory=16.0),
            lambda: StarSearch(load(GAME), "alphabeta", memory=16.0),
            lambda: StarSearch(load(Sleepy()), "alphabeta", memory=1.0),
        ],
    }
    for kind, makes in kinds.items():
        worst, where = 0.0, ""
        for make in makes:
            for seconds in TIMES:
                search = make()
                if search.position.is_chance:
                    search = type(search)(search.position.play(search.position.move_codes()[0]))
                began = perf_counter()
                search.run(seconds=seconds)
                over = perf_counter() - began - seconds
                if over > worst:
                    worst, where = over, f"{search.game.spec}, {seconds:g} s"
        print(f"{kind:16}  at most {1000 * worst:6.1f} ms over  ({where})", flush=True)


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    parts = {"threads": threads, "memory": memory, "nodes": nodes, "clock": clock}
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        sys.exit(f"expected one of {', '.join(parts)}")
    parts[sys.argv[1]](*sys.argv[2:])
