"""What a search is told, as kernels see it: numbers only.  People write `Settings` instead."""

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from trellis._kernel.annotations import register_record
from trellis._kernel.bundle import Bundle
from trellis._kernel.jit import JIT_DISABLED
from trellis.game.rules import Counts, Moves, Reals, State, words_of_codes

INFINITE = 1 << 30  # a depth

# where n' and µ' are kept
PER_NODE, PER_EDGE, NOWHERE = 0, 1, 2
# score bounds: OFF < PLAIN < CUTS < DEEP, each doing what those before it do
OFF, PLAIN, CUTS, DEEP = 0, 1, 2, 3

SMALL = 1 << 18  # roots and logarithms of counts below this are looked up
# who says what a leaf is worth: a playout, a compiled evaluation, or somebody outside the kernels
PLAYED, JUDGED, ASKED = 0, 1, 2

TIE = 1e-9  # scores closer than this are equal; rounding must not decide


class Params(NamedTuple):
    """All settings of a search that kernels read."""

    # what is being searched
    players: int
    columns: int  # payoffs kept apart: 1 where the first player's says all, else one a player
    least: float  # payoffs are scaled to 0..1: (payoff - least) * scale
    greatest: float
    scale: float
    transpositions: bool  # look positions up, so that paths meet
    forgets: bool  # ... of which the past may forbid some moves: rules tell which
    hidden: bool  # some choose at once: edges hide where they lead
    cyclic: bool  # positions may come again
    symmetries: int  # how many images of a position are one node; 1 means no look at symmetry
    own_playout: bool  # the game plays out by itself
    marked_playout: bool  # it does, and says which moves were made
    own_bounds: bool  # the game says what its positions are worth at least and at most
    longest: int  # no path is longer
    promises_length: bool  # because the game says so
    kept: int  # words of a state kept at every node; or 0
    recall: bool  # descents go by what is kept and need no rules
    verify: bool  # positions are told apart by what is kept, not by keys alone
    batch: int  # leaves that are played out together at most; 1: each by itself
    leaves: int  # PLAYED, JUDGED or ASKED
    # selection
    d1: int
    d2: int
    d3: int
    own_playouts: int
    sums: bool  # sums and visits are all that selection asks for, of edges or of nodes
    adapted: bool  # adapted values of nodes, own playouts with the node, one column
    parent_visits: bool  # p is the visits of the node, not the sum over its edges
    ruled: bool  # a rule of the user's own scores edges
    c: float
    ucb1_tuned: bool
    fpu: float  # first play urgency: score of an untried move; infinite: all are tried first
    decisive: bool
    rave: float  # equivalence parameter of the blend, 0 for none
    rave_bias: float  # the other blend's squared bias, times four; used where positive
    grave: int  # visits an ancestor needs to lend its statistics; 0: each node uses its own
    rave_order: bool  # untried moves go by what a node above knows of them
    rave_children: bool  # mix what all children know (RAVE UCD)
    with_options: bool  # some option adds to the score of an edge
    rave_alone: bool  # RAVE or GRAVE does, and nothing else
    # backpropagation
    everywhere: bool  # every edge above the leaf counts a playout, not those of the path alone
    climbs: bool  # ... or more is to be done when they have: `SearchCalls.backup` is called
    own_worth: bool  # what a node is worth says somebody's own function
    work_entries: int  # of each work list, for every node
    link_entries: int
    old_entries: int
    tolerance: float
    # bounds
    bounds: int
    win_loss: bool  # a draw proves nothing (the solver of Winands and others)
    gamma: float
    delta: float
    # memory
    when_full: int
    level_stride: int
    own_at: int  # in `levels`: sums of own playouts, one a column; NONE where not kept
    sums_at: int  # sums of players 1, 2, ...
    mean_at: int  # numerators of adapted means, depth 2, 3, ... or only infinity
    mean_levels: int
    count_at: int  # adapted counts, depth 2, 3, ...
    count_levels: int
    infinite_count_at: int
    extra_stride: int
    edge_own_at: int  # in `extras`: n' and its payoffs
    squares_at: int
    prior_at: int  # how likely the move is said to be
    virtual_at: int  # playouts along the edge that are not known yet
    amaf_at: int  # visits and payoffs as if the move had come first, of who moves
    amaf_other_at: int  # the same for the opponent


class Path(Bundle):
    """The way a simulation went, and what its playout came to."""

    nodes: Moves  # [longest + 2]
    edges: Moves  # [longest + 2]
    values: Reals  # [players]: payoffs scaled to 0..1


class Lists(Bundle):
    """Work lists of the steps that leave the path."""

    work: Moves
    links: Moves
    olds: Reals
    buckets: Moves


class Lanes(Bundle):
    """The edges of one node side by side, so that their scores are computed all at once.

    Edge i has its mean at i, its count at COUNTS + i and its score at URGENCIES + i: at fixed
    distances in one array, the compiler knows that they do not overlap.
    """

    edges: Reals
    # The same by name, for rules of the user's own, which fill in `scores`.
    means: Reals  # for who moves, 0 to 1
    visits: Reals  # counts
    scores: Reals
    roots: Reals  # 1 / √count
    amaf: Reals  # [2 * move_codes]: visits and sum as if the move had come first
    log_roots: Reals  # [SMALL]: roots of the logarithms of counts
    inverse_roots: Reals  # [SMALL]: of counts, from 1 on
    rave_weights: Reals  # [SMALL]: by counts, what all-moves-as-first weighs in the blend of RAVE


COUNTS = (1 << 16) + 64  # no node has more moves; 64 keeps the lanes off the same cache lines
URGENCIES = 2 * COUNTS
FLIPS = 3 * COUNTS  # by the marks of an edge: 1 where the sum is the opponent's


