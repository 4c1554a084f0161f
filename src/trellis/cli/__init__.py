"""The command line: one file per command."""

import contextlib
import io
import os
import signal
import sys

INTERRUPTED = 130
answered = False  # whether programs have got the JSON that they wait for


def _mend_streams() -> None:
    """Make standard streams usable: there may be none, or one that cannot write every letter."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        print("trellis: standard output is closed", file=sys.stderr)
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def end_programs() -> None:
    """End other programs that play, where there may be any: `os._exit` would leave them running."""
    engines = sys.modules.get("trellis.players.gtp_engine")
    end = getattr(engines, "end_all_engines", None)  # absent while that is being imported
    if end is not None:
        end()


def run() -> None:
    """Run the command line and leave with its exit code.

    Kept apart from everything else, so that Ctrl-C is answered even while it is being imported.
    """
    try:
        _mend_streams()
        from trellis._kernel.cache_home import keep_bytecode

        keep_bytecode()
        from trellis.cli.main import main

        code = main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("trellis: interrupted", file=sys.stderr, flush=True)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # this is the way out already
        end_programs()
        if "--json" in sys.argv and not answered:  # it was still loading: nothing is known
            with contextlib.suppress(OSError):
                print('{"interrupted": true}', flush=True)
        # Python remembers an interrupt inside `exec` (which libraries use) as one that nobody
        # answered, and would die of the signal instead of leaving with this code.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
    # All is said; Python on its way out would print a traceback, or die of the signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)
