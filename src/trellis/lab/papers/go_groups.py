"""Go against GNU Go: figures 6 and 7 of the paper on transpositions and move groups.

Three programs play GNU Go on 9x9 and 13x13: UCT0 (a tree), UCT2 (a graph whose edges use the means
of positions), and UCT2 whose moves are two, a group and a move of it: within Manhattan distance 2
of the last two moves, or any.  The paper (Childs, Brodeur and Kocsis, 2008) gave libEGO 20 seconds
a move on 9x9, 1,000 games a bar, and 40 seconds on 13x13, 800 games.  Its figures are drawings; in
words it says that groups win about 14 % more games than the base on 9x9, which comes close to an
even score, and 25 % more on 13x13.

What is different here, and what the paper leaves open:

- A fixed number of playouts a move instead of seconds, so that what sharing and groups cost in
  time does not count; far fewer playouts than those seconds are.
- The exploration constant: the paper prints sqrt(2 ln n / m), c = 1.41 here.  The usual value here
  is smaller (`C`), because at so few playouts 1.41 lost all of ten games of a trial.
- UCT2 was a table of recently visited positions beside a tree; here it is a graph with all of them.
- The paper ran UCT0, and UCT2 with groups; UCT2 alone is a bar of its own here.
- As long as nobody has moved, all moves are near; the pass is always near.
- The move played is the most visited one, of the most visited group, where the paper takes the one
  with the best mean.
- Komi 7.5, area scoring, simple ko; GNU Go at level 10 by Chinese rules, which plays on until dead
  stones are captured.  The result is settled by our rules.
- Playouts fill no eye of one point and know nothing else.  No graph is kept from move to move,
  nobody resigns or proves anything (no score bounds), colours alternate.
- GNU Go is told a seed for each game.
"""

import shutil

from trellis.game.errors import BadParameter
from trellis.lab.cells import Cell

PLAYOUTS, GAMES, C = 10_000, 200, 0.4
USUAL = "9x9,*"
SIZES = (9, 13)
BARS = {
    "uct0": "uct0:",
    "uct2": "uct2:",
    "groups": "uct2:groups=manhattan,",
}
PUBLISHED = {
    "9x9,groups": "about even, 14 % above the base",
    "13x13,groups": "25 % above the base",
}
NOTES = (
    "published: drawings, by seconds a move (20 and 40), 1,000 and 800 games a bar",
    "different here: a fixed number of playouts, a smaller constant than sqrt(2), a whole graph,",
    "UCT2 without groups as a bar of its own, komi 7.5, simple ko, no patterns in playouts",
)
_OPTIONS = "--mode gtp --level 10 --chinese-rules --capture-all-dead"
_FOLDERS = ("/usr/games", "/usr/local/games")  # where some systems keep it, off the path


def gnugo_player() -> str:
    """Return GNU Go as a player; say what to install where it is not there."""
    program = shutil.which("gnugo")
    for folder in _FOLDERS:
        program = program or shutil.which("gnugo", path=folder)
    if program is None:
        raise BadParameter(
            "no program gnugo: expected GNU Go, which is in the package gnugo of Debian, Ubuntu, "
            "Fedora and Homebrew; or another player for --opponent"
        )
    return f"gtp:command={program} {_OPTIONS}"


def all_cells(playouts: int = PLAYOUTS, c: float = C, opponent: str | None = None) -> list[Cell]:
    """Return the bars of both figures; another opponent may be put in place of GNU Go."""
    opponent = opponent or gnugo_player()
    return [
        Cell(
            name, f"go:board_size={size},komi=7.5,superko=simple",
            f"{player}c={c:g},bounds=off,sims={playouts}", opponent,
            said=PUBLISHED.get(name, "-"),
        )
        for size in SIZES
        for bar, player in BARS.items()
        for name in [f"{size}x{size},{bar}"]
    ]  # fmt: skip
