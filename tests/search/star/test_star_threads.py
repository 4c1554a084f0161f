"""Star searches by several threads, which share a table."""

from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest

from search.star.coin import Coin
from search.star.random_games import KINDS, random_game, values_of
from trellis._kernel.jit import kernel
from trellis.game.bits import ALL, GOLDEN, ONE, mix, to_int
from trellis.game.errors import BadParameter, TrellisError
from trellis.game.rules import Counts, State
from trellis.loading import load
from trellis.search.star import engine
from trellis.search.star.engine import StarSearch
from trellis.search.star.parallel import search_together
from trellis.search.star.table import BoundTable, look_up, make_table, move_in, store

TINY = 0.001
PRECISE = 1e-9


@pytest.mark.parametrize("kind", KINDS[:4])
@pytest.mark.parametrize("memory", [TINY, 1.0])
def test_two_threads_find_the_same_value(kind, memory, monkeypatch):
    monkeypatch.setattr(engine, "_WORTH_THREADS", 0.0)
    for seed in range(5):
        game, evaluation = random_game(kind, seed)
        value = values_of(kind, seed)
        for depth in (1, 2, 5, 8):
            search = StarSearch(game, "star2tt+", evaluation, memory=memory)
            report = search.run(depth=depth, threads=2).for_player(0)
            assert report.value == pytest.approx(value(game.start(), report.depth), abs=PRECISE)
            if report.best is not None:
                after = value(game.start().play(report.best), report.depth - 1)
                assert after == pytest.approx(report.value, abs=PRECISE)


def test_threads_share_the_work(monkeypatch):
    """Each would look at all positions if it did not find in the table what the other wrote."""
    teams = []

    def watched(workers, *rest):
        teams.append(workers)
        return search_together(workers, *rest)

    monkeypatch.setattr(engine, "search_together", watched)
    alone = StarSearch(load("dice").start(), memory=64).run(depth=11)
    together = StarSearch(load("dice").start(), memory=64).run(depth=11, threads=2)
    assert together.value == pytest.approx(alone.value, abs=PRECISE)
    assert alone.nodes > 1_000_000  # long enough for both to take part
    assert together.nodes < 1.5 * alone.nodes
    assert [len(team) for team in teams] == [2] * len(teams)
    assert min(worker.nodes for worker in teams[-1]) > 10_000


def test_a_fault_in_one_thread_ends_all_and_the_search_can_go_on(monkeypatch):
    """Ctrl-C comes to the main thread, between two looks at who is ready."""
    monkeypatch.setattr(engine, "_WORTH_THREADS", 0.0)
    search = StarSearch(load("dice").start(), memory=1)

    def interrupt(fraction, note):
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.run(depth=10, threads=2, progress=interrupt)
    assert search.run(depth=9).depth == 9
    assert search.run(depth=9, threads=2).depth == 9


class Worker:
    """Stands in for a search that takes some time and then has an answer, or none."""

    def __init__(self, seconds, answer):
        self.seconds, self.answer, self.halted = seconds, answer, False

    def search(self, depth, deadline):
        sleep(self.seconds)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_an_answer_counts_whoever_has_it():
    late, ready = Worker(0.0, None), Worker(0.05, (0.5, 0.5, 3))
    assert search_together([late, ready], 3, None, lambda: None) == (ready, (0.5, 0.5, 3))
    assert search_together([late, late], 3, None, lambda: None) is None
    with pytest.raises(TrellisError, match="broken"):
        search_together([ready, Worker(0.1, TrellisError("broken"))], 3, None, lambda: None)


@kernel(entry=True)
def hammer(
    table: BoundTable, seed: int, rounds: int, keys: State, states: State, wrong: Counts
) -> None:
    """Write and read eight positions that share a line; each has bounds of its own."""
    word = np.uint64(seed)
    for _ in range(rounds):
        word += GOLDEN
        drawn = mix(word)
        which = to_int(drawn & np.uint64(7))
        value = np.float64(which)
        if (drawn >> np.uint64(20)) & ONE != 0:
            store(table, keys[which], states, 2 * which, value, value, 5, 5, which, 1, -1.0, 100.0)
        else:
            low, high, rest = look_up(table, keys[which], states, 2 * which)
            if rest != 0:
                wrong[0] += 1
                if low != value or high != value or move_in(rest) != which:
                    wrong[1] += 1


@pytest.mark.parametrize("one_key", [False, True])
def test_two_threads_never_mix_up_entries(one_key):
    """By keys; or, where all share one, by words under a lock."""
    identity = np.full(2, ALL)
    table = make_table(104 / 2**20, identity, locked=True) if one_key else make_table(64 / 2**20)
    assert len(table.entries) == 2
    keys = np.random.default_rng(1).integers(1 << 62, size=8, dtype=np.uint64)
    states = np.arange(16, dtype=np.uint64)
    if one_key:
        keys[:] = 77
        states[::2] = 1  # the first words are alike
    counts = [np.zeros(2, np.int64) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(hammer, table, seed, 5_000_000, keys, states, count)
            for seed, count in enumerate(counts)
        ]
    assert [run.exception() for run in runs] == [None, None]
    for found, wrong in counts:
        assert found > 1000
        assert wrong == 0
    assert not table.locks.any()


def test_a_search_goes_on_alone_after_threads():
    search = StarSearch(load("dice").start(), memory=64)
    search.run(depth=10, threads=2)
    search.set_position(load("dice").start().play("row-2"))
    assert search.run(depth=9).depth == 9


@pytest.mark.parametrize(
    ("spec", "name", "changes", "why"),
    [
        ("dice", "star2", {}, "takes no bounds from the table"),
        ("dice", "expectimax", {}, "takes no bounds from the table"),
        ("dice", "star2tt", {"samples": 2}, "would draw samples of its own"),
        ("tic_tac_toe", "alphabeta", {}, "tic_tac_toe has none"),
    ],
)
def test_threads_where_they_would_be_in_vain(spec, name, changes, why):
    with pytest.raises(BadParameter, match=f"bad number of threads 2: expected 1, since .*{why}"):
        StarSearch(load(spec), name, **changes).run(depth=3, threads=2)


@pytest.mark.parametrize("threads", [0, -1, 65])
def test_a_number_of_threads_that_makes_no_sense(threads):
    with pytest.raises(BadParameter, match=f"bad number of threads {threads}: expected"):
        StarSearch(load("dice")).run(depth=3, threads=threads)


def test_threads_of_a_game_in_plain_python():
    with pytest.raises(BadParameter, match=r"expected 1, since .* is written in plain Python"):
        StarSearch(load(Coin())).run(depth=3, threads=2)
