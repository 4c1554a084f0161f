"""Go on 6x6: tables 1 and 2 of the paper on UCD, upper confidence bounds for acyclic graphs.

Table 1: UCD with depths d1, d2, d3 and a constant c against UCT without a transposition table,
whose constant is the best one found, 0.4.  Table 2: RAVE UCD, which mixes the AMAF statistics of
the children (depth RAVE 1) and takes means of depth 0 or 1, against standard RAVE.  Both: 10,000
playouts a move, 200 games a cell, komi 5.5.

What the paper leaves open, and how it is settled here:

- Rules: area scoring, positional superko in the graph; playouts fill no eye of one point and know
  simple ko.  The graph knows a position by stones, turn, ko and passes.
- No graph is kept from move to move, nobody resigns or proves anything (no score bounds), and the
  move with the most visits is played.
- A node's own playouts are kept per node.
- Table 2: the RAVE constant is read as 4b² in the weight of Gelly and Silver, there is no
  exploration term (c = 0), p and n are the edges' own (d2 = d3 = 0), and standard RAVE is a tree
  without transpositions that has the constant of its row.
- Players take turns in being black; openings are not prescribed.
"""

from trellis.lab.cells import Cell

GAME = "go:board_size=6,komi=5.5"
PLAYOUTS, GAMES = 10_000, 200
USUAL = "?,0,0,c=0.4 ?,0,1,c=0.4 mean=?,rave=0.0002"  # where the paper has its clear effects
NOTES = (
    "published: 200 games a cell at 10,000 playouts a move",
    "the paper leaves open ko, where a node's own playouts count, and how RAVE is set; here:",
    "positional superko; per node; RAVE by bias 4b², c = 0, d2 = d3 = 0, against a plain tree",
)
_OPPONENT_C = 0.4
_CONSTANTS = (0.2, 0.4, 0.6)

# Table 1: d1, d2, d3, then percent of games won with each constant.
PUBLISHED_UCD = """
0 0 0 42.5 52.0 46.5
1 0 0 40.5 53.0 48.0
2 0 0 34.5 37.0 33.5
0 0 1 47.5 48.5 53.0
1 0 1 45.0 48.0 44.5
2 0 1 36.0 31.0 31.0
0 1 0 44.0 53.0 44.0
1 1 0 45.5 56.0 51.0
2 1 0 37.5 33.0 33.5
0 1 1 40.5 52.0 49.0
1 1 1 51.5 48.5 49.5
2 1 1 39.0 37.5 31.5
"""
# Table 2: the RAVE constant, depth RAVE, depth mean, percent of games won.
PUBLISHED_RAVE = """
0.0001 1 0 48.0
0.0002 1 0 52.0
0.0004 1 0 47.5
0.0008 1 0 45.5
0.0016 1 0 49.0
0.0032 1 0 47.5
0.0064 1 0 39.0
0.0001 1 1 32.0
0.0002 1 1 38.0
0.0004 1 1 36.0
0.0008 1 1 33.0
0.0016 1 1 31.5
0.0032 1 1 37.5
0.0064 1 1 30.5
"""


def all_cells(playouts: int = PLAYOUTS, opponent: str | None = None) -> list[Cell]:
    """Return the cells of both tables; another opponent may be put in place of the paper's."""
    budget = f"bounds=off,sims={playouts}"
    cells: list[Cell] = []
    for line in PUBLISHED_UCD.split("\n")[1:-1]:
        *depths, _, _, _ = line.split()
        percents = line.split()[3:]
        select = ",".join(depths)
        for c, percent in zip(_CONSTANTS, percents, strict=True):
            ours = f"ucd:{select},c={c},{budget}"
            other = opponent or f"uct:c={_OPPONENT_C},{budget}"
            cells.append(Cell(f"{select},c={c}", GAME, ours, other, float(percent)))
    for line in PUBLISHED_RAVE.split("\n")[1:-1]:
        constant, _, mean, percent = line.split()
        rave = f"c=0,rave_bias={constant},{budget}"
        ours = f"ucd:{mean},0,0,rave_children=true,{rave}"
        name = f"mean={mean},rave={constant}"
        cells.append(Cell(name, GAME, ours, opponent or f"uct:{rave}", float(percent)))
    return cells
