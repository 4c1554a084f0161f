"""Other programs as players: `gtp:command=gnugo --mode gtp --level 10`.

The game is ours: its rules say what is legal and who has won.  A program that crashes, hangs or
plays an illegal move loses its game, and whoever plays on starts it again.
"""

import json
from dataclasses import dataclass, field

from trellis.game.errors import BadParameter, PlayerFailed, PlayerResigns, shorten
from trellis.game.game import Game, Position
from trellis.players.gtp_engine import EngineProcess, borrow_engine, check_command, give_back
from trellis.players.texts import GtpOptions

_QUICK = 30.0  # seconds for what needs no thinking; a clock may run meanwhile
_GRACE = 2.0  # seconds beyond the time of a move, for slow machines
_SEED = (1 << 31) - 1  # programs read a seed as a number of so many bits


def first_is_white(game: Game) -> bool:
    """Tell whether who moves first is called white; else black is first, as in Go."""
    return game.player_name(0).casefold().startswith("w")


def _colour(game: Game, player: int) -> str:
    return "wb"[player] if first_is_white(game) else "bw"[player]


@dataclass
class GtpPlayer:
    """A program that is told all moves and asked for its own."""

    options: GtpOptions
    name: str = "gtp"
    seed: int = 0  # for programs that can be told one
    _engine: EngineProcess | None = field(default=None, repr=False)
    _told: list[str] = field(default_factory=list, repr=False)  # moves that the program knows
    _moves: list[str] = field(default_factory=list, repr=False)  # moves that were made
    _game: str = field(default="", repr=False)  # what it was set up for

    def check_game(self, game: Game) -> None:
        """Refuse games that the protocol has no words for, and programs that are not there."""
        if game.players != 2 or game.has_chance or game.is_simultaneous:
            raise BadParameter(
                f"{game.spec} is not for other programs: expected two players who take turns"
            )
        check_command(self.options.command)

    def follow(self, game: Game, moves: list[str]) -> None:
        """Take the moves of the game so far; they are sent when the program is asked."""
        self._moves = list(moves)

    def choose(self, position: Position, player: int) -> str:
        """Ask the program; refuse what is illegal in our game."""
        if self._engine is None or self._engine.broken:
            self.close()
            self._engine, self._game = borrow_engine(self.options.command), ""
        engine = self._engine
        if self._game != position.game.spec:
            self._set_up(engine, position.game)
        self._catch_up(engine, position.game)
        seconds = self.options.timeout
        if self.options.time is not None:
            seconds = min(seconds, self.options.time + _GRACE)
        answer = engine.ask(f"genmove {_colour(position.game, player)}", seconds)
        word = answer.split()[0].casefold() if answer else ""
        if word == "resign":
            raise PlayerResigns("resigned")
        if not word or word not in map(str.casefold, position.moves()):
            engine.broken = True  # who knows what its board looks like now
            raise PlayerFailed(f"illegal move {shorten(answer)}")
        self._told.append(word)
        return word

    def close(self) -> None:
        """Let the program go, to play another game for somebody."""
        if self._engine is not None:
            give_back(self._engine)
        self._engine, self._game, self._told = None, "", []

    def _set_up(self, engine: EngineProcess, game: Game) -> None:
        parameters = game.parameters
        if game.name == "go":
            size = int(parameters["board_size"])
            rows, columns = (int(parameters[name]) or size for name in ("rows", "columns"))
            square = rows == columns
            engine.ask(
                f"boardsize {rows}" if square else f"rectangular_boardsize {columns} {rows}", _QUICK
            )
            engine.ask("clear_board", _QUICK)
            engine.ask(f"komi {parameters['komi']}", _QUICK)
            if "kata-set-rules" in engine.known:
                engine.try_to(f"kata-set-rules {_rules_of(game)}", _QUICK)
        else:
            if "boardsize" in engine.known and "board_size" in parameters:
                engine.ask(f"boardsize {parameters['board_size']}", _QUICK)
            engine.ask("clear_board", _QUICK)
        if "set_random_seed" in engine.known:
            engine.try_to(f"set_random_seed {self.seed & _SEED}", _QUICK)
        if self.options.time is not None and "time_settings" in engine.known:
            engine.ask(f"time_settings 0 {max(1, round(self.options.time))} 1", _QUICK)
        self._game, self._told = game.spec, []

    def _catch_up(self, engine: EngineProcess, game: Game) -> None:
        """Tell the program the moves that it does not know, after taking back wrong ones."""
        moves = [move.casefold() for move in self._moves]
        same = 0
        while same < min(len(moves), len(self._told)) and moves[same] == self._told[same]:
            same += 1
        if same < len(self._told):
            engine.ask("clear_board", _QUICK)
            self._told = []
        for number in range(len(self._told), len(moves)):
            colour = _colour(game, self._mover(game, moves, number))
            engine.ask(f"play {colour} {moves[number]}", _QUICK)
            self._told.append(moves[number])

    def _mover(self, game: Game, moves: list[str], number: int) -> int:
        """Return who made a move; in some games a player moves twice in a row."""
        if game.name in ("go", "hex"):
            return number % 2
        return game.start().play(*moves[:number]).acting


def _rules_of(game: Game) -> str:
    """Return what our game's rules are called where they are JSON."""
    parameters = game.parameters
    fields = {
        "ko": str(parameters["superko"]).upper(), "scoring": "AREA", "tax": "NONE",
        "suicide": parameters["suicide"], "hasButton": False, "whiteHandicapBonus": "0",
        "friendlyPassOk": False,
    }  # fmt: skip
    return json.dumps(fields)
