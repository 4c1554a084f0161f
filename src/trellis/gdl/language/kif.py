"""Reading and writing the Knowledge Interchange Format.

`read` never stops at the first mistake: it returns all forms it could read and all findings.
Nothing in it calls itself: a sheet with a million open parentheses costs no stack.

Bars quote a name, `|two words|`; in old sheets a bar between sentences means "or", `(a | b)`.  One
with blanks or parentheses on both sides is the latter, and read as the word `or`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from trellis.game.errors import shorten
from trellis.gdl.language.terms import Finding, Literal, Term

DEEPEST = 64  # parentheses inside each other; sheets of people stay under 20
LARGEST = 8_000_000  # characters
MOST_FINDINGS = 100
_MOST_OPEN_QUOTES = 5  # each is looked for to the end of the text

_TOKEN = re.compile(
    r"""(?P<space>[\s\ufeff]+) | (?P<comment>;[^\n]*) | (?P<open>\() | (?P<close>\))
      | (?P<either>(?<![^\s()])\|\|?(?![^\s()])) | (?P<glued>(?<=[^\s();"|])\|)
      | "(?P<string>(?:[^"\\]|\\.)*)" | \|(?P<bar>(?:[^|\\]|\\.)*)\| | (?P<quote>["|])
      | (?P<word>[^\s();"|]+)""",
    re.VERBOSE,
)
_STRANGE = re.compile(r"[\x00-\x08\x0e-\x1f]")
_PLAIN = re.compile(r"[^\s();\"|?][^\s();\"|]*\Z")


_Place = tuple[int, int]  # line and column


class Form(NamedTuple):
    """A word or a list of forms, and where it stands."""

    value: "str | tuple[Form, ...]"
    line: int
    column: int

    @property
    def name(self) -> str:
        """The word, or that at the beginning of a list; empty where there is none."""
        word = self.value if isinstance(self.value, str) else self.value[0].value
        return word if isinstance(word, str) else ""

    @property
    def parts(self) -> "tuple[Form, ...]":
        """What comes after the name; nothing for a word."""
        return () if isinstance(self.value, str) else self.value[1:]


@dataclass
class Reading:
    """What a text was read as."""

    forms: list[Form] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    spellings: dict[str, str] = field(default_factory=dict)  # a name as it was first written
    slips: dict[str, Form] = field(default_factory=dict)  # other spellings of such a name
    unbalanced: bool = False  # parentheses are: what the forms are is a guess

    def complain(self, line: int, column: int, message: str, fatal: bool = True) -> None:
        """Note a finding; only so many are kept."""
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(Finding(line, column, message, fatal))


def read(text: str) -> Reading:
    """Read forms from text."""
    reading = Reading()
    if len(text) > LARGEST:
        reading.complain(1, 1, f"the text has {len(text):,} characters; at most {LARGEST:,}")
        return reading
    strange = _STRANGE.search(text)
    if strange is not None:
        at = strange.start()
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        reading.complain(line, column, f"this is not text: character {ord(text[at])}")
        return reading
    line, line_start = 1, 0
    open_lists: list[tuple[list[Form], int, int]] = []
    starts: list[_Place] = []  # of what is first on its line
    at_start = True
    too_deep = open_quotes = 0
    here = reading.forms
    for match in _TOKEN.finditer(text):  # every character begins some token
        kind, token = match.lastgroup or "", match.group()
        column = match.start() - line_start + 1
        if at_start and kind not in ("space", "comment", "close"):
            starts.append((line, column))
        if kind == "open":
            if len(open_lists) + too_deep >= DEEPEST:
                if too_deep == 0:
                    reading.complain(line, column, f"more than {DEEPEST} open parentheses")
                too_deep += 1
            else:
                open_lists.append((here, line, column))
                here = []
        elif kind == "close":
            if too_deep:
                too_deep -= 1
            elif not open_lists:
                reading.unbalanced = True
                reading.complain(line, column, "')' without '('" + _closed_early(starts))
            else:
                outer, begun, begun_at = open_lists.pop()
                if here:
                    outer.append(Form(tuple(here), begun, begun_at))
                else:
                    reading.complain(begun, begun_at, "nothing between '(' and ')'")
                here = outer
        elif kind == "quote":
            reading.complain(line, column, f"{token} is never closed")
            open_quotes += 1
            if open_quotes > _MOST_OPEN_QUOTES:
                break
        elif kind == "glued":
            reading.complain(line, column, "| inside a word; expected blanks around it")
        elif kind not in ("space", "comment") and not too_deep:
            word = "or" if kind == "either" else match.group(kind)
            if kind in ("string", "bar"):
                word = re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL)
                if word[:1] == "?":
                    word = " " + word  # quoted, it is a name and no variable
            here.append(_word(reading, word, line, column))
        newlines = token.count("\n")
        at_start = newlines > 0 or (at_start and kind in ("space", "comment"))
        if newlines:
            line += newlines
            line_start = match.start() + token.rindex("\n") + 1
    if open_lists:
        reading.unbalanced = True
        for (begun, begun_at), next_one in _never_closed(open_lists, starts):
            hint = f": the next statement begins at {next_one[0]}:{next_one[1]}" if next_one else ""
            reading.complain(begun, begun_at, "'(' is never closed" + hint)
    reading.findings.sort()
    return reading


