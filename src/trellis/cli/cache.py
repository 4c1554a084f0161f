"""`trellis cache`: where compiled kernels are kept, and how to be rid of them."""

from typing import Annotated

import typer

from trellis.cli.output import JsonFlag, console, print_json


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("cache")(cache)


def cache(
    clear: Annotated[bool, typer.Option(help="Remove all compiled kernels.")] = False,
    json: JsonFlag = False,
) -> None:
    """Show, or clear, the folder of compiled kernels."""
    from trellis import _jit

    home = _jit.cache_home()
    files, size = _jit.clear_cache() if clear else _jit.measure_cache()
    if json:
        print_json({"folder": str(home), "files": files, "bytes": size, "cleared": clear})
        return
    verb = "removed" if clear else "holds"
    console().print(f"{home} {verb} {files:,} files, {size / 2**20:.1f} MiB")
