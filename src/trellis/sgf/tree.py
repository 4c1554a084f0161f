"""Files of games as trees of nodes: read within stated limits, and written.

Sgfmill knows the grammar.  What is ours: encodings, limits, files that end too early, and nodes
that do not ask for a square board.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from trellis.game.errors import BadRecord, shorten
from trellis.sgf.encoding import decode

with warnings.catch_warnings():
    # Python warns of a backslash in a docstring there when it first compiles the file.
    warnings.simplefilter("ignore", DeprecationWarning)
    warnings.simplefilter("ignore", SyntaxWarning)
    from sgfmill import sgf_grammar

MOST_BYTES = 16 * 2**20
MOST_NODES = 250_000
MOST_VALUES = 1_000_000
MOST_DEPTH = 10_000  # variations in variations
MOST_GRAMMAR = 4 * 2**20  # bytes that are not values

# A value that never ends reaches to the end of the file: each byte is looked at once.
_VALUE = re.compile(rb"\[[^\\\]]*(?:\\.[^\\\]]*)*(?:\]|\\?\Z)", re.DOTALL)
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_START = re.compile(rb"\(\s*;")


class Node:
    """One node of a game: properties by name, each a list of values, and what may follow.

    Values are raw, in UTF-8, as they stand between brackets; `text` reads one, `set_text` writes.
    """

    def __init__(self, properties: dict[str, list[bytes]], parent: "Node | None" = None) -> None:
        self.properties = properties
        self.parent = parent
        self.children: list[Node] = []

    def add(self, properties: dict[str, list[bytes]] | None = None) -> "Node":
        """Add a node after this one, behind those that are there."""
        child = Node(properties or {}, self)
        self.children.append(child)
        return child

    def text(self, name: str) -> str | None:
        """Return the value of a property as text, without its escapes; None where it has none."""
        values = self.properties.get(name)
        if not values:
            return None
        return bytes(sgf_grammar.text_value(values[0])).decode("utf-8", "replace")

    def set_text(self, name: str, text: str) -> None:
        """Give a property one value."""
        self.properties[name] = [sgf_grammar.escape_text(text.encode("utf-8", "replace"))]

    def add_comment(self, text: str) -> None:
        """Write a comment behind the one that is there."""
        before = self.text("C")
        self.set_text("C", f"{before}\n\n{text}" if before else text)

    def main_line(self) -> "Iterator[Node]":
        """Go from this node to the end, always by the first of the nodes that follow."""
        node = self
        yield node
        while node.children:
            node = node.children[0]
            yield node

    def nodes(self) -> "Iterator[Node]":
        """Go through this node and all that follow it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def read_file(path: Path) -> tuple[list[Node], list[str]]:
    """Read all games of a file; return their first nodes, and remarks on what was wrong."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadRecord(f"cannot read {shorten(str(path))}: {error.strerror}") from None
    try:
        return read_trees(data)
    except BadRecord as error:
        raise BadRecord(f"{shorten(str(path))}: {error}") from None


def read_trees(data: bytes) -> tuple[list[Node], list[str]]:
    """Read all games of a collection; return their first nodes, and remarks on what was wrong."""
    if len(data) > MOST_BYTES:
        raise BadRecord(f"more than {MOST_BYTES:,} bytes: expected a smaller file of games")
    text, remark = decode(data)
    remarks = [remark] if remark else []
    data = text.encode("utf-8", "replace")
    _refuse_large(data)
    games: list[Node] = []
    at = 0
    while True:
        found = _START.search(data, at)
        if found is None:
            break
        tokens, end = sgf_grammar.tokenise(data, found.start())
        depth = _depth(tokens)
        whole = data[found.start() : end]
        if depth:
            whole = _closed(data, found.start(), end, depth)
            remarks.append(f"game {len(games) + 1} ends too early: read as far as it goes")
            end = len(data)
        games.append(_tree(whole, len(games) + 1))
        at = end
    if not games:
        raise BadRecord("not a file of games: expected '(;' and what follows it")
    return games, remarks


def _refuse_large(data: bytes) -> None:
    """Refuse what would take too much memory, before anything is made of it."""
    rest, values = _VALUE.subn(b"", data)
    for count, most, what in (
        (values, MOST_VALUES, "values"),
        (rest.count(b";"), MOST_NODES, "nodes"),
        (rest.count(b"("), MOST_NODES, "variations"),
        (len(rest), MOST_GRAMMAR, "bytes outside of values"),
    ):
        if count > most:
            raise BadRecord(f"{count:,} {what}: expected at most {most:,}")


def _depth(tokens: Sequence[tuple[str, bytes]]) -> int:
    """Return how many variations are open at the end; refuse too many in each other."""
    depth = deepest = 0
    for kind, token in tokens:
        if kind == "D":
            depth += (token == b"(") - (token == b")")
            deepest = max(deepest, depth)
    if deepest > MOST_DEPTH:
        raise BadRecord(f"{deepest:,} nested variations: expected at most {MOST_DEPTH:,}")
    return depth


def _closed(data: bytes, start: int, end: int, depth: int) -> bytes:
    """Return a game that ends too early with what is missing; refuse what is not such a game."""
    tail = data[end:].lstrip()
    if tail and not tail.startswith(b"["):
        line = data.count(b"\n", 0, len(data) - len(tail)) + 1
        shown = shorten(tail[:20].decode("utf-8", "replace"))
        raise BadRecord(f"line {line}: unexpected {shown}: expected a property, ';', '(' or ')'")
    if tail:
        slashes = len(tail) - len(tail.rstrip(b"\\"))
        tail = tail[: len(tail) - slashes % 2] + b"]"
    whole = data[start:end] + tail
    # A name at the very end has lost its value.
    if not tail:
        whole = whole.rstrip().rstrip(_LETTERS).rstrip()
    if whole.endswith(b"("):
        whole += b";"
    return whole + b")" * depth


def _tree(data: bytes, number: int) -> Node:
    """Make nodes of the text of one game."""
    try:
        coarse = sgf_grammar.parse_sgf_game(data)
    except ValueError as error:
        raise BadRecord(f"game {number}: {error}") from None
    root: Node | None = None
    waiting = [(coarse, root)]
    while waiting:
        tree, parent = waiting.pop()
        for properties in tree.sequence:
            properties.pop("", None)  # a name without a capital letter is none
            node = Node(properties, parent)
            if parent is not None:
                parent.children.append(node)
            root = root or node
            parent = node
        waiting.extend((child, parent) for child in reversed(tree.children))
    if root is None:
        raise BadRecord(f"game {number}: no node")
    return root


def write_trees(games: Sequence[Node]) -> bytes:
    """Return the text of a collection of games, in UTF-8."""
    for root in games:
        root.set_text("CA", "UTF-8")
    parts = [
        bytes(
            sgf_grammar.serialise_game_tree(
                sgf_grammar.make_coarse_game_tree(
                    root, lambda node: node.children, lambda node: node.properties
                )
            )
        )
        for root in games
    ]
    return b"\n".join(parts)
