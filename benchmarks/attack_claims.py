"""What Trellis claims of a game, by every way it has of proving something.

This is the seam between `attack_proofs` and the library: each way is a function that returns
claims, and a claim is what everybody gets at least and at most from a position.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.reductions import paranoid
from trellis.search.mcts.make_params import can_bound
from trellis.search.report import Report, sum_of_two
from trellis.search.solve import proof as solving
from trellis.search.solve.certificate import write_certificate
from trellis.search.solve.each_player import secure_exactly
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.engine import Questions
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.questions.setup import refuse_unsuited, suits
from trellis.search.solve.strong import secure_everywhere, solve_strongly
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.solve.verify import read_certificate, verify
from trellis.search.star.engine import StarSearch

ANYTHING = (-inf, inf)
SELECTS = ("uct0", "uct1", "uct2", "uct3", "simple", "nodes", "ucd:2,1,2", "ucd:inf,0,1")
BOUNDS = ("plain", "cuts", "guided", "deep", "solver")
STARS = ("alphabeta", "star1", "star2", "star2tt", "star2tt+", "expectimax")
LIMITS = (2, 10, 50, 300, 2_000, 6_000)  # playouts: few enough that many proofs stay open
SOLVE_SECONDS = 0.5  # each step of play that goes round without a choice may be a slow one
STAR_SECONDS = 0.05
MOST_PLIES = 60
MOST_POSITIONS = 20_000

Bounds = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Claim:
    """What each player is said to get from a position, at least and at most."""

    bounds: Bounds
    position: Position | None = None  # None: where the game begins
    what: str = "value"


@dataclass
class Answer:
    """What one way said of one game."""

    way: str
    settings: dict[str, Any]
    claims: list[Claim] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def is_proven(self) -> bool:
        """Tell whether somebody's payoff at the start is claimed to be known."""
        return any(
            claim.position is None and any(low == high for low, high in claim.bounds)
            for claim in self.claims
        )


# --- how the library says what it has proven


def _for_all(game: Game, found: tuple[float, float], total: float | None) -> Bounds:
    """Return bounds of each player from player 0's alone."""
    low, high = map(float, found)
    if game.players == 2 and total is not None:
        # A bound at the end of the range says nothing, and so nothing of the other player either.
        least, greatest = map(float, game.payoff_range)
        other = total - high if high < greatest else least, total - low if low > least else greatest
        return (low, high), other
    return ((low, high), *[ANYTHING] * (game.players - 1))


def _total(game: Game) -> float | None:
    """Return what a bound of player 0 is taken from to be one of player 1."""
    return None if game.constant_sum is None else float(game.constant_sum)


def _best(position: Position, move: str | None, sure: Bounds) -> Iterator[Claim]:
    """Claim that after a move that is said to be best its player still gets what is proven."""
    mover = position.acting
    if move is None or mover < 0 or len(position.actors) > 1:
        return
    bounds = [ANYTHING] * position.game.players
    bounds[mover] = (sure[mover][0], inf)
    yield Claim(tuple(bounds), position.play(move), "best move")


def by_proof(game: Game, dice: Random) -> Answer:
    """Ask `trellis solve`, with any settings and a budget that is often too small."""
    settings = {
        "select": dice.choice(SELECTS),
        "bounds": dice.choice(BOUNDS),
        "when_full": dice.choice(("stop", "collect")),
        "memory": dice.choice((0.05, 0.2, 2.0)),
        "c": dice.choice((0.0, 0.2, 0.7)),
        "decisive": dice.random() < 0.2,
        "limit": dice.choice(LIMITS),
        "seed": dice.randrange(1000),
    }
    if dice.random() < 0.5:  # what people get who ask for nothing
        settings = {name: settings[name] for name in ("limit", "seed", "memory")}
    answer = Answer("solve", settings)
    found = solving.solve(game, seconds=SOLVE_SECONDS, **settings)
    answer.claims += _claims(game, found)
    return answer


def _claims(game: Game, found: Report) -> Iterator[Claim]:
    """Claim what a report calls proven."""
    yield Claim(found.bounds)
    if found.payoffs is not None:
        yield Claim(tuple((pay, pay) for pay in found.payoffs), None, "payoffs")
    if found.solved:
        yield from _best(game.start(), found.best, found.bounds)


def _unless_first(position: Position) -> Position | None:
    """Return a position; None where the game begins, which is what counts as proven or open."""
    return None if position == position.game.start() else position


def by_strong_proof(game: Game, dice: Random) -> Answer:
    """Ask `trellis solve --strong` for every position."""
    answer = Answer("strong", {})
    for position, pair in solve_strongly(game, limit=MOST_POSITIONS).items():
        bounds = _for_all(game, pair, _total(game))
        answer.claims.append(Claim(bounds, _unless_first(position)))
    return answer


def by_star(game: Game, dice: Random) -> Answer:
    """Search depth first to the end of the game, or as far as the time lasts."""
    settings = {
        "settings": dice.choice(STARS),
        "memory": dice.choice((0.002, 0.05, 1.0)),
        "iterative_deepening": dice.random() < 0.7,
    }
    answer = Answer("star", settings)
    depth = min(game.max_plies or dice.choice((4, 9, 16)), MOST_PLIES)
    settings["depth"] = depth if dice.random() < 0.8 else dice.randint(1, depth)
    given = {name: value for name, value in settings.items() if name != "depth"}
    report = StarSearch(game, **given).run(depth=settings["depth"], seconds=STAR_SECONDS)
    answer.claims += _claims(game, report)
    for move in report.for_player(0).moves:
        if move.solved:
            bounds = _for_all(game, (move.low, move.high), None)
            answer.claims.append(Claim(bounds, game.start().play(move.move), "move"))
    return answer


