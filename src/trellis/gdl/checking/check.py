"""A sheet against the specification of the Game Description Language, without playing it.

An error that is fatal cannot run.  Everything else runs: real servers accept sheets that are not
strictly valid, so those get warnings.  Notes name what is allowed and still looks like a slip.
All that is to be said is said in one run, in the order of the text.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trellis.game.errors import nearest, shorten
from trellis.gdl.language.dependencies import components, layers, needs, path, reaching
from trellis.gdl.language.kif import MOST_FINDINGS, Form, NoTerm, Reading, write_form
from trellis.gdl.language.mini import (
    ARROWS,
    MOST_ALTERNATIVES,
    MOST_RULES,
    OPERATORS,
    TooManyAlternatives,
    operator,
    split_statement,
    statement_to_mini,
)
from trellis.gdl.language.normal import bound_by
from trellis.gdl.language.terms import (
    ARITIES,
    KEYWORDS,
    Finding,
    Rule,
    arguments,
    is_ground,
    name_of,
    variables,
    variables_of,
)

_OPTIONAL = frozenset(["base", "input", "sees"])  # nothing needs them in order to run
_LOGIC = frozenset(["and", "or", "not", "distinct"]) | ARROWS
_STATE = frozenset(["role", "init", "true", "does", "next", "legal", "goal", "terminal"])
_LONG_CHAIN = 8  # of names in one message
_WANTED = {
    "role": "nobody could play",
    "legal": "nobody could move",
    "terminal": "the game could never end",
    "goal": "nobody could win or lose",
}
_NOT_ON = {  # what must not depend on what
    **dict.fromkeys(["role", "init", "base", "input"], ("true", "does")),
    **dict.fromkeys(["legal", "terminal", "goal"], ("does",)),
}


class _Sentence(NamedTuple):
    form: Form
    positive: bool = True


class _Statement(NamedTuple):
    form: Form
    head: Form
    body: tuple[_Sentence, ...]
    rules: tuple[Rule, ...]  # in mini-GDL


def check(reading: Reading) -> list[Finding]:
    """Return all there is to say of a sheet, what its reading already said among it."""
    if not reading.forms and any(finding.fatal for finding in reading.findings):
        return list(reading.findings)  # it is no sheet: nothing is missing in it
    if reading.unbalanced:
        return list(reading.findings)  # what else is wrong may come from that alone
    return _Checker(reading).run()


class _Checker:
    def __init__(self, reading: Reading) -> None:
        self.findings = list(reading.findings)
        self.reading = reading
        self.statements: list[_Statement] = []
        self.rule_count = 0

    def say(self, form: Form, message: str, fatal: bool = False, level: str = "") -> None:
        self.findings.append(Finding(form.line, form.column, message, fatal, level))

    def error(self, form: Form, message: str) -> None:
        self.say(form, message, fatal=True)

    def quote(self, word: str) -> str:
        return shorten(self.reading.spellings.get(word, word))

    def quotes(self, words: list[str]) -> list[str]:
        """Quote the words of a chain; of a long one the beginning and the end."""
        quoted = [self.quote(word) for word in words]
        return quoted if len(quoted) <= _LONG_CHAIN else [*quoted[:3], "…", *quoted[-2:]]

    def run(self) -> list[Finding]:
        for form in self.reading.forms:
            self.check_nesting(form)
        if any(finding.fatal for finding in self.findings):
            return _most_important(self.findings)  # what else is wrong may come from that alone
        for form in self.reading.forms:
            self.take(form)
        self.check_presence()
        self.check_arities()
        for statement in self.statements:
            self.check_head(statement)
            for sentence in statement.body:
                self.check_body_sentence(sentence)
            self.check_safety(statement)
        self.check_dependence()
        self.check_recursion()
        self.check_names()
        self.check_roles()
        for word, form in self.reading.slips.items():
            first = self.reading.spellings[word.lower()]
            self.say(form, f"{shorten(word)} is spelt {shorten(first)} before; taken as the same")
        return _most_important(self.findings)

    # --- reading statements

    def check_nesting(self, statement: Form) -> None:
        """Look for rules inside a statement: parentheses that come out even and are misplaced."""
        work = list(statement.value[1:]) if isinstance(statement.value, tuple) else []
        while work:
            form = work.pop()
            if isinstance(form.value, str):
                continue
            if form.value[0].value in ARROWS:
                self.error(
                    form,
                    f"{form.value[0].value!r} inside a rule: is a ')' missing before it, "
                    f"in the statement at {statement.line}:{statement.column}?",
                )
            else:
                work += form.value

    def take(self, form: Form) -> None:
        head, body = split_statement(form)
        sentences: list[_Sentence] = []
        for part in body:
            self.take_formula(part, True, sentences)
        if not body and isinstance(form.value, tuple) and form.value[0].value in ARROWS:
            self.say(form, "a rule without a body; a fact is written without '<='")
        rules: tuple[Rule, ...] = ()
        if self.rule_count > MOST_RULES:
            return
        try:
            rules = tuple(statement_to_mini(form))
        except NoTerm as fault:
            self.error(fault.form, str(fault))
        except TooManyAlternatives:
            self.error(
                form, f"this rule has more than {MOST_ALTERNATIVES:,} alternatives in normal form"
            )
        self.rule_count += len(rules)
        if self.rule_count > MOST_RULES:
            self.error(form, f"more than {MOST_RULES:,} rules up to here")
        self.statements.append(_Statement(form, head, tuple(sentences), rules))

    def take_formula(self, form: Form, positive: bool, found: list[_Sentence]) -> None:
        """Collect the sentences of a formula; nesting is bounded by the reader."""
        name, parts = operator(form)
        if name in ("and", "or", "not"):
            if not parts:
                holds = "always" if name == "and" else "never"
                self.say(form, f"{name!r} of nothing {holds} holds; expected sentences after it")
            for part in parts:
                self.take_formula(part, positive != (name == "not"), found)
        elif name in ("=", "distinct"):
            if not positive and name == "distinct":
                self.say(form, "'distinct' negated: some validators do not accept that")
            for part in parts:
                self.check_term(part)
        else:
            found.append(_Sentence(form, positive))

    def heads(self, name: str) -> Iterator[_Statement]:
        for statement in self.statements:
            if _name(statement.head) == name:
                yield statement

    # --- single checks

    def check_presence(self) -> None:
        top = Form("", 1, 1)
        for name, harm in _WANTED.items():
            if next(self.heads(name), None) is None:
                self.error(top, f"no {name!r} anywhere: {harm}")
        sees = next(self.heads("sees"), None)
        if sees is not None:
            self.say(
                sees.head,
                "'sees' makes this a game of hidden information: not playable here",
                level="error",
            )

    def check_arities(self) -> None:
        relations: dict[str, int] = {}
        functions: dict[str, int] = {}
        for form in self.sentences():
            name, given = _name(form), _arity(form)
            if name in ARITIES or name in _LOGIC:
                self.check_keyword(form, name, given)
            elif relations.setdefault(name, given) != given:
                self.say(form, self.unlike("relation", name, given, relations[name]))
            if isinstance(form.value, tuple):
                if not given:
                    self.say(form, f"({self.quote(name)}) is written without parentheses")
                for part in form.value[1:]:
                    self.check_functions(part, functions)

    def check_functions(self, form: Form, functions: dict[str, int]) -> None:
        if isinstance(form.value, str):
            return
        name, given = _name(form), _arity(form)
        if given and functions.setdefault(name, given) != given:
            self.say(form, self.unlike("function", name, given, functions[name]))
        for part in form.value[1:]:
            self.check_functions(part, functions)

    def unlike(self, kind: str, name: str, given: int, before: int) -> str:
        return f"{kind} {self.quote(name)} has {_count(given)} here and {before} before"

    def check_keyword(self, form: Form, name: str, given: int) -> None:
        if name not in ARITIES:
            wanted = "one sentence" if name == "not" else "sentences"
            self.error(form, f"{name!r} is not a relation; expected {wanted} after it, in a body")
        elif given != ARITIES[name]:
            message = f"{name!r} has {_count(given)}; expected {ARITIES[name]}"
            self.say(form, message, fatal=name not in _OPTIONAL)

    def check_head(self, statement: _Statement) -> None:
        name, head = _name(statement.head), statement.head
        self.check_sentence(head)
        if name in ("true", "does"):
            self.error(head, f"{name!r} in a head: it is given, no rule makes it")
        elif name == "distinct":
            self.error(head, "'distinct' in a head: it only compares")
        elif name == "role" and statement.body:
            self.say(head, "'role' by a rule; expected facts")
        elif name == "goal" and isinstance(head.value, tuple) and len(head.value) == 3:
            value = head.value[2].value
            if isinstance(value, tuple) or not (value[:1] == "?" or _is_value(value)):
                given = shorten(write_form(head.value[2], self.reading.spellings))
                self.say(head.value[2], f"bad goal {given}: expected a number from 0 to 100")

    def check_body_sentence(self, sentence: _Sentence) -> None:
        name = _name(sentence.form)
        self.check_sentence(sentence.form)
        if name in ("init", "next"):
            self.say(sentence.form, f"{name!r} in a body; expected it in heads only")

    def check_sentence(self, form: Form) -> None:
        if isinstance(form.value, str):
            if form.value[:1] == "?":
                self.error(form, f"{self.quote(form.value)} stands alone; expected a sentence")
            return
        for part in form.value[1:]:
            self.check_term(part)

    def check_term(self, form: Form) -> None:
        if isinstance(form.value, str):
            if form.value in _LOGIC:
                self.say(form, f"{form.value!r} is used as a plain name")
            return
        name = _name(form)
        if name in _LOGIC:
            self.error(form, f"{name!r} inside a term; expected it in bodies only")
        elif name in _STATE:
            self.say(form, f"{name!r} is used as a function")
        for part in form.value[1:]:
            self.check_term(part)

    def check_safety(self, statement: _Statement) -> None:
        """Look for variables without a value: they range over all constants, which is not GDL."""
        told: set[str] = set()
        for rule in statement.rules:
            bound = bound_by(rule.body)
            in_head = set(variables(rule.head))
            for variable in sorted((in_head | variables_of(rule.body)) - bound - told):
                told.add(variable)
                here = (part for part in _parts(statement.form) if part.value == variable)
                place = next(here, statement.form)
                if not statement.body and not rule.body:
                    why = "is a variable in a fact; expected a name"
                else:
                    where = "the head" if variable in in_head else "a test"
                    why = f"of {where} gets no value from a positive sentence of the body"
                    why += self.meant(statement, variable, bound)
                self.say(place, f"{self.quote(variable)} {why}", level="error")

    def meant(self, statement: _Statement, variable: str, bound: set[str]) -> str:
        """Suggest a variable that has values and is used once, or is spelt much the same."""
        words = [word for word in words_of(statement.form) if word[:1] == "?"]
        idle = [word for word in dict.fromkeys(words) if word in bound and words.count(word) == 1]
        return f"; did you mean {idle[0]!r}?" if len(idle) == 1 else nearest(variable, bound)

    # --- what depends on what

    def check_dependence(self) -> None:
        edges = needs(self.rules())
        for source in ("true", "does"):
            tainted = reaching(edges, [source])
            for statement in self.statements:
                name = _name(statement.head)
                if source not in _NOT_ON.get(name, ()):
                    continue
                for below in dict.fromkeys(
                    name_of(literal.sentence) for rule in statement.rules for literal in rule.body
                ):
                    if below in tainted:
                        way = path(edges, below, source)[:-1] if below != source else []
                        through = " through " + ", ".join(self.quotes(way)) if way else ""
                        self.say(
                            statement.head,
                            f"{name!r} depends on {source!r}{through}",
                            fatal=name == "role",
                        )
                        break

    def check_recursion(self) -> None:
        rules = list(self.rules())
        edges = needs(rules)
        impossible = {id(rule) for part in layers(rules)[1] for rule in part}
        component: dict[str, int] = {}
        for number, names in enumerate(components(edges)):
            component.update(dict.fromkeys(names, number))
        for statement in self.statements:
            told: set[tuple[str, bool]] = set()
            for rule in statement.rules:
                head, fatal = name_of(rule.head), id(rule) in impossible
                for literal in rule.body:
                    name = name_of(literal.sentence)
                    if component.get(name) != component[head] or (name, fatal) in told:
                        continue
                    if name == head and head not in edges[head]:
                        continue
                    if not literal.positive:
                        told.add((name, fatal))
                        way = path(edges, name, head) if name != head else [name]
                        cycle = ", that needs ".join(self.quotes(way))
                        comfort = (
                            ""
                            if fatal
                            else "; it runs, as no fact needs its own opposite, and strict "
                            "validators refuse it"
                        )
                        self.say(
                            statement.form,
                            f"negation in a cycle: {self.quote(head)} needs the opposite of "
                            f"{cycle}{comfort}",
                            fatal,
                            level="" if fatal else "note",
                        )
                    elif (part := _grows(rule, name, component)) is not None:
                        told.add((name, fatal))
                        self.say(
                            statement.form,
                            f"recursion without a bound: {part} of {self.quote(name)} comes neither"
                            " from the head nor from a relation outside the cycle",
                        )

    # --- names

    def check_names(self) -> None:
        made = {_name(statement.head) for statement in self.statements}
        used = {_name(each.form) for statement in self.statements for each in statement.body}
        told: set[str] = set()
        for statement in self.statements:
            name = _name(statement.head)
            if name not in used and name not in KEYWORDS and name not in told:
                told.add(name)
                self.say(statement.head, f"{self.quote(name)} is never used", level="note")
            for each in statement.body:
                name = _name(each.form)
                if name in made or name in KEYWORDS or name in told or name[:1] == "?":
                    continue
                told.add(name)
                if name in OPERATORS:
                    wanted = "expected it in parentheses of its own, as (a & b) or (~ a)"
                    self.error(each.form, f"{self.quote(name)} is not a relation; {wanted}")
        self.check_state_names()

    def check_state_names(self) -> None:
        """Look for facts of the state that nothing asks for."""
        made: dict[str, Form] = {}
        for name in ("init", "next"):
            for statement in self.heads(name):
                made.setdefault(_inner(statement.head), statement.head)
        asked: dict[str, Form] = {}
        for statement in self.statements:
            for each in statement.body:
                if _name(each.form) == "true":
                    asked.setdefault(_inner(each.form), each.form)
        if not any(name[:1] == "?" for name in asked):
            for name, form in made.items():
                if name not in asked and name[:1] != "?":
                    self.say(form, f"nothing asks whether {self.quote(name)} is true", level="note")

    def check_roles(self) -> None:
        roles: set[str] = set()
        for statement in self.heads("role"):
            if statement.body:
                return
            name = _inner(statement.head)
            if name in roles:
                self.say(statement.head, f"the role {self.quote(name)} is given twice")
            roles.add(name)

    def sentences(self) -> Iterator[Form]:
        for statement in self.statements:
            yield statement.head
            for each in statement.body:
                yield each.form

    def rules(self) -> Iterator[Rule]:
        for statement in self.statements:
            yield from statement.rules


def _grows(rule: Rule, name: str, component: dict[str, int]) -> str | None:
    """Return which argument breaks the recursion restriction, if one does.

    Each argument of a relation in a cycle with the head must be ground, an argument of the head,
    or an argument of a relation outside the cycle.
    """
    allowed = set(arguments(rule.head))
    for literal in rule.body:
        inside = component.get(name_of(literal.sentence)) == component[name_of(rule.head)]
        if literal.positive and not inside and name_of(literal.sentence) != "distinct":
            allowed.update(arguments(literal.sentence))
    for literal in rule.body:
        if literal.positive and name_of(literal.sentence) == name:
            for place, part in enumerate(arguments(literal.sentence), 1):
                if not is_ground(part) and part not in allowed:
                    return f"argument {place}"
    return None


def _name(form: Form) -> str:
    """Return the name of a sentence or term; empty where there is none."""
    word = form.value if isinstance(form.value, str) else form.value[0].value
    return word if isinstance(word, str) else ""


def _inner(form: Form) -> str:
    """Return the name of a sentence's first argument."""
    parts = form.value
    return _name(parts[1]) if isinstance(parts, tuple) and len(parts) > 1 else ""


def _arity(form: Form) -> int:
    return 0 if isinstance(form.value, str) else len(form.value) - 1


def _count(arguments_given: int) -> str:
    return f"{arguments_given} argument" + "s" * (arguments_given != 1)


def _is_value(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) <= 100


def _parts(form: Form) -> Iterator[Form]:
    """Yield a form and all that is in it, from left to right."""
    work = [form]
    while work:
        here = work.pop()
        yield here
        if isinstance(here.value, tuple):
            work += reversed(here.value)


def words_of(form: Form) -> Iterator[str]:
    """Yield all words of a form, from left to right."""
    for part in _parts(form):
        if isinstance(part.value, str):
            yield part.value


def _most_important(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of the text, at most so many of each kind."""
    kept: list[Finding] = []
    for kind in ("error", "warning", "note"):
        kept += sorted({each for each in findings if each.kind == kind})[:MOST_FINDINGS]
    return sorted(kept)
