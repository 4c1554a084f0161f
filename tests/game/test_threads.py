"""One game object, many threads: each finds what it would have found alone."""

import random
import sys
import threading
import time
from pathlib import Path

import pytest

import trellis
from trellis.game.perft import perft
from trellis.game.playouts import playouts
from trellis.game.python_game import PythonGame, _Interned
from trellis.game.reductions import unfolded
from trellis.game.rules import tables
from trellis.gdl.game import load_sheet
from trellis.search.mcts.engine import Search
from trellis.search.mcts.flat import rank_moves
from trellis.search.mcts.parallel import ParallelSearch
from trellis.search.solve.proof import solve
from trellis.search.star.engine import StarSearch

SHEETS = Path(trellis.__file__).parent / "gdl" / "sheets"
THREADS = 4


class Heaps:
    """Nim with three heaps, in plain Python; its positions are met in an order of their own."""

    max_plies = 12

    def start(self):
        return (3, 4, 5)

    def moves(self, state):
        return [(i, left) for i, heap in enumerate(state) for left in range(heap)]

    def play(self, state, move):
        return (*state[: move[0]], move[1], *state[move[0] + 1 :])

    def acting(self, state):
        return (12 - sum(state)) % 2 if any(state) else None

    def payoffs(self, state):
        return -1


def sheet(name, evaluator="lanes"):
    return load_sheet(SHEETS / f"{name}.kif", evaluator)


GAMES = {
    "built-in": lambda: trellis.load("connect_four"),
    "circuit": lambda: sheet("breakthrough"),
    "circuit, players at once": lambda: sheet("goofspiel", "event"),
    "circuit, wrapped": lambda: unfolded(sheet("tic_tac_toe")),
    "circuit, chance": lambda: sheet("pig"),
    "forward chaining": lambda: sheet("tic_tac_toe", "forward"),
    "plain Python": lambda: PythonGame(Heaps()),
}
SLOW = {"forward chaining", "plain Python"}


def start_of(game):
    """Return the first position in which a player has to choose."""
    position = game.start()
    while position.is_chance:
        position = position.play(position.move_codes()[0])
    return position


def random_game(game, seed):
    """Play at random, and look at everything on the way."""
    dice, position, seen = random.Random(seed), game.start(), []
    while not position.is_over and len(seen) < 60:
        names = position.moves()
        seen.append((str(position), position.acting, position.actors, names))
        if game.compiled:
            seen[-1] += (position.key, position.view_key)
        seen[-1] += tuple(position.probabilities())
        position = position.play(dice.choice(names))
    return seen, position.payoffs() if position.is_over else None


def known(report):
    """Return all of a report but the time it took, and the choice between equals.

    Which of several equal moves is chosen depends on their numbers, and in a game of plain Python
    a move has the number of its first appearance, whoever met it.
    """
    moves = sorted((m.move, m.visits, repr(m.value), m.low, m.high, m.count) for m in report.moves)
    return report.sims, report.nodes, report.edges, report.transpositions, report.solved, moves


def searched(game, seed):
    search = Search(start_of(game), seed=seed, memory=2)
    found = []
    for _ in range(3):
        search.simulate(30 if not game.compiled else 700)
        found.append(known(search.report()))
    return found


def ranked(game, seed):
    return known(rank_moves(start_of(game), sims=30 if not game.compiled else 500, seed=seed))


def played_out(game, seed):
    return playouts(game, 20 if not game.compiled else 300, seed).means


def counted(game, seed):
    return perft(game, 1 if not game.compiled else 2 + seed % 2)


def proven(game, seed):
    if game.constant_sum is None or game.is_simultaneous:
        return None
    found = solve(start_of(game), limit=60 if not game.compiled else 2_000, seed=seed, memory=2)
    return found.payoffs, found.low, found.high, found.sims, found.nodes


def star(game, seed):
    if (game.constant_sum is None and game.players > 1) or game.is_simultaneous:
        return None
    report = StarSearch(game, memory=0.5, seed=seed).run(depth=2 + seed % 2)
    moves = sorted((move.move, move.low, move.high) for move in report.moves)
    return report.value, report.low, report.high, report.nodes, moves


JOBS = (random_game, searched, ranked, played_out, counted, proven, star)


