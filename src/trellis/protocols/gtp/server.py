"""Standard input and output: a thread reads lines, replies go out at once."""

import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from trellis.protocols.gtp.attention import Attention
from trellis.protocols.gtp.engine import Engine
from trellis.protocols.gtp.parsing import LONGEST_LINE


def serve(engine: Engine, attention: Attention, source: TextIO, target: TextIO) -> None:
    """Answer lines until `quit` or the end of the input."""
    attention.attended = True
    reader = threading.Thread(target=_read, args=(source, attention), daemon=True)
    reader.start()

    def write(text: str) -> None:
        target.write(text)
        target.flush()

    while not engine.quitting:
        line = attention.next_line()
        if line is None:
            break
        engine.answer(line, write)
        engine.ponder()


def _read(source: TextIO, attention: Attention) -> None:
    for line in read_lines(source):
        attention.hear(line)
    attention.hear(None)


def read_lines(source: TextIO) -> Iterator[str]:
    """Read lines to the end; of one that is too long only the beginning, which is as long as that.

    Input that cannot be read any more has ended.
    """
    try:
        while line := source.readline(LONGEST_LINE):
            rest = line
            while rest and not rest.endswith("\n"):  # what is beyond is not another command
                rest = source.readline(LONGEST_LINE)
            yield line
    except (OSError, ValueError) as error:  # the input was closed, or is not text
        print(f"trellis: {error}", file=sys.stderr)
