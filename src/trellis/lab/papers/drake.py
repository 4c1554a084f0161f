"""Drake's table: UCT in one preallocated table of nodes that overwrites what the game has passed.

A proposal on a mailing list, without any result.  A node lies where its hash says and nowhere else;
nodes from before the root are overwritten; where a younger one is in the way, the parent becomes a
forced leaf, from which playouts start until the game has passed what is in the way.  Here this
table plays whole games against searches that do something else when their memory is full.
"""

from trellis.game.spec import Value
from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Scale, three_scales

SOURCE = (
    "Drake, Proposed UCT / transposition table implementation, computer-go mailing list, "
    "4 December 2006"
)
SIMS = 1_000
# His program plays Go; the others show whether it is the game that matters.
GAMES = {
    "go": "go:board_size=9,superko=simple", "hex": "hex:board_size=7",
    "connect_four": "connect_four",
}  # fmt: skip
MEMORIES = (0.1, 0.4, 1.6)  # MiB: about 1, 4 and 16 thousand nodes
_LARGE = 64  # MiB, which a game does not fill
_HIS = "nodes:ucb1_tuned=true"  # runs and wins at nodes, p the runs of the parent, UCB1-tuned
_EDGES = "ucd:0,0,0,ucb1_tuned=true"
_WHEN_FULL = ("collect", "stop")
_OPPONENTS = {
    "collect": "collecting garbage", "stop": "a table that stops", "large": "a large table",
    "tree": "a plain tree", "edges": "counts on edges",
}  # fmt: skip
_EQUAL = {"least": 45, "most": 55}
_DEVIATIONS = (
    "the place of a node is its hash scaled to the size of the table, not the remainder by a prime",
    (
        "only the children of the root may overwrite younger nodes, since else a search might be "
        "unable to try its own moves"
    ),
    (
        f"{SIMS:,} simulations a move, which the proposal leaves open; so it does how large the "
        "table is, beyond `enormous`"
    ),
    "Go with simple ko: by the rule of superko a position is not known by what the table keeps",
)


def experiments() -> list[Experiment]:
    """Return what the table is worth, and how many forced leaves there are."""
    return [_strength(), _forced_leaves()]


def _player(when_full: str, memory: float, select: str = _HIS) -> str:
    return f"{select},bounds=off,reuse=true,when_full={when_full},memory={memory:g}"


def _match(game: str, a: str, b: str) -> dict[str, Value]:
    return {"game": GAMES[game], "a": a, "b": b, "sims": SIMS}


def _cell(game: str, against: str, memory: float, opponent: str) -> Cell:
    return Cell(
        f"{game},{against},{memory:g}",
        _match(game, _player("drake", memory), opponent),
        row=f"against {_OPPONENTS[against]}",
        column=f"{memory:g} MiB",
        table=game,
        x=float(memory),
    )


def _strength() -> Experiment:
    cells = []
    for game in GAMES:
        for memory in MEMORIES:
            cells += [_cell(game, each, memory, _player(each, memory)) for each in _WHEN_FULL]
            cells.append(_cell(game, "large", memory, _player("drake", _LARGE)))
        tree = f"uct:ucb1_tuned=true,bounds=off,memory={_LARGE}"
        cells.append(_cell(game, "tree", _LARGE, tree))
        cells.append(_cell(game, "edges", _LARGE, _player("drake", _LARGE, _EDGES)))
    return Experiment(
        name="drake-strength",
        title="Drake's table over whole games, against other ways with a full memory",
        source=SOURCE,
        measure="match",
        cells=tuple(cells),
        scales=three_scales(
            Scale(2, f"connect_four,*,0.1 connect_four,*,{_LARGE}", {"sims": 20}), 200, 1_000
        ),
        claims=(
            Claim("a program with the table is stronger than one without transpositions", "above",
                  {"cells": f"*,tree,{_LARGE}", "than": 50}),
            Claim("that moves may have more runs than their parent can be ignored", "between",
                  {"cells": f"*,edges,{_LARGE}", **_EQUAL}),
            Claim("at equal memory it is as good as collecting garbage", "between",
                  {"cells": "*,collect,*", **_EQUAL}),
            Claim("at equal memory it is better than a table that stops", "above",
                  {"cells": "*,stop,*", "than": 50}),
            Claim("forced leaves cost nothing: a small table is as good as a large one", "between",
                  {"cells": "*,large,*", **_EQUAL}),
        ),
        deviations=_DEVIATIONS,
        notes=(
            ("the proposal claims nothing in numbers: that its program suffers without a table, "
            "and that the mismatch of counts can be ignored, are its words; the rest is what it "
            "would have to show"),
            "as good as another is a score of 45 to 55 %",
        ),
        plot=Plot("lines", x="MiB", log_x=True),
        seed=2006,
        batch=10,
    )  # fmt: skip


def _forced_leaves() -> Experiment:
    memories = (*MEMORIES, _LARGE)
    return Experiment(
        name="drake-forced-leaves",
        title="Drake's table: forced leaves among the nodes that the game has not passed",
        source=SOURCE,
        measure="forced_leaves",
        cells=tuple(
            Cell(
                f"{game},{memory:g}",
                _match(game, _player("drake", memory), _player("drake", memory)),
                row=game,
                column=f"{memory:g} MiB",
                x=float(memory),
            )
            for game in GAMES
            for memory in memories
        ),
        scales=three_scales(Scale(2, "connect_four,0.1 hex,64", {"sims": 50}), 200, 1_000),
        claims=(
            Claim("in an enormous table forced leaves are rare", "below",
                  {"cells": f"*,{_LARGE}", "than": 1}),
            Claim("a table of four searches keeps most nodes open", "below",
                  {"cells": "*,0.4", "than": 10}),
            *(
                Claim(f"a larger table has fewer of them: {game}", "more",
                      {"more": f"{game},{MEMORIES[0]:g}", "less": f"{game},{MEMORIES[-1]:g}"})
                for game in GAMES
            ),
        ),
        deviations=_DEVIATIONS,
        notes=(
            ("a table is full of holes: a node has one place only, so forced leaves come long "
            "before the table is full"),
        ),
        plot=Plot("lines", x="MiB", log_x=True),
        seed=2006,
        batch=4,
    )  # fmt: skip
