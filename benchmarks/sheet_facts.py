"""All rulesheets of a folder: which facts are proven, observed, refuted or unknown, and how fast.

    python benchmarks/sheet_facts.py FOLDER [--seconds 10] [--jobs 1] [--json FILE]
        [--records FOLDER] [--most-seconds 3600] [--largest BYTES] [--cpu]

Every sheet is tried in a process of its own, small ones first.  What is proven is then held against
random play with another seed and, given `--records`, against recorded games (a record of
`some/rules.kif` is a file `some__rules.jsonl.gz`): a contradiction is a fault of the prover.
With `--cpu` seconds are those of the processor, for a machine that is busy with other things.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from trellis.game.errors import TrellisError
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.proving import Facts, prove, replay_refutation
from trellis.gdl.proving.facts import NAMES
from trellis.gdl.proving.solver import Clock
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey
from trellis.gdl.tools.records import read_records
from trellis.gdl.tools.replay import machine_of

SURVEY_SEED, SURVEY_STEPS = 2026, 20_000
STATUSES = ("proven", "observed", "refuted", "unknown")


def try_sheet(path: Path, records: Path | None, seconds: float) -> dict[str, Any]:
    """Return what is found of one sheet."""
    sheet = Sheet.from_file(path)
    try:
        circuit = sheet.circuit
    except TrellisError as error:
        return {"sheet": path.stem, "without_circuit": str(error)}
    found = prove(circuit, seconds=seconds)
    players = sum(role != RANDOM for role in circuit.roles)
    result: dict[str, Any] = {
        "sheet": path.stem,
        "seconds": found.seconds,
        "players": players,
        "gates": circuit.gates,
        "latches": len(circuit.latches),
        "facts": {
            name: {**getattr(found, name).as_json(sheet.write), "how": getattr(found, name).how}
            for name in NAMES
        },
        "contradictions": [*_against_survey(sheet, found)],
    }
    record = records / f"{path.parent.name}__{path.stem}.jsonl.gz" if records else None
    if record is not None and record.exists():
        result["contradictions"] += _against_records(found, record)
    for name in NAMES:
        fact = getattr(found, name)
        if fact.play is not None:
            try:
                machine = machine_of(sheet, "forward")
            except TrellisError:
                continue
            if not replay_refutation(machine, name, fact, circuit):
                result["contradictions"].append(f"{name}: the play does not refute it")
    return result


def _against_survey(sheet: Sheet, found: Facts) -> Iterator[str]:
    """Compare what is proven with other random play."""
    if not all(sheet.circuit.moves):
        return
    seen = survey(lay_out(sheet.circuit), SURVEY_SEED, SURVEY_STEPS)
    if found.turn_taking.proven and seen.together:
        yield "turn_taking: several players had a choice"
    if found.always_a_move.proven and seen.stuck:
        yield "always_a_move: a role was stuck"
    if found.one_goal.proven and seen.no_goal + seen.many_goals:
        yield "one_goal: there was none, or several"
    total = found.constant_sum.value
    if found.constant_sum.proven and seen.sum_of_goals and seen.sum_of_goals != (total, total):
        yield f"constant_sum: {seen.sum_of_goals}"
    if found.max_steps.proven and seen.unended and (found.max_steps.value or 0) < 1_000:
        yield "max_steps: a game went on"


def _against_records(found: Facts, record: Path) -> Iterator[str]:
    """Compare what is proven with recorded games."""
    for playout in read_records(record):
        length = sum(step.joint is not None for step in playout.steps)
        if found.max_steps.proven and length > (found.max_steps.value or length):
            yield f"max_steps: {length} steps were recorded"
        roles = playout.roles or []
        chance = [role == RANDOM for role in roles]
        for step in playout.steps:
            if step.terminal and step.goals is not None:
                goals = [goal for goal, luck in zip(step.goals, chance, strict=True) if not luck]
                if found.one_goal.proven and None in goals:
                    yield "one_goal: recorded otherwise"
                if found.constant_sum.proven and None not in goals:
                    if sum(goal or 0 for goal in goals) != found.constant_sum.value:
                        yield "constant_sum: recorded otherwise"
            if step.terminal is False and step.legal is not None:
                if found.always_a_move.proven and not all(step.legal):
                    yield "always_a_move: recorded otherwise"
                choosing = [
                    len(moves) > 1
                    for moves, luck in zip(step.legal, chance, strict=True)
                    if not luck
                ]
                if found.turn_taking.proven and sum(choosing) > 1:
                    yield "turn_taking: recorded otherwise"


def in_own_process(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Try a sheet where it can do no harm."""
    command = [sys.executable, __file__, str(path), "--seconds", str(options.seconds)]
    command += ["--records", options.records] if options.records else []
    command += ["--cpu"] if options.cpu else []
    try:
        done = subprocess.run(  # noqa: S603  # ourselves
            command, capture_output=True, text=True, timeout=600 + 20 * options.seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {"sheet": path.stem, "broke": "took too long"}
    if done.returncode != 0:
        return {"sheet": path.stem, "broke": done.stderr.strip()[-300:]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def line_of(found: dict[str, Any]) -> str:
    """Say in a line what was found of a sheet."""
    if "facts" not in found:
        return f"{found['sheet']}: {found.get('without_circuit') or found.get('broke')}"
    told = [f"{name} {fact['status']}" for name, fact in found["facts"].items()]
    wrong = [f"CONTRADICTED {each}" for each in found["contradictions"]]
    return f"{found['sheet']}: {found['seconds']:.1f} s, " + ", ".join(told + wrong)


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """Count."""
    done = [each for each in results if "facts" in each]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for each in done:
        for name, fact in each["facts"].items():
            if each["players"] > 1 or name not in ("turn_taking", "constant_sum"):
                counts[name][fact["status"]] += 1
    yield f"{'':14}" + "".join(f"{status:>10}" for status in STATUSES)
    for name in NAMES:
        yield f"{name:14}" + "".join(f"{counts[name][status]:10}" for status in STATUSES)
    times = [each["seconds"] for each in done]
    if times:
        yield f"seconds: median {statistics.median(times):.2f}, maximum {max(times):.2f}"
    wrong = sum(bool(each["contradictions"]) for each in done)
    yield f"{len(results)} sheets, {len(done)} with a circuit, {wrong} contradicted"


def main() -> None:
    """Try one sheet, or all of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", help="a folder of rulesheets, or one rulesheet")
    parser.add_argument("--records", help="a folder of recorded games")
    parser.add_argument("--seconds", type=float, default=10.0, help="at most, for a sheet")
    parser.add_argument("--jobs", type=int, default=1, help="sheets at once")
    parser.add_argument("--json", help="a file to write all that was found to, a line a sheet")
    parser.add_argument("--most-seconds", type=float, default=1e9, help="begin no sheet after")
    parser.add_argument("--largest", type=int, default=1 << 30, help="bytes of a sheet")
    parser.add_argument("--cpu", action="store_true", help="count the processor's time")
    options = parser.parse_args()
    if options.cpu:
        Clock.now = staticmethod(process_time)  # type: ignore[method-assign]
    where = Path(options.where)
    if where.is_file():
        records = Path(options.records) if options.records else None
        print(json.dumps(try_sheet(where, records, options.seconds)))
        return
    sheets = sorted(where.rglob("*.kif"), key=lambda path: (path.stat().st_size, path.name))
    sheets = [path for path in sheets if path.stat().st_size <= options.largest]
    results: list[dict[str, Any]] = []
    began = perf_counter()

    def work(path: Path) -> dict[str, Any] | None:
        late = perf_counter() - began > options.most_seconds
        return None if late else in_own_process(path, options)

    with ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(work, sheets):
            if found is not None:
                results.append(found)
                print(line_of(found), flush=True)
                if options.json:
                    with Path(options.json).open("a") as file:
                        file.write(json.dumps(found) + "\n")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
