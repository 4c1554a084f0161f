"""Every stage of the compiler as lines of text, for people."""

from collections.abc import Callable, Iterable, Iterator

from trellis.game.errors import BadParameter, shorten
from trellis.gdl.circuit.build import Circuit
from trellis.gdl.grounding.clingo import GroundProgram
from trellis.gdl.language.inverted import describe, invert
from trellis.gdl.language.kif import write_form, write_literal
from trellis.gdl.language.terms import Rule, Term
from trellis.gdl.sheet import Sheet

STAGES = ("parsed", "mini", "normal", "inverted", "code", "ground", "circuit")

_NOT_RUN = "; for people to look at: neither the circuit nor forward chaining runs these rules"

Write = Callable[[Term], str]


def show(sheet: Sheet, stage: str, strategy: str = "elimination") -> Iterator[str]:
    """Yield the lines of a stage; `strategy` decides how rules are split."""
    read = sheet.reading
    stages: dict[str, Callable[[], Iterable[str]]] = {
        "parsed": lambda: (write_form(form, read.spellings) for form in read.forms),
        "mini": lambda: _rules(sheet.rules, sheet.write),
        "normal": lambda: [_NOT_RUN, *_rules(sheet.normal(strategy), sheet.write)],
        "inverted": lambda: [_NOT_RUN, *describe(invert(sheet.normal(strategy)), sheet.write)],
        "code": lambda: iter(sheet.forward.source.splitlines()),
        "ground": lambda: _ground(sheet.ground, sheet.write),
        "circuit": lambda: _circuit(sheet.circuit, sheet),
    }
    if stage not in STAGES:
        raise BadParameter(f"bad stage {shorten(stage)}: expected {', '.join(STAGES)}")
    return iter(stages[stage]())


# --- rules


def _rules(rules: Iterable[Rule], text: Write) -> Iterator[str]:
    return (rule_text(rule, text) for rule in rules)


def rule_text(rule: Rule, text: Write) -> str:
    """Write a rule."""
    if not rule.body:
        return text(rule.head)
    return f"(<= {text(rule.head)} {' '.join(write_literal(each, text) for each in rule.body)})"


# --- ground rules


def _ground(program: GroundProgram, text: Write) -> Iterator[str]:
    """Write ground rules; atoms that mean nothing outside are called #1, #2 and so on."""
    names: dict[int, str] = {}
    for term, atom in program.atoms.items():
        names.setdefault(atom, text(term))

    def name(atom: int) -> str:
        known = names.get(abs(atom)) or f"#{abs(atom)}"
        return known if atom > 0 else f"(not {known})"

    yield f"; {len(program.facts):,} facts"
    for fact in program.facts:
        yield text(fact)
    yield f"; {len(program.inputs):,} atoms of states and moves, open"
    for atom in program.inputs:
        yield f"(open {name(atom)})"
    yield f"; {len(program.rules):,} rules"
    for head, body in program.rules:
        yield f"(<= {name(head)} {' '.join(map(name, body))})" if body else name(head)


# --- circuits


def _circuit(circuit: Circuit, sheet: Sheet) -> Iterator[str]:
    """Write the gates, and what they mean: `g12 = cell(1,1,b) & ~g7`."""
    names: dict[int, str] = {0: "false"}
    for latch in circuit.latches:
        names[latch.held >> 1] = applied(latch.fact, sheet)
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        for move in moves:
            names[move.does >> 1] = f"does({applied(role, sheet)},{applied(move.term, sheet)})"
    for number, loop in enumerate(circuit.loops):
        for place, atom in enumerate(loop.atoms):
            names[atom >> 1] = f"loop{number}.{place}"

    def literal(given: int) -> str:
        if given < 2:
            return "true" if given else "false"
        known = names.get(given >> 1) or f"g{given >> 1}"
        return f"~{known}" if given & 1 else known

    moves_in_all = sum(map(len, circuit.moves))
    yield (
        f"; {circuit.gates:,} gates, {len(circuit.latches):,} facts, {moves_in_all:,} moves, "
        f"{len(circuit.loops):,} loops"
    )
    for fact in circuit.constant:
        yield f"always {applied(fact, sheet)}"
    for latch in circuit.latches:
        if latch.first:
            yield f"first {applied(latch.fact, sheet)}"
    for node, fan in enumerate(circuit.net.fan):
        if node and fan is not None:
            yield f"g{node} = {' & '.join(map(literal, fan))}"
    for loop in circuit.loops:
        for atom, fed_from in zip(loop.atoms, loop.fed_from, strict=True):
            yield f"again {literal(atom)} = {literal(fed_from)}"
    for latch in circuit.latches:
        yield f"next {applied(latch.fact, sheet)} = {literal(latch.following)}"
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        for move in moves:
            who = applied(role, sheet)
            yield f"legal({who},{applied(move.term, sheet)}) = {literal(move.legal)}"
    for role, goals in zip(circuit.roles, circuit.goals, strict=True):
        for value, given in goals:
            yield f"goal({applied(role, sheet)},{value}) = {literal(given)}"
    yield f"terminal = {literal(circuit.terminal)}"


def applied(term: Term, sheet: Sheet) -> str:
    """Write a term without blanks: `cell(1,1,b)`."""
    if isinstance(term, str):
        return sheet.write(term)
    inside = ",".join(applied(part, sheet) for part in term[1:])
    return f"{applied(term[0], sheet)}({inside})"