def by_values(game: Game, dice: Random) -> Answer:
    """Ask `trellis solve --exact` for every position."""
    answer = Answer("exact", {})
    found = solve_exactly(game, memory=16.0, limit=MOST_POSITIONS)
    answer.claims += _claims(game, found)
    answer.claims += [
        Claim(_for_all(game, pair, None), position) for position, pair in found.values.items()
    ]
    return answer


def by_securing(game: Game, dice: Random) -> Answer:
    """Ask what each player can secure, in every position or, by another way, at the start."""
    answer = Answer("each", {})
    if dice.random() < 0.5:
        answer.claims.append(Claim(secure_exactly(game.start(), memory=16.0).bounds))
        return answer
    for position, bounds in secure_everywhere(game, limit=MOST_POSITIONS).items():
        answer.claims.append(Claim(bounds, _unless_first(position)))
    return answer


def by_questions(game: Game, dice: Random) -> Answer:
    """Ask questions, by alpha-beta or df-pn, with a table that is often far too small."""
    method = dice.choice(("alphabeta", "alphabeta", "dfpn"))
    threads = 1 if method == "dfpn" or not game.compiled else dice.choice((1, 1, 1, 2))
    settings = {
        "method": method,
        "order": dice.choice(("auto", "rated", "replies", "history")),
        "memory": dice.choice((0.0005, 0.004, 1.0)),
        "symmetry": dice.random() < 0.7,
        "hints": dice.random() < 0.7,
        "threads": threads,
        "nodes": dice.choice((None, None, 3, 20, 200)),
    }
    asking = QuestionSettings(
        settings["order"], settings["memory"], settings["symmetry"], settings["hints"], 20, threads
    )
    answer = Answer("questions", settings)
    player, asked = 0, game
    if sum_of_two(game) is None:
        player = dice.randrange(game.players)
        asked = paranoid(game, player)
    search = Questions(asked, asking, method=method, seed=dice.randrange(1000))
    search.run(nodes=settings["nodes"], seconds=SOLVE_SECONDS)
    if asked is not game:
        bounds = [ANYTHING] * game.players
        low, high = search.bounds
        # Where players choose at once, this is what the player can secure when the others answer;
        # the others, who do not know its choice, may be unable to hold it to that.
        bounds[player] = (low, inf) if game.is_simultaneous else (low, high)
        answer.claims.append(Claim(tuple(bounds)))
        return answer
    answer.claims.append(Claim(_for_all(game, search.bounds, _total(game))))
    if search.solved:
        best = search.best(search.bounds[0])
        name = None if best is None else search.position.name(best)
        answer.claims += _best(search.position, name, _for_all(game, search.bounds, _total(game)))
    return answer


def by_portfolio(game: Game, dice: Random) -> Answer:
    """Ask several methods in turns, and where they lead a player who follows what is proven."""
    settings = {"memory": dice.choice((0.05, 4.0)), "threads": dice.choice((1, 1, 2))}
    asking = QuestionSettings(**settings, rating_games=20)
    answer = Answer("portfolio", settings)
    if not can_bound(game):
        raise BadParameter("no one value")
    search = Portfolio(game, "auto", asking, seed=dice.randrange(1000))
    found = search.run(seconds=SOLVE_SECONDS)
    answer.claims += _claims(game, found)
    if found.solved and suits(game):
        sure = found.bounds
        for position, move in search.strategy():
            answer.claims += _best(position, move, sure)
    return answer


def by_certificate(game: Game, dice: Random) -> Answer:
    """Claim what `trellis verify` makes of the certificate of whatever was proven in time."""
    settings = {"method": dice.choice(("auto", "alphabeta", "dfpn"))}
    answer = Answer("certificate", settings)
    refuse_unsuited(game)
    asking = QuestionSettings(memory=dice.choice((0.004, 1.0)), rating_games=20)
    search = Portfolio(game, settings["method"], asking, seed=dice.randrange(1000))
    search.run(seconds=SOLVE_SECONDS)
    if not search.solved:
        answer.claims.append(Claim(_for_all(game, (-inf, inf), None)))
        return answer
    with TemporaryDirectory() as folder:
        path = Path(folder) / "proof"
        write_certificate(search, path)
        found = verify(game, read_certificate(path))
    least, greatest = map(float, game.payoff_range)
    low = least if found.at_least is None else found.at_least
    high = greatest if found.at_most is None else found.at_most
    answer.claims.append(Claim(_for_all(game, (low, high), _total(game))))
    return answer


def by_facts(game: Game, dice: Random) -> Answer:
    """Ask the game itself; searches and proofs rest on what it says."""
    facts: dict[str, Any] = {
        "turn-taking": True if not game.is_simultaneous else None,
        "constant sum": game.constant_sum,
        "longest game": game.max_plies,
    }
    known = getattr(game, "known", None)
    if known is not None:
        facts |= {
            "always a move": known.always_a_move.proven,
            "one goal": known.one_goal.proven,
            "refuted": {
                name: fact.play
                for name, fact in vars(known).items()
                if name != "seconds" and fact.refuted
            },
        }
    return Answer("facts", {}, facts=facts)


WAYS: dict[str, Callable[[Game, Random], Answer]] = {
    "facts": by_facts,
    "solve": by_proof,
    "strong": by_strong_proof,
    "star": by_star,
    "exact": by_values,
    "each": by_securing,
    "questions": by_questions,
    "portfolio": by_portfolio,
    "certificate": by_certificate,
}
