"""How to train a network by temporal differences, as people write it."""

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from trellis.game.options import check_options, option


class TrainingOptions(TypedDict, total=False):
    """The fields of `TrainingSettings` by name, for editors and mypy."""

    hidden: int
    trace: float
    rate: float
    patience: float
    explore: float
    seed: int


@dataclass(frozen=True)
class TrainingSettings:
    """How to train; the fields say what each setting does."""

    hidden: int = option(10, "Hidden units of the network.", low=1)
    trace: float = option(
        0.7, "How far corrections reach back (λ).", low=0.0, high=1.0, written="lambda"
    )
    rate: float = option(0.05, "Learning rate at the start.", low=1e-9, high=10.0)
    patience: float = option(
        50_000.0, "Games after which the learning rate has halved.", low=1.0, high=1e12
    )
    explore: float = option(0.0, "Fraction of moves drawn at random.", low=0.0, high=1.0)
    seed: int = option(0, "Random seed: the same seed gives the same weights.")

    def __post_init__(self) -> None:
        check_options(self)

    def replace(self, **changes: Unpack[TrainingOptions]) -> "TrainingSettings":
        """Return the same with changes."""
        return replace(self, **changes)
