"""Whatever a search needs is loaded while it is made: each kernel takes milliseconds of its clock.

Each search has a process of its own, in which nothing has been loaded by another one.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from trellis._kernel.jit import JIT_DISABLED

ROOT = Path(__file__).parents[2]
WATCHED = """
from numba.core.caching import Cache

late, is_running, load_overload = [], False, Cache.load_overload


def watched(cache, *arguments):
    if is_running:
        late.append(cache._name)
    return load_overload(cache, *arguments)


Cache.load_overload = watched

from pathlib import Path
import trellis.gdl
from trellis import Search, StarSearch, load

sheets = Path(trellis.gdl.__file__).parent / "sheets"
search = {search}
is_running = True
search.run({budget})
is_running = False
assert not late, late
"""


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("search", "budget"),
    [
        ('StarSearch(load("pig"))', "seconds=0.05, threads=2"),
        ('StarSearch(load("connect_four"), "alphabeta")', "depth=3"),
        ('Search(load("hex"))', "5"),  # which leave several moves equally good
        ('Search(load("examples/subtraction.py"), rave=100, own_playouts="edge")', "200"),
        ('Search(load(f"{sheets}/pig.kif:evaluator=forward"))', "30"),
    ],
)
def test_a_search_loads_nothing_while_it_runs(search, budget):
    script = WATCHED.replace("{search}", search).replace("{budget}", budget)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
