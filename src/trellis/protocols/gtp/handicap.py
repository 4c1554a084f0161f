"""Where stones of handicap go: fixed points as the protocol's specification has them, or free."""

from trellis.protocols.gtp.parsing import CommandError

MOST_FREE = 32  # more are not asked for in earnest; a program may place fewer than it is asked for


def fixed_points(rows: int, columns: int, stones: int) -> list[int]:
    """Return the points of a fixed handicap, row by row from the bottom.

    Up to four corners, then the middles of sides and the centre, where there are any: boards of
    even size, and of 7, have only corners.
    """
    most = most_fixed(rows, columns)
    if most == 0 or not 2 <= stones <= most:
        raise CommandError(
            f"invalid number of stones: expected 2 to {most} on {columns}x{rows}"
            if most
            else f"invalid number of stones: {columns}x{rows} has no fixed handicap"
        )
    near_row, near_column = (3 if side > 12 else 2 for side in (rows, columns))
    low, high, middle = near_row, rows - 1 - near_row, rows // 2
    left, right, centre = near_column, columns - 1 - near_column, columns // 2
    corners = [(low, left), (high, right), (low, right), (high, left)]
    sides = [(middle, left), (middle, right), (low, centre), (high, centre)]
    chosen = corners[: min(stones, 4)]
    if stones > 5:
        chosen += sides[: 2 if stones < 8 else 4]
    if stones in (5, 7, 9):
        chosen.append((middle, centre))
    return [row * columns + column for row, column in chosen]


def most_fixed(rows: int, columns: int) -> int:
    """Return how many stones a fixed handicap may have at most, 0 where there is none."""
    if min(rows, columns) < 7:
        return 0
    return 9 if rows % 2 and columns % 2 and min(rows, columns) > 7 else 4


def free_points(rows: int, columns: int, stones: int) -> list[int]:
    """Choose points for a free handicap: fixed ones where they suffice, then others spread out.

    At most a quarter of the board gets stones.
    """
    if not 2 <= stones < rows * columns:
        raise CommandError(
            f"invalid number of stones: expected 2 to {rows * columns - 1} on {columns}x{rows}"
        )
    stones = min(stones, MOST_FREE, max(2, rows * columns // 4))
    most = most_fixed(rows, columns)
    chosen = fixed_points(rows, columns, min(stones, most)) if most else []
    every = [(row, column) for row in range(rows) for column in range(columns)]

    def distance(point: tuple[int, int], taken: int) -> int:
        return abs(point[0] - taken // columns) + abs(point[1] - taken % columns)

    def spread(point: tuple[int, int]) -> tuple[int, int]:
        row, column = point
        edge = min(row, column, rows - 1 - row, columns - 1 - column)
        return min((distance(point, each) for each in chosen), default=0), min(edge, 3)

    while len(chosen) < stones:
        left = [point for point in every if point[0] * columns + point[1] not in chosen]
        row, column = max(left, key=spread)
        chosen.append(row * columns + column)
    return chosen
