"""`trellis gtp`: the Go Text Protocol on standard input and output, for front ends and arbiters."""

import io
import sys
from typing import Annotated, NoReturn

from trellis.cli.options import Given, Option, OptionGroup
from trellis.cli.output import ReaderGone
from trellis.cli.task import load_game
from trellis.cli.waiting import compiled
from trellis.game.errors import BadParameter, shorten
from trellis.players.texts import read_player
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.rulesets import DEFAULT, named_rules


def gtp(
    manners: Annotated[Given, OptionGroup(Manners, "Manners")],
    game: Annotated[
        str, Option("The game, with parameters as in go:board_size=9.", metavar="GAME")
    ] = "go",
    player: Annotated[
        str | None,
        Option(
            "Who plays: random, uct:c=0.3,sims=1000, simple:time=2,reuse=true, …",
            usual="a graph search of 5 seconds a move or by the clock, of Go the best known",
            metavar="PLAYER",
        ),
    ] = None,
    rules: Annotated[
        str | None,
        Option(
            "Rules of Go: tromp-taylor, chinese, chinese-ogs, aga, new-zealand or cgos.",
            usual=f"{DEFAULT}, with superko and suicide as the game says",
            metavar="RULES",
        ),
    ] = None,
    seed: Annotated[int, Option("Random seed: the same seed gives the same result.")] = 0,
    analysis_json: Annotated[
        bool,
        Option(
            "Speak KataGo's analysis protocol instead, JSON line by line, as KaTrain does; queries "
            "say board, rules and komi."
        ),
    ] = False,
    report_winrates: Annotated[
        str | None,
        Option(
            "With --analysis-json, whose values are told: black, white or side-to-move.",
            usual="black, or as a query says",
            metavar="WHOSE",
        ),
    ] = None,
) -> None:
    """Speak the Go Text Protocol, version 2, as GoGui, Sabaki and others do.

    Replies go to standard output, everything else to standard error.  Where clocks are set, a move
    takes what its clock allows; else as long as the player says.
    """
    how = Manners(**manners)
    if player is not None:
        read_player(player)  # refuses a bad one before anything is compiled
    if analysis_json:
        _refuse_idle({"manners": bool(manners), "--game": game != "go", "--rules": bool(rules)})
        _analyse_queries(player, report_winrates or "black", seed)
        return
    if report_winrates is not None:
        raise BadParameter("--report-winrates means nothing without --analysis-json")
    ruleset = None if rules is None else named_rules(rules)
    loaded = load_game(game)
    from trellis.protocols.gtp.engine import OutputFailed
    from trellis.protocols.gtp.making import make_engine
    from trellis.protocols.gtp.server import serve

    engine, attention = make_engine(loaded, player, ruleset, how, seed)
    compiled()
    _make_plain()
    try:
        serve(engine, attention, sys.stdin, sys.stdout)
    except OutputFailed as failure:
        _refuse_output(failure)


def _analyse_queries(player: str | None, whose: str, seed: int) -> None:
    """Speak KataGo's analysis protocol."""
    from trellis.protocols.gtp.engine import OutputFailed
    from trellis.protocols.katago.query import VIEWS
    from trellis.protocols.katago.service import Service
    from trellis.protocols.katago.serving import Outbox, serve_queries

    if whose.casefold() not in VIEWS:
        raise BadParameter(
            f"bad value {shorten(whose)} for --report-winrates: expected black, white or "
            "side-to-move"
        )
    _make_plain()
    outbox = Outbox(sys.stdout)
    service = Service(outbox.send, player, VIEWS[whose.casefold()], seed)
    service.warm_up()
    compiled()
    try:
        serve_queries(service, outbox, sys.stdin)
    except OutputFailed as failure:
        _refuse_output(failure)


def _refuse_idle(given: dict[str, bool]) -> None:
    """Refuse what means nothing where each query says all there is to know."""
    for name, is_given in given.items():
        if is_given:
            what = "options of manners mean" if name == "manners" else f"{name} means"
            raise BadParameter(f"{what} nothing with --analysis-json: expected queries to say all")


def _make_plain() -> None:
    """Read and write UTF-8 with plain ends of lines, whatever the locale is."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline="\n")


def _refuse_output(failure: Exception) -> NoReturn:
    if isinstance(failure.__cause__, BrokenPipeError):
        raise ReaderGone from None
    raise BadParameter(f"cannot write replies: {failure.__cause__}") from None