def in_threads(work, count=THREADS):
    """Call work(number) in so many threads at once; raise what any of them raised."""
    failures, gate = [], threading.Barrier(count)

    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:  # noqa: BLE001  (raised again by who waits)
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.fixture(autouse=True)
def hasty():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("kind", GAMES)
def test_threads_that_share_a_game_find_what_each_would_find_alone(kind):
    seeds = range(2 if kind in SLOW else 4)
    alone = GAMES[kind]()
    expected = {(job, seed): job(alone, seed) for job in JOBS for seed in seeds}
    shared, found = GAMES[kind](), [{} for _ in range(THREADS)]

    def work(number):
        tasks = [(job, seed) for job in JOBS for seed in seeds]
        random.Random(number).shuffle(tasks)  # each thread does them all, in its own order
        for job, seed in tasks:
            found[number][job, seed] = job(shared, seed)

    in_threads(work)
    for each in found:
        wrong = [
            (job.__name__, seed) for (job, seed) in each if each[job, seed] != expected[job, seed]
        ]
        assert wrong == []


class Sleepy:
    """Something hashable whose hash lets other threads run."""

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        time.sleep(0)
        return hash(self.number)

    def __eq__(self, other):
        time.sleep(0)
        return self.number == other.number


def test_things_that_threads_meet_at_once_get_numbers_of_their_own():
    interned, found = _Interned(), [{} for _ in range(8)]

    def work(number):
        order = list(range(300))
        random.Random(number).shuffle(order)
        for each in order:
            found[number][each] = interned.number(Sleepy(each))

    in_threads(work, 8)
    assert all(each == found[0] for each in found)
    assert [item.number for item in interned.items] == sorted(found[0], key=found[0].get)
    assert len(interned.items) == 300


@pytest.mark.parametrize("kind", ["built-in", "circuit"])
def test_a_parallel_search_reports_while_it_runs(kind):
    """Reports are made between slices: every one of them is that of some moment."""
    search = ParallelSearch(start_of(GAMES[kind]()), threads=2, memory=8, bounds="off", seed=1)
    seen, ended = [], threading.Event()

    def work(number):
        if number == 0:
            search.run(seconds=1.0, progress=lambda fraction, note: seen.append(search.report()))
            ended.set()
        while not ended.is_set():
            seen.append(search.report())

    in_threads(work, 3)
    seen.append(search.report())
    assert len(seen) > 3
    moves = {line.move for line in seen[0].moves}
    for report in seen:
        assert {line.move for line in report.moves} == moves
        assert sum(line.visits for line in report.moves) == report.sims
        assert all(line.low <= line.value <= line.high for line in report.moves if line.visits)
    # Leaves that wait for their playouts are counted, and given up where the time is over first.
    waiting = sum(search.params.batch for search in search.searches)
    assert seen[-1].sims >= max(report.sims for report in seen) - waiting


def test_a_parallel_search_begins_only_when_its_graphs_have_been_read():
    """A report that began before the search did is one of the moment before."""
    search = ParallelSearch(GAMES["built-in"](), threads=2, memory=8, bounds="off", seed=1)
    first, reading = search.searches[0], threading.Event()
    sims_seen, report = [], first.report

    def slow_report():
        sims_seen.append(first.sims)
        reading.set()
        time.sleep(0.3)  # time enough for a search that does not wait
        sims_seen.append(first.sims)
        return report()

    first.report = slow_report

    def work(number):
        if number == 0:
            search.report()
        else:
            reading.wait()
            search.run(sims=20_000)

    in_threads(work, 2)
    assert sims_seen[:2] == [0, 0]
    assert search.report().sims == 20_000


def test_a_search_that_reports_in_parallel_finds_the_same():
    def found(watched):
        search = ParallelSearch(GAMES["built-in"](), threads=2, memory=8, symmetry=True, seed=1)
        progress = (lambda fraction, note: search.report()) if watched else None
        return known(search.run(sims=60_000, progress=progress))

    assert found(watched=True) == found(watched=False)


def test_threads_may_make_a_bundle_known_to_kernels_at_once():
    """Whoever comes first, all must use the table that is kept: others are thrown away."""
    for _ in range(50):
        bundle, addresses = tables(range(4)), []
        in_threads(lambda _, b=bundle, a=addresses: a.append((b._address, b._table)), 4)
        assert {address for address, _ in addresses} == {bundle._table.ctypes.data}


def test_a_question_that_was_not_answered_leaves_nothing_behind(monkeypatch):
    """Forward chaining that is stopped half way begins anew."""
    machine = sheet("tic_tac_toe", "forward").sheet.forward
    start = machine.initial()
    legal = machine.legal(start)
    joint = [moves[0] for moves in legal]
    after = machine.next(start, joint)
    expected = machine.legal(after), machine.terminal(after)
    machine.legal(start)
    whole = machine._updates[0]

    def stop():
        raise KeyboardInterrupt

    machine._updates[0] = stop
    with pytest.raises(KeyboardInterrupt):
        machine.legal(after)
    machine._updates[0] = whole
    assert machine.legal(start) == legal
    assert (machine.legal(after), machine.terminal(after)) == expected
    assert machine.next(start, joint) == after
