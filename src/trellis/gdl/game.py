"""A rulesheet as a game that every command and search accepts."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import compress
from math import inf
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from trellis._kernel.deadline import LoadBudget
from trellis._kernel.jit import direct
from trellis.game.errors import BadParameter, LimitReached, TrellisError, shorten
from trellis.game.game import Game, Position, Value
from trellis.game.playouts import PlayoutRunner
from trellis.game.python_game import PythonGame
from trellis.game.rules import CHANCE, State, Tables
from trellis.gdl.against_all import SheetAgainstAll
from trellis.gdl.circuit import layout
from trellis.gdl.circuit.build import RANDOM, Circuit
from trellis.gdl.circuit.step_counters import Counter, step_counters
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.forward.machine import ForwardMachine
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.grounding.time_limit import time_limit
from trellis.gdl.language.kif import NoTerm, read, to_term
from trellis.gdl.language.terms import Term, goal_of
from trellis.gdl.load_limit import LOAD_SECONDS, loading, making_a_circuit
from trellis.gdl.options import PROVE_SECONDS
from trellis.gdl.proving import Fact, Facts, prove_once
from trellis.gdl.proving.facts import NAMES
from trellis.gdl.rules import LONGEST_FORCED, MOST_MOVES, MOST_ROLES, arrive_at, rules
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import Survey, survey
from trellis.gdl.tools.board_text import Picture

EVALUATORS = ("auto", "circuit", "event", "lanes", "forward")
PLAYOUTS = ("event", "lanes")
_LONGEST_PATH = 1 << 16  # a bound beyond this is as good as none: searches make room for it
_TRIAL_SECONDS = 0.02  # for each way to play random games
_TRIAL_MOST = 1.0  # where games are so long that none ends in the time above
_FASTER_BY_FAR = 2
STEP_SECONDS = 60.0  # no step of forward chaining may take longer
_FRACTION_TO_PROVE = 0.3  # of what is left of the time for loading, at most


def load_sheet(
    path: str | Path,
    evaluator: str = "auto",
    limits: Limits | None = None,
    parameters: Mapping[str, Value] | None = None,
    *,
    ignore_step: bool = False,
    prove_seconds: float = PROVE_SECONDS,
    seconds: float = LOAD_SECONDS,
) -> Game:
    """Make a game of a rulesheet.

    It is played by a circuit, or by forward chaining where grounding explodes or `evaluator`
    says so; `game.evaluator` tells which, `game.reason` why.  `circuit`
    refuses to fall back, and so do `event` and `lanes`, which also say how the circuit plays
    random games; a short trial decides that otherwise.  All together takes no more than `seconds`;
    most of them are for the circuit, the rest for forward chaining where there is none by then.

    What a search may rely on (players take turns, payoffs add up to a constant, somebody always
    has a move) is proven from the rules, within `prove_seconds`; what is not proven is not relied
    on.  `game.known` tells what is.
    """
    if evaluator not in EVALUATORS:
        raise BadParameter(
            f"bad evaluator {shorten(evaluator)} of a rulesheet: expected {', '.join(EVALUATORS)}"
        )
    budget = LoadBudget(seconds)
    with loading(str(path), budget):
        sheet = Sheet.from_file(path, limits, budget)
        return game_of(
            sheet, evaluator, parameters, ignore_step=ignore_step, prove_seconds=prove_seconds
        )


def game_of(
    sheet: Sheet,
    evaluator: str = "auto",
    parameters: Mapping[str, Value] | None = None,
    *,
    ignore_step: bool = False,
    prove_seconds: float = PROVE_SECONDS,
) -> Game:
    """Make a game of a sheet that was read already."""
    if any(rule.head[0] == "sees" for rule in sheet.rules if isinstance(rule.head, tuple)):
        raise BadParameter(f"{sheet.name}: games of imperfect information (sees) are not playable")
    if not set(sheet.roles) - {RANDOM}:
        raise BadParameter(f"{sheet.name}: the only role is random: nobody could play")
    reason = "asked for"
    if evaluator != "forward":
        try:
            with making_a_circuit(sheet.budget, only=evaluator != "auto"):
                way = evaluator if evaluator in PLAYOUTS else "auto"
                return SheetGame(sheet, parameters, ignore_step, way, prove_seconds)
        except LimitReached as limit:
            if evaluator != "auto":
                raise LimitReached(f"{sheet.name}: {limit}") from None
            reason = str(limit)
    if ignore_step:
        why = "forward chaining was asked for" if evaluator == "forward" else reason
        raise BadParameter(f"{sheet.name}: ignore_step is only proven harmless on a circuit: {why}")
    try:
        return ForwardGame(sheet, reason, parameters)
    except LimitReached as limit:
        raise LimitReached(f"{sheet.name}: {limit}: --ground-limit allows more") from None


def move_text(sheet: Sheet, term: Term) -> str:
    """Write a move without spaces: `mark(1,2)`."""
    if isinstance(term, str):
        return "_".join(sheet.write(term).split()) or "_"
    inside = ",".join(move_text(sheet, part) for part in term[1:])
    return f"{move_text(sheet, term[0])}({inside})"


def printed_move(sheet: Sheet, text: str) -> str:
    """Return a move in prefix form, `(mark 1 2)`, as it is printed; other text as it is."""
    reading = read(text)
    if reading.findings or len(reading.forms) != 1:
        return text
    try:
        return move_text(sheet, to_term(reading.forms[0]))
    except NoTerm:
        return text


class SheetGame(Game):
    """A rulesheet played by its circuit."""

    evaluator = "circuit"
    keeps_states = True
    works_in_tables = True
    reason = ""
    notation = "a move of the rulesheet, as mark(1,2) or (mark 1 2)"

    def __init__(
        self,
        sheet: Sheet,
        parameters: Mapping[str, Value] | None = None,
        ignore_step: bool = False,
        playouts: str = "auto",
        prove_seconds: float = PROVE_SECONDS,
        lanes: int | None = None,
    ) -> None:
        circuit = sheet.circuit
        self.sheet, self.circuit = sheet, circuit
        _refuse_unplayable(sheet, circuit)
        self.name = sheet.name
        with sheet.watched("laying out"):
            tables = layout.lay_out(circuit, lanes)
            self.survey: Survey = survey(tables)
        # Who has no move but one that is made while others choose is not asked.
        idle = self.survey.idle
        tables.ints[tables.ints[layout.IDLE_AT] :][: len(idle)] = idle
        counters = step_counters(circuit)
        if ignore_step:
            _ignore_counters(sheet, tables, counters)
        self.roles = [role for role in circuit.roles if role != RANDOM]
        self.symbols = tuple(sheet.write(role) for role in self.roles)
        self.pieces = ("",) * len(self.roles)  # what is whose, a sheet does not say
        self._names: dict[tuple[int, int], str] = {}
        with sheet.watched("proving what can be relied on"):
            seconds = min(prove_seconds, _FRACTION_TO_PROVE * sheet.budget.left())
            self.known: Facts = prove_once(circuit, seconds=seconds)
        proven = {name for name in NAMES if getattr(self.known, name).proven}
        one_payoff = {"constant_sum", "one_goal"} <= proven and len(self.roles) > 1
        self.open_ends = not (
            {"always_a_move", "one_goal"} <= proven and _is_always_reached(self.known.max_steps)
        )
        simultaneous = len(self.roles) > 1 and "turn_taking" not in proven
        most_moves = max(map(len, circuit.moves))
        super().__init__(
            rules(RANDOM in circuit.roles, simultaneous, self.open_ends),
            tables,
            parameters=parameters,
            players=len(self.roles),
            payoff_range=layout.goal_range(circuit),
            constant_sum=float(self.known.constant_sum.value) if one_payoff else None,
            state_words=int(tables.ints[layout.STATE_WORDS]),
            max_moves=most_moves,
            move_codes=most_moves,
            max_plies=_longest_game(circuit, counters, self.known),
            identity=layout.telling_bits(tables),
        )
        with sheet.watched("trying out"):
            self._choose_playouts(playouts)

    def _choose_playouts(self, asked: str) -> None:
        """Let random games be played one at a time, by events, or in lanes.

        The trial takes a fraction of a second.  Lanes are usual: what is found with a seed should
        not depend on the clock, so events have to be faster by far.
        """
        self.playouts = asked
        if asked == "auto":
            self.playouts = "lanes"
            if self.survey.games and not self.start().is_over:
                lanes = _seconds_per_game(PlayoutRunner(self), 64)
                event = _seconds_per_game(PlayoutRunner(self, own=False), 1)
                if event * _FASTER_BY_FAR < lanes:
                    self.playouts = "event"
        if self.playouts == "event":
            self.rules = self.rules._replace(batch=None)

    def facts(self, state: State) -> frozenset[Term]:
        """Return what is true in a state."""
        words = state[: self.tables.ints[layout.LATCH_WORDS]]
        held = np.unpackbits(words.view(np.uint8), bitorder="little").tolist()
        found = compress((latch.fact for latch in self.circuit.latches), held)
        return frozenset(found).union(self.circuit.constant)

    def machine(self) -> CircuitMachine:
        """Return what plays the same rules step by step over facts."""
        return CircuitMachine(self.circuit, self.own_tables())

    def position_at(self, facts: Iterable[Term]) -> Position:
        """Return the position with some facts, after steps in which nobody has a choice."""
        place, always = self._places, self.circuit.constant
        held = np.zeros(64 * int(self.tables.ints[layout.LATCH_WORDS]), np.uint8)
        held[[place[fact] for fact in facts if fact in place or fact not in always]] = 1
        state = np.zeros(self.state_words, np.uint64)
        words = np.packbits(held, bitorder="little").view(np.uint64)
        state[: len(words)] = words
        direct(arrive_at)(self.tables, state)
        return Position(self, state)

    @cached_property
    def _places(self) -> dict[Term, int]:
        return {latch.fact: i for i, latch in enumerate(self.circuit.latches)}

    def against_all(self, player: int, *, first: bool) -> SheetAgainstAll:
        """Return the game of one role against all the others: the same code on other tables."""
        return SheetAgainstAll(self, player, first=first)

    def move_name(self, state: State, move: int) -> str:
        """Name a move as the sheet does, without spaces."""
        acting = int(state[self.tables.ints[layout.CONTROL_AT]]) & 0xFF
        key = (acting if acting < len(self.circuit.roles) else 0, move)
        if key not in self._names:
            self._names[key] = move_text(self.sheet, self.circuit.moves[key[0]][move].term)
        return self._names[key]

    def board(self, state: State) -> str:
        """Draw what is board-like, list the rest."""
        return self._picture.draw(self.facts(state))

    @cached_property
    def _picture(self) -> Picture:
        latches = self.circuit.latches
        first = [latch.fact for latch in latches if latch.first]
        always = self.circuit.constant
        everything = [*always, *(latch.fact for latch in latches)]
        return Picture(everything, [*always, *first], self.sheet.write)

    def player_name(self, player: int) -> str:
        """Name a role."""
        return self.symbols[player]


def _seconds_per_game(runner: PlayoutRunner, at_once: int) -> float:
    """Play random games for a moment; a game that gets nowhere takes for ever.

    What counts is this thread's own time: with the clock on the wall, a busy machine could make
    either way look slow, and so the choice, and all that is found with a seed, a matter of luck.
    """
    start, games, began = runner.game.start(), 0, thread_time()
    while True:
        try:
            games += runner.run(start, at_once, _TRIAL_MOST).games
        except TrellisError:
            return inf
        took = thread_time() - began
        if took > _TRIAL_SECONDS:
            return took / games if games else inf


def _refuse_unplayable(sheet: Sheet, circuit: Circuit) -> None:
    if len(circuit.roles) > MOST_ROLES:
        raise BadParameter(f"{sheet.name}: {len(circuit.roles)} roles; at most {MOST_ROLES}")
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        if not moves:
            who = shorten(sheet.write(role))
            raise BadParameter(f"{sheet.name}: the role {who} never has a legal move")
        if len(moves) > MOST_MOVES:
            raise LimitReached(f"a role has {len(moves):,} moves; a circuit takes {MOST_MOVES:,}")


def _ignore_counters(sheet: Sheet, tables: Tables, counters: list[Counter]) -> None:
    """Leave counters out of keys; refuse those that anything but themselves looks at."""
    if not counters:
        raise BadParameter(f"{sheet.name}: ignore_step: this sheet has no step counter")
    for counter in counters:
        if counter.feeds:
            raise BadParameter(
                f"{sheet.name}: ignore_step: {shorten(sheet.write(counter.facts[0]))} decides on "
                f"{', '.join(counter.feeds)}: without it, positions of different value would be one"
            )
        layout.leave_out_of_keys(tables, counter.latches)


def _longest_game(circuit: Circuit, counters: list[Counter], known: Facts) -> int | None:
    """Return a proven bound on the length of games, in moves of single roles; else None."""
    over = circuit.terminal
    fan = circuit.net.literals_of(over >> 1) or ()
    ends = {over} | ({literal ^ 1 for literal in fan} if over & 1 else set())
    bounds = [
        len(counter.facts) * len(circuit.roles)
        for counter in counters
        if circuit.latches[counter.latches[-1]].held in ends
    ]
    if known.max_steps.proven and known.max_steps.value is not None:
        bounds.append(int(known.max_steps.value) * len(circuit.roles))
    longest = min(bounds, default=None)
    return longest if longest is None or longest <= _LONGEST_PATH else None


def _is_always_reached(most_steps: Fact) -> bool:
    """Tell whether forced steps are certain to come to a choice, or to an end, that is reached.

    Without an end they may go round for ever; and a game that ends may have so many of them that
    they are given up on the way there.
    """
    return most_steps.proven and most_steps.value is not None and most_steps.value < LONGEST_FORCED


def _written_goals(sheet: Sheet) -> list[int]:
    """List the goals that rules name as numbers; servers accept more than 100."""
    goals = [rule.arguments for rule in sheet.rules if rule.name == "goal" and rule.arguments]
    return [worth for given in goals if (worth := goal_of(given[-1])) is not None]


class _ForwardRules:
    """A machine as the object `PythonGame` wraps."""

    def __init__(self, sheet: Sheet) -> None:
        self.machine = machine = sheet.forward
        self._sheet = sheet
        self._picture = Picture(None, machine.initial(), sheet.write)
        roles = [str(role) for role in machine.roles]
        self._roles = [i for i, role in enumerate(roles) if role != RANDOM]
        self._chance = roles.index(RANDOM) if RANDOM in roles else -1
        self.players = len(self._roles)
        self.payoff_range = (0.0, float(max([100, *_written_goals(sheet)])))
        self.constant_sum = None
        self.simultaneous = True
        self.max_moves = 1 << 14

    def _legal(self, facts: Any) -> list[list[Term]]:
        with time_limit(STEP_SECONDS, "a step of forward chaining"):
            return self.machine.legal(facts)

    def _next(self, facts: Any, joint: list[Any]) -> Any:
        with time_limit(STEP_SECONDS, "a step of forward chaining"):
            return self.machine.next(facts, joint)

    def start(self) -> Any:
        return (self.machine.initial(), None)

    def acting(self, state: Any) -> Any:
        facts, joint = state
        if joint is not None:
            return CHANCE
        if self.machine.terminal(facts):
            return None
        legal = self._legal(facts)
        if not all(legal):
            return None  # play cannot go on: see `bounds`
        choosing = {player for player, role in enumerate(self._roles) if len(legal[role]) != 1}
        return choosing or {0}

    def moves(self, state: Any, player: int | None = None) -> list[Term]:
        facts, _ = state
        role = self._chance if player is None else self._roles[player]
        return self._legal(facts)[role]

    def chances(self, state: Any) -> list[float]:
        count = len(self.moves(state))
        return [1.0 / count] * count

    def play(self, state: Any, move: Any) -> Any:
        facts, joint = state
        if joint is not None:
            made = list(joint)
            made[self._chance] = move
            return (self._next(facts, made), None)
        legal = self._legal(facts)
        made = [moves[0] if moves else None for moves in legal]
        for player, chosen in move.items():
            made[self._roles[player]] = chosen
        if self._chance >= 0 and len(legal[self._chance]) > 1:
            return (facts, tuple(made))
        return (self._next(facts, made), None)

    def payoffs(self, state: Any) -> list[float]:
        goals = self.machine.goals(state[0])
        return [float(goals[role] or 0) for role in self._roles]

    def bounds(self, state: Any) -> list[tuple[float, float]]:
        """Tell what an end pays; without exactly one goal, or where play stopped, nothing."""
        facts, joint = state
        over = joint is None and self.machine.terminal(facts)
        goals = self.machine.goals(facts) if over else [None] * len(self.machine.roles)
        each = [goals[role] for role in self._roles]
        return [self.payoff_range if goal is None else (float(goal),) * 2 for goal in each]

    def move_name(self, state: Any, move: Term) -> str:
        return move_text(self._sheet, move)

    def board(self, state: Any) -> str:
        return self._picture.draw(state[0])


class ForwardGame(PythonGame):
    """A rulesheet played by forward chaining."""

    evaluator = "forward"
    open_ends = True  # nothing is proven of a sheet without a circuit

    def __init__(
        self, sheet: Sheet, reason: str = "", parameters: Mapping[str, Value] | None = None
    ) -> None:
        own = _ForwardRules(sheet)
        super().__init__(own, parameters)
        self.sheet, self.reason = sheet, reason
        self.name = sheet.name
        self.notation = SheetGame.notation
        self.symbols = tuple(sheet.write(role) for role in sheet.forward.roles if role != RANDOM)

    def machine(self) -> ForwardMachine:
        """Return what plays the same rules step by step over facts."""
        return self.sheet.forward

    def position_at(self, facts: Iterable[Term]) -> Position:
        """Return the position with some facts."""
        return self.position_of((frozenset(facts), None))
