"""Playing a rulesheet by forward chaining, without grounding it.

Every new fact sets off the rules it appears in, as in the thesis; what a fact no longer supports is
taken back in the same way.  So going from a state to the next costs what changes, and not what
there is.  Any state may be asked for at any time; states that follow each other are the quick case.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

from trellis.game.errors import BadParameter, IllegalMove, LimitReached, shorten
from trellis.gdl.forward.emit import Emitter, function_of
from trellis.gdl.forward.join_tables import Facts, Memo
from trellis.gdl.forward.plan import INPUTS, Plan, make_plan
from trellis.gdl.forward.store import MOST_FACTS
from trellis.gdl.forward.wiring import Wiring
from trellis.gdl.language.kif import write
from trellis.gdl.language.terms import Rule, Term, arguments, goal_of, name_of

_BUDGET = 100_000  # facts up to the first state; with more, large relations are only asked

_READ = ("goal", "terminal")  # relations whose facts are kept in sets to be read

State = frozenset[Term]
Goals = list[int | None]


class ForwardMachine:
    """A game that is played by an emitted forward chaining program.

    `source` is the text of that program.  A state is the set of what is inside `true`.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._lock = threading.RLock()
        self._torn = False  # whether something stopped half way between two states
        rules = list(rules)
        plan = make_plan(rules)
        try:
            self._build(plan, _BUDGET)
        except LimitReached:
            counts = Counter(map(name_of, self._facts.terms))
            large = [name for name, count in counts.items() if count > _BUDGET // 20]
            self._build(make_plan(rules, large), MOST_FACTS)
        self._facts.most = MOST_FACTS

    def _build(self, plan: Plan, most_facts: int) -> None:
        """Write and load the program, and go to the first state."""
        self._plan = plan
        self.roles: list[Term] = plan.roles
        if not self.roles:
            raise BadParameter("the sheet has no roles that can be known before the game")
        self._facts = Facts(most_facts)
        self._names: dict[str, Any] = {}
        self._switch: dict[str, Memo] = {}
        self._moves: list[set[int]] = [set() for _ in range(len(self.roles) + 1)]
        self.source = self._emit()
        names = self._names
        self._now: set[int] = names["now"]
        self._doing: set[int] = names["doing"]
        self._future: set[int] = names["future"]
        self._updates: list[Callable[[], None]] = [names[f"update{level}"] for level in range(3)]
        self._terminal: set[int] = names["terminal"]
        self._goals: set[int] = names["goal"]
        self._goal_of = Memo(self._work_out_goal)
        self._reached: State | None = None  # the state that `_now` holds, as it was asked for
        self._start = frozenset(self._facts.number(("true", term)) for term in plan.initial)
        for update in self._updates:
            update()
        self._change(self._start)

    # --- what a game answers

    def initial(self) -> State:
        """Return the first state."""
        return frozenset(self._plan.initial)

    def legal(self, state: State) -> list[list[Term]]:
        """Return the legal moves of each role, sorted as text."""
        with self._at(state):
            terms = self._facts.terms
            return [
                sorted((arguments(terms[move])[1] for move in moves), key=write)
                for moves in self._moves[:-1]
            ]

    def terminal(self, state: State) -> bool:
        """Tell whether the game is over."""
        with self._at(state):
            return bool(self._terminal)

    def goals(self, state: State) -> Goals:
        """Return each role's goal; None where there is none, or not exactly one."""
        with self._at(state):
            return self._read_goals()

    def all_goals(self, state: State) -> list[list[int]]:
        """Return all goals of each role that are numbers: one each in a valid sheet."""
        with self._at(state):
            found = self._find_goals()
        return [sorted(goals) for goals in found]

    def next(self, state: State, joint: Sequence[Term]) -> State:
        """Return the state after a move of each role."""
        with self._at(state):
            chosen = set()
            for role, move, moves in zip(self.roles, joint, self._moves, strict=False):
                number = self._facts.number(("does", role, move))
                if number not in moves:
                    given = f"{shorten(write(move))} for {shorten(write(role))}"
                    raise IllegalMove(f"illegal move {given}")
                chosen.add(number)
            if len(joint) != len(self.roles):
                raise IllegalMove(f"{len(joint)} moves for {len(self.roles)} roles")
            self._do(chosen)
            terms = self._facts.terms
            return frozenset([arguments(terms[number])[0] for number in self._future])

    def playout(self, dice: Random, most_steps: int = 10_000) -> tuple[Goals, int]:
        """Play at random from the first state; return the goals and how many steps it took."""
        with self._alone():
            return self._play_out(dice, most_steps)

    def _play_out(self, dice: Random, most_steps: int) -> tuple[Goals, int]:
        self._forget_when_full()
        self._reached = None
        self._change(self._start)
        future, players = self._future, self._moves[:-1]
        terminal, random = self._terminal, dice.random
        steps = 0
        while not terminal:
            if steps >= most_steps:
                raise LimitReached(f"the game is not over after {most_steps:,} steps")
            chosen = set()
            for number, moves in enumerate(players):
                if not moves:
                    role = shorten(write(self.roles[number]))
                    raise BadParameter(f"{role} has no legal move after {steps} steps")
                chosen.add(list(moves)[int(random() * len(moves))])
            self._do(chosen)
            self._change(future)
            steps += 1
        self._reached = None
        return self._read_goals(), steps

    # --- moving the facts

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other threads out: there is one set of facts, and every question moves it.

        Where a question was not answered (time was up, there were too many facts) the facts may
        have stopped between two states; then the next one begins anew.
        """
        with self._lock:
            if self._torn:
                self._build(self._plan, MOST_FACTS)
            self._torn = True
            try:
                yield
            except IllegalMove:  # found out before anything moved
                self._torn = False
                raise
            self._torn = False

    @contextmanager
    def _at(self, state: State) -> Iterator[None]:
        """Keep other threads out, and go to a state."""
        with self._alone():
            if state is not self._reached:
                self._forget_when_full()
                number = self._facts.number
                self._change({number(("true", term)) for term in state})
                self._reached = state
            yield

    def _forget_when_full(self) -> None:
        """Begin anew when long play has met too many facts to remember them all."""
        if len(self._facts.terms) > MOST_FACTS // 2:
            self._build(self._plan, MOST_FACTS)

    def _change(self, wanted: set[int] | frozenset[int]) -> None:
        """Make exactly these facts the state."""
        self._flip("true", self._now, wanted)
        if self._plan.queries_see_moves:
            self._do(set())
        self._updates[0]()

    def _do(self, chosen: set[int]) -> None:
        """Make exactly these moves, and find the facts of the next state."""
        self._flip("does", self._doing, chosen)
        if self._plan.queries_see_moves:
            self._updates[0]()
        self._updates[1]()

    def _flip(self, name: str, holding: set[int], wanted: set[int] | frozenset[int]) -> None:
        """Make exactly these facts of an input hold, and tell all that they appear in."""
        switch, holds = self._switch[name], self._facts.holds
        changed = holding ^ wanted
        holding ^= changed
        for fact in changed:
            holds[fact] = now = 1 - holds[fact]
            switch[fact][now](fact)

    def _read_goals(self) -> Goals:
        return [min(values) if len(values) == 1 else None for values in self._find_goals()]

    def _find_goals(self) -> list[set[int]]:
        """Return what each role may get: numbers alone, equal ones once, as circuits have it."""
        self._updates[2]()
        found: list[set[int]] = [set() for _ in range(len(self.roles) + 1)]
        for fact in self._goals:
            role, value = self._goal_of[fact]
            if value is not None:
                found[role].add(value)
        return found[:-1]

    def _role_number(self, role: Term) -> int:
        return self.roles.index(role) if role in self.roles else -1

    def _work_out_goal(self, fact: int) -> tuple[int, int | None]:
        role, value = arguments(self._facts.terms[fact])
        return self._role_number(role), goal_of(value)

    def _work_out_move(self, fact: int) -> tuple[set[int], int]:
        role, move = arguments(self._facts.terms[fact])
        return self._names["moves_of"][role], self._facts.number(("does", role, move))

    # --- writing the program and its tables

    def _emit(self) -> str:
        plan, names, facts = self._plan, self._names, self._facts
        emitter = Emitter(plan)
        source = emitter.text()
        names.update({name: set() for name in ("now", "doing", "future", "dirty", *_READ)})
        names.update(n=facts.counts, on=facts.holds)
        names.update(most_facts=MOST_FACTS, too_many=_too_many)
        names.update(
            move_of=Memo(self._work_out_move),
            moves_of=Memo(lambda role: self._moves[self._role_number(role)]),
            true_of=Memo(lambda fact: facts.number(("true", arguments(facts.terms[fact])[0]))),
        )
        Wiring(emitter, facts, names).run()
        exec(compile(source, "<forward chaining>", "exec"), names)  # noqa: S102  # numbers only
        for name in INPUTS:
            self._switch[name] = Memo(partial(self._switches_of, name, emitter.classes[name]))
        for component in set(emitter.component.values()):
            for verb in ("on", "off"):
                names[f"{verb}_of{component}"] = Memo(partial(self._function_of, verb))
        return source

    def _function_of(self, verb: str, fact: int) -> Any:
        """Return the function to call when a fact of a circular relation changes."""
        return self._names[verb + str(self._names["relation_of"][fact])]

    def _switches_of(self, name: str, classes: list[Term], fact: int) -> tuple[Any, Any]:
        """Return the functions to call when a fact of an input becomes false, and true."""
        function = function_of(self._facts.terms[fact])
        label = f"_{name}{classes.index(function) if function in classes else len(classes)}"
        return self._names["off" + label], self._names["on" + label]


def _too_many() -> None:
    raise LimitReached(f"the rules make more than {MOST_FACTS:,} facts")
