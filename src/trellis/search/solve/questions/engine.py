"""Questions about one position, one after the other, until its value is known.

>>> from trellis.loading import load
>>> search = Questions(load("tic_tac_toe").start())
>>> search.run()
>>> search.bounds
(0.0, 0.0)
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding
from trellis._kernel.jit import kernel, plain, ready
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.bits import seeded
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position, position_of
from trellis.game.memory import MIB
from trellis.game.playouts import refuse_failure
from trellis.game.rules import State, Tables
from trellis.search.budget import refuse_over
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions import table as t
from trellis.search.solve.questions.alphabeta import alpha_beta, ask_table
from trellis.search.solve.questions.children import name_slot
from trellis.search.solve.questions.dfpn import proof_numbers
from trellis.search.solve.questions.layout import QuestionCalls, Work
from trellis.search.solve.questions.rating import rate_moves
from trellis.search.solve.questions.root import Root
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.questions.setup import (
    make_facts,
    no_hint,
    refuse_unsuited,
    usable_symmetries,
)
from trellis.search.solve.questions.table import ProofTable

_FIRST_SLICE = 512
_TURN = 20_000  # positions looked at for one of two questions before the other has its turn
_SLICE_SECONDS = 0.05
_PLAIN_GAMES = 20  # random games of rules in plain Python that rate moves
_RATED_AT = 1 << 36  # above killers and history: ratings come first
_ANY_NUMBER = 1 << 60
_TABLES_KEPT = 3  # of df-pn: a table is about one question
_SEARCHED = 1 << 12

METHODS = ("alphabeta", "dfpn")


@kernel(entry=True, lean=True)
def _begin(calls: QuestionCalls, tables: Tables, work: Work, table: ProofTable) -> bool:
    """Name the root, and tell whether the table knows the answer."""
    name_slot(calls, tables, work, 0)
    return ask_table(work, table, 0)


@dataclass
class Stack:
    """One thread's search for the answer to one question."""

    target: int
    work: Work
    tables: Tables


