"""How to search, as people write it: presets, depths, options.  Kernels read `Params`."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.game import Game
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.params import INFINITE, Params

PRESETS: dict[str, tuple[int, int, int]] = {
    "uct0": (0, 0, 0),  # a plain tree: no position is ever recognised
    "uct1": (0, 0, 0),
    "uct2": (1, 0, 0),
    "uct3": (INFINITE, 0, 0),
    "simple": (1, 0, 1),
    "nodes": (1, 1, 1),  # statistics kept on nodes, p the parent's own visits
}
_OWN_PLAYOUTS = {"node": k.PER_NODE, "edge": k.PER_EDGE, "none": k.NOWHERE}
_BACKUPS = {"path": k.ALONG_PATH, "all": k.ALL, "exact": k.EXACT, "recompute": k.RECOMPUTE}
_BOUNDS = {
    "off": k.OFF, "plain": k.PLAIN, "solver": k.PLAIN, "cuts": k.CUTS, "guided": k.CUTS,
    "deep": k.DEEP,
}  # fmt: skip
_WHEN_FULL = {"stop": g.STOP, "collect": g.COLLECT, "drake": g.DRAKE}
_FINAL_MOVES = ("auto", "robust", "max", "secure")
_GUIDED_DELTA = -0.1
_LONGEST_CYCLIC_PATH = 4_096
_LONGEST_PATH = 1 << 15  # a descent that is still going on there ends with a playout
_BATCH = 256  # leaves that are played out together, where a game can do that
_DEEPEST = 64  # finite depths beyond this would cost more memory than they could tell


@dataclass(frozen=True)
class Settings:
    """How to search.  Whatever is not given is chosen to suit the game.

    select      `uct0`, `uct1`, `uct2`, `uct3`, `simple`, `nodes` or `ucd:d1,d2,d3` (`inf` allowed);
                `auto` is `simple`, or `uct1` where players choose at once
    c           exploration, on payoffs scaled to 0..1
    backup      `descent`, `all`, `ucd` (exact) or `refresh`; chosen by the depths unless given
    own_playouts      n' and µ' kept per `node`, per `edge`, or `none`
    ucb1_tuned       UCB1-tuned instead of UCB1
    fpu  score of a move that was not tried; all moves are tried first unless given
    decisive    take a winning move, avoid a losing one, in the graph and in playouts
    rave        equivalence parameter of RAVE, 0 for none; `rave_bias` is the other blend's 4b²
    grave       visits an ancestor needs to lend its all-moves-as-first statistics (GRAVE)
    rave_children  mix what the children know (RAVE UCD)
    bounds      `off`, `plain` (no cuts), `cuts`, `guided` (cuts and bias), `deep` (cuts by all
                that is known on the path), `solver` (wins and losses only), or `auto`
    gamma, delta  bias from proven bounds
    symmetry    one node for all images of a position
    memory      MiB for the graph
    when_full      `stop`, `collect` or `drake`: what happens when the memory is full
    tolerance   changes below this do not climb (exact update of infinite depth)
    sequential_halving     sequential halving at the root; needs a budget of simulations
    final_move  `robust` (most visits), `max` (best value), `secure` (lower confidence bound), or
                `auto`: by visits unless d3 makes them mislead

    >>> Settings(select="ucd:inf,0,1", c=0.3).depths
    (inf, 0, 1)
    """

    select: str = "auto"
    c: float = 0.7
    backup: str | None = None
    own_playouts: str = "node"
    ucb1_tuned: bool = False
    fpu: float | None = None
    decisive: bool = False
    rave: float = 0.0
    rave_bias: float = 0.0
    grave: int = 0
    rave_children: bool = False
    bounds: str = "auto"
    gamma: float = 0.0
    delta: float | None = None
    symmetry: bool = False
    memory: float = 256.0
    when_full: str = "stop"
    tolerance: float = 0.0
    sequential_halving: bool = False
    final_move: str = "auto"

    def __post_init__(self) -> None:
        read_depths(self.select)
        _one_of(self.backup, _BACKUPS, "backup", optional=True)
        _one_of(self.own_playouts, _OWN_PLAYOUTS, "own_playouts")
        _one_of(self.bounds, {**_BOUNDS, "auto": 0}, "bounds")
        _one_of(self.when_full, _WHEN_FULL, "when_full")
        _one_of(self.final_move, dict.fromkeys(_FINAL_MOVES, 0), "final_move")
        for name in ("c", "rave", "rave_bias", "grave", "tolerance"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise BadParameter(f"bad value {value:g} for {name}: expected a number from 0 up")
        for name in ("gamma", "delta", "fpu"):
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                raise BadParameter(f"bad value {value:g} for {name}: expected a number")
        if self.grave > g.MOST_VISITS:
            raise BadParameter(
                f"bad value {self.grave:g} for grave: expected at most {g.MOST_VISITS:,} visits"
            )
        if not (math.isfinite(self.memory) and self.memory > 0):
            raise BadParameter(f"bad memory {self.memory:g} MiB: expected a number above 0")

    @property
    def depths(self) -> tuple[float, float, float]:
        """Return (d1, d2, d3), with `math.inf` for no limit."""
        d1, d2, d3 = (math.inf if d == INFINITE else d for d in read_depths(self.select))
        return d1, d2, d3

    def replace(self, **changes: Any) -> "Settings":
        """Return the same settings with some changed."""
        return replace(self, **changes)


def read_depths(select: str) -> tuple[int, int, int]:
    """Read a preset or `ucd:d1,d2,d3`; `INFINITE` stands for inf."""
    select = "simple" if select == "auto" else select
    if select in PRESETS:
        return PRESETS[select]
    name, _, text = select.partition(":")
    words = [word.strip() for word in text.replace(";", ",").split(",")]
    if name != "ucd" or len(words) != 3:
        raise BadParameter(
            f"bad selection {shorten(select)}: expected {', '.join(PRESETS)} or ucd:d1,d2,d3, "
            f"for instance ucd:1,0,1{nearest(select, PRESETS)}"
        )
    return _depth(words[0]), _depth(words[1]), _depth(words[2])


def _depth(word: str) -> int:
    if word in {"inf", "∞"}:
        return INFINITE
    if word.isascii() and word.isdigit() and len(word) < 4 and int(word) <= _DEEPEST:
        return int(word)
    raise BadParameter(f"bad depth {shorten(word)}: expected a number from 0 to {_DEEPEST}, or inf")


def _one_of(value: str | None, known: dict[str, int], name: str, *, optional: bool = False) -> None:
    if value not in known and not (optional and value is None):
        raise BadParameter(
            f"bad value {shorten(str(value))} for {name}: expected {', '.join(known)}"
            f"{nearest(str(value), known)}"
        )


def can_bound(game: Game) -> bool:
    """Tell whether one number says what everybody gets, so that it can be bounded."""
    return _one_column(game) and not game.is_simultaneous


def usable_symmetries(game: Game) -> list[int]:
    """List the symmetries, by index and identity first, that leave players as they are.

    Those that exchange the players map a position to one that the same game never reaches where
    turns follow from the stones, so nothing is lost.
    """
    same = tuple(range(game.players))
    return [i for i, symmetry in enumerate(game.symmetries) if symmetry.players == same]


def suited(settings: Settings, game: Game) -> Settings:
    """Put what suits the game in place of every `auto`."""
    if settings.select == "auto":
        settings = settings.replace(select="uct1" if game.is_simultaneous else "simple")
    if settings.bounds == "auto":
        possible = can_bound(game) and settings.when_full != "drake"
        settings = settings.replace(bounds="cuts" if possible else "off")
    return settings


def _positions_stay(settings: Settings) -> bool:
    """Tell whether a node stands for one position, the one that made it, as long as it lives."""
    return not settings.symmetry and settings.when_full != "drake"


def _telling_words(game: Game) -> int:
    """Return how many words of a state have to be kept to tell positions apart."""
    return int(np.flatnonzero(game.identity)[-1]) + 1


def make_params(settings: Settings, game: Game) -> Params:
    """Turn settings into what kernels read; refuse what makes no sense for the game."""
    settings = suited(settings, game)
    d1, d2, d3 = read_depths(settings.select)
    columns = 1 if _one_column(game) else game.players
    own_playouts = _OWN_PLAYOUTS[settings.own_playouts]
    backup = _backup(settings, game, d1, d2, d3)
    bounds = settings.bounds
    rave = settings.rave > 0 or settings.rave_bias > 0
    _refuse_nonsense(settings, game, bounds, rave=rave)
    infinite_counts = INFINITE in (d2, d3)
    finite = max((d for d in (d2, d3) if d != INFINITE), default=0)
    mean_levels = 1 if d1 == INFINITE else max(0, d1 - 1)
    count_levels = max(0, finite - 1)
    # What lies where in the numbers beside a node and beside an edge.
    stride = 0
    own_at = sums_at = mean_at = count_at = infinite_count_at = g.NONE
    if mean_levels or own_playouts != k.PER_NODE:
        own_at, stride = stride, stride + columns
    if columns > 1:
        sums_at, stride = stride, stride + columns - 1
    if mean_levels:
        mean_at, stride = stride, stride + mean_levels * columns
    if count_levels:
        count_at, stride = stride, stride + count_levels
    if infinite_counts:
        infinite_count_at, stride = stride, stride + 1
    extra = 0
    edge_own_at = squares_at = amaf_at = amaf_other_at = g.NONE
    if own_playouts == k.PER_EDGE:
        edge_own_at, extra = extra, extra + 2
    if settings.ucb1_tuned:
        squares_at, extra = extra, extra + 1
    if rave:
        amaf_at, extra = extra, extra + 2
    if rave and game.players == 2 and (settings.rave_children or settings.grave):
        amaf_other_at, extra = extra, extra + 2
    least, greatest = map(float, game.payoff_range)
    delta = settings.delta
    if delta is None:
        delta = _GUIDED_DELTA if bounds == "guided" else 0.0
    cyclic = game.max_plies is None and settings.when_full != "drake"
    longest = _LONGEST_CYCLIC_PATH
    if game.max_plies is not None:
        longest = min(game.max_plies, _LONGEST_PATH)
    sums = d1 == d3 == 0 or (d1 == d3 == 1 and own_playouts == k.PER_NODE and columns == 1)
    adapted = d1 > 0 and own_playouts == k.PER_NODE and columns == 1
    # Where players choose at once a node stands for what one of them knows, not for a position.
    recall = game.keeps_states and _positions_stay(settings) and not game.is_simultaneous
    verify = bounds != "off" and settings.select != "uct0" and not game.exact_key
    kept = game.state_words if recall else _telling_words(game) if verify else 0
    # What waits counts as lost until its playouts are known, then as they were: sums and visits
    # can be put right afterwards, whatever else was computed from them cannot.
    batched = (
        game.rules.batch is not None
        and backup == k.ALONG_PATH
        and (own_at, edge_own_at, squares_at, amaf_at) == (g.NONE,) * 4
        and not settings.decisive
        and settings.when_full != "drake"
    )
    return Params(
        players=game.players,
        columns=columns,
        least=least,
        greatest=greatest,
        scale=1.0 / (greatest - least) if greatest > least else 1.0,
        share=settings.select != "uct0",
        hidden=game.is_simultaneous,
        cyclic=cyclic,
        symmetries=len(usable_symmetries(game)) if settings.symmetry else 1,
        own_playout=game.rules.playout is not None,
        own_bounds=game.rules.bounds is not None,
        longest=longest,
        promises_length=game.max_plies is not None,
        kept=kept,
        recall=recall,
        verify=verify,
        batch=_BATCH if batched else 1,
        d1=d1,
        d2=d2,
        d3=d3,
        own_playouts=own_playouts,
        sums=sums,
        adapted=adapted and not sums and not game.is_simultaneous,
        parent_visits=settings.select == "nodes",
        c=float(settings.c),
        ucb1_tuned=settings.ucb1_tuned,
        fpu=math.inf if settings.fpu is None else float(settings.fpu),
        decisive=settings.decisive,
        rave=float(settings.rave),
        rave_bias=float(settings.rave_bias),
        grave=int(settings.grave),
        rave_children=settings.rave_children,
        adorned=bool(settings.ucb1_tuned or rave or settings.gamma or delta),
        backup=backup,
        tolerance=float(settings.tolerance),
        bounds=_BOUNDS[bounds],
        win_loss=bounds == "solver",
        gamma=float(settings.gamma),
        delta=float(delta),
        when_full=_WHEN_FULL[settings.when_full],
        level_stride=stride,
        own_at=own_at,
        sums_at=sums_at,
        mean_at=mean_at,
        mean_levels=mean_levels,
        count_at=count_at,
        count_levels=count_levels,
        infinite_count_at=infinite_count_at,
        extra_stride=extra,
        edge_own_at=edge_own_at,
        squares_at=squares_at,
        amaf_at=amaf_at,
        amaf_other_at=amaf_other_at,
    )


def _one_column(game: Game) -> bool:
    low, high = game.payoff_range
    if game.players == 1:
        return True
    return game.players == 2 and game.constant_sum is not None and game.constant_sum == low + high


def _backup(settings: Settings, game: Game, d1: int, d2: int, d3: int) -> int:
    """Choose how values climb; refuse what would not end or would not be exact."""
    depths = (d1, d2, d3)
    if settings.backup is None:
        if max(depths) == INFINITE:
            return k.RECOMPUTE
        return k.EXACT if max(d1, d2, d3) > 1 else k.ALONG_PATH
    backup = _BACKUPS[settings.backup]
    deep = d1 > 1 or d2 > 1 or d3 > 1
    if deep and backup in (k.ALONG_PATH, k.ALL):
        raise BadParameter(
            f"backup {settings.backup} keeps no adapted values of depth 2 or more, which "
            f"{settings.select} needs: expected ucd or refresh"
        )
    if backup == k.EXACT and INFINITE in depths and game.max_plies is None:
        raise BadParameter(
            f"backup ucd with infinite depth needs a game in which no position comes again; "
            f"{game.spec} has no such limit: expected refresh"
        )
    return backup


def _refuse_nonsense(settings: Settings, game: Game, bounds: str, *, rave: bool) -> None:
    depths = read_depths(settings.select)
    if game.is_simultaneous and depths != (0, 0, 0):
        raise BadParameter(
            f"in {game.spec} players choose at once, so an edge leads to many positions: "
            f"expected uct0 or uct1 instead of {settings.select}"
        )
    if game.is_simultaneous and settings.backup == "all":
        raise BadParameter(
            f"in {game.spec} players choose at once, so nothing leads back up from a position: "
            "expected backup descent"
        )
    if bounds != "off" and not can_bound(game):
        raise BadParameter(
            f"no score bounds in {game.spec}: they need one player, or two in turn whose payoffs "
            "add up to a constant; expected bounds off"
        )
    if settings.own_playouts != "node" and not _one_column(game):
        raise BadParameter(
            f"own_playouts={settings.own_playouts} needs one player, or two whose payoffs add up "
            f"to a constant: expected node in {game.spec}"
        )
    if settings.symmetry and len(usable_symmetries(game)) < 2:
        raise BadParameter(f"{game.spec} offers no symmetry that leaves the players as they are")
    if settings.symmetry and len(usable_symmetries(game)) > g.MOST_SYMMETRIES:
        raise BadParameter(
            f"{game.spec} has {len(usable_symmetries(game))} symmetries: expected at most "
            f"{g.MOST_SYMMETRIES} for a search by symmetry"
        )
    if game.move_codes > g.MOVE_MASK:
        raise BadParameter(
            f"{game.spec} has {game.move_codes:,} different moves: expected at most {g.MOVE_MASK:,}"
        )
    if settings.symmetry and rave:
        raise BadParameter("rave mixes moves of different positions: expected no symmetry with it")
    if settings.symmetry and game.is_simultaneous:
        raise BadParameter("symmetry needs players who move in turn")
    if (settings.grave or settings.rave_children) and not rave:
        raise BadParameter("grave and rave_children need rave: expected rave above 0")
    if settings.rave_children and game.players != 2:
        raise BadParameter("rave_children needs two players")
    if game.max_moves >= 1 << 16:
        raise BadParameter(f"{game.spec} may have {game.max_moves} moves: expected below 65,536")
    if settings.when_full == "drake" and bounds != "off":
        raise BadParameter(
            "when_full=drake forgets positions that proofs rest on: expected bounds off, "
            f"not {bounds}"
        )
    if settings.when_full == "drake" and settings.backup == "all":
        raise BadParameter("when_full drake forgets parents, which backup all needs")
