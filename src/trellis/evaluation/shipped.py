"""What is known of particular games: which have a feature function, which a ready evaluation."""

from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING

from trellis.evaluation.network import Network, read_network
from trellis.game.errors import BadParameter
from trellis.game.evaluation import Evaluation

if TYPE_CHECKING:
    from trellis.evaluation.features import FeatureSet
    from trellis.game.game import Game


# Each is imported when it is asked for: kernels take a while to load.
_FEATURES = {"dice": "dice_feature_set", "pig": "pig_feature_set"}


def feature_set(game: "Game") -> "FeatureSet":
    """Return the feature function of a game, or refuse a game that has none."""
    if game.name not in _FEATURES:
        raise BadParameter(
            f"no feature function for {game.spec}: expected one of {', '.join(sorted(_FEATURES))}"
        )
    module = import_module(f"trellis.evaluation.{game.name}")
    made: FeatureSet = getattr(module, _FEATURES[game.name])(game)
    return made


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
