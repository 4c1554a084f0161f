"""Putting an engine together: a game, a player, the commands that go with them."""

from dataclasses import replace
from typing import Any

from trellis._kernel.jit import ready
from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game
from trellis.game.spec import split_spec
from trellis.games.go.game import Go
from trellis.games.go.problem import GoProblem
from trellis.players.player import SearchPlayer
from trellis.protocols.gtp.analysis import ANALYSIS
from trellis.protocols.gtp.attention import Attention
from trellis.protocols.gtp.common_commands import COMMON
from trellis.protocols.gtp.engine import CommandTable, Engine
from trellis.protocols.gtp.game_board import is_playable
from trellis.protocols.gtp.game_commands import GAMES, HEX
from trellis.protocols.gtp.game_session import GameSession
from trellis.protocols.gtp.go_commands import GO
from trellis.protocols.gtp.go_files import FILES
from trellis.protocols.gtp.go_session import GoSession
from trellis.protocols.gtp.gogui import GOGUI
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.ownership import count_owners
from trellis.protocols.gtp.rulesets import DEFAULT, Ruleset, named_rules
from trellis.protocols.gtp.thinking import DEFAULT_PLAYER, GO_PLAYER, Thinker

_BOARD = ("board_size", "rows", "columns", "komi")
_RULES = ("superko", "suicide")


def make_engine(
    game: Game,
    player: str | None = None,
    rules: Ruleset | None = None,
    manners: Manners | None = None,
    seed: int = 0,
) -> tuple[Engine, Attention]:
    """Return an engine for a game, ready to answer, and where it listens while it thinks.

    What would have no effect is refused: parameters of the game, rules, manners.
    """
    attention = Attention()
    usual = GO_PLAYER if isinstance(game, Go) else DEFAULT_PLAYER
    thinker = Thinker(player or usual, seed, attention)
    _check_manners(thinker, manners or Manners())
    tables: list[CommandTable] = [COMMON]
    session: GoSession | GameSession
    if isinstance(game, GoProblem):
        raise BadParameter(
            f"the protocol cannot begin with the problem {shorten(game.spec)}: expected go or "
            "another game, and loadsgf for a position"
        )
    if rules is not None and not isinstance(game, Go):
        raise BadParameter(f"rules are those of go: expected none for {shorten(game.spec)}")
    if isinstance(game, Go):
        komi = float(game.parameters["komi"])
        session = GoSession(thinker, _rules_of(game, rules), manners, game.rows, game.columns, komi)
        tables += [GO, FILES]
        ready(count_owners)
    elif is_playable(game):
        session = GameSession(thinker, game, manners)
        tables += [GAMES, HEX] if game.name == "hex" else [GAMES]
        thinker.check_game(session.game)
        thinker.warm_up(session.position(session.to_move))
    else:
        raise BadParameter(
            f"the protocol has no words for {game.spec}: expected two players who take turns"
        )
    return Engine(session, *tables, ANALYSIS, GOGUI), attention


def _rules_of(game: Go, rules: Ruleset | None) -> Ruleset:
    """Return the rules that are given, or the usual ones with what the game says of ko."""
    given = split_spec(game.spec).given
    for name in given:
        if name not in (*_BOARD, *_RULES):
            raise BadParameter(
                f"{name} of {shorten(game.spec)} means nothing to the protocol: expected "
                f"{', '.join((*_BOARD, *_RULES))}"
            )
    said: dict[str, Any] = {}
    if "superko" in given:
        said["ko"] = str(game.parameters["superko"]).upper()
    if "suicide" in given:
        said["suicide"] = bool(game.parameters["suicide"])
    wanted = replace(rules or named_rules(DEFAULT), **said)
    if rules is not None and wanted != rules:
        raise BadParameter(
            f"{shorten(game.spec)} and the rules differ about ko or suicide: expected one of them"
        )
    return wanted


def _check_manners(thinker: Thinker, manners: Manners) -> None:
    player = thinker.player
    if manners.ponder and not (isinstance(player, SearchPlayer) and player.reuse):
        raise BadParameter(
            f"player {shorten(thinker.text)} cannot ponder: expected a search with reuse=true"
        )
    if manners.resign > 0 and not hasattr(player, "report"):
        raise BadParameter(
            f"player {shorten(thinker.text)} never resigns: expected one that searches"
        )
