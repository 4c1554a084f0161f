"""What a player gets in a game for one: a sample is a game, its value a part of the range."""

from collections.abc import Sequence
from dataclasses import dataclass

from trellis.game.errors import BadParameter, PlayerFailed
from trellis.game.options import option
from trellis.lab.estimates import mean_interval
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample, loaded
from trellis.lab.measures.match import seconds_a_move, sims_a_move, with_budget
from trellis.players.match import LONGEST
from trellis.players.player import make_player
from trellis.players.session import Session


@dataclass(frozen=True)
class AloneSettings:
    """What is played, and by whom."""

    game: str = option(None, "The game.", text="a game for one player")
    player: str = option(None, "Who plays it.", text="a player")
    sims: int | None = sims_a_move("a player that names none", "the player's own")
    time: float | None = seconds_a_move("a player that names none", "the player's own")


def check(settings: AloneSettings) -> None:
    """Refuse a game that is not for one, and a player that does not play it."""
    game = loaded(settings.game)
    if game.players != 1:
        raise BadParameter(f"{settings.game} is not a game for one player, as `alone` needs")
    make_player(with_budget(settings.player, settings.sims, settings.time), game=game)


def take(settings: AloneSettings, stream: int, number: int) -> Sample:
    """Play one game; one that does not end, or whose player cannot go on, does not count."""
    game = loaded(settings.game)
    text = with_budget(settings.player, settings.sims, settings.time)
    player = make_player(text, seed_of(stream, number, "player"))
    session = Session(game, [player], seed_of(stream, number, "chance"))
    longest = game.max_plies or LONGEST
    try:
        while not session.position.is_over:
            if len(session.moves) >= longest:
                return {"value": None, "void": f"no end within {longest:,} moves"}
            session.advance()
    except PlayerFailed as failure:
        return {"value": None, "void": str(failure)}
    finally:
        session.close()
    payoff = session.position.payoffs()[0]
    least, greatest = game.payoff_range
    share = (payoff - least) / (greatest - least)
    return {"value": 100 * share, "payoff": payoff, "plies": len(session.moves)}


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the mean; nobody gets less than nothing or more than all."""
    values = [float(sample["value"]) for sample in samples]
    low, high = mean_interval(values, confidence)
    mean = sum(values) / len(values)
    return Estimate(mean, max(low, 0.0), min(high, 100.0), len(values))


MEASURE = Measure("alone", "part of what can be had", "%", AloneSettings, check, take, sum_up)
