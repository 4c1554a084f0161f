"""How to search for the answers to questions, as people write it."""

from dataclasses import dataclass

from trellis.game.options import check_options, option

# What the order of moves rests on, by name: parts of the score of a move.
ORDERS = ("auto", "hint", "rated", "replies", "history")


@dataclass(frozen=True)
class QuestionSettings:
    """Settings of alpha-beta and df-pn for questions."""

    order: str = option(
        "auto",
        "Which moves to try first: as the game hints, rated by random games, those that leave few "
        "replies, those that were good elsewhere; auto: hints where the game has them, else rated.",
        choices=ORDERS,
    )
    memory: float = option(1024.0, "Most memory of the table, in MiB.", above=0)
    symmetry: bool = option(True, "Take positions that are images of each other for one.")
    hints: bool = option(True, "Use what the game tells of its moves, where it does.")
    rating_games: int = option(20_000, "Random games that rate moves.", low=1, high=10_000_000)
    threads: int = option(1, "Threads that share the table.", low=1, high=64)

    def __post_init__(self) -> None:
        """Refuse values that an option does not allow."""
        check_options(self)
