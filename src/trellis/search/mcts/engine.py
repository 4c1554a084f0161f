"""A search of one position: the graph, the budget, the answer.

>>> from trellis.loading import load
>>> Search(load("tic_tac_toe").start()).run(sims=20_000).solved
True
"""

from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from trellis._kernel.deadline import TimeIsUp, heeding, stop_asked
from trellis._kernel.jit import plain, ready
from trellis._kernel.progress import Progress
from trellis._kernel.slices import Slices
from trellis.game.calls import calls_of
from trellis.game.errors import BadParameter, counted
from trellis.game.game import Game, Position, position_of
from trellis.game.halting import HALT_AT, HALTED, stoppable
from trellis.game.playouts import refuse_failure
from trellis.game.rules import Calls, Reals
from trellis.search.budget import check_budget, refuse_chance, refuse_over
from trellis.search.mcts import graph as g
from trellis.search.mcts import params as k
from trellis.search.mcts.abandon import abandon, take_back
from trellis.search.mcts.counting import halve_everywhere, number_turns_anew, recompute_all
from trellis.search.mcts.gc import clear_graph, collect, free_memory
from trellis.search.mcts.graph import make_graph
from trellis.search.mcts.kernels import (
    adapted_values,
    canonical_root,
    finish_waiting,
    forget_node,
    node_of_key,
    reach_root,
)
from trellis.search.mcts.make_params import make_params, suited, usable_symmetries
from trellis.search.mcts.reporting import best_move, edge_lines, make_report
from trellis.search.mcts.settings import Settings
from trellis.search.mcts.simulate import simulate
from trellis.search.report import Report

if TYPE_CHECKING:
    from trellis.search.mcts.export import GraphView

_LAST_TURN = 1 << 14  # of a root; beyond it turns of nodes are numbered anew
_COLLECT_SECONDS = 5e-7  # a node, before one was collected; machines differ
_REPORT_SECONDS = 1e-4  # a move, before one was made
_NEVER = 1 << 62  # simulations


