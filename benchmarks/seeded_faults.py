"""Faults put into sound rulesheets by program, and how many of them `trellis gdl check` finds.

    python benchmarks/seeded_faults.py [FOLDER] [--play] [--each 6] [--missed]

A fault is found where an error or a warning is at its line, or names that line.  Kinds that only
play can show are tried with `--play`, which takes longer.  Without a folder the sheets are the ones
that come with Trellis.
"""

import argparse
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import trellis.gdl
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.checking.suspect import suspect
from trellis.gdl.language.kif import Form, Reading, read, to_term, write_form
from trellis.gdl.language.mini import operator, split_statement
from trellis.gdl.language.terms import KEYWORDS, Finding, name_of
from trellis.gdl.sheet import Sheet

OWN = Path(trellis.gdl.__file__).parent / "sheets"


class Fault(NamedTuple):
    """A sheet with one fault: its text, the lines of the statement that has it, what was done."""

    text: str
    first: int
    last: int
    done: str


# --- places in a sheet


def words(form: Form) -> Iterator[Form]:
    """Yield the words of a form, from left to right."""
    work = [form]
    while work:
        here = work.pop()
        if isinstance(here.value, str):
            yield here
        else:
            work += reversed(here.value)


def offset(text: str, form: Form) -> int:
    """Return where a form begins in a text."""
    at = 0
    for _ in range(form.line - 1):
        at = text.index("\n", at) + 1
    return at + form.column - 1


def end_of(text: str, form: Form) -> int:
    """Return where a form ends."""
    at = offset(text, form)
    if isinstance(form.value, str):
        return at + len(form.value)
    last = end_of(text, form.value[-1])
    return text.index(")", last) + 1


def replaced(text: str, form: Form, new: str, statement: Form, done: str) -> Fault:
    """Put something else in the place of a form."""
    begin, end = offset(text, form), end_of(text, form)
    last = statement.line + text[offset(text, statement) : end_of(text, statement)].count("\n")
    changed = text[:begin] + new + text[end:]
    return Fault(changed, statement.line, last, f"{statement.line}: {done}")


def bodies(reading: Reading) -> Iterator[tuple[Form, Form]]:
    """Yield the sentences of bodies, each with its statement."""
    for statement in reading.forms:
        work = list(split_statement(statement)[1])
        while work:
            form = work.pop(0)
            name, parts = operator(form)
            if name in ("and", "or", "not"):
                work += parts
            else:
                yield statement, form


# --- kinds of faults


def parenthesis_lost(text: str, reading: Reading) -> Iterator[Fault]:
    """Leave out the last parenthesis of a statement."""
    for form in reading.forms:
        end = end_of(text, form)
        last = form.line + text[offset(text, form) : end].count("\n")
        yield Fault(text[: end - 1] + text[end:], form.line, last, f"{form.line}: lost )")


def parenthesis_added(text: str, reading: Reading) -> Iterator[Fault]:
    """Close the head of a rule twice."""
    for form in reading.forms:
        head, body = split_statement(form)
        if body and isinstance(head.value, tuple):
            end = end_of(text, head)
            last = form.line + text[offset(text, form) : end_of(text, form)].count("\n")
            yield Fault(text[:end] + ")" + text[end:], form.line, last, f"{form.line}: more )")


def variable_misspelt(text: str, reading: Reading) -> Iterator[Fault]:
    """Write one of several occurrences of a variable with its last letter doubled."""
    for form in reading.forms:
        found = [word for word in words(form) if str(word.value)[:1] == "?"]
        counts = Counter(word.value for word in found)
        for word in found:
            if counts[word.value] > 1:
                new = str(word.value) + str(word.value)[-1]
                yield replaced(text, word, new, form, f"{word.value} -> {new}")


