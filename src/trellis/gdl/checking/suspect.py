"""What runs, and is likely not what its writer meant: found in the text, without playing.

Each finding is sure of what it says: that a sentence never holds, a rule never applies, a rule is
there twice, a number is missing in a row.  That this is a slip is only likely, so these are
warnings.  `misspelt.py` looks for variables that are misspelt.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trellis.game.errors import nearest
from trellis.gdl.checking.domains import Domain, Domains, Hopeless, Misfit, Values
from trellis.gdl.checking.misspelt import misspelt_variables
from trellis.gdl.circuit.build import RANDOM
from trellis.gdl.language import mini
from trellis.gdl.language.kif import (
    MOST_FINDINGS,
    Form,
    NoTerm,
    Reading,
    to_term,
    words_of,
    write,
    write_briefly,
)
from trellis.gdl.language.normal import is_safe, rename
from trellis.gdl.language.terms import (
    KEYWORDS,
    Finding,
    Literal,
    Rule,
    Term,
    arguments,
    is_ground,
    is_variable,
    name_of,
    order,
    substitute,
)

_MOST_SHAPES = 200_000  # rules that are compared with each other
_MOST_LISTED = 6  # names that would fit, in a message
_OF_ROLES = frozenset(["does", "legal", "goal", "input"])


@dataclass
class Statement:
    """A rule or fact as it was written, and what it comes to."""

    form: Form
    head: Form
    body: tuple[Form, ...]
    rules: list[Rule]


def suspect(reading: Reading) -> list[Finding]:
    """Return what is likely a slip in a sheet that can run, in the order of the text."""
    found = _Suspect(reading).run()
    return sorted(set(found))[:MOST_FINDINGS]


def read_statements(reading: Reading) -> list[Statement]:
    """Return the statements of a sheet that has been found to run."""
    found: list[Statement] = []
    count = 0
    for form in reading.forms:
        head, body = mini.split_statement(form)
        try:
            rules = list(mini.statement_to_mini(form))
        except (NoTerm, mini.TooManyAlternatives):
            continue
        count += len(rules)
        if count > mini.MOST_RULES:
            break
        found.append(Statement(form, head, body, rules))
    return found


class _Suspect:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.statements = read_statements(reading)
        self.rules = [rule for statement in self.statements for rule in statement.rules]
        self.hopeless = Hopeless(self.rules)
        self.domains = Domains([self.hopeless.without(rule) for rule in self.rules])
        self.unknown: set[Term] = set()  # relations and roles that there are not
        self.made = {rule.name for rule in self.rules} | {"true", "does"}

    def run(self) -> Iterator[Finding]:
        yield from self.unknown_names()
        for statement in self.statements:
            yield from self.comparisons(statement)
            yield from self.contradiction(statement)
        yield from self.twice()
        yield from self.gaps()
        unsafe = {i for i, each in enumerate(self.statements) if not all(map(is_safe, each.rules))}
        yield from misspelt_variables([statement.form for statement in self.statements], unsafe)
        if not self.domains.complete:
            return
        for statement in self.statements:
            yield from self.never(statement)
        yield from self.roles()
        yield from self.never_begun()

    # --- words

    def write(self, term: Term) -> str:
        return write_briefly(term, self.reading.spellings)

    def listed(self, domain: Domain) -> str:
        """List what can stand at a place; of much the beginning."""
        names = [self.write(each) for each in sorted(domain.names, key=order)]
        names += [f"({self.write(name)} …)" for name, _ in sorted(domain.functions)]
        if not names or domain.anything:
            return "anything" if domain.anything else "never anything"
        if len(names) > _MOST_LISTED:
            names = [*names[: _MOST_LISTED - 1], f"{len(names) - _MOST_LISTED + 1} others"]
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" or {names[-1]}"

    def nearest(self, word: str, known: Iterable[str]) -> str:
        spelt = self.reading.spellings
        return nearest(spelt.get(word, word), [spelt.get(each, each) for each in known])

    def here(self, form: Form, message: str) -> Finding:
        return Finding(form.line, form.column, message, fatal=False)

    def at(self, statement: Statement, literal: Literal, message: str) -> Finding:
        return self.here(_find_term(statement.body, literal.sentence) or statement.form, message)

    # --- names

    def unknown_names(self) -> Iterator[Finding]:
        """Say which relations no rule makes, and which roles there are not."""
        roles = {
            str(rule.arguments[0]) for rule in self.rules if rule.name == "role" and rule.arguments
        }
        by_rule = any(rule.name == "role" and rule.body for rule in self.rules)
        told = self.unknown
        for statement in self.statements:
            for form in (statement.head, *_formulas(statement.body)):
                term = to_term(form)
                name, given = name_of(term), arguments(term)
                if name in _OF_ROLES and len(given) == 2 and roles and not by_rule:
                    role = given[0]
                    if isinstance(role, str) and role[:1] != "?" and role not in roles | told:
                        told.add(role)
                        hint = self.nearest(role, roles)
                        yield self.here(form, f"{self.write(role)} is not a role{hint}")
                elif name not in self.made | KEYWORDS | told and name[:1] != "?":
                    if mini.operator(form)[0] or form is statement.head:
                        continue
                    told.add(name)
                    hint = self.nearest(name, self.made - KEYWORDS)
                    yield self.here(form, f"nothing makes {self.write(name)} true{hint}")

    # --- a rule by itself

    def comparisons(self, statement: Statement) -> Iterator[Finding]:
        for form in _formulas(statement.body):
            name, parts = mini.operator(form)
            if name not in ("=", "distinct"):
                continue
            try:
                left, right = map(to_term, parts)
            except NoTerm:
                continue
            text = self.write(to_term(form))
            if left == right:
                always = "always" if name == "=" else "never"
                why = f"{text} {always} holds: both sides are the same"
            elif is_ground(left) and is_ground(right):
                always = "never" if name == "=" else "always"
                why = f"{text} {always} holds: it compares two names"
            else:
                continue
            yield self.here(form, why)

    def contradiction(self, statement: Statement) -> Iterator[Finding]:
        """Say where a rule asks for something and for its opposite."""
        sentences: dict[Term, bool] = {}
        for part in statement.body:
            name, inner = mini.operator(part)
            positive = name != "not"
            form = part if positive else inner[0]
            if mini.operator(form)[0]:
                continue
            term = to_term(form)
            if sentences.setdefault(term, positive) != positive:
                message = f"the rule never applies: it asks for {self.write(term)} and its opposite"
                yield self.here(form, message)
        if statement.rules and all(
            Literal(rule.head) in rule.body and rule.name not in KEYWORDS
            for rule in statement.rules
        ):
            head = self.write(statement.rules[0].head)
            yield self.here(statement.form, f"the rule adds nothing: it needs {head} itself")

    # --- what can never hold

    def never(self, statement: Statement) -> Iterator[Finding]:
        """Say which sentences of a rule never hold; or that all of them never do together."""
        told: set[Term] = set()
        together: list[Misfit] = []
        for rule in statement.rules:
            values: Values = {}
            fault = self.domains.misfit(self.hopeless.without(rule).body, values)
            single = False
            for literal in rule.body:
                name = literal.name
                if name == "distinct" or name not in self.made:
                    continue
                why = self.domains.alone(literal, {})
                if why is None and not literal.positive and fault is None:
                    why = self.domains.can_hold(literal, values)
                if why is None:
                    continue
                single |= literal.positive
                if why.empty or literal.sentence in told or why.part in self.unknown:
                    continue
                told.add(literal.sentence)
                yield self.at(statement, literal, self.why_never(why, statement))
            if fault is not None and not single and not fault.empty:
                together.append(fault)
        if together and len(together) == len(statement.rules):
            unused = any(map(self.is_for_what_is_not_there, together))
            finding = self.why_not_together(statement, together[0])
            yield finding._replace(level="note") if unused else finding

    def is_for_what_is_not_there(self, why: Misfit) -> bool:
        """Tell whether a rule asks of facts of the state what holds of other names alone.

        Such a rule for kings, where no king stands on the board, is right and only not needed.
        """
        if why.before is None:
            return False
        other, domain = why.literal, why.before_domain
        if other.name == "true":
            other, domain = why.before, why.domain
        elif why.before.name != "true":
            return False
        given = other.arguments
        return any(
            part == why.variable and place.common(domain)
            for part, place in zip(given, self.domains.of(other.name, len(given)), strict=True)
        )

    def why_never(self, why: Misfit, statement: Statement) -> str:
        text = self.write(why.literal.sentence)
        holds = "never holds" if why.literal.positive else "never holds, so its 'not' always does"
        if why.variable:
            return (
                f"{text} {holds}: there {why.variable} is {self.listed(why.domain)}, "
                f"and here {self.listed(why.before_domain)}"
            )
        if not why.part:
            return f"{text} {holds}: no fact of {self.write(why.of)} is like that"
        if is_variable(why.part):
            return f"{text} {holds}: the arguments {why.part} have nothing in common"
        if isinstance(why.part, tuple):
            return f"{text} {holds}{self.why_no_function(why)}"
        hint = self.nearest(why.part, why.domain.names)
        if f"?{why.part}" in set(words_of(statement.form)):
            hint = f"; did you mean ?{why.part}?"
        return f"{text} {holds}: {self.place(why)} is {self.listed(why.domain)}{hint}"

    def place(self, why: Misfit) -> str:
        return _PLACES.get(why.of, f"argument {why.place} of {self.write(why.of)}")

    def why_no_function(self, why: Misfit) -> str:
        name, arity = name_of(why.part), len(arguments(why.part))
        others = sorted(count for other, count in why.domain.functions if other == name)
        if others:
            return f": {self.write(name)} has {arity} arguments here and {others[0]} elsewhere"
        known = {other for other, _ in why.domain.functions} | why.domain.names
        return f": {self.place(why)} is {self.listed(why.domain)}{self.nearest(name, known)}"

    def why_not_together(self, statement: Statement, why: Misfit) -> Finding:
        text = self.write(why.literal.sentence)
        reason = f"in {text} both can only be {self.write(why.part)}"
        if why.variable and why.before is not None:
            first = f"{self.listed(why.before_domain)} in {self.write(why.before.sentence)}"
            reason = f"{why.variable} is {first} and {self.listed(why.domain)} in {text}"
        return self.at(statement, why.literal, f"the rule never applies: {reason}")

    # --- rules beside each other

    def twice(self) -> Iterator[Finding]:
        """Say which rules and facts are the same as one before."""
        known: dict[tuple[Literal, ...], Form] = {}
        count = 0
        for statement in self.statements:
            count += len(statement.rules)
            if count > _MOST_SHAPES or len(statement.rules) != 1:
                continue
            (rule,) = statement.rules
            first = known.setdefault(_shape(rule), statement.form)
            if first is statement.form or rule.name == "role":
                continue
            kind = "rule" if statement.body else "fact"
            message = f"the {kind} is the same as the one at {first.line}:{first.column}"
            finding = self.here(statement.form, message)
            yield finding if statement.body else finding._replace(level="note")

    def gaps(self) -> Iterator[Finding]:
        """Say where a row of numbers or letters, each with the one after it, is interrupted."""
        rows: dict[str, list[tuple[Statement, tuple[int, int] | None]]] = {}
        for statement in self.statements:
            head = to_term(statement.head)
            pair = None if statement.body else _steps(arguments(head))
            rows.setdefault(name_of(head), []).append((statement, pair))
        for name, row in rows.items():
            pairs = [pair for _, pair in row if pair is not None]
            ways = {end - begin for begin, end in pairs}
            if len(row) < 3 or len(pairs) < len(row) or len(ways) != 1:
                continue
            (way,), begins = ways, {begin for begin, _ in pairs}
            for (statement, _), (_, end) in zip(row, pairs, strict=True):
                if end not in begins and end + way in begins:
                    like = arguments(to_term(statement.head))[0]
                    missing = f"{_named(end, like)} {_named(end + way, like)}"
                    message = f"({self.write(name)} {missing}) is missing in the row"
                    yield self.here(statement.form, message)

    # --- the whole sheet

    def roles(self) -> Iterator[Finding]:
        for statement in self.statements:
            head = to_term(statement.head)
            if name_of(head) != "role" or statement.body or not isinstance(head, tuple):
                continue
            role = head[1]
            if not isinstance(role, str) or is_variable(role):
                continue
            for name, what, level in (("legal", "legal move", "error"), ("goal", "goal", "")):
                domain = self.domains.of(name, 2)[0]
                if role in domain.names or domain.anything or (role == RANDOM and level == ""):
                    continue
                finding = self.here(statement.form, f"{self.write(role)} never has a {what}")
                yield finding._replace(level=level)

    def never_begun(self) -> Iterator[Finding]:
        """Say which relations only their own rules could make true, so that nothing begins."""
        made: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for rule in statement.rules[:1]:
                made.setdefault(rule.name, []).append(statement)
        for name, mine in made.items():
            if name in self.domains.held or name in KEYWORDS:
                continue
            needed = [_empties(statement.rules, self.domains) for statement in mine]
            if all(below == {name} for below in needed):
                yield self.here(
                    mine[0].form,
                    f"{self.write(name)} never holds: all its rules need it themselves",
                )


_PLACES = {"true": "a fact of the state", "does": "a legal move", "init": "a fact of the state"}


def _empties(rules: Iterable[Rule], domains: Domains) -> set[str]:
    return {
        literal.name
        for rule in rules
        for literal in rule.body
        if literal.positive and literal.name != "distinct" and literal.name not in domains.held
    }


def _formulas(body: Iterable[Form]) -> Iterator[Form]:
    """Yield the sentences and comparisons of a body."""
    work = list(reversed(list(body)))
    while work:
        form = work.pop()
        name, parts = mini.operator(form)
        if name in ("and", "or", "not"):
            work += reversed(parts)
        else:
            yield form


def _find_term(forms: Iterable[Form], wanted: Term) -> Form | None:
    """Return where a sentence stands in a body."""
    for form in _formulas(forms):
        try:
            if to_term(form) == wanted:
                return form
        except NoTerm:
            continue
    return None


def _shape(rule: Rule) -> tuple[Literal, ...]:
    """Return a rule with its body in a fixed order and variables named by where they stand."""

    def blank(literal: Literal) -> tuple[str, bool]:
        masked = substitute(literal.sentence, dict.fromkeys(literal.variables, "?"))
        return write(masked), literal.positive

    return rename([Literal(rule.head), *sorted(rule.body, key=blank)])[0]


def _steps(pair: tuple[Term, ...]) -> tuple[int, int] | None:
    """Return two neighbours as numbers, where they are numbers or letters next to each other."""
    words = [part for part in pair if isinstance(part, str)]
    if len(pair) != 2 or len(words) != 2:
        return None
    if all(word.isascii() and word.isdecimal() and len(word) < 9 for word in words):
        numbers = int(words[0]), int(words[1])
    elif all(len(word) == 1 and "a" <= word <= "z" for word in words):
        numbers = ord(words[0]), ord(words[1])
    else:
        return None
    return numbers if abs(numbers[0] - numbers[1]) == 1 else None


def _named(number: int, like: Term) -> str:
    return str(number) if isinstance(like, str) and like.isdecimal() else chr(number)
