"""How to search, as people write it: presets, depths, options.  Kernels read `Params`.

Nothing here imports Numba: the command line reads its options from these fields.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.options import check_options, option, refuse_unknown
from trellis.game.spec import is_part
from trellis.search.mcts.backups import BACKUPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trellis.game.evaluation import Evaluation
    from trellis.search.mcts.own_backup import NodeBackup
    from trellis.search.mcts.selection import Selection

PRESETS: dict[str, tuple[float, float, float]] = {
    "uct0": (0, 0, 0),  # a plain tree: no position is ever recognised
    "uct1": (0, 0, 0),
    "uct2": (1, 0, 0),
    "uct3": (math.inf, 0, 0),
    "simple": (1, 0, 1),
    "nodes": (1, 1, 1),  # statistics kept on nodes, p the parent's own visits
}
_DEEPEST = 64  # finite depths beyond this would cost more memory than they could tell


class SearchOptions(TypedDict, total=False):
    """What `Search` and its kin take by name: the fields of `Settings`, for editors and mypy."""

    select: "str | Selection | Callable[..., None]"
    c: float
    backup: "str | NodeBackup | Callable[..., float] | None"
    own_playouts: Literal["node", "edge", "none"]
    ucb1_tuned: bool
    fpu: float | None
    decisive: bool
    playouts: Literal["own", "rules", "patterns"]
    rave: float
    rave_bias: float
    grave: int
    rave_order: bool
    rave_children: bool
    bounds: Literal["off", "plain", "cuts", "guided", "deep", "solver", "auto"]
    gamma: float
    delta: float | None
    symmetry: bool
    memory: float
    when_full: Literal["stop", "collect", "drake"]
    tolerance: float
    sequential_halving: bool
    final_move: Literal["auto", "robust", "max", "secure"]
    evaluate: "str | Evaluation | Callable[..., Any] | None"
    batch: int
    noise: float
    noise_alpha: float
    temperature: float


@dataclass(frozen=True)
class Settings:
    """How to search; the fields say what each setting does.

    >>> Settings(select="ucd:inf,0,1", c=0.3).depths
    (inf, 0, 1)
    """

    select: str = option(
        "auto",
        "Which statistics select moves: uct0, uct1, uct2, uct3, simple, nodes or ucd:d1,d2,d3 "
        "(each a number or inf); auto is simple, or uct1 where players move at the same time. "
        "A rule of your own is file.py:name; in Python, the function itself.",
        text="a preset, ucd:d1,d2,d3 or file.py:name",
    )
    c: float = option(0.4, "Exploration constant, for payoffs scaled to 0..1.", low=0)
    backup: str | None = option(
        None,
        "How values are backed up. A backup of your own is file.py:name; in Python, the function "
        "itself.",
        choices=tuple(BACKUPS),
        text="file.py:name",
        usual="suits select",
    )
    own_playouts: str = option(
        "node",
        "Where the statistics of a node's own playouts are kept.",
        choices=("node", "edge", "none"),
    )
    ucb1_tuned: bool = option(False, "Select by UCB1-tuned instead of UCB1.")
    fpu: float | None = option(
        None,
        "First play urgency: the score of a move that has not been tried yet.",
        usual="every move is tried once first",
    )
    decisive: bool = option(
        False, "Always play a winning move and avoid a losing one, in the graph and in playouts."
    )
    playouts: str = option(
        "own",
        "How games are finished: own is the game's fast playout where it has one, rules plays "
        "uniformly random moves through the rules, patterns answers the last move (Go).",
        choices=("own", "rules", "patterns"),
    )
    rave: float = option(0.0, "RAVE with this equivalence parameter; 0 is off.", low=0)
    rave_bias: float = option(0.0, "RAVE with this bias, 4b²; 0 is off.", low=0)
    grave: int = option(
        0,
        "GRAVE: visits that an ancestor needs before its statistics are used; 0 is off.",
        low=0,
        high=(1 << 31) - 1,
    )
    rave_order: bool = option(
        False,
        "Try moves in the order of what RAVE knows of them two plies above, and only where no "
        "tried move scores as much as fpu.",
    )
    rave_children: bool = option(False, "RAVE UCD: combine the RAVE statistics of the children.")
    bounds: str = option(
        "auto",
        "Score bounds: plain only records them, cuts prunes moves by them, guided also biases the "
        "selection, deep prunes by every bound on the path, solver proves wins and losses only; "
        "auto is cuts where possible.",
        choices=("off", "plain", "cuts", "guided", "deep", "solver", "auto"),
    )
    gamma: float = option(0.0, "Selection bias by the proven lower bound.")
    delta: float | None = option(
        None, "Selection bias by the proven upper bound.", usual="-0.1 with bounds guided, else 0"
    )
    symmetry: bool = option(False, "Use one node for all symmetric images of a position.")
    memory: float = option(256.0, "Memory of the graph in MiB.", above=0)
    when_full: str = option(
        "stop",
        "When the memory is full: stop, collect what can no longer be reached, or drake "
        "(Drake's table: overwrite what the game has passed).",
        choices=("stop", "collect", "drake"),
    )
    tolerance: float = option(
        0.0, "Do not back up changes smaller than this (exact backup of infinite depth).", low=0
    )
    sequential_halving: bool = option(
        False, "Sequential halving at the root; needs a budget of simulations."
    )
    final_move: str = option(
        "auto",
        "How the best move is chosen: robust takes most visits, max the best value, secure the "
        "best lower confidence bound; auto suits select.",
        choices=("auto", "robust", "max", "secure"),
    )

    evaluate: str | None = option(
        None,
        "What judges leaves in the place of playouts: a network, model.onnx, or FILE.py:NAME; in "
        "Python, the function or Evaluation itself.",
        text="model.onnx or FILE.py:NAME",
        usual="playouts",
    )
    batch: int = option(16, "Leaves that `evaluate` is asked about at once.", low=1, high=1024)
    noise: float = option(
        0.0, "Share of Dirichlet noise in the priors of the root; for self-play.", low=0, high=1
    )
    noise_alpha: float = option(0.3, "Concentration of that noise.", above=0)
    temperature: float = option(
        0.0,
        "Players draw a move by its visits to the power of 1 / temperature; 0 takes the best.",
        low=0,
        high=100,
    )

    def __post_init__(self) -> None:
        if not is_part(self.select):
            read_depths(self.select)
        check_options(self)

    @property
    def depths(self) -> tuple[float, float, float]:
        """Return (d1, d2, d3), with `math.inf` for no limit."""
        return read_depths(self.select)

    def replace(self, **changes: Unpack[SearchOptions]) -> "Settings":
        """Return the same settings with some changed; an unknown name is refused."""
        refuse_unknown(Settings, changes, "a search")
        return replace(self, **cast("dict[str, Any]", changes))


def read_depths(select: str) -> tuple[float, float, float]:
    """Read a preset or `ucd:d1,d2,d3`."""
    select = "simple" if select == "auto" else select
    if select in PRESETS:
        return PRESETS[select]
    name, _, text = select.partition(":")
    words = [word.strip() for word in text.replace(";", ",").split(",")]
    if name != "ucd" or len(words) != 3:
        raise BadParameter(
            f"bad selection {shorten(select)}: expected {', '.join(PRESETS)}, ucd:d1,d2,d3 "
            f"(for instance ucd:1,0,1) or file.py:rule{nearest(select, PRESETS)}"
        )
    return _depth(words[0]), _depth(words[1]), _depth(words[2])


def _depth(word: str) -> float:
    if word in {"inf", "∞"}:
        return math.inf
    if word.isascii() and word.isdigit() and len(word) < 4 and int(word) <= _DEEPEST:
        return int(word)
    raise BadParameter(f"bad depth {shorten(word)}: expected a number from 0 to {_DEEPEST}, or inf")