def _closed_early(starts: list[_Place]) -> str:
    """Say which statement has one ")" too many: the last one that began where statements do."""
    margin = min((column for _, column in starts), default=0)
    line, column = next((each for each in reversed(starts) if each[1] == margin), (0, 0))
    return f": is one too many in the statement at {line}:{column}?" if line else ""


def _never_closed(
    open_lists: list[tuple[list[Form], int, int]], starts: list[_Place]
) -> Iterator[tuple[_Place, _Place | None]]:
    """Yield the open statements, and where the statement after each begins.

    One "(" too many leaves all that follows inside a statement.  Who writes begins statements at
    the margin: so a list that stays open and begins there is one, and what begins there next is
    the next.  Lists inside of it that stay open are the same mistake.
    """
    margin = min(column for _, column in starts) if starts else 1
    left = [(begun, begun_at) for _, begun, begun_at in open_lists]
    statements = [place for place in left if place in starts and place[1] <= margin]
    for place in statements or left[:1]:
        after = [start for start in starts if start > place and start[1] <= margin]
        yield place, min(after, default=None)


def _word(reading: Reading, word: str, line: int, column: int) -> Form:
    folded = word.lower()
    form = Form(folded, line, column)
    if folded[:1] != "?":
        first = reading.spellings.setdefault(folded, word)
        if first != word:
            reading.slips.setdefault(word, form)
    return form


class NoTerm(Exception):
    """A form has no name where a relation or function should be."""

    def __init__(self, form: Form) -> None:
        super().__init__("expected a name after '('")
        self.form = form


def to_term(form: Form) -> Term:
    """Turn a form into a term; `(name)` is the same as `name`."""
    if isinstance(form.value, str):
        return form.value
    name = form.value[0]
    if not isinstance(name.value, str) or name.value[:1] == "?":
        raise NoTerm(name)
    parts = tuple(to_term(part) for part in form.value)
    return parts[0] if len(parts) == 1 else parts


def parts_of(form: Form) -> Iterator[Form]:
    """Yield a form and all that is in it, from left to right."""
    work = [form]
    while work:
        here = work.pop()
        yield here
        if isinstance(here.value, tuple):
            work += reversed(here.value)


def words_of(form: Form) -> Iterator[str]:
    """Yield all words of a form, from left to right."""
    return (part.value for part in parts_of(form) if isinstance(part.value, str))


def spell(name: str, spellings: Mapping[str, str]) -> str:
    """Write a name as the sheet does, in bars where it would not read back."""
    word = spellings.get(name, name)
    if name[:1] == "?" or _PLAIN.match(word):
        return word
    inside = word[1:] if word[:2] == " ?" else word  # as `read` marks a quoted "?"
    mark = "|" if inside[:1].strip("()").strip() else '"'  # a bar before a blank may mean "or"
    return mark + re.sub(rf"([\\{mark}])", r"\\\1", inside) + mark


def write_literal(literal: Literal, text: Callable[[Term], str]) -> str:
    """Write a literal with a way to write terms."""
    sentence = text(literal.sentence)
    return sentence if literal.positive else f"(not {sentence})"


def write_form(form: Form, spellings: Mapping[str, str]) -> str:
    """Write a form as it was read."""
    if isinstance(form.value, str):
        return spell(form.value, spellings)
    return "(" + " ".join(write_form(part, spellings) for part in form.value) + ")"


def write_briefly(term: Term, spellings: Mapping[str, str]) -> str:
    """Write a term for a message: on one line, and not too long."""
    text = write(term, spellings)
    return text if len(text) <= 60 and text.isprintable() else shorten(text)


def write(term: Term, spellings: Mapping[str, str] | None = None) -> str:
    """Write a term in prefix form."""
    spellings = spellings or {}
    if isinstance(term, str):
        return spell(term, spellings)
    return "(" + " ".join(write(part, spellings) for part in term) + ")"
