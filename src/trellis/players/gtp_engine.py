"""Another program that speaks the Go Text Protocol: started, asked, and ended whatever it does.

Commands are numbered, and only a reply with the number of the question counts: whatever else a
program writes is passed over.  What it writes to standard error is read, so that it never waits
for somebody to do so, and the last of it is told if it fails.
"""

import atexit
import contextlib
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
from collections import deque
from time import perf_counter, sleep
from typing import IO

from trellis._kernel.deadline import stop_asked
from trellis.game.errors import BadParameter, PlayerFailed, shorten

MOST_CHATTER = 100_000  # lines that are not a reply to a question
_LONGEST_LINE = 1 << 20  # bytes
_WAITING_LINES = 10_000  # a program that writes more than is read has to wait
MOST_BYTES = 1 << 24  # that wait to be read, or that a reply and what comes before it may have
_HEARD = 0.1  # seconds until somebody who asks to stop is heard
_SECONDS_TO_END = 2.0
_STDERR_LINES = 5
_GAMES = ("/usr/games", "/usr/local/games")  # where some systems keep games, off the path


class EngineProcess:
    """A running program; every way in which it may fail raises `PlayerFailed`."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.broken = False
        self.chatter = 0  # lines that were no replies
        self._number = 0
        self._bytes_in = self._bytes_out = 0  # of lines read, and taken: each has one writer
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING_LINES)
        self._said: deque[str] = deque(maxlen=_STDERR_LINES)
        words = split_command(command)
        words[0] = find_program(words[0]) or words[0]
        try:
            with _changing:
                self._process = subprocess.Popen(  # noqa: S603  # what the user asks to run
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is ours to answer; its children end with it
                )
                _running.add(self)
        except OSError as error:
            raise PlayerFailed(f"cannot start {shorten(command)}: {error.strerror}") from error
        for target, stream in (
            (self._read_replies, self._process.stdout),
            (self._read_errors, self._process.stderr),
        ):
            threading.Thread(target=target, args=(stream,), daemon=True).start()
        try:
            self.known = frozenset(self.ask("list_commands", 60.0).split())
        except BaseException:
            self.end()  # nobody else knows of it
            raise

    def ask(self, line: str, seconds: float) -> str:
        """Send a command; return the text of its reply, or raise what went wrong."""
        failed, text = self.try_to(line, seconds)
        if failed:
            name = line.partition(" ")[0]
            raise self._break(f"refuses {name}: {shorten(text)}", kill=False)
        return text

    def try_to(self, line: str, seconds: float) -> tuple[bool, str]:
        """Send a command; return whether the program refuses it, and what it says."""
        self._number += 1
        stdin = self._process.stdin
        if stdin is None or self.broken:
            raise self._ended()
        try:
            stdin.write(f"{self._number} {line}\n".encode())
            stdin.flush()
        except OSError:
            raise self._ended() from None
        return self._reply(line, perf_counter() + seconds)

    def _reply(self, line: str, until: float) -> tuple[bool, str]:
        heads = (f"={self._number}", f"?{self._number}")
        found: list[str] | None = None
        chatter, first_byte = 0, self._bytes_out
        while True:
            text = self._next(line, until)
            if found is not None:
                if not text.strip():
                    return found[0].startswith("?"), "\n".join([found[0][1:], *found[1:]]).strip()
                found.append(text)
            elif text.startswith(heads) and not text[len(heads[0]) :][:1].isdigit():
                found = [text[0] + text[len(heads[0]) :]]
            elif text.strip():
                self.chatter += 1
                chatter += 1
            too_long = self._bytes_out - first_byte > MOST_BYTES
            if chatter + len(found or ()) > MOST_CHATTER or too_long:
                raise self._break(f"writes without end instead of a reply to {shorten(line)}")

    def _next(self, line: str, until: float) -> str:
        while True:
            left = until - perf_counter()
            try:
                text = self._lines.get(timeout=max(0.0, min(left, _HEARD)))
            except queue.Empty:
                if stop_asked():
                    raise self._break("interrupted") from None
                if left <= 0:
                    raise self._break(f"no reply in time to {shorten(line)}") from None
                continue
            if text is None:
                raise self._ended()
            self._bytes_out += len(text)
            return text

    def _ended(self) -> PlayerFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        code = self._process.poll()
        how = "closed its output" if code is None else f"ended with code {code}"
        return self._break(how)

    def _break(self, why: str, *, kill: bool = True) -> PlayerFailed:
        """Say what went wrong; nobody asks this process again."""
        self.broken = True
        if kill:
            self.end()
        said = " / ".join(self._said)
        return PlayerFailed(why + (f"; it said {shorten(said, 160)}" if said else ""))

    def close_input(self) -> None:
        """Ask the program to end: there will be no more commands."""
        self.broken = True
        with contextlib.suppress(OSError, AttributeError):
            self._process.stdin.close()  # type: ignore[union-attr]

    def end(self) -> None:
        """End the program: politely, and then by force, with all that it has started."""
        self.broken = True
        process = self._process
        if process.poll() is None:
            self.close_input()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS_TO_END)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError, AttributeError, ValueError):
                stream.close()  # type: ignore[union-attr]
        with _changing:
            _running.discard(self)

    def _read_replies(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_LONGEST_LINE):
                text = line.decode("utf-8", "replace").replace("\r", "").rstrip("\n")
                while not self.broken and self._bytes_in - self._bytes_out > MOST_BYTES:
                    sleep(_HEARD)
                self._bytes_in += len(text)
                while not self.broken:
                    try:
                        self._lines.put(text, timeout=_HEARD)
                        break
                    except queue.Full:
                        continue
                if self.broken:
                    return
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=_SECONDS_TO_END)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(_LONGEST_LINE):
                text = line.decode("utf-8", "replace").strip()
                if text:
                    self._said.append(text)


def split_command(command: str) -> list[str]:
    """Return the words of a command as a shell would read them."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadParameter(f"bad command {shorten(command)}: {error}") from None
    if not words:
        raise BadParameter("no command: expected gtp:command=PROGRAM WITH OPTIONS")
    return words


