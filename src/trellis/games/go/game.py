"""Go for people: its parameters, names of points, boards as text."""

from copy import copy
from typing import Any

import numpy as np

from trellis.game.bits import ALL, ZERO
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Symmetry
from trellis.game.planes import Planes
from trellis.game.rules import Rules, State
from trellis.games.go import board as b
from trellis.games.go.playout import marked_playout, playout
from trellis.games.go.rules import (
    acting,
    allowed,
    candidates,
    key,
    map_move,
    moves,
    payoffs,
    play,
    start,
    transform,
)
from trellis.games.go.small_playout import fits, marked_small_playout, small_playout

LETTERS = "abcdefghjklmnopqrst"  # without i, which looks like 1
_SUPERKO = {"simple": b.SIMPLE, "positional": b.POSITIONAL, "situational": b.SITUATIONAL}
_SYMMETRY_NAMES = (
    "identity", "half turn", "left-right mirror", "top-bottom mirror",
    "quarter turn", "three-quarter turn", "diagonal mirror", "antidiagonal mirror",
)  # fmt: skip
_STARS = {7: (2, 3, 4), 8: (2, 5), 9: (2, 4, 6), 10: (2, 7), 11: (2, 5, 8), 12: (3, 8)}

RULES = Rules(start, acting, moves, play, payoffs, key, playout=playout)


