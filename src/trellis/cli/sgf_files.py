"""Games of Go in files, for commands: the position before a move, games saved and annotated."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trellis._kernel.deadline import stop_asked
from trellis.cli.options import Option, refuse
from trellis.cli.output import say, writable, write_whole
from trellis.cli.task import GameTask, PositionTask
from trellis.cli.waiting import await_compiling
from trellis.game.errors import BadParameter, shorten
from trellis.game.spec import plain_value, split_spec
from trellis.loading import check_spec

if TYPE_CHECKING:
    from trellis.game.game import Game, Position
    from trellis.players.session import Session
    from trellis.search.report import Report
    from trellis.sgf.go_record import Step
    from trellis.sgf.tree import Node


@dataclass(kw_only=True)
class SgfChoice:
    """Which game of which file a command is about, and which position of it."""

    # What every command takes is said last in records, so the help has these in reverse.
    annotate: Annotated[
        Path | None,
        Option("Write --sgf with what was found as comments and variations to this file."),
    ] = None
    move: Annotated[
        int | None,
        Option(
            "Take the position before this move of --sgf.",
            usual="the end of the game; with --annotate, every move",
            above=0,
        ),
    ] = None
    sgf_game: Annotated[int | None, Option("Which game of --sgf it is.", usual="1", above=0)] = None
    sgf: Annotated[Path | None, Option("A game of go to take the position from.")] = None

    def check(self, task: PositionTask) -> None:
        """Refuse what does not go together."""
        if self.sgf is None:
            given = {"move": self.move, "sgf_game": self.sgf_game, "annotate": self.annotate}
            refuse("is for --sgf FILE", **given)
        else:
            refuse("is not for --sgf: expected --move", moves=task.moves or None)

    def open(self, task: GameTask) -> "SgfFile | None":
        """Read the file, and load the game that is played in it."""
        if self.annotate is not None:
            writable(self.annotate)
        return None if self.sgf is None else SgfFile(task, self.sgf, self.sgf_game or 1)


class SgfFile:
    """A file of games of Go, one of which a command is about."""

    def __init__(self, task: GameTask, path: Path, number: int = 1) -> None:
        game = task.name
        spec = split_spec(game)
        checked = check_spec(spec)
        if checked is None or checked[0].name != "go":
            raise BadParameter(f"--sgf is for go: expected go, not {shorten(game)}")
        # Whatever needs Numba is imported after this has told of the compiling.
        await_compiling(game)
        from trellis.sgf.go_record import GoRecord
        from trellis.sgf.tree import read_file

        self.games: list[Node]
        self.games, remarks = read_file(path)
        if not 1 <= number <= len(self.games):
            raise BadParameter(
                f"no game {number} in {shorten(str(path))}: expected 1 to {len(self.games)}"
            )
        self.record: GoRecord = GoRecord(self.games[number - 1], remarks)
        given = checked[1]
        chosen = self.record.parameters({name: given[name] for name in spec.given})
        if "komi" not in chosen:
            say(f"no komi in {path}: {given['komi']:g} is used (go:komi=… sets another)")
        words = ",".join(f"{name}={plain_value(value)}" for name, value in chosen.items())
        task.name = f"go:{words}"
        self.game: Game = task.load()
        self.steps: list[Step] = self.record.steps(self.game)  # type: ignore[arg-type]
        for remark in self.record.remarks:
            say(f"{path}: {remark}")

    def before(self, move: int | None) -> "Step":
        """Return the step that leads to the position before a move; None is the end."""
        return self.record.step_before(move, self.steps)

    def write(self, path: Path) -> None:
        """Write all games of the file, this one with what was added to it."""
        write_sgf(path, self.games)


def write_sgf(path: Path, games: "list[Node]") -> None:
    """Write a file of games."""
    from trellis.sgf.tree import write_trees

    write_whole(path, write_trees(games).decode("utf-8"))


def refuse_save(game: str, path: Path) -> None:
    """Refuse to save a game as SGF that is not Go, before it is played."""
    spec = split_spec(game)
    plain = spec.name.casefold() == "go" and spec.given.get("groups", "none") == "none"
    if path.suffix.lower() == ".sgf" and not plain:
        raise BadParameter(
            f"cannot save {shorten(game)} to {shorten(str(path))}: .sgf is for go without move "
            "groups; expected another ending"
        )


def save_session(session: "Session", path: Path, *, resigned: bool) -> None:
    """Write the game of a session, with who played."""
    from trellis.sgf.go_record import write_game

    names = ["person" if player is None else str(player.name) for player in session.players]
    who = session.position.acting if resigned else None
    root = write_game(session.positions, session.moves, names=(names[0], names[1]), resigned=who)
    write_sgf(path, [root])


def annotate_game(
    task: GameTask,
    file: SgfFile,
    move: int | None,
    path: Path,
    search: "Callable[[Position], Report]",
) -> None:
    """Search the position before one move, or before every move; write what was found."""
    from trellis.sgf.annotate import annotate

    steps = (
        [
            file.before(number)
            for number in range(file.steps[0].number + 1, file.steps[-1].number + 2)
        ]
        if move is None
        else [file.before(move)]
    )
    found: list[dict[str, Any]] = []
    with task.working(f"annotate {path}") as show:
        for done, step in enumerate(steps):
            show(done / len(steps), f"move {step.number + 1}")
            if step.position.is_over:
                continue
            report = search(step.position)
            annotate(step, report)
            found.append(
                {"move": step.number + 1, "best": report.best, "value": report.value,
                 "player": report.player, "sims": report.sims, "solved": report.solved}
            )  # fmt: skip
            if stop_asked():
                break
    file.write(path)
    task.answer(
        {"game": file.game.spec, "positions": found},
        lambda: say(f"{len(found)} positions are annotated in {path}"),
    )
