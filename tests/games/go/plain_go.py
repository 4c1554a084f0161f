"""Go once more, with sets and dictionaries, written down from the rules of Tromp and Taylor."""

from dataclasses import dataclass, field

Point = tuple[int, int]  # row from the bottom, column
Stones = dict[Point, int]


@dataclass
class PlainGo:
    """A game in progress; colour 0 is black."""

    rows: int
    columns: int
    superko: str = "positional"
    suicide: bool = False
    stones: Stones = field(default_factory=dict)
    side: int = 0
    passes: int = 0
    seen: set[object] = field(default_factory=set)
    ko: Point | None = None

    def __post_init__(self) -> None:
        self.seen.add(self.situation(self.stones, 0))

    def situation(self, stones: Stones, side: int) -> object:
        """Return what may not come again."""
        board = frozenset(stones.items())
        return (board, side) if self.superko == "situational" else board

    def near(self, point: Point) -> list[Point]:
        """List the neighbours of a point."""
        y, x = point
        around = [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
        return [(v, u) for v, u in around if 0 <= v < self.rows and 0 <= u < self.columns]

    def chain(self, stones: Stones, point: Point) -> tuple[set[Point], set[Point]]:
        """Return the chain of a stone, and its liberties."""
        chain, liberties, waiting = {point}, set(), [point]
        while waiting:
            for near in self.near(waiting.pop()):
                if near not in stones:
                    liberties.add(near)
                elif stones[near] == stones[point] and near not in chain:
                    chain.add(near)
                    waiting.append(near)
        return chain, liberties

    def after(self, point: Point) -> tuple[Stones, set[Point], bool]:
        """Return the stones after a move, what was taken, and whether that was suicide."""
        stones = {**self.stones, point: self.side}
        taken: set[Point] = set()
        for near in self.near(point):
            if stones.get(near) == 1 - self.side:
                chain, liberties = self.chain(stones, near)
                if not liberties:
                    taken |= chain
        for stone in taken:
            del stones[stone]
        chain, liberties = self.chain(stones, point)
        if not liberties:
            for stone in chain:
                del stones[stone]
        return stones, taken, not liberties

    def is_legal(self, point: Point) -> bool:
        """Tell whether who moves may put a stone there."""
        if point in self.stones:
            return False
        stones, _, suicide = self.after(point)
        if suicide and not self.suicide:
            return False
        if self.superko == "simple":
            return point != self.ko
        return self.situation(stones, 1 - self.side) not in self.seen

    def moves(self) -> list[Point | None]:
        """List legal moves; None is the pass."""
        points = [(y, x) for y in range(self.rows) for x in range(self.columns)]
        return [*(point for point in points if self.is_legal(point)), None]

    def play(self, point: Point | None) -> None:
        """Make a move."""
        self.passes = self.passes + 1 if point is None else 0
        ko = None
        if point is not None:
            stones, taken, _ = self.after(point)
            chain, liberties = self.chain(stones, point) if point in stones else (set(), set())
            if len(taken) == 1 and len(chain) == 1 and liberties == taken:
                (ko,) = taken
            self.stones = stones
        self.ko = ko
        self.side = 1 - self.side
        if point is not None or self.superko == "situational":
            self.seen.add(self.situation(self.stones, self.side))

    def area(self) -> int:
        """Return black's area minus white's."""
        score, done = 0, set()
        for y in range(self.rows):
            for x in range(self.columns):
                point = (y, x)
                if point in self.stones:
                    score += 1 - 2 * self.stones[point]
                elif point not in done:
                    region, borders, waiting = {point}, set(), [point]
                    while waiting:
                        for near in self.near(waiting.pop()):
                            if near in self.stones:
                                borders.add(self.stones[near])
                            elif near not in region:
                                region.add(near)
                                waiting.append(near)
                    done |= region
                    if len(borders) == 1:
                        score += len(region) * (1 - 2 * borders.pop())
        return score
