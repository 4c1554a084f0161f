"""Several ways of proving what a position is worth, in turns, until one of them has it.

No way is best everywhere: score bounds prove small games with fewest positions, alpha-beta needs an
order of moves that fits, df-pn lives on threats.  So all that take a game have a turn, and turns
double: whatever would have been best is done after a few times the work it needs alone.  A bound
that one has proven is everybody's.  Who has proven nothing while others have falls behind and is
dropped, and its memory goes to the others.

Turns are numbers of positions and playouts, not seconds: the same seed gives the same answer.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from time import perf_counter
from typing import Any, Protocol, Unpack

from trellis._kernel.deadline import stop_asked
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, BrokenContract, LimitReached
from trellis.game.game import Game, Position, position_of
from trellis.search.budget import refuse_over
from trellis.search.mcts.engine import Search
from trellis.search.mcts.make_params import can_bound
from trellis.search.mcts.settings import SearchOptions
from trellis.search.report import MoveReport, Pair, Report, proven_of_all, sum_of_two
from trellis.search.solve import proof
from trellis.search.solve.questions.engine import Questions
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.questions.setup import refuse_unsuited, suits
from trellis.search.solve.questions.walk import Walker

METHODS = ("auto", "bounds", "alphabeta", "dfpn", "exact")

_PLAYOUTS, _POSITIONS = 4_000, 20_000  # of a first turn
_PROOF_POSITIONS = 5_000  # of df-pn, which opens every move
_ROUNDS_BEFORE_DROPPING = 6
_LINE_POSITIONS = 200_000  # to find a line of play again, at least
_MEMORY = {"alphabeta": 1.0, "replies": 0.25, "dfpn": 0.125, "bounds": 0.25}


class Saver(Protocol):
    """Writes down now and then what is known."""

    def look(self) -> None:
        """Write if it is time to."""


class Member:
    """One way of proving, told what others have proven."""

    name = ""

    def advance(self, turn: int, seconds: float | None, progress: Progress | None) -> None:
        """Go on for the turn of a number, or so many seconds."""
        raise NotImplementedError

    @property
    def bounds(self) -> Pair:
        """Return what player 0 gets at least and at most, as far as this has proven it."""
        raise NotImplementedError

    def tighten(self, low: float, high: float) -> None:
        """Take what others have proven."""

    def best(self, value: float) -> str | None:
        """Name a move that keeps the value for who moves, or None where it knows none."""
        raise NotImplementedError

    @property
    def nodes(self) -> int:
        """Return how many positions were looked at."""
        raise NotImplementedError

    @property
    def bytes(self) -> int:
        """Return how much memory is in use."""
        raise NotImplementedError

    @property
    def sims(self) -> int:
        """Return how many playouts there were."""
        return 0

    def note(self) -> str:
        """Say for people how far it is."""
        return f"{self.name}: {self.nodes:,} positions"


class BoundsMember(Member):
    """Graph search with score bounds."""

    name = "bounds"

    def __init__(self, position: Position, seed: int, **changes: Unpack[SearchOptions]) -> None:
        search = proof.prepare(position, seed=seed, **changes)
        if not isinstance(search, Search):
            raise BadParameter(f"{position.game.spec} has no one value")
        self.search, self.position = search, position
        self.seconds = 0.0

    def advance(self, turn: int, seconds: float | None, progress: Progress | None) -> None:
        """Go on for a turn."""
        self.search.run(sims=_PLAYOUTS << turn, seconds=seconds, progress=progress)

    @property
    def bounds(self) -> Pair:
        """Return what is proven."""
        low, high = self.search.bounds
        return float(low), float(high)

    def best(self, value: float) -> str | None:
        """Name a move that keeps the value, if one is known."""
        report, first = self.search.report(), self.position.acting == 0
        for line in report.moves:
            if report.values_of == 1:  # told as the second player sees it
                kept = line.low >= float(self.position.game.constant_sum or 0.0) - value
            else:
                kept = line.low >= value if first else line.high <= value
            if kept:
                return line.move
        return None

    @property
    def nodes(self) -> int:
        """Return how many positions there are, or were looked at."""
        return int(self.search.report().nodes)

    @property
    def bytes(self) -> int:
        """Return how much memory is in use."""
        return self.search.bytes

    @property
    def sims(self) -> int:
        """Return how many playouts there were."""
        return self.search.sims

    def note(self) -> str:
        """Say for people how far it is."""
        return f"{self.name}: {self.sims:,} playouts"


class QuestionMember(Member):
    """Questions, by alpha-beta or df-pn."""

    def __init__(self, name: str, search: Questions, first: int) -> None:
        self.name, self.search, self._first = name, search, first

    def advance(self, turn: int, seconds: float | None, progress: Progress | None) -> None:
        """Go on for a turn."""
        self.search.run(nodes=self._first << turn, seconds=seconds, progress=progress)

    @property
    def bounds(self) -> Pair:
        """Return what is proven."""
        return self.search.bounds

    def tighten(self, low: float, high: float) -> None:
        """Take what others have proven."""
        self.search.tighten(low, high)

    def best(self, value: float) -> str | None:
        """Name a move that keeps the value, if one is known."""
        code = self.search.best(value)
        return None if code is None else self.search.position.name(code)

    @property
    def nodes(self) -> int:
        """Return how many positions there are, or were looked at."""
        return self.search.nodes

    @property
    def bytes(self) -> int:
        """Return how much memory is in use."""
        return self.search.bytes

    def note(self) -> str:
        """Say for people how far it is."""
        return f"{self.name}: {self.search.note()}"


class Portfolio:
    """Members that take turns at one position."""

    def __init__(
        self,
        start: Game | Position | str,
        method: str = "auto",
        settings: QuestionSettings | None = None,
        seed: int = 0,
        **bounds: Any,
    ) -> None:
        self.position = position_of(start)
        self.game = self.position.game
        refuse_over(self.position, "solve")
        self.method, self.seed = method, seed
        self.settings = settings or QuestionSettings()
        self.low, self.high = map(float, self.game.payoff_range)
        self.members = self._make_members(method, bounds)
        self.dropped: list[Member] = []
        self.seconds: dict[str, float] = {member.name: 0.0 for member in self.members}
        self.proved: dict[str, list[Pair]] = {member.name: [] for member in self.members}
        self.proved_low = self.proved_high = ""
        self.question: float | None = None
        self.round = self._next = 0
        self._walker: Questions | None = None
        self.saver: Saver | None = None

    def _make_members(self, method: str, bounds: dict[str, Any]) -> list[Member]:
        position, settings = self.position, self.settings
        found: list[Member] = []
        if method != "auto":
            refuse_unsuited(self.game)
            search = Questions(position, settings, method=method, seed=self.seed)
            first = _PROOF_POSITIONS if method == "dfpn" else _POSITIONS
            return [QuestionMember(method, search, first)]
        memory = settings.memory
        share = {**bounds, "memory": _MEMORY["bounds"] * memory}
        found.append(BoundsMember(position, self.seed, **share))
        if not suits(self.game):
            found[0] = BoundsMember(position, self.seed, **{"memory": memory, **bounds})
            return found
        # Alpha-beta may have all memory once it is alone; until then each keeps to its share.
        orders = [("alphabeta", settings.order), ("replies", "replies")]
        for name, order in orders:
            own = replace(settings, order=order, memory=_MEMORY[name] * memory)
            try:
                search = Questions(position, own, seed=self.seed)
            except LimitReached:  # its stack would be too large
                return found
            if name == "alphabeta":
                search.allow(0.375 * memory)
            found.append(QuestionMember(name, search, _POSITIONS))
        own = replace(settings, order="auto", threads=1, memory=_MEMORY["dfpn"] * memory)
        search = Questions(position, own, method="dfpn", seed=self.seed)
        found.append(QuestionMember("dfpn", search, _PROOF_POSITIONS))
        return found

    # -- what is known -------------------------------------------------------------------------

    @property
    def solved(self) -> bool:
        """Tell whether the value is known."""
        return self.low == self.high

    @property
    def everybody(self) -> list[Member]:
        """List all members, also those that were dropped."""
        return [*self.members, *self.dropped]

    @property
    def questions(self) -> Questions | None:
        """Return the alpha-beta search that asks about what was proven, if there is one."""
        if self._walker is None and suits(self.game):
            for member in self.members:
                if isinstance(member, QuestionMember) and member.search.method == "alphabeta":
                    self._walker = member.search
                    return self._walker
            share = replace(self.settings, memory=max(1.0, 0.25 * self.settings.memory))
            self._walker = Questions(self.position, share, seed=self.seed)
            self._walker.tighten(self.low, self.high)
        return self._walker

    def ask_first(self, payoff: float) -> None:
        """Have all ask first whether player 0 gets at least so much."""
        least, greatest = self.game.payoff_range
        if not least < payoff <= greatest:
            raise BadParameter(
                f"bad question {payoff:g} about {self.game.spec}: expected a payoff above "
                f"{least:g} and up to {greatest:g}"
            )
        self.question = payoff
        for member in self.members:
            if isinstance(member, QuestionMember):
                member.search.ask_first(payoff)

    # -- taking turns --------------------------------------------------------------------------

    def run(self, seconds: float | None = None, progress: Progress | None = None) -> Report:
        """Take turns until the value is known, the time is up, or somebody asks to stop."""
        began = perf_counter()

        def left() -> float | None:
            return None if seconds is None else seconds - (perf_counter() - began)

        def tell(fraction: float, note: str) -> None:
            if self.saver is not None:
                self.saver.look()
            if progress is not None and member is not None:
                done = 0.0 if seconds is None else (perf_counter() - began) / seconds
                progress(min(1.0, done), f"{member.note()}; {self.low:g} to {self.high:g}")

        member: Member | None = None
        while not self.solved and not stop_asked():
            remaining = left()
            if remaining is not None and remaining <= 0:
                break
            if self._next >= len(self.members):
                self._next, self.round = 0, self.round + 1
                self._drop_who_falls_behind()
                continue
            member = self.members[self._next]
            started = perf_counter()
            if isinstance(member, QuestionMember):
                member.tighten(self.low, self.high)
            member.advance(self.round, remaining, tell)
            self.seconds[member.name] += perf_counter() - started
            self._take(member)
            self._next += 1
        return self.report()

    def _take(self, member: Member) -> None:
        """Take what a member has proven."""
        low, high = member.bounds
        if low > self.low:
            self.low, self.proved_low = low, member.name
            self.proved[member.name].append((low, self.high))
        if high < self.high:
            self.high, self.proved_high = high, member.name
            self.proved[member.name].append((self.low, high))
        if self.low > self.high:
            raise BrokenContract(
                f"{self.game.spec} contradicts itself: {self.proved_low} proves at least "
                f"{self.low:g}, {self.proved_high} at most {self.high:g}; trellis check may tell "
                "why"
            )

    def _drop_who_falls_behind(self) -> None:
        """Drop members that have proven nothing although others have; one at least stays."""
        if self.round < _ROUNDS_BEFORE_DROPPING or len(self.members) < 2:
            return
        useful = [member for member in self.members if self.proved[member.name]]
        if not useful:
            if self.round < 2 * _ROUNDS_BEFORE_DROPPING:
                return
            # Nobody has proven anything in a long time: the one that goes furthest goes on.
            useful = [m for m in self.members if m.name == "alphabeta"] or self.members[:1]
        self.dropped += [member for member in self.members if member not in useful]
        self.members = useful
        if len(self.members) == 1 and isinstance(self.members[0], QuestionMember):
            only = self.members[0].search
            if only.method == "alphabeta":
                only.allow(self.settings.memory)
        for member in self.dropped:
            if isinstance(member, QuestionMember):
                member.search.forget()

    def restore(
        self, low: float, high: float, proved: list[str], turn: int, seconds: dict[str, float]
    ) -> None:
        """Go on where another run was."""
        self.low, self.high = max(self.low, low), min(self.high, high)
        self.proved_low, self.proved_high = proved
        self.round = turn
        self.seconds |= {name: spent for name, spent in seconds.items() if name in self.seconds}
        for name in filter(None, proved):
            self.proved.setdefault(name, []).append((low, high))

    # -- telling -------------------------------------------------------------------------------

    def line(self) -> list[str]:
        """Return how play goes on if both play well, as far as that is found again."""
        if not self.solved:
            return []
        first = None
        for member in self.everybody:
            if first is None:
                first = member.best(self.low)
        proved = {self.proved_low, self.proved_high}
        search = self.questions
        for member in self.members:  # whoever has proven it knows most of what follows
            if isinstance(member, QuestionMember) and member.name in proved:
                search = member.search
        if search is None:
            return [] if first is None else [first]
        search.tighten(self.low, self.high)
        walker = Walker(search, max(_LINE_POSITIONS, search.nodes // 4))
        code = None if first is None else self.position.code_of(first)
        found = walker.line(search.low, search.high, code)
        return found or ([] if first is None else [first])

    def report(self) -> Report:
        """Tell what is proven, and by which method."""
        for member in self.everybody:
            if isinstance(member, BoundsMember) and member.search.solved:
                found = member.search.report()
                return replace(found, details={**found.details, **self.details()})
        if len(self.everybody) == 1 and isinstance(self.everybody[0], BoundsMember):
            found = self.everybody[0].search.report()
            return replace(found, details={**found.details, **self.details()})
        game, position = self.game, self.position
        total = sum_of_two(game, always_paid=game.max_plies is not None)
        value = self.low if self.solved else None
        bounds, payoffs, outcome = proven_of_all(game, (self.low, self.high), total, value)
        line = self.line()
        best = line[0] if line else None
        moves = self._moves(best, value)
        report = Report(
            game.spec, position.actor_name(), 0, best, nan if value is None else value,
            self.low, self.high, bounds, self.solved, moves, tuple(line), payoffs, outcome, total,
            sims=sum(member.sims for member in self.everybody),
            seconds=sum(self.seconds.values()),
            nodes=sum(member.nodes for member in self.everybody),
            bytes=sum(member.bytes for member in self.everybody), details=self.details(),
        )  # fmt: skip
        return report.for_player(1) if position.acting == 1 and total is not None else report

    def _moves(self, best: str | None, value: float | None) -> tuple[MoveReport, ...]:
        """Tell what is proven of each move, the best one first."""
        known: dict[str, Pair] = {}
        for member in self.everybody:
            if isinstance(member, QuestionMember) and member.search.method == "alphabeta":
                for name, (low, high) in member.search.move_bounds().items():
                    least, most = known.get(name, (low, high))
                    known[name] = max(least, low), min(most, high)
        if best is not None and value is not None:
            known[best] = value, value
        found = []
        for name, (low, high) in known.items():
            solved = low == high
            found.append(MoveReport(name, low, high, low if solved else nan, solved=solved))
        sign = 1 if self.position.acting == 0 else -1
        found.sort(key=lambda move: (move.move != best, -sign * (move.low + move.high)))
        return tuple(found)

    def details(self) -> dict[str, object]:
        """Return which method has proven what, and what each has done."""
        proved = {"low": self.proved_low or None, "high": self.proved_high or None}
        names = [name for name in dict.fromkeys(proved.values()) if name]
        return {
            "method": " and ".join(names) if self.solved and names else self.method,
            "proved_by": proved,
            "methods": {member.name: self._done_by(member) for member in self.everybody},
        }

    def _done_by(self, member: Member) -> dict[str, object]:
        return {
            "nodes": member.nodes, "sims": member.sims, "seconds": self.seconds[member.name],
            "bytes": member.bytes, "dropped": member in self.dropped,
        }  # fmt: skip

    def strategy(self, limit: int = 5_000_000) -> Iterator[tuple[Position, str]]:
        """Name a move for every position in which a player who follows the proof has a choice."""
        for member in self.everybody:
            if isinstance(member, BoundsMember) and member.search.solved:
                yield from proof.strategy(member.search, limit)
                return
        search = self.questions
        if not self.solved or search is None:
            raise BadParameter("no strategy yet: the position is not solved")
        search.tighten(self.low, self.high)
        walker = Walker(search, nodes=1 << 60)
        written: set[Position] = set()
        for player, target in ((0, search.low), (1, search.high + 1)):
            for position, code in walker.strategy(player, target, limit):
                if position not in written:
                    written.add(position)
                    yield position, position.name(code)


def solve_with(
    start: Game | Position | str,
    method: str = "auto",
    settings: QuestionSettings | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Prove what a position is worth by one method, or by several in turns.

    >>> from trellis.loading import load
    >>> solve_with(load("connect_four:rows=4,columns=4")).outcome
    'draw'
    """
    if method not in METHODS[:1] + METHODS[2:4]:
        raise BadParameter(f"bad method {method!r}: expected auto, alphabeta or dfpn")
    game = position_of(start).game
    if not can_bound(game):
        raise BadParameter(f"{game.spec} has no one value: expected trellis.solve")
    return Portfolio(start, method, settings, seed).run(seconds, progress)
