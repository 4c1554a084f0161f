"""The command `trellis`: its subcommands, and one line instead of a traceback."""

import os
import sys
from importlib import import_module

import typer
from typer.exceptions import TyperException

from trellis import __version__
from trellis.cli import INTERRUPTED, gdl, ggp
from trellis.cli.help import HelpfulGroup, refusal
from trellis.cli.options import add_command
from trellis.cli.output import ReaderGone, say
from trellis.game.errors import TrellisError, internal_error

# Each is a function in a file of its own name; their help comes in this order.
_COMMANDS = (
    "games", "show", "analyze", "solve", "verify", "train", "play", "match", "tournament", "gtp",
    "perft", "bench", "reproduce", "sweep", "tune", "automaton", "playthrough", "check", "cache",
    "completion",
)  # fmt: skip

app = typer.Typer(
    name="trellis",
    cls=HelpfulGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name in _COMMANDS:
    add_command(app, getattr(import_module(f"trellis.cli.{name}"), name))
gdl.register(app)
ggp.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"trellis {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Trellis: play, analyze, solve, compare and measure games, searched as graphs.

    `trellis COMMAND --help` tells what a command takes.
    """
    if context.invoked_subcommand is None:
        context.get_help()


BAD_INPUT, INTERNAL = 2, 1


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return its exit code: 0 done, 2 bad input, 130 interrupted, 1 our fault.

    Commands that compare two things return 1 where these differ, as `diff` does.
    """
    try:
        code = app(args=arguments, prog_name="trellis", standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as leaving:
        return leaving.exit_code
    except TyperException as error:
        say(refusal(error))
        return BAD_INPUT
    except typer.Abort as error:
        if isinstance(error.__cause__ or error.__context__, EOFError):
            say("internal error, please report it: unexpected end of input")
            return INTERNAL
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:  # Typer answers Ctrl-C by itself, with this code
        return leaving.code if isinstance(leaving.code, int) else INTERNAL
    except (BrokenPipeError, ReaderGone):
        # Python flushes standard output once more when it leaves; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        say("the reader of the output went away (broken pipe)")
        return BAD_INPUT
    except TrellisError as error:
        say(str(error))
        return BAD_INPUT
    except MemoryError:
        say("out of memory: try a smaller game, depth or budget")
        return BAD_INPUT
    except OSError as error:
        say(f"{error.strerror or error}: {error.filename or 'output'}")
        return BAD_INPUT
    except Exception as error:
        if os.environ.get("TRELLIS_DEBUG"):
            raise
        say(internal_error(error))
        return INTERNAL
    return code if isinstance(code, int) else 0
