"""Files that are there whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that it is there whole or not at all; a pipe or device is written to.

    Whatever goes wrong is an OSError, and leaves what was there before.
    """
    write_whole_bytes(path, text.encode())


def write_whole_bytes(path: Path, *parts: bytes | memoryview) -> None:
    """Do the same with bytes, or several pieces of them one after the other."""
    if path.exists() and not path.is_file():
        path.write_bytes(b"".join(parts))
        return
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(
            "wb", dir=path.parent, prefix=f".{path.name[:64]}.", delete=False
        ) as file:
            temporary = Path(file.name)
            for part in parts:
                file.write(part)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise
