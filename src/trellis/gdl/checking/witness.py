"""Random play that remembers how it got there: lines of play that show what is wrong."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import process_time

from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.evaluators.machine import Facts, Machine
from trellis.gdl.language.terms import Term

_WHOLE = 5  # joint moves that a message shows, all of them
_ENDS = (3, 2)  # shown at the beginning and at the end of a longer line

Joint = tuple[Term, ...]


@dataclass
class Moment:
    """A state of a random game, and how it came about."""

    state: Facts
    line: list[Joint]  # goes on growing: copy it to keep it
    before: Facts | None  # the state it followed
    legal: list[list[Term]] | None  # None where the game is over


def random_play(machine: Machine, seed: int, longest: int) -> Iterator[Moment]:
    """Play at random, game after game without end; yield every state."""
    dice = Random(seed)
    while True:
        state, before = machine.initial(), None
        line: list[Joint] = []
        while len(line) <= longest:
            if machine.terminal(state):
                yield Moment(state, line, before, None)
                break
            legal = machine.legal(state)
            yield Moment(state, line, before, legal)
            if not all(legal):
                break
            joint = tuple(dice.choice(moves) for moves in legal)
            line.append(joint)
            before, state = state, machine.next(state, joint)


@dataclass
class Witnesses:
    """The shortest line of play to each kind of fault that was met, and whom it befell."""

    roles: list[str]
    stuck: tuple[str, list[Joint]] | None = None
    no_goal: tuple[str, list[Joint]] | None = None
    many_goals: tuple[str, list[Joint]] | None = None
    goals: list[int] = field(default_factory=list)  # the many

    def note(self, machine: Machine, moment: Moment) -> None:
        """Look at one state."""
        if moment.legal is not None:
            for role, moves in zip(self.roles, moment.legal, strict=True):
                if not moves and _is_shorter(moment.line, self.stuck):
                    self.stuck = (role, list(moment.line))
            return
        for role, goals in zip(self.roles, machine.all_goals(moment.state), strict=True):
            if role == RANDOM:
                continue
            if not goals and _is_shorter(moment.line, self.no_goal):
                self.no_goal = (role, list(moment.line))
            if len(goals) > 1 and _is_shorter(moment.line, self.many_goals):
                self.many_goals = (role, list(moment.line))
                self.goals = sorted(goals)

    def follow(self, machine: Machine, play: Sequence[Joint]) -> None:
        """Look at every state of a play."""
        state = machine.initial()
        line: list[Joint] = []
        for joint in (*play, None):
            over = machine.terminal(state)
            self.note(machine, Moment(state, line, None, None if over else machine.legal(state)))
            if joint is not None:
                line.append(joint)
                state = machine.next(state, joint)

    def search(
        self, machine: Machine, seed: int, longest: int, wanted: Sequence[str], seconds: float
    ) -> None:
        """Play on for what is wanted: until all of it was met, or the time is up."""
        end = process_time() + seconds
        for moment in random_play(machine, seed, longest):
            self.note(machine, moment)
            met = all(getattr(self, name) is not None for name in wanted)
            if met or process_time() > end:
                return


def _is_shorter(line: list[Joint], known: tuple[str, list[Joint]] | None) -> bool:
    return known is None or len(line) < len(known[1])


def describe_line(moves: Sequence[str]) -> str:
    """Say in a few words how play came to a state."""
    if not moves:
        return "in the first state"
    if len(moves) <= _WHOLE:
        return "after " + ", ".join(moves)
    first, last = _ENDS
    shown = [*moves[:first], "…", *moves[-last:]]
    return f"after {len(moves)} steps: " + ", ".join(shown)
