"""Games of Go in files: from nodes to positions, and from positions to nodes.

>>> record = read_game(b"(;SZ[5]KM[0.5];B[cc];W[bb])")
>>> print(record.position_before(2))
 5 . . . . .
 4 . . . . .
 3 . . X . .
 2 . . . . .
 1 . . . . .
   a b c d e
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trellis.game.errors import BadParameter, BadRecord, TrellisError, shorten
from trellis.game.game import Position, Value
from trellis.game.spec import find_entry, plain_value
from trellis.games.catalogue import ENTRIES
from trellis.games.go import board as b
from trellis.games.go.game import Go
from trellis.games.go.setup import play_anyway, set_up, with_turn
from trellis.sgf.tree import Node, read_file, read_trees

LARGEST = b.LARGEST
LONGEST_GAME = 5_000  # moves in one line of play
_COLOURS = ("B", "W")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Step:
    """A node of a line of play and the position after it; `move` is None where nobody moved."""

    node: Node
    position: Position
    number: int  # of the move, or of the last one before
    move: int | None = None


@dataclass
class GoRecord:
    """A game of Go in a file: what it says of the board, and the positions it leads to."""

    root: Node
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        kind = (self.root.text("GM") or "1").strip()
        if kind != "1":
            raise BadRecord(
                f"a game of another kind, GM[{shorten(kind)[1:-1]}]: expected Go, GM[1]"
            )
        self.columns, self.rows = _size(self.root.text("SZ"))

    @property
    def komi(self) -> float | None:
        """Return what the file says of komi."""
        text = self.root.text("KM")
        if text is None:
            return None
        try:
            komi = float(text)
        except ValueError:
            return None
        return komi if math.isfinite(komi) else None

    def parameters(self, given: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Return parameters of `go`: those that are given, and the board and komi of the file."""
        chosen: dict[str, Value] = dict(given or {})
        size = int(chosen.get("board_size", 0))
        rows, columns = (int(chosen.get(name, 0)) or size for name in ("rows", "columns"))
        if (rows or self.rows, columns or self.columns) != (self.rows, self.columns):
            raise BadParameter(
                f"a board of {rows or self.rows}x{columns or self.columns} was asked for: expected "
                f"the file's, {self.rows}x{self.columns}"
            )
        if self.rows == self.columns:
            chosen.setdefault("board_size", self.rows)
        else:
            chosen.setdefault("rows", self.rows)
            chosen.setdefault("columns", self.columns)
        if "komi" not in chosen and self.komi is not None:
            chosen["komi"] = self.komi
        return chosen

    def game(self, **given: Value) -> Go:
        """Return the game that the file is of; what is given wins over what it says."""
        words = {name: plain_value(value) for name, value in self.parameters(given).items()}
        settings: dict[str, Any] = find_entry("go", ENTRIES).settings(words)
        return Go(**settings)

    def steps(self, game: Go | None = None, line: Sequence[Node] | None = None) -> list[Step]:
        """Replay a line of nodes from the first on, the main line where none is given.

        Moves that rules of ko or suicide forbid are made all the same, as the format wants it;
        `remarks` tell of them.  A stone on a stone, or outside the board, is refused.
        """
        game = game or self.game()
        if game.group_names:
            raise BadParameter(f"{game.spec} has move groups: expected groups=none for a file")
        nodes = list(self.root.main_line() if line is None else line)
        position = set_up(game, (), (), self.first_player(nodes))
        steps: list[Step] = []
        number = 0
        for node in nodes:
            try:
                position = self._set_up(position, node)
                colours = [colour for colour in range(2) if _COLOURS[colour] in node.properties]
                if len(colours) > 1:
                    raise BadRecord("a move of black and one of white in one node")
                move = None
                for colour in colours:
                    number += 1
                    position, move = self._moved(position, node, colour, number)
            except TrellisError as error:
                where = f"move {number}" if number else "before the first move"
                raise BadRecord(f"{where}: {error}") from None
            steps.append(Step(node, position, number, move))
            if number > LONGEST_GAME:
                raise BadRecord(f"more than {LONGEST_GAME:,} moves: expected a shorter game")
        return steps

    def step_before(self, move: int | None, steps: Sequence[Step]) -> Step:
        """Return the step whose position is the one before a move, from 1; None is the end."""
        if move is None:
            return steps[-1]
        moves = steps[-1].number
        if not 1 <= move <= moves + 1:
            raise BadParameter(f"no move {move}: expected 1 to {moves + 1}")
        # Stones set up just before the move belong to the position, so take the last such step.
        found = [step for step in steps if step.number == move - 1]
        if not found:
            raise BadParameter(
                f"no position before move {move}: the first node of the game makes it already"
            )
        return found[-1]

    def position_before(self, move: int | None = None, game: Go | None = None) -> Position:
        """Return the position before a move of the main line, from 1; None is the end."""
        return self.step_before(move, self.steps(game)).position

    def first_player(self, nodes: Sequence[Node]) -> int:
        """Return who moves first: as the file says, else who does, else white gives handicap."""
        said = (self.root.text("PL") or "").strip().upper()[:1]
        if said in _COLOURS:
            return _COLOURS.index(said)
        for node in nodes:
            for colour in range(2):
                if _COLOURS[colour] in node.properties:
                    return colour
        handicap = (self.root.text("HA") or "0").strip()
        return int(handicap.isdigit() and len(handicap) < 4 and int(handicap) > 1)

    def _set_up(self, position: Position, node: Node) -> Position:
        """Add and remove the stones that a node says, and give the turn to whom it says."""
        game, properties = _go(position), node.properties
        player = max(position.acting, 0)
        said = (node.text("PL") or "").strip().upper()[:1]
        if said in _COLOURS:
            player = _COLOURS.index(said)
        if not any(name in properties for name in ("AB", "AW", "AE")):
            return with_turn(position, player) if said and player != position.acting else position
        stones = _stones(game, position)
        for name, colour in (("AE", None), ("AB", 0), ("AW", 1)):
            for code in self.points(node, name):
                for each in stones:
                    each.discard(code)
                if colour is not None:
                    stones[colour].add(code)
        return set_up(game, stones[0], stones[1], player)

    def _moved(
        self, position: Position, node: Node, colour: int, number: int
    ) -> tuple[Position, int]:
        game = _go(position)
        move = self._point(node.properties[_COLOURS[colour]][0])
        name = game.move_name(None, move)
        if position.acting != colour:
            position = with_turn(position, colour)
            if position.is_over:
                raise BadRecord(f"longer than max_plies={game.max_plies} allows")
        if move not in position.move_codes():
            after = play_anyway(position, move)
            self.remarks.append(
                f"move {number}, {game.player_name(colour)} {name}, breaks the rules of "
                f"{game.spec}: made all the same"
            )
            return after, move
        return position.play(move), move

    def _point(self, raw: bytes) -> int:
        """Return the move that a value stands for: two letters; none, or tt up to 19, is a pass."""
        text = raw.decode("utf-8", "replace").strip()
        if not text or (text == "tt" and max(self.rows, self.columns) <= 19):
            return self.rows * self.columns
        if len(text) != 2 or any(letter not in _LETTERS for letter in text):
            raise BadRecord(f"bad point {shorten(text)}: expected two letters, or none for a pass")
        column, down = (_LETTERS.index(letter) for letter in text)
        if column >= self.columns or down >= self.rows:
            raise BadRecord(
                f"point {shorten(text)} is outside a board of {self.rows}x{self.columns}"
            )
        return (self.rows - 1 - down) * self.columns + column

    def points(self, node: Node, name: str) -> list[int]:
        """Return the points of a list such as `AB[aa][bc:dd]`, rectangles spelt out."""
        found: list[int] = []
        for raw in node.properties.get(name, ()):
            first, _, last = raw.partition(b":")
            if not first.strip() and not last:
                continue  # an empty list
            ends = [divmod(self._point(each), self.columns) for each in (first, last or first)]
            (top, left), (bottom, right) = ends
            if self.rows in (top, bottom):
                raise BadRecord(f"bad point {shorten(raw.decode('utf-8', 'replace'))} in {name}")
            found += [
                row * self.columns + column
                for row in range(min(top, bottom), max(top, bottom) + 1)
                for column in range(min(left, right), max(left, right) + 1)
            ]
            if len(found) > 4 * self.rows * self.columns:
                raise BadRecord(f"too many points in {name}")
        return found


