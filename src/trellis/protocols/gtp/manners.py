"""How a player behaves besides choosing moves: when it resigns, whether it ponders."""

from dataclasses import dataclass

from trellis.game.options import check_options, option


@dataclass(frozen=True)
class Manners:
    """Options of `trellis gtp`."""

    resign: float = option(
        0.0, "Resign below this chance to win, from 0 (never) to 1.", low=0, high=1
    )
    resign_moves: int = option(3, "Resign after so many such moves in a row.", low=1)
    ponder: bool = option(False, "Think while the other side does.")
    lag: float = option(0.25, "Seconds that are kept back for a reply to arrive.", low=0, high=3600)

    def __post_init__(self) -> None:
        check_options(self)
