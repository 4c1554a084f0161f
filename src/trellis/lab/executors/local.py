"""Jobs done on this machine: one after the other in this process, or by several processes."""

from collections import deque

from trellis._kernel.deadline import stop_asked
from trellis.lab.jobs import Job
from trellis.lab.work import Outcome, perform
from trellis.players.gtp_engine import end_engines
from trellis.players.workers import Workers


class InProcess:
    """One job at a time, here."""

    def __init__(self) -> None:
        self.width = 1
        self._waiting: deque[Job] = deque()

    def submit(self, job: Job) -> None:
        """Put a job at the end of the queue."""
        self._waiting.append(job)

    def wait_some(self, seconds: float) -> list[Outcome]:
        """Do one job; where somebody asks to stop, it was cut short and counts as never begun."""
        if not self._waiting:
            return []
        outcome = perform(self._waiting.popleft())
        return [] if stop_asked() else [outcome]

    def close(self) -> None:
        """Forget jobs that have not begun, and end other programs that have played."""
        self._waiting.clear()
        end_engines()


class Processes:
    """Several processes; one that dies is replaced, and its job comes back as lost."""

    def __init__(self, workers: int) -> None:
        # One job more than there are processes for each, so that none of them waits for work.
        self.width = 2 * workers
        self._workers: Workers[Job, Outcome] = Workers(perform, workers)

    def submit(self, job: Job) -> None:
        """Hand a job to the next process that is free."""
        self._workers.submit(job)

    def wait_some(self, seconds: float) -> list[Outcome]:
        """Return what has ended by now, or within so many seconds."""
        found: list[Outcome] = []
        for job, answer in self._workers.wait_some(seconds):
            if isinstance(answer, Outcome):
                found.append(answer)
            elif isinstance(answer, Exception):
                found.append(Outcome(job, None, error=" ".join(str(answer).split())))
            else:
                found.append(Outcome(job, None, error="its process has died", lost=True))
        return found

    def close(self) -> None:
        """End all processes at once."""
        self._workers.close()


def local_executor(workers: int) -> InProcess | Processes:
    """Return what does jobs with so many processes."""
    return InProcess() if workers <= 1 else Processes(workers)
