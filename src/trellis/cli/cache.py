"""`trellis cache`: where compiled kernels are kept, and how to be rid of them."""

from typing import Annotated

import typer

from trellis.cli.output import JsonFlag, console, print_json


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete all compiled code and cached proofs.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show or clear the cache of compiled kernels and of proofs about rulesheets."""
    from trellis._kernel import jit
    from trellis._kernel.cache_home import cache_home
    from trellis.gdl.proving.remembering import kept_files

    home = cache_home()
    proofs = kept_files()
    files, size = len(proofs), sum(file.stat().st_size for file in proofs)
    kernels = jit.clear_cache() if clear else jit.measure_cache()
    for file in proofs if clear else ():
        file.unlink(missing_ok=True)
    files, size = files + kernels[0], size + kernels[1]
    if json:
        print_json({"folder": str(home), "files": files, "bytes": size, "cleared": clear})
        return
    verb = "removed" if clear else "holds"
    console().print(f"{home} {verb} {files:,} files, {size / 2**20:.1f} MiB")
