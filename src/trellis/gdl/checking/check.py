"""A sheet against the specification of the Game Description Language, without playing it.

An error that is fatal cannot run.  Everything else runs: real servers accept sheets that are not
strictly valid, so those get warnings.  Notes name what is allowed and still looks like a slip.
All that is to be said is said in one run, in the order of the text.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from trellis.game.errors import nearest, shorten
from trellis.gdl.language import mini
from trellis.gdl.language.dependencies import components, layers, needs, path, reaching
from trellis.gdl.language.kif import (
    MOST_FINDINGS,
    Form,
    NoTerm,
    Reading,
    parts_of,
    words_of,
    write_form,
)
from trellis.gdl.language.terms import (
    ARITIES,
    KEYWORDS,
    Finding,
    Rule,
    bound_by,
    goal_of,
    is_ground,
)

_OPTIONAL = frozenset(["base", "input", "sees"])  # nothing needs them in order to run
_LOGIC = frozenset(["and", "or", "not", "distinct"]) | mini.ARROWS
_STATE = frozenset(["role", "init", "true", "does", "next", "legal", "goal", "terminal"])
_LONG_CHAIN = 8  # of names in one message
_WANTED = {
    "role": "nobody could play",
    "legal": "nobody could move",
    "terminal": "the game could never end",
    "goal": "nobody could win or lose",
}
_OPEN = "comes neither from the head nor from a relation outside the cycle"
_IN_A_CYCLE = "negation in a cycle: "
_RUNS = "; it runs, as no fact needs its own opposite, and strict validators refuse it"
_NOT_ON = {  # what must not depend on what
    **dict.fromkeys(["role", "init", "base", "input"], ("true", "does")),
    **dict.fromkeys(["legal", "terminal", "goal"], ("does",)),
}


class _Statement(NamedTuple):
    form: Form
    head: Form
    body: tuple[Form, ...]  # sentences, wherever they stand in it
    rules: tuple[Rule, ...]  # in mini-GDL


def check(reading: Reading) -> list[Finding]:
    """Return all there is to say of a sheet, what its reading already said among it."""
    if not reading.forms and any(finding.fatal for finding in reading.findings):
        return list(reading.findings)  # it is not a sheet: nothing is missing in it
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
                self.check_sentence(sentence)
                if (name := sentence.name) in ("init", "next"):
                    self.say(sentence, f"{name!r} in a body; expected it in heads only")
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
        work = list(statement.parts)
        while work:
            form = work.pop()
            if isinstance(form.value, tuple) and form.name in mini.ARROWS:
                where = f"in the statement at {statement.line}:{statement.column}?"
                missing = f"{form.name!r} inside a rule: is a ')' missing before it, {where}"
                self.error(form, missing)
            elif isinstance(form.value, tuple):
                work += form.value

    def take(self, form: Form) -> None:
        head, body = mini.split_statement(form)
        sentences: list[Form] = []
        for part in body:
            self.take_formula(part, True, sentences)
        if not body and isinstance(form.value, tuple) and form.name in mini.ARROWS:
            self.say(form, "a rule without a body; a fact is written without '<='")
        rules: tuple[Rule, ...] = ()
        if self.rule_count > mini.MOST_RULES:
            return
        try:
            rules = tuple(mini.statement_to_mini(form))
        except NoTerm as fault:
            self.error(fault.form, str(fault))
        except mini.TooManyAlternatives:
            self.error(form, str(mini.TooManyAlternatives()))
        self.rule_count += len(rules)
        if self.rule_count > mini.MOST_RULES:
            self.error(form, f"more than {mini.MOST_RULES:,} rules up to here")
        self.statements.append(_Statement(form, head, tuple(sentences), rules))

    def take_formula(self, form: Form, positive: bool, found: list[Form]) -> None:
        """Collect the sentences of a formula; nesting is bounded by the reader."""
        name, parts = mini.operator(form)
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
            found.append(form)

    def heads(self, name: str) -> Iterator[_Statement]:
        return (each for each in self.statements if each.head.name == name)

    # --- single checks

    def check_presence(self) -> None:
        top = Form("", 1, 1)
        for name, harm in _WANTED.items():
            if next(self.heads(name), None) is None:
                self.error(top, f"no {name!r} anywhere: {harm}")
        sees = next(self.heads("sees"), None)
        if sees is not None:
            hidden = "'sees' makes this a game of hidden information: not playable here"
            self.say(sees.head, hidden, level="error")

    def check_arities(self) -> None:
        relations: dict[str, int] = {}
        functions: dict[str, int] = {}
        for form in self.sentences():
            name, given = form.name, len(form.parts)
            if name in ARITIES or name in _LOGIC:
                self.check_keyword(form, name, given)
            elif relations.setdefault(name, given) != given:
                self.say(form, self.unlike("relation", name, given, relations[name]))
            if isinstance(form.value, tuple) and not given:
                self.say(form, f"({self.quote(name)}) is written without parentheses")
            for part in form.parts:
                self.check_functions(part, functions)

    def check_functions(self, form: Form, functions: dict[str, int]) -> None:
        name, given = form.name, len(form.parts)
        if given and functions.setdefault(name, given) != given:
            self.say(form, self.unlike("function", name, given, functions[name]))
        for part in form.parts:
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
        name, head = statement.head.name, statement.head
        self.check_sentence(head)
        if name in ("true", "does"):
            self.error(head, f"{name!r} in a head: it is given, no rule makes it")
        elif name == "distinct":
            self.error(head, "'distinct' in a head: it only compares")
        elif name == "role" and statement.body:
            self.say(head, "'role' by a rule; expected facts")
        elif name == "goal" and len(head.parts) == 2:
            value = head.parts[1].value
            if isinstance(value, tuple) or (value[:1] != "?" and goal_of(value) not in range(101)):
                given = shorten(write_form(head.parts[1], self.reading.spellings))
                self.say(head.parts[1], f"bad goal {given}: expected a number from 0 to 100")

    def check_sentence(self, form: Form) -> None:
        if isinstance(form.value, str) and form.value[:1] == "?":
            self.error(form, f"{self.quote(form.value)} stands alone; expected a sentence")
        for part in form.parts:
            self.check_term(part)

    def check_term(self, form: Form) -> None:
        name, is_word = form.name, isinstance(form.value, str)
        if name in _LOGIC and is_word:
            self.say(form, f"{name!r} is used as a plain name")
        elif name in _LOGIC:
            self.error(form, f"{name!r} inside a term; expected it in bodies only")
        elif name in _STATE and not is_word:
            self.say(form, f"{name!r} is used as a function")
        for part in form.parts:
            self.check_term(part)

    def check_safety(self, statement: _Statement) -> None:
        """Look for variables without a value: they range over all constants, which is not GDL."""
        told: set[str] = set()
        for rule in statement.rules:
            for variable in sorted(rule.open_variables - told):
                told.add(variable)
                here = (part for part in parts_of(statement.form) if part.value == variable)
                place = next(here, statement.form)
                if not statement.body and not rule.body:
                    why = "is a variable in a fact; expected a name"
                else:
                    where = "the head" if variable in rule.variables else "a test"
                    why = f"of {where} gets no value from a positive sentence of the body"
                    why += self.meant(statement, variable, bound_by(rule.body))
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
                name = statement.head.name
                if source not in _NOT_ON.get(name, ()):
                    continue
                mine = (literal.name for rule in statement.rules for literal in rule.body)
                below = next((each for each in mine if each in tainted), None)
                if below is not None:
                    way = path(edges, below, source)[:-1] if below != source else []
                    through = " through " + ", ".join(self.quotes(way)) if way else ""
                    message = f"{name!r} depends on {source!r}{through}"
                    self.say(statement.head, message, fatal=name == "role")

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
                head, fatal = rule.name, id(rule) in impossible
                for literal in rule.body:
                    name = literal.name
                    if component.get(name) != component[head] or (name, fatal) in told:
                        continue
                    if name == head and head not in edges[head]:
                        continue
                    if not literal.positive:
                        told.add((name, fatal))
                        way = path(edges, name, head) if name != head else [name]
                        cycle = ", that needs ".join(self.quotes(way))
                        message = f"{self.quote(head)} needs the opposite of {cycle}"
                        if fatal:
                            self.error(statement.form, _IN_A_CYCLE + message)
                        else:
                            self.say(statement.form, _IN_A_CYCLE + message + _RUNS, level="note")
                    elif (part := _grows(rule, name, component)) is not None:
                        told.add((name, fatal))
                        where = f"{part} of {self.quote(name)}"
                        self.say(statement.form, f"recursion without a bound: {where} {_OPEN}")

    # --- names

    def check_names(self) -> None:
        made = {statement.head.name for statement in self.statements}
        used = {each.name for statement in self.statements for each in statement.body}
        told: set[str] = set()
        for statement in self.statements:
            name = statement.head.name
            if name not in used and name not in KEYWORDS and name not in told:
                told.add(name)
                self.say(statement.head, f"{self.quote(name)} is never used", level="note")
            for each in statement.body:
                name = each.name
                if name in made or name in KEYWORDS or name in told or name[:1] == "?":
                    continue
                told.add(name)
                if name in mini.OPERATORS:
                    wanted = "expected it in parentheses of its own, as (a & b) or (~ a)"
                    self.error(each, f"{self.quote(name)} is not a relation; {wanted}")
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
                if each.name == "true":
                    asked.setdefault(_inner(each), each)
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
            yield from (statement.head, *statement.body)

    def rules(self) -> Iterator[Rule]:
        return chain.from_iterable(statement.rules for statement in self.statements)


def _grows(rule: Rule, name: str, component: dict[str, int]) -> str | None:
    """Return which argument breaks the recursion restriction, if one does.

    Each argument of a relation in a cycle with the head must be ground, an argument of the head,
    or an argument of a relation outside the cycle.
    """
    allowed = set(rule.arguments)
    for literal in rule.body:
        if literal.is_generator and component.get(literal.name) != component[rule.name]:
            allowed.update(literal.arguments)
    for literal in rule.body:
        if literal.positive and literal.name == name:
            for place, part in enumerate(literal.arguments, 1):
                if not is_ground(part) and part not in allowed:
                    return f"argument {place}"
    return None


def _inner(form: Form) -> str:
    """Return the name of a sentence's first argument."""
    return form.parts[0].name if form.parts else ""


def _count(arguments_given: int) -> str:
    return f"{arguments_given} argument" + "s" * (arguments_given != 1)


def _most_important(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of the text, at most so many of each kind."""
    kept: list[Finding] = []
    for kind in ("error", "warning", "note"):
        kept += sorted({each for each in findings if each.kind == kind})[:MOST_FINDINGS]
    return sorted(kept)
