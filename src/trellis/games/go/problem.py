"""Problems of Go: some stones matter, moves are allowed in a region, and who takes what is asked.

Who takes a stone that matters wins.  Where both have passed, the stones that matter live: if stones
of both sides matter that is a draw, a seki; else their owner wins.  All else is as in Go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.bits import ZERO, to_int
from trellis.game.common_rules import rule
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position, Value
from trellis.game.rules import NOBODY, Moves, Reals, Rules, State, Tables
from trellis.games.go import board as b
from trellis.games.go import rules as go
from trellis.games.go.game import Go
from trellis.games.go.setup import set_up

ASKED = ("capture", "live", "seki")
# tables.ints, in a gap before the images: where in tables.words the problem begins
AT = b.IMAGES - 1
# tables.words from there on
MOST_WORDS = b.MOST_BITS // 64
REGION, MATTERS, FIRST = 0, MOST_WORDS, 3 * MOST_WORDS  # the state at the start comes last


@kernel()
def _lost(tables: Tables, state: State, player: int) -> bool:
    """Tell whether a stone of a player that matters is gone."""
    words = to_int(tables.ints[b.WORDS])
    matters = to_int(tables.ints[AT]) + MATTERS + player * MOST_WORDS
    for word in range(words):
        if tables.words[matters + word] & ~state[player * words + word] != ZERO:
            return True
    return False


@kernel()
def _matters(tables: Tables, player: int) -> bool:
    matters = to_int(tables.ints[AT]) + MATTERS + player * MOST_WORDS
    found = ZERO
    for word in range(MOST_WORDS):
        found |= tables.words[matters + word]
    return found != ZERO


@rule
def start(tables: Tables, state: State) -> None:
    first = to_int(tables.ints[AT]) + FIRST
    for word in range(len(state)):
        state[word] = tables.words[first + word]


@rule
def acting(tables: Tables, state: State) -> int:
    if _lost(tables, state, 0) or _lost(tables, state, 1):
        return NOBODY
    return go.acting(tables, state)


@rule
def moves(tables: Tables, state: State, out: Moves) -> int:
    found = go.moves(tables, state, out)
    region = np.uint64(tables.ints[AT]) + np.uint64(REGION)
    count = 0
    for i in range(found):
        move = out[i]
        if move == tables.ints[b.POINTS] or b.has(
            tables.words, region, np.uint64(tables.ints[b.BIT_OF_CODE + move])
        ):
            out[count] = move
            count += 1
    return count


@rule
def payoffs(tables: Tables, state: State, out: Reals) -> None:
    blacks, whites = _matters(tables, 0), _matters(tables, 1)
    out[0] = 0.0
    if _lost(tables, state, 1) or (blacks and not whites):
        out[0] = 1.0
    if _lost(tables, state, 0) or (whites and not blacks and not _lost(tables, state, 1)):
        out[0] = -1.0
    out[1] = -out[0]


RULES = Rules(start, acting, moves, go.play, payoffs, go.key)


@dataclass(frozen=True)
class Problem:
    """What a problem is made of; points are numbers of moves, row 1 at the bottom."""

    rows: int
    columns: int
    black: frozenset[int]
    white: frozenset[int]
    player: int  # who is to move
    matters: frozenset[int]  # stones that are to be taken or to live
    region: frozenset[int] = field(default_factory=frozenset)  # where moves are allowed; empty: all
    asked: str = ""  # capture, live or seki; empty: what the stones that matter say

    def question(self) -> str:
        """Return what is asked, as far as it follows from whose stones matter."""
        sides = [bool(self.matters & stones) for stones in (self.black, self.white)]
        if not any(sides):
            raise BadParameter("no stone matters: expected marks on the stones to take, or to save")
        if self.asked not in (*ASKED, ""):
            raise BadParameter(f"bad question {self.asked!r}: expected {', '.join(ASKED)}")
        fits = "seki" if all(sides) else "live" if sides[self.player] else "capture"
        if self.asked == "seki" and fits != "seki":
            raise BadParameter("a seki is asked for: expected marks on stones of both sides")
        return self.asked or fits


class GoProblem(Go):
    """A problem of Go: take the stones that matter, or save them."""

    def __init__(
        self,
        problem: Problem,
        name: str = "problem",
        superko: str = "simple",
        suicide: bool = False,
        history: str = "ko",
        max_plies: int = 0,
    ) -> None:
        super().__init__(
            board_size=problem.rows, columns=problem.columns, komi=0.0, superko=superko,
            suicide=suicide, history=history, max_plies=max_plies,
        )  # fmt: skip
        self.problem, self.asked = problem, problem.question()
        first = set_up(self, problem.black, problem.white, problem.player)
        everywhere = range(self.points)
        parts = [
            problem.region or frozenset(everywhere),
            problem.matters & problem.black,
            problem.matters & problem.white,
        ]
        words = np.concatenate(
            [self._tables.words, *(self._bits(part) for part in parts), first.state]
        )
        ints = self._tables.ints.copy()
        ints[AT] = len(self._tables.words)
        self._tables = Tables(ints, words, self._tables.reals)
        self._of_thread.__dict__.clear()
        self.rules, self.symmetries = RULES, ()
        self.playout_is_uniform = True  # the generic one
        self.name = name
        kept: Mapping[str, Value] = {
            "superko": superko, "suicide": suicide, "history": history, "max_plies": max_plies,
        }  # fmt: skip
        self.parameters = dict(kept)

    def __eq__(self, other: object) -> bool:
        # Two problems may have one name.
        same = isinstance(other, GoProblem) and self.problem == other.problem
        return same and super().__eq__(other)

    __hash__ = Go.__hash__

    def grouping(self, name: str) -> Game:
        """Refuse: the groups of Go know of no region."""
        raise BadParameter(f"{self.spec} has no move groups: expected the game without them")

    def _bits(self, codes: Iterable[int]) -> State:
        words = np.zeros(MOST_WORDS, np.uint64)
        for code in codes:
            bit = int(self._tables.ints[b.BIT_OF_CODE + code])
            words[bit // 64] |= np.uint64(1 << bit % 64)
        return words

    def answer(self, value: float) -> str:
        """Say what a proven value for black means."""
        if value == 0:
            return "seki: nobody can take anything"
        winner, loser = ("black", "white") if value > 0 else ("white", "black")
        if self._owners() == [winner]:
            return f"{winner}'s stones live"
        return f"{winner} takes {loser}'s stones"

    def is_answered(self, value: float, player: int) -> bool:
        """Tell whether what was asked of a player comes true, with a value for black."""
        gain = value if player == 0 else -value
        if self.asked == "seki":
            return value == 0
        return gain > 0 or (self.asked == "live" and gain == 0)  # in a seki stones live

    def solved_text(self, position: Position, value: float) -> str:
        """Return one line for people: what was asked, and the answer."""
        owners = self._owners()
        player = max(position.acting, 0)
        if len(owners) == 1:  # then it is clear who has to live, and who to capture
            player = int((owners[0] == "white") == (self.asked == "live"))
        who = self.player_name(player)
        question = "is it a seki?" if self.asked == "seki" else f"can {who} {self.asked}?"
        word = "yes" if self.is_answered(value, player) else "no"
        return f"{question} {word}: {self.answer(value)}"

    def _owners(self) -> list[str]:
        """Return whose stones matter."""
        sides = (("black", self.problem.black), ("white", self.problem.white))
        return [name for name, stones in sides if self.problem.matters & stones]
