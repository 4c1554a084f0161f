"""How far the search goes: threads, memory, large graphs, the clock.

`python benchmarks/limits.py threads|memory|nodes|clock` measures one of them on Connect Four:

    threads   simulations a second on two threads, against one, turn by turn
    memory    100 million simulations in a graph of 256 MiB: resident memory, speed, first moves
    nodes     simulations a second while the graph grows from half a million to 20 million nodes
    clock     how far searches of a second are from a second
"""

import resource
import sys
from statistics import median
from time import perf_counter

from trellis.games import load
from trellis.search import graph as g
from trellis.search.engine import Search
from trellis.search.parallel import ParallelSearch

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
    search = Search(load(GAME), bounds="off", memory=mib, policy="collect")
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
    search = Search(load(GAME), bounds="off", memory=4096, policy="stop")
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


def clock() -> None:
    """Search for a second, many times."""
    worst = 0.0
    for seed in range(20):
        search = Search(load(GAME), seed=seed)
        began = perf_counter()
        search.run(seconds=1)
        worst = max(worst, abs(perf_counter() - began - 1))
    print(f"20 searches of a second: at most {1000 * worst:.1f} ms off")


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    parts = {"threads": threads, "memory": memory, "nodes": nodes, "clock": clock}
    if len(sys.argv) != 2 or sys.argv[1] not in parts:
        sys.exit(f"expected one of {', '.join(parts)}")
    parts[sys.argv[1]]()
