"""A depth-first search of one position of a game of chance, or of one without.

>>> from trellis.loading import load
>>> report = StarSearch(load("dice:m=3,k=3").start()).run(depth=18)
>>> round(report.value, 6), report.solved
(0.347451, True)
"""

from collections.abc import Callable
from dataclasses import asdict
from math import nan
from time import perf_counter
from typing import Unpack

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding
from trellis._kernel.garbage import punctual
from trellis._kernel.jit import JIT_DISABLED, plain
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.calls import calls_of, is_quick
from trellis.game.errors import BadParameter, TrellisError, counted, shorten
from trellis.game.evaluation import Evaluation, no_evaluation
from trellis.game.game import Game, Position, position_of
from trellis.game.glance import glance
from trellis.search.budget import check_depth_budget, refuse_many_values, refuse_over
from trellis.search.report import MoveReport, Report, proven_of_all, sum_of_two
from trellis.search.star import frame as f
from trellis.search.star import table as t
from trellis.search.star.frame import Params, Stack, StarCalls, make_stack
from trellis.search.star.kernel import run as run_kernel
from trellis.search.star.node import usable
from trellis.search.star.parallel import search_together
from trellis.search.star.settings import StarOptions, StarSettings, star_settings
from trellis.search.star.table import BoundTable

# Values closer than this part of the range are the same; rounding adds up to less.
_ROUNDING = 1e-13
_NARROWEST = 1e-10
_FIRST_SLICE = 16  # positions: nobody knows yet how long one takes
_AGES = 127
_LEAST_ROOM = 8  # plies
_MOST_THREADS = 64
_MOST_PLIES = 1000  # that are tried while there is time
_WORTH_THREADS = 0.02  # seconds that all searches less deep took
_SAME = 1e-9  # bounds so close are one value to people

Notes = dict[int, tuple[float, float, int]]  # by move: bounds, and which hold to the end


