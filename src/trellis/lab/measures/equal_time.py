"""The score of one search against another at equal time, by the processor's clock.

Each player has so many seconds of the processor for a move, so other work on the machine takes
nothing from either; making a graph is not counted, as each player has one for all moves, emptied
before each.  `openspiel` is OpenSpiel's MCTSBot in C++, which takes a number of simulations and no
time: it gets as many as its last moves of about that length took the time for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any, Protocol

from trellis.game.errors import BadParameter, shorten
from trellis.game.game import Game, Position
from trellis.game.options import option
from trellis.game.spec import read_real, split_options
from trellis.lab.jobs import seed_of
from trellis.lab.measures import Estimate, Measure, Sample, loaded
from trellis.lab.measures.match import sum_up
from trellis.players.match import LONGEST, Match, draw_opening
from trellis.players.texts import PlayerText, read_player
from trellis.search.mcts.engine import Search

_LOT = 64  # simulations between two looks at the clock
_MEMORY = 64.0  # MiB, as players have
_OPENSPIEL_C = 1.4  # the root of 2, as in textbooks, on its scale from -1 to 1
_MOST_SIMS = 10_000_000  # where everything is solved at once, its rate says nothing
_SEEDS = (1 << 31) - 1  # it takes no larger ones


@dataclass(frozen=True)
class EqualTimeSettings:
    """What is played, and how long players think."""

    game: str = option(None, "The game.", text="a game for two players")
    a: str = option(None, "The search whose score is measured.", text="a player with a graph")
    b: str = option(None, "Its opponent; openspiel:c=1.4 is OpenSpiel's.", text="a player")
    seconds: float = option(0.02, "Seconds of the processor for each move.", above=0)
    opening: int = option(2, "Random moves first, the same in both games of a pair.", low=0)


class _Thinker(Protocol):
    """Chooses moves within the time; `sims` are the simulations that each took."""

    sims: list[int]

    def choose(self, position: Position, played: Sequence[int]) -> int:
        """Return the number of a move."""
        ...


class _GraphSearch:
    """A search of ours, emptied before each move."""

    def __init__(self, read: PlayerText, start: Position, seconds: float, seed: int) -> None:
        self.seconds = seconds
        self.sims: list[int] = []
        self._search = Search(start, read.graph_settings(memory=_MEMORY), seed=seed)

    def choose(self, position: Position, played: Sequence[int]) -> int:
        search = self._search
        search.restart_at(position)
        began = thread_time()
        while thread_time() - began < self.seconds and not search.solved:
            search.simulate(_LOT)
        self.sims.append(search.sims)
        return search.best()


class _OpenSpielSearch:
    """OpenSpiel's search; how many simulations fill the time is learnt from move to move."""

    def __init__(self, game: Game, c: float, seconds: float, seed: int) -> None:
        import pyspiel

        from trellis.bridges.openspiel import openspiel_name

        self.seconds = seconds
        self.sims: list[int] = []
        self._pyspiel, self._c, self._seed = pyspiel, c, seed % (_SEEDS >> 1)
        self._game = pyspiel.load_game(openspiel_name(game))
        self._rate = 0.0  # simulations a second

    def choose(self, position: Position, played: Sequence[int]) -> int:
        state = self._game.new_initial_state()
        for code in played:
            state.apply_action(code)
        if not self._rate:
            self._think(state, 100)
        sims = min(max(2, int(self._rate * self.seconds)), _MOST_SIMS)
        self.sims.append(sims)
        return self._think(state, sims)

    def _think(self, state: Any, sims: int) -> int:
        self._seed += 1
        evaluator = self._pyspiel.RandomRolloutEvaluator(1, self._seed)
        bot = self._pyspiel.MCTSBot(
            self._game, evaluator, self._c, sims, int(_MEMORY), True, self._seed, False
        )
        began = thread_time()
        code = bot.step(state)
        self._rate = sims / max(thread_time() - began, 1e-6)
        return int(code)


