"""What is known of particular games: which have a feature function, which a ready evaluation."""

from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.evaluation.network import Network, read_network
from trellis.game.errors import BadParameter
from trellis.game.evaluation import Evaluation

if TYPE_CHECKING:
    from trellis.evaluation.features import FeatureSet
    from trellis.game.game import Game


def _dice(game: "Game") -> "FeatureSet":
    from trellis.evaluation.dice import dice_feature_set

    return dice_feature_set(game)


def _pig(game: "Game") -> "FeatureSet":
    from trellis.evaluation.pig import pig_feature_set

    return pig_feature_set(game)


# Each is imported when it is asked for: kernels take a while to load.
_FEATURES: dict[str, Callable[["Game"], "FeatureSet"]] = {"dice": _dice, "pig": _pig}


def feature_set(game: "Game") -> "FeatureSet":
    """Return the feature function of a game, or refuse a game that has none."""
    make = _FEATURES.get(game.name)
    if make is None:
        raise BadParameter(
            f"no feature function for {game.spec}: expected one of {', '.join(sorted(_FEATURES))}"
        )
    return make(game)


@cache
def shipped_network(name: str) -> Network:
    """Read a network that came with the package."""
    with resources.as_file(
        resources.files("trellis.evaluation") / "weights" / f"{name}.json"
    ) as path:
        return read_network(Path(path))


def shipped_evaluation(game: "Game") -> Evaluation | None:
    """Return the evaluation that comes with the package for a game, or None.

    The network for Dice was trained on the usual game.  It serves every die on that board: with
    the others it scores one in a hundred less against random moves, at most, than networks trained
    on each of them.
    """
    usual = {"m": 5, "k": 4}
    if game.name == "dice" and usual.items() <= game.parameters.items():
        return shipped_network("dice").evaluation(game, feature_set(game), any_spec=True)
    if game.name == "backgammon":
        from trellis.evaluation.backgammon import backgammon_evaluation

        return backgammon_evaluation(game)
    return None
