"""Running matches: players are asked over HTTP, and whatever they do, the match goes on.

A move that is illegal, late or cannot be had is replaced by a random legal one, and the record says
so: `IL` and the move, `TO`, `CE`.
"""

import asyncio
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.gdl.language.terms import Term
from trellis.protocols.ggp.http_sending import NoAnswer, Sender, TooLate, read_address
from trellis.protocols.ggp.match_record import MatchRecord
from trellis.protocols.ggp.messages import (
    LONGEST_CLOCK,
    Abort,
    Info,
    Message,
    Play,
    Start,
    Stop,
    write_message,
)
from trellis.protocols.ggp.refereeing import Referee

RANDOM = "random"  # a player that is built in
GRACE = 1.0  # seconds beyond the play clock until a reply is late, as usual among servers
MOST_STEPS = 10_000
_INFO_SECONDS = 2.0
_NAME = re.compile(r"\(\s*name\s+([^\s()]{1,60})\s*\)", re.IGNORECASE)

OnChange = Callable[[MatchRecord, Referee], None]


@dataclass(frozen=True)
class MatchPlan:
    """How a match is played: a player for each role, and the clocks in seconds."""

    players: Sequence[str]
    start_clock: float = 30.0
    play_clock: float = 10.0
    scramble: bool = False
    seed: int = 0
    grace: float = GRACE
    most_steps: int = MOST_STEPS

    def __post_init__(self) -> None:
        for clock in (self.start_clock, self.play_clock):
            if not 0 < clock <= LONGEST_CLOCK:
                raise BadParameter(f"bad clock {clock:g}: expected seconds above 0")

    def check(self, roles: Sequence[str]) -> list[str | None]:
        """Return the address of each role's player, None where it is a built-in random one.

        The role `random` is chance: nobody plays it, and no player need be named for it.
        """
        others = [role for role in roles if role != RANDOM]
        given = list(self.players)
        if len(given) == len(roles) != len(others):
            given = [each for each, role in zip(given, roles, strict=True) if role != RANDOM]
        if len(given) != len(others):
            names = ", ".join(shorten(role, 30) for role in others)
            raise BadParameter(f"{len(given)} players for {len(others)} roles: {names}")
        by_role = dict(zip(others, given, strict=True))
        found = [
            None if by_role.get(role, RANDOM) == RANDOM else read_address(by_role[role])
            for role in roles
        ]
        asked = [address for address in found if address is not None]
        if len(set(asked)) < len(asked):
            raise BadParameter("one address for two roles: expected a player of its own for each")
        return found


class GameMaster:
    """Runs one match."""

    def __init__(
        self, name: str, match: str, referee: Referee, plan: MatchPlan, sender: Sender
    ) -> None:
        self.match, self.referee, self.plan, self.sender = match, referee, plan, sender
        self.addresses = plan.check(referee.roles)
        self._dice = random.Random(plan.seed)
        self.record = MatchRecord(
            match, name, [referee.sheet.write(role) for role in referee.roles],
            [address or RANDOM for address in self.addresses],
            plan.start_clock, plan.play_clock, plan.scramble,
        )  # fmt: skip

    async def run(self, on_change: OnChange) -> MatchRecord:
        """Play the match to its end; `on_change` is told of every state."""
        record, referee = self.record, self.referee
        try:
            await self._learn_names()
            record.add_state(referee.state_text())
            on_change(record, referee)
            not_ready = await self._start()
            previous: list[Term] | None = None
            while not referee.over:
                self._refuse_endless()
                previous, errors = await self._step(previous)
                record.errors.append(
                    [error or early for error, early in zip(errors, not_ready, strict=True)]
                )
                not_ready = [""] * len(not_ready)
                record.moves.append([referee.sheet.write(move) for move in previous])
                await asyncio.to_thread(referee.play, previous)
                record.add_state(referee.state_text())
                on_change(record, referee)
            record.goals = list(referee.goals)
            record.completed = True
            await self._stop(previous)
        except TrellisError as error:
            record.why = str(error)
            await self._abort()
        except asyncio.CancelledError:
            record.why = "stopped"
            await self._abort()
            raise
        on_change(record, referee)
        return record

    def _refuse_endless(self) -> None:
        if len(self.record.moves) >= self.plan.most_steps:
            raise TrellisError(f"not over after {self.plan.most_steps:,} steps")
        if not all(self.referee.legal):
            raise TrellisError("a role has no legal move")

    # -- messages to all players ------------------------------------------------------------

    async def _ask_all(
        self, messages: Sequence[Message], seconds: float
    ) -> list[str | NoAnswer | None]:
        """Send each role's player its message; None where there is nobody to ask."""

        async def ask(address: str | None, message: Message) -> str | NoAnswer | None:
            if address is None:
                return None
            try:
                return await self.sender.send(address, write_message(message), seconds)
            except NoAnswer as failure:
                return failure

        pairs = zip(self.addresses, messages, strict=True)
        return list(await asyncio.gather(*(ask(*pair) for pair in pairs)))

    async def _learn_names(self) -> None:
        answers = await self._ask_all([Info()] * len(self.addresses), _INFO_SECONDS)
        for role, answer in enumerate(answers):
            found = _NAME.search(answer) if isinstance(answer, str) else None
            if found is not None:
                self.record.players = [
                    found.group(1) if each == role else name
                    for each, name in enumerate(self.record.players)
                ]

    async def _start(self) -> list[str]:
        """Tell the rules; return what was wrong with the answers."""
        plan, referee = self.plan, self.referee
        messages = [
            Start(self.match, referee.write(role), referee.rules, plan.start_clock, plan.play_clock)
            for role in referee.roles
        ]
        answers = await self._ask_all(messages, plan.start_clock + plan.grace)
        return ["" if answer is None else _start_error(answer) for answer in answers]

    async def _step(self, previous: list[Term] | None) -> tuple[list[Term], list[str]]:
        """Return the moves of all roles, and what was wrong with the answers."""
        referee, plan = self.referee, self.plan
        moves = None if previous is None else tuple(map(referee.write, previous))
        message = Play(self.match, moves)
        answers = await self._ask_all([message] * len(referee.roles), plan.play_clock + plan.grace)
        joint, errors = [], []
        for role, answer in enumerate(answers):
            move, error = None, ""
            if isinstance(answer, str):
                move = referee.read_move(answer, role)
                error = "" if move is not None else f"IL {' '.join(answer.split())[:200]}"
            elif answer is not None:
                error = _kind(answer)
            joint.append(self._dice.choice(referee.legal[role]) if move is None else move)
            errors.append(error)
        return joint, errors

    async def _stop(self, previous: list[Term] | None) -> None:
        moves = None if previous is None else tuple(map(self.referee.write, previous))
        seconds = self.plan.play_clock + self.plan.grace
        await self._ask_all([Stop(self.match, moves)] * len(self.addresses), seconds)

    async def _abort(self) -> None:
        self.record.aborted = True
        await self._ask_all([Abort(self.match)] * len(self.addresses), 1.0)


def _kind(failure: NoAnswer) -> str:
    return "TO" if isinstance(failure, TooLate) else "CE"


def _start_error(answer: str | NoAnswer) -> str:
    if isinstance(answer, NoAnswer):
        return _kind(answer)
    return "" if answer.casefold() == "ready" else f"not ready: {' '.join(answer.split())[:100]}"
