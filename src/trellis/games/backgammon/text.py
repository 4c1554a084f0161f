"""Backgammon for people: how plays are written and the board is drawn.

Checkers are given as OpenSpiel and players count them: a list of how many are off, on the points
1 to 24 seen from their owner's side, and on the bar.
"""

BAR = 25
_NO_MOVE = 25
_LOW_FIRST = 676
_HEIGHT = 5  # checkers that a point shows; more are told by a number


def name_play(move: int, player: int, dice: tuple[int, int], theirs: list[int]) -> str:
    """Write a play in the order it is played: 13/7+8/7*, 8/5*/3, 13/7(2), bar/20, 6/off, pass."""
    low, high = dice
    used = (low, high) if move >= _LOW_FIRST else (high, low)
    digits = (move % _LOW_FIRST % 26, move % _LOW_FIRST // 26)
    theirs = list(theirs)
    steps: list[tuple[int, str, str, int]] = []  # from, and to with a star, as text and as numbers
    for digit, die in zip(digits, used, strict=True):
        if digit == _NO_MOVE:
            continue
        point = BAR if digit == 24 else (digit + 1 if player else 24 - digit)
        to = max(point - die, 0)
        hit = to > 0 and theirs[BAR - to] == 1
        if hit:
            theirs[BAR - to] = 0
        text = ("off" if to == 0 else str(to)) + "*" * hit
        steps.append((point, "bar" if point == BAR else str(point), text, to))
    if not steps:
        return "pass"
    if len(steps) == 2:
        (point_1, from_1, to_1, end_1), (point_2, _, to_2, end_2) = steps
        if (point_1, end_1, used[0]) == (point_2, end_2, used[1]):
            return f"{from_1}/{to_1}(2)"
        if end_1 == point_2:
            return f"{from_1}/{to_1}/{to_2}"
    name = "+".join(f"{start}/{text}" for _, start, text, _ in steps)
    # Either die may take either checker off; only there the order does not show which did.
    both_off = len(steps) == 2 and steps[0][3] == steps[1][3] == 0
    return f"low:{name}" if both_off and move >= _LOW_FIRST else name


def draw(counts: list[list[int]], mover: int, said: str) -> str:
    """Draw the board with x's home at the top right, points numbered from the mover's side."""

    def number(place: int) -> str:  # places are numbered from o's side
        return f"{place if mover else BAR - place:>2}"

    def cell(place: int, height: int) -> str:
        for player, symbol in ((0, "x"), (1, "o")):
            checkers = counts[player][place if player else BAR - place]
            if checkers:
                if height == _HEIGHT - 1 and checkers > _HEIGHT:
                    return f"{checkers:>2}"
                return f" {symbol}" if checkers > height else " ."
        return " ."

    def row(shown: list[str]) -> str:
        return " ".join(shown[:6]) + " | " + " ".join(shown[6:])

    top, bottom = list(range(13, 25)), list(range(12, 0, -1))
    lines = [row([number(place) for place in top])]
    lines += [row([cell(place, height) for place in top]) for height in range(_HEIGHT)]
    lines.append(" " * 17 + " |")
    heights = reversed(range(_HEIGHT))
    lines += [row([cell(place, height) for place in bottom]) for height in heights]
    lines.append(row([number(place) for place in bottom]))
    for player, symbol in ((0, "x"), (1, "o")):
        off, bar = counts[player][0], counts[player][BAR]
        lines.append(f"{symbol}: {off} off, {bar} on the bar")
    return "\n".join([*lines, said])
