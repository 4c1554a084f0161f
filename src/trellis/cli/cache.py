"""`trellis cache`: where compiled kernels are kept, and how to be rid of them."""

from typing import Annotated

from trellis._kernel.cache_home import cache_home, clear_cache, measure_cache
from trellis.cli.options import Option
from trellis.cli.output import write_lines
from trellis.cli.task import Task


def cache(
    task: Task,
    clear: Annotated[bool, Option("Delete all compiled code, cached proofs and circuits.")] = False,
) -> None:
    """Show or clear the cache: compiled kernels, and of rulesheets proofs and circuits."""
    parts = clear_cache() if clear else measure_cache()
    home, verb = cache_home(), "removed" if clear else "holds"
    files, size = (sum(part[i] for part in parts.values()) for i in range(2))
    task.answer(
        {
            "folder": str(home), "files": files, "bytes": size, "cleared": clear,
            "parts": {what: {"files": part[0], "bytes": part[1]} for what, part in parts.items()},
        },
        lambda: write_lines(
            [
                f"{home} {verb} {_amount(files, size)}",
                *(f"  {what}: {_amount(*part)}" for what, part in parts.items()),
            ]
        ),
    )  # fmt: skip


def _amount(files: int, size: int) -> str:
    return f"{files:,} files, {size / 2**20:.1f} MiB"