class Go(Game):
    """Go by area: surround more than the other does; stones without a liberty are taken."""

    name = "go"
    symbols = ("X", "O")
    works_in_tables = True
    playout_is_uniform = False  # it fills no eyes and passes last

    def __init__(
        self,
        board_size: int = 9,
        rows: int = 0,
        columns: int = 0,
        komi: float = 7.5,
        superko: str = "positional",
        suicide: bool = False,
        history: str = "ko",
        score: bool = False,
        max_plies: int = 0,
        groups: str = "none",
        playouts: str = "uniform",
    ) -> None:
        rows, columns = rows or board_size, columns or board_size
        points, kind = rows * columns, _SUPERKO[superko]
        kept, words = _history(points, kind, history)
        cap = max_plies or (0 if _ends_by_itself(points, kind, history) else 3 * points)
        longest = cap or (_longest(points, kind) if kind else None)
        if kept == b.SORTED and points > b.EXACT_POINTS:
            raise BadParameter(
                f"bad value full for history: with superko it needs a board of at most "
                f"{b.EXACT_POINTS} points, not {rows}x{columns}"
            )
        if kept in (b.IN_ORDER, b.SORTED):
            words = 1 + (longest or 0)
        of_colour = b.words_of(rows, columns)
        turn = history == "turn" or (history == "full" and cap > 0)
        images = _images(rows, columns)
        greatest = float(points) + abs(komi) if score else 1.0
        status = (b.KO << b.KO_AT) | (b.PASSES << b.PASSES_AT) | b.SIDE
        status |= (ALL >> b.PLIES_AT << b.PLIES_AT) if turn else ZERO
        told = [ALL] * (1 + words) if kept > b.IN_ORDER else [ZERO] * (1 + words)
        symmetric = kept == b.NO_HISTORY
        super().__init__(
            RULES._replace(
                playout=small_playout if fits(rows, columns) else playout,
                marked_playout=marked_small_playout if fits(rows, columns) else marked_playout,
                candidates=candidates if kept == b.IN_ORDER else None,
                allowed=allowed if kept == b.IN_ORDER else None,
                transform=transform if symmetric else None,
                map_move=map_move if symmetric else None,
            ),
            b.make_tables(
                rows, columns, cap=cap, superko=kind, suicide=suicide, history=kept,
                history_words=words, key_turn=turn, by_margin=score, komi=komi,
                images=[code for image in images for code in image],
            ),
            parameters={
                "board_size": board_size, "rows": rows if rows != board_size else 0,
                "columns": columns if columns != board_size else 0, "komi": komi,
                "superko": superko, "suicide": suicide, "history": history, "score": score,
                "max_plies": max_plies, "groups": groups, "playouts": playouts,
            },
            payoff_range=(-greatest, greatest),
            state_words=2 * of_colour + 3 + words,
            identity=[ALL] * 2 * of_colour + [status, ZERO, *told],
            max_moves=points + 1,
            move_codes=points + 1,
            max_plies=longest,
            symmetries=[
                Symmetry(name, (0, 1)) for name in _SYMMETRY_NAMES[: len(images)] if symmetric
            ],
        )  # fmt: skip
        self.rows, self.columns, self.points = rows, columns, points
        self.planes = Planes(
            rows, columns, lambda row, column: row * (columns + 1) + column, second=of_colour
        )
        if groups == "manhattan":
            self._add_groups()
        if playouts == "patterns":
            self.rules = self._rules_by_patterns()
        if kind and points > b.EXACT_POINTS:
            self.hashed_past = (
                f"superko knows boards of more than {b.EXACT_POINTS} points by their hashes; "
                "expected superko=simple, or a smaller board"
            )
        if kept == b.IN_ORDER:
            self.forgets = f"boards that {superko} superko forbids (history=full keeps them)"
        elif cap and not turn:
            self.forgets = "how many moves are left (history=turn keeps that)"
        self.notation = f"a point, a1 to {self.move_name(None, points - 1)}, or pass"

    def _rules_by_patterns(self) -> Rules:
        """Return the rules with random games that answer the last move."""
        # Its kernels are compiled only where they are used.
        if self.group_names:
            from trellis.games.go.manhattan_patterns import grouped_pattern_playout

            return self.rules._replace(playout=grouped_pattern_playout)
        from trellis.games.go.pattern_playout import marked_pattern_playout, pattern_playout

        return self.rules._replace(playout=pattern_playout, marked_playout=marked_pattern_playout)

    def with_playouts(self, name: str) -> Game:
        """Return this game with another kind of random games; see `Game.with_playouts`."""
        if name != "patterns":
            return super().with_playouts(name)
        other = copy(self)
        other.rules = self._rules_by_patterns()
        return other

    def _add_groups(self) -> None:
        """Make every move two: near the last two moves or anywhere, then where."""
        from trellis.games.go import manhattan  # its kernels are compiled only where they are used

        self.rules = manhattan.with_groups(self.rules)
        self.symmetries = ()
        self.identity = np.array([*self.identity, *manhattan.IDENTITY], np.uint64)
        self.state_words += manhattan.ADDED_WORDS
        self.move_codes += len(manhattan.GROUP_NAMES)
        self.max_moves = max(self.max_moves, len(manhattan.GROUP_NAMES))
        self.max_plies = None if self.max_plies is None else 2 * self.max_plies
        self.group_names = manhattan.GROUP_NAMES
        # What is near depends on the last moves, which tell no positions apart: a search must go on
        # from those with which it first came to a position.
        self.keeps_states = True

    def grouping(self, name: str) -> Game:
        """Return this game with move groups by name; see `trellis.grouped`."""
        if name != "manhattan" or self.group_names:
            return super().grouping(name)
        return Go(**(self.parameters | {"groups": name}))  # type: ignore[arg-type]

    def player_name(self, player: int) -> str:
        """Name the colours."""
        return ("black", "white")[player]

    def move_name(self, state: State | None, move: int) -> str:
        """Name a point by column, without i, and row, 1 at the bottom."""
        if move > self.points:
            return f"[{self.group_names[move - self.points - 1]}]"
        if move == self.points:
            return "pass"
        return f"{LETTERS[move % self.columns]}{move // self.columns + 1}"

    def aftermath(self, before: State, after: State) -> str:
        """Say how many stones were taken, and whose."""
        was, left = "".join(self.stones(before)), "".join(self.stones(after))
        lost = [was.count(symbol) - left.count(symbol) for symbol in self.symbols]
        return "; ".join(
            f"{self.player_name(player)} loses {count} stone{'s' if count > 1 else ''}"
            for player, count in enumerate(lost)
            if count > 0
        )

    def tally(self, state: State) -> str:
        """Say who has more area, and by how much."""
        ahead = int(b.area(self.tables, state)) - float(str(self.parameters["komi"]))
        if ahead == 0:
            return "area: equal, with komi"
        return f"area: {self.player_name(int(ahead < 0))} has {abs(ahead):g} more, with komi"

    def stones(self, state: State) -> list[str]:
        """Return the board as a string a row, from the bottom; X is black, O white, . empty."""
        words = b.words_of(self.rows, self.columns)
        lines = []
        for row in range(self.rows):
            line = ""
            for column in range(self.columns):
                bit = row * (self.columns + 1) + column
                black, white = (
                    int(state[first + bit // 64]) >> bit % 64 & 1 for first in (0, words)
                )
                line += "X" if black else "O" if white else "."
            lines.append(line)
        return lines

    def board(self, state: State) -> str:
        """Draw the board with its star points, row 1 at the bottom."""
        stars_down, stars_across = _stars(self.rows), _stars(self.columns)
        lines = []
        for row, stones in reversed([*enumerate(self.stones(state))]):
            cells = [
                "+" if cell == "." and row in stars_down and column in stars_across else cell
                for column, cell in enumerate(stones)
            ]
            lines.append(f"{row + 1:2} {' '.join(cells)}")
        lines.append("   " + " ".join(LETTERS[: self.columns]))
        if self.group_names and int(state[-1]):
            lines.append(f"group: {self.group_names[(int(state[-1]) & 0xFF) - 1]}")
        return "\n".join(lines)


def _history(points: int, superko: int, history: str) -> tuple[int, int]:
    """Return how history is kept, and in how many words where that does not depend on lengths."""
    if superko == b.SIMPLE:
        return b.NO_HISTORY, 0
    if history != "full":
        return b.IN_ORDER, 0
    if points > b.BITMAP_POINTS:
        return b.SORTED, 0
    boards = 3**points * (2 if superko == b.SITUATIONAL else 1)
    return b.BITMAP, (boards + 63) // 64


def _ends_by_itself(points: int, superko: int, history: str) -> bool:
    """Tell whether no limit of moves is needed: none is, or games cannot be too long to keep."""
    if superko == b.SIMPLE:
        return history != "turn"
    return points <= b.BITMAP_POINTS if history == "full" else points <= 6


def _longest(points: int, superko: int) -> int:
    """Return how long a game can be in which no board comes again.

    Every stone makes a new board, or a board with another player to move; between two of them
    there is at most one pass, and two passes follow the last.
    """
    return 2 * (3**points * (2 if superko == b.SITUATIONAL else 1)) + 2


def _stars(side: int) -> tuple[int, ...]:
    if side > 12:
        return (3, side // 2, side - 4) if side % 2 else (3, side - 4)
    return _STARS.get(side, ())


def _images(rows: int, columns: int) -> list[list[int]]:
    """Return where each symmetry sends each move."""
    down, right = rows - 1, columns - 1
    maps: list[Any] = [
        lambda y, x: (y, x),
        lambda y, x: (down - y, right - x),
        lambda y, x: (y, right - x),
        lambda y, x: (down - y, x),
        lambda y, x: (x, right - y),
        lambda y, x: (right - x, y),
        lambda y, x: (x, y),
        lambda y, x: (right - x, right - y),
    ]
    images = []
    for image in maps if rows == columns else maps[:4]:
        places = [image(y, x) for y in range(rows) for x in range(columns)]
        images.append([y * columns + x for y, x in places] + [rows * columns])
    return images
