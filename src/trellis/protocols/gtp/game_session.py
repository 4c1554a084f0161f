"""A game of any other kind in progress: two colours, its own names for moves, its own rules."""

from dataclasses import replace
from time import perf_counter

from trellis.game.game import Game, Position
from trellis.game.spec import split_spec
from trellis.loading import load
from trellis.players.gtp_player import first_is_white
from trellis.protocols.gtp.clock import Clock
from trellis.protocols.gtp.game_board import Cells, read_cells, steps_of
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.parsing import (
    BLACK,
    COLOURS,
    RESIGN,
    WHITE,
    CommandError,
    Words,
    read_point,
)
from trellis.protocols.gtp.thinking import Decision, Resignation, Thinker, Watch

_MOVES_LEFT = 20  # of one player, where nothing is known of how long games are


class GameSession:
    """All that commands of any game work on.

    With `clicks`, as GoGui wants it, a move is sent point by point, and points have GoGui's names;
    else moves have the game's own.
    """

    is_go = False

    def __init__(self, thinker: Thinker, game: Game, manners: Manners | None = None) -> None:
        self.thinker, self.manners = thinker, manners or Manners()
        self.clock = Clock(self.manners.lag)
        self.clicks = False
        self._game = game
        self._white_first = first_is_white(game)
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.positions = [self._game.start()]
        self._before: list[tuple[int, list[str]]] = []  # positions and clicks before each play
        self._read: tuple[Position, Cells | None] | None = None  # the board that was read last
        self.pending: list[str] = []  # points of a move that is not whole yet
        self._allotted: float | None = None  # seconds for the last move
        self._plan: list[str] = []  # points of our own move that are still to be sent
        self.thinker.forget()
        manners = self.manners
        self._hope = [Resignation(manners.resign, manners.resign_moves) for _ in range(2)]

    @property
    def game(self) -> Game:
        """Return the game."""
        return self._game

    @property
    def game_id(self) -> str:
        """Return the name of the game as GoGui wants it."""
        return self._game.name.replace("_", "").capitalize()

    @property
    def now(self) -> Position:
        """Return the present position."""
        return self.positions[-1]

    def cells_if_any(self) -> Cells | None:
        """Return the board as points; None where the game draws no such board."""
        if self._read is None or self._read[0] is not self.now:
            self._read = (self.now, read_cells(self.now))
        return self._read[1]

    def cells(self) -> Cells:
        """Return the board as points."""
        cells = self.cells_if_any()
        if cells is None:
            raise CommandError(f"{self._game.spec} draws no board with rows and columns")
        return cells

    @property
    def rows(self) -> int:
        """Return the rows of the board."""
        return self.cells().rows

    @property
    def columns(self) -> int:
        """Return the columns of the board."""
        return self.cells().columns

    @property
    def to_move(self) -> int:
        """Return the colour of who is next; black where the game is over."""
        return self.colour_of(max(0, self.now.acting))

    def colour_of(self, player: int) -> int:
        """Return the colour of a player by number."""
        return 1 - player if self._white_first else player

    def side_name(self) -> str:
        """Name who is next."""
        return COLOURS[self.to_move]

    def set_size(self, rows: int, columns: int) -> None:
        """Take another board, where the game has a parameter for it."""
        usual = self._game.parameters
        if rows == columns and "board_size" in usual:
            if rows != int(usual["board_size"]):
                spec = split_spec(self._game.spec)
                self._game = load(replace(spec, given={**spec.given, "board_size": str(rows)}))
        elif (rows, columns) != (self.rows, self.columns):
            raise CommandError(f"unacceptable size: {self._game.spec} has a board of its own")
        self._begin_anew()

    def clear(self) -> None:
        """Begin anew."""
        self.clock.restart()
        self._begin_anew()

    # -- moves ------------------------------------------------------------------------------------

    @property
    def ply_count(self) -> int:
        """Return how many moves, or clicks, can be taken back."""
        return len(self._before)

    def play(self, colour: int, words: Words) -> None:
        """Play a move by name, or by points one after the other."""
        word = words.word("a move")
        if word.casefold() == RESIGN:
            return
        if self.now.is_over:
            raise CommandError("illegal move: the game is over")
        if colour != self.to_move:
            raise CommandError(f"illegal move: {self.side_name()} is next")
        names = {move.casefold(): move for move in self.now.moves()}
        if not self.clicks and word.casefold() in names:
            self._advance(names[word.casefold()])
            return
        self._click(word)

    def _click(self, word: str) -> None:
        """Take another point of a move; with the last one it is played."""
        clicked = [*self.pending, word.casefold()]
        fitting = [
            (move, steps)
            for move, steps in self._moves_in_steps()
            if [each.casefold() for each in steps[: len(clicked)]] == clicked
        ]
        whole = [move for move, steps in fitting if len(steps) == len(clicked)]
        if len(whole) == 1:
            self._advance(whole[0])
        elif not fitting:
            raise CommandError(f"illegal move: {self._game.notation} expected")
        elif whole:
            raise CommandError(f"several moves have that name: expected one of {' '.join(whole)}")
        else:
            self._before.append((len(self.positions), self.pending))
            expected = self._plan[:1] == [word.upper()]
            self.pending, self._plan = clicked, self._plan[1:] if expected else []

    def _advance(self, move: str) -> None:
        after = self.now.play(move)
        self._before.append((len(self.positions), self.pending))
        self.positions.append(after)
        self.pending, self._plan = [], []

    def _moves_in_steps(self) -> list[tuple[str, list[str]]]:
        cells = self.cells_if_any()
        return [(move, steps_of(self.now, move, cells)) for move in self.now.moves()]

    def legal_clicks(self) -> list[str]:
        """List what may be clicked on next."""
        if self.now.is_over:
            return []
        done = len(self.pending)
        found = [
            steps[done]
            for _, steps in self._moves_in_steps()
            if [each.casefold() for each in steps[:done]] == self.pending and len(steps) > done
        ]
        return list(dict.fromkeys(found))

    def undo(self, count: int = 1) -> None:
        """Take moves, or clicks, back: all of them or none."""
        if count > self.ply_count:
            raise CommandError("cannot undo")
        for _ in range(count):
            length, self.pending = self._before.pop()
            del self.positions[length:]
        self._plan = []
        self._hope = [Resignation(each.below, each.moves) for each in self._hope]

    # -- moves of our own -------------------------------------------------------------------------

    def position(self, colour: int) -> Position:
        """Return the position that a search is shown."""
        if self.now.is_over:
            raise CommandError("the game is over")
        if colour != self.to_move:
            raise CommandError(f"{self.side_name()} is next")
        return self.now

    def allowed(self, position: Position, colour: int) -> set[str]:
        """Return the moves that a player may choose: all that are legal."""
        moves = set(position.moves())
        if self.pending:
            done = len(self.pending)
            moves = {
                move
                for move, steps in self._moves_in_steps()
                if [each.casefold() for each in steps[:done]] == self.pending
            }
        return moves

    def to_gtp(self, move: str) -> str:
        """Return a move as the protocol writes it."""
        if not self.clicks:
            return move
        return "-".join(steps_of(self.now, move, self.cells_if_any()))

    def cell_of(self, move: str) -> tuple[int, int] | None:
        """Return the row and column of the last point of a move."""
        last = steps_of(self.now, move, self.cells_if_any())[-1]
        return read_point(last, self.rows, self.columns)

    def decide(
        self, colour: int, *, timed: bool = True, may_pass: bool = True,
        watch: Watch | None = None, interval: float = 1.0,
    ) -> Decision:  # fmt: skip
        """Choose a move for who is next, by the clock where that is kept."""
        position = self.position(colour)
        longest = self._game.max_plies
        left = _MOVES_LEFT if longest is None else min(_MOVES_LEFT, longest // 2)
        seconds = self.clock.allot(colour, left) if timed else None
        self._allotted = seconds
        allowed = self.allowed(position, colour)
        return self.thinker.choose(position, allowed, seconds, watch, interval)

    def genmove(
        self, colour: int, *, may_pass: bool = True, watch: Watch | None = None,
        interval: float = 1.0,
    ) -> str:  # fmt: skip
        """Choose a move and play it, or its next point; or resign."""
        if self._plan and colour == self.to_move:
            return self._send_step()
        began = perf_counter()
        decision = self.decide(colour, watch=watch, interval=interval)
        self.clock.spend(colour, perf_counter() - began, self._allotted)
        if self._hope[colour].hopeless(decision, self._game):
            return RESIGN
        if not self.clicks:
            self._advance(decision.move)
            return decision.move
        self._plan = steps_of(self.now, decision.move, self.cells_if_any())[len(self.pending) :]
        return self._send_step()

    def _send_step(self) -> str:
        step = self._plan[0]
        self._click(step)
        return step

    def replace_player(self, text: str) -> None:
        """Let another player go on; refuse one that does not fit the game."""
        self.thinker.replace_player(text, self.game)

    def set_manners(self, manners: Manners) -> None:
        """Behave otherwise from now on."""
        self.manners, self.clock.lag = manners, manners.lag
        self._hope = [Resignation(manners.resign, manners.resign_moves) for _ in range(2)]

    def ponder(self) -> None:
        """Think while the other side does, where that is wanted."""
        if self.manners.ponder and not self.now.is_over:
            self.thinker.ponder(self.now)

    # -- telling ----------------------------------------------------------------------------------

    def showboard(self) -> str:
        """Draw the board."""
        over = "the game is over" if self.now.is_over else f"{self.side_name()} to move"
        return f"{self.now}\n{over}"

    def final_score(self) -> str:
        """Tell who has won, and by how much where payoffs say so."""
        if not self.now.is_over:
            raise CommandError("cannot score: the game is not over")
        payoffs = self.now.payoffs()
        black, white = (payoffs[self.colour_of(colour)] for colour in (BLACK, WHITE))
        if black == white:
            return "0"
        return f"{'B' if black > white else 'W'}+{max(black, white):g}"

    def final_result(self) -> str:
        """Tell who has won, in words."""
        score = self.final_score()
        if score == "0":
            return "A draw."
        return f"{'Black' if score[0] == 'B' else 'White'} wins ({score[2:]})."
