"""A worker process from outside: requests go in, answers come out; it is ended when it hangs."""

import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

_LONGEST_LINE = 64 << 20  # bytes of an answer: a role may have many legal moves
_KEPT_WORDS = 5  # lines of what it wrote on standard error

Listener = Callable[[dict[str, Any]], None]


class WorkerLink:
    """A process that plays a match; `listen` gets its answers, and `{"ended": …}` at the end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("a process without pipes")
        self._process = process
        self._in, self._out, self._errors = process.stdin, process.stdout, process.stderr
        self._listener: Listener | None = None
        self._early: list[dict[str, Any]] = []
        self._said: deque[str] = deque(maxlen=_KEPT_WORDS)
        self.alive = True
        self._tasks = [
            asyncio.create_task(self._hear()),
            asyncio.create_task(self._drain_errors()),
        ]

    @classmethod
    async def start(cls) -> "WorkerLink":
        """Start a process; it imports what it needs meanwhile."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "trellis.protocols.ggp.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=os.name == "posix",  # it ends with all that it has started
        )  # fmt: skip
        return cls(process)

    async def warm_up(self) -> None:
        """Have it compile and load what most matches need; return when it has, or is gone."""
        done = asyncio.Event()

        def hear(answer: dict[str, Any]) -> None:
            if answer.keys() & {"warm", "failed", "ended"}:
                done.set()

        self.listen(hear)
        self.send(do="warm")
        await done.wait()
        self._listener = None

    def listen(self, listener: Listener) -> None:
        """Hand answers to somebody, those first that have come already."""
        self._listener = listener
        for answer in self._early:
            listener(answer)
        self._early.clear()

    def send(self, **request: Any) -> None:
        """Send a request; nothing happens where the process is gone."""
        if self.alive and not self._in.is_closing():
            with contextlib.suppress(OSError, RuntimeError):
                self._in.write(json.dumps(request).encode() + b"\n")

    def kill(self) -> None:
        """End the process and all that it has started."""
        self.alive = False
        self._listener = None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix" and self._process.returncode is None:
                os.killpg(self._process.pid, 9)
            else:
                self._process.kill()

    async def end(self) -> None:
        """End the process, and wait until it is gone."""
        self.kill()
        await self._process.wait()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- what comes back --------------------------------------------------------------------

    def _tell(self, answer: dict[str, Any]) -> None:
        if self._listener is not None:
            self._listener(answer)
        elif self.alive:
            self._early.append(answer)

    async def _hear(self) -> None:
        why = ""
        try:
            while line := await self._out.readline():
                with contextlib.suppress(ValueError):
                    self._tell(json.loads(line))
        except (ValueError, OSError) as error:  # a line that is longer than any answer
            why = str(error)
            self.kill()
        code = await self._process.wait()
        self.alive = False
        said = self._said[-1] if self._said else ""
        self._tell({"ended": code, "why": why or said})

    async def _drain_errors(self) -> None:
        with contextlib.suppress(ValueError, OSError):
            while line := await self._errors.readline():
                self._said.append(line.decode("utf-8", errors="replace").strip()[:200])
