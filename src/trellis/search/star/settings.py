"""How to search a game of chance: named searches, and switches for all that they consist of."""

from dataclasses import dataclass, fields, replace
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten


@dataclass(frozen=True)
class StarSettings:
    """Settings of a search.

    prune          leave out what cannot matter; without it a search is expectimax
    probing        moves of each outcome that are looked at before all are searched (Star2)
    decisions      take bounds from the table where a player acts
    chances        the same where chance acts
    successors     look outcomes up in the table first, from so many plies left on; 0 is never
    move_successors  the same for moves, from so many plies left on; 0 is never
    table_move     try the move that the table remembers first, from any depth
    killers        then moves that were good enough in other positions of the same ply
    history        then moves by how often they were good enough anywhere
    deepening      search to a depth of 1 first, then 2, and so on
    narrow         test with a window of no width whether a later move is better at all
    aimed          test outcomes with such windows where the chance node should fall outside its
                   own on the side that probing cannot show; in games that cannot go round
    resume         where an outcome has only leaves below, do not judge its probed move again
    samples        search so many random draws where chance has more outcomes; 0 is all of them
    deeper         take what the table knows from deeper searches too: a better judgement, but
                   then values depend on what was searched before
    least_depth    use the table only where so many plies are left
    memory         mebibytes of the table
    """

    prune: bool = True
    probing: int = 1
    decisions: bool = True
    chances: bool = True
    successors: int = 2
    move_successors: int = 0
    table_move: bool = True
    killers: bool = True
    history: bool = True
    deepening: bool = True
    narrow: bool = False
    aimed: bool = False
    resume: bool = False
    samples: int = 0
    deeper: bool = False
    least_depth: int = 1
    memory: float = 64.0

    def __post_init__(self) -> None:
        for name, least, most in (
            ("probing", 0, 1000),
            ("successors", 0, 1000),
            ("move_successors", 0, 1000),
            ("samples", 0, 100_000),
            ("least_depth", 1, 1000),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadParameter(
                    f"bad value {value} for {name}: expected a whole number from {least} to {most}"
                )
        if self.aimed and not self.successors:
            raise BadParameter(
                "aimed=true takes guesses from the table: expected successors of 1 or more, not 0"
            )
        if self.resume and self.probing > 1:
            raise BadParameter(
                f"resume=true keeps one probed move: expected probing=1 or 0, not {self.probing}"
            )
        if not 0.001 <= self.memory <= 1 << 20:
            raise BadParameter(
                f"bad value {self.memory} for memory: expected mebibytes, at least 0.001"
            )

    @property
    def uses_table(self) -> bool:
        """Tell whether anything asks the table."""
        return self.decisions or self.chances or (self.table_move and self.prune)

    @property
    def takes_bounds(self) -> bool:
        """Tell whether anything takes bounds from the table."""
        return self.decisions or self.chances

    def but(self, **changes: Any) -> "StarSettings":
        """Return the same with changes; an unknown name is refused."""
        known = {field.name for field in fields(self)}
        for name in changes:
            if name not in known:
                raise BadParameter(
                    f"unknown setting {shorten(name)} of a star search: expected one of "
                    f"{', '.join(sorted(known))}{nearest(name, known)}"
                )
        return replace(self, **changes)


_STAR2 = StarSettings(decisions=False, chances=False, successors=0)

# Star1 and Star2 have the paper's order of moves, for which a table remembers the best ones; none
# of its bounds is used.
SEARCHES = {
    "expectimax": _STAR2.but(prune=False, probing=0, deepening=False),
    "star1": _STAR2.but(probing=0),
    "star2": _STAR2,
    "star2tt": StarSettings(),
    "star2tt+": StarSettings(move_successors=2, aimed=True, resume=True),
    "alphabeta": StarSettings(probing=0, move_successors=2, narrow=True),
}


def star_settings(name: str) -> StarSettings:
    """Return the settings of a named search."""
    if name not in SEARCHES:
        raise BadParameter(
            f"unknown search {shorten(name)}: expected one of {', '.join(SEARCHES)}"
            f"{nearest(name, SEARCHES)}"
        )
    return SEARCHES[name]
