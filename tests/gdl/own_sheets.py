"""The project's own rulesheets, and how their moves are called in the built-in games."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import trellis.gdl
from trellis.game.game import Game
from trellis.game.rules import CHANCE, NOBODY, State
from trellis.loading import load

SHEETS = Path(trellis.gdl.__file__).parent / "sheets"


def load_own(name: str) -> Game:
    """Load one of the project's rulesheets."""
    return load(str(SHEETS / f"{name}.kif"))


def joined(move: str) -> str:
    """Join what a move is applied to: `move(a,2,a,3)` is a2a3, and `pass` stays pass."""
    name, *given = re.findall(r"[^(),]+", move)
    return "".join(given) or name


def in_pentago(move: str) -> str:
    """Turn `play(c,4,2,r)` into c4-2R."""
    _, column, row, quadrant, way = re.findall(r"[^(),]+", move)
    return f"{column}{row}-{quadrant}{way.upper()}"


def in_morris(move: str) -> str:
    """Turn `take(d,6)` into xd6, and `slide(d,6,d,7)` into d6-d7."""
    name, *given = re.findall(r"[^(),]+", move)
    points = [column + row for column, row in zip(given[::2], given[1::2], strict=True)]
    return ("x" if name == "take" else "") + "-".join(points)


def without_marks(move: str) -> str:
    """Leave out what marks a capture or a promotion: the squares say it all."""
    return move if move == "pass" else re.sub("[x*q]", "", move)


def unchanged(move: str) -> str:
    """Leave a name as it is."""
    return move


def result_as_goal(payoff: float) -> float:
    """Turn a win, draw or loss of 1, 0 or -1 into a goal of 100, 50 or 0."""
    return 50.0 + 50.0 * payoff


@dataclass(frozen=True)
class Twin:
    """A rulesheet and the built-in game it must equal.

    `sheet_name` and `native_name` bring the names of both to a common form.
    """

    sheet: str
    native: str
    depth: int  # of the comparison of all positions
    games: int  # random ones in step
    sheet_name: Callable[[str], str] = joined
    native_name: Callable[[str], str] = unchanged
    goal: Callable[[float], float] = result_as_goal
    settles: bool = False  # the built-in game plays moves without a choice by itself


TWINS = {
    twin.sheet: twin
    for twin in (
        Twin("tic_tac_toe", "tic_tac_toe", 9, 1000),
        Twin("connect_four", "connect_four", 8, 1000),
        Twin("breakthrough", "breakthrough", 4, 200, native_name=without_marks),
        Twin("knightthrough", "knightthrough", 3, 200, native_name=without_marks),
        Twin("pawn_whopping", "pawn_whopping", 5, 500, native_name=without_marks),
        Twin("nim", "nim", 16, 1000),
        Twin("crisscross", "crisscross", 39, 1000, goal=float),
        Twin("othello", "othello", 7, 300),
        Twin("hex", "hex", 2, 100),
        Twin("quarto", "quarto", 4, 500),
        Twin("pentago", "pentago", 2, 200, sheet_name=in_pentago),
        Twin("merrills", "nine_mens_morris", 4, 300, sheet_name=in_morris),
        Twin("capture_the_king", "capture_the_king", 4, 150, native_name=without_marks),
        Twin("pig", "pig:horizon=1000", 10, 200),
        Twin("goofspiel", "goofspiel", 6, 1000, settles=True),
    )
}


class Side:
    """One game of a pair, one position after the other; on the kernels, for speed."""

    def __init__(self, game: Game, common: Callable[[str], str]) -> None:
        self.game = game
        self.common = common
        self.state: State = game.start().state
        self.first = self.state.copy()
        self._codes = np.empty(game.max_moves, np.int32)

    def restart(self) -> None:
        """Go back to the first position."""
        self.state = self.first.copy()

    def acting(self) -> int:
        """Tell who acts."""
        return int(self.game.rules.acting(self.game.tables, self.state))

    def moves(self) -> dict[str, int]:
        """Map the common names of all moves to their numbers."""
        count = self.game.rules.moves(self.game.tables, self.state, self._codes)
        acting = self.acting()
        found = {self.name(acting, code): code for code in self._codes[:count].tolist()}
        assert len(found) == count, f"two moves of {self.game.spec} share a name"
        return found

    def name(self, acting: int, code: int) -> str:
        """Return the common name of one move."""
        chance = acting == CHANCE
        name = self.game.outcome_name if chance else self.game.move_name
        return self.common(name(self.state, code))

    def play(self, code: int) -> None:
        """Go on to the next position."""
        self.game.rules.play(self.game.tables, self.state, code)

    def settle(self) -> None:
        """Play moves as long as there is no choice."""
        while self.acting() != NOBODY:
            codes = list(self.moves().values())
            if len(codes) > 1:
                return
            self.play(codes[0])

    def payoffs(self) -> list[float]:
        """Return what the players get."""
        out = np.zeros(self.game.players)
        self.game.rules.payoffs(self.game.tables, self.state, out)
        return list(out.tolist())

    def board(self) -> str:
        """Draw the position."""
        return self.game.board(self.state)


class SheetSide(Side):
    """A rulesheet, where names of moves do not depend on the position: each is made once."""

    def __init__(self, game: Game, common: Callable[[str], str]) -> None:
        super().__init__(game, common)
        self._names: dict[tuple[int, int], str] = {}

    def name(self, acting: int, code: int) -> str:
        """Return the common name of one move."""
        known = self._names.get((acting, code))
        if known is None:
            known = self._names[acting, code] = super().name(acting, code)
        return known


class Pair:
    """A rulesheet and its twin."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.sheet = SheetSide(load_own(twin.sheet), twin.sheet_name)
        self.native = Side(load(twin.native), twin.native_name)

    def play_in_step(self, rng: random.Random, prefer: str = "") -> int:
        """Play one random game on both sides; compare at every step; return how many there were.

        Half of the time moves are drawn among those whose common name matches `prefer`.
        """
        sheet, native = self.sheet, self.native
        sheet.restart()
        native.restart()
        steps = 0
        while True:
            if self.twin.settles:
                sheet.settle()
                native.settle()
            acting = native.acting()
            assert sheet.acting() == acting, native.board()
            if acting == NOBODY:
                goals = [self.twin.goal(payoff) for payoff in native.payoffs()]
                assert sheet.payoffs() == goals, native.board()
                return steps
            sheets, natives = sheet.moves(), native.moves()
            assert sorted(sheets) == sorted(natives), native.board()
            names = list(natives)
            if prefer and rng.random() < 0.5:
                names = [name for name in names if re.fullmatch(prefer, name)] or names
            name = rng.choice(names)
            sheet.play(sheets[name])
            native.play(natives[name])
            steps += 1