class Questions(Root):
    """A search for the value of one position; what it has learned stays."""

    def __init__(
        self,
        start: Game | Position | str,
        settings: QuestionSettings | None = None,
        *,
        method: str = "alphabeta",
        seed: int = 0,
    ) -> None:
        super().__init__(position_of(start))
        self.settings = settings or QuestionSettings()
        self.method, self.seed = method, seed
        refuse_unsuited(self.game)
        refuse_over(self.position, "solve")
        if method not in METHODS:
            raise BadParameter(f"bad method {method!r}: expected one of {', '.join(METHODS)}")
        if method == "dfpn" and self.settings.threads > 1:
            raise BadParameter("df-pn runs in one thread: expected threads=1, or alphabeta")
        self.facts = make_facts(self.game, self.settings, method)
        self._kept = np.flatnonzero(self.game.identity)
        self._symmetries = usable_symmetries(self.game, self.settings)
        self.seconds = 0.0
        self.asked: list[int] = []  # targets, in the order in which they were asked first
        self._rated = np.zeros(2 * max(self.game.move_codes, 1), np.int64)
        self._shared = {
            "searching": np.zeros(_SEARCHED, np.uint64), "stop": np.zeros(1, np.uint64)
        }  # fmt: skip
        hint = ready(self.game.rules.hint or no_hint)
        self._calls = calls_of(self.game, QuestionCalls, hint)
        self._tables = [self.game.own_tables() for _ in range(self.settings.threads)]
        self._proofs: dict[int, ProofTable] = {}  # by target; alpha-beta has one for all
        self._stored: dict[int, int] = {}  # entries of each table
        self._stacks: dict[int, list[Stack]] = {}  # by target: one for each thread
        self._turn, self._turn_left = -1, 0
        self._spent = 0  # positions looked at by searches that were given up
        self._replaced = 0
        self._is_rated = False

    # -- what does not change --------------------------------------------------------------------

    def _make_work(self, state: State) -> Work:
        payoffs, labels = self.labels.arrays()
        work = y.make_work(
            self.facts, kept=self._kept, identity=self.game.identity, symmetries=self._symmetries,
            payoffs=payoffs, labels=labels, rated=self._rated, **self._shared,
        )  # fmt: skip
        work.states[: self.facts.words] = state
        return work

    def _compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return ready(function) if self.game.compiled else plain(function)

    def _rate(self, seconds: float | None) -> None:
        """Play random games: they order moves, and tell which payoffs there are.

        Games in plain Python that are slow are left when the time is up, or somebody asks to stop.
        """
        if self._is_rated:
            return
        self._is_rated = True
        games = self.settings.rating_games
        if not self.facts.rated:
            games = min(games, 200)
        if not self.game.compiled:
            games = min(games, _PLAIN_GAMES)
        work, rng = self._make_work(self.position.state), seeded(self.seed)
        sums, counts = np.zeros((2, len(self._rated)))
        ends, run = np.zeros(games), self._compiled(rate_moves)
        until = None if seconds is None else perf_counter() + seconds
        slices, done = Slices(64 if self.game.compiled else 1, units=games, seconds=seconds), 0
        for size in slices:
            try:
                with np.errstate(over="ignore"), heeding(until):
                    failure = run(
                        self._calls, self._tables[0], work, rng, size, done, sums, counts, ends
                    )
            except TimeIsUp:
                break
            refuse_failure(self.game, int(failure), None)
            slices.finish(size)
            done += size
            if slices.over:
                break
        least, greatest = self.game.payoff_range
        self.ends = sorted(float(end) for end in ends[:done] if least <= end <= greatest)
        for end in dict.fromkeys(self.ends):
            self.labels.add(end)
        if self.facts.rated:
            part = (sums / np.maximum(counts, 1) - least) / (greatest - least)
            self._rated[:] = (np.nan_to_num(part) * (counts > 0) * 1000).astype(np.int64)
            self._rated *= _RATED_AT

    # -- what is known ---------------------------------------------------------------------------

    @property
    def nodes(self) -> int:
        """Return how many positions were looked at."""
        stacks = [stack for each in self._stacks.values() for stack in each]
        return self._spent + sum(int(stack.work.now[0].nodes) for stack in stacks)

    @property
    def replaced(self) -> int:
        """Return how many entries of tables made room for others."""
        stacks = [stack for each in self._stacks.values() for stack in each]
        return self._replaced + sum(int(stack.work.now[0].replaced) for stack in stacks)

    @property
    def bytes(self) -> int:
        """Return how much memory tables take."""
        return sum(table.bytes for table in self._proofs.values())

    @property
    def filled(self) -> float:
        """Return which part of the places of the tables is taken."""
        places = sum(table.places for table in self._proofs.values())
        return sum(self._stored.values()) / places if places else 0.0

    # -- searching -------------------------------------------------------------------------------

    def run(
        self,
        nodes: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Go on until the value is known, or about so many positions or seconds are spent."""
        slices = Slices(_FIRST_SLICE, units=nodes, seconds=seconds, each=_SLICE_SECONDS)
        before = self.seconds
        self._rate(seconds)
        for size in slices:
            if self.solved:
                break
            targets = self.next_targets()
            for gone in self._stacks.keys() - set(targets):  # answered by what was found since
                self._drop(self._stacks.pop(gone))
            for target in targets:
                if target not in self._stacks:
                    self._stacks[target] = self._put(self.position.state, target)
                    self.asked.append(target)
            done = self._take_turns(targets, size, slices)
            slices.finish(max(1, done))
            self.seconds = before + slices.elapsed
            if progress is not None:
                progress(slices.fraction, self.note())
            if slices.over:
                break

    def _take_turns(self, targets: list[int], size: int, slices: Slices) -> int:
        """Have questions searched for a while; return how many positions were looked at.

        With one thread each has its turn, of a fixed number of positions: the clock has no say.
        """
        threads, before = self.settings.threads, self.nodes
        deadline = None if slices.left == inf else perf_counter() + slices.left
        if threads == 1:
            if self._turn_left <= 0 or self._turn >= len(targets):
                self._turn = (self._turn + 1) % len(targets)
                self._turn_left = _TURN
            stacks = [self._stacks[targets[self._turn]][0]]
            size = min(size, self._turn_left)
        else:
            stacks = [self._stacks[targets[i % len(targets)]][i] for i in range(threads)]
        for stack in self._search(stacks, size, deadline):
            self._turn_left = 0
            if stack.target in self._stacks:
                self._drop(self._stacks.pop(stack.target))
                now = stack.work.now[0]
                low, high = int(now.found_low), int(now.found_high)
                self.take(low, high)
                self.note_best(stack.target, low, high, int(stack.work.killers[0]))
        done = self.nodes - before
        self._turn_left -= done
        return done

    def move_bounds(self) -> dict[str, tuple[float, float]]:
        """Return what the table knows of each move of the root: what player 0 gets after it."""
        found, position = {}, self.position
        work = self._make_work(position.state)
        work.now[0].target = y.MOST
        for code in position.move_codes():
            after = position.play(code)
            low, high = y.LEAST, y.MOST
            if after.is_over:
                low = high = self.label_of_end(after)
            elif self._proofs and self.method == "alphabeta":
                work.states[: self.facts.words] = after.state
                work.lows[0], work.highs[0] = y.LEAST, y.MOST
                with np.errstate(over="ignore"):
                    table = self._table_for(0)
                    self._compiled(_begin)(self._calls, self._tables[0], work, table)
                low, high = int(work.now[0].found_low), int(work.now[0].found_high)
            found[position.name(code)] = self.labels.payoff(low), self.labels.payoff(high)
        return found

    # -- checkpoints -----------------------------------------------------------------------------

    @property
    def naming(self) -> list[int]:
        """Return what decides how positions are named in tables."""
        kept = [int(word) for word in self._kept]
        images = [int(index) for index in self._symmetries]
        return [self.facts.name_words, int(self.facts.exact_key), *images, -1, *kept]

    def snapshot(self) -> tuple[dict[str, Any], dict[int, Any]]:
        """Return all that is known, as JSON and as tables by target."""
        tables = {target: table.used for target, table in self._proofs.items()}
        known = {
            "method": self.method, "naming": self.naming, "low": self.low, "high": self.high,
            "labels": self.labels.pairs(), "nodes": self.nodes, "seconds": self.seconds,
            "targets": list(tables), "words": [len(table) for table in tables.values()],
            "stored": [self._stored[target] for target in tables],
        }  # fmt: skip
        return known, tables

    def restore(self, known: dict[str, Any], tables: list[Any]) -> None:
        """Go on from what another run of the same search has found."""
        if known["naming"] != self.naming or known["method"] != self.method:
            raise BadParameter(
                f"the checkpoint is of a {known['method']} search with other symmetries: expected "
                "the same settings"
            )
        self.question = None  # its label may be another one now
        self.labels.restore(known["labels"])
        for end in dict.fromkeys(self.ends):
            self.labels.add(end)
        self.take(known["low"], known["high"])
        self._spent, self.seconds = known["nodes"], known["seconds"]
        for target, words, stored in zip(known["targets"], tables, known["stored"], strict=True):
            self._table_for(target).load(words)
            self._stored[self._about(target)] = stored

    # -- what is asked first ---------------------------------------------------------------------

    def forget(self) -> None:
        """Give the memory of tables and stacks back; what is proven of the root stays."""
        for stacks in self._stacks.values():
            self._drop(stacks)
        self._stacks.clear()
        self._proofs.clear()
        self._stored.clear()

    def allow(self, mebibytes: float) -> None:
        """Let the table of alpha-beta grow to so much memory, as far as the settings allow."""
        self._table_for(0).allow(mebibytes)

    def ask(
        self, state: State, target: int, nodes: int, seconds: float | None = None
    ) -> tuple[int, int] | None:
        """Return bounds of a position that answer whether player 0 gets at least the target.

        None where that took more than was allowed, or somebody has asked to stop.
        """
        if not y.LEAST < target <= y.MOST:
            return y.LEAST, y.MOST  # nobody gets less than the least, or more than the greatest
        self._rate(seconds)
        stack = self._put(state, target)[:1]
        slices = Slices(_FIRST_SLICE, units=nodes, seconds=seconds, each=_SLICE_SECONDS)
        for size in slices:
            before = int(stack[0].work.now[0].nodes)
            deadline = None if slices.left == inf else perf_counter() + slices.left
            answered = self._search(stack, size, deadline)
            now = stack[0].work.now[0]
            slices.finish(max(1, int(now.nodes) - before))
            if answered or slices.over:
                self._drop(stack)
                return (int(now.found_low), int(now.found_high)) if answered else None
        return None

    def _put(self, state: State, target: int) -> "list[Stack]":
        """Put a question about a position to every thread."""
        table, found = self._table_for(target), []
        for tables in self._tables:
            work = self._make_work(state)
            now = work.now[0]
            now.target, now.room = target, self._room(target, table)
            work.lows[0], work.highs[0] = y.LEAST, y.MOST
            with np.errstate(over="ignore"):
                known = self._compiled(_begin)(self._calls, tables, work, table)
            now.asked_low, now.asked_high = now.found_low, now.found_high
            now.asked_pn = now.asked_dn = y.INFINITE
            now.entering = not known or self.method == "dfpn"
            found.append(Stack(target, work, tables))
        return found

    def _drop(self, stacks: "list[Stack]") -> None:
        """Count what searches have done that are over."""
        for stack in stacks:
            self._spent += int(stack.work.now[0].nodes)
            self._replaced += int(stack.work.now[0].replaced)

    def _search(self, stacks: "list[Stack]", size: int, deadline: float | None) -> "list[Stack]":
        """Search for a slice, a thread a stack; return those that have their answer.

        Afterwards tables have grown that were full, and new payoffs have labels.
        """
        search = self._compiled(alpha_beta if self.method == "alphabeta" else proof_numbers)
        stop = self._shared["stop"]
        stop[0] = 0

        def run(stack: Stack) -> int:
            table = self._table_for(stack.target)
            with np.errstate(over="ignore"):
                status = int(search(self._calls, stack.tables, stack.work, table, size))
            if status != y.MORE:
                stop[0] = 1
            return status

        if len(stacks) == 1:
            try:
                with heeding(deadline):
                    statuses = [run(stacks[0])]
            except TimeIsUp:  # rules in plain Python: what was being opened is opened again
                statuses = [y.MORE]
        else:
            with ThreadPoolExecutor(len(stacks)) as pool:
                statuses = list(pool.map(run, stacks))
        for stack, status in zip(stacks, statuses, strict=True):
            if status == y.NEW_PAYOFF:
                self.add_payoff(float(stack.work.now[0].payoff), stacks)
            elif status not in (y.MORE, y.ANSWERED):
                self._refuse(status, stack.work)
        self._make_room(stacks)
        return [s for s, status in zip(stacks, statuses, strict=True) if status == y.ANSWERED]

    def _table_for(self, target: int) -> ProofTable:
        """Return the table in which the answers to a question are."""
        about = self._about(target)
        if about not in self._proofs:
            while len(self._proofs) >= _TABLES_KEPT:
                oldest = next(iter(self._proofs))
                del self._proofs[oldest], self._stored[oldest]
            memory = self.settings.memory
            if self.method == "dfpn":
                memory /= _TABLES_KEPT
            self._proofs[about] = t.make_table(
                memory, self.facts.name_words, locked=self.settings.threads > 1
            )
            self._stored[about] = 0
        return self._proofs[about]

    def _room(self, target: int, table: ProofTable) -> int:
        """Return how many entries may be added before a table grows, or forgets some."""
        if table.can_grow:
            limit = table.enough
        elif self.method == "dfpn":
            limit = table.too_many
        else:
            return _ANY_NUMBER  # the cheapest entry of a line goes
        return max(1, (limit - self._stored[self._about(target)]) // self.settings.threads)

    def _make_room(self, stacks: "list[Stack]") -> None:
        """Have tables that are full grow, or forget what cost least."""
        for stack in stacks:
            about, now = self._about(stack.target), stack.work.now[0]
            table = self._proofs[about]
            self._stored[about] += int(now.stored)
            now.stored = 0
            with np.errstate(over="ignore"):
                while self._stored[about] >= table.enough and table.can_grow:
                    self._compiled(t.double)(table, 0)
                if self.method == "dfpn" and self._stored[about] >= table.too_many:
                    collect = self._compiled(t.drop_cheapest)
                    self._stored[about] = int(collect(table, self._stored[about]))
            now.room = self._room(stack.target, table)

    def _about(self, target: int) -> int:
        """Return which table is about a question: alpha-beta has one for all of them."""
        return target if self.method == "dfpn" else 0

    def add_payoff(self, payoff: float, more: "list[Stack] | None" = None) -> None:
        """Give a payoff a label, and tell all stacks."""
        known = len(self.labels)
        self.labels.add(payoff)
        if len(self.labels) == known:
            return
        payoffs, labels = self.labels.arrays()
        stacks = [stack for each in self._stacks.values() for stack in each]
        for stack in {id(each): each for each in [*stacks, *(more or [])]}.values():
            fields = [name for name, _ in Work.kernel_type.fields]
            changed = {"payoffs": payoffs, "labels": labels}
            stack.work = Work(*(changed.get(name, getattr(stack.work, name)) for name in fields))

    def _refuse(self, status: int, work: Work) -> None:
        """Raise the error behind the end of a kernel."""
        slot, words = int(work.now[0].asked), self.facts.words
        state = work.states[slot * words : (slot + 1) * words]
        if status == y.OPEN_END:
            raise LimitReached(
                f"an end of {self.game.spec} leaves open what it pays: expected --method bounds"
            )
        refuse_failure(self.game, status, state)
        raise AssertionError(f"a search ended with status {status}")

    def note(self) -> str:
        """Say for people how far it is."""
        low, high = self.bounds
        return (
            f"{self.nodes:,} positions, {low:g} to {high:g}, "
            f"table {self.bytes / MIB:,.0f} MiB, {self.filled:.0%} full"
        )
