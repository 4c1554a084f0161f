"""The tables of an emitted forward chaining program: who is told what about a fact."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from trellis.gdl.forward.emit import STANDING, Emitter, decides
from trellis.gdl.forward.join_tables import Facts, JoinTables, Memo, Pairs
from trellis.gdl.forward.plan import INPUTS
from trellis.gdl.language.terms import Term, arguments, name_of

Changed = Callable[[int], None]
Target = tuple[set[int], int]
Places = dict[str, list[tuple[JoinTables, int]]]  # joins that a fact takes part in, and where


class Wiring:
    """Puts the tables of a program into the dictionary in which it will run."""

    def __init__(self, emitter: Emitter, facts: Facts, names: dict[str, Any]) -> None:
        self._emitter, self._names = emitter, names
        keys, store = Facts(), emitter.plan.store
        self._tables = [JoinTables(join, store, facts, keys) for join in emitter.plan.joins]
        self._pairs = Pairs()
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
            table.changed = names[f"a{emitter.relation[table.join.name]}"]
            if emitter.circular(table.join) is not None:
                self._add_circular(number, table)
        for name in INPUTS:
            for number, function in enumerate([*emitter.classes[name], ""]):
                self._add(f"_{name}{number}", name, function)
        for name, number in emitter.relation.items():
            self._add(str(number), name, "")
        self._count_given()

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
            names[f"k{number}a"] = Memo(partial(table.keys, 0))
            names[f"k{number}b"] = Memo(partial(table.keys, 1))
            names[f"i{number}a"], names[f"i{number}b"] = table.sets
            names[f"h{number}"] = self._pairs.memo(table.pair_heads)

    def _add(self, label: str, name: str, function: Term) -> None:
        """Make the tables of one relation, or of one function of an input."""
        emitter = self._emitter
        places: Places = defaultdict(list)
        for number, join, place in emitter.met(name, function):
            places[emitter.kind(join, place)].append((self._tables[number], place))
        makers = {
            "c": self._alone, "w": self._awaited, "o": self._opposed, "s": self._stands,
            "m": self._joined, "v": self._deciding, "p": self._pointing, "r": self._held_ready,
            "l": self._letting_pass,
        }  # fmt: skip
        wanted = [
            partial(makers[table[0]], places, " once" if table[1:] else "")
            for table in emitter.tables(name, function)
        ]
        if len(wanted) == 1:
            self._names[f"t{label}"] = Memo(wanted[0])
        elif wanted:
            self._names[f"t{label}"] = Memo(lambda fact: tuple([make(fact) for make in wanted]))
        for once, letters in (("", "x"), (" once", "xx")):
            against: dict[int, list[Any]] = defaultdict(list)
            for table, _ in places["against" + once]:
                for fact, heads in table.always_opposites().items():
                    against[fact] += self._passed_on(table, heads, once)
            self._names[letters + label] = dict(against)

    def _passed_on(self, table: JoinTables, heads: Iterable[int], once: str) -> list[Any]:
        """Return heads, each with where it goes: what counts it, or the set it is put into."""
        return self._targets(heads) if once else [(h, table.changed) for h in heads]

    def _counter(self, table: JoinTables, once: str) -> tuple[Changed, ...]:
        """Return what to tell of heads that changed; nothing where they follow in one way only."""
        return () if once else (table.changed,)

    # --- what one fact is part of; the letters are those of the program's own explanation

    def _alone(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            each
            for table, _ in places["alone" + once]
            for each in self._passed_on(table, table.heads(fact), once)
        ]

    def _awaited(self, places: Places, once: str, fact: int) -> list[Any]:
        found = [
            (table.waiting[fact], *self._counter(table, once))
            for table, _ in places["awaited" + once]
            if table.fits_second(fact)
        ]
        return [waiting for (waiting,) in found] if once else found

    def _opposed(self, places: Places, once: str, fact: int) -> list[Any]:
        heads_of = self._targets if once else tuple
        return [
            (each, table.waiting[each], heads_of(heads), *self._counter(table, once))
            for table, _ in places["opposed" + once]
            for each, heads in table.opposites(fact)
        ]

    def _stands(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            table.sets[place][key]
            for kind, mine in places.items()
            if kind in STANDING
            for table, place in mine
            for key in table.keys(place, fact)
        ]

    def _joined(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            (table.sets[1 - place][key], heads, *self._counter(table, once))
            for table, place in places["joined" + once] + places["pointed" + once]
            for heads in [self._heads(table, place, fact, once)]
            for key in table.keys(place, fact)
        ]

    def _deciding(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            (table.sets[1 - place][key], heads, table.changed)
            for table, place in places["deciding"] + places["pointed and deciding"]
            for heads in [table.shared[place][fact]]
            if heads
            for key in table.keys(place, fact)
        ]

    def _pointing(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            (other, heads, *self._counter(table, once))
            for table, place in places["pointing" + once]
            for heads in [self._heads(table, place, fact, once)]
            for other in table.pointed(fact)
        ]

    def _held_ready(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            (table.ready[key], table.sets[1 - place][key], target, heads)
            for table, place in places["held ready"]
            for target, heads in self._one_target(table.shared[place][fact])
            for key in table.keys(place, fact)
        ]

    def _letting_pass(self, places: Places, once: str, fact: int) -> list[Any]:
        return [
            (table.sets[place][key], table.ready[key], target)
            for table, place in places["letting pass"]
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
        """Return the set that the facts of a query go to; its role is not a variable."""
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

    def _heads(self, table: JoinTables, place: int, fact: int, once: str) -> Memo:
        """Return the heads that a fact makes with others, by the other fact."""
        if decides(table.join)[1 - place] and not once:
            return table.shared[1 - place]

        def heads(other: int) -> Sequence[Any]:
            if place and table.joins_itself and other == fact:
                return ()  # the pair of a fact with itself is made at the first place
            made = table.pair_heads((other, fact) if place else (fact, other))
            return self._targets(made) if once else made

        return self._pairs.memo(heads)
