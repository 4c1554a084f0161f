"""The referee of a game of Go: any colour may move at any time, every board is remembered.

Arbiters have the last word, so `play` takes what they send; what a player may choose by itself,
`legal` says.  Stones are taken by the compiled rules; what came before is kept here, board by
board, not by hashes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from trellis.game.rules import State
from trellis.games.go import board as b
from trellis.games.go.game import Go
from trellis.protocols.gtp.parsing import BLACK, COLOURS, WHITE, CommandError, other, vertex_name
from trellis.protocols.gtp.rulesets import Ruleset

EMPTY = 2  # beside the two colours
_CHARACTERS = {"X": BLACK, "O": WHITE, ".": EMPTY}
PASS = -1  # as a point


@dataclass(frozen=True)
class Ply:
    """One move: who, where or PASS, and the board before it."""

    colour: int
    point: int
    before: bytes


@dataclass
class GoBoard:
    """Stones, and all that has been: `plies` can be taken back, what was set up cannot."""

    rows: int
    columns: int
    plies: list[Ply] = field(default_factory=list)
    setup: list[tuple[int, int]] = field(default_factory=list)  # colours and points at the start
    first: int = BLACK  # who moves first, if nobody has moved
    captured: list[int] = field(default_factory=lambda: [0, 0])  # stones that each colour lost

    def __post_init__(self) -> None:
        self._mechanics = Go(
            board_size=max(self.rows, self.columns), rows=self.rows, columns=self.columns,
            komi=0.0, superko="simple", suicide=True, score=True,
        )  # fmt: skip
        self._words = b.words_of(self.rows, self.columns)
        self._state: State = np.zeros(self._mechanics.state_words, np.uint64)
        self._start = self._stones_of(self._state)
        self._told: tuple[object, list[str]] | None = None  # what was asked last, and answered
        # How often the game has been there: boards, and boards with who moves next.
        self._boards: dict[bytes, int] = {self._start: 1}
        self._situations: dict[tuple[bytes, int], int] = {(self._start, self.first): 1}

    # -- looking ----------------------------------------------------------------------------------

    @property
    def points(self) -> int:
        """Return how many points there are."""
        return self.rows * self.columns

    @property
    def to_move(self) -> int:
        """Return who moves next if colours alternate."""
        return other(self.plies[-1].colour) if self.plies else self.first

    @property
    def passes(self) -> int:
        """Return how many passes were made in a row."""
        count = 0
        while count < len(self.plies) and self.plies[-1 - count].point == PASS:
            count += 1
        return count

    @property
    def is_empty(self) -> bool:
        """Tell whether there is no stone."""
        return not any(self._state[: 2 * self._words])

    def stones(self) -> list[int]:
        """Return the colour of each point, or EMPTY; row by row from the bottom."""
        rows = self._mechanics.stones(self._state)
        return [_CHARACTERS[cell] for row in rows for cell in row]

    def name(self, point: int) -> str:
        """Name a point as the protocol does."""
        return "pass" if point == PASS else vertex_name(*divmod(point, self.columns))

    def area(self) -> int:
        """Return black's stones and what only they surround, minus white's."""
        out = np.zeros(2)
        self._mechanics.rules.payoffs(self._mechanics.tables, self._state, out)
        return int(out[0])

    def words(self) -> State:
        """Return a copy of the stones and their code, as states of `go` begin."""
        return self._state[: 2 * self._words + 2].copy()

    def codes(self) -> list[int]:
        """Return the code of every board that there was, as states have it; the present one last.

        The board at the start comes first, then one for each move.
        """
        at = 2 * self._words + 1
        before = (np.frombuffer(ply.before, np.uint64) for ply in self.plies)
        return [int(state[at]) for state in (*before, self._state)]

    def most_stones(self) -> int:
        """Return how many stones there were at most."""
        length = len(self._start)
        boards = [ply.before[:length] for ply in self.plies] + [self._stones_of(self._state)]
        return max(int.from_bytes(each, "little").bit_count() for each in boards)

    def simple_ko(self, colour: int) -> int | None:
        """Return the point where a stone would bring back the board before the last move."""
        if not self.plies or self.plies[-1].point == PASS or self.plies[-1].colour == colour:
            return None
        before = self.plies[-1].before
        then, now = np.frombuffer(before, np.uint64), self._state
        taken = [
            point
            for point in range(self.points)
            if self._has_stone(then, colour, point) and not self._has_stone(now, colour, point)
        ]
        after = self._after(colour, taken[0]) if len(taken) == 1 else None
        again = after is not None and self._stones_of(after) == before[: len(self._start)]
        return taken[0] if again else None

    def neighbours(self, point: int) -> Iterator[int]:
        """List the points beside one."""
        row, column = divmod(point, self.columns)
        for y, x in ((row, column - 1), (row, column + 1), (row - 1, column), (row + 1, column)):
            if 0 <= y < self.rows and 0 <= x < self.columns:
                yield y * self.columns + x

    def chains(self) -> list[list[int]]:
        """List the chains of both colours, each as its points in ascending order."""
        stones, seen, found = self.stones(), set[int](), []
        for point, colour in enumerate(stones):
            if colour == EMPTY or point in seen:
                continue
            chain, waiting = {point}, [point]
            while waiting:
                for near in self.neighbours(waiting.pop()):
                    if stones[near] == colour and near not in chain:
                        chain.add(near)
                        waiting.append(near)
            seen |= chain
            found.append(sorted(chain))
        return found

    # -- moving -----------------------------------------------------------------------------------

    def play(self, colour: int, point: int, rules: Ruleset) -> None:
        """Play as an arbiter says: ko and the suicide of several stones are its business."""
        after = self._state if point == PASS else self._after(colour, point)
        if after is None:
            raise CommandError(f"illegal move: {self.name(point)} is not empty")
        stones = self._stones_of(after)
        before = self._stones_of(self._state)
        if point != PASS and stones == before and not rules.suicide:
            raise CommandError(f"illegal move: {self.name(point)} is suicide")
        self._count_taken(colour, point, stones, before)
        self.plies.append(Ply(colour, point, self._state.tobytes()))
        self._state = after.copy()
        self._boards[stones] = self._boards.get(stones, 0) + 1
        situation = (stones, other(colour))
        self._situations[situation] = self._situations.get(situation, 0) + 1

    def undo(self) -> None:
        """Take the last move back."""
        if not self.plies:
            raise CommandError("cannot undo")
        ply = self.plies.pop()
        stones = self._stones_of(self._state)
        self._state = np.frombuffer(ply.before, np.uint64).copy()
        self._count_taken(ply.colour, ply.point, stones, self._stones_of(self._state), sign=-1)
        self._boards[stones] -= 1
        self._situations[stones, other(ply.colour)] -= 1

    def legal(self, colour: int, rules: Ruleset) -> list[int]:
        """List the points that a player may choose by the rules; a pass is always legal."""
        return [point for point, why in enumerate(self._refusals(colour, rules)) if not why]

    def is_legal(self, colour: int, point: int, rules: Ruleset) -> bool:
        """Tell whether the rules allow a stone there."""
        return self._refusal(colour, point, rules) == ""

    def forbidden_by_ko(self, colour: int, rules: Ruleset) -> list[int]:
        """List the points that only a rule against repetition forbids."""
        refusals = self._refusals(colour, rules)
        return [point for point, why in enumerate(refusals) if why == "ko"]

    def _refusals(self, colour: int, rules: Ruleset) -> list[str]:
        """Return why each point may not be chosen; asked for several times of one position."""
        asked = (len(self.plies), self._state.tobytes(), colour, rules)
        if self._told is None or self._told[0] != asked:
            why = [self._refusal(colour, point, rules) for point in range(self.points)]
            self._told = (asked, why)
        return self._told[1]

    def _refusal(self, colour: int, point: int, rules: Ruleset) -> str:
        after = self._after(colour, point)
        if after is None:
            return "occupied"
        stones = self._stones_of(after)
        if not rules.suicide and not self._has_stone(after, colour, point):
            return "suicide"
        if rules.ko == "POSITIONAL":
            again = self._boards.get(stones, 0) > 0
        elif rules.ko == "SITUATIONAL":
            again = self._situations.get((stones, other(colour)), 0) > 0
        else:
            before = self.plies[-1].before if self.plies else b""
            again = before[: len(stones)] == stones or stones == self._stones_of(self._state)
        if again and stones == self._stones_of(self._state):
            return "suicide"  # of one stone, which brings the same board again
        return "ko" if again else ""

    def set_up(self, stones: Iterable[tuple[int, int]], first: int) -> None:
        """Begin anew with stones, colours and points; refuse stones without a liberty."""
        fresh = GoBoard(self.rows, self.columns)
        listed = list(stones)
        if len({point for _, point in listed}) < len(listed):
            raise CommandError("bad vertex list: a point is named twice")
        for colour, point in listed:
            after = fresh._after(colour, point)
            if after is None:
                raise CommandError(f"bad vertex list: {self.name(point)} is not empty")
            fresh._state = after
        wanted = [EMPTY] * self.points
        for colour, point in listed:
            wanted[point] = colour
        if fresh.stones() != wanted:
            raise CommandError("illegal position: some stones have no liberty")
        self.plies, self.setup, self.first, self.captured = [], listed, first, [0, 0]
        self._state = fresh._state
        self._start = self._stones_of(self._state)
        self._boards, self._situations = {self._start: 1}, {(self._start, first): 1}
        self._told = None

    def _after(self, colour: int, point: int) -> State | None:
        """Return the state after a stone, whatever it takes; None where there is a stone."""
        if any(self._has_stone(self._state, each, point) for each in (BLACK, WHITE)):
            return None
        state = self._state.copy()
        state[2 * self._words] = np.uint64(colour)
        self._mechanics.rules.play(self._mechanics.tables, state, point)
        state[2 * self._words] = 0  # who moves and what is ko, this file keeps
        return state

    def _has_stone(self, state: State, colour: int, point: int) -> bool:
        bit = point // self.columns * (self.columns + 1) + point % self.columns
        return bool(int(state[colour * self._words + bit // 64]) >> bit % 64 & 1)

    def _stones_of(self, state: State) -> bytes:
        return state[: 2 * self._words].tobytes()

    def _count_taken(
        self, colour: int, point: int, after: bytes, before: bytes, sign: int = 1
    ) -> None:
        """Add to the stones that each colour has lost, or take that back."""
        half = len(after) // 2
        for each in (BLACK, WHITE):
            part = slice(each * half, (each + 1) * half)
            now, then = (int.from_bytes(words[part]).bit_count() for words in (after, before))
            added = int(each == colour and point != PASS)
            self.captured[each] += sign * (then + added - now)

    def picture(self, notes: Iterable[str] = ()) -> str:
        """Draw the board with coordinates on all sides, as people expect of `showboard`."""
        letters = "   " + " ".join(self.name(column)[0] for column in range(self.columns))
        last = self.plies[-1].point if self.plies else PASS
        stones, lines = self.stones(), [letters]
        for row in reversed(range(self.rows)):
            cells = ""
            for column in range(self.columns):
                point = row * self.columns + column
                mark = "XO."[stones[point]]
                after_last = point - 1 == last and column > 0
                cells += ("(" if point == last else ")" if after_last else " ") + mark
            end = ")" if last == row * self.columns + self.columns - 1 else " "
            lines.append(f"{row + 1:2}{cells}{end}{row + 1}")
        lines.append(letters)
        lost = ", ".join(f"{COLOURS[each]} lost {self.captured[each]}" for each in (BLACK, WHITE))
        return "\n".join([*lines, f"{COLOURS[self.to_move]} to move; {lost}", *notes])
