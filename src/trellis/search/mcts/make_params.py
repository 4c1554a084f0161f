"""From settings to what kernels read: what suits a game, and what makes no sense for it."""

import math
from typing import Any, NamedTuple

import numpy as np

from trellis.game.errors import BadParameter
from trellis.game.game import Game
from trellis.game.spec import is_part
from trellis.search.budget import refuse_hashed_past
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.backups import BACKUPS, Backup, own_backup
from trellis.search.mcts.own_backup import NodeBackup
from trellis.search.mcts.params import INFINITE, Params
from trellis.search.mcts.settings import Settings
from trellis.search.report import sum_of_two

_OWN_PLAYOUTS = {"node": k.PER_NODE, "edge": k.PER_EDGE, "none": k.NOWHERE}
_BOUNDS = {
    "off": k.OFF, "plain": k.PLAIN, "solver": k.PLAIN, "cuts": k.CUTS, "guided": k.CUTS,
    "deep": k.DEEP,
}  # fmt: skip
_WHEN_FULL = {"stop": g.STOP, "collect": g.COLLECT, "drake": g.DRAKE}
_SELECT_BY_WORTH = "ucd:inf,0,1"  # as `simple`, by what a backup of the user's own says
_GUIDED_DELTA = -0.1
_LONGEST_CYCLIC_PATH = 4_096
_LONGEST_PATH = 1 << 15  # a descent that is still going on there ends with a playout
_BATCH = 256  # leaves that are played out together, where a game can do that


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
    if settings.select == "auto" and is_part(settings.backup):
        settings = settings.replace(select=_SELECT_BY_WORTH)
    if settings.select == "auto":
        merging = "uct1" if game.is_simultaneous else "simple"
        proves = settings.bounds not in ("off", "auto")
        apart = game.forgets and (proves or game.rules.candidates is None)
        settings = settings.replace(select="uct0" if apart else merging)
    if settings.bounds == "auto":
        possible = can_bound(game) and settings.when_full != "drake"
        possible &= not game.forgets or settings.select == "uct0"
        possible &= not game.hashed_past
        settings = settings.replace(bounds="cuts" if possible else "off")
    return settings


def _positions_stay(settings: Settings) -> bool:
    """Tell whether a node stands for one position, the one that made it, as long as it lives."""
    return not settings.symmetry and settings.when_full != "drake"


def _telling_words(game: Game) -> int:
    """Return how many words of a state have to be kept to tell positions apart."""
    return int(np.flatnonzero(game.identity)[-1]) + 1


def make_params(settings: Settings, game: Game, rule: Any = None, leaves: int = k.PLAYED) -> Params:
    """Turn settings into what kernels read; refuse what makes no sense for the game.

    With a `rule` of the user's own (a `Selection`), `settings.select` are its statistics; `leaves`
    says who judges leaves.
    """
    settings = suited(settings, game)
    d1, d2, d3 = (INFINITE if depth == math.inf else int(depth) for depth in settings.depths)
    columns = 1 if _one_column(game) else game.players
    own_playouts = _OWN_PLAYOUTS[settings.own_playouts]
    backup = backup_of(settings, game)
    bounds = settings.bounds
    rave = settings.rave > 0 or settings.rave_bias > 0
    _refuse_nonsense(settings, game, bounds, rave=rave)
    asked = leaves == k.ASKED
    if leaves != k.PLAYED:
        _refuse_judged(settings, game, backup, asked=asked)
    if rule is not None:
        _refuse_with_rule(settings)
    room = _room(settings, (d1, d2, d3), columns, rule, asked=asked, players=game.players)
    plain = not room.own_sums and room.extra_stride == 0  # sums and visits are all there is
    least, greatest = map(float, game.payoff_range)
    usual = _GUIDED_DELTA if bounds == "guided" else 0.0
    delta = usual if settings.delta is None else settings.delta
    forgets = bool(game.forgets) and settings.select != "uct0"
    cyclic = (game.max_plies is None or forgets) and settings.when_full != "drake"
    longest = _LONGEST_CYCLIC_PATH
    if game.max_plies is not None:
        longest = min(game.max_plies, _LONGEST_PATH)
    sums = d1 == d3 == 0 or (d1 == d3 == 1 and own_playouts == k.PER_NODE and columns == 1)
    adapted = d1 > 0 and own_playouts == k.PER_NODE and columns == 1
    # Where players choose at once a node stands for what one of them knows, not for a position.
    recall = game.keeps_states and _positions_stay(settings) and not game.is_simultaneous
    verify = bounds != "off" and settings.select != "uct0" and not game.exact_key
    kept = game.state_words if recall else _telling_words(game) if verify else 0
    plain &= leaves == k.PLAYED
    return Params(
        players=game.players,
        columns=columns,
        least=least,
        greatest=greatest,
        scale=1.0 / (greatest - least) if greatest > least else 1.0,
        transpositions=settings.select != "uct0",
        forgets=forgets,
        hidden=game.is_simultaneous,
        cyclic=cyclic,
        symmetries=len(usable_symmetries(game)) if settings.symmetry else 1,
        own_playout=settings.playouts != "rules" and game.rules.playout is not None,
        own_bounds=game.rules.bounds is not None,
        longest=longest,
        promises_length=game.max_plies is not None,
        kept=kept,
        recall=recall,
        verify=verify,
        leaves=leaves,
        batch=settings.batch
        if asked
        else _BATCH
        if plain and _can_wait(settings, game, backup)
        else 1,
        d1=d1,
        d2=d2,
        d3=d3,
        own_playouts=own_playouts,
        sums=sums,
        adapted=adapted and not sums and not game.is_simultaneous,
        parent_visits=settings.select == "nodes",
        ruled=rule is not None,
        c=float(settings.c),
        ucb1_tuned=settings.ucb1_tuned,
        fpu=math.inf if settings.fpu is None else float(settings.fpu),
        decisive=settings.decisive,
        with_options=bool(settings.ucb1_tuned or rave or settings.gamma or delta),
        **_rave_params(settings, game, rave, others=bool(settings.gamma or delta)),
        everywhere=backup.everywhere,
        climbs=bool(backup.kernel),
        own_worth=backup.worth is not None,
        **_work_lists(backup, room.places, d1),
        tolerance=float(settings.tolerance),
        bounds=_BOUNDS[bounds],
        win_loss=bounds == "solver",
        gamma=float(settings.gamma),
        delta=float(delta),
        when_full=_WHEN_FULL[settings.when_full],
        **room.places,
    )


