"""Send fuzzed lines of the Go Text Protocol; see that every answer is well-formed.

    python benchmarks/gtp_fuzz.py [--lines 100000] [--game go:board_size=9] [--player random]

In this process, with a cheap player.  Prints one line, and what was wrong; exit code 1 where
something was.
"""

import argparse
import sys
from time import perf_counter

from trellis.loading import load
from trellis.protocols.gtp.fuzzing import fuzz
from trellis.protocols.gtp.making import make_engine

CHUNK = 500  # lines after which the board is cleared, so that games begin again


def main() -> int:
    """Fuzz, count, tell."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--game", default="go:board_size=9")
    options.add_argument("--player", default="random")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    engine, _ = make_engine(load(given.game), given.player)
    began, done, failed, wrong = perf_counter(), 0, 0, 0
    while done < given.lines:
        engine.answer_all("clear_board")
        for line, answer, what in fuzz(
            engine, min(CHUNK, given.lines - done), given.seed * 1_000_003 + done
        ):
            done += 1
            failed += answer.startswith("?")
            if what:
                wrong += 1
                print(f"{line!r}: {answer[:200]!r} {what}")
    seconds = perf_counter() - began
    print(
        f"{given.game}: {done:,} lines, {done - failed:,} done, {failed:,} refused, "
        f"{wrong:,} answered badly; {done / seconds:,.0f} lines a second"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