def find_program(name: str) -> str | None:
    """Return where a program is, on the path or among the games of this system; None if nowhere."""
    found = shutil.which(name)
    for folder in () if found else _GAMES:
        found = found or shutil.which(name, path=folder)
    return found


def check_command(command: str) -> None:
    """Refuse a program that is not there."""
    program = split_command(command)[0]
    if find_program(program) is None:
        raise BadParameter(f"no program {shorten(program)}: expected one that can be run")


# -- programs that wait for their next game --------------------------------------------------------

_idle: list[EngineProcess] = []
_running: set[EngineProcess] = set()  # those that nobody has ended yet, idle ones among them
_changing = threading.Lock()


def borrow_engine(command: str) -> EngineProcess:
    """Return a program that waits for a game, or start one: some take long to start."""
    with _changing:
        for engine in _idle:
            if engine.command == command and not engine.broken:
                _idle.remove(engine)
                return engine
    return EngineProcess(command)


def give_back(engine: EngineProcess) -> None:
    """Keep a program for another game; one that has failed is ended."""
    if engine.broken:
        engine.end()
        return
    with _changing:
        _idle.append(engine)


def end_engines() -> None:
    """End all programs that wait for a game."""
    with _changing:
        waiting, _idle[:] = [*_idle], []
    _end(waiting)


@atexit.register
def end_all_engines() -> None:
    """End all programs that run, whoever plays with them.

    Whoever leaves by `os._exit` has to call this: nothing else ends a program that does not heed
    the end of its input.
    """
    with _changing:
        running, _idle[:] = [*_running], []
    _end(running)


def _end(engines: list[EngineProcess]) -> None:
    for engine in engines:
        engine.close_input()  # all of them at once, so that they end at the same time
    for engine in engines:
        engine.end()
