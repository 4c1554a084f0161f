"""What can be said of a game from its sheet: proven where it is, else seen in random play."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from trellis.game.errors import LimitReached
from trellis.gdl.checking.witness import Moment, random_play
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.circuit.step_counters import Counter, step_counters
from trellis.gdl.evaluators.machine import CircuitMachine
from trellis.gdl.forward.machine import ForwardMachine
from trellis.gdl.grounding.time_limit import time_limit
from trellis.gdl.language.terms import Term
from trellis.gdl.proving.facts import NAMES, NOTHING, OBSERVED, REFUTED, UNKNOWN, Fact, Facts, Play
from trellis.gdl.proving.prover import SECONDS, prove
from trellis.gdl.proving.replaying import replay_refutation
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey
from trellis.gdl.tools.board_text import Board, Picture

STEPS = 20_000
LONGEST = 1_000
_LOOKED_AT = 300  # steps of forward chaining
SHOWN_STEPS = 12  # of a play, in words


@dataclass
class SheetFacts:
    """Facts about a game; `games` and `steps` say how much random play they were seen in."""

    roles: list[str]
    random: bool
    games: int = 0
    steps: int = 0
    unended: int = 0  # games that were stopped after so many steps
    known: Facts = field(default_factory=Facts)  # proven, observed, refuted or unknown
    sums: tuple[float, float] | None = None  # least and greatest sum of the players' goals
    same_moves: list[list[str]] = field(default_factory=list)  # roles whose moves are the same
    moves: dict[str, int] = field(default_factory=dict)  # how many each role has in all
    counters: list[Counter] | None = None  # None where there is no circuit to prove them on
    picture: Picture | None = None
    first: frozenset[Term] = frozenset()  # the facts of the first state
    reason: str = ""  # why there is no circuit

    @property
    def players(self) -> int:
        """Count the roles that people play."""
        return len(self.roles) - self.random

    @property
    def boards(self) -> list[Board]:
        """Return the relations that look like boards."""
        return self.picture.boards if self.picture else []

    @property
    def simultaneous(self) -> bool:
        """Tell whether a play is known after which several players have a choice at once."""
        return self.known.turn_taking.refuted


def facts_of(
    sheet: Sheet, seed: int = 0, steps: int = STEPS, seconds: float = SECONDS
) -> SheetFacts:
    """Find out what can be said of a game; proofs take so many seconds at most."""
    try:
        circuit = sheet.circuit
    except LimitReached as limit:
        return _by_forward_chaining(sheet, str(limit), seed)
    tables = lay_out(circuit)
    found = SheetFacts(list(circuit.roles), RANDOM in circuit.roles)
    if all(circuit.moves):
        seen = survey(tables, seed, steps, LONGEST)
        found.games, found.steps, found.unended = seen.games, seen.steps, seen.unended
        found.sums = seen.sum_of_goals
    found.known = _confirmed(sheet, prove(circuit, seconds=seconds))
    _compare_moves(found, [frozenset(move.term for move in moves) for moves in circuit.moves])
    found.counters = step_counters(circuit)
    found.first = CircuitMachine(circuit, tables).initial()
    universe = [*(latch.fact for latch in circuit.latches), *circuit.constant]
    found.picture = Picture(universe, found.first, sheet.write)
    return found


def _confirmed(sheet: Sheet, known: Facts) -> Facts:
    """Replay what refutes a fact by forward chaining, where the sheet can be played so."""
    for name in NAMES:
        fact: Fact = getattr(known, name)
        agrees = True
        if fact.play is not None:
            with suppress(LimitReached), time_limit(sheet.limits.seconds, "forward chaining"):
                agrees = replay_refutation(sheet.forward, name, fact, sheet.circuit)
        if not agrees:
            how = "evaluators disagree on a play that would refute it"
            changed: dict[str, Any] = {name: Fact(None, UNKNOWN, how=how)}
            known = replace(known, **changed)
    return known


def _compare_moves(found: SheetFacts, terms: list[frozenset[Term]]) -> None:
    """Group the roles by what they may ever do."""
    by_moves: dict[frozenset[Term], list[str]] = {}
    for role, moves in zip(found.roles, terms, strict=True):
        found.moves[role] = len(moves)
        if role != RANDOM:
            by_moves.setdefault(moves, []).append(role)
    found.same_moves = [roles for roles in by_moves.values() if len(roles) > 1]


def _by_forward_chaining(sheet: Sheet, reason: str, seed: int) -> SheetFacts:
    """Look at some random games where there is no circuit."""
    machine = sheet.forward
    roles = [str(role) for role in machine.roles]
    found = SheetFacts(roles, RANDOM in roles, reason=reason)
    looking = _Looking(machine, found)
    for moment in random_play(machine, seed, LONGEST):
        if not looking.goes_on(moment):
            break
    if looking.sums:
        found.sums = (min(looking.sums), max(looking.sums))
    found.known = looking.known()
    _compare_moves(found, [frozenset(each) for each in looking.moves])
    found.first = machine.initial()
    found.picture = Picture(None, found.first, sheet.write)
    return found


class _Looking:
    """Random games by forward chaining, and what they refute."""

    def __init__(self, machine: ForwardMachine, found: SheetFacts) -> None:
        self.machine, self.found = machine, found
        self.moves: list[set[Term]] = [set() for _ in found.roles]
        self.sums: dict[float, Play] = {}
        self.refuted: dict[str, Play] = {}
        self.longest = 0

    def goes_on(self, moment: Moment) -> bool:
        """Look at a state; tell whether to play on: not after a game that came to no end."""
        found, play = self.found, tuple(moment.line)
        found.steps += moment.before is not None
        if moment.legal is None:
            found.games += 1
            self.longest = max(self.longest, len(play))
            self._pay(self.machine.goals(moment.state), play)
            return found.steps < _LOOKED_AT
        if not all(moment.legal):
            self.refuted.setdefault("always_a_move", play)
            return False
        choosing = 0
        for role, known, those in zip(found.roles, self.moves, moment.legal, strict=True):
            known.update(those)
            choosing += len(those) > 1 and role != RANDOM
        if choosing > 1:
            self.refuted.setdefault("turn_taking", play)
        found.unended += len(play) == LONGEST
        return len(play) < LONGEST

    def _pay(self, goals: list[int | None], play: Play) -> None:
        """Note what the players of a game got."""
        paid = [goal for role, goal in zip(self.found.roles, goals, strict=True) if role != RANDOM]
        if None in paid:
            self.refuted.setdefault("one_goal", play)
        self.sums.setdefault(float(sum(goal or 0 for goal in paid)), play)

    def known(self) -> Facts:
        """Say what was seen: nothing is proven without a circuit."""
        found = self.found
        how = f"{found.games:,} random games, {found.steps:,} steps"
        facts: dict[str, Any] = {}
        for name in ("turn_taking", "always_a_move", "one_goal"):
            seen = found.games if name == "one_goal" else found.steps
            facts[name] = Fact(True, OBSERVED, how=how) if seen else NOTHING
            if name in self.refuted:
                facts[name] = Fact(False, REFUTED, self.refuted[name], "random play")
        if self.sums and found.players > 1:
            (total, first), *rest = self.sums.items()
            facts["constant_sum"] = Fact(total, OBSERVED, how=how)
            if rest:
                facts["constant_sum"] = Fact(None, REFUTED, rest[0][1], "random play", first)
        if found.games and not found.unended:
            facts["max_steps"] = Fact(self.longest, OBSERVED, how=how)
        return Facts(**facts)


def describe(found: SheetFacts, sheet: Sheet) -> list[str]:
    """Say it in words."""
    write = sheet.write
    names = [write(role) for role in found.roles if role != RANDOM]
    count = "one player" if found.players == 1 else f"{found.players} players"
    chance = ", and chance (the role random)" if found.random else ""
    lines = [f"players: {count}: {', '.join(names)}{chance}"]
    if found.reason:
        lines.append(f"evaluator: forward chaining, since {found.reason}")
    lines += _describe_known(found, sheet)
    if found.unended:
        lines.append(f"length: {found.unended:,} random games not over after {LONGEST:,} steps")
    counts = ", ".join(f"{write(role)} {count:,}" for role, count in found.moves.items())
    lines.append(f"moves: {counts}")
    lines += [
        "symmetric moves: " + " and ".join(map(write, roles)) + " have the same moves"
        for roles in found.same_moves
    ]
    if found.counters is None:
        lines.append("step counters: not looked for without a circuit")
    for counter in found.counters or ():
        first, last = (write(counter.facts[place]) for place in (0, -1))
        use = ", ".join(counter.feeds) or "nothing"
        lines.append(
            f"step counter: {first} to {last}, whatever is played (proven); looked at by {use}"
        )
    for board in found.boards:
        pieces = ", ".join(" ".join(map(write, piece)) for piece in board.signs)
        lines.append(
            f"board: {write(board.name)}, {len(board.columns)} by {len(board.rows)}, "
            f"{len(board.cells)} squares, pieces {pieces}"
        )
    return lines


def _describe_known(found: SheetFacts, sheet: Sheet) -> list[str]:
    """Say what is proven, observed, refuted or unknown."""
    known = found.known
    total, most = known.constant_sum, known.max_steps
    sums = "the players' payoffs do not always add up to the same"
    if total.play is None and total.value is not None:
        sums = f"payoffs add up to {total.value:g}"
    length = "games may go on for ever: this play comes back to a position"
    if most.status == OBSERVED:
        length = f"games of up to {most.value:,} steps"
    elif most.proven and most.value is None:
        length = "no game goes on for ever"
    elif most.proven:
        length = f"every game is over after at most {most.value:,} steps"
    several = [
        ("turns", known.turn_taking,
         "one player chooses at a time", "several players choose at once"),
        ("sum of goals", total, sums, sums),
    ]  # fmt: skip
    rows = [
        *(several if found.players > 1 else ()),
        ("moves at hand", known.always_a_move,
         "every role always has a legal move", "a role has no legal move"),
        ("goals", known.one_goal,
         "every player has exactly one goal at the end", "a player has no goal, or several"),
        ("length", most, length, length),
    ]  # fmt: skip
    lines = []
    for label, fact, holds, fails in rows:
        if fact.status == UNKNOWN:
            lines.append(f"{label}: unknown" + (f" ({fact.how})" if fact.how else ""))
        elif fact.refuted:
            lines.append(f"{label}: {fails} (refuted: {fact.how}) {in_words(fact.play, sheet)}")
        else:
            doubt = "" if fact.proven else "; not proven"
            lines.append(f"{label}: {holds} ({fact.status}: {fact.how}{doubt})")
    return lines


def in_words(play: Play | None, sheet: Sheet) -> str:
    """Write a play, if it is not too long."""
    if not play:
        return "at the start"
    shown = [" ".join(map(sheet.write, joint)) for joint in play[:SHOWN_STEPS]]
    more = len(play) - len(shown)
    return "after " + ", ".join(shown) + (f" and {more} more steps (--json has all)" * (more > 0))


def first_picture(found: SheetFacts) -> str:
    """Draw the first state."""
    return found.picture.draw(found.first) if found.picture else ""


def as_json(found: SheetFacts, sheet: Sheet) -> dict[str, Any]:
    """Return the same for programs."""
    write = sheet.write
    return {
        "roles": [write(role) for role in found.roles],
        "players": found.players,
        "chance": found.random,
        "one_player": found.players == 1,
        "simultaneous": found.simultaneous,
        **found.known.as_json(write),
        "prover_seconds": round(found.known.seconds, 3),
        "sum_of_goals": list(found.sums) if found.sums else None,
        "random_games": found.games,
        "random_steps": found.steps,
        "moves": {write(role): count for role, count in found.moves.items()},
        "symmetric_moves": [[write(role) for role in roles] for roles in found.same_moves],
        "step_counters": None
        if found.counters is None
        else [
            {"facts": [write(fact) for fact in each.facts], "feeds": list(each.feeds)}
            for each in found.counters
        ],
        "boards": [
            {
                "relation": write(board.name),
                "columns": [write(each) for each in board.columns],
                "rows": [write(each) for each in board.rows],
                "pieces": [" ".join(map(write, each)) for each in board.signs],
            }
            for board in found.boards
        ],
    }
