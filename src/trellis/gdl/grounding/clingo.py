"""Grounding: from rules with variables to propositions, by clingo in a process of its own.

Every state a play could reach is covered: what `next` can derive may be true, what is legal may be
done.  The sheet's names never reach clingo, only numbers do; and a process can be stopped when
grounding explodes, which a call cannot.
"""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from trellis.game.errors import LimitReached
from trellis.gdl.language.normal import close
from trellis.gdl.language.terms import ARITIES, Literal, Rule, Term, name_of

_SHOWN = ("true", "does", "next", "legal", "goal", "terminal", "role", "init")


class Limits(NamedTuple):
    """What grounding may cost."""

    seconds: float = 60.0
    mebibytes: int = 3000
    rules: int = 2_500_000


class GroundRule(NamedTuple):
    """Atoms are numbers from 1; in a body a negative number is a negated atom."""

    head: int
    body: tuple[int, ...]


@dataclass
class GroundProgram:
    """Propositional rules; `atoms` names those that mean something outside."""

    rules: list[GroundRule] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)  # atoms of `true` and `does`
    atoms: dict[Term, int] = field(default_factory=dict)  # (true ...), (does ...), ... by term
    facts: dict[Term, None] = field(default_factory=dict)  # those that always hold
    seconds: float = 0.0


# Runs in the process: nothing of the caller's environment, memory bounded, no network, no files.
_RUNNER = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
except (ImportError, ValueError, OSError):
    pass
from clingo.application import Application, clingo_main
class Plain(Application):
    program_name = "ground"
    message_limit = 1
sys.exit(clingo_main(Plain(), ["--mode=gringo", "--warn=none", sys.argv[2]]))
"""


def ground(rules: Iterable[Rule], limits: Limits | None = None) -> GroundProgram:
    """Ground rules; raises `LimitReached` where that takes too much of anything."""
    limits = limits or Limits()
    began = time.perf_counter()
    names = _Names()
    program = GroundProgram()
    with tempfile.NamedTemporaryFile("w", suffix=".lp", encoding="ascii") as source:
        for line in _translate(rules, names):
            source.write(line)
        source.flush()
        command = [sys.executable, "-I", "-c", _RUNNER, str(limits.mebibytes), source.name]
        with subprocess.Popen(  # noqa: S603 - our own interpreter, our own text
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        ) as process:
            timer = threading.Timer(limits.seconds, process.kill)
            timer.start()
            try:
                ended = _read(process.stdout or (), program, names, limits)
            finally:
                timer.cancel()
                process.kill()
    program.seconds = time.perf_counter() - began
    if not ended:
        if program.seconds >= limits.seconds:
            raise LimitReached(f"grounding took more than {limits.seconds:g} seconds")
        raise LimitReached(f"grounding needed more than {limits.mebibytes} MiB of memory")
    return program


class _Names:
    """Numbers for names, and back."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.known: dict[str, Term] = {}

    def number(self, name: str) -> int:
        number = self.numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def term(self, term: Term, places: dict[str, str]) -> str:
        if isinstance(term, str):
            if term[:1] == "?":
                return places.setdefault(term, f"V{len(places)}")
            return f"n{self.number(term)}"
        inside = ",".join(self.term(part, places) for part in term[1:])
        return f"n{self.number(name_of(term))}({inside})"

    def read(self, text: str) -> Term:
        """Read a symbol that clingo wrote."""
        found = self.known.get(text)
        if found is None:
            name, _, rest = text.partition("(")
            word = self.names[int(name[1:])]
            found = (word, *map(self.read, _split(rest[:-1]))) if rest else word
            self.known[text] = found
        return found


def _split(text: str) -> Iterator[str]:
    """Split at commas outside parentheses."""
    depth = begin = 0
    for at, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


def _translate(rules: Iterable[Rule], names: _Names) -> Iterator[str]:
    """Write rules as an answer-set program."""
    for rule in close(each for each in rules if each.name not in ("base", "input", "sees")):
        places: dict[str, str] = {}
        body = ",".join(_literal(literal, names, places) for literal in rule.body)
        head = names.term(rule.head, places)
        yield f"{head}:-{body}.\n" if body else f"{head}.\n"
    n = {name: f"n{names.number(name)}" for name in _SHOWN}
    yield f"{{{n['true']}(X)}}:-{n['init']}(X).\n"
    yield f"{{{n['true']}(X)}}:-{n['next']}(X).\n"
    yield f"{{{n['does']}(R,M)}}:-{n['legal']}(R,M),{n['role']}(R).\n"
    for name in _SHOWN:
        yield f"#show {n[name]}/{ARITIES[name]}.\n"


def _literal(literal: Literal, names: _Names, places: dict[str, str]) -> str:
    if literal.name == "distinct" and len(literal.arguments) == 2:
        left, right = (names.term(part, places) for part in literal.arguments)
        return f"{left}!={right}" if literal.positive else f"{left}={right}"
    return ("" if literal.positive else "not ") + names.term(literal.sentence, places)


def _read(lines: Iterable[bytes], program: GroundProgram, names: _Names, limits: Limits) -> bool:
    """Read clingo's ground format; tell whether it came to its end."""
    inputs: dict[int, None] = {}
    rules = program.rules
    facts: list[str] = []
    shown: list[tuple[str, int]] = []
    for line in lines:
        if line[-1:] != b"\n":
            return False  # stopped in the middle
        if line[:6] == b"1 0 1 ":  # most are so: one head, no choice
            words = line.split()
            rules.append(GroundRule(int(words[3]), tuple(map(int, words[6:]))))
            if len(rules) > limits.rules:
                raise LimitReached(f"grounding makes more than {limits.rules:,} rules")
        elif line[:2] == b"1 ":
            numbers = [*map(int, line.split())]
            heads = numbers[3 : 3 + numbers[2]]
            if numbers[1] == 1:
                inputs.update(dict.fromkeys(heads))
        elif line[:2] == b"4 ":
            _, _, text, count, *condition = line.decode("ascii").split()
            if count == "0":
                facts.append(text)
            else:
                shown.append((text, int(condition[0])))
        elif line == b"0\n":
            break
    else:
        return False
    program.inputs = list(inputs)
    program.atoms = {names.read(text): atom for text, atom in shown}
    program.facts = dict.fromkeys(names.read(text) for text in facts)
    return True
