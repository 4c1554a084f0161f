"""The tables of an emitted forward chaining program: who is told what about a fact."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from trellis.gdl.forward.emit import STANDING, Emitter, decides
from trellis.gdl.forward.join_tables import Facts, JoinTables, Memo, Pairs
from trellis.gdl.forward.plan import INPUTS
from trellis.gdl.language.terms import Term, arguments, name_of

Changed = Callable[[int], None]
Target = tuple[set[int], int]
Places = dict[str, list[tuple[int, JoinTables, int]]]


class Wiring:
    """Puts the tables of a program into the dictionary in which it will run."""

    def __init__(self, emitter: Emitter, facts: Facts, names: dict[str, Any]) -> None:
        self._emitter, self._names = emitter, names
        keys, store = Facts(), emitter.plan.store
        self._tables = [JoinTables(join, store, facts, keys) for join in emitter.plan.joins]
        self._pairs = Pairs()
        self._sets: list[tuple[defaultdict[int, set[int]], defaultdict[int, set[int]]]] = [
            (defaultdict(set), defaultdict(set)) for _ in self._tables
        ]
        self._ready: list[defaultdict[int, set[int]]] = [defaultdict(set) for _ in self._tables]
        self._waiting: list[defaultdict[int, dict[int, tuple[int, ...]]]] = [
            defaultdict(dict) for _ in self._tables
        ]
        self._shared = [(Memo(table.heads), Memo(table.second_heads)) for table in self._tables]
        self._facts = facts
        self._target = Memo(self._work_out_target)

    def run(self) -> None:
        """Make all tables, and count what holds from the beginning."""
        emitter, names = self._emitter, self._names
        for number in emitter.relation.values():
            changed: list[int] = []
            names[f"d{number}"], names[f"a{number}"] = changed, changed.append
            names[f"q{number}"] = set()
        for component in set(emitter.component.values()):
            names[f"p{component}"] = set()
        names["relation_of"] = Memo(lambda fact: emitter.relation[name_of(self._facts.terms[fact])])
        for number, table in enumerate(self._tables):
            if emitter.circular(table.join) is not None:
                self._add_circular(number, table)
        for name in INPUTS:
            for number, function in enumerate([*emitter.classes[name], ""]):
                self._add(f"_{name}{number}", name, function)
        for name, number in emitter.relation.items():
            self._add(str(number), name, "")
        self._count_given()

    def _changed(self, table: JoinTables) -> Changed:
        changed: Changed = self._names[f"a{self._emitter.relation[name_of(table.join.head)]}"]
        return changed

    def _count_given(self) -> None:
        holding = [self._facts.number(fact) for fact in dict.fromkeys(self._emitter.plan.given)]
        for table in self._tables:
            if table.join.second is None and not table.join.first.positive:
                for heads in table.always_opposites().values():
                    holding += heads
        for fact in holding:
            name = name_of(self._facts.terms[fact])
            if name in self._emitter.plan.once:
                target, element = self._target[fact]
                target.add(element)
            else:
                self._facts.counts[fact] += 1
                self._names[f"a{self._emitter.relation[name]}"](fact)

    def _add_circular(self, number: int, table: JoinTables) -> None:
        names, second = self._names, table.join.second
        if second is None:
            names[f"c{number}j"] = Memo(table.heads)
        elif not second.positive:
            names[f"o{number}j"] = Memo(table.opposites)
        else:
            names[f"k{number}a"] = Memo(table.first_keys)
            names[f"k{number}b"] = Memo(table.second_keys)
            names[f"i{number}a"], names[f"i{number}b"] = self._sets[number]
            names[f"h{number}"] = self._pairs.memo(table.pair_heads)

    def _add(self, label: str, name: str, function: Term) -> None:
        """Make the tables of one relation, or of one function of an input."""
        emitter = self._emitter
        places: Places = defaultdict(list)
        for number, join, place in emitter.met(name, function):
            places[emitter.kind(join, place)].append((number, self._tables[number], place))
        makers = {
            "c": self._alone,
            "cc": self._alone_once,
            "w": self._awaited,
            "ww": self._awaited_once,
            "o": self._opposed,
            "oo": self._opposed_once,
            "s": self._stands,
            "m": self._joined,
            "v": self._deciding,
            "mm": self._joined_once,
            "p": self._pointing,
            "pp": self._pointing_once,
            "r": self._held_ready,
            "l": self._letting_pass,
        }
        wanted = [makers[table] for table in emitter.tables(name, function)]
        if len(wanted) == 1:
            self._names[f"t{label}"] = Memo(lambda fact: wanted[0](places, fact))
        elif wanted:
            self._names[f"t{label}"] = Memo(
                lambda fact: tuple([make(places, fact) for make in wanted])
            )
        against: dict[int, list[tuple[int, Changed]]] = defaultdict(list)
        for _, table, _ in places["against"]:
            for fact, heads in table.always_opposites().items():
                against[fact] += [(head, self._changed(table)) for head in heads]
        self._names[f"x{label}"] = dict(against)
        once: dict[int, list[Target]] = defaultdict(list)
        for _, table, _ in places["against once"]:
            for fact, heads in table.always_opposites().items():
                once[fact] += self._targets(heads)
        self._names[f"xx{label}"] = dict(once)

    # --- what one fact is part of; the letters are those of the program's own explanation

    def _alone(self, places: Places, fact: int) -> list[Any]:
        return [
            (head, self._changed(table))
            for _, table, _ in places["alone"]
            for head in table.heads(fact)
        ]

    def _alone_once(self, places: Places, fact: int) -> list[Any]:
        return [
            target
            for _, table, _ in places["alone once"]
            for target in self._targets(table.heads(fact))
        ]

    def _awaited(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._waiting[number][fact], self._changed(table))
            for number, table, _ in places["awaited"]
            if table.fits_second(fact)
        ]

    def _awaited_once(self, places: Places, fact: int) -> list[Any]:
        return [
            self._waiting[number][fact]
            for number, table, _ in places["awaited once"]
            if table.fits_second(fact)
        ]

    def _opposed(self, places: Places, fact: int) -> list[Any]:
        return [
            (each, self._waiting[number][each], heads, self._changed(table))
            for number, table, _ in places["opposed"]
            for each, heads in table.opposites(fact)
        ]

    def _opposed_once(self, places: Places, fact: int) -> list[Any]:
        return [
            (each, self._waiting[number][each], self._targets(heads))
            for number, table, _ in places["opposed once"]
            for each, heads in table.opposites(fact)
        ]

    def _stands(self, places: Places, fact: int) -> list[Any]:
        return [
            self._sets[number][place][key]
            for kind, mine in places.items()
            if kind in STANDING
            for number, table, place in mine
            for key in table.keys(place, fact)
        ]

    def _joined(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._sets[number][1 - place][key], heads, self._changed(table))
            for number, table, place in places["joined"] + places["pointed"]
            for heads in [self._heads(number, place, fact)]
            for key in table.keys(place, fact)
        ]

    def _deciding(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._sets[number][1 - place][key], heads, self._changed(table))
            for number, table, place in places["deciding"] + places["pointed and deciding"]
            for heads in [self._shared[number][place][fact]]
            if heads
            for key in table.keys(place, fact)
        ]

    def _joined_once(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._sets[number][1 - place][key], heads)
            for number, table, place in places["joined once"] + places["pointed once"]
            for heads in [self._heads(number, place, fact, self._targets)]
            for key in table.keys(place, fact)
        ]

    def _pointing(self, places: Places, fact: int) -> list[Any]:
        return [
            (other, heads, self._changed(table))
            for number, table, place in places["pointing"]
            for heads in [self._heads(number, place, fact)]
            for other in table.pointed(fact)
        ]

    def _pointing_once(self, places: Places, fact: int) -> list[Any]:
        return [
            (other, heads)
            for number, table, place in places["pointing once"]
            for heads in [self._heads(number, place, fact, self._targets)]
            for other in table.pointed(fact)
        ]

    def _held_ready(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._ready[number][key], self._sets[number][1 - place][key], target, heads)
            for number, table, place in places["held ready"]
            for target, heads in self._one_target(self._shared[number][place][fact])
            for key in table.keys(place, fact)
        ]

    def _letting_pass(self, places: Places, fact: int) -> list[Any]:
        return [
            (self._sets[number][place][key], self._ready[number][key], target)
            for number, table, place in places["letting pass"]
            for target in [self._set_of(table.join.head)]
            for key in table.keys(place, fact)
        ]

    def _one_target(self, heads: Iterable[int]) -> list[tuple[set[int], set[int]]]:
        """Return the set that all these heads go to, with what they are there."""
        targets = self._targets(heads)
        return [(targets[0][0], {element for _, element in targets})] if targets else []

    def _targets(self, heads: Iterable[int]) -> list[Target]:
        return [self._target[head] for head in heads]

    def _set_of(self, head: Term) -> set[int]:
        """Return the set that the facts of a query go to; its role is no variable."""
        if name_of(head) == "next":
            future: set[int] = self._names["future"]
            return future
        moves: set[int] = self._names["moves_of"][arguments(head)[0]]
        return moves

    def _work_out_target(self, head: int) -> Target:
        """Return the set that a query's fact goes to, and as what."""
        if name_of(self._facts.terms[head]) == "next":
            return self._names["future"], self._names["true_of"][head]
        target: Target = self._names["move_of"][head]
        return target

    def _heads(
        self,
        number: int,
        place: int,
        fact: int,
        then: Callable[[tuple[int, ...]], Sequence[Any]] = tuple,
    ) -> Memo:
        """Return the heads that a fact makes with others, by the other fact."""
        table = self._tables[number]
        if decides(table.join)[1 - place] and then is tuple:
            return self._shared[number][1 - place]
        if place == 0:
            return self._pairs.memo(lambda other: then(table.pair_heads((fact, other))))
        if table.joins_itself:  # the pair of a fact with itself is made at the first place
            return self._pairs.memo(
                lambda other: then(table.pair_heads((other, fact)) if other != fact else ())
            )
        return self._pairs.memo(lambda other: then(table.pair_heads((other, fact))))
