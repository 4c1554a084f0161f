"""What can be said of a game from its sheet: proven where it is, else seen in random play."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from trellis.game.errors import BadParameter, LimitReached
from trellis.gdl.circuit import RANDOM
from trellis.gdl.counters import Counter, step_counters
from trellis.gdl.forward import ForwardMachine
from trellis.gdl.layout import lay_out
from trellis.gdl.machine import CircuitMachine
from trellis.gdl.picture import Board, Picture
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey
from trellis.gdl.terms import Term

STEPS = 20_000
LONGEST = 1_000


@dataclass
class SheetFacts:
    """Facts about a game; `games` and `steps` say how much random play they were seen in."""

    roles: list[str]
    random: bool
    games: int = 0
    steps: int = 0
    unended: int = 0  # games that were stopped after so many steps
    simultaneous: bool = False  # several players had a choice at once
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
    def constant_sum(self) -> float | None:
        """Return what the goals always added up to, if they did, with two players or more."""
        if self.players < 2 or self.sums is None or self.sums[0] != self.sums[1]:
            return None
        return self.sums[0]


def facts_of(sheet: Sheet, seed: int = 0, steps: int = STEPS) -> SheetFacts:
    """Find out what can be said of a game."""
    try:
        circuit = sheet.circuit
    except LimitReached as limit:
        return _by_forward_chaining(sheet, str(limit), seed)
    tables = lay_out(circuit)
    found = SheetFacts(list(circuit.roles), RANDOM in circuit.roles)
    if all(circuit.moves):
        seen = survey(tables, seed, steps, LONGEST)
        found.games, found.steps, found.unended = seen.games, seen.steps, seen.unended
        found.simultaneous, found.sums = seen.together > 0, seen.sum_of_goals
    terms = [frozenset(move.term for move in moves) for moves in circuit.moves]
    _compare_moves(found, terms)
    found.counters = step_counters(circuit)
    found.first = CircuitMachine(circuit, tables).initial()
    universe = [*(latch.fact for latch in circuit.latches), *circuit.constant]
    found.picture = Picture(universe, found.first, sheet.write)
    return found


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
    dice = Random(seed)
    moves: list[set[Term]] = [set() for _ in roles]
    sums: list[float] = []
    while found.steps < 300:
        goals = _random_game(machine, found, moves, dice)
        if goals is None:
            break
        players = zip(roles, goals, strict=True)
        sums.append(float(sum(goal or 0 for role, goal in players if role != RANDOM)))
    if sums:
        found.sums = (min(sums), max(sums))
    _compare_moves(found, [frozenset(each) for each in moves])
    found.first = machine.initial()
    found.picture = Picture(None, found.first, sheet.write)
    return found


def _random_game(
    machine: ForwardMachine, found: SheetFacts, moves: list[set[Term]], dice: Random
) -> list[int | None] | None:
    state = machine.initial()
    for _ in range(LONGEST):
        if machine.terminal(state):
            found.games += 1
            return machine.goals(state)
        legal = machine.legal(state)
        if not all(legal):
            return None
        choosing = 0
        for role, known, those in zip(found.roles, moves, legal, strict=True):
            known.update(those)
            choosing += len(those) > 1 and role != RANDOM
        found.simultaneous |= choosing > 1
        try:
            state = machine.next(state, [dice.choice(those) for those in legal])
        except BadParameter:
            return None
        found.steps += 1
    found.unended += 1
    return None


def describe(found: SheetFacts, sheet: Sheet) -> list[str]:
    """Say it in words."""
    write = sheet.write
    names = [write(role) for role in found.roles if role != RANDOM]
    count = "one player" if found.players == 1 else f"{found.players} players"
    chance = ", and chance (the role random)" if found.random else ""
    seen = f"seen in {found.games:,} random games, {found.steps:,} steps"
    lines = [f"players: {count}: {', '.join(names)}{chance}"]
    if found.reason:
        lines.append(f"evaluator: forward chaining, since {found.reason}")
    if found.players > 1:
        kind = "several players choose at once" if found.simultaneous else "one after the other"
        lines.append(f"turns: {kind} ({seen})")
        total = found.constant_sum
        if total is not None:
            lines.append(f"sum of goals: always {total:g} ({seen}; not proven)")
        elif found.sums is not None:
            lines.append(f"sum of goals: from {found.sums[0]:g} to {found.sums[1]:g} ({seen})")
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
        "turn_taking": not found.simultaneous,
        "constant_sum": found.constant_sum,
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