def _thinker(text: str, start: Position, seconds: float, seed: int) -> _Thinker:
    kind, _, body = text.partition(":")
    if kind == "openspiel":
        return _OpenSpielSearch(start.game, _openspiel_c(body), seconds, seed)
    return _GraphSearch(read_player(text), start, seconds, seed)


def _openspiel_c(body: str) -> float:
    _, given = split_options(body)
    c = read_real(given.pop("c", str(_OPENSPIEL_C)))
    if given or c is None:
        raise BadParameter(f"bad options {shorten(body)} of openspiel: expected c=1.4")
    return c


def check(settings: EqualTimeSettings) -> None:
    """Refuse a game that is not for two, and players without a graph."""
    game = loaded(settings.game)
    if game.players != 2 or game.is_simultaneous:
        raise BadParameter(f"{settings.game} is not a game in which two take turns")
    for text in (settings.a, settings.b):
        if text.partition(":")[0] == "openspiel":
            from trellis.bridges.openspiel import openspiel_name

            if openspiel_name(game) is None:
                raise BadParameter(f"OpenSpiel does not have {game.spec}")
            try:
                import pyspiel  # noqa: F401
            except ImportError:
                raise BadParameter("OpenSpiel is not installed: expected open_spiel") from None
            _openspiel_c(text.partition(":")[2])
            continue
        if "reuse" not in read_player(text).options and "c" not in _options(text):
            raise BadParameter(f"player {shorten(text)} does not search a graph")
        _thinker(text, game.start(), settings.seconds, 0)


def _options(text: str) -> Sequence[str]:
    from trellis.players.texts import KINDS

    return [*KINDS[read_player(text).kind]]


def take(settings: EqualTimeSettings, stream: int, number: int) -> Sample:
    """Play one game; A is first in every other one."""
    game = loaded(settings.game)
    match = Match(game.spec, settings.a, settings.b, stream, (), settings.opening, LONGEST)
    position = game.start().play(*draw_opening(game, match, number // 2))
    played = _codes(game, match, number // 2)
    sides = [
        _thinker(text, position, settings.seconds, seed_of(stream, number, text))
        for text in (settings.a, settings.b)
    ]
    seat = number % 2  # of A
    longest = game.max_plies or LONGEST
    plies = 0
    while not position.is_over and plies < longest:
        codes = position.move_codes()
        if position.is_chance:
            random = seed_of(stream, number // 2, f"chance {plies}") / float(1 << 60)
            code = _drawn(position, codes, random)
        elif len(codes) == 1:
            code = codes[0]
        else:
            code = sides[0 if position.acting == seat else 1].choose(position, played)
        played.append(code)
        position = position.play(code)
        plies += 1
    sims = [median(side.sims) if side.sims else 0 for side in sides]
    kept = {"plies": plies, "sims_a": sims[0], "sims_b": sims[1]}
    if not position.is_over:
        return {"value": 0.5, "end": "longest", **kept}
    payoffs = position.payoffs()
    own, other = payoffs[seat], payoffs[1 - seat]
    value = 0.5 if own == other else float(own > other)
    return {"value": value, "end": "rules", **kept}


def _codes(game: Game, match: Match, pair: int) -> list[int]:
    """Return the numbers of the moves of an opening."""
    position, codes = game.start(), []
    for name in draw_opening(game, match, pair):
        codes.append(position.code_of(name))
        position = position.play(codes[-1])
    return codes


def _drawn(position: Position, codes: Sequence[int], random: float) -> int:
    for code, part in zip(codes, position.probabilities(), strict=True):
        random -= part
        if random < 0:
            return code
    return codes[-1]


def sum_up_with_sims(samples: Sequence[Sample], confidence: float) -> Estimate:
    """Return the score, and how many simulations a move both had."""
    estimate = sum_up(samples, confidence)
    sims = {name: median(sample[name] for sample in samples) for name in ("sims_a", "sims_b")}
    return Estimate(
        estimate.value, estimate.low, estimate.high, estimate.samples,
        facts={**estimate.facts, **sims},
    )  # fmt: skip


MEASURE = Measure(
    "equal_time", "score of the first player", "%", EqualTimeSettings, check, take,
    sum_up_with_sims, together=2, timed=True,
)  # fmt: skip