class StarSearch:
    """A search that can be run to one depth after another; its table stays.

    A `table` that is handed over must be empty, or know nothing but what searches of the same game
    have left there, one at a time: what it says may be called the value of the game.
    """

    def __init__(
        self,
        start: Game | Position | str,
        settings: StarSettings | str = "star2tt",
        evaluation: Evaluation | None = None,
        *,
        seed: int = 0,
        table: BoundTable | None = None,
        **changes: Unpack[StarOptions],
    ) -> None:
        position = position_of(start)
        if isinstance(settings, str):
            settings = star_settings(settings)
        self.settings = settings.replace(**changes)
        self.game = position.game
        self.evaluation = evaluation
        self.seed = seed
        refuse_unfit(self.game)
        self.tables = self.game.own_tables()
        low, high = self.game.payoff_range
        if evaluation is not None:
            low, high = min(low, evaluation.low), max(high, evaluation.high)
        self.range = float(low), float(high)
        # Where play may go round, positions come up at many depths and would push each other out.
        self._by_depth = self.game.max_plies is None and not self.settings.deeper
        self.number = 0  # among threads
        self.halted = False  # set from elsewhere, it ends a search at the next slice
        self.rounding = _ROUNDING * (self.range[1] - self.range[0])
        size = self.settings.memory if self.settings.uses_table else 0.001
        self.table = table if table is not None else t.make_table(size)
        self.nodes = self.leaves = self.age = 0
        self.seconds = 0.0
        self.nodes_by_depth: list[int] = []  # of the last run, up to each depth that was reached
        self._deepest = 0
        self._sharing = 1  # threads at most that have used the table at once
        self.stack: Stack  # made when it is known how deep it has to be
        self._make_calls()
        self.set_position(position)
        self._rehearse()

    def _make_calls(self) -> None:
        judge = self.evaluation or Evaluation("", no_evaluation, 0.0, 1.0)
        self._weights = np.ascontiguousarray(judge.weights, np.float64)
        self._calls: StarCalls = calls_of(self.game, StarCalls, judge.function)
        self._run = run_kernel if self.game.compiled else plain(run_kernel)

    def _rehearse(self) -> None:
        """Have all code loaded before a clock runs: the kernel looks at no position at all."""
        self._make_room(_LEAST_ROOM)
        self.stack.registers[0].entering = True
        self._run(self._calls, self.tables, self._weights, self.stack, self.table, 0)

    def set_position(self, position: Position) -> None:
        """Search another position of the same game; what the table knows stays."""
        refuse_over(position)
        self.position = position

    def _make_room(self, depth: int) -> None:
        keeps_words = self.table.words_kept > 0
        if depth <= self._deepest and (not keeps_words or len(self.stack.child_states) > 0):
            return
        game, before = self.game, self.stack if self._deepest else None
        if depth > self._deepest:  # room for more, so as not to make it anew at every depth
            self._deepest = max(depth, min(2 * self._deepest, t.DEEPEST), _LEAST_ROOM)
        self.stack = make_stack(
            self._make_params(), self._deepest, game.state_words, game.max_moves, game.move_codes,
            game.players, keeps_words=keeps_words, compiled=game.compiled and not JIT_DISABLED,
        )  # fmt: skip
        if before is not None:  # what was learned of moves serves at every depth
            self.stack.killers[: len(before.killers)] = before.killers
            self.stack.history[:] = before.history

    def _make_params(self) -> Params:
        """Return the settings as kernels take them, without what could not serve."""
        settings, prune, (low, high) = self.settings, self.settings.prune, self.range
        derived = {
            "etc_chance": settings.etc_chance if settings.takes_bounds else 0,
            "etc_moves": settings.etc_moves if settings.takes_bounds else 0,
            # Where nothing is left out, no order is better than another.
            "table_move": settings.table_move and prune,
            "killers": settings.killers and prune,
            "history": settings.history and prune,
            # Guesses come from looking outcomes up; with an entry for each depth there are none.
            "chance_null_window": settings.chance_null_window and prune and not self._by_depth,
            "reuse_probe": settings.reuse_probe and prune,
            "by_depth": self._by_depth,
            "has_evaluation": self.evaluation is not None,
            "seed": self.seed & ((1 << 62) - 1),
            "least": low,
            "most": high,
            "middle": 0.5 * (low + high),
            "rounding": self.rounding,
            "narrowest": _NARROWEST * (high - low),
            "constant_sum": self.game.constant_sum or 0.0,
        }
        return Params(**(asdict(settings) | derived))

    # -- searching --------------------------------------------------------------------------

    def search(
        self,
        depth: int,
        alpha: float | None = None,
        beta: float | None = None,
        deadline: float | None = None,
        spent: Callable[[], None] | None = None,
    ) -> tuple[float, float, int] | None:
        """Search the position to one depth within a window.

        Returns a lower and an upper bound of the value and which of them hold to the end of the
        game; None where the deadline came first.  That they do may rest on hashes; `run` sees to it
        that nothing is called solved that does.
        """
        check_depth_budget(depth, None, t.DEEPEST)
        self._make_room(depth)
        stack, (low, high) = self.stack, self.range
        registers = stack.registers[0]
        registers.top = registers.nodes = registers.leaves = 0
        registers.entering, registers.asked_depth, registers.asked_limit = True, depth, 0
        registers.asked_alpha = low if alpha is None else alpha
        registers.asked_beta = high if beta is None else beta
        registers.age, registers.thread = self.age, self.number
        stack.state[:] = self.position.state
        stack.moves[: self.game.max_moves] = -1
        nodes, leaves, spent_before = self.nodes, self.leaves, self.seconds
        left = None if deadline is None else deadline - perf_counter()
        slices = Slices(_FIRST_SLICE, seconds=left)
        for size in slices:
            at = int(registers.nodes)
            # Hashes wrap around; in plain Python with a warning.
            with np.errstate(over="ignore"), heeding(deadline):
                try:
                    status = int(
                        self._run(
                            self._calls, self.tables, self._weights, stack, self.table, at + size
                        )
                    )
                except TimeIsUp:  # rules in plain Python; what the table has learned stays true
                    status = f.MORE
            slices.finish(size)
            self.nodes = nodes + int(registers.nodes)
            self.leaves = leaves + int(registers.leaves)
            self.seconds = spent_before + slices.elapsed
            if status == f.DONE:
                break
            self._refuse_failure(status)
            if spent is not None:
                spent()
            if self.halted or slices.over:
                return None
        return (
            float(registers.found_low) + 0.0,
            float(registers.found_high) + 0.0,
            int(registers.found_marks),
        )

    def _refuse_failure(self, status: int) -> None:
        if status == f.MORE:
            return
        low, high = self.range
        if status == f.BAD_EVALUATION and self.evaluation is not None:
            raise TrellisError(
                f"the evaluation {shorten(self.evaluation.name)} left its bounds "
                f"{low:g} to {high:g} in {self.game.spec}"
            )
        if status == f.BAD_PAYOFF:
            total = self.game.constant_sum
            both = f", or the sum {total:g} of both" if self.game.players == 2 else ""
            raise TrellisError(
                f"a payoff of {self.game.spec} left its range {low:g} to {high:g}{both}"
            )
        if status == f.BAD_CHANCES:
            raise TrellisError(
                f"the probabilities of a chance node of {self.game.spec} do not add up to 1, or "
                "some are below 0"
            )
        raise AssertionError(f"a search ended with status {status}")

    def run(
        self,
        depth: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
        threads: int = 1,
    ) -> Report:
        """Search to a depth, or one ply deeper each time while there are seconds left.

        At least one ply is always searched whole, except of a game in plain Python.  Several
        threads share out the rolls of the dice; the value stays the same, how many nodes it takes
        does not.
        """
        check_depth_budget(depth, seconds, t.DEEPEST)
        with punctual(seconds):
            return self._deepen(depth, seconds, progress, threads)

    def _deepen(
        self, depth: int | None, seconds: float | None, progress: Progress | None, threads: int
    ) -> Report:
        """Search to one depth after the other."""
        if not 1 <= threads <= _MOST_THREADS:
            raise BadParameter(f"bad number of threads {threads}: expected 1 to {_MOST_THREADS}")
        self.age = self.age % _AGES + 1
        self.nodes = self.leaves = 0
        self.nodes_by_depth = []
        self.seconds = 0.0
        last = depth or min(self.game.max_plies or t.DEEPEST, _MOST_PLIES)
        first = 1 if self.settings.iterative_deepening or seconds is not None else last
        deadline = None if seconds is None else perf_counter() + seconds
        found, reached, best = (*self.range, 0), 0, -1
        notes: Notes = {}
        self._sharing = max(self._sharing, threads)
        if depth is not None and self.game.max_plies is not None and depth >= self.game.max_plies:
            self._keep_words()  # it will come to the end: no need to find out
        workers = self._workers(threads)
        leader = self
        plies = first
        while plies <= last:

            def spent(plies: int = plies) -> None:
                if progress is not None:
                    progress((plies - 1) / last, counted(self.nodes, "node"))

            until = deadline if reached or not self.game.compiled else None
            if len(workers) == 1 or self.seconds < _WORTH_THREADS:
                leader, answer = self, self.search(plies, deadline=until, spent=spent)
            else:
                leader, answer = self._search_together(workers, plies, until, spent)
            if answer is None:
                break
            found, reached, best = answer, plies, int(leader.stack.registers[0].root_move)
            notes = leader.notes()
            if self._is_exact(answer[2]) and not self._vouches:
                # Once more, by words instead of hashes.  If that takes too long, the value stands
                # as one of these many plies.
                found = (*answer[:2], 0)
                notes = {move: (low, high, 0) for move, (low, high, _) in notes.items()}
                self._keep_words()
                workers = self._workers(threads)
                continue
            self.nodes_by_depth.append(self.nodes)
            if self._is_exact(found[2]) or (deadline and perf_counter() >= deadline):
                break
            plies += 1
        if progress is not None:
            progress(1.0, counted(self.nodes, "node"))
        # Rules in plain Python take their time: nothing more is asked of them than is known.
        late = deadline is not None and not self.game.compiled and perf_counter() >= deadline
        return self._report(found, reached, best, notes, late=late)

    def _is_exact(self, marks: int) -> bool:
        """Tell whether a value is that of the game: no depth cut it off, and nothing was drawn."""
        return marks == f.BOTH_TO_END and self.settings.samples == 0

    def _is_proven(self, marks: int) -> bool:
        """Tell whether besides the rules say what every end pays."""
        return self._is_exact(marks) and not self.game.open_ends

    @property
    def _vouches(self) -> bool:
        """Tell whether what the table says of a position is said of that position for certain.

        Where a position has an entry for each depth, its key has the depth mixed in and is a hash,
        however exact that of the game.
        """
        if not self.settings.takes_bounds:
            return True
        exact = self.game.exact_key and not self._by_depth
        told_apart = exact or self.table.words_kept > 0
        return told_apart and (self._sharing == 1 or self.table.is_locked)

    def _keep_words(self) -> None:
        """Go on with an empty table that can vouch for what it says."""
        if self._vouches:
            return
        exact = self.game.exact_key and not self._by_depth
        self.table = t.make_table(
            self.settings.memory, None if exact else self.game.identity, self._sharing > 1
        )

    def _workers(self, threads: int) -> "list[StarSearch]":
        """Return so many searches of the same position, this one first, with one table."""
        if threads == 1:
            return [self]
        settings, only_one = self.settings, f"bad number of threads {threads}: expected 1, since "
        if not self.game.compiled:
            raise BadParameter(only_one + f"{self.game.spec} is written in plain Python")
        if not self.game.has_chance:
            raise BadParameter(
                only_one + f"threads divide the outcomes of chance, and {self.game.spec} has none"
            )
        if settings.samples:
            raise BadParameter(only_one + "each would draw samples of its own")
        if not (settings.tt_at_decisions and settings.tt_at_chance):
            raise BadParameter(only_one + "this search takes no bounds from the table they share")
        return [self] + [
            StarSearch(self.position, settings, self.evaluation, seed=self.seed, table=self.table)
            for _ in range(threads - 1)
        ]

    def _search_together(
        self,
        workers: "list[StarSearch]",
        depth: int,
        deadline: float | None,
        spent: Callable[[], None],
    ) -> "tuple[StarSearch, tuple[float, float, int] | None]":
        """Let all search to a depth; return who was first, and the answer."""
        began, before, others = perf_counter(), self.seconds, workers[1:]
        for number, worker in enumerate(others, start=1):
            worker.age, worker.number = self.age, number
            worker.nodes = worker.leaves = 0
        found = search_together(workers, depth, deadline, spent)
        self.nodes += sum(worker.nodes for worker in others)
        self.leaves += sum(worker.leaves for worker in others)
        self.seconds = before + perf_counter() - began
        return (self, None) if found is None else found

    # -- answers ----------------------------------------------------------------------------

    def _report(
        self, found: tuple[float, float, int], depth: int, best: int, notes: Notes, *, late: bool
    ) -> Report:
        low, high, marks = found
        position, game = self.position, self.game
        codes, acts = position.move_codes(), not position.is_chance
        move = best if acts and best in codes else codes[0] if acts and len(codes) == 1 else None
        note = ""
        if move is None and acts and depth == 0:
            shown = glance(position, quick=is_quick(self._calls))
            move, note = shown.best, shown.note
        name = None if move is None else position.name(move)
        value, solved = 0.5 * (low + high), self._is_proven(marks)
        total = sum_of_two(game, always_paid=True)
        bounds, payoffs, outcome = proven_of_all(
            game, (low, high) if solved else None, total, value if solved else None
        )
        moves, turned = self._move_reports(depth, notes, late=late), position.acting == 1
        if name is not None:
            moves.sort(key=lambda line: (line.move != name, line.low if turned else -line.high))
        report = Report(
            game.spec, position.actor_name(), 0, name, value, low, high, bounds, solved,
            tuple(moves), () if name is None else (name,), payoffs, outcome, total,
            seconds=self.seconds, nodes=self.nodes, bytes=self.table.entries.nbytes, depth=depth,
            leaves=self.leaves, note=note,
            details={"evaluation": self.evaluation.name if self.evaluation else None},
        )  # fmt: skip
        return report.for_player(1) if turned else report

    def notes(self) -> Notes:
        """Return what the last search saw of each move of the root; nothing where none was tried.

        Values are those of player 0.
        """
        stack, turned = self.stack, self.position.acting == 1
        found: Notes = {}
        if stack.registers[0].nodes == 1:  # the table knew the answer
            return found
        root = stack.frames[0]
        for place in range(int(root.count if self.position.is_chance else root.next)):
            child = stack.children[place]
            low, high, marks = float(child.low), float(child.high), int(child.marks)
            if turned:
                low, high = -high + 0.0, -low + 0.0
            found[int(stack.moves[place])] = (low, high, marks)
        return found

    def _move_reports(self, depth: int, notes: Notes, *, late: bool) -> list[MoveReport]:
        """List what the search, a look at an end, or else the table tells of each move.

        Values are those of player 0.
        """
        position = self.position
        found = []
        for code, probability in position.moves_and_probabilities():
            child = None if late else position.play(code)
            low, high, marks = *self.range, f.BOTH_TO_END
            if child is not None:
                low, high, marks = self._look_up(child, depth - 1)
            if child is not None and child.is_over:
                low = high = child.payoffs()[0]
                marks = f.BOTH_TO_END
            elif code in notes and notes[code][1] - notes[code][0] <= high - low:
                low, high, marks = notes[code]
            name = position.name(code)
            sure = self._vouches or (child is not None and child.is_over)
            solved = sure and self._is_proven(marks) and high - low <= self.rounding
            value = 0.5 * (low + high) if high - low < _SAME else nan
            found.append(MoveReport(name, low, high, value, solved, probability=probability))
        return found

    def _look_up(self, position: Position, depth: int) -> tuple[float, float, int]:
        """Return what the table knows of a position to a depth."""
        if depth < 1 or position.is_over or not self.settings.takes_bounds:
            return *self.range, f.BOTH_TO_END
        key = np.uint64(position.key)
        if self._by_depth:
            with np.errstate(over="ignore"):
                key = np.uint64(plain(t.key_to_depth)(key, depth))
        found = plain(t.look_up)(self.table, key, position.state, 0)
        low, high, marks = plain(usable)(self.stack.params[0], *found, depth)
        return float(low), float(high), int(marks)


def refuse_unfit(game: Game) -> None:
    """Refuse games whose value is not one number that one player raises and the other lowers."""
    if game.move_codes > t.MOST_MOVE_CODES:
        raise BadParameter(
            f"{game.spec} has {game.move_codes:,} different moves: expected at most "
            f"{t.MOST_MOVE_CODES:,} for a star search"
        )
    if game.forgets:
        raise BadParameter(
            f"keys of {game.spec} leave out {game.forgets}: a table of positions would mix them up"
        )
    refuse_many_values(game, f"{game.spec}: star searches need")
