"""`trellis play`: a person against a player, at the terminal or through a pipe."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console

from trellis.cli.advice import Adviser
from trellis.cli.offers import players, starting
from trellis.cli.options import Option, refuse
from trellis.cli.output import coloured, console, say, writable, write_whole
from trellis.cli.sgf_files import SgfFile, refuse_save, save_session
from trellis.cli.task import GameTask, follow, read_move
from trellis.cli.waiting import compiled
from trellis.game.errors import (
    BadParameter,
    BadRecord,
    PlayerFailed,
    PlayerResigns,
    TrellisError,
    shorten,
)
from trellis.players.levels import LEVELS, SECONDS, USUAL, level_player
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.game.game import Game
    from trellis.players.player import Player
    from trellis.players.session import Session

_HELP = "a move, or hint, why, undo, moves, board, resign, help, quit"
Advise = Callable[[], Adviser]


def play(
    task: GameTask,
    player: Annotated[
        str | None,
        Option(
            "Your opponent: random, uct:c=0.3,sims=1000, ucd:1,0,1,time=2, strategy:FILE, …",
            usual="a graph search as strong as --level",
            metavar="PLAYER",
            complete=players,
        ),
    ] = None,
    level: Annotated[
        str | None,
        Option(
            "How strong the opponent is: easy (100 simulations a move), medium (5,000), hard (a "
            "second) or max (5 seconds, more memory).",
            usual=USUAL,
            metavar="LEVEL",
            complete=starting(LEVELS),
        ),
    ] = None,
    time: Annotated[
        float | None,
        Option("Seconds the opponent thinks about a move.", usual="as --level", above=0),
    ] = None,
    moves: Annotated[str, Option("Moves to play first, by name.", metavar="MOVES")] = "",
    load: Annotated[
        Path | None, Option("Go on with a game that --save has written to this file.")
    ] = None,
    side: Annotated[
        str,
        Option(
            "The side you play: first, second, a number, all, or none to watch.", metavar="SIDE"
        ),
    ] = "first",
    save: Annotated[
        Path | None,
        Option("Write a record of the game to this file at the end; of go as SGF, to FILE.sgf."),
    ] = None,
) -> None:
    """Play a game against Trellis.  Type the name of a move, or `help`.

    `hint` and `why` search as the opponent does; with a weak one, as the level hard.
    """
    if save is not None:
        writable(save)
        refuse_save(task.name, save)
    if player is not None:
        refuse("is for opponents without --player", level=level, time=time)
        read_player(player)  # refuses a bad one before anything is compiled
    level_player("", level or USUAL, time)  # refuses what does not go together
    if load is not None:
        refuse("is not for --load: expected one of them", moves=moves or None)
        moves = " ".join(_saved_moves(task, load))
    loaded = task.game if load is not None else task.load()
    from trellis.players.session import Session

    opponent = player or level_player(loaded.name, level or USUAL, time)
    session = Session(loaded, _seats(loaded, side, opponent, task.seed), task.seed)
    for name in follow(loaded.start(), moves)[0]:
        session.play(name)
    strong = level_player(loaded.name, level if level in SECONDS else USUAL, time)
    # A person who has chosen a weak opponent does not want weak advice.
    advise = cache(lambda: Adviser(session, strong if level else opponent, strong))
    compiled()
    # With --json the game is shown on standard error, and standard output has only the object.
    out = console(stderr=task.json)
    _introduce(session, out)
    try:
        ended = _loop(session, advise, out)
    except KeyboardInterrupt:
        ended, task.interrupted = "interrupted", True
    finally:
        session.close()
    if save is not None:
        if save.suffix.lower() == ".sgf":
            save_session(session, save, resigned=ended == "resigned")
        else:
            from trellis.game.playthrough import record_game

            write_whole(save, record_game(loaded, session.moves))
        out.print(f"written to {save}")
    position = session.position
    content = {
        "game": loaded.spec,
        "moves": session.moves,
        "ended": ended,
        "resigned": position.actor_name() if ended == "resigned" else None,
        "forfeited": position.actor_name() if ended == "forfeited" else None,
        "payoffs": list(position.payoffs()) if position.is_over else None,
    }
    task.answer(content, lambda: None)


def _saved_moves(task: GameTask, path: Path) -> list[str]:
    """Return the moves of a game that was saved: a record, or a game of go as SGF; load it."""
    if path.suffix.lower() == ".sgf":
        file = SgfFile(task, path)
        codes = [step.move for step in file.steps if step.move is not None]
        start = file.game.start()
        if start.play(*codes) != file.steps[-1].position:
            raise BadParameter(f"cannot go on with {shorten(str(path))}: stones were set up in it")
        return [file.game.move_name(start.state, code) for code in codes]
    from trellis.game.playthrough import moves_of

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadParameter(f"cannot read {shorten(str(path))}: {reason}") from error
    try:
        name, moves = moves_of(text)
    except BadRecord as error:
        raise BadParameter(f"{shorten(str(path))} is {error}") from error
    expected = task.load().spec
    if name != expected:
        raise BadParameter(
            f"the game in {shorten(str(path))} is {shorten(name)}: expected {expected}"
        )
    return moves


def _seats(game: "Game", side: str, player: str, seed: int) -> "list[Player | None]":
    from trellis.players.player import make_player

    names = {"first": [0], "second": [1], "all": list(range(game.players)), "none": []}
    if side.isascii() and side.isdigit() and len(side) < 4:
        names[side] = [int(side) - 1]
    persons = names.get(side.casefold())
    if persons is None or any(not 0 <= seat < game.players for seat in persons):
        raise BadParameter(
            f"bad value {side!r} for --side: expected first, second, all, none, or a number "
            f"from 1 to {game.players}"
        )
    return [
        None if seat in persons else make_player(player, seed + 1 + seat, game, say)
        for seat in range(game.players)
    ]


def _introduce(session: "Session", out: Console) -> None:
    """Say what the game is about, and who the person is."""
    # A built-in game's class says what the game is about; of others it is one of ours.
    about = " ".join((type(session.game).__doc__ or "").replace("`", "").split())
    built_in = type(session.game).__module__.startswith("trellis.games.")
    out.print(f"{session.game.spec}: {about}" if built_in else session.game.spec)
    persons = [
        session.game.player_name(number)
        for number, seat in enumerate(session.players)
        if seat is None
    ]
    if persons:
        out.print(f"you are {' and '.join(persons)}; type {_HELP}")


def _loop(session: "Session", advise: Advise, out: Console) -> str:
    """Go on until the game is over or the person leaves; return how it ended."""
    from trellis.game.playouts import STUCK, refuse_failure

    shown = -1
    while True:
        position = session.position
        if shown != len(session.moves) and not _hides(session):
            before = session.positions[-2] if len(session.positions) > 1 else None
            out.print()
            out.print(coloured(position, before))
            if before is not None:
                told = session.game.aftermath(before.state, position.state)
                if told:
                    out.print(told)
            shown = len(session.moves)
        if position.is_over:
            _announce_end(session, out)
            return "over"
        if not session.waits_for_person:
            who = position.actor_name()
            try:
                with _thinking(out, f"{who} is thinking"):
                    move = session.advance()
            except PlayerResigns:
                out.print(f"{who} resigns")
                return "resigned"
            except PlayerFailed as failure:
                out.print(f"{who} cannot go on and loses: {failure}", markup=False)
                return "forfeited"
            if not _hides(session):
                out.print(f"{who} plays {move}")
            continue
        if not position.move_codes():
            refuse_failure(session.game, STUCK)
        answer = _ask(session, advise, out)
        if answer is not None:
            return answer


def _ask(session: "Session", advise: Advise, out: Console) -> str | None:
    """Ask the person for one line and do what it says; return how the game ended, if it did."""
    position = session.position
    name = position.actor_name()
    out.print(f"{name}> ", end="")
    line = sys.stdin.readline()
    if not sys.stdin.isatty():
        out.print(line.rstrip("\n"))  # a transcript shows what was typed
    if not line:
        out.print("\nend of input: the game is left as it is")
        return "left"
    word = read_move(session.game, line.strip())
    command = word.casefold()
    if not command:
        return None
    if command in map(str.casefold, position.moves()):
        session.play(word)  # a move may be called like a command; then it is the move
        return None
    command = command.removeprefix("/")
    if command in {"quit", "exit", "q"}:
        return "left"
    if command == "resign":
        out.print(f"{name} resigns")
        return "resigned"
    if command in {"help", "?"}:
        out.print(f"type {_HELP}; a move is {session.game.notation}")
        out.print("hint: the best move; why: that, what else there is, threats, what is proven")
        out.print("several moves in a line are played for everybody in turn; undo takes them back")
        out.print("a move wins over a command of the same name; /quit is the command")
    elif command == "moves":
        out.print(" ".join(position.moves()))
    elif command == "board":
        out.print(coloured(position))
    elif command == "undo":
        if session.undo():
            out.print("taken back")
        else:
            out.print("nothing to take back")
    elif command in {"hint", "why"}:
        adviser = advise()
        with _thinking(out, "thinking"):
            report = adviser.search()
        (adviser.hint if command == "hint" else adviser.why)(report, out)
    else:
        _play_line(session, line, out)
    return None


def _play_line(session: "Session", line: str, out: Console) -> None:
    """Play what was typed: a move, or several for everybody in turn; all of them or none."""
    position = session.position
    try:
        names, _ = follow(position, line)
    except TrellisError as error:
        out.print(str(error).removeprefix("move 1: "))
        return
    for name in names:
        if len(names) > 1:
            out.print(f"{session.position.actor_name()} plays {name}")
        session.play(name)


def _thinking(out: Console, what: str) -> AbstractContextManager[object]:
    return out.status(f"{what} …") if out.is_terminal else nullcontext()


def _hides(session: "Session") -> bool:
    """Tell whether somebody has chosen at this moment and others still have to."""
    return session.moment is not session.position


def _announce_end(session: "Session", out: Console) -> None:
    payoffs = session.position.payoffs()
    names = [session.game.player_name(player) for player in range(session.game.players)]
    best = max(payoffs)
    winners = [name for name, payoff in zip(names, payoffs, strict=True) if payoff == best]
    tally = session.game.tally(session.position.state)
    if tally:
        out.print(tally)
    scores = ", ".join(f"{name} {payoff:g}" for name, payoff in zip(names, payoffs, strict=True))
    if len(names) == 1:
        out.print(f"the game is over: payoff {payoffs[0]:g}")
    elif len(winners) == len(names):
        out.print(f"the game is over: a draw ({scores})")
    else:
        out.print(f"the game is over: {' and '.join(winners)} won ({scores})")
