"""One match as a player plays it: two processes, two clocks, and a legal move whatever happens.

One process makes a circuit of the rules and searches with it; that may take longer than the start
clock.  The other chains forward, which is ready sooner; it plays until the circuit is there, says
which moves are legal at every step, and is who answers where the first one hangs or dies.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from trellis.game.errors import shorten
from trellis.protocols.ggp.following import CIRCUIT, FORWARD
from trellis.protocols.ggp.messages import Start
from trellis.protocols.ggp.settings import PlayerSettings
from trellis.protocols.ggp.worker_link import WorkerLink

_SPARE_SECONDS = 0.1  # for a worker to answer
_LEAST_SECONDS = 0.02
_LOAD_SECONDS = 1_800.0  # while the other process plays
_PATIENCE = 5.0  # seconds until an answer that is due is given up
_MOST_RESTARTS = 2

Say = Callable[[str], None]
Hire = Callable[[str], Awaitable[WorkerLink]]


class Helper:
    """One of the two processes, and what it has said."""

    def __init__(self, kind: str, link: WorkerLink, on_news: Callable[[], None]) -> None:
        self.kind, self.link = kind, link
        self.loaded = False
        self.failed = ""
        self.step = -1
        self.legal: list[str] = []
        self.terminal = False
        self.goals: list[int | None] = []
        self.best: str | None = None
        self.choice: str | None = None
        self.worth: float | None = None
        self.work = 0
        self.sure = False  # it has found out all there is about the position at hand
        self.asked: int | None = None  # the step it was last asked to think about
        self.pondering = False
        self.expected: float | None = None  # when an answer should have come
        self._on_news = on_news
        link.listen(self.hear)

    @property
    def is_up(self) -> bool:
        """Tell whether anything is to be expected of it."""
        return self.link.alive and not self.failed

    def expect(self, within: float) -> None:
        """Note that an answer should come within so many seconds."""
        if self.expected is None and self.loaded:
            self.expected = asyncio.get_running_loop().time() + within

    @property
    def hangs(self) -> bool:
        """Tell whether an answer is long overdue."""
        return self.expected is not None and asyncio.get_running_loop().time() > self.expected

    def hear(self, answer: dict[str, Any]) -> None:
        """Take note of an answer."""
        if "failed" in answer:
            self.failed = str(answer["failed"])
        elif "ended" in answer:
            self.failed = self.failed or f"ended by itself: {answer['why'] or answer['ended']}"
        elif "loaded" in answer:
            self.loaded = True
        elif "step" in answer:
            self.step, self.legal = int(answer["step"]), list(answer["legal"])
            self.terminal, self.goals = bool(answer["terminal"]), list(answer["goals"])
            self.best = self.choice = self.worth = None
            self.work, self.sure, self.expected = 0, False, None
        elif "pondered" in answer:
            self.pondering = False
            self.sure = answer["pondered"] == self.step and bool(answer["sure"])
        elif answer.get("at") == self.step:
            self.best = answer.get("best") or answer.get("move")
            self.choice = answer.get("move")
            if self.choice is not None:
                self.expected = None
            self.worth, self.work = answer.get("worth"), int(answer.get("work") or 0)
        self._on_news()


class MatchPlaying:
    """Plays one role of one match."""

    def __init__(self, start: Start, settings: PlayerSettings, hire: Hire, say: Say) -> None:
        self.start, self.settings = start, settings
        self.steps = 0
        self.over = False
        self.last_heard = asyncio.get_running_loop().time()
        self._hire, self._say = hire, say
        self._history: list[tuple[str, ...]] = []
        self._random = random.Random(f"{settings.seed} {start.match}")
        self._helpers: dict[str, Helper] = {}
        self._engaging: dict[str, asyncio.Task[None]] = {}
        self._restarts = {CIRCUIT: 0, FORWARD: 0}
        self._news = asyncio.Event()
        self._told: set[str] = set()

    def silence(self, now: float) -> float:
        """Return for how long the server has said nothing, beyond what its clocks explain."""
        return now - self.last_heard - self.start.start_clock - self.start.play_clock

    # -- what the server asks ---------------------------------------------------------------

    async def begin(self, until: float) -> None:
        """Use the start clock up to a time: load the rules and search already."""
        # The one with the least to do first: legal moves come from there.
        for kind in (FORWARD, CIRCUIT):
            self._begin_to_engage(kind)
        while self._left(until) > 0 and self._anybody_to_come():
            circuit = self._helpers.get(CIRCUIT)
            if circuit is not None and circuit.loaded:
                self._ponder(circuit, self._left(until))
            if circuit is not None and circuit.sure:
                return
            await self._wait(until)

    async def play(self, moves: tuple[str, ...] | None, until: float) -> str:
        """Make the moves of all roles, and return the next one of ours at a time at the latest."""
        self._advance(moves)
        reply = await self._decide(until)
        if self.settings.ponder:
            for helper in self._ready():
                self._ponder(helper, None)
                break
        return reply

    def finish(self, moves: tuple[str, ...] | None) -> None:
        """Make the last moves; what came of the match is said where it is known."""
        self.over = True
        if moves is not None:
            self._advance(moves)

    async def end(self) -> None:
        """Let the processes go."""
        self.over = True
        for task in self._engaging.values():
            task.cancel()  # a process that is still to come goes to somebody else
        await asyncio.gather(*self._engaging.values(), return_exceptions=True)
        helpers, self._helpers = list(self._helpers.values()), {}
        await asyncio.gather(*(helper.link.end() for helper in helpers))

    # -- processes --------------------------------------------------------------------------

    def _begin_to_engage(self, kind: str) -> None:
        """Have another process come, which may take longer than a clock allows to wait."""
        self._engaging[kind] = asyncio.create_task(self._engage(kind))

    def _anybody_to_come(self) -> bool:
        """Tell whether anything is to be expected of anybody."""
        coming = any(not task.done() for task in self._engaging.values())
        return coming or any(helper.is_up for helper in self._helpers.values())

    async def _engage(self, kind: str) -> None:
        """Have a process load the rules, and come to where the match stands."""
        try:
            link = await self._hire(kind)
        except OSError as error:
            self._log(f"the {kind} process cannot be started: {error}")
            return
        if self.over:
            link.kill()
            return
        settings = self.settings
        self._helpers[kind] = Helper(kind, link, self._news.set)
        link.send(
            do="load", rules=self.start.rules, role=self.start.role, evaluator=kind,
            seconds=_LOAD_SECONDS, prove_seconds=max(1.0, min(10.0, self.start.start_clock / 4)),
            player=settings.player,
            seed=self._random.randrange(1 << 30), mebibytes=settings.memory,
            graph_mebibytes=self.settings.memory / 2,
        )  # fmt: skip
        for joint in self._history:
            link.send(do="play", joint=joint)
        self._news.set()

    def _replace_the_dead(self) -> None:
        """Kill who did not answer the last time, and start another in its place."""
        for kind, helper in list(self._helpers.items()):
            if helper.hangs:
                helper.failed = helper.failed or "no answer for long, it is replaced"
            coming = not self._engaging[kind].done()
            if helper.failed and not coming and self._restarts[kind] < _MOST_RESTARTS:
                self._log(f"the {kind} process: {helper.failed}")
                refused = helper.link.alive and not helper.loaded  # the rules are to blame
                helper.link.kill()
                self._restarts[kind] += _MOST_RESTARTS if refused else 1
                if not refused:
                    self._begin_to_engage(kind)

    def _advance(self, moves: tuple[str, ...] | None) -> None:
        if moves is None:
            return
        self._history.append(moves)
        self.steps += 1
        for helper in self._helpers.values():
            helper.pondering = False
            helper.expect(max(_PATIENCE, 2 * self.start.play_clock))
            helper.link.send(do="play", joint=moves)

    # -- deciding ---------------------------------------------------------------------------

    async def _decide(self, until: float) -> str:
        """Return a move: the best that anybody knows when the time is up, or is sure of."""
        while True:
            self._replace_the_dead()
            ready = list(self._ready())
            for helper in ready:
                if len(helper.legal) == 1:
                    return helper.legal[0]
            main = next((helper for helper in ready if helper.is_up), None)
            if main is not None and main.choice is not None:
                return self._checked(main, main.choice)
            left = self._left(until)
            if main is not None and main.asked != self.steps and left > 0:
                main.asked = self.steps
                seconds = max(left - _SPARE_SECONDS, _LEAST_SECONDS)
                main.expect(seconds + _PATIENCE)
                main.link.send(
                    do="think", step=self.steps, seconds=seconds,
                    seed=self._random.randrange(1 << 30),
                )  # fmt: skip
            if left <= 0:
                break
            if not self._anybody_to_come():
                break
            await self._wait(until)
        return self._fall_back()

    def _fall_back(self) -> str:
        """Return a legal move of whoever knows one: the time is up."""
        ready = list(self._ready())
        for helper in ready:
            if helper.best is not None:
                self._log("no answer in time: the best move so far goes out")
                return self._checked(helper, helper.best)
        for helper in ready:
            if helper.legal:
                self._log("no answer in time: a random legal move goes out")
                return self._random.choice(helper.legal)
        self._log("nobody knows a legal move: nil goes out")
        return "nil"

    def _checked(self, helper: Helper, move: str) -> str:
        """Return a move that everybody holds to be legal who knows this step."""
        for other in self._ready():
            if other.legal and move not in other.legal:
                both = [each for each in other.legal if each in helper.legal]
                self._log(
                    f"{shorten(move)} is legal by the {helper.kind} process and not by the "
                    f"{other.kind} one"
                )
                return self._random.choice(both or other.legal)
        return move

    def _ready(self) -> Iterable[Helper]:
        """Yield who knows the step at hand, the better one first."""
        for kind in (CIRCUIT, FORWARD):
            helper = self._helpers.get(kind)
            if helper is not None and helper.step == self.steps and helper.legal:
                yield helper

    def _ponder(self, helper: Helper, seconds: float | None) -> None:
        if not helper.sure and not helper.pondering:
            helper.pondering = True
            helper.link.send(do="ponder", seconds=seconds)

    # -- time -------------------------------------------------------------------------------

    def _left(self, until: float) -> float:
        return until - asyncio.get_running_loop().time()

    async def _wait(self, until: float) -> None:
        """Wait for news, or until a time."""
        self._news.clear()
        try:
            async with asyncio.timeout_at(until):
                await self._news.wait()
        except TimeoutError:
            return

    def _log(self, what: str) -> None:
        """Say something once for each step."""
        line = f"match {shorten(self.start.match, 40)}, step {self.steps}: {what}"
        if line not in self._told:
            self._told.add(line)
            self._say(line)

    @property
    def goals(self) -> list[int | None]:
        """Return what the roles get, where the match has come to its end."""
        for helper in self._helpers.values():
            if helper.step == self.steps and helper.terminal:
                return helper.goals
        return []
