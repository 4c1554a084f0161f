"""The command line: one file per command."""

import sys

INTERRUPTED = 130


def run() -> None:
    """Run the command line and leave with its exit code.

    Kept apart from everything else, so that Ctrl-C is answered even while it is being imported.
    """
    try:
        from trellis.cli.main import main

        code = main()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("trellis: interrupted", file=sys.stderr)
    sys.exit(code)
