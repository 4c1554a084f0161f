"""`trellis ggp`: a player for game servers, matches between players, tournaments."""

import asyncio
import contextlib
import json
import secrets
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trellis._kernel.files import write_whole
from trellis.cli.help import HelpfulGroup
from trellis.cli.options import Argument, Given, Option, OptionGroup, add_command
from trellis.cli.output import print_table, say, writable, write_lines
from trellis.cli.task import SeededTask
from trellis.cli.waiting import await_compiling, watch_slow_work
from trellis.game.errors import BadParameter, shorten
from trellis.protocols.ggp.settings import DEFAULT_PORT, PlayerSettings

if TYPE_CHECKING:
    from trellis.protocols.ggp.match_record import MatchRecord
    from trellis.protocols.ggp.refereeing import Referee

_SERVER_PORT = 9146
_HERE = ("127.0.0.1", "::1", "localhost")

Host = Annotated[
    str, Option("Address to listen on; anything but this machine's own lets others in.")
]
Clock = Annotated[float, Option("Start clock in seconds.", above=0)]
PlayClock = Annotated[float, Option("Play clock in seconds.", above=0)]
Scramble = Annotated[bool, Option("Give every name another word in each match.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    group = typer.Typer(name="ggp", cls=HelpfulGroup)
    group.callback(invoke_without_command=True)(_ggp)
    for command in (player, match, server, tournament):
        add_command(group, command)
    app.add_typer(group)


def _ggp(context: typer.Context) -> None:
    """Play General Game Playing over HTTP: a player, matches, a server, tournaments."""
    if context.invoked_subcommand is None:
        context.get_help()


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run until the work is done, or somebody stops it; both Ctrl-C and SIGTERM do."""

    async def stoppable() -> Any:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(number, task.cancel)
        try:
            return await task
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    return asyncio.run(stoppable())


def _check_port(port: int) -> None:
    if not 0 <= port <= 65_535:
        raise BadParameter(f"bad port {port}: expected a number from 0 to 65535")


async def _serve(
    start: Callable[[], Awaitable[tuple[Any, Any]]], tell: Callable[[int], None]
) -> None:
    """Listen until somebody stops it."""
    served, listening = await start()
    try:
        tell(listening.port)
        await asyncio.Event().wait()
    finally:
        await served.close()
        await listening.close()


# -- the player ----------------------------------------------------------------------------------


def player(
    settings: Annotated[Given, OptionGroup(PlayerSettings, "Options of the player")],
    port: Annotated[
        int, Option("Port to listen on; 0 is any that is free.", usual=str(DEFAULT_PORT))
    ] = DEFAULT_PORT,
    host: Host = "127.0.0.1",
) -> None:
    """Play matches for a game server, until Ctrl-C: INFO, START, PLAY, STOP, ABORT, PREVIEW.

    Each match is played by processes of its own.  Whatever happens, a legal move goes out before
    the clock is up, and standard error says what happened.
    """
    read = PlayerSettings(**settings)
    _check_port(port)
    from trellis.protocols.ggp.player import serve_player

    async def run() -> None:
        served, listening = await serve_player(read, say, host, port)
        try:
            await served.warm_up()
            say(f"player {shorten(read.name)} listens on http://{host}:{listening.port}")
            await asyncio.Event().wait()
        finally:
            await listening.close()
            await served.close()

    _run(run())


# -- matches -------------------------------------------------------------------------------------


def match(
    task: SeededTask,
    rules: Annotated[str, Argument("A rulesheet (.kif).", metavar="RULES")],
    players: Annotated[
        list[str],
        Argument("A player for each role: its address, http://host:port, or random.",
                 metavar="PLAYER"),
    ],
    start: Clock = 30.0,
    play: PlayClock = 10.0,
    scramble: Scramble = False,
    watch: Annotated[bool, Option("Show every state on the terminal.")] = False,
    record: Annotated[
        Path | None, Option("Write the match here, in the JSON of the GGP community.")
    ] = None,
) -> None:  # fmt: skip
    """Run a match between players over HTTP.

    A move that is illegal, late or cannot be had is replaced by a random legal one, and the match
    goes on; errors are counted: IL, TO and CE.
    """
    if record is not None:
        writable(record)
    watch_slow_work()
    from trellis.protocols.ggp.game_master import MatchPlan

    plan = MatchPlan(players, start, play, scramble, task.seed)
    plan_roles = _sheet_of(rules)
    plan.check([str(role) for role in plan_roles.roles])  # before anything is loaded
    found = _run(_play_match(Path(rules).stem, plan_roles, plan, watch and not task.json))
    if record is not None:
        write_whole(record, json.dumps(found.content()) + "\n")
    task.code = 1 if found.aborted else 0
    task.answer(found.content(), lambda: _show_match(found))


def _sheet_of(rules: str) -> Any:
    from trellis.gdl.sheet import Sheet

    return Sheet.from_file(rules)


async def _play_match(name: str, sheet: Any, plan: Any, watch: bool) -> "MatchRecord":
    from trellis.protocols.ggp.game_master import GameMaster
    from trellis.protocols.ggp.http_sending import Sender
    from trellis.protocols.ggp.refereeing import Referee

    referee = await asyncio.to_thread(Referee, sheet, plan.seed if plan.scramble else None)
    name = "".join(each for each in name if each.isalnum() or each in "_-")[:60] or "game"
    sender = Sender()
    try:
        master = GameMaster(name, f"trellis.{name}.{secrets.token_hex(6)}", referee, plan, sender)
        return await master.run(_watcher() if watch else lambda *_: None)
    finally:
        await sender.close()


def _watcher() -> "Callable[[MatchRecord, Referee], None]":
    shown = -1

    def show(record: "MatchRecord", referee: "Referee") -> None:
        nonlocal shown
        if len(record.moves) == shown:
            return
        shown = len(record.moves)
        lines = [""]
        if record.moves:
            errors = record.errors[-1]
            lines += [
                f"{role}: {move}{f'   ({error})' if error else ''}"
                for role, move, error in zip(record.roles, record.moves[-1], errors, strict=True)
            ]
        write_lines([*lines, referee.board()])
        sys.stdout.flush()

    return show


def _show_match(found: "MatchRecord") -> None:
    rows = [
        (
            role, name, "-" if not found.goals or found.goals[i] is None else str(found.goals[i]),
            *(str(found.failures(i, kind)) for kind in ("IL", "TO", "CE")),
        )
        for i, (role, name) in enumerate(zip(found.roles, found.players, strict=True))
    ]  # fmt: skip
    how = f"aborted after {len(found.moves)} steps: {found.why}"
    write_lines([how if found.aborted else f"over after {len(found.moves)} steps", ""])
    print_table(["role", "player", "goal", "illegal", "late", "unreachable"], rows, left=2)


def server(
    port: Annotated[
        int, Option("Port to listen on; 0 is any that is free.", usual=str(_SERVER_PORT))
    ] = _SERVER_PORT,
    host: Host = "127.0.0.1",
    secret: Annotated[
        str | None, Option("What whoever starts or ends matches has to know.", usual="none")
    ] = None,
) -> None:
    """Run matches that are asked for over HTTP, until Ctrl-C.

    `POST /matches` with an object of JSON (rules, players, startClock, playClock, scramble) begins
    a match; `GET /` lists them, `GET /matches/ID` is the record of one, `DELETE` ends it.
    """
    _check_port(port)
    if host not in _HERE and not secret:
        raise BadParameter(f"--host {shorten(host)} lets others in: expected --secret as well")
    from trellis.protocols.ggp.http_service import Service, listen
    from trellis.protocols.ggp.match_server import MatchServer

    async def start() -> tuple[Any, Any]:
        served = MatchServer(say, secret)
        return served, await listen(Service(served.answer), host, port)

    _run(_serve(start, lambda number: say(f"matches on http://{host}:{number}")))


# -- tournaments ---------------------------------------------------------------------------------


def tournament(
    task: SeededTask,
    players: Annotated[
        list[str], Argument("Players: NAME=http://host:port, or random.", metavar="PLAYER")
    ],
    sheets: Annotated[
        list[str], Option("A rulesheet (.kif); given once for each.", metavar="FILE")
    ],
    record: Annotated[Path, Option("What was played; the same command goes on with it.")],
    start: Clock = 30.0,
    play: PlayClock = 10.0,
    rounds: Annotated[int, Option("How often everything is played.", above=0)] = 1,
    scramble: Scramble = False,
) -> None:
    """Play every player in every role against every other, over several sheets; print ratings."""
    named = dict(_named(text) for text in players)
    if len(named) < len(players):
        raise BadParameter("two players of one name: expected NAME=http://host:port")
    writable(record)
    await_compiling("tournament")
    from trellis.lab.ggp_tournament import TournamentFile, ratings, schedule, standings
    from trellis.protocols.ggp.game_master import RANDOM, MatchPlan

    loaded = {Path(file).stem: _sheet_of(file) for file in sheets}
    roles = {name: [r for r in sheet.roles if r != RANDOM] for name, sheet in loaded.items()}
    names, addresses = list(named), list(named.values())
    texts = {name: Path(file).read_text("utf-8", "replace")
             for name, file in zip(loaded, sheets, strict=True)}  # fmt: skip
    log = TournamentFile(record, names, texts)
    pairings = schedule({n: len(r) for n, r in roles.items()}, len(names), rounds)

    async def run() -> None:
        for number, pairing in enumerate(pairings):
            if pairing.key in log.played:
                continue
            plan = MatchPlan([addresses[seat] for seat in pairing.seats], start, play, scramble,
                             task.seed + number)  # fmt: skip
            found = await _play_match(pairing.sheet, loaded[pairing.sheet], plan, watch=False)
            seats = [i for i, role in enumerate(found.roles) if role.casefold() != RANDOM]
            goals = [found.goals[i] if found.goals else None for i in seats]
            result: dict[str, Any] = {"goals": goals,
                      "errors": [found.failures(i) for i in seats], "steps": len(found.moves),
                      "aborted": found.aborted, "why": found.why}  # fmt: skip
            log.add(pairing, result)
            who = " ".join(f"{names[s]}:{g}" for s, g in
                           zip(pairing.seats, goals, strict=True))  # fmt: skip
            say(f"{len(log.played)}/{len(pairings)} {pairing.sheet}: {who}")

    with task.stopping(), contextlib.suppress(KeyboardInterrupt):
        _run(run())
    matches = [each for each in log.played.values() if not each["aborted"]]
    _show_tournament(task, standings(names, matches), ratings(names, matches), len(pairings),
                     len(log.played))  # fmt: skip


def _show_tournament(
    task: SeededTask, found: list[Any], rated: list[Any], wanted: int, played: int
) -> None:
    elo = {each.player: each for each in rated}
    rows = [
        (each.player, str(each.matches), f"{each.mean_goal:.1f}", str(each.errors),
         *((f"{elo[each.player].elo:+.0f}",
            f"{elo[each.player].low:+.0f} to {elo[each.player].high:+.0f}")
           if each.player in elo else ("-", "-")))
        for each in sorted(found, key=lambda each: -each.mean_goal)
    ]  # fmt: skip
    content = {
        "played": played, "matches": wanted,
        "players": [vars(each) | {"elo": vars(elo[each.player]) if each.player in elo else None}
                    for each in found],
    }  # fmt: skip

    def show() -> None:
        write_lines([f"{played} of {wanted} matches", ""])
        print_table(["player", "matches", "mean goal", "errors", "Elo", "95 %"], rows)

    if played < wanted:
        task.interrupted = True
    task.answer(content, show)


def _named(text: str) -> tuple[str, str]:
    name, sign, address = text.partition("=")
    return (name, address) if sign and "://" not in name else (text, text)
