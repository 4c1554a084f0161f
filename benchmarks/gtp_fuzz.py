"""Send fuzzed lines of the Go Text Protocol; see that every answer is well-formed.

    python benchmarks/gtp_fuzz.py [--lines 100000] [--game go:board_size=9] [--player random]
    python benchmarks/gtp_fuzz.py --json [--lines 10000]

With --json, mangled queries of KataGo's analysis protocol instead: every line is answered, and
every turn of a query that was taken, once.  In this process, with a cheap player.  Prints one line,
and what was wrong; exit code 1 where something was.
"""

import argparse
import sys
from time import perf_counter
from typing import Any

from trellis.loading import load
from trellis.protocols.gtp.fuzzing import fuzz
from trellis.protocols.gtp.making import make_engine
from trellis.protocols.katago.fields import write_json
from trellis.protocols.katago.fuzzing import Counting, complaint, fuzzed_queries
from trellis.protocols.katago.service import Service

CHUNK = 500  # lines after which the board is cleared, so that games begin again


def main() -> int:
    """Fuzz, count, tell."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--lines", type=int, default=100_000)
    options.add_argument("--game", default="go:board_size=9")
    options.add_argument("--player", default="random")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    return _fuzz_queries(given) if given.json else _fuzz_commands(given)


def _fuzz_queries(given: argparse.Namespace) -> int:
    answers: list[dict[str, Any]] = []
    counting = Counting(Service(answers.append, "auto:sims=20"))
    began, found, refused, wrong = perf_counter(), 0, 0, 0
    for number, line in enumerate(fuzzed_queries(given.lines, given.seed), start=1):
        answers.clear()
        taken = counting.taken
        counting.service.take(line)
        bad = [] if answers or counting.taken > taken else ["is not answered"]
        if number % 7 == 0 or number == given.lines:  # else some are ended before they begin
            counting.service.work_now()
        for answer in answers:
            counting.heard(answer)
            found += "moveInfos" in answer
            refused += "error" in answer
            bad += filter(None, [complaint(write_json(answer))])
        if bad:
            wrong += 1
            print(f"{line[:200]!r}: {bad[0]}")
    seconds = perf_counter() - began
    print(
        f"queries: {given.lines:,} lines, {found:,} analyses, {refused:,} errors, "
        f"{counting.owed:,} answers missing, {wrong:,} lines answered badly; "
        f"{given.lines / seconds:,.0f} lines a second"
    )
    return 1 if wrong or counting.owed else 0


def _fuzz_commands(given: argparse.Namespace) -> int:
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