def name_misspelt(text: str, reading: Reading) -> Iterator[Fault]:
    """Misspell the name of a thing in a body."""
    for statement, form in bodies(reading):
        if operator(form)[0] or isinstance(form.value, str):
            continue
        for part in form.value[1:]:
            inside = list(part.value[1:]) if isinstance(part.value, tuple) else [part]
            for word in inside:
                if isinstance(word.value, str) and word.value[:1] != "?":
                    new = word.value + word.value[-1] * 2 + "z"
                    yield replaced(text, word, new, statement, f"{word.value} -> {new}")


def relation_misspelt(text: str, reading: Reading) -> Iterator[Fault]:
    """Misspell a relation in a body."""
    for statement, form in bodies(reading):
        if operator(form)[0]:
            continue
        word = form if isinstance(form.value, str) else form.value[0]
        if isinstance(word.value, str) and word.value not in KEYWORDS:
            new = word.value + word.value[-1]
            yield replaced(text, word, new, statement, f"{word.value} -> {new}")


def function_misspelt(text: str, reading: Reading) -> Iterator[Fault]:
    """Misspell a fact of the state or a move in a body."""
    for statement, form in bodies(reading):
        if isinstance(form.value, tuple) and form.value[0].value in ("true", "does"):
            part = form.value[-1]
            word = part.value[0] if isinstance(part.value, tuple) else part
            if isinstance(word.value, str) and word.value[:1] != "?":
                new = word.value + word.value[-1]
                yield replaced(text, word, new, statement, f"{word.value} -> {new}")


def statement_twice(text: str, reading: Reading) -> Iterator[Fault]:
    """Write a rule again, at the end."""
    for form in reading.forms:
        if split_statement(form)[1]:
            line = text.count("\n") + 1 + (not text.endswith("\n"))
            again = write_form(form, reading.spellings)
            changed = text + ("" if text.endswith("\n") else "\n") + again + "\n"
            yield Fault(changed, line, line, f"{form.line} again")


def comparison_with_itself(text: str, reading: Reading) -> Iterator[Fault]:
    """Compare something with itself."""
    for statement, form in bodies(reading):
        if operator(form)[0] == "distinct" and isinstance(form.value, tuple):
            left, right = form.value[1:]
            new = write_form(left, reading.spellings)
            yield replaced(text, right, new, statement, f"distinct {new} {new}")


def row_interrupted(text: str, reading: Reading) -> Iterator[Fault]:
    """Leave out a fact in the middle of a row of numbers."""
    rows: dict[str, list[Form]] = {}
    for form in reading.forms:
        term = to_term(form)
        if isinstance(term, tuple) and len(term) == 3 and not split_statement(form)[1]:
            if all(isinstance(part, str) and part.isdecimal() for part in term[1:]):
                left, right = (int(str(part)) for part in term[1:])
                if right - left == 1:
                    rows.setdefault(name_of(term), []).append(form)
    for facts in rows.values():
        for before, form in itertools.pairwise(facts[:-1]):
            fault = replaced(text, form, "", form, f"without {write_form(form, {})}")
            yield fault._replace(first=before.line)


def frame_axiom_lost(text: str, reading: Reading) -> Iterator[Fault]:
    """Leave out a rule that keeps what is true."""
    for form in reading.forms:
        head, body = split_statement(form)
        if not isinstance(head.value, tuple) or head.value[0].value != "next":
            continue
        kept = write_form(head.value[1], {})
        if any(
            isinstance(part.value, tuple)
            and part.value[0].value == "true"
            and write_form(part.value[1], {}) == kept
            for part in body
        ):
            fault = replaced(text, form, "", form, f"no frame axiom for {kept}")
            yield fault._replace(first=1, last=text.count("\n") + 1)


def rules_of(reading: Reading, name: str) -> Iterator[tuple[Form, Form]]:
    """Yield the rules of a relation, each with its head."""
    for form in reading.forms:
        head, body = split_statement(form)
        if body and head.parts and head.name == name:
            yield form, head


def left_out(text: str, form: Form, head: Form) -> Fault:
    """Leave a rule out; wherever that is told, it is found."""
    fault = replaced(text, form, "", form, f"no {write_form(head, {})}")
    return fault._replace(first=1, last=text.count("\n") + 1)


