"""What the first command on a new machine is made of, in seconds.

    python benchmarks/cold_start.py                # packages from uv's cache
    python benchmarks/cold_start.py --download     # with an empty cache: they are downloaded

Clones this checkout into a scratch folder, installs it there (`uv sync`) and runs
`trellis analyze connect_four` twice, the first time with an empty kernel cache.  Processor time
stands beside the time by the clock, because other programs on the machine cannot change it.
Then the kernels are compiled once more, each with the time it takes.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).parent.parent
COMMAND = ("analyze", "connect_four")
SHOWN = 0.1  # seconds: faster kernels are added up

EACH_KERNEL = """
import sys
from time import process_time
from numba.core import event

class Compiling(event.Listener):
    began, depth = 0.0, 0
    def on_start(self, what):
        if self.depth == 0:
            self.began = process_time()
        self.depth += 1
    def on_end(self, what):
        self.depth -= 1
        if self.depth == 0:  # what it calls is part of it
            name = what.data["dispatcher"].py_func
            print(f"{process_time() - self.began} {name.__module__}.{name.__name__}")

event.register("numba:compile", Compiling())
from trellis.cli import run
sys.stdout, real = sys.stderr, sys.stdout
Compiling.on_end.__globals__["print"] = lambda text: real.write(text + chr(10))
run()
"""


def timed(what: str, *command: str, env: dict[str, str], cwd: Path) -> str:
    """Run a command, print what it took, and return its output."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(  # noqa: S603  # ourselves
        command, env=env, cwd=cwd, check=True, capture_output=True, text=True
    )
    took, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{took:7.2f} {spent:10.2f}   {what}", flush=True)
    return done.stdout


def main() -> None:
    """Measure one cold start."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--download", action="store_true", help="begin with an empty package cache")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        clone, env = Path(scratch) / "clone", dict(os.environ)
        env |= {"XDG_CACHE_HOME": f"{scratch}/cache", "TRELLIS_CACHE_DIR": f"{scratch}/kernels"}
        env.pop("VIRTUAL_ENV", None)
        if not options.download:
            found = subprocess.run(
                ["uv", "cache", "dir"],  # noqa: S607
                check=True,
                capture_output=True,
                text=True,
            )
            env["UV_CACHE_DIR"] = found.stdout.strip()
        print("seconds  processor   what")
        sync = ("uv", "sync", "--quiet", "--python", sys.executable)
        timed("git clone", "git", "clone", "-q", str(HERE), str(clone), env=env, cwd=HERE)
        what = "download and install" if options.download else "install"
        timed(f"{what} packages", *sync, env=env, cwd=clone)
        trellis = str(clone / ".venv" / "bin" / "trellis")
        timed("trellis --help", trellis, "--help", env=env, cwd=clone)
        for which in ("first", "second"):
            timed(
                f"trellis {' '.join(COMMAND)}, {which} time", trellis, *COMMAND, env=env, cwd=clone
            )
        timed("the same by uv run", "uv", "run", "trellis", *COMMAND, env=env, cwd=clone)
        env["TRELLIS_CACHE_DIR"] += "-again"
        python = str(clone / ".venv" / "bin" / "python")
        printed = timed(
            "the first once more, of which", python, "-c", EACH_KERNEL, *COMMAND, env=env, cwd=clone
        )
        kernels = [line.split() for line in printed.splitlines()]
        for seconds, name in sorted(kernels, key=lambda row: -float(row[0])):
            if float(seconds) >= SHOWN:
                print(f"{float(seconds):18.2f}   compiles {name}")
        rest = [float(seconds) for seconds, _ in kernels if float(seconds) < SHOWN]
        print(f"{sum(rest):18.2f}   compiles {len(rest)} more")


if __name__ == "__main__":
    main()