class _Room(NamedTuple):
    """What is kept beside nodes and edges."""

    places: dict[str, Any]
    own_sums: bool
    extra_stride: int


def _room(
    settings: Settings, depths: tuple[int, int, int], columns: int, rule: Any, *, asked: bool,
    players: int,
) -> _Room:  # fmt: skip
    """Lay out what a search needs beside nodes and edges."""
    d1, d2, d3 = depths
    own_playouts = _OWN_PLAYOUTS[settings.own_playouts]
    rave = settings.rave > 0 or settings.rave_bias > 0
    infinite_counts = INFINITE in (d2, d3)
    finite = max((d for d in (d2, d3) if d != INFINITE), default=0)
    mean_levels = 1 if d1 == INFINITE else max(0, d1 - 1)
    count_levels = max(0, finite - 1)
    own_sums = mean_levels or own_playouts != k.PER_NODE
    both_amaf = rave and players == 2 and (settings.rave_children or settings.grave)
    beside_node, stride = _lay_out(
        own_at=columns if own_sums else 0,
        sums_at=columns - 1,
        mean_at=mean_levels * columns,
        count_at=count_levels,
        infinite_count_at=int(infinite_counts),
    )
    beside_edge, extra = _lay_out(
        edge_own_at=2 if own_playouts == k.PER_EDGE else 0,
        squares_at=int(settings.ucb1_tuned or (rule is not None and rule.squares)),
        prior_at=int(asked),
        virtual_at=int(asked),
        amaf_at=2 if rave else 0,
        amaf_other_at=2 if both_amaf else 0,
    )
    places = {
        "level_stride": stride, "mean_levels": mean_levels, "count_levels": count_levels,
        **beside_node, **beside_edge, "extra_stride": extra,
    }  # fmt: skip
    return _Room(places, bool(own_sums), extra)


def _work_lists(backup: Backup, places: dict[str, Any], d1: int) -> dict[str, Any]:
    """Return how many entries of each work list a node needs."""
    means = places["mean_levels"] > 0
    work, links, olds = backup.list_entries(
        finite=places["count_levels"] > 0 or (means and d1 != INFINITE),
        infinite=places["infinite_count_at"] >= 0 or (means and d1 == INFINITE),
    )
    return {"work_entries": work, "link_entries": links, "old_entries": olds}


def _can_wait(settings: Settings, game: Game, backup: Backup) -> bool:
    """Tell whether playouts may be made later, many at once, where nothing is kept but sums.

    What waits counts as lost until its playouts are known, then as they were: sums and visits can
    be put right afterwards, whatever else was computed from them cannot.
    """
    return (
        game.rules.batch is not None
        and settings.playouts == "own"
        and not backup.kernel
        and not settings.decisive
        and settings.when_full != "drake"
    )


def _rave_params(settings: Settings, game: Game, rave: bool, others: bool) -> dict[str, Any]:
    """Return what concerns all-moves-as-first; `others` besides may add to the score of an edge."""
    marked = settings.playouts != "rules" and game.rules.marked_playout is not None
    more = settings.rave_children or settings.ucb1_tuned or others
    return {
        "rave": float(settings.rave),
        "rave_bias": float(settings.rave_bias),
        "grave": int(settings.grave),
        "rave_order": settings.rave_order and rave and not settings.decisive,
        "rave_children": settings.rave_children,
        "rave_alone": rave and not more,
        "marked_playout": marked and rave and not settings.decisive,
    }


