"""Variables that are likely misspelt: they stand only once in a rule.

That alone says little, since the language has no way to say "whatever it is" but a variable of its
own.  So one of three things must speak for a slip:

- the name stands nowhere else in the sheet, and is a letter away from another one of the rule
  (`?plaeyr` beside `?player`);
- two or more other sentences of the rule are of the same kind, and all have one and the same
  variable at that place (`(cell 1 ?r ?p) (cell 2 ?r ?p) (cell 3 ?s ?p)`);
- another rule is the same but for some names, and has there a variable that it uses again.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from trellis.gdl.language.kif import Form, parts_of
from trellis.gdl.language.mini import ARROWS, operator, split_statement
from trellis.gdl.language.terms import Finding

_SHORT = 4  # letters; shorter names differ by a letter because they mean different things
_ANYTHING = ("any", "ignore", "dont", "care", "_", "unused", "other", "some", "blank", "wild")
_MOST_RULES = 20_000  # that are compared with each other
_MOST_LEAVES = 400  # names in such a rule


class _Leaf(NamedTuple):
    """A name in a rule, and where it stands."""

    form: Form
    word: str


def misspelt_variables(forms: Sequence[Form], told: Container[int]) -> Iterator[Finding]:
    """Yield a warning for each variable that is likely misspelt.

    Rules whose numbers are in `told` have an error for their variables already.
    """
    leaves = [_leaves(form) for form in forms]
    in_sheet = Counter(leaf.word for rule in leaves for leaf in rule if leaf.word[:1] == "?")
    twins = _twins(forms, leaves)
    for number, (form, rule) in enumerate(zip(forms, leaves, strict=True)):
        counts = Counter(leaf.word for leaf in rule if leaf.word[:1] == "?")
        for leaf in () if number in told else rule:
            if counts.get(leaf.word) != 1:
                continue
            meant, why = _by_name(leaf.word, counts, in_sheet), ""
            if not meant:
                meant = _by_likes(form, leaf)
                why = " as in the other sentences like it"
            if not meant and number in twins:
                meant, line = _by_twin(rule, leaf, leaves[twins[number]], forms[twins[number]])
                why = f" as in the rule at line {line}"
            if meant:
                slip = f"{leaf.word} stands only once in its rule; did you mean {meant}{why}?"
                yield Finding(leaf.form.line, leaf.form.column, slip, fatal=False)


def _leaves(form: Form) -> list[_Leaf]:
    """Return the words of a rule, each where it stands."""
    return [_Leaf(part, part.value) for part in parts_of(form) if isinstance(part.value, str)]


# --- by its name


def _by_name(word: str, counts: Counter[str], in_sheet: Counter[str]) -> str:
    if in_sheet[word] > 1 or any(part in word for part in _ANYTHING):
        return ""
    near = (each for each in counts if each != word and _a_letter_apart(word[1:], each[1:]))
    return next(near, "")


def _a_letter_apart(one: str, two: str) -> bool:
    """Tell whether names differ by a slip of the finger: a letter more, less, other or swapped."""
    short, long = sorted((one, two), key=len)
    if len(long) > len(short) + 1:
        return False
    if len(short) < len(long):
        at = next((i for i, c in enumerate(short) if c != long[i]), len(short))
        if short[at:] != long[at + 1 :]:
            return False
        doubled = at > 0 and long[at] == long[at - 1]
        return doubled or (long[at].isalpha() and len(short) >= _SHORT - 1)
    differ = [i for i, c in enumerate(short) if c != long[i]]
    if len(short) < _SHORT or not all(short[i].isalpha() and long[i].isalpha() for i in differ):
        return False
    if len(differ) == 2:
        first, second = differ
        swapped = short[first] == long[second] and short[second] == long[first]
        return swapped and second == first + 1
    return len(differ) == 1 and differ[0] > 0


# --- by the sentences beside it


def _by_likes(form: Form, leaf: _Leaf) -> str:
    """Return the variable that all other sentences like this one have at that place.

    At every other place they must have names of things, or all the same variable.
    """
    _, body = split_statement(form)
    kinds: dict[tuple[str, ...], list[dict[tuple[int, ...], Form]]] = {}
    mine: tuple[str, ...] = ()
    place: tuple[int, ...] = ()
    for sentence in body:
        if operator(sentence)[0]:
            continue
        inner = dict(_paths(sentence))
        kind = tuple(_relations(sentence))
        kinds.setdefault(kind, []).append(inner)
        for path, word in inner.items():
            if word is leaf.form:
                mine, place = kind, path
    likes = kinds.get(mine, [])
    if not mine or len(likes) < 3:
        return ""
    meant = ""
    for path in likes[0]:
        words = [str(like[path].value) for like in likes if like.get(path)]
        if len(words) != len(likes):
            return ""
        if path == place:
            words.remove(leaf.word)
            meant = words[0]
        variables = {word for word in words if word[:1] == "?"}
        if variables and (len(variables) > 1 or words.count(words[0]) < len(words)):
            return ""
    return meant if meant[:1] == "?" else ""


def _relations(sentence: Form) -> Iterator[str]:
    """Yield the names of the relation and of the functions inside, with their arities."""
    for part in parts_of(sentence):
        if isinstance(part.value, tuple):
            yield f"{part.value[0].value}/{len(part.value)}"


def _paths(sentence: Form) -> Iterator[tuple[tuple[int, ...], Form]]:
    """Yield the names in a sentence, each with the way there."""
    work: list[tuple[tuple[int, ...], Form]] = [((), sentence)]
    while work:
        path, here = work.pop()
        if isinstance(here.value, str):
            yield path, here
        else:
            work += [((*path, place), part) for place, part in enumerate(here.value) if place]


# --- by a rule like it


def _skeleton(form: Form) -> tuple[object, ...]:
    """Return a rule without its names of things; names of relations and functions stay."""
    if isinstance(form.value, str):
        return ("?",) if form.value[:1] == "?" else ("c",)
    head = form.value[0]
    name = head.value if isinstance(head.value, str) else ""
    return (name, *map(_skeleton, form.value[1:]))


def _twins(forms: Sequence[Form], leaves: list[list[_Leaf]]) -> dict[int, int]:
    """Return for rules the number of one that is the same but for some names."""
    found: dict[int, int] = {}
    if len(forms) > _MOST_RULES:
        return found
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, form in enumerate(forms):
        parts = form.value
        if isinstance(parts, tuple) and parts[0].value in ARROWS:
            if len(leaves[number]) <= _MOST_LEAVES:
                alike.setdefault(_skeleton(form), []).append(number)
    for numbers in alike.values():
        for one, other in permutations(numbers, 2):
            if one not in found and _apart(leaves[one], leaves[other]) == 1:
                found[one] = other
    return found


def _apart(one: list[_Leaf], two: list[_Leaf]) -> int:
    """Count where the first rule has a variable of its own, and the second one of its others.

    Many where the rules differ in any other way.
    """
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    once = Counter(leaf.word for leaf in one)
    count = 0
    for a, b in zip(one, two, strict=True):
        if a.word[:1] != "?":
            continue
        if once[a.word] == 1 and b.word in back:
            count += 1
            continue
        if there.setdefault(a.word, b.word) != b.word or back.setdefault(b.word, a.word) != a.word:
            return len(one) + 1
    return count


def _by_twin(rule: list[_Leaf], leaf: _Leaf, other: list[_Leaf], there: Form) -> tuple[str, int]:
    pairs = list(zip(rule, other, strict=True))
    wanted = next(b.word for a, b in pairs if a is leaf)
    meant = (a.word for a, b in pairs if b.word == wanted and a is not leaf)
    return next(meant, ""), there.line
