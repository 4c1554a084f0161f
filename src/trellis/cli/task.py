"""What commands are given: which game, where to begin, how to answer, when to stop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.cli import INTERRUPTED
from trellis.cli.help import option_name
from trellis.cli.offers import games
from trellis.cli.options import SHEET_OPTIONS, Argument, Given, Option
from trellis.cli.output import print_json, say
from trellis.cli.stopping import stoppable
from trellis.cli.waiting import await_compiling, compiled, progress_bar, watch_slow_work
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.game.spec import Spec, plain_value, split_spec
from trellis.gdl.options import SheetOptions

if TYPE_CHECKING:
    from trellis.game.game import Game, Position


GAME = Argument(
    "A game that `trellis games` lists, with parameters as in hex:board_size=5; or a class in a "
    "Python file, FILE.py:CLASS; or a rulesheet, FILE.kif; or a problem of go, FILE.sgf or "
    "FILE.txt.",
    metavar="GAME",
    complete=games,
)


@dataclass(kw_only=True)
class Task:
    """A command at work: it is stopped by Ctrl-C, and answers people or programs.

    `interrupted` is None before there was anything to interrupt; `reached` says how far work came.
    """

    json: Annotated[bool, Option("Print one JSON object instead of text.")] = False

    def __post_init__(self) -> None:
        self.interrupted: bool | None = None
        self.code = 0  # to leave with
        self.reached = ""

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """Let Ctrl-C end the work inside with what it knows."""
        with stoppable() as stop:
            yield
        self.interrupted = stop.asked

    @contextmanager
    def working(
        self, title: str, *, whole: bool = False, seconds: float | None = None
    ) -> Iterator[Progress]:
        """Do the same, and yield whom the work tells how far it is.

        Of `whole` work nothing is known before its end.  It is left when it next tells how far it
        is, where somebody has pressed Ctrl-C or so many seconds are over.
        """
        began = perf_counter()
        with self.stopping(), progress_bar(title) as show, suppress(_LeftUnfinished):

            def watch(fraction: float, note: str) -> None:
                self.reached = note
                late = seconds is not None and perf_counter() - began > seconds
                if whole and (late or stop_asked()):
                    raise _LeftUnfinished
                show(fraction, note)

            yield watch

    def answer(self, content: Given, show: Callable[[], object]) -> None:
        """Print what was found for programs, or show it to people; leave with the exit code."""
        compiled()
        if self.json:
            stopped = {} if self.interrupted is None else {"interrupted": self.interrupted}
            print_json(content | self.facts() | stopped)
        else:
            show()
        if self.interrupted or self.code:
            raise typer.Exit(INTERRUPTED if self.interrupted else self.code)

    def give_up(self, what: str, **known: Any) -> None:
        """Answer with what is known where `whole` work was left before its end."""
        say(", ".join([what, *([self.reached] if self.reached else [])]))
        self.code = 1
        self.answer({**known, "reached": self.reached, "unfinished": True}, lambda: None)

    def facts(self) -> Given:
        """Return what programs are told besides."""
        return {}


class _LeftUnfinished(Exception):
    """Leaves work from inside, where it tells how far it is."""


@dataclass(kw_only=True)
class SeededTask(Task):
    """A command in which something may be random."""

    seed: Annotated[int, Option("Random seed: the same seed gives the same result.")] = 0


@dataclass(kw_only=True)
class GameTask(SeededTask):
    """A command about one game."""

    name: Annotated[str, GAME]
    sheet: Annotated[Given, SHEET_OPTIONS]

    def load(self) -> "Game":
        """Load the game; say so, once, where its kernels have to be compiled first."""
        self.game = load_game(self.name, self.sheet)
        return self.game

    def facts(self) -> Given:
        """Return how a rulesheet is played; nothing of other games."""
        return sheet_facts(self.game)


@dataclass(kw_only=True)
class PositionTask(GameTask):
    """A command about a position."""

    moves: Annotated[str, Option("Moves to play first, by name.", metavar="MOVES")] = ""

    def position(self) -> "Position":
        """Load the game and play the moves from its start."""
        return play_moves(self.load(), self.moves)


# -- loading games ---------------------------------------------------------------------------


def load_game(text: str, sheet: Given | None = None) -> "Game":
    """Load a game; say so, once, where its kernels have to be compiled first.

    Options of rulesheets become parameters, so that whoever loads the game again from its name
    need not know of them; any other game refuses them.
    """
    from trellis.loading import check_spec, load

    spec = split_spec(text)
    if sheet:
        spec = _with_sheet_options(spec, sheet, text.strip())
    check_spec(spec)  # a bad name is refused before anything is compiled
    if spec.is_sheet:
        watch_slow_work()
    await_compiling(text)
    game = load(spec)
    tell_fallback(game)
    tell_open_ends(game)
    return game


def _with_sheet_options(spec: Spec, sheet: Given, text: str) -> Spec:
    if not spec.is_sheet:
        option = option_name(next(iter(sheet)))
        raise BadParameter(f"{option} is for rulesheets: expected a .kif file, not {shorten(text)}")
    options = SheetOptions(**sheet)  # refuses bad values
    written = {name: plain_value(getattr(options, name)) for name in sheet}
    if "ground_limit" in written:  # commas part the parameters of a game
        written["ground_limit"] = written["ground_limit"].replace(" ", "").replace(",", "+")
    return spec.with_parameters(written)


def tell_fallback(game: "Game") -> None:
    """Say where a rulesheet is not played by a circuit although nobody has asked for that."""
    if sheet_facts(game).get("evaluator") == "forward":
        from trellis.gdl.forward_pace import fallback_line

        line = fallback_line(game)
        if line:
            say(line)


def tell_open_ends(game: "Game") -> None:
    """Say where a rulesheet leaves open what happens: the rest of the rules is not to blame."""
    known = getattr(game, "known", None)
    if known is None:
        return
    from trellis.gdl.tools.facts import in_words

    for fact, what in (
        (known.always_a_move, "a role has no legal move {}: play stops there, worth anything"),
        (known.one_goal, "a role has no goal, or several, {}: that is worth anything"),
    ):
        if fact.refuted:
            say(f"{game.name}: {what.format(in_words(fact.play, game.sheet))}")  # type: ignore[attr-defined]


def sheet_facts(game: "Game") -> dict[str, Any]:
    """Return what programs are told of how a rulesheet is played; nothing of other games."""
    if not hasattr(game, "sheet"):
        return {}
    return {"evaluator": getattr(game, "evaluator", ""), "reason": getattr(game, "reason", "")}


# -- moves ------------------------------------------------------------------------------------


def split_moves(text: str) -> list[str]:
    """Split a list of moves at spaces and commas, but not inside `mark(1,2)` or `(mark 1 2)`."""
    found = [""]
    depth = 0
    for character in text:
        depth = max(depth + (character == "(") - (character == ")"), 0)
        if depth == 0 and (character.isspace() or character == ","):
            found.append("")
        else:
            found[-1] += character
    return [move for move in found if move]


def read_move(game: "Game", move: str) -> str:
    """Return the name of a move; of a rulesheet `(mark 1 2)` is another way to write it."""
    sheet = getattr(game, "sheet", None)
    if sheet is None or not move.startswith("("):
        return move
    from trellis.gdl.game import printed_move

    return printed_move(sheet, move)


def read_moves(game: "Game", moves: str) -> list[str]:
    """Return the names of the moves of `--moves "d d e"`."""
    return [read_move(game, move) for move in split_moves(moves)]


def play_moves(game: "Game", moves: str) -> "Position":
    """Play the moves of `--moves "d d e"` from the start."""
    return follow(game.start(), moves)[1]


def follow(position: "Position", moves: str) -> "tuple[list[str], Position]":
    """Play moves as people write them, `d d e` or `dde`; return their names and where they lead."""
    from trellis.game.spelling import spelled

    names: list[str] = []
    for word in read_moves(position.game, moves):
        try:
            codes = spelled(position, word)
        except TrellisError as error:
            error.args = (f"move {len(names) + 1}: {error}",)
            raise
        for code in codes:
            names.append(position.name(code))
            position = position.play(code)
    return names, position