def _lay_out(**sizes: int) -> tuple[dict[str, Any], int]:
    """Return where the numbers beside a node or an edge lie, and how many there are in all."""
    places, end = {}, 0
    for name, size in sizes.items():
        places[name] = end if size else g.NONE
        end += size
    return places, end


def _one_column(game: Game) -> bool:
    return game.players == 1 or sum_of_two(game) is not None


def backup_of(settings: Settings, game: Game) -> Backup:
    """Choose how values climb; refuse what would not end or would not be exact."""
    depths, deepest = settings.depths, max(settings.depths)
    own = NodeBackup.of(settings.backup)
    if own is not None:
        _refuse_with_backup(settings, game, own.name)
        return own_backup(own)
    if settings.backup is None:
        name = "recompute" if deepest == math.inf else "exact" if deepest > 1 else "path"
        return BACKUPS[name]
    backup = BACKUPS[settings.backup]
    if deepest > 1 and not backup.deep:
        raise BadParameter(
            f"backup {backup.name} keeps no adapted values of depth 2 or more, which "
            f"{settings.select} needs: expected exact or recompute"
        )
    again = game.max_plies is None or game.forgets
    if backup.buckets and math.inf in depths and again:
        raise BadParameter(
            f"backup {backup.name} with infinite depth needs a game in which no position comes "
            f"again; {game.spec} has no such limit: expected recompute"
        )
    return backup


def _refuse_with_backup(settings: Settings, game: Game, name: str) -> None:
    """Refuse what has no room for what a backup of the user's own says of nodes."""
    if game.is_simultaneous or not _one_column(game):
        raise BadParameter(
            f"backup {name} says what a node is worth to who moves: expected one player, or two in "
            f"turn whose payoffs add up to a constant, not {game.spec}"
        )
    if settings.depths[0] != math.inf:
        raise BadParameter(
            f"backup {name} says what nodes are worth, and {settings.select} does not select by "
            "it: expected ucd:inf,0,1, uct3 or another ucd:inf,…"
        )
    if settings.own_playouts != "node" or settings.when_full == "drake":
        raise BadParameter(f"backup {name} needs own_playouts=node, and when_full=stop or collect")


def _refuse_with_rule(settings: Settings) -> None:
    """Refuse settings that change scores, which a rule of the user's own computes alone."""
    given = {
        "ucb1_tuned": settings.ucb1_tuned,
        "rave": settings.rave > 0 or settings.rave_bias > 0,
        "gamma": settings.gamma != 0,
        "delta": settings.delta not in (None, 0),
        "bounds=guided": settings.bounds == "guided",
    }
    for name, is_given in given.items():
        if is_given:
            raise BadParameter(
                f"{name} changes the scores of the built-in rule: expected it without a selection "
                "rule of your own"
            )


def _refuse_judged(settings: Settings, game: Game, backup: Backup, *, asked: bool) -> None:
    """Refuse what cannot be done where leaves are judged, and not played out."""
    if settings.rave > 0 or settings.rave_bias > 0 or settings.decisive:
        raise BadParameter("rave and decisive need playouts: expected no evaluate with them")
    if asked and game.is_simultaneous:
        raise BadParameter(
            f"in {game.spec} players choose at once: expected playouts, or a compiled Evaluation"
        )
    if asked and backup.kernel:
        raise BadParameter(
            "leaves that are asked about in batches count along their paths: expected backup path "
            "and statistics of depth 0 or 1, such as uct1 or uct2"
        )
    if asked and settings.when_full == "drake":
        raise BadParameter("when_full=drake keeps no priors: expected stop or collect")


def _refuse_nonsense(settings: Settings, game: Game, bounds: str, *, rave: bool) -> None:
    if bounds != "off":
        refuse_hashed_past(game)
    forgets = f"keys of {game.spec} leave out {game.forgets}"
    if game.forgets and (
        settings.when_full == "drake"
        or (settings.select != "uct0" and game.rules.candidates is None)
    ):
        raise BadParameter(f"{forgets}: expected uct0, which merges no paths")
    if game.forgets and settings.select != "uct0" and bounds != "off":
        raise BadParameter(
            f"{forgets}, so nothing can be proven where paths are merged: expected bounds off, "
            "or uct0"
        )
    if game.is_simultaneous and settings.depths != (0, 0, 0):
        raise BadParameter(
            f"in {game.spec} players choose at once, so an edge leads to many positions: "
            f"expected uct0 or uct1 instead of {settings.select}"
        )
    if game.is_simultaneous and settings.backup == "all":
        raise BadParameter(
            f"in {game.spec} players choose at once, so nothing leads back up from a position: "
            "expected backup path"
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
        raise BadParameter("when_full=drake forgets parents, which backup=all needs")
