"""Where jobs are done: in this process, in several on this machine, or on a Ray cluster."""

from typing import Protocol

from trellis.lab.jobs import Job
from trellis.lab.work import Outcome


class Executor(Protocol):
    """Does jobs, in any order; only whoever leads the run knows what becomes of the results.

    No more jobs are submitted at a time than its width.
    """

    @property
    def width(self) -> int:
        """Return how many jobs in flight keep it busy at present."""
        ...

    def submit(self, job: Job) -> None:
        """Have a job done some time."""
        ...

    def wait_some(self, seconds: float) -> list[Outcome]:
        """Wait until a job has ended, or so many seconds; return those that have."""
        ...

    def close(self) -> None:
        """End everything that is still at work; nothing stays behind."""
        ...