def _size(text: str | None) -> tuple[int, int]:
    """Return columns and rows of `SZ[19]` or `SZ[9:7]`."""
    parts = (text or "19").strip().split(":")
    if len(parts) in (1, 2) and all(
        part.isascii() and part.isdigit() and len(part) < 4 and 1 <= int(part) <= LARGEST
        for part in parts
    ):
        return int(parts[0]), int(parts[-1])
    raise BadRecord(
        f"bad board size SZ[{shorten(text or '')[1:-1]}]: expected 1 to {LARGEST}, or columns:rows"
    )


def _go(position: Position) -> Go:
    if not isinstance(position.game, Go):
        raise BadParameter(f"{position.game.spec} is not go: only games of go are written as SGF")
    return position.game


def _stones(game: Go, position: Position) -> tuple[set[int], set[int]]:
    found: tuple[set[int], set[int]] = (set(), set())
    for row, line in enumerate(game.stones(position.state)):
        for column, cell in enumerate(line):
            if cell != ".":
                found["XO".index(cell)].add(row * game.columns + column)
    return found


def read_collection(source: bytes | Path) -> list[GoRecord]:
    """Read all games of a file, or of its bytes; remarks on the file are with the first."""
    games, remarks = read_file(source) if isinstance(source, Path) else read_trees(source)
    records = []
    for number, root in enumerate(games, start=1):
        try:
            records.append(GoRecord(root))
        except BadRecord as error:
            name = f"{shorten(str(source))}: " if isinstance(source, Path) else ""
            raise BadRecord(f"{name}game {number}: {error}") from None
    records[0].remarks += remarks
    return records


