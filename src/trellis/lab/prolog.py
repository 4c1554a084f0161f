"""Rules of games as a program for SWI-Prolog that plays them at random.

Names reach Prolog as numbers only, so nothing in a rulesheet can be read as anything else.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from trellis.game.errors import TrellisError
from trellis.gdl.language.terms import Literal, Term, arguments, name_of
from trellis.gdl.sheet import Sheet

PLAY = """
:- initialization(main, main).
legal_moves(R, Ms) :- findall(M, r_legal(R, M), L), sort(L, Ms).
choose(R) :- legal_moves(R, Ms), length(Ms, N), I is random(N), nth0(I, Ms, M),
    assertz(r_does(R, M)).
step :- roles(Rs), forall(member(R, Rs), choose(R)),
    findall(F, r_next(F), L), sort(L, Fs),
    retractall(r_true(_)), retractall(r_does(_, _)), forall(member(F, Fs), assertz(r_true(F))).
begin :- retractall(r_true(_)), retractall(r_does(_, _)),
    findall(F, r_init(F), L), sort(L, Fs), forall(member(F, Fs), assertz(r_true(F))).
play(S, S) :- r_terminal, !, roles(Rs), forall(member(R, Rs), ignore(r_goal(R, _))).
play(S0, S) :- step, S1 is S0 + 1, play(S1, S).
games(End, G, S, G, S) :- get_time(T), T > End, !.
games(End, G0, S0, G, S) :- begin, play(S0, S1), G1 is G0 + 1, games(End, G1, S1, G, S).
main :- set_random(seed(1)), seconds(D), get_time(T0), End is T0 + D,
    games(End, 0, 0, G, S), get_time(T1), T is T1 - T0, format("~w ~w ~w~n", [G, S, T]).
"""


class Names:
    """Numbers for names."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def term(self, term: Term) -> str:
        """Write a term for Prolog."""
        if isinstance(term, tuple):
            inside = ",".join(self.term(part) for part in term[1:])
            return f"f{self.numbers.setdefault(name_of(term), len(self.numbers))}({inside})"
        number = self.numbers.setdefault(term, len(self.numbers))
        return f"V{number}" if term[:1] == "?" else f"c{number}"

    def sentence(self, sentence: Term) -> str:
        """Write a sentence; relations with a meaning keep their names."""
        name = name_of(sentence)
        known = name in {
            "true", "does", "next", "legal", "goal", "terminal", "init", "role",
        }  # fmt: skip
        relation = f"r_{name}" if known else f"p{self.numbers.setdefault(name, len(self.numbers))}"
        inside = ",".join(self.term(part) for part in arguments(sentence))
        return f"{relation}({inside})" if inside else relation

    def literal(self, literal: Literal) -> str:
        """Write a literal."""
        if name_of(literal.sentence) == "distinct":
            left, right = map(self.term, arguments(literal.sentence))
            return f"{left} \\== {right}"
        text = self.sentence(literal.sentence)
        return text if literal.positive else f"\\+ {text}"


def prolog_text(sheet: Sheet, seconds: float) -> str:
    """Write a sheet as a Prolog program that plays for so long."""
    names = Names()
    by_relation: dict[tuple[str, int], list[str]] = {}
    used: set[tuple[str, int]] = set()
    for rule in sheet.rules:
        if name_of(rule.head) in ("base", "input"):
            continue
        head = names.sentence(rule.head)
        # Negations and comparisons last: all of their variables are bound by then.
        bound = [
            each for each in rule.body if each.positive and name_of(each.sentence) != "distinct"
        ]
        rest = [each for each in rule.body if each not in bound]
        body = ", ".join(names.literal(each) for each in (*bound, *rest))
        key = (head.partition("(")[0], len(arguments(rule.head)))
        by_relation.setdefault(key, []).append(f"{head} :- {body}." if body else f"{head}.")
        used |= {
            (names.sentence(each.sentence).partition("(")[0], len(arguments(each.sentence)))
            for each in rule.body
        }
    keys = used | set(by_relation) | {("r_true", 1), ("r_does", 2), ("r_init", 1), ("r_goal", 2)}
    lines = [f":- dynamic({name}/{arity})." for name, arity in sorted(keys)]
    lines += [clause for clauses in by_relation.values() for clause in clauses]
    lines.append(f"roles([{','.join(map(names.term, sheet.roles))}]).")
    lines.append(f"seconds({seconds}).")
    return "\n".join([*lines, PLAY])


def play_prolog(sheet: Sheet, seconds: float) -> tuple[float, float]:
    """Return games and steps a second of SWI-Prolog."""
    if shutil.which("swipl") is None:
        raise TrellisError("swipl not found: install SWI-Prolog (Debian: swi-prolog)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.pl"
        path.write_text(prolog_text(sheet, seconds), encoding="ascii")
        found = subprocess.run(  # noqa: S603
            ["swipl", "-O", str(path)],  # noqa: S607
            capture_output=True, text=True, timeout=20 * seconds + 60,
            check=False,
        )  # fmt: skip
    words = found.stdout.split()
    if len(words) < 3:
        raise TrellisError(f"swipl failed: {(found.stderr.splitlines() or ['no output'])[0]}")
    games, steps, time = map(float, words[-3:])
    return games / time, steps / time
