"""Records of matches in the JSON format of the general game playing community."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


def now() -> int:
    """Return the time as records have it: milliseconds since 1970."""
    return int(time.time() * 1000)


@dataclass
class MatchRecord:
    """A match so far: states and moves as text, in the words of the sheet."""

    match: str
    game: str
    roles: Sequence[str]
    players: Sequence[str]
    start_clock: float
    play_clock: float
    scrambled: bool
    states: list[str] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    goals: list[int | None] = field(default_factory=list)
    completed: bool = False
    aborted: bool = False
    why: str = ""
    began: int = field(default_factory=now)
    token: str = field(default_factory=lambda: secrets.token_hex(16))

    def add_state(self, state: str) -> None:
        """Note a state that was reached."""
        self.states.append(state)
        self.times.append(now())

    def failures(self, role: int, kind: str = "") -> int:
        """Count the errors of a role: of a kind (`TO`, `CE`, `IL`), or all."""
        return sum(step[role].startswith(kind) for step in self.errors if step[role])

    def content(self) -> dict[str, Any]:
        """Return what is written."""
        # Clocks of the community are whole seconds; ours may be shorter.
        start, play = (
            int(clock) if clock == int(clock) else clock
            for clock in (self.start_clock, self.play_clock)
        )
        content: dict[str, Any] = {
            "matchId": self.match, "randomToken": self.token, "startTime": self.began,
            "gameName": self.game, "gameRoleNames": list(self.roles), "isCompleted": self.completed,
            "isAborted": self.aborted, "states": self.states, "moves": self.moves,
            "stateTimes": self.times, "errors": self.errors, "previewClock": -1,
            "startClock": start, "playClock": play,
            "playerNamesFromHost": list(self.players), "scrambled": self.scrambled,
        }  # fmt: skip
        if self.completed:
            content["goalValues"] = self.goals
        if self.why:
            content["whyAborted"] = self.why
        return content
