"""A search of one position: the graph, the budget, the answer.

>>> from trellis.loading import load
>>> Search(load("tic_tac_toe").start()).run(sims=20_000).solved
True
"""

import threading
from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding, stop_asked
from trellis._kernel.garbage import punctual
from trellis._kernel.jit import direct, plain, ready
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.bits import generator
from trellis.game.errors import BadParameter, BrokenContract, counted
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game, Position, position_of
from trellis.game.halting import HALT_AT, HALTED, stoppable
from trellis.game.playouts import refuse_failure
from trellis.search.budget import check_budget, refuse_chance, refuse_over
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.abandon import abandon, take_back
from trellis.search.mcts.asking import Asker, judge_of
from trellis.search.mcts.background import Background
from trellis.search.mcts.calls import search_calls_of
from trellis.search.mcts.counting import halve_everywhere, number_turns_anew, recompute_all
from trellis.search.mcts.frames import Frames
from trellis.search.mcts.gc import clear_graph, collect, free_memory
from trellis.search.mcts.graph import make_graph
from trellis.search.mcts.halving import halve
from trellis.search.mcts.kernels import (
    canonical_root,
    finish_waiting,
    forget_node,
    reach_root,
)
from trellis.search.mcts.make_params import backup_of, make_params, suited, usable_symmetries
from trellis.search.mcts.own_backup import refuse_bad_worths
from trellis.search.mcts.recorded import recorded
from trellis.search.mcts.reporting import best_move, make_report
from trellis.search.mcts.saving import restore, saved
from trellis.search.mcts.select_edge import BAD_SCORES
from trellis.search.mcts.selection import Selection
from trellis.search.mcts.settings import SearchOptions, Settings
from trellis.search.mcts.simulate import ASK, simulate
from trellis.search.report import Report

if TYPE_CHECKING:
    from trellis.search.mcts.export import GraphView

_LAST_TURN = 1 << 14  # of a root; beyond it turns of nodes are numbered anew
_COLLECT_SECONDS = 5e-7  # a node, before one was collected; machines differ
_REPORT_SECONDS = 1e-4  # a move, before one was made
_NEVER = 1 << 62  # simulations


