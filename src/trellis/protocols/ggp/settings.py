"""How a player of matches behaves: its name, its clocks, what a match may take."""

import re
from dataclasses import dataclass

from trellis.game.errors import BadParameter, shorten
from trellis.game.options import check_options, option
from trellis.players.texts import read_player

DEFAULT_PORT = 9147
_WORD = re.compile(r"[^\s()\";|?]{1,60}")


@dataclass(frozen=True)
class PlayerSettings:
    """Options of `trellis ggp player`."""

    name: str = option("trellis", "What it answers to INFO.")
    player: str = option(
        "auto",
        "Who chooses the moves: auto (the graph search, and a solver of puzzles for games of one "
        "role), random, or any player that searches, as in `trellis match`.",
        text="a player",
    )
    margin: float = option(
        0.5, "Seconds that are left of the clock when a reply goes out.", low=0, high=60
    )
    ponder: bool = option(False, "Think while others do.")
    matches: int = option(4, "Matches at once; further ones are told that it is busy.", low=1)
    memory: float = option(
        2_048.0, "Memory of a match in MiB, half of it for the graph.", low=128, high=1 << 20
    )
    seed: int = option(0, "Random seed.", low=0)

    def __post_init__(self) -> None:
        check_options(self)
        if read_player(self.player).kind in ("gtp", "strategy", "flat"):
            raise BadParameter(
                f"player {shorten(self.player)}: expected auto, random, or one that searches"
            )
        if not _WORD.fullmatch(self.name):
            raise BadParameter(f"bad name {shorten(self.name)}: expected one word, as in Trellis_1")
