"""The score of one player against another: a sample is a game, and games come in pairs.

Both games of a pair begin alike, each player has the first move in one of them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from trellis.game.errors import BadParameter, PlayerFailed, PlayerResigns, shorten
from trellis.game.game import Game
from trellis.game.options import option
from trellis.game.spec import Value, plain_value
from trellis.lab.estimates import paired_interval, share_interval
from trellis.lab.measures import Estimate, Measure, Sample
from trellis.lab.sheets import placed_sheet
from trellis.loading import load
from trellis.players.gtp_engine import end_engines
from trellis.players.match import LONGEST, Match, draw_opening, play_game
from trellis.players.player import make_player
from trellis.players.session import Session
from trellis.players.texts import KINDS, read_player


def sims_a_move(who: str = "players that name none", usual: str = "the players' own") -> Any:
    """Return the option for the simulations of players whose text names no budget."""
    return option(None, f"Simulations a move, for {who}.", low=1, usual=usual)


def seconds_a_move(who: str = "players that name none", usual: str = "the players' own") -> Any:
    """Return the option for the time of players whose text names no budget."""
    return option(None, f"Seconds a move, for {who}.", above=0, usual=usual)


@dataclass(frozen=True)
class MatchSettings:
    """What is played."""

    game: str = option(None, "The game.", text="a game for two players")
    a: str = option(None, "The player whose score is measured.", text="a player")
    b: str = option(None, "Its opponent.", text="a player")
    sims: int | None = sims_a_move()
    time: float | None = seconds_a_move()
    opening: int = option(0, "Random moves first, the same in both games of a pair.", low=0)
    longest: int | None = option(
        None, "Moves after which a game is stopped and drawn.", low=1, usual="by the rules"
    )
    score: str = option(
        "result",
        "What a game counts: 1, 1/2 or 0 by who gets more, or its payoff as a part of the range.",
        choices=("result", "payoff"),
    )
    sheet: str = option(
        "",
        "Digest of the rulesheet that `game` names, which is then looked for by its name.",
        text="a digest",
    )

    def match(self, seed: int) -> Match:
        """Return the match that a cell is."""
        a, b = (with_budget(text, self.sims, self.time) for text in (self.a, self.b))
        longest = self.longest or _game(self).max_plies or LONGEST
        return Match(self.game, a, b, seed, (), self.opening, longest)


def with_budget(player: str, sims: int | None, time: float | None) -> str:
    """Give a player a budget where its text has none, and nothing that this machine alone knows.

    >>> with_budget("uct:c=0.4", 100, None), with_budget("random", 100, None)
    ('uct:c=0.4,sims=100', 'random')
    >>> with_budget("auto", None, 0.5)
    'auto:time=0.5,tuned=false'
    """
    read = read_player(player)
    if read.kind == "gtp":
        return player
    more: dict[str, Value | None] = {}
    if not {"sims", "time", "depth"} & read.options.keys():
        more |= {"sims": sims, "time": time}
    if "tuned" not in read.options:  # what was tuned on one machine is nothing to another
        more["tuned"] = False
    given = [
        f"{name}={plain_value(value)}"
        for name, value in more.items()
        if value is not None and name in KINDS[read.kind]
    ]
    mark = "," if read.words or read.options else ":"
    return mark.join([player, ",".join(given)]) if given else player


def _game(settings: MatchSettings) -> Game:
    return _load(settings.game, settings.sheet)


@lru_cache(maxsize=32)  # games of one experiment, which take turns
def _load(text: str, sheet: str) -> Game:
    return load(placed_sheet(text, sheet) if sheet else text)


def check(settings: MatchSettings) -> None:
    """Refuse a game that is not for two, and players that do not play it.

    Other programs are asked for a first move: those that fail would fail in every game.
    """
    game = _game(settings)
    if game.players != 2:
        raise BadParameter(f"{settings.game} is not a game for two players, as a match needs")
    match = settings.match(0)
    for player in (match.a, match.b):
        make_player(player, game=game)
    draw_opening(game, match, 0)
    for player in (match.a, match.b):
        if read_player(player).kind == "gtp":
            _try(settings.game, settings.sheet, player)


@cache
def _try(game_text: str, sheet: str, text: str) -> None:
    """Have a program make a first move; whoever has done so once is not asked again."""
    game = _load(game_text, sheet)
    session = Session(game, [make_player(text, game=game), make_player("random")])
    try:
        session.advance()
    except PlayerResigns:
        pass  # it has answered
    except PlayerFailed as failure:
        raise BadParameter(f"{shorten(text)} cannot play: {failure}") from None
    finally:
        session.close()
        end_engines()


def take(settings: MatchSettings, stream: int, number: int) -> Sample:
    """Play one game; where a player could not go on, the game does not count."""
    result = play_game(_game(settings), settings.match(stream), number)
    sample = {
        "value": result.score_a, "plies": result.plies, "moves": " ".join(result.moves),
        "end": result.ended,
    }  # fmt: skip
    if result.forfeit:
        return {**sample, "value": None, "void": result.forfeit}
    if settings.score == "payoff" and result.payoff_a is not None:
        least, greatest = _game(settings).payoff_range
        share = (result.payoff_a - least) / (greatest - least)
        return {**sample, "value": share, "result": result.score_a}
    return sample


def sum_up(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the score in percent."""
    scores = [float(sample["value"]) for sample in samples]
    counts = Counter(float(sample.get("result", sample["value"])) for sample in samples)
    if len(scores) > 1:
        low, high = paired_interval(scores, confidence)
    else:
        low, high = share_interval(scores[0], 1, confidence)
    facts = {"wins": counts[1.0], "draws": counts[0.5], "losses": counts[0.0]}
    score = sum(scores) / len(scores)
    return Estimate(100 * score, 100 * low, 100 * high, len(scores), facts=facts)


MEASURE = Measure(
    "match", "score of the first player", "%", MatchSettings, check, take, sum_up, together=2
)
