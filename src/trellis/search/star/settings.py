"""How to search a game of chance: named searches, and switches for all that they consist of."""

from dataclasses import dataclass, fields, replace
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten


@dataclass(frozen=True)
class StarSettings:
    """Settings of a search.

    prune           leave out what cannot matter; without it a search is expectimax
    probing         moves of each outcome that are looked at before all are searched (Star2)
    tt_at_decisions  take bounds from the transposition table where a player acts
    tt_at_chance    the same where chance acts
    etc_chance      enhanced transposition cutoffs at chance nodes: look outcomes up in the table
                    first, from so many plies left on; 0 is never
    etc_moves       the same for moves
    table_move      try the move that the table remembers first, from any depth
    killers         then moves that were good enough in other positions of the same ply
    history         then moves by how often they were good enough anywhere
    iterative_deepening  search to a depth of 1 first, then 2, and so on
    pvs             principal variation search: a null window tells whether a later move is better
    chance_null_window  null windows for outcomes where the chance node should fall outside its own
                    window on the side that probing cannot show; in games that cannot go round
    reuse_probe     where an outcome has only leaves below, do not judge its probed move again
    samples         search so many random draws where chance has more outcomes; 0 is all of them
    deeper          take what the table knows from deeper searches too: a better judgement, but
                    then values depend on what was searched before
    least_depth     use the table only where so many plies are left
    memory          mebibytes of the table
    """

    prune: bool = True
    probing: int = 1
    tt_at_decisions: bool = True
    tt_at_chance: bool = True
    etc_chance: int = 2
    etc_moves: int = 0
    table_move: bool = True
    killers: bool = True
    history: bool = True
    iterative_deepening: bool = True
    pvs: bool = False
    chance_null_window: bool = False
    reuse_probe: bool = False
    samples: int = 0
    deeper: bool = False
    least_depth: int = 1
    memory: float = 64.0

    def __post_init__(self) -> None:
        for name, least, most in (
            ("probing", 0, 1000),
            ("etc_chance", 0, 1000),
            ("etc_moves", 0, 1000),
            ("samples", 0, 100_000),
            ("least_depth", 1, 1000),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadParameter(
                    f"bad value {value} for {name}: expected a whole number from {least} to {most}"
                )
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
        if not 0.001 <= self.memory <= 1 << 20:
            raise BadParameter(
                f"bad value {self.memory} for memory: expected mebibytes, at least 0.001"
            )

    @property
    def uses_table(self) -> bool:
        """Tell whether anything asks the table."""
        return self.tt_at_decisions or self.tt_at_chance or (self.table_move and self.prune)

    @property
    def takes_bounds(self) -> bool:
        """Tell whether anything takes bounds from the table."""
        return self.tt_at_decisions or self.tt_at_chance

    def replace(self, **changes: Any) -> "StarSettings":
        """Return the same with changes; an unknown name is refused."""
        known = {field.name for field in fields(self)}
        for name in changes:
            if name not in known:
                raise BadParameter(
                    f"unknown setting {shorten(name)} of a star search: expected one of "
                    f"{', '.join(sorted(known))}{nearest(name, known)}"
                )
        return replace(self, **changes)


_STAR2 = StarSettings(tt_at_decisions=False, tt_at_chance=False, etc_chance=0)

# Star1 and Star2 have the paper's order of moves, for which a table remembers the best ones; none
# of its bounds is used.
SEARCHES = {
    "expectimax": _STAR2.replace(prune=False, probing=0, iterative_deepening=False),
    "star1": _STAR2.replace(probing=0),
    "star2": _STAR2,
    "star2tt": StarSettings(),
    "star2tt+": StarSettings(etc_moves=2, chance_null_window=True, reuse_probe=True),
    "alphabeta": StarSettings(probing=0, etc_moves=2, pvs=True),
}


def star_settings(name: str) -> StarSettings:
    """Return the settings of a named search."""
    if name not in SEARCHES:
        raise BadParameter(
            f"unknown search {shorten(name)}: expected one of {', '.join(SEARCHES)}"
            f"{nearest(name, SEARCHES)}"
        )
    return SEARCHES[name]
