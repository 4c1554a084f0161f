"""A few shapes as SVG, and colours that suit light and dark pages alike.

Everything drawn stands in one `<svg>` that needs nothing else: no font, no file, no script.
"""

from collections.abc import Sequence
from html import escape

# Colours by name: on light pages, on dark ones.
COLOURS = {
    "ink": ("#2b2d33", "#d9dce3"),
    "faint": ("#8b8f9a", "#8b8f9a"),
    "wood": ("#e3bd77", "#b98f4b"),
    "wood-line": ("#6d5426", "#3f2f12"),
    "black": ("#23252b", "#15161a"),
    "white": ("#fbfaf6", "#f1efe8"),
    "black-edge": ("#08090b", "#000000"),
    "white-edge": ("#a9a497", "#8d887b"),
    "frame": ("#2f63c4", "#2a56a8"),
    "frame-edge": ("#244d9a", "#1d3f80"),
    "hole": ("#f4f6fb", "#1b1e26"),
    "red": ("#dd4b3e", "#dd4b3e"),
    "red-edge": ("#b0352a", "#b0352a"),
    "yellow": ("#f5c542", "#f0bd35"),
    "yellow-edge": ("#cd9c1c", "#c08f14"),
    "green": ("#3c8d5a", "#2f7349"),
    "green-line": ("#2a6b42", "#215437"),
    "light-square": ("#eee3cd", "#c9bea7"),
    "dark-square": ("#b68f64", "#8a6b4b"),
    "cell": ("#f6f4ee", "#2c2f37"),
    "cell-edge": ("#b9b4a6", "#4b4f5a"),
    "blue": ("#3b74d1", "#5b8fe4"),
    "blue-edge": ("#2957a3", "#3b6dbd"),
}


def var(name: str) -> str:
    """Return a colour as attributes name it."""
    return f"var(--t-{name})"


def picture(width: float, height: float, shapes: Sequence[str], title: str, scale: float) -> str:
    """Return shapes as one picture, `scale` pixels to a unit."""
    light = ";".join(f"--t-{name}:{day}" for name, (day, _) in COLOURS.items())
    dark = ";".join(f"--t-{name}:{night}" for name, (_, night) in COLOURS.items())
    style = (
        f".trellis{{{light}}}@media(prefers-color-scheme:dark){{.trellis{{{dark}}}}}"
        ".trellis text{font-family:system-ui,sans-serif;text-anchor:middle;"
        "dominant-baseline:central}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trellis" role="img" '
        f'viewBox="0 0 {num(width)} {num(height)}" width="{num(width * scale)}" '
        f'height="{num(height * scale)}"><title>{escape(title)}</title><style>{style}</style>'
        f"{''.join(shapes)}</svg>"
    )


def fixed(svg: str, *, dark: bool = False) -> str:
    """Return a picture with its colours written out: for programs that know no variables."""
    for name, colours in COLOURS.items():
        svg = svg.replace(f"var(--t-{name})", colours[dark])
    start, end = svg.index("<style>"), svg.index("</style>") + len("</style>")
    font = "text{font-family:system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}"
    return f"{svg[:start]}<style>{font}</style>{svg[end:]}"


def num(value: float) -> str:
    """Return a number with no more digits than can be seen."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def rect(
    x: float, y: float, width: float, height: float, fill: str, *, round_: float = 0,
    stroke: str = "", thick: float = 0,
) -> str:  # fmt: skip
    """Return a rectangle."""
    return (
        f'<rect x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}" '
        f'rx="{num(round_)}" fill="{var(fill)}"{_edge(stroke, thick)}/>'
    )


def disc(
    x: float, y: float, radius: float, fill: str, *, stroke: str = "", thick: float = 0
) -> str:
    """Return a circle."""
    return (
        f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(radius)}" fill="{var(fill)}"'
        f"{_edge(stroke, thick)}/>"
    )


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, thick: float) -> str:
    """Return a line with round ends."""
    return (
        f'<path d="M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}" stroke-linecap="round"'
        f"{_edge(stroke, thick)}/>"
    )


def shape(
    points: Sequence[tuple[float, float]], fill: str, *, stroke: str = "", thick: float = 0
) -> str:
    """Return a polygon."""
    path = " ".join(f"{num(x)},{num(y)}" for x, y in points)
    return (
        f'<polygon points="{path}" fill="{var(fill)}" stroke-linejoin="round"'
        f"{_edge(stroke, thick)}/>"
    )


def path(d: str, fill: str, *, stroke: str = "", thick: float = 0, at: str = "") -> str:
    """Return any outline; `at` moves it."""
    moved = f' transform="{at}"' if at else ""
    filled = var(fill) if fill else "none"
    return f'<path d="{d}" fill="{filled}" stroke-linejoin="round"{_edge(stroke, thick)}{moved}/>'


def words(x: float, y: float, text: str, size: float, fill: str = "faint") -> str:
    """Return text, centred."""
    return (
        f'<text x="{num(x)}" y="{num(y)}" font-size="{num(size)}" fill="{var(fill)}">'
        f"{escape(text)}</text>"
    )


def _edge(stroke: str, thick: float) -> str:
    return f' stroke="{var(stroke)}" stroke-width="{num(thick)}"' if stroke else ""
