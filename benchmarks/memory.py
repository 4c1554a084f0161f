"""How much memory searches take beyond the budget they were given.

`python benchmarks/memory.py [--sims 100_000_000] [--memory 256] [GAME…]` runs searches of every
when_full and way to back up, each in a process of its own, and prints in MiB:

    before   resident memory with everything loaded and compiled, after a search of 1 MiB
    peak     the most that was resident from then on
    beyond   peak - before - budget: what a search takes besides its graph (see docs/limits.md)

A budget is only reached by searches that are long enough: `used` says how much of the graph's
nodes were in use at the end.  A GAME may be a rulesheet.  `star` and `exact` stand for a star
search of Dice with a table of that size and for the exact solution of Pig.
"""

import argparse
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import trellis
from trellis.game.errors import LimitReached
from trellis.game.game import Game
from trellis.loading import load
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.engine import StarSearch

SHEET = Path(trellis.__file__).parent / "gdl" / "sheets" / "connect_four.kif"
SEARCHES: dict[str, dict[str, Any]] = {
    "stop": {"when_full": "stop"},
    "collect": {"when_full": "collect"},
    "collect, bounds off": {"when_full": "collect", "bounds": "off"},
    "collect, all": {"when_full": "collect", "bounds": "off", "backup": "all"},
    "collect, ucd:2,1,2": {"when_full": "collect", "bounds": "off", "select": "ucd:2,1,2"},
    "collect, ucd:inf,0,0": {
        "when_full": "collect", "bounds": "off", "select": "uct3", "backup": "exact",
    },
    "collect, recompute": {"when_full": "collect", "bounds": "off", "select": "uct3"},
    "drake": {"when_full": "drake"},
}  # fmt: skip
SLOW = ("collect, all", "collect, ucd:2,1,2", "collect, ucd:inf,0,0")
FEWER = 20  # so many times fewer simulations where each looks at many ancestors


def resident(name: str) -> float:
    """Return what the system says of this process: VmRSS now, VmHWM at most."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise SystemExit("memory.py needs /proc/self/status, which Linux has")


def forget_peak() -> None:
    """Let VmHWM begin anew, so that loading and compiling do not count."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def search_graph(game: Game, options: dict[str, Any], memory: float, sims: int) -> float:
    """Search; return which part of the nodes was in use."""
    search = Search(game, memory=memory, **options)
    search.run(sims=sims)
    search.report()
    return int(search.graph.counters[g.LIVE_NODES]) / len(search.graph.nodes)


def measure(what: str, kind: str, memory: float, sims: int) -> dict[str, Any]:
    """Run one search in this process, a small one before."""
    used = 1.0
    if what == "star":
        StarSearch(load("dice").start(), memory=1).run(depth=7)
    elif what == "exact":
        solve_exactly(load("pig:target=10,horizon=0").start())
    else:
        game = load(what)
        search_graph(game, SEARCHES[kind], 1, 20_000)
    before = resident("VmRSS")
    forget_peak()
    began = perf_counter()
    if what == "star":
        StarSearch(load("dice").start(), memory=memory).run(depth=13)
    elif what == "exact":
        with suppress(LimitReached):
            solve_exactly(load("pig:target=1000").start(), memory=memory)
    else:
        used = search_graph(game, SEARCHES[kind], memory, sims)
    return {
        "before": before,
        "peak": resident("VmHWM"),
        "used": used,
        "seconds": perf_counter() - began,
    }


def main() -> None:
    """Measure all that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("games", nargs="*", default=["connect_four", str(SHEET), "star", "exact"])
    parser.add_argument("--sims", type=int, default=100_000_000)
    parser.add_argument("--memory", type=float, default=256)
    parser.add_argument("--only", default="", help="searches whose name begins so")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.games[0], asked.one, asked.memory, asked.sims)))
        return
    print(f"budget {asked.memory:g} MiB")
    for game in asked.games:
        kinds = [*SEARCHES] if game not in ("star", "exact") else ["-"]
        for kind in [each for each in kinds if each.startswith(asked.only) or each == "-"]:
            sims = asked.sims // FEWER if kind in SLOW else asked.sims
            command = [
                sys.executable, __file__, game, "--one", kind, "--memory", str(asked.memory),
                "--sims",
            ]  # fmt: skip
            # What has to be compiled is compiled in a process whose memory nobody measures.
            subprocess.run(  # noqa: S603  # ourselves
                [*command, "1"], check=True, capture_output=True
            )
            done = subprocess.run(  # noqa: S603  # ourselves
                [*command, str(sims)], check=True, stdout=subprocess.PIPE, text=True
            )
            found = json.loads(done.stdout)
            beyond = found["peak"] - found["before"] - asked.memory
            print(
                f"{Path(game).name:16} {kind:22} {sims / 1e6:6.1f} million sims  "
                f"before {found['before']:4.0f}  peak {found['peak']:4.0f}  beyond {beyond:+6.1f}  "
                f"used {found['used']:4.0%}  {found['seconds']:5.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