def read_game(source: bytes | Path, number: int = 1) -> GoRecord:
    """Read one game of a file, the first where it is not said which."""
    games, remarks = read_file(source) if isinstance(source, Path) else read_trees(source)
    if not 1 <= number <= len(games):
        raise BadParameter(f"no game {number}: expected 1 to {len(games)}")
    return GoRecord(games[number - 1], remarks)


# -- writing --------------------------------------------------------------------------------------


def point_text(game: Go, move: int) -> bytes:
    """Return the two letters of a move; nothing for a pass."""
    if move == game.points:
        return b""
    row, column = divmod(move, game.columns)
    return (_LETTERS[column] + _LETTERS[game.rows - 1 - row]).encode()


def move_node(parent: Node, game: Go, player: int, move: int) -> Node:
    """Add a node with a move."""
    return parent.add({_COLOURS[player]: [point_text(game, move)]})


def result_text(position: Position, resigned: int | None = None) -> str:
    """Return the result as the format has it: B+3.5, W+R, 0 for a draw, ? where it is open."""
    if resigned is not None:
        return f"{_COLOURS[1 - resigned]}+R"
    if not position.is_over:
        return "?"
    game = _go(position)
    margin = b.area(game.tables, position.state) - float(game.parameters["komi"])
    return "0" if margin == 0 else f"{_COLOURS[margin < 0]}+{abs(margin):g}"


def write_game(
    positions: Sequence[Position],
    moves: Sequence[str | int],
    *,
    names: tuple[str, str] = ("", ""),
    resigned: int | None = None,
    comments: Mapping[int, str] | None = None,
) -> Node:
    """Return a game as nodes: its positions, one more than the moves between them.

    `comments` are by the number of the move they stand with; 0 is the first position.
    """
    game = _go(positions[0])
    root = Node({})
    size = f"{game.columns}" if game.rows == game.columns else f"{game.columns}:{game.rows}"
    komi = float(game.parameters["komi"])
    facts = {
        "FF": "4", "GM": "1", "CA": "UTF-8", "AP": "Trellis", "SZ": size, "KM": f"{komi:g}",
        "RU": _rules_name(game), "PB": names[0], "PW": names[1],
        "RE": result_text(positions[-1], resigned),
    }  # fmt: skip
    for name, text in facts.items():
        if text:
            root.set_text(name, text)
    stones = _stones(game, positions[0])
    for name, codes in zip(("AB", "AW"), stones, strict=True):
        if codes:
            root.properties[name] = [point_text(game, code) for code in sorted(codes)]
    if any(stones) or positions[0].acting > 0:
        root.set_text("PL", _COLOURS[max(positions[0].acting, 0)])
    node = root
    said = dict(comments or {})
    if said.get(0):
        root.set_text("C", said[0])
    for number, (before, move) in enumerate(zip(positions, moves, strict=False), start=1):
        code = before.code_of(move) if isinstance(move, str) else int(move)
        node = move_node(node, game, before.acting, code)
        if said.get(number):
            node.set_text("C", said[number])
    return root


def _rules_name(game: Go) -> str:
    """Return the name of the rules where they have one that says all of them."""
    chosen = game.parameters
    names = {
        ("positional", True): "Tromp-Taylor", ("situational", True): "NZ",
        ("situational", False): "AGA", ("positional", False): "Chinese",
    }  # fmt: skip
    return names.get((str(chosen["superko"]), bool(chosen["suicide"])), "")
