"""Star searches where keys collide on purpose: what is called the value of the game is that."""

import numpy as np
import pytest

from colliding import Take, collider, colliding
from search.star.random_games import positions_of
from trellis import PythonGame
from trellis.game.bits import ALL
from trellis.game.game import Position
from trellis.loading import load
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star import engine
from trellis.search.star.engine import StarSearch
from trellis.search.star.table import make_table, read

GAMES = (
    "random_automaton:states=60,branching=3,chance=40,seed=1",
    "random_automaton:states=60,branching=3,chance=0,seed=2",
    "dice:m=2,k=2",
    "pig:target=6,faces=3,horizon=4",
)
# Here a position has an entry for each depth, which is mixed into its key.
CYCLIC = "random_automaton:states=60,branching=3,chance=50,cyclic=true,seed=4"
SEARCHES = ("star2tt", "star2tt+", "alphabeta", "star2", "expectimax")
PRECISE = 1e-9


@pytest.mark.parametrize("bits", [0, 2])
@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("spec", GAMES)
def test_a_value_called_exact_is_exact_although_keys_collide(spec, name, bits):
    game = collider(spec, bits)
    exact = solve_exactly(load(spec)).for_player(0)
    for depth in (game.max_plies, game.max_plies + 3):
        report = StarSearch(game, name, memory=1).run(depth=depth).for_player(0)
        assert report.solved
        assert report.value == pytest.approx(exact.value, abs=PRECISE)
        for line in report.moves:
            child = game.start().play(line.move)
            if line.solved and not child.is_over:
                inside = load(spec).start().play(line.move)
                wanted = solve_exactly(inside).for_player(0).value
                assert line.low == pytest.approx(wanted, abs=PRECISE)


@pytest.mark.parametrize("spec", [*GAMES, CYCLIC])
def test_a_search_that_happens_to_come_to_the_end_looks_again_by_words(spec):
    """Deep in a game no depth foretells that a search will see its end."""
    game, plain = collider(spec, 1), load(spec)
    exact = again = 0
    for position in positions_of(game):
        search = StarSearch(position, memory=1)
        report = search.run(depth=6)
        again += search.table.words_kept > 0
        if report.solved:
            exact += 1
            wanted = solve_exactly(Position(plain, position.state)).value
            assert report.value == pytest.approx(wanted, abs=PRECISE)
    assert exact > 0
    assert again >= exact


def test_threads_share_a_table_with_words_and_locks(monkeypatch):
    monkeypatch.setattr(engine, "_WORTH_THREADS", -1.0)
    for spec in GAMES[:1] + GAMES[2:]:
        search = StarSearch(collider(spec, 0), memory=1)
        report = search.run(depth=search.game.max_plies, threads=2)
        assert report.solved
        assert report.value == pytest.approx(solve_exactly(load(spec)).value, abs=PRECISE)
        assert search.table.words_kept == len(search.game.start().state)
        assert search.table.is_locked


def test_a_python_game_is_worth_what_it_is_although_keys_collide():
    plain = PythonGame(Take())
    report = StarSearch(colliding(plain, 0), memory=1).run(depth=20)
    assert report.solved
    assert report.value == StarSearch(plain, "expectimax").run(depth=20).value


def test_words_are_kept_only_where_a_value_is_called_exact():
    search = StarSearch(load("dice:m=6,k=4"), memory=1)
    assert not search.run(depth=4).solved
    assert (search.table.words_kept, search.table.is_locked) == (0, False)
    search = StarSearch(load("dice:m=2,k=2"), memory=1)  # an exact key
    assert search.run(depth=8).solved
    assert (search.table.words_kept, search.table.is_locked) == (0, False)
    search = StarSearch(load("dice:m=2,k=2"), memory=1)
    assert search.run(depth=8, threads=2).solved
    assert search.table.is_locked
    search = StarSearch(load("pig:target=6,faces=3,horizon=4"), memory=1)
    assert search.run(depth=8).solved
    assert search.table.words_kept == 2


def test_one_key_two_entries():
    table = make_table(1.0, np.array([ALL, 0xF, 0], np.uint64))
    assert (table.words_kept, table.is_locked) == (2, False)
    search = StarSearch(collider("dice:m=2,k=2", 0), table=table)
    assert search.table is table
    table = make_table(1.0, np.array([ALL], np.uint64))
    assert read(table, 5, np.zeros(3, np.uint64)) is None
