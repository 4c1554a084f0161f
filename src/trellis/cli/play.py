"""`trellis play`: a person against a player, at the terminal or through a pipe."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console

from trellis.cli.options import Option
from trellis.cli.output import coloured, console, say, writable, write_whole
from trellis.cli.sgf_files import refuse_save, save_session
from trellis.cli.task import GameTask, read_move
from trellis.cli.waiting import compiled
from trellis.game.errors import BadParameter, PlayerFailed, PlayerResigns, TrellisError
from trellis.players.texts import read_player

if TYPE_CHECKING:
    from trellis.game.game import Game
    from trellis.players.player import Player
    from trellis.players.session import Session

_HELP = "a move by name, or: moves, hint, undo, board, resign, help, quit"
_SIMS = 20_000  # of a hint and of the default player: well below a second in most games
_PLAIN_SIMS = 500  # the same for a game in plain Python


def play(
    task: GameTask,
    player: Annotated[
        str | None,
        Option(
            "Your opponent: random, uct:c=0.3,sims=1000, ucd:1,0,1,time=2, strategy:FILE, …",
            usual="a graph search with 20,000 simulations for each move",
            metavar="PLAYER",
        ),
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
    """Play a game against Trellis.  Type the name of a move, or `help`."""
    if save is not None:
        writable(save)
        refuse_save(task.name, save)
    if player is not None:
        read_player(player)  # refuses a bad one before anything is compiled
    loaded = task.load()
    from trellis.players.session import Session

    session = Session(loaded, _seats(loaded, side, player, task.seed), task.seed)
    compiled()
    # With --json the game is shown on standard error, and standard output has only the object.
    out = console(stderr=task.json)
    _introduce(session, out)
    try:
        ended = _loop(session, out)
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


def _sims(game: "Game") -> int:
    return _SIMS if game.compiled else _PLAIN_SIMS


def _seats(game: "Game", side: str, player: str | None, seed: int) -> "list[Player | None]":
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
    if player is None:
        player = f"auto:sims={_sims(game)}"
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


def _loop(session: "Session", out: Console) -> str:
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
                with out.status(f"{who} is thinking …") if out.is_terminal else nullcontext():
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
        answer = _ask(session, out)
        if answer is not None:
            return answer


def _ask(session: "Session", out: Console) -> str | None:
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
    elif command == "hint":
        _hint(session, out)
    else:
        try:
            session.play(word)
        except TrellisError as error:
            out.print(str(error))
    return None


def _hint(session: "Session", out: Console) -> None:
    from trellis.search.mcts.engine import Search

    sims = _sims(session.game)
    search = Search(session.moment, seed=len(session.moves))
    search.run(sims=sims)
    report = search.report(session.position.acting)
    if report.solved:
        out.print(f"{report.best} (value {report.value:+g}, proven)")
    else:
        out.print(f"{report.best} (value {report.value:+.3f} over {sims:,} simulations)")


def _hides(session: "Session") -> bool:
    """Tell whether somebody has chosen at this moment and others still have to."""
    return session.moment is not session.position


def _announce_end(session: "Session", out: Console) -> None:
    payoffs = session.position.payoffs()
    names = [session.game.player_name(player) for player in range(session.game.players)]
    best = max(payoffs)
    winners = [name for name, payoff in zip(names, payoffs, strict=True) if payoff == best]
    scores = ", ".join(f"{name} {payoff:g}" for name, payoff in zip(names, payoffs, strict=True))
    if len(names) == 1:
        out.print(f"the game is over: payoff {payoffs[0]:g}")
    elif len(winners) == len(names):
        out.print(f"the game is over: a draw ({scores})")
    else:
        out.print(f"the game is over: {' and '.join(winners)} won ({scores})")