class Search(Background, Frames):
    """A graph search that can be run, asked, run further and moved along the game."""

    def __init__(
        self,
        start: Game | Position | str,
        settings: Settings | None = None,
        *,
        seed: int = 0,
        **changes: Unpack[SearchOptions],
    ) -> None:
        position = position_of(start)
        refuse_over(position)  # before anything that such a game might lack is asked for
        self.game = position.game
        self.tables = self.game.own_tables()
        settings = self._given = (settings or Settings()).replace(**changes)
        self._busy = threading.RLock()  # held for a slice: between slices the graph is whole
        leaves, self.judge = judge_of(settings.evaluate, self.game)
        self.rule = Selection.of(settings.select)  # of the user's own, or None
        if self.rule is not None:
            settings = settings.replace(select=self.rule.statistics)
        elif leaves == k.ASKED:
            from trellis.search.mcts.puct import PUCT

            self.rule = PUCT
            if settings.select == "auto":
                settings = settings.replace(select=PUCT.statistics)
        self.settings = suited(settings, self.game)
        self.backup = backup_of(self.settings, self.game)
        self.params = make_params(self.settings, self.game, self.rule, leaves)
        self.rng = stoppable(seed)
        self.begin(seed)
        self.slice = 1  # simulations that fit into a slice, as far as is known
        self._collect_seconds = _COLLECT_SECONDS
        self._report_seconds = _REPORT_SECONDS * min(self.game.max_moves, 300)
        self._images = usable_symmetries(self.game) if self.params.symmetries > 1 else [0]
        self.memory, params, game = self.settings.memory, self.params, self.game
        self.graph = make_graph(
            self.memory, game.max_moves, params.level_stride, params.extra_stride, params.when_full,
            params.kept, k.list_bytes(params),
        )  # fmt: skip
        self._make_kernel()
        self.asker: Asker | None = None
        if leaves == k.ASKED:
            self.asker = Asker(self, self.judge, self.params.batch)
        self.set_root(position)

    def begin(self, seed: int) -> None:
        """Set everything but graph and position as for a search that has done nothing yet."""
        self.seed, self.rng[:] = seed, stoppable(seed)
        self.random = generator(seed)  # for what Python draws: noise at the root
        self.seconds = 0.0
        self.turn = 0
        self.collections = 0  # times that memory was full and something was given up
        self.until = inf  # when the last run with a clock was to end
        self._halted = False  # the last simulation was given up half-way

    # -- the graph --------------------------------------------------------------------------

    def _make_kernel(self) -> None:
        game, params = self.game, self.params
        self.record = k.as_record(params)
        self.packed = k.without_attributes(self.record) if game.compiled else self.record
        self.path = k.make_path(params)
        self.lists = k.make_lists(params, len(self.graph.nodes))
        self.lanes = k.make_lanes(params, game.move_codes)
        self.batch = k.make_batch(params, game.state_words, game.max_moves)
        self.scratch = k.make_scratch(
            params, identity=game.identity, max_moves=game.max_moves, move_codes=game.move_codes,
            images=self._images, weights=getattr(self._evaluation(), "weights", None),
        )  # fmt: skip
        # In the order in which kernels take it.
        self.working = self.path, self.lists, self.lanes, self.scratch, self.batch
        if params.batch > 1:  # both are called when the time is up
            ready(finish_waiting), ready(take_back)
        as_called = direct if game.compiled else plain
        self._simulate, self._reach, self._canonical = map(
            as_called, (simulate, reach_root, canonical_root)
        )
        if self.settings.playouts not in ("own", "rules"):
            game = game.with_playouts(self.settings.playouts)
        self.calls = search_calls_of(game, params, self.rule, self._evaluation(), self.backup)

    def _evaluation(self) -> Evaluation | None:
        return self.judge if self.params.leaves == k.JUDGED else None

    def stand_at(self, position: Position) -> None:
        """Search from a position in which the game goes on; its node is not looked for yet."""
        self.position = position
        self.root_state = position.state
        self.frame = 0

    def set_root(self, position: Position) -> None:
        """Search from a position; the graph may know it."""
        refuse_over(position)
        self.stand_at(position)
        params, state = self.params, self.root_state
        if params.symmetries > 1:
            self.frame = int(
                self._canonical(self.calls, self.tables, self.record, self.scratch, state)
            )
        counters = self.graph.counters
        turn = self._turn_of_root()
        while True:
            with np.errstate(over="ignore"):
                node, _ = self._reach(
                    self.calls, self.tables, self.graph, self.record, self.scratch, state, turn
                )
            if node >= 0:
                break
            if params.when_full != g.DRAKE:  # a full graph makes room for its root
                self.clear()
                counters = self.graph.counters
                continue
            forget_node(self.graph, -node - 2)
        counters[g.ROOT] = node
        if self.asker is not None:
            self.asker.add_noise()
        if params.when_full == g.DRAKE:
            self.graph.index[node] = 0  # a root tries its moves, whatever was in its way before
        edge = int(self.graph.nodes[node]["first_in"])
        while edge != g.NONE:  # from now on the node sees playouts that no edge brings
            self.graph.edges[edge]["target"] |= g.SHARED
            edge = int(self.graph.links[edge]["next_in"])

    def _turn_of_root(self) -> int:
        """Return the root's turn as nodes count turns: from a move not too long ago."""
        counters = self.graph.counters
        turn = self.turn - int(counters[g.BASE_TURN])
        if turn > _LAST_TURN:
            passed = turn - 1  # what lies behind the root keeps a turn before its own
            number_turns_anew(self.graph, self.record, passed)
            turn = 1
        counters[g.ROOT_TURN] = turn
        return turn

    def clear(self) -> None:
        """Forget everything but the position."""
        if self.asker is not None:
            self.asker.forget_noise()
        clear_graph(self.graph, drake=self.params.when_full == g.DRAKE)

    @property
    def root(self) -> int:
        """Return the number of the root node."""
        return int(self.graph.counters[g.ROOT])

    @property
    def sims(self) -> int:
        """Return how many simulations this graph has seen."""
        return int(self.graph.counters[g.SIMS])

    @property
    def bounds(self) -> tuple[float, float]:
        """Return what player 0 is proven to get at least and at most, in the game's scale."""
        root = self.graph.nodes[self.root]
        return float(root["low"]) + 0.0, float(root["high"]) + 0.0  # -0.0 reads badly

    @property
    def solved(self) -> bool:
        """Tell whether the value of the position is proven."""
        low, high = self.bounds
        return self.params.bounds != k.OFF and low == high

    @property
    def full(self) -> bool:
        """Tell whether some simulation found no room for a node since the last collection."""
        return bool(self.graph.counters[g.FULL])

    @property
    def bytes(self) -> int:
        """Return the memory that nodes and edges take now."""
        counters, params = self.graph.counters, self.params
        node = g.NODE.itemsize + 8 * (params.level_stride + params.kept) + 6
        edge = g.EDGE.itemsize + g.LINK.itemsize + 8 * params.extra_stride
        return (
            int(counters[g.NODES] or counters[g.LIVE_NODES]) * node + int(counters[g.EDGES]) * edge
        )

    # -- running ----------------------------------------------------------------------------

    def simulate(self, count: int, script: Sequence[int] = ()) -> int:
        """Run `count` simulations in one go; return how many there were before a proof.

        Simulations follow the moves of `script`, by number, before they select.
        """
        done = 0
        with heeding(None, self.rng, HALT_AT):
            while done < count and not self.solved and not self._halted:
                done += self._run(count - done, script, None)
                self.collect_where_due()
            self._finish_waiting()
        self._halted = False
        return done

    def collect_where_due(self, left: float = inf) -> None:
        """Make room where there is none; not where that would take longer than is `left`.

        Leaves that wait know their paths by the numbers of nodes and edges, which would be given to
        others; simulations stop for garbage to be collected as soon as none waits.
        """
        counters = self.graph.counters
        due = self.params.when_full == g.COLLECT and counters[g.SIMS] >= counters[g.COLLECT_AT]
        if due and self.full and not self.solved and not self._waiting:
            if left < self._collect_seconds * len(self.graph.nodes):
                counters[g.COLLECT_AT] = _NEVER  # simulations go on without new nodes
                return
            began = perf_counter()
            self.collect()
            took = (perf_counter() - began) / len(self.graph.nodes)
            self._collect_seconds = max(took, self._collect_seconds)

    def _run(self, count: int, script: Sequence[int], payoffs: Sequence[float] | None) -> int:
        done, failure = self._some(count, script, payoffs)
        while failure == ASK and payoffs is None:
            self._ask()
            if done == count:
                break
            more, failure = self._some(count - done, script, payoffs)
            done += more
        return done

    def _some(self, count: int, script: Any, payoffs: Any) -> tuple[int, int]:
        moves = np.array([*script, *([-1] * len(script))] or [0], np.int32)
        if payoffs is not None:
            moves[len(script) :] = self._movers
        given = np.array(payoffs if payoffs is not None else [0.0], np.float64)
        before = self.sims
        try:
            with np.errstate(over="ignore"):  # hashes wrap around; in plain Python with a warning
                done, failure = self._simulate(
                    self.calls, self.tables, self.graph, self.packed, *self.working, self.rng,
                    self.root_state, moves, len(script), given, payoffs is not None, count,
                )  # fmt: skip
        except TimeIsUp:
            done, failure = self.sims - before, HALTED
        self.end_slice(int(failure))
        return int(done), int(failure)

    def _ask(self) -> None:
        """Have the leaves that wait judged; where that fails they are given up."""
        if self.asker is not None and self._waiting:
            try:
                self.asker.answer(self._waiting)
            except BaseException:
                take_back(self.graph, self.record, self.batch)
                raise

    def end_slice(self, failure: int) -> None:
        """Do what the end of simulations asks for: some were told to stop, or have failed."""
        if failure == HALTED:
            self._halted = True
            abandon(self.graph, self.record, self.path, self.scratch)
        elif failure == BAD_SCORES and self.rule is not None:
            abandon(self.graph, self.record, self.path, self.scratch)
            raise BrokenContract(
                f"selection rule {self.rule.name} left a score that is not a number: trellis "
                "check --select says more"
            )
        else:
            refuse_failure(self.game, failure, self.scratch.state)
        refuse_bad_worths(self.graph, self.backup.name)
        if self.graph.counters[g.CROWDED]:
            halve_everywhere(self)

    @property
    def _waiting(self) -> int:
        """Return how many leaves wait for their playouts."""
        some = self.params.batch > 1 or self.asker is not None
        return int(self.batch.lengths[self.params.batch]) if some else 0

    def _finish_waiting(self) -> None:
        """Play out what waits; where there is no time for that, give it up."""
        if not self._waiting:
            return
        failure = HALTED
        if self.asker is not None and not self._halted:
            self._ask()
            return
        if not self._halted:
            failure = int(
                finish_waiting(
                    self.calls, self.tables, self.graph, self.record, self.path, self.batch,
                    self.rng,
                )
            )  # fmt: skip
        if failure == HALTED:
            take_back(self.graph, self.record, self.batch)
        else:
            refuse_failure(self.game, failure)

    def run(
        self,
        sims: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Search until the position is solved or a budget is used up; tell what was found.

        Called again, it goes on where it stopped.
        """
        check_budget(sims, seconds)
        spare = 0.0 if seconds is None else min(self._report_seconds, seconds / 4)  # for telling
        with punctual(seconds):
            self.think(sims, None if seconds is None else seconds - spare, progress)
            began = perf_counter()
            report = self.report()
            self._report_seconds = perf_counter() - began
            return report

    def think(
        self,
        sims: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Search as `run` does, and tell nothing: `decide.best_for` knows the best move."""
        check_budget(sims, seconds)
        refuse_chance(self.position)
        if self.settings.sequential_halving:
            if sims is None:
                raise BadParameter("sequential_halving needs a budget of simulations")
            halve(self, sims, progress)
            return
        with punctual(seconds):
            self.spend(sims, seconds, (), progress)

    def spend(
        self,
        sims: int | None,
        seconds: float | None,
        script: Sequence[int],
        progress: Progress | None,
    ) -> int:
        """Run slices until a budget is used up or the root is solved; return the simulations."""
        began, spent_before, first = perf_counter(), self.seconds, self.sims
        self._halted = False
        self.until = inf if seconds is None else began + seconds
        slices = Slices(self.slice, units=sims, seconds=seconds)
        try:
            with heeding(self.until, self.rng, HALT_AT):
                for count in slices:
                    with self._busy:
                        slices.finish(self._run(count, script, None))
                    self.slice = slices.size
                    over = self.solved or self._halted or slices.over
                    if over:
                        self._halted |= slices.late or stop_asked()
                        self._finish_waiting()
                    self.seconds = spent_before + perf_counter() - began
                    if progress is not None:
                        progress(1.0 if over else slices.fraction, counted(self.sims, "simulation"))
                    if over:
                        break
                    self.collect_where_due(slices.left)
                return self.sims - first
        finally:  # also where `progress` has raised something: nothing waits for ever
            self._halted = True
            self._finish_waiting()
            self._halted = False
            if self.graph.counters[g.COLLECT_AT] == _NEVER:
                self.graph.counters[g.COLLECT_AT] = 0

    def collect(self) -> int:
        """Free what the root does not reach any more; return how many nodes went.

        Called by itself when the root moves, and when memory runs out under when_full `collect`.
        Then what lies behind solved positions goes as well, and, if that is not enough, what lies
        behind positions with few visits; they stay, with their statistics, and grow again.
        """
        graph, params = self.graph, self.params
        if params.when_full == g.DRAKE:  # it overwrites what the game has passed
            return 0
        layout = (params.own_at, params.columns, params.level_stride)
        if not self.full:
            return int(collect(graph, True, 0, *layout))
        freed = free_memory(graph, layout, through_solved=params.bounds == k.OFF)
        recompute_all(self)
        self.collections += 1
        return freed

    def advance(self, *moves: str | int) -> None:
        """Play moves and search from there on, keeping what is known of what lies ahead."""
        self._go_to(self.position.play(*moves), len(moves))
        self.graph.counters[[g.SIMS, g.FULL, g.COLLECT_AT]] = 0
        if self.params.when_full == g.COLLECT:
            self.collect()

    def restart(self, *moves: str | int) -> None:
        """Play moves and search from there on with an empty graph, as most experiments do."""
        position = self.position.play(*moves)
        self.clear()
        self._go_to(position, len(moves))

    def restart_at(self, position: Position) -> None:
        """Search another position of the same game with an empty graph: no memory is asked for."""
        if position.game != self.game:
            raise BadParameter(f"a position of {position.game.spec}: expected {self.game.spec}")
        refuse_over(position)
        self.clear()
        self._go_to(position, 1)

    def _go_to(self, position: Position, turns: int) -> None:
        """Search from a position so many turns later in the game."""
        self.turn += turns
        self.seconds = 0.0
        self.set_root(position)

    def add_game(self, moves: Sequence[str | int], payoffs: Sequence[float] | None = None) -> None:
        """Let a game from here on count as one simulation; its end may say the payoffs."""
        codes, self._movers, given = recorded(self, moves, payoffs)
        self._run(1, codes, given)

    # -- answers ----------------------------------------------------------------------------

    def best(self) -> int:
        """Return the number of the best move so far, as `report` would name it."""
        return best_move(self)

    def view(
        self, limit: int | None = None, depth: int | None = None, least_visits: int = 1
    ) -> "GraphView":
        """Return the top of the graph to be drawn or exported; see `GraphView`."""
        from trellis.search.mcts.export import DEFAULT_LIMIT, GraphView

        return GraphView(self, DEFAULT_LIMIT if limit is None else limit, depth, least_visits)

    def report(self, player: int | None = None) -> Report:
        """Tell what has been found out so far; another thread may ask while the search runs."""
        with self._busy:
            return make_report(self, player)

    def __reduce__(self) -> Any:
        with self._busy:
            return restore, (self.position, self._given, self.seed, saved(self))
