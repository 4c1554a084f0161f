"""Where compiled kernels are kept, without the weight of what compiles them."""

import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

BYTECODE = "bytecode"  # the folder for Python's own
PROOFS = "facts"  # the folder for what was proven of rulesheets
CIRCUITS = "circuits"  # the folder for large rulesheets as circuits


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


def measure_cache() -> dict[str, tuple[int, int]]:
    """Count the files and bytes of all that is kept, by what it is."""
    measured = {}
    for what, folders in _folders().items():
        files = size = 0
        for path in (path for top in folders for path in top.rglob("*")):
            with suppress(FileNotFoundError):  # another process may write, and tidy up, meanwhile
                if stat.S_ISREG((found := path.stat()).st_mode):
                    files, size = files + 1, size + found.st_size
        measured[what] = files, size
    return measured


def clear_cache() -> dict[str, tuple[int, int]]:
    """Remove all that is kept; return how many files and bytes went, by what it was."""
    removed = measure_cache()
    for folder in (folder for folders in _folders().values() for folder in folders):
        shutil.rmtree(folder, ignore_errors=True)
    return removed


def _folders() -> dict[str, list[Path]]:
    home = cache_home()
    return {
        "compiled code": [*home.glob("kernels-*"), home / BYTECODE],
        "proofs": [home / PROOFS],
        "circuits": [home / CIRCUITS],
    }
