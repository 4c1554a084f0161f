"""Commands that mean the same in every game: moves, taking back, clocks, the end."""

from typing import Protocol

from trellis.game.errors import TrellisError
from trellis.game.game import Game, Position
from trellis.protocols.gtp.clock import (
    KINDS,
    Clock,
    read_kind_of_time,
    read_time_left,
    read_time_settings,
)
from trellis.protocols.gtp.engine import CommandTable
from trellis.protocols.gtp.parsing import CommandError, Words, read_colour
from trellis.protocols.gtp.thinking import Decision, Thinker, Watch

COMMON = CommandTable()


class Session(Protocol):
    """A game in progress: what commands of any game need of it."""

    thinker: Thinker
    clock: Clock
    is_go: bool

    @property
    def rows(self) -> int:
        """Return the rows of the board."""
        ...

    @property
    def columns(self) -> int:
        """Return the columns of the board."""
        ...

    @property
    def to_move(self) -> int:
        """Return the colour that is next."""
        ...

    @property
    def game(self) -> Game:
        """Return the game that searches play."""
        ...

    @property
    def ply_count(self) -> int:
        """Return how many moves can be taken back."""
        ...

    def clear(self) -> None:
        """Begin anew."""
        ...

    def play(self, colour: int, words: Words) -> None:
        """Play a move that somebody else decided on."""
        ...

    def undo(self, count: int = 1) -> None:
        """Take moves back."""
        ...

    def position(self, colour: int) -> Position:
        """Return the position that a search is shown."""
        ...

    def allowed(self, position: Position, colour: int) -> set[str]:
        """Return the moves that a player may choose, as searches name them."""
        ...

    def to_gtp(self, move: str) -> str:
        """Return a move as the protocol writes it."""
        ...

    def cell_of(self, move: str) -> tuple[int, int] | None:
        """Return the row and column of a move; None where it has none."""
        ...

    def decide(
        self, colour: int, *, timed: bool = True, may_pass: bool = True,
        watch: Watch | None = None, interval: float = 1.0,
    ) -> Decision:  # fmt: skip
        """Choose a move."""
        ...

    def genmove(
        self, colour: int, *, may_pass: bool = True, watch: Watch | None = None,
        interval: float = 1.0,
    ) -> str:  # fmt: skip
        """Choose a move and play it."""
        ...

    def showboard(self) -> str:
        """Draw the board."""
        ...

    def final_score(self) -> str:
        """Tell who has won."""
        ...


@COMMON.add("clear_board")
def clear_board(session: Session, words: Words) -> str:
    """Begin another game."""
    session.clear()
    return ""


@COMMON.add("play")
def play(session: Session, words: Words) -> str:
    """Play a move that an arbiter sends."""
    session.play(words.colour(), words)
    return ""


@COMMON.add("genmove")
def genmove(session: Session, words: Words) -> str:
    """Choose a move, and play it."""
    return session.genmove(words.colour())


@COMMON.add("reg_genmove")
def reg_genmove(session: Session, words: Words) -> str:
    """Choose a move without playing it, as tests do: clocks do not count."""
    return session.to_gtp(session.decide(words.colour(), timed=False).move)


@COMMON.add("undo")
def undo(session: Session, words: Words) -> str:
    """Take one move back."""
    session.undo()
    return ""


@COMMON.add("gg-undo")
def undo_several(session: Session, words: Words) -> str:
    """Take several moves back, one unless a number is given."""
    count = words.whole("a number of moves") if len(words) else 1
    if count < 0:
        raise CommandError("cannot undo")
    session.undo(count)
    return ""


@COMMON.add("gogui-play_sequence")
def play_sequence(session: Session, words: Words) -> str:
    """Play moves one after the other; where one is illegal, none of them."""
    before = session.ply_count
    try:
        while len(words):
            session.play(words.colour(), words)
    except TrellisError:
        session.undo(session.ply_count - before)
        raise
    return ""


@COMMON.add("time_settings")
def time_settings(session: Session, words: Words) -> str:
    """Set clocks as the protocol has it: absolute or Canadian."""
    session.clock.set(read_time_settings(words))
    return ""


@COMMON.add("kgs-time_settings")
def kgs_time_settings(session: Session, words: Words) -> str:
    """Set clocks as KGS does: also Japanese byo-yomi."""
    session.clock.set(read_kind_of_time(words, fischer=False))
    return ""


@COMMON.add("kata-time_settings")
def kata_time_settings(session: Session, words: Words) -> str:
    """Set clocks as KataGo does: also Fischer's."""
    session.clock.set(read_kind_of_time(words, fischer=True))
    return ""


@COMMON.add("kata-list_time_settings")
def list_time_settings(session: Session, words: Words) -> str:
    """List the kinds of clocks."""
    return " ".join(KINDS)


@COMMON.add("time_left")
def time_left(session: Session, words: Words) -> str:
    """Take an arbiter's word on a clock."""
    read_time_left(session.clock, words)
    return ""


@COMMON.add("final_score")
def final_score(session: Session, words: Words) -> str:
    """Tell who has won."""
    return session.final_score()


@COMMON.add("showboard")
def showboard(session: Session, words: Words) -> str:
    """Draw the board."""
    return "\n" + session.showboard()


@COMMON.add("cputime", "gomill-cpu_time")
def cputime(session: Session, words: Words) -> str:
    """Tell how long moves were thought about, in seconds."""
    return f"{session.thinker.busy:.3f}"


@COMMON.add("stop", "gogui-interrupt")
def nothing(session: Session, words: Words) -> str:
    """Do nothing: that the line came has ended what was going on."""
    return ""


def colour_next(session: Session, words: Words) -> int:
    """Take a colour, where the next word is one; else it is whose turn it is."""
    return session.to_move if read_colour(words.next_word) is None else words.colour()
