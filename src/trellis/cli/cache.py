"""`trellis cache`: where compiled kernels are kept, and how to be rid of them."""

from typing import Annotated

from trellis._kernel.cache_home import cache_home, clear_cache, measure_cache
from trellis.cli.options import Option
from trellis.cli.output import write_lines
from trellis.cli.task import Task


def cache(
    task: Task,
    clear: Annotated[bool, Option("Delete all compiled code and cached proofs.")] = False,
) -> None:
    """Show or clear the cache of compiled kernels and of proofs about rulesheets."""
    files, size = clear_cache() if clear else measure_cache()
    home, verb = cache_home(), "removed" if clear else "holds"
    task.answer(
        {"folder": str(home), "files": files, "bytes": size, "cleared": clear},
        lambda: write_lines([f"{home} {verb} {files:,} files, {size / 2**20:.1f} MiB"]),
    )
