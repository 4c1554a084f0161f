"""From a line to a reply: commands by name, errors as replies, streams line by line."""

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from trellis.game.errors import TrellisError, internal_error
from trellis.protocols.gtp.parsing import LONGEST_LINE, Line, Words, read_line, reply

Write = Callable[[str], None]
Stream = Callable[[Write], None]  # writes lines of a reply as they come
Answer = str | Stream
Command = Callable[[Any, Words], Answer]


class OutputFailed(Exception):
    """Nobody can be answered any more; its cause says why."""


class CommandTable(dict[str, Command]):
    """Commands by name, in the order in which they are listed."""

    def add(self, *names: str) -> Callable[[Command], Command]:
        """Enter a function under one name or several."""

        def enter(function: Command) -> Command:
            for name in names:
                self[name] = function
            return function

        return enter


class Engine:
    """Answers lines of the protocol; nothing that comes in makes it stop but `quit`."""

    def __init__(self, session: Any, *tables: CommandTable) -> None:
        self.session = session
        self.quitting = False
        self.answered = ""  # the name of the command that was obeyed last; none if that failed
        self._admin = _administrative(self)
        self.commands: dict[str, Command] = {**self._admin}
        for table in tables:
            self.commands.update(table)

    def answer(self, text: str, write: Write) -> None:
        """Answer one line; a line that says nothing gets no answer."""
        self.answered = ""
        line = read_line(text)
        if line is None:
            return
        if len(text) >= LONGEST_LINE:
            why = f"line too long: expected less than {LONGEST_LINE:,} characters"
            _careful(write)(reply(line.number, why, failed=True))
        else:
            self._answer(line, _careful(write))

    def _answer(self, line: Line, write: Write) -> None:
        began = False
        try:
            command = self.commands.get(line.name)
            if command is None:
                write(reply(line.number, "unknown command", failed=True))
                return
            answer = command(self.session, Words(line.words))
            if isinstance(answer, str):
                write(reply(line.number, answer))
            else:
                write(f"={line.number}\n")
                began = True
                answer(lambda each: write(f"{each}\n"))
                write("\n")
            self.answered = line.name
        except OutputFailed:
            raise
        except TrellisError as error:
            write("\n" if began else reply(line.number, _one_line(error), failed=True))
        except MemoryError:
            write("\n" if began else reply(line.number, "out of memory", failed=True))
        except Exception as error:  # noqa: BLE001  # one bad command must not end a game
            note_fault(error)
            text = f"internal error: {_one_line(error) or type(error).__name__}"
            write("\n" if began else reply(line.number, text, failed=True))

    def ponder(self) -> None:
        """Think while the other side does, after a move of our own, where that is wanted."""
        wanted = "genmove" in self.answered and self.answered != "reg_genmove"
        if not wanted or self.quitting:
            return
        try:
            self.session.ponder()
        except Exception as error:  # noqa: BLE001  # nobody has asked, so nobody is answered
            note_fault(error)

    def answer_all(self, text: str) -> str:
        """Answer several lines at once; return all replies."""
        written: list[str] = []
        for line in text.split("\n"):
            self.answer(line, written.append)
            if self.quitting:
                break
        return "".join(written)


def _careful(write: Write) -> Write:
    """Tell failures to write from those of a command, which are answered."""

    def send(text: str) -> None:
        try:
            write(text)
        except OSError as error:
            raise OutputFailed from error

    return send


def note_fault(error: Exception) -> None:
    """Say on standard error that something of ours has failed: one line, or where, if asked for."""
    if os.environ.get("TRELLIS_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    else:
        print(f"trellis: {internal_error(error)}", file=sys.stderr)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _administrative(engine: Engine) -> CommandTable:
    """Return the commands that every engine has; front ends expect protocol_version first."""
    table = CommandTable()

    @table.add("protocol_version")
    def protocol_version(session: Any, words: Words) -> str:
        return "2"

    @table.add("name")
    def name(session: Any, words: Words) -> str:
        return "Trellis"

    @table.add("version")
    def version(session: Any, words: Words) -> str:
        from trellis import __version__

        return __version__

    @table.add("known_command")
    def known_command(session: Any, words: Words) -> str:
        return str(words.rest() in engine.commands).lower()

    @table.add("list_commands")
    def list_commands(session: Any, words: Words) -> str:
        return "\n".join(engine.commands)

    @table.add("quit")
    def leave(session: Any, words: Words) -> str:
        engine.quitting = True
        return ""

    return table
