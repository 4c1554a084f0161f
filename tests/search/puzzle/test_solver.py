"""Puzzles: the best way to an end, against the truth by looking at everything."""

import itertools

import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.search.puzzle.breadth_first import BreadthFirst
from trellis.search.puzzle.rollouts import Rollouts
from trellis.search.puzzle.solver import PuzzleSolver
from trellis.search.solve.value_iteration import solve_exactly


class Ladder:
    """Climb to a height; each rung pays a little, the top pays most, a false step ends it."""

    players, payoff_range, max_moves, max_plies = 1, (0, 100), 3, 20
    height = 6

    def start(self):
        return (0, False)

    def moves(self, state):
        at, fallen = state
        if fallen or at == self.height:
            return []
        return ["left", "right", "jump"] if at % 3 else ["right", "jump"]

    def play(self, state, move):
        at, _ = state
        good = {0: "right", 1: "left", 2: "jump"}[at % 3]
        return (at + 1, False) if move == good else (at, True)

    def payoffs(self, state):
        at, _ = state
        return [100.0 if at == self.height else 3.0 * at]


def follow(start, way):
    """Return the position at the end of a way."""
    for code in way:
        start = start.play(code)
    return start


@pytest.fixture
def ladder():
    return trellis.PythonGame(Ladder())


def test_breadth_first_proves_the_best_end(ladder):
    search = BreadthFirst(ladder.start(), 64)
    while not search.over:
        search.think(float("inf"))
    assert search.complete
    assert search.best_worth == 100
    way = search.way()
    assert len(way) == 6
    assert follow(ladder.start(), way).payoffs() == (100.0,)
    # Every rung has ends below it, so all of them were looked at.
    assert search.positions == 2 * 6 + 1


def test_rollouts_learn_the_way_up(ladder):
    rollouts = Rollouts(ladder.start(), seed=1)
    for _ in range(60):
        rollouts.think(float("inf"))
        if rollouts.best_worth == 100:
            break
    assert rollouts.best_worth == 100
    assert follow(ladder.start(), rollouts.best_moves).payoffs() == (100.0,)
    # Random play gets there once in 18^2 games.


class BlindLadder(Ladder):
    """The same, higher, and nothing is paid but at the top: only the length of a game tells."""

    height = 15

    def payoffs(self, state):
        return [100.0 if state[0] == self.height else 0.0]


@pytest.mark.parametrize("seed", [1, 2])
def test_longer_games_show_the_way_where_all_ends_pay_the_same(seed):
    rollouts = Rollouts(trellis.PythonGame(BlindLadder()).start(), seed=seed)
    for _ in range(60):  # 3,000 games; random play gets there once in 2 million
        rollouts.think(float("inf"))
        if rollouts.best_worth == 100:
            break
    assert rollouts.best_worth == 100
    assert len(rollouts.best_moves) == 15


@pytest.mark.parametrize("seed", range(2))
def test_the_value_is_that_of_looking_at_everything(seed):
    class Tree:
        players, payoff_range, max_plies = 1, (0, 100), 5

        def start(self):
            return ""

        def moves(self, state):
            return list("abc") if len(state) < 5 and "bb" not in state else []

        def play(self, state, move):
            return state + move

        def payoffs(self, state):
            return [float((hash_of(state) + seed * 17) % 101)]

    def hash_of(state):
        return sum(ord(each) * 31**i for i, each in enumerate(state)) % 1_009

    game = trellis.PythonGame(Tree())
    solver = PuzzleSolver(game)
    solver.think(game.start(), 30)
    best = max(
        game_end
        for length in range(1, 6)
        for letters in itertools.product("abc", repeat=length)
        for state in ["".join(letters)]
        if "bb" not in state[:-1] and (length == 5 or state[-2:] == "bb")
        for game_end in Tree().payoffs(state)
    )
    assert solver.best_worth == best
    assert solver.finished
    assert solve_exactly(game).value == best


def test_a_way_is_kept_and_played_to_the_end(ladder):
    solver = PuzzleSolver(ladder)
    position = ladder.start()
    solver.think(position, 30)
    work = solver.looked_at
    for _ in range(6):
        solver.think(position, 30)
        code, worth = solver.next_move(position)
        assert worth == 100
        position = position.play(code)
    assert position.payoffs() == (100.0,)
    assert solver.looked_at <= work  # nothing more had to be looked at


def test_off_the_way_it_begins_anew(ladder):
    solver = PuzzleSolver(ladder)
    solver.think(ladder.start(), 30)
    elsewhere = ladder.start().play("jump")
    assert elsewhere.is_over
    other = ladder.start().play("right").play("left")
    solver.think(other, 30)
    assert solver.best_worth == 100
    assert len(solver.way) == 4


def test_without_any_time_there_is_a_legal_move(ladder):
    solver = PuzzleSolver(ladder)
    solver.think(ladder.start(), 0)
    code, worth = solver.next_move(ladder.start())
    assert code in ladder.start().move_codes()
    assert worth is None


def test_games_of_two_and_of_chance_are_refused():
    for name in ("tic_tac_toe", "twenty_forty_eight"):
        with pytest.raises(BadParameter, match="not a puzzle"):
            PuzzleSolver(trellis.load(name))


def test_compiled_rules_agree_with_plain_ones(tmp_path):
    path = tmp_path / "steps.kif"
    path.write_text(
        """(role r) (init (at 0)) (legal r (go a)) (legal r (go b))
        (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (next (at ?y)) (true (at ?x)) (does r (go a)) (succ ?x ?y))
        (<= terminal (true (at 3))) (<= some (true (at ?x))) (<= terminal (not some))
        (<= (goal r 70) (true (at 3))) (<= (goal r 100) never) (<= never (true (at 9)))
        (<= (goal r 0) (not (true (at 3))))""",
        "utf-8",
    )
    game = trellis.load(str(path))
    solver = PuzzleSolver(game)
    solver.think(game.start(), 30)
    assert solver.best_worth == 70
    assert solver.finished
    assert len(solver.way) == 3
