"""Following what is proven: a move that keeps it, in every position where somebody has to choose.

A table forgets, and holds no moves; so a position is asked about again, which is quick where the
table still knows most of what follows.
"""

from collections.abc import Iterator

from trellis.game.errors import LimitReached
from trellis.game.game import Position
from trellis.search.solve.questions.engine import Questions

_ASKED_FIRST = 2_000  # positions: a move that is easy to prove is found before one that is not
_LONGER = 16


class Walker:
    """Names moves that keep a bound: player 0 at least a label, or player 1 below one."""

    def __init__(self, search: Questions, nodes: int) -> None:
        self.search, self.left = search, nodes
        self._known: dict[tuple[bytes, int], bool] = {}

    def holds(self, position: Position, target: int, nodes: int) -> bool | None:
        """Tell whether player 0 gets at least the target; None where that takes more positions."""
        if position.is_over:
            return self.search.label_of_end(position) >= target
        name = position.state.tobytes(), target
        if name not in self._known:
            before = self.search.nodes
            found = self.search.ask(position.state, target, nodes)
            self.left -= self.search.nodes - before
            if found is None:
                return None
            self._known[name] = found[0] >= target
        return self._known[name]

    def keeping(self, position: Position, target: int, first: int | None = None) -> int:
        """Return a move after which the answer stays what who moves wants it to be."""
        wanted = position.acting == 0
        codes = position.move_codes()
        if first in codes:
            codes.sort(key=lambda code: code != first)
        after = [(code, position.play(code)) for code in codes]
        for code, child in after:
            if child.is_over and self.holds(child, target, 0) is wanted:
                return code
        nodes, open_ = _ASKED_FIRST, after
        while open_ and self.left > 0:
            unknown = []
            for code, child in open_:
                answer = self.holds(child, target, min(nodes, max(self.left, 1)))
                if answer is wanted:
                    return code
                if answer is None:
                    unknown.append((code, child))
            open_, nodes = unknown, nodes * _LONGER
        raise LimitReached(
            f"no move was found again that keeps what is proven of {position.game.spec}: "
            "expected more memory or time"
        )

    def line(self, low: int, high: int, first: int | None, longest: int = 200) -> list[str]:
        """Return how play goes on if both keep what they have, as far as that is found."""
        names: list[str] = []
        position = self.search.position
        while not position.is_over and len(names) < longest:
            target = low if position.acting == 0 else high + 1
            try:
                code = self.keeping(position, target, first)
            except LimitReached:
                break
            names.append(position.name(code))
            position, first = position.play(code), None
        return names

    def strategy(self, player: int, target: int, limit: int) -> Iterator[tuple[Position, int]]:
        """List every position that can come up where a player follows its strategy, with its move.

        `target` is what player 0 gets at least, or, for player 1, does not get.
        """
        seen: set[Position] = set()
        waiting = [self.search.position]
        while waiting:
            position = waiting.pop()
            if position in seen or position.is_over:
                continue
            seen.add(position)
            if len(seen) > limit:
                raise LimitReached(f"the strategy has more than {limit:,} positions")
            codes = position.move_codes()
            if position.acting == player:
                code = self.keeping(position, target) if len(codes) > 1 else codes[0]
                yield position, code
                codes = [code]
            waiting += [position.play(code) for code in reversed(codes)]