class Scratch(Bundle):
    """Room that descents and playouts work in; only `stamp` outlives a simulation."""

    state: State
    trial: State
    image: State
    buffer: Moves  # [max_moves]
    replies: Moves  # [max_moves]
    probabilities: Reals  # [max_moves]
    out: Reals  # [players]
    tried: Counts  # [move_codes]: stamped with the simulation that saw the move tried
    made: State  # by player: bits of the moves made from somewhere on the path to the end
    images: Moves  # indices of the symmetries in use
    stamp: Counts  # [2]: of the simulation; and how deep its descent has come
    limits: Reals  # [2 * players]: what each player gets at least and at most
    identity: State  # [state_words]: the bits that tell positions apart
    weights: Reals  # of a compiled evaluation


class Batch(Bundle):
    """Leaves that wait for their playouts, or to be judged, and the ways to them."""

    states: State  # [batch * state_words]
    nodes: Moves  # [batch * BATCHED_PATH]
    edges: Moves  # [batch * BATCHED_PATH]
    lengths: Counts  # [batch + 1]: of each path; the last one counts what waits
    results: Reals  # [batch * players]
    moves: Moves  # [batch * max_moves]: of leaves that somebody is asked about
    counts: Counts  # [batch]: how many moves each has


_LONGEST_WORK = 1 << 20  # nodes on the work list of bounds
REACHED_AT = 1  # in `stamp`
BATCHED_PATH = 256  # leaves farther from the root are played out at once


# Kernels take the params as one record: a pointer, however many there are.
_KINDS = {int: np.int64, float: np.float64, bool: np.bool_}
KNOBS_DTYPE = np.dtype(
    [(name, _KINDS[kind]) for name, kind in Params.__annotations__.items()], align=True
)
register_record(Params, KNOBS_DTYPE)


def as_record(params: Params) -> Any:
    """Return params as kernels take them; attributes read the same."""
    return np.array([tuple(params)], KNOBS_DTYPE).view(np.recarray)[0]


def without_attributes(record: Any) -> Any:
    """Return the same record as compiled kernels take it sooner: attributes cost 10 microseconds.

    Kernels that are not compiled read attributes.
    """
    return record if JIT_DISABLED else np.array([record], KNOBS_DTYPE)[0]


def make_path(params: Params) -> Path:
    """Make room for the longest path."""
    size = params.longest + 2
    return Path.make(nodes=size, edges=size, values=params.players)


def make_batch(params: Params, state_words: int, max_moves: int) -> Batch:
    """Make room for leaves that wait."""
    asked = params.leaves == ASKED
    size = params.batch if params.batch > 1 or asked else 0
    paths = size * BATCHED_PATH
    return Batch.make(
        states=size * state_words, nodes=paths, edges=paths, lengths=size + 1,
        results=size * params.players, moves=size * max_moves if asked else 0,
        counts=size if asked else 0,
    )  # fmt: skip


def list_bytes(params: Params) -> int:
    """Return what work lists take for every node of the graph."""
    return 4 * params.work_entries + 4 * params.link_entries + 8 * params.old_entries


def make_lists(params: Params, nodes: int) -> Lists:
    """Make work lists for a graph of so many nodes; the path may be on them besides."""
    work, links, olds = (
        entries * (nodes + params.longest + 2) if entries else 1
        for entries in (params.work_entries, params.link_entries, params.old_entries)
    )
    if params.bounds != OFF:
        work = max(work, min(nodes, _LONGEST_WORK))
    buckets = np.full(1 << 16, -1, np.int32)
    return Lists.make(work=work, links=links, olds=olds, buckets=buckets)


def make_lanes(params: Params, move_codes: int) -> Lanes:
    """Make room for the edges of one node."""
    log_roots, inverse_roots = _roots()
    edges = np.zeros(FLIPS + 4)
    return Lanes.make(
        edges=edges,
        means=edges[:COUNTS],
        visits=edges[COUNTS:URGENCIES],
        scores=edges[URGENCIES:FLIPS],
        roots=COUNTS,
        amaf=2 * move_codes if params.amaf_at >= 0 else 1,
        log_roots=log_roots,
        inverse_roots=inverse_roots,
        rave_weights=_rave_weights(params.rave) if params.rave > 0.0 else 1,
    )


@cache
def _roots() -> tuple[Reals, Reals]:
    """Return what selection looks up; of large tables only the counts in use are ever read."""
    counts = np.arange(1.0, SMALL + 1)
    return np.sqrt(np.log(np.maximum(counts - 1, 1.0))), 1.0 / np.sqrt(counts)


@lru_cache(maxsize=8)
def _rave_weights(rave: float) -> Reals:
    counts = np.arange(1.0, SMALL + 1)
    return np.sqrt(rave / (3.0 * counts + rave))


def make_scratch(
    params: Params,
    *,
    identity: State,
    max_moves: int,
    move_codes: int,
    images: npt.ArrayLike,
    weights: Reals | None = None,
) -> Scratch:
    """Make room for descents and playouts."""
    words, rave = len(identity), params.amaf_at >= 0
    return Scratch.make(
        state=words,
        trial=words,
        image=words,
        buffer=max_moves,
        replies=max_moves,
        probabilities=max_moves,
        out=max(2, params.players),
        tried=move_codes,
        made=params.players * words_of_codes(move_codes) if rave else 1,
        images=np.array(images, np.int32),
        stamp=2,
        limits=2 * params.players,
        identity=identity.copy(),
        weights=np.zeros(1) if weights is None else weights,
    )
