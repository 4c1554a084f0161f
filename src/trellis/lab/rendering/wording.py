"""Numbers and names as people read them, the same in every format."""

import math

FITS, NOISE, DIFFERS = "fits", "noise", "differs"
SIGNS = {FITS: "=", NOISE: "~", DIFFERS: "≠", "": ""}
LEGEND = (
    (FITS, "fits: ours and what was printed differ by no more than both may be off, at 95 %"),
    (
        NOISE,
        "noise: by more than that, but no more than chance explains where so many are compared",
    ),
    (DIFFERS, "differs: by more than chance explains"),
)
ANSWERS = {"yes": "borne out", "no": "not borne out", "open": "not decided"}


def plain(text: object) -> str:
    r"""Return text as one line of what can be printed, whoever wrote it.

    >>> plain("a\nb\x1b[2J")
    'a b [2J'
    """
    return " ".join("".join(each if each.isprintable() else " " for each in str(text)).split())


def number(value: float | None, digits: int) -> str:
    """Return a number as tables have it; nothing where there is none.

    >>> number(1234.56, 1), number(-0.0, 1), number(None, 1)
    ('1,234.6', '0.0', '')
    """
    if value is None or not math.isfinite(value):
        return ""
    text = f"{value:,.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def along(value: float | None) -> str:
    """Return a number on an axis, with as many digits as it has.

    >>> along(3000.0), along(0.25), along(1e-4)
    ('3,000', '0.25', '0.0001')
    """
    return "" if value is None else f"{value:,.10g}"


def interval(low: float | None, high: float | None, digits: int) -> str:
    """Return an interval; nothing where it has no ends, or where they are one.

    >>> interval(38.3, 51.9, 1), interval(-1, 1, 0), interval(2.0, 2.0, 1)
    ('38.3 to 51.9', '-1 to 1', '')
    """
    ends = number(low, digits), number(high, digits)
    return " to ".join(ends) if all(ends) and low != high else ""


def counted_out(numbers: list[int]) -> str:
    """Return how many there are of something, where that differs from place to place.

    >>> counted_out([200, 200]), counted_out([40, 200]), counted_out([])
    ('200', '40 to 200', '0')
    """
    if not numbers:
        return "0"
    few, many = min(numbers), max(numbers)
    return f"{few:,}" if few == many else f"{few:,} to {many:,}"
