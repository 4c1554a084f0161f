"""Questions about positions are answered as the rules say, however small the table."""

from random import Random

import pytest

import trellis
from colliding import collider, python_game
from trellis.game.errors import BadParameter, BrokenContract, GameOver, LimitReached
from trellis.game.reductions import paranoid
from trellis.loading import load
from trellis.search.solve.questions import layout as y
from trellis.search.solve.questions import table as t
from trellis.search.solve.questions.engine import Questions
from trellis.search.solve.questions.payoffs import Labels
from trellis.search.solve.questions.reference import value_of
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.questions.setup import suits

TINY = 0.0005  # MiB: some tens of places
WAYS = [
    ("alphabeta", {"order": "rated"}),
    ("alphabeta", {"order": "rated", "memory": TINY}),
    ("alphabeta", {"order": "replies", "symmetry": False}),
    ("alphabeta", {"order": "history", "memory": TINY, "hints": False}),
    ("alphabeta", {"order": "auto", "threads": 2}),
    ("alphabeta", {"order": "auto", "threads": 3, "memory": TINY}),
    ("dfpn", {}),
    ("dfpn", {"memory": 3 * TINY, "hints": False}),
]  # fmt: skip
SMALL = {
    "tic_tac_toe": 1,
    "connect_four:rows=4,columns=4": 8,
    "connect_four:rows=5,columns=5": 17,
    "connect_four": 34,
    "gomoku:m=3,n=4,k=3": 4,
    "hex:board_size=3": 1,
    "hex:board_size=4": 8,
    "othello:board_size=4": 4,
    "othello:board_size=6": 25,
    "kalah:houses=2,seeds=3": 0,
    "kalah:houses=3,seeds=3": 6,
    "kalah:houses=3,seeds=3,score=true": 6,
    "othello:board_size=6,score=true": 25,
    "breakthrough:rows=5,columns=2": 2,
    "quarto": 24,
    "pentago": 32,
    "amazons:board_size=5": 40,
    "pawn_whopping": 24,
    "semeai": 0,
    "seki": 0,
    "pgame:depth=6": 0,
}


def late_position(spec, plies, seed):
    """Return a position of a game after so many random moves, or as many as leave it open."""
    random, position = Random(f"{spec} {seed}"), load(spec).start()
    for _ in range(plies):
        after = position.play(random.choice(position.move_codes()))
        if after.is_over:
            break
        position = after
    return position


def small_enough(position, limit=6_000):
    """Tell whether few positions can be reached from one."""
    seen, waiting = {position}, [position]
    while waiting and len(seen) <= limit:
        here = waiting.pop()
        for move in here.move_codes():
            after = here.play(move)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return len(seen) <= limit


def found_by(position, method, settings):
    search = Questions(position, QuestionSettings(rating_games=50, **settings), method=method)
    search.run()
    return search


@pytest.mark.parametrize("spec", SMALL)
def test_values_are_those_of_plain_backward_induction(spec):
    asked = 0
    for seed in range(30):
        position = late_position(spec, SMALL[spec], seed)
        if not small_enough(position):
            continue
        asked += 1
        value = value_of(position)
        for method, settings in WAYS:
            search = found_by(position, method, settings)
            assert search.bounds == (value, value), (position.code, method, settings)
        if asked == 2:
            break
    assert asked > 0


@pytest.mark.parametrize("seed", range(40))
def test_values_of_random_games_with_turns_in_any_order_and_many_payoffs(seed):
    """Whoever moves may move again, and payoffs are 2, 3, 5 or nearly as many as ends."""
    payoffs = (2, 3, 5, 100)[seed % 4]
    game = load(f"random_automaton:seed={seed},states=60,branching=3,payoffs={payoffs}")
    value = value_of(game.start())
    for method, settings in WAYS:
        search = found_by(game.start(), method, settings)
        assert search.bounds == (value, value), (method, settings)


@pytest.mark.parametrize("bits", [0, 2])
def test_keys_that_collide_make_no_difference(bits):
    for spec in ("connect_four:rows=4,columns=4", "othello:board_size=4"):
        value = value_of(late_position(spec, 6, 1))
        state = late_position(spec, 6, 1).state
        for method, settings in WAYS:
            from trellis.game.game import Position

            position = Position(collider(spec, bits), state)
            assert found_by(position, method, settings).bounds == (value, value)


@pytest.mark.parametrize(("method", "settings"), WAYS)
def test_a_game_in_plain_python(method, settings):
    game = python_game()
    if settings.get("threads", 1) == 1:
        value = value_of(game.start())
        assert found_by(game.start(), method, settings).bounds == (value, value)


def test_one_against_all_of_three_players():
    game = paranoid(load("random_automaton:seed=3,players=3,states=40"), 1)
    value = value_of(game.start())
    assert found_by(game.start(), "alphabeta", {}).bounds == (value, value)


def test_a_budget_leaves_true_bounds_and_the_search_goes_on_where_it_was():
    game = load("connect_four:rows=4,columns=5")
    for method in ("alphabeta", "dfpn"):
        search = Questions(game, method=method)
        search.run(nodes=500)
        assert not search.solved
        assert search.bounds == (-1.0, 1.0)
        before = search.nodes
        assert 500 <= before < 1_000
        search.run()
        assert search.bounds == (0.0, 0.0)
        assert search.nodes > before


