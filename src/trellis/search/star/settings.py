"""How to search a game of chance: named searches, and switches for all that they consist of.

Nothing here imports Numba: players and commands read their options from these fields.
"""

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.options import check_options, option, options_of, refuse_unknown
from trellis.game.spec import read_options, split_options


class StarOptions(TypedDict, total=False):
    """What `StarSearch` takes by name: the fields of `StarSettings`, for editors and mypy."""

    prune: bool
    probing: int
    tt_at_decisions: bool
    tt_at_chance: bool
    etc_chance: int
    etc_moves: int
    table_move: bool
    killers: bool
    history: bool
    iterative_deepening: bool
    pvs: bool
    chance_null_window: bool
    reuse_probe: bool
    samples: int
    deeper: bool
    least_depth: int
    memory: float


@dataclass(frozen=True)
class StarSettings:
    """Settings of a search; the fields say what each one does."""

    prune: bool = option(True, "Prune what cannot matter; without it a search is expectimax.")
    probing: int = option(
        1,
        "Moves of each outcome that are probed before all are searched (Star2); 0 is Star1.",
        low=0,
        high=1000,
    )
    tt_at_decisions: bool = option(
        True, "Take bounds from the transposition table at the nodes of players."
    )
    tt_at_chance: bool = option(True, "Take bounds from the transposition table at chance nodes.")
    etc_chance: int = option(
        2,
        "Enhanced transposition cutoffs at chance nodes: look all outcomes up in the table first "
        "where at least so many plies are left; 0 is never.",
        low=0,
        high=1000,
    )
    etc_moves: int = option(
        0,
        "Enhanced transposition cutoffs at players' nodes: look all moves up in the table first "
        "where at least so many plies are left; 0 is never.",
        low=0,
        high=1000,
    )
    table_move: bool = option(True, "Try the move that the table remembers first.")
    killers: bool = option(True, "Then try moves that caused cutoffs elsewhere at the same ply.")
    history: bool = option(True, "Then try moves by how often they caused cutoffs anywhere.")
    iterative_deepening: bool = option(True, "Search to depth 1 first, then 2, and so on.")
    pvs: bool = option(
        False, "Principal variation search: test later moves with a null window first."
    )
    chance_null_window: bool = option(
        False,
        "Test outcomes with null windows where a chance node is expected to fall outside its "
        "window on the side that probing cannot show; in games whose positions cannot recur.",
    )
    reuse_probe: bool = option(
        False, "Do not evaluate a probed move again where an outcome has only leaves below it."
    )
    samples: int = option(
        0,
        "Search so many sampled outcomes where chance has more; 0 is all of them.",
        low=0,
        high=100_000,
    )
    deeper: bool = option(
        False,
        "Also use values of deeper searches from the table: more accurate, but then values depend "
        "on what was searched before.",
    )
    least_depth: int = option(
        1, "Use the table only where at least so many plies are left.", low=1, high=1000
    )
    memory: float = option(64.0, "Memory of the table in MiB.", low=0.001, high=1 << 20)

    def __post_init__(self) -> None:
        check_options(self)
        if self.chance_null_window and not self.etc_chance:
            raise BadParameter(
                "chance_null_window=true takes guesses from the table: expected etc_chance of 1 "
                "or more, not 0"
            )
        if self.reuse_probe and self.probing > 1:
            raise BadParameter(
                "reuse_probe=true keeps one probed move: expected probing=1 or 0, "
                f"not {self.probing}"
            )

    @property
    def uses_table(self) -> bool:
        """Tell whether anything asks the table."""
        return self.tt_at_decisions or self.tt_at_chance or (self.table_move and self.prune)

    @property
    def takes_bounds(self) -> bool:
        """Tell whether anything takes bounds from the table."""
        return self.tt_at_decisions or self.tt_at_chance

    def replace(self, **changes: Unpack[StarOptions]) -> "StarSettings":
        """Return the same with changes; an unknown name is refused."""
        refuse_unknown(StarSettings, changes, "a star search")
        return replace(self, **changes)


_STAR2 = StarSettings(tt_at_decisions=False, tt_at_chance=False, etc_chance=0)

# Star1 and Star2 have the paper's order of moves, for which a table remembers the best ones; none
# of its bounds is used.
SEARCHES = {
    "expectimax": _STAR2.replace(prune=False, probing=0, iterative_deepening=False),
    "star1": _STAR2.replace(probing=0),
    "star2": _STAR2,
    "star2tt": StarSettings(),
    "star2tt+": StarSettings(etc_chance=2, etc_moves=2, chance_null_window=True, reuse_probe=True),
    "alphabeta": StarSettings(probing=0, etc_moves=2, pvs=True),
}


def star_settings(text: str) -> StarSettings:
    """Return the settings of a named search, with options as in `star2tt:pvs=true`."""
    name, _, options = text.partition(":")
    if name not in SEARCHES:
        raise BadParameter(
            f"unknown search {shorten(name)}: expected one of {', '.join(SEARCHES)}"
            f"{nearest(name, SEARCHES)}"
        )
    words, given = split_options(options)
    if words:
        raise BadParameter(f"bad option {shorten(words[0])} of {name}: expected name=value")
    return SEARCHES[name].replace(**read_options(given, options_of(StarSettings), where=name))
