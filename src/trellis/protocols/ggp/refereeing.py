"""What a game master knows of a match: the rules, the facts, and the names that players are told.

Names may be scrambled, so that players know nothing but the rules: every name except keywords and
numbers is another word in each match.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter, LimitReached
from trellis.gdl.grounding.time_limit import time_limit
from trellis.gdl.language.kif import NoTerm, read, to_term, words_of, write, write_form
from trellis.gdl.language.terms import KEYWORDS, Term, order
from trellis.gdl.sheet import Sheet
from trellis.gdl.tools.board_text import Picture

if TYPE_CHECKING:
    from trellis.gdl.evaluators.machine import Facts, Machine

STEP_SECONDS = 60.0
_KEPT_WORDS = KEYWORDS | {"<=", "random", "nil"}
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


def scrambled_names(words: Iterable[str], seed: int) -> dict[str, str]:
    """Return another word for each name and variable; keywords and numbers stay what they are."""
    dice = random.Random(seed)
    found: dict[str, str] = {}
    taken = set(_KEPT_WORDS)
    for word in sorted(set(words)):
        if word in _KEPT_WORDS or word.isdecimal():
            continue
        syllables, fresh = 2, ""
        while not fresh or fresh in taken:
            fresh = "".join(
                dice.choice(_CONSONANTS) + dice.choice(_VOWELS) for _ in range(syllables)
            )
            syllables += dice.random() < 0.1  # where most short words are taken
        taken.add(fresh)
        found[word] = "?" + fresh if word[:1] == "?" else fresh
    return found


class Referee:
    """Follows a match, and decides what is legal."""

    def __init__(self, sheet: Sheet, scramble: int | None = None) -> None:
        self.sheet = sheet
        sheet.rules  # noqa: B018  (refuses what cannot run)
        reading = sheet.reading
        self.names: Mapping[str, str] = reading.spellings
        if scramble is not None:
            words = (word for form in reading.forms for word in words_of(form))
            self.names = scrambled_names(words, scramble)
        self._back = (
            {name: word for word, name in self.names.items()} if scramble is not None else {}
        )
        self.rules = " ".join(write_form(form, self.names) for form in reading.forms)
        self.machine = _machine_of(sheet)
        self.roles = [str(role) for role in self.machine.roles]
        self.facts: Facts = self.machine.initial()
        self._picture: Picture | None = None
        self._look()

    def _look(self) -> None:
        with time_limit(STEP_SECONDS, "a step of the rules"):
            self.over = self.machine.terminal(self.facts)
            self.goals = self.machine.goals(self.facts)
            self.legal: list[list[Term]] = [] if self.over else self.machine.legal(self.facts)

    def write(self, term: Term) -> str:
        """Write a term as players are told it."""
        return write(term, self.names)

    def read_move(self, text: str, role: int) -> Term | None:
        """Read a move of a role; None where it is not a legal one."""
        reading = read(text)
        if reading.findings or len(reading.forms) != 1:
            return None
        try:
            move = self._unscrambled(to_term(reading.forms[0]))
        except NoTerm:
            return None
        return move if move in self.legal[role] else None

    def _unscrambled(self, term: Term) -> Term:
        if isinstance(term, str):
            known_only_here = self._back and term in self.names and term not in self._back
            return "" if known_only_here else self._back.get(term, term)
        return tuple(self._unscrambled(part) for part in term)

    def play(self, joint: Sequence[Term]) -> None:
        """Make the moves of all roles."""
        with time_limit(STEP_SECONDS, "a step of the rules"):
            self.facts = self.machine.next(self.facts, joint)
        self._look()

    def state_text(self) -> str:
        """Write the facts as match records do, in the words of the sheet."""
        facts = " ".join(self.sheet.write(fact) for fact in sorted(self.facts, key=order))
        return f"( {facts} )" if facts else "( )"

    def board(self) -> str:
        """Draw what is board-like, list the rest."""
        if self._picture is None:
            self._picture = Picture(None, self.machine.initial(), self.sheet.write)
        return self._picture.draw(self.facts)


def _machine_of(sheet: Sheet) -> "Machine":
    """Return what plays the rules: forward chaining, or a circuit where that explodes."""
    if any(rule.name == "sees" for rule in sheet.rules):
        raise BadParameter(f"{sheet.name}: games of imperfect information (sees) are not playable")
    try:
        return sheet.forward
    except LimitReached:
        from trellis.gdl.evaluators.machine import CircuitMachine

        return CircuitMachine(sheet.circuit)
