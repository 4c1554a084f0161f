"""Where compiled kernels are kept, without the weight of what compiles them."""

import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

BYTECODE = "bytecode"  # the folder for Python's own


@cache
def cache_home() -> Path:
    """Return the folder that holds all compiled kernels; a temporary one if none is writable."""
    chosen = os.environ.get("TRELLIS_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        home = Path(chosen)
    else:
        import platformdirs

        home = platformdirs.user_cache_path("trellis")
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return home
    except OSError:
        # The user is told: a silent fallback would make every start slow without a reason.
        fallback = _own_folder(Path(tempfile.gettempdir()) / f"trellis-cache-{os.getuid()}")
        print(
            f"trellis: cannot write compiled kernels to {str(home)!r}; using {str(fallback)!r} "
            "(set TRELLIS_CACHE_DIR to choose a folder)",
            file=sys.stderr,
        )
        return fallback


def _own_folder(wanted: Path) -> Path:
    """Return a folder that nobody else can write to: machine code will be loaded from it."""
    wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
    seen = wanted.lstat()
    if stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o077:
        return wanted
    return Path(tempfile.mkdtemp(prefix=f"{wanted.name}-"))


def keep_bytecode() -> None:
    """Keep Python's bytecode beside the kernels, where it was told to leave none beside sources.

    Containers often tell it so.  Numba is large: reading its source anew takes a second.
    """
    if sys.dont_write_bytecode and sys.pycache_prefix is None:
        sys.pycache_prefix = str(cache_home() / BYTECODE)
        sys.dont_write_bytecode = False