def legal_rule_lost(text: str, reading: Reading) -> Iterator[Fault]:
    """Leave out a rule of a move that is not marked by arguments, such as noop."""
    for form, head in rules_of(reading, "legal"):
        if isinstance(head.parts[1].value, str):
            yield left_out(text, form, head)


def goal_rule_lost(text: str, reading: Reading) -> Iterator[Fault]:
    """Leave out a rule of goals."""
    for form, head in rules_of(reading, "goal"):
        yield left_out(text, form, head)


def goal_added(text: str, reading: Reading) -> Iterator[Fault]:
    """Give a role a goal that it has in any case."""
    line = text.count("\n") + 1
    for form in reading.forms:
        if isinstance(form.value, tuple) and form.value[0].value == "role":
            role = write_form(form.value[1], {})
            if role != "random":
                yield Fault(f"{text}(goal {role} 77)\n", 1, line, f"goal 77 for {role}")


IN_TEXT: dict[str, Callable[[str, Reading], Iterator[Fault]]] = {
    "parenthesis lost": parenthesis_lost,
    "parenthesis added": parenthesis_added,
    "variable misspelt": variable_misspelt,
    "name misspelt": name_misspelt,
    "relation misspelt": relation_misspelt,
    "fact or move misspelt": function_misspelt,
    "rule twice": statement_twice,
    "comparison with itself": comparison_with_itself,
    "row interrupted": row_interrupted,
}
IN_PLAY: dict[str, Callable[[str, Reading], Iterator[Fault]]] = {
    "frame axiom lost": frame_axiom_lost,
    "legal rule lost": legal_rule_lost,
    "goal rule lost": goal_rule_lost,
    "goal added": goal_added,
}
SAID_IN_PLAY = {  # what must be said of it
    "frame axiom lost": "frame axiom",
    "legal rule lost": "legal move",
    "goal rule lost": "goal",
    "goal added": "goals at the end",
}


def findings(fault: Fault, play: bool) -> list[Finding]:
    """Return the errors and warnings of a sheet."""
    sheet = Sheet(fault.text)
    found = list(sheet.findings)
    if not any(finding.fatal for finding in found):
        found += suspect(sheet.reading)
        found += check_by_play(sheet) if play else []
    return [finding for finding in found if finding.kind != "note"]


def is_found(fault: Fault, found: list[Finding]) -> bool:
    """Tell whether some finding is at the fault, or names its line."""
    return any(
        fault.first <= finding.line <= fault.last or _names(finding, fault) for finding in found
    )


def _names(finding: Finding, fault: Fault) -> bool:
    named = re.findall(r"\b(\d+):\d+", finding.message)
    return any(fault.first <= int(line) <= fault.last for line in named)


def main() -> None:
    """Read the command line, put in faults, and count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=OWN)
    parser.add_argument("--play", action="store_true", help="faults that only play shows")
    parser.add_argument("--each", type=int, default=6, help="faults of a kind in a sheet, at most")
    parser.add_argument("--missed", action="store_true", help="list those that are not found")
    options = parser.parse_args()
    kinds = IN_PLAY if options.play else IN_TEXT
    for kind, make in kinds.items():
        dice, tried, hit, single = Random(0), 0, 0, 0
        missed: list[str] = []
        for path in sorted(options.folder.glob("*.kif")):
            text = path.read_text(encoding="utf-8", errors="replace")
            faults = list(make(text, read(text)))
            for fault in dice.sample(faults, min(options.each, len(faults))):
                found = findings(fault, options.play)
                good = is_found(fault, found)
                if options.play:
                    good = any(SAID_IN_PLAY[kind] in finding.message for finding in found)
                tried, hit, single = tried + 1, hit + good, single + (good and len(found) == 1)
                missed += [] if good else [f"{path.name} {fault.done}"]
        print(
            f"{kind:24} {hit:4} of {tried:4} found, {single:4} with one finding alone", flush=True
        )
        if options.missed:
            print(*(f"    {line}" for line in missed), sep="\n")


if __name__ == "__main__":
    main()
