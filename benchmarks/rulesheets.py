"""All rulesheets of a folder: which load, agree with records, and agree by all evaluators.

    python benchmarks/rulesheets.py FOLDER [--records FOLDER] [--steps 1000] [--jobs 1]

Every sheet is tried in a process of its own.  A record of `some/rules.kif` is a file
`some__rules.jsonl.gz` in the folder of records (`trellis gdl replay` tells what is in it).  Forward
chaining and every evaluator of the circuit then step through the same random games, states and
goals compared, until there are so many steps.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from trellis.game.errors import TrellisError
from trellis.gdl.evaluators.machine import Machine
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.diff import compare_machines
from trellis.gdl.tools.records import read_records
from trellis.gdl.tools.replay import EVALUATORS, machine_of, replay

CIRCUITS = EVALUATORS[:-1]
MOST_GAMES = 2_000


def try_sheet(path: Path, records: Path | None, steps: int, seconds: float) -> Iterator[str]:
    """Yield what is found of one sheet, a line each; the first word tells how it went."""
    began = perf_counter()
    sheet = Sheet.from_file(path)
    machines: dict[str, Machine] = {}
    for names in (CIRCUITS, ("forward",)):
        try:
            for name in names:
                machines[name] = machine_of(sheet, name)
        except TrellisError as error:
            yield f"without {'forward' if names[0] == 'forward' else 'circuit'}: {error}"
    if not machines:
        yield "refused"
        return
    yield f"loaded in {perf_counter() - began:.1f} s by {' '.join(machines)}"
    record = records / f"{path.parent.name}__{path.stem}.jsonl.gz" if records else None
    for name, machine in machines.items() if record and record.exists() else ():
        found = replay(machine, read_records(str(record)))
        verdict = "agrees" if found.agree == found.steps else "DIFFERS"
        yield f"record-{verdict} {name} {found.agree} of {found.steps}"
        if found.first_difference:
            yield f"difference {found.first_difference}"
    if "forward" not in machines:
        return
    for name in CIRCUITS:
        if name in machines:
            yield step_together(machines["forward"], machines[name], name, steps, seconds)


def step_together(a: Machine, b: Machine, name: str, steps: int, seconds: float) -> str:
    """Step two machines through random games, and say how far they went."""
    made, began = 0, perf_counter()
    for game in range(MOST_GAMES):
        found = compare_machines(a, b, games=1, seed=game, states=True)
        made += found.steps
        if found.difference is not None:
            return f"steps-DIFFER {name} after {made}: {found.difference}"
        if made >= steps:
            break
        if perf_counter() - began > seconds:
            return f"steps-agree-short {name} {made}"
    return f"steps-agree {name} {made}"


def in_own_process(path: Path, options: argparse.Namespace) -> list[str]:
    """Try a sheet where it can do no harm."""
    command = [sys.executable, __file__, str(path), "--steps", str(options.steps)]
    command += ["--records", options.records] if options.records else []
    command += ["--seconds", str(options.seconds)]
    try:
        done = subprocess.run(  # noqa: S603  # ourselves
            command, capture_output=True, text=True, timeout=600 + 4 * options.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return ["HUNG"]
    lines = done.stdout.splitlines()
    return lines if done.returncode == 0 else [*lines, "BROKE " + done.stderr.strip()[-300:]]


def main() -> None:
    """Try one sheet, or all of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", help="a folder of rulesheets, or one rulesheet")
    parser.add_argument("--records", help="a folder of recorded games")
    parser.add_argument("--steps", type=int, default=1000, help="steps to make together")
    parser.add_argument("--seconds", type=float, default=60, help="at most, for those steps")
    parser.add_argument("--jobs", type=int, default=1, help="sheets at once")
    options = parser.parse_args()
    where = Path(options.where)
    if where.is_file():
        records = Path(options.records) if options.records else None
        for line in try_sheet(where, records, options.steps, options.seconds):
            print(line, flush=True)
        return
    sheets = sorted(where.rglob("*.kif"))
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda path: in_own_process(path, options), sheets)
        for path, lines in zip(sheets, results, strict=True):
            print(path.relative_to(where), *lines, sep="\n    ", flush=True)
            words = [line.split() for line in lines]
            counts.update({" ".join(word[: 2 if "-" in word[0] else 1]) for word in words})
    print(f"{len(sheets)} sheets")
    for what, count in sorted(counts.items()):
        print(f"{count:5}  {what}")


if __name__ == "__main__":
    main()
