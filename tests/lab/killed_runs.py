"""Runs that are killed: `killed_runs.py FOLDER KILLS WORKERS` prints what is in the record then.

Python and kernels are loaded once; each run is a fork of this process.  A run in one process is
killed after a random time, in proportion to that of one that nobody disturbs; of a run with workers
some of these are killed twice, after it has come on, and then the run itself.
"""

import json
import os
import random
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path
from time import perf_counter, sleep

sys.path.insert(0, str(Path(__file__).parent.parent))

from laboratory import experiment, samples_of
from trellis.lab.record import Record
from trellis.lab.running import run

TINY = experiment(samples=120)
MOST_RUNS = 500


def start(record, workers):
    """Fork a process that runs the experiment and leaves at once."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if run(TINY, "smoke", record=record, workers=workers).complete else 2
        finally:
            os._exit(code)
    return child


def finish(record, workers):
    """Run to the end; return the seconds."""
    began = perf_counter()
    _, status = os.waitpid(start(record, workers), 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return perf_counter() - began


def jobs_in(record):
    """Return how many jobs are on record."""
    if not record.exists():
        return 0
    with closing(Record(record)) as opened:
        return len([*opened.rows()])


def kill_workers(leader, record, chance):
    """Let a run come on by a job, and kill one of its workers or two."""
    before = jobs_in(record)
    while jobs_in(record) == before:
        if os.waitid(os.P_PID, leader, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        sleep(0.01)
    found = Path(f"/proc/{leader}/task/{leader}/children").read_text(encoding="ascii").split()
    workers = [
        each for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]
    for worker in chance.sample(workers, min(len(workers), chance.choice((1, 2)))):
        with suppress(ProcessLookupError):
            os.kill(int(worker), signal.SIGKILL)


def main():
    """Run, kill, and run to the end."""
    folder, kills, workers = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    run(TINY, "smoke")  # which loads and compiles all that there is
    left_alone, disturbed = folder / "left_alone", folder / "disturbed"
    whole = finish(left_alone, workers)
    nothing_to_do = finish(left_alone, workers)
    chance, killed, sizes = random.Random(1), 0, []
    for _ in range(MOST_RUNS):
        leader = start(disturbed, workers)
        if workers == 1:
            sleep(chance.uniform(0, nothing_to_do + 2 * (whole - nothing_to_do) / kills))
        else:
            kill_workers(leader, disturbed, chance)
            kill_workers(leader, disturbed, chance)
        os.kill(leader, signal.SIGKILL)
        _, status = os.waitpid(leader, 0)
        killed += os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        sizes.append(jobs_in(disturbed))
        if killed == kills:
            break
    finish(disturbed, workers)
    found = {"killed": killed, "sizes": sizes}
    for path in (left_alone, disturbed):
        with closing(Record(path)) as opened:
            table = samples_of(run(TINY, "smoke", record=opened))
            keys = [row["key"] for row in opened.rows()]
            found[path.name] = {"table": table, "keys": keys, "attempts": opened.attempts()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
