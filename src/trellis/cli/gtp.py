"""`trellis gtp`: the Go Text Protocol on standard input and output, for front ends and arbiters."""

import io
import sys
from typing import Annotated

from trellis.cli.options import Given, Option, OptionGroup
from trellis.cli.output import ReaderGone
from trellis.cli.task import load_game
from trellis.cli.waiting import compiled
from trellis.game.errors import BadParameter
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
            usual="a graph search with 5 seconds for each move, or by the clock",
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
) -> None:
    """Speak the Go Text Protocol, version 2, as GoGui, Sabaki and others do.

    Replies go to standard output, everything else to standard error.  Where clocks are set, a move
    takes what its clock allows; else as long as the player says.
    """
    how = Manners(**manners)
    if player is not None:
        read_player(player)  # refuses a bad one before anything is compiled
    ruleset = None if rules is None else named_rules(rules)
    loaded = load_game(game)
    from trellis.protocols.gtp.engine import OutputFailed
    from trellis.protocols.gtp.making import make_engine
    from trellis.protocols.gtp.server import serve

    engine, attention = make_engine(loaded, player, ruleset, how, seed)
    compiled()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline="\n")
    try:
        serve(engine, attention, sys.stdin, sys.stdout)
    except OutputFailed as failure:
        if isinstance(failure.__cause__, BrokenPipeError):
            raise ReaderGone from None
        raise BadParameter(f"cannot write replies: {failure.__cause__}") from None
