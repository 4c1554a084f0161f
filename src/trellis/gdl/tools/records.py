"""Recorded matches: reading them, whoever wrote them.

Two formats.  Lines of JSON, one playout each, plain or packed with gzip: `roles` and `steps` with
`state`, `terminal`, `goals`, `legal` and the `joint` move then made.  And the match JSON of the
general game playing community: `states` and `moves` as text, `goalValues` at the end.  Names are
folded to one letter case, as everywhere.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trellis.game.errors import BadRecord, shorten
from trellis.gdl.language.kif import Form, NoTerm, read, to_term
from trellis.gdl.language.terms import Term

LARGEST = 1 << 28  # characters of one playout
_GZIP = b"\x1f\x8b"


@dataclass
class Step:
    """What a record says of one state; None where it says nothing."""

    state: frozenset[Term] | None = None
    terminal: bool | None = None
    goals: list[int | None] | None = None
    legal: list[frozenset[Term]] | None = None
    joint: list[Term] | None = None


@dataclass
class Playout:
    """One recorded game; `source` tells where it was read."""

    source: str
    roles: list[str] | None = None
    steps: list[Step] = field(default_factory=list)


def read_records(path: str | Path) -> Iterator[Playout]:
    """Yield the playouts of a file; raises `BadRecord` where it cannot be read."""
    path = Path(path)
    name = str(path)
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == _GZIP
            plain.seek(0)
            with gzip.GzipFile(fileobj=plain) if packed else nullcontext(plain) as file:
                yield from _Reader(name).playouts(_lines(file, name))
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise BadRecord(f"cannot read {shorten(name)}: {reason}") from error


def _lines(file: Any, name: str) -> Iterator[str]:
    for number, line in enumerate(iter(lambda: file.readline(LARGEST + 1), b""), 1):
        if len(line) > LARGEST:
            raise BadRecord(f"{name}:{number}: a line of more than {LARGEST:,} characters")
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadRecord(f"{name}:{number}: this is not text in UTF-8") from None


class _Reader:
    """Reads playouts; remembers terms, since the same facts come again and again."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.terms: dict[str, Term] = {}

    def playouts(self, lines: Iterator[str]) -> Iterator[Playout]:
        """Yield the playouts of a text: one on each line, or one object, or a list of them."""
        found = False
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            whole = self.parse(line)
            if whole is None and not found:
                whole = self.parse(_rest(line, lines, self.name), number)
            elif whole is None:
                self.parse(line, number)  # says what is wrong
            for content in whole if isinstance(whole, list) else [whole]:
                found = True
                yield self.playout(content, f"{self.name}:{number}")
        if not found:
            raise BadRecord(f"{self.name}: no playouts; expected lines of JSON or a match")

    def parse(self, text: str, line: int | None = None) -> Any:
        """Parse JSON; None, or an error where the line is given, if it is none."""
        try:
            return json.loads(text)
        except RecursionError:
            raise BadRecord(f"{self.name}: JSON nested too deep") from None
        except ValueError as error:
            if line is None:
                return None
            place = f"{self.name}:{line}"
            if isinstance(error, json.JSONDecodeError):
                place = f"{self.name}:{line + error.lineno - 1}:{error.colno}"
                raise BadRecord(f"{place}: this is not JSON: {error.msg}") from None
            raise BadRecord(f"{place}: this is not JSON: {error}") from None

    def playout(self, content: Any, source: str) -> Playout:
        """Read one playout or match."""
        try:
            if isinstance(content, dict) and "steps" in content:
                return self._steps(content, source)
            if isinstance(content, dict) and "states" in content:
                return self._match(content, source)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise BadRecord(f"{source}: {error}") from None
        raise BadRecord(f"{source}: no record; expected an object with `steps`, or with `states`")

    # --- the two formats

    def _steps(self, content: dict[str, Any], source: str) -> Playout:
        playout = Playout(source, self._roles(content.get("roles")))
        for number, given in enumerate(_list(content["steps"], "steps")):
            where = f"step {number}"
            if not isinstance(given, dict):
                raise TypeError(f"{where} is not an object")
            step = Step()
            if given.get("state") is not None:
                step.state = self._state(given["state"], where)
            if isinstance(given.get("terminal"), bool):
                step.terminal = given["terminal"]
            if given.get("goals") is not None:
                step.goals = [_goal(goal) for goal in _list(given["goals"], f"goals of {where}")]
            if given.get("legal") is not None:
                step.legal = [
                    frozenset(self._term(move) for move in _list(moves, f"legal of {where}"))
                    for moves in _list(given["legal"], f"legal of {where}")
                ]
            if given.get("joint") is not None:
                step.joint = [self._term(move) for move in _list(given["joint"], where)]
            playout.steps.append(step)
        return playout

    def _match(self, content: dict[str, Any], source: str) -> Playout:
        playout = Playout(source, self._roles(content.get("gameRoleNames")))
        states = _list(content["states"], "states")
        moves = _list(content.get("moves", []), "moves")
        if len(moves) > len(states):
            raise ValueError(f"{len(moves)} moves for {len(states)} states")
        for number, state in enumerate(states):
            step = Step(self._state(state, f"state {number}"))
            if number < len(moves):
                made = moves[number]
                step.joint = [self._term(move) for move in _list(made, f"moves {number}")]
                step.terminal = False
            playout.steps.append(step)
        goals = content.get("goalValues")
        if playout.steps and content.get("isCompleted") is True and not content.get("isAborted"):
            playout.steps[-1].terminal = True
            if isinstance(goals, list) and goals:
                playout.steps[-1].goals = [_goal(goal) for goal in goals]
        return playout

    # --- their parts

    def _roles(self, given: Any) -> list[str] | None:
        if given is None:
            return None
        return [str(self._term(role)) for role in _list(given, "roles")]

    def _state(self, given: Any, where: str) -> frozenset[Term]:
        """Read facts: a list of texts, or one text with a list; `(true ...)` around them or not."""
        if isinstance(given, str):
            forms = self._forms(given)
            if len(forms) == 1 and isinstance(forms[0].value, tuple):
                if forms[0].value[0].value != "true":  # else it is a fact without a list around it
                    forms = list(forms[0].value)
            facts = [self._to_term(form) for form in forms]
        else:
            facts = [self._term(fact) for fact in _list(given, where)]
        return frozenset(
            fact[1] if isinstance(fact, tuple) and fact[0] == "true" and len(fact) == 2 else fact
            for fact in facts
        )

    def _term(self, text: Any) -> Term:
        if not isinstance(text, str):
            raise TypeError(f"{shorten(repr(text))} is not text")
        known = self.terms.get(text)
        if known is None:
            forms = self._forms(text)
            if len(forms) != 1:
                raise ValueError(f"expected one term: {shorten(text)}")
            known = self.terms[text] = self._to_term(forms[0])
        return known

    def _forms(self, text: str) -> list[Form]:
        reading = read(text)
        # An empty state is written as ( ), which is not a form.
        if reading.findings and text.split() not in (["()"], ["(", ")"]):
            raise ValueError(f"{reading.findings[0].message}: {shorten(text)}")
        return reading.forms

    def _to_term(self, form: Form) -> Term:
        try:
            return to_term(form)
        except NoTerm as fault:
            raise ValueError(str(fault)) from None


def _rest(line: str, lines: Iterator[str], name: str) -> str:
    """Return all that is left of a text, which must not be too much."""
    text, length = [line], len(line)
    for more in lines:
        text.append(more)
        length += len(more)
        if length > LARGEST:
            raise BadRecord(f"{name}: more than {LARGEST:,} characters in one piece")
    return "".join(text)


def _list(given: Any, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise TypeError(f"{what}: expected a list, found {shorten(repr(given), 30)}")
    return given


def _goal(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, (int, float)) and abs(given) < 1e9 and int(given) == given:
        return int(given)
    raise ValueError(f"{shorten(repr(given))} is not a goal")