class Search:
    """A graph search that can be run, asked, run further and moved along the game."""

    def __init__(
        self,
        start: Game | Position,
        settings: Settings | None = None,
        *,
        seed: int = 0,
        **changes: Any,
    ) -> None:
        position = position_of(start)
        refuse_over(position)  # before anything that such a game might lack is asked for
        self.game = position.game
        self.tables = self.game.own_tables()
        self.settings = suited((settings or Settings()).replace(**changes), self.game)
        self.seed = seed
        self.params = make_params(self.settings, self.game)
        self.rng = stoppable(seed)
        self.seconds = 0.0
        self.turn = 0
        self.collections = 0  # times that memory was full and something was given up
        self._collect_seconds = _COLLECT_SECONDS
        self._report_seconds = _REPORT_SECONDS * min(self.game.max_moves, 300)
        self.until = inf  # when the last run with a clock was to end
        self._halted = False  # the last simulation was given up half-way
        self._images = usable_symmetries(self.game) if self.params.symmetries > 1 else [0]
        self.memory, params, game = self.settings.memory, self.params, self.game
        self.graph = make_graph(
            self.memory, game.max_moves, params.level_stride, params.extra_stride, params.when_full,
            params.kept, k.list_bytes(params),
        )  # fmt: skip
        self._make_kernel()
        self._set_root(position)

    # -- the graph --------------------------------------------------------------------------

    def _make_kernel(self) -> None:
        game, params = self.game, self.params
        self._record = k.as_record(params)
        self._path = k.make_path(params)
        self._lists = k.make_lists(params, len(self.graph.nodes))
        self._lanes = k.make_lanes(params, game.move_codes)
        self._batch = k.make_batch(params, game.state_words)
        self.scratch = k.make_scratch(
            params, identity=game.identity, max_moves=game.max_moves, move_codes=game.move_codes,
            images=self._images,
        )  # fmt: skip
        if params.batch > 1:  # both are called when the time is up
            ready(finish_waiting), ready(take_back)
        as_called = (lambda function: function) if game.compiled else plain
        self._simulate, self._reach, self._canonical = map(
            as_called, (simulate, reach_root, canonical_root)
        )
        if self.settings.playouts not in ("own", "rules"):
            game = game.with_playouts(self.settings.playouts)
        self.calls: Calls = calls_of(game, views=game.is_simultaneous, candidates=params.forgets)

    def _set_root(self, position: Position) -> None:
        refuse_over(position)
        self.position = position
        state = position.state
        self.frame = 0
        params = self.params
        if params.symmetries > 1:
            self.frame = int(
                self._canonical(self.calls, self.tables, self._record, self.scratch, state)
            )
        self.root_state = state
        counters = self.graph.counters
        turn = self._turn_of_root()
        while True:
            with np.errstate(over="ignore"):
                node, _ = self._reach(
                    self.calls, self.tables, self.graph, self._record, self.scratch, state, turn
                )
            if node >= 0:
                break
            if params.when_full != g.DRAKE:  # a full graph makes room for its root
                self.clear()
                counters = self.graph.counters
                continue
            forget_node(self.graph, -node - 2)
        counters[g.ROOT] = node
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
            number_turns_anew(self.graph, self._record, passed)
            turn = 1
        counters[g.ROOT_TURN] = turn
        return turn

    def clear(self) -> None:
        """Forget everything but the position."""
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
                self._collect_where_due()
            self._finish_waiting()
        self._halted = False
        return done

    def _collect_where_due(self, left: float = inf) -> None:
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
        moves = np.array([*script, *([-1] * len(script))] or [0], np.int32)
        if payoffs is not None:
            moves[len(script) :] = self._movers
        given = np.array(payoffs if payoffs is not None else [0.0], np.float64)
        before = self.sims
        try:
            with np.errstate(over="ignore"):  # hashes wrap around; in plain Python with a warning
                done, failure = self._simulate(
                    self.calls, self.tables, self.graph, self._record, self._path, self._lists,
                    self._lanes, self.scratch, self._batch, self.rng, self.root_state, moves,
                    len(script), given,
                    payoffs is not None, count,
                )  # fmt: skip
        except TimeIsUp:
            done, failure = self.sims - before, HALTED
        if failure == HALTED:
            self._halted = True
            abandon(self.graph, self._record, self._path, self.scratch)
        else:
            refuse_failure(self.game, int(failure), self.scratch.state)
        if self.graph.counters[g.CROWDED]:
            halve_everywhere(self.graph, self._record, self._lists)
        return int(done)

    @property
    def _waiting(self) -> int:
        """Return how many leaves wait for their playouts."""
        return int(self._batch.lengths[self.params.batch]) if self.params.batch > 1 else 0

    def _finish_waiting(self) -> None:
        """Play out what waits; where there is no time for that, give it up."""
        if not self._waiting:
            return
        failure = HALTED
        if not self._halted:
            failure = int(
                finish_waiting(
                    self.calls, self.tables, self.graph, self._record, self._path, self._batch,
                    self.rng,
                )
            )  # fmt: skip
        if failure == HALTED:
            take_back(self.graph, self._record, self._batch)
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
        refuse_chance(self.position)
        if self.settings.sequential_halving:
            if sims is None:
                raise BadParameter("sequential_halving needs a budget of simulations")
            return self._run_halving(sims, progress)
        if seconds is not None:  # telling what was found takes time as well
            seconds -= min(self._report_seconds, seconds / 4)
        self._spend(sims, seconds, (), progress)
        began = perf_counter()
        report = self.report()
        self._report_seconds = perf_counter() - began
        return report

    def _spend(
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
        slices = Slices(units=sims, seconds=seconds)
        try:
            with heeding(self.until, self.rng, HALT_AT):
                for count in slices:
                    slices.finish(self._run(count, script, None))
                    over = self.solved or self._halted or slices.over
                    if over:
                        self._halted |= slices.late or stop_asked()
                        self._finish_waiting()
                    self.seconds = spent_before + perf_counter() - began
                    if progress is not None:
                        progress(1.0 if over else slices.share, counted(self.sims, "simulation"))
                    if over:
                        break
                    self._collect_where_due(slices.left)
                return self.sims - first
        finally:  # also where `progress` has raised something: nothing waits for ever
            self._halted = True
            self._finish_waiting()
            self._halted = False
            if self.graph.counters[g.COLLECT_AT] == _NEVER:
                self.graph.counters[g.COLLECT_AT] = 0

    def _run_halving(self, sims: int, progress: Progress | None) -> Report:
        """Give every root move the same share, drop the worse half, and again."""
        alive = self.root_codes()
        rounds, done, before = max(1, (len(alive) - 1).bit_length()), 0, self.sims

        def tell(_: float, note: str) -> None:
            if progress is not None:
                progress(1.0 if self.solved else (self.sims - before) / sims, note)

        for number in range(rounds):
            left = (sims - done) // (rounds - number)
            each, rest = divmod(left, len(alive))
            for place, code in enumerate(alive):
                share = each + (1 if place < rest else 0)
                if share and not self.solved:
                    done += self._spend(share, None, (code,), tell)
            known = {line.code: line.adapted for line in edge_lines(self, self.root, self.position)}
            alive.sort(key=lambda code: -known.get(code, -np.inf))
            alive = alive[: (len(alive) + 1) // 2]
        return self.report()

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
        recompute_all(graph, self._record, self._lists)
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
        self._set_root(position)

    def add_game(self, moves: Sequence[str | int], payoffs: Sequence[float] | None = None) -> None:
        """Let a game that was played elsewhere count as one simulation.

        `moves` go from the root on; payoffs may be left out where the moves reach an end.
        """
        position = self.position
        codes, movers = [], []
        for move in moves:
            code = position.code_of(move) if isinstance(move, str) else int(move)
            movers.append(position.acting)
            codes.append(self.to_frame(position, code))
            position = position.play(code)
        if payoffs is None:
            payoffs = position.payoffs()
        least, greatest = self.game.payoff_range
        if len(payoffs) != self.game.players or not all(
            least <= payoff <= greatest for payoff in payoffs
        ):
            raise BadParameter(
                f"bad payoffs {tuple(payoffs)}: expected {self.game.players} from {least:g} "
                f"to {greatest:g}"
            )
        self._movers = movers
        self._run(1, codes, payoffs)

    # -- moves between the position as people see it and the node's own picture of it --------

    def frame_of(self, position: Position) -> int:
        """Return which image of a position the graph keeps."""
        if self.params.symmetries == 1:
            return 0
        return int(
            self._canonical(self.calls, self.tables, self._record, self.scratch, position.state)
        )

    def to_frame(self, position: Position, code: int, frame: int | None = None) -> int:
        """Return the move of the kept image that a move of `position` becomes."""
        index = self._images[self.frame_of(position) if frame is None else frame]
        if index == 0 or self.game.rules.map_move is None:
            return code
        return int(self.game.rules.map_move(self.tables, index, code))

    # -- answers ----------------------------------------------------------------------------

    def root_codes(self) -> list[int]:
        """List the root's moves, as the graph numbers them."""
        return [self.to_frame(self.position, code) for code in self.position.move_codes()]

    def from_frame(self, position: Position, code: int) -> int:
        """Return the move of `position` that a move of its kept image stands for."""
        frame = self.frame_of(position)
        if frame == 0:
            return code
        for own in position.move_codes():
            if self.to_frame(position, own, frame) == code:
                return own
        raise AssertionError(f"no move of {position!r} becomes {code}")

    def adapted(self, node: int) -> Reals:
        """Return µ_d1 and n_d3 of a node's edges, a row each, as selection sees them."""
        out = np.zeros(2 * int(self.graph.nodes[node]["edges"]))
        adapted_values(self.graph, self._record, node, out)
        return out.reshape(2, -1)

    def node_of_player(self, player: int | None) -> tuple[Position, int]:
        """Return the position in which a player chooses at this moment, and its node or NONE."""
        position = self.position
        if player is None or position.acting == player:
            return position, self.root
        if player not in position.actors:
            raise BadParameter(f"player {player} does not act in this position")
        while position.acting != player:  # a hidden choice does not change this player's view
            position = position.play(position.move_codes()[0])
        key = np.uint64(self.calls.key(self.tables, position.state))
        if not self.params.share:
            return position, g.NONE
        return position, int(node_of_key(self.graph, self._record, self.scratch, key))

    def best(self) -> int:
        """Return the number of the best move so far, as `report` would name it."""
        return best_move(self)

    def view(self, **options: Any) -> "GraphView":
        """Return the top of the graph to be drawn or exported; see `GraphView`."""
        from trellis.search.mcts.export import GraphView

        return GraphView(self, **options)

    def report(self, player: int | None = None) -> Report:
        """Tell what has been found out so far."""
        return make_report(self, player)
