"""What is known of a rulesheet, and how well."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from trellis.gdl.language.terms import Term

PROVEN, OBSERVED, REFUTED, UNKNOWN = "proven", "observed", "refuted", "unknown"

Play = tuple[tuple[Term, ...], ...]  # joint moves from the first state, a move of each role


@dataclass(frozen=True)
class Fact:
    """One thing that may be true of a game.

    Only `proven` is more than a hint: it follows from the rules, for every state that play can
    reach.  `observed` means that random play did not contradict it, `refuted` that `play` does.
    """

    value: Any
    status: str
    play: Play | None = None  # leads to the position that refutes it
    how: str = ""  # for people
    other: Play | None = None  # of a sum: a second play, whose payoffs add up to something else

    @property
    def proven(self) -> bool:
        """Tell whether it follows from the rules."""
        return self.status == PROVEN

    @property
    def refuted(self) -> bool:
        """Tell whether a play is known that breaks it."""
        return self.status == REFUTED

    def as_json(self, write: Callable[[Term], str]) -> dict[str, Any]:
        """Return it for programs; `write` turns terms into text."""
        play = None
        if self.play is not None:
            play = [[write(move) for move in joint] for joint in self.play]
        return {"value": self.value, "status": self.status, "play": play}


NOTHING = Fact(None, UNKNOWN)


@dataclass(frozen=True)
class Facts:
    """What is known of a game.

    A state is reachable where legal joint moves lead to it from the first state through states
    that are not over; a step is made only where every role has a legal move.  The role `random` is
    no player.
    """

    # True: in no reachable state that goes on have two players a choice.
    turn_taking: Fact = NOTHING
    # What the payoffs of all players add up to in every reachable state that is over.  A player's
    # payoff is the first of its goals, in the order of `circuit.goals`, that holds, and 0 where
    # none does: what the game pays.  Asked of two players or more.
    constant_sum: Fact = NOTHING
    # True: in every reachable state that goes on, every role has a legal move (`random` too).
    always_a_move: Fact = NOTHING
    # True: in every reachable state that is over, exactly one goal of every player holds.
    one_goal: Fact = NOTHING
    # N: every game is over, or stuck, after N steps at most.  Proven with None for a value: no game
    # goes on for ever, but no useful number is known.  Refuted: the play comes back to a position.
    max_steps: Fact = NOTHING
    seconds: float = 0.0

    def as_json(self, write: Callable[[Term], str]) -> dict[str, Any]:
        """Return all of them for programs."""
        return {name: getattr(self, name).as_json(write) for name in NAMES}


NAMES = tuple(field.name for field in fields(Facts) if field.name != "seconds")