def test_the_same_seed_looks_at_the_same_positions():
    def nodes(seed):
        search = Questions(load("connect_four:rows=4,columns=5"), seed=seed)
        search.run()
        return search.nodes

    assert nodes(1) == nodes(1)


REFUSED = {
    "pig": "without chance",
    "goofspiel:num_cards=3": "one at a time|without chance",
    "nine_mens_morris:turn_limit=0": "can come again",
    "twenty_forty_eight": "without chance",
    "random_automaton:players=3": "two whose payoffs",
    "random_automaton:general=true": "two whose payoffs",
    "random_automaton:cyclic=true": "can come again",
}


@pytest.mark.parametrize("spec", REFUSED)
def test_games_that_do_not_fit_are_refused_by_one_line(spec):
    game = load(spec)
    assert not suits(game)
    with pytest.raises(BadParameter, match=REFUSED[spec]) as caught:
        Questions(game)
    assert "\n" not in str(caught.value)


def test_a_finished_game_is_refused():
    position = load("tic_tac_toe").start().play(0, 3, 1, 4, 2)
    with pytest.raises(GameOver):
        Questions(position)


def add_all(known, payoffs):
    for payoff in payoffs:
        known.add(payoff)


class Lying:
    """Counts up to 8 and is over; says that it is shorter, or pays what it should not."""

    max_moves = 2

    def __init__(self, longest: int = 8, pays: float = 1.0) -> None:
        self.max_plies, self.pays = longest, pays

    def start(self):
        return (0, 0)

    def acting(self, state):
        return state[0] % 2 if state[0] < 8 else None

    def moves(self, state):
        return [0, 1]

    def play(self, state, move):
        return (state[0] + 1, state[1] + move)

    def payoffs(self, state):
        return self.pays if state[1] == 3 else -1.0


def test_a_game_that_breaks_its_word_is_refused():
    for game in (Lying(longest=3), Lying(pays=float("nan")), Lying(pays=2.0)):
        with pytest.raises((BrokenContract, LimitReached, BadParameter)):
            found_by(trellis.PythonGame(game).start(), "alphabeta", {"order": "history"})


def test_labels_keep_the_order_of_payoffs():
    random, known = Random(1), Labels(-3.0, 5.0)
    payoffs = [random.uniform(-3, 5) for _ in range(500)] + [0.0, -0.0, 1e-9, -1e-9]
    for payoff in payoffs:
        known.add(payoff)
    for first, second in zip(sorted(payoffs), sorted(payoffs)[1:], strict=False):
        assert (known.label(first) < known.label(second)) == (first < second)
    assert known.label(-3.0) == y.LEAST == -known.label(5.0)
    pays, labels = known.arrays()
    assert list(pays) == sorted(set(payoffs) | {-3.0, 5.0})
    assert (labels[1:] > labels[:-1]).all()


def test_labels_that_have_no_room_are_refused():
    known = Labels(0.0, 1.0)
    for halvings in range(1, 26):
        known.add(0.5**halvings)
    with pytest.raises(LimitReached, match="close to"):
        add_all(known, [0.5**halvings for halvings in range(26, 60)])


def test_a_table_that_grows_keeps_every_entry():
    import numpy as np

    random, table = np.random.default_rng(1), t.make_table(4.0, 2)
    names = random.integers(0, 1 << 63, size=(400, 2), dtype=np.uint64)
    flat = names.reshape(-1).copy()
    for i in range(400):
        hashed = hashed_name(flat, 2 * i, 2)
        plain_store(table, hashed, flat, 2 * i, i, 2 * i)
    for _ in range(3):
        t.double(table, 0)
        for i in range(400):
            hashed = hashed_name(flat, 2 * i, 2)
            assert plain(t.look_up)(table, hashed, flat, 2 * i) == (True, i, 2 * i)


def plain(function):
    """Return the plain twin of a kernel."""
    from trellis._kernel.jit import plain as twin

    return twin(function)


def hashed_name(names, first, width):
    import numpy as np

    with np.errstate(over="ignore"):
        return plain(t.hash_name)(names, first, width)


def plain_store(table, hashed, names, first, low, high):
    assert plain(t.store)(table, hashed, names, first, low, high, 1, True) == 1


def test_an_entry_of_another_position_is_never_believed():
    """Names that differ in one word, in one line: each finds its own entry or none."""
    import numpy as np

    table, names = t.make_table(TINY, 2), np.array([7, 8, 7, 9, 6, 8], np.uint64)
    hashed = np.uint64(5)
    plain_store(table, hashed, names, 0, 3, 4)
    assert plain(t.look_up)(table, hashed, names, 0) == (True, 3, 4)
    for first in (2, 4):
        assert not plain(t.look_up)(table, hashed, names, first)[0]
    assert plain(t.store)(table, hashed, names, 0, 1, 9, 1, True) == 0  # says less: stays
    assert plain(t.look_up)(table, hashed, names, 0) == (True, 3, 4)
