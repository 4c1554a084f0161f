"""Jobs done on a Ray cluster, for those who have outgrown one machine.

Every node needs Python with this very version of Trellis.  Ray repeats nothing by itself: a job
whose worker or node has died comes back as lost, like that of a local process, so that attempts are
counted and recorded in one way.  Only this process writes the record.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter, sleep
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter, LimitReached, shorten
from trellis.lab.jobs import Job
from trellis.lab.version import version
from trellis.lab.work import Outcome, perform

LOCAL = "local"
_REACHED = 5.0  # seconds in which whoever listens at an address says so
_CONNECTED = 90.0  # seconds in which a cluster takes us; Ray itself may wait for ever
_LOOKS = 5.0  # seconds between looks at the cluster: is it there, how many processors has it
_PATIENCE = 600.0  # seconds without any processor: clusters that grow when asked take some
_LEFT = 5.0  # seconds in which one that has gone is left
_TRIES = 3  # a second apart, before a cluster is given up
_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_STORE_BYTES = 128 << 20  # for results on their way, which are small; /dev/shm may be, too
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is told to anybody
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else `uv run` would be copied to every worker
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # and a warning printed about processors of graphics
}


class RayCluster:
    """Jobs as tasks of Ray, a bounded number of them in flight."""

    def __init__(self, address: str) -> None:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        try:
            import ray
        except ImportError as error:
            raise BadParameter(
                "--ray needs Ray, which is not installed here: expected the package with its "
                "extra `ray`, as in trellis-games[ray]"
            ) from error
        self._ray: Any = ray
        self._shown = shorten(address)
        self._flying: dict[Any, Job] = {}
        self._width, self._looked = 1, -_LOOKS
        self._alone_since = perf_counter()
        self._gone = False
        self._ours = not ray.is_initialized()  # a connection that a script has made stays
        if self._ours:
            self._connect(address)
        self._head = _head_of(ray)
        self._perform = ray.remote(num_cpus=1, max_retries=0)(_perform)

    @property
    def width(self) -> int:
        """Return two jobs for each processor: nodes come and go."""
        self._look()
        return self._width

    def submit(self, job: Job) -> None:
        """Hand a job to the cluster."""
        reference = self._asked(lambda: self._perform.remote(job, version(job.measure)))
        self._flying[reference] = job

    def wait_some(self, seconds: float) -> list[Outcome]:
        """Return what has ended by now, or within so many seconds."""
        if not self._flying:
            return []
        self._look()
        ready, _ = self._asked(lambda: self._ray.wait([*self._flying], timeout=seconds))
        if ready:  # and all others that have ended, too
            ready, _ = self._asked(
                lambda: self._ray.wait([*self._flying], num_returns=len(self._flying), timeout=0)
            )
        return [self._outcome(reference) for reference in ready]

    def close(self) -> None:
        """Have the cluster drop what is in flight, and leave it; a local one ends."""
        leaving = threading.Thread(target=self._leave, daemon=True)
        leaving.start()
        leaving.join(_LEFT if self._gone else None)  # Ray waits for who does not answer

    def _leave(self) -> None:
        with suppress(Exception):  # it has gone already
            for reference in self._flying:
                self._ray.cancel(reference, force=True)
        self._flying.clear()
        if self._ours:
            with suppress(Exception):
                self._ray.shutdown()

    def _look(self) -> None:
        """See now and then whether the cluster is there, and how many processors it has.

        Without its head Ray would hang for a minute, and end this process then.
        """
        if perf_counter() - self._looked < _LOOKS:
            return
        for left in reversed(range(_TRIES)):
            if self._head is None:
                break
            try:
                socket.create_connection(self._head, timeout=_REACHED).close()
                break
            except OSError as error:
                if not left:
                    raise self._lost(error) from None
                sleep(1.0)
        found = int(self._asked(lambda: self._ray.cluster_resources().get("CPU", 0)))
        self._looked = perf_counter()
        if found:
            self._width, self._alone_since = 2 * found, self._looked
        elif self._looked - self._alone_since > _PATIENCE:
            raise LimitReached(
                f"the Ray cluster {self._shown} has had no processor for {_PATIENCE / 60:.0f} "
                "minutes: what is recorded is safe, the same command goes on"
            )

    def _outcome(self, reference: Any) -> Outcome:
        errors = self._ray.exceptions
        job = self._flying.pop(reference)
        try:
            outcome: Outcome = self._ray.get(reference)
        except (errors.RayTaskError, errors.RuntimeEnvSetupError) as error:
            last = str(error).strip().splitlines()[-1]  # the rest is a traceback from elsewhere
            return Outcome(job, None, error=f"a node of the cluster cannot do it: {last}")
        except errors.RaySystemError as error:
            raise self._lost(error) from error
        except errors.RayError as error:  # a worker, a node or a result has gone
            why = _line(error).partition(". ")[0]
            return Outcome(job, None, error=f"its worker has died: {why}", lost=True)
        except Exception as error:
            raise self._lost(error) from error
        return outcome

    def _asked(self, question: Callable[[], Any]) -> Any:
        """Ask the cluster something; say in one line if it does not answer any more."""
        try:
            return question()
        except Exception as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception) -> LimitReached:
        self._gone = True
        return LimitReached(
            f"the Ray cluster {self._shown} does not answer any more ({_line(error)}): what is "
            "recorded is safe, the same command goes on"
        )

    def _connect(self, address: str) -> None:
        """Start a cluster, or connect to one; Ray's own patience has no end, so ours has one."""
        _check_address(address)
        failed: list[BaseException] = []

        def init(**more: Any) -> None:
            try:
                self._ray.init(address=address, logging_level="ERROR", log_to_driver=False, **more)
            except BaseException as error:  # noqa: BLE001  (some versions leave by SystemExit)
                failed.append(error)

        if address == LOCAL:  # whose processes end with the thread that has started them
            init(include_dashboard=False, object_store_memory=_STORE_BYTES)
        else:
            thread = threading.Thread(target=init, daemon=True)
            thread.start()
            until = perf_counter() + _CONNECTED
            while thread.is_alive() and perf_counter() < until:
                thread.join(_HEARD)
                if stop_asked():
                    raise KeyboardInterrupt
            if thread.is_alive():
                failed.append(TimeoutError(f"no answer in {_CONNECTED:.0f} seconds"))
        if failed:
            raise BadParameter(f"cannot use the Ray cluster {self._shown}: {_line(failed[0])}")
        self._silence()

    def _silence(self) -> None:
        """Keep Ray from printing what happens to nodes where programs wait for JSON.

        There is no setting for that; what matters of it is recorded with the attempts.
        """
        inside = sys.modules.get("ray._private.worker")
        if hasattr(inside, "print_to_stdstream"):
            inside.print_to_stdstream = lambda *told, **more: None  # type: ignore[union-attr]


def _perform(job: Job, expected: str) -> Outcome:
    """Do a job on a node, if that would do it as everybody else does."""
    own = version(job.measure)
    if own != expected:
        return Outcome(
            job, None, error=f"a node of the cluster has Trellis {own}: expected {expected}"
        )
    return perform(job)


def _head_of(ray: Any) -> tuple[str, int] | None:
    """Return where the head of the cluster listens; None where Ray's client does not say."""
    with suppress(Exception):
        host, _, port = str(ray.get_runtime_context().gcs_address).rpartition(":")
        return host.strip("[]"), int(port)
    return None


def _check_address(address: str) -> None:
    """Refuse an address where nobody listens: Ray would wait for minutes."""
    if address in (LOCAL, "auto"):
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise BadParameter(
            f"bad address {shorten(address)} of a Ray cluster: expected HOST:PORT, "
            "ray://HOST:PORT, auto, or local"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHED).close()
    except OSError as error:
        raise BadParameter(
            f"no Ray cluster at {shorten(address)}: {error.strerror or error}"
        ) from None


def _line(error: BaseException) -> str:
    """Return the first line of what an error says."""
    said = [line.strip() for line in str(error).splitlines() if line.strip()]
    return said[0] if said else type(error).__name__
