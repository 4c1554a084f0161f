"""Whole games solved exactly: against published values and plain recursion."""

from functools import reduce
from itertools import product
from math import isnan
from operator import xor

import numpy as np
import pytest

from trellis._kernel.jit import kernel
from trellis.game.bits import hash_pair
from trellis.game.errors import BadParameter, BrokenContract, GameOver, LimitReached, TrellisError
from trellis.game.game import Position
from trellis.game.python_game import PythonGame
from trellis.game.rules import CHANCE, KEY
from trellis.loading import load
from trellis.search.solve.value_iteration import solve_exactly
from trellis.search.star.engine import StarSearch
from trellis.search.star.reference import expectimax

PRECISE = 1e-9


# --- pig


@pytest.fixture(scope="module")
def pig():
    """The game that Neller and Presser solved (The UMAP Journal 25, 2004)."""
    return solve_exactly(load("pig:target=100,horizon=0"))


def to_decide(game, own, other, points):
    """The first player's decision with so many points banked, and so many in this turn."""
    return Position(game, np.array([points, own | other << 16], np.uint64))


def chance_to_win(solution, own, other, points):
    low, high = solution.values[to_decide(solution.values.game, own, other, points)]
    assert high - low <= PRECISE
    return (1 + low) / 2


def test_pig_is_won_by_who_begins_as_often_as_published(pig):
    assert pig.solved
    assert (1 + pig.value) / 2 == pytest.approx(0.5306, abs=0.00005)
    # More digits from an independent program, a plain value iteration over scores and turn totals.
    assert (1 + pig.value) / 2 == pytest.approx(0.530592725274, abs=1e-11)
    assert pig.best == "roll"
    assert pig.cycles
    assert not pig.endless


def test_pig_has_the_published_exception_to_holding(pig):
    """With 41 against 49 points one holds from 22 on, but rolls once more at 27."""
    game = pig.values.game
    rolls = {
        points
        for points in range(2, 59)
        if game.move_name(None, pig.values.best(to_decide(game, 41, 49, points))) == "roll"
    }
    assert {points for points in rolls if points < 40} == {*range(2, 22), 27}


def test_piglet_has_the_published_values():
    """A coin for a die, 2 points to win; our coin brings 2 points, so that 4 win."""
    solution = solve_exactly(load("pig:target=4,faces=2,horizon=0"))
    published = {
        (0, 0, 0): 4 / 7, (0, 0, 1): 5 / 7, (0, 1, 0): 2 / 5, (0, 1, 1): 3 / 5,
        (1, 0, 0): 4 / 5, (1, 1, 0): 2 / 3,
    }  # fmt: skip
    for (own, other, points), chance in published.items():
        found = chance_to_win(solution, 2 * own, 2 * other, 2 * points)
        assert found == pytest.approx(chance, abs=PRECISE)


def plain_pig(target, faces):
    """Value iteration straight from the rules: the chance of who is to decide."""
    chances = {(i, j, k): 0.0 for i, j in product(range(target), repeat=2) for k in range(target)}

    def chance(i, j, k):
        return 1.0 if i + k >= target else chances[i, j, k]

    change = 1.0
    while change > 1e-14:
        change = 0.0
        for i, j, k in list(chances):
            if i + k >= target:
                continue
            lost = 1 - chance(j, i, 0)
            rolled = [chance(i, j, k + face) for face in range(2, faces + 1)]
            roll = (lost + sum(rolled)) / faces
            best = max(roll, 1 - chance(j, i + k, 0))
            change = max(change, abs(best - chances[i, j, k]))
            chances[i, j, k] = best
    return chances


@pytest.mark.parametrize(("target", "faces"), [(8, 6), (12, 4), (6, 2), (7, 3)])
def test_small_pig_against_plain_value_iteration(target, faces):
    solution = solve_exactly(load("pig", target=target, faces=faces, horizon=0))
    wanted = plain_pig(target, faces)
    seen = 0
    for (i, j, k), chance in wanted.items():
        position = to_decide(solution.values.game, i, j, k)
        if i + k < target and position in solution.values:
            seen += 1
            assert chance_to_win(solution, i, j, k) == pytest.approx(chance, abs=PRECISE)
    assert seen > target


def test_pig_with_a_horizon_has_no_cycles():
    game = load("pig:target=8,horizon=6")
    solution = solve_exactly(game)
    assert not solution.cycles
    assert solution.sweeps == 0
    assert solution.value == pytest.approx(expectimax(game.start(), 20, lambda _: 9.9), abs=PRECISE)


# --- other games with known values


def test_dice_of_side_3():
    assert solve_exactly(load("dice:m=3,k=3")).value == pytest.approx(0.347450846, abs=5e-10)


@pytest.mark.parametrize("full", ["reroll", "pass"])
@pytest.mark.parametrize("lines", ["rc", "any", "rows"])
def test_dice_of_side_2_everywhere_against_recursion(lines, full):
    game = load("dice", m=2, k=2, lines=lines, full=full)
    solution = solve_exactly(game)
    # On a board this small columns are never full when a row is; with `any` and `rows` both
    # players may have to pass, and the position comes back.
    assert bool(solution.cycles) == (full == "pass" and lines != "rc")
    assert solution.solved
    for judged in (-1.0, 1.0):
        known = {}
        for position in solution.values:
            wanted = expectimax(position, 80, lambda _, judged=judged: judged, known)
            assert solution.values[position] == pytest.approx((wanted, wanted), abs=PRECISE)
    report = StarSearch(game.start(), memory=1.0).run(depth=80)
    assert solution.value == pytest.approx(report.value, abs=PRECISE)


def test_2048_on_a_tiny_board():
    """Lees-Miller (The Mathematics of 2048, 2018): the tile 32 is made about 8 % of the time."""
    game = load("twenty_forty_eight:rows=2,columns=2,target=32,goal=tile")
    solution = solve_exactly(game)
    assert solution.value == pytest.approx(0.0829, abs=0.00005)
    assert solution.best is None  # chance deals first
    assert len(solution.moves) == 8
    average = sum(move.probability * move.low for move in solution.moves)
    assert average == pytest.approx(solution.value, abs=PRECISE)


def minimax(position, known):
    at = position.state.tobytes()
    if at not in known:
        if position.is_over:
            known[at] = position.payoffs()[0]
        else:
            values = [minimax(position.play(code), known) for code in position.move_codes()]
            known[at] = max(values) if position.acting == 0 else min(values)
    return known[at]


def test_tic_tac_toe_is_a_draw_and_every_position_is_right():
    game = load("tic_tac_toe")
    solution = solve_exactly(game)
    assert (solution.value, solution.nodes, solution.cycles) == (0.0, 5478, 0)
    known = {}
    for position in solution.values:
        wanted = minimax(position, known)
        assert solution.values[position] == (wanted, wanted)
    threatened = game.start().play("a1", "b2", "a2")
    assert threatened.name(solution.values.best(threatened)) == "a3"


@pytest.mark.parametrize("piles", [(1, 2, 3), (1, 3, 5), (2, 2), (3, 4, 5), (1, 4, 5)])
@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_won_where_the_sum_says_so(piles, misere):
    """The sum without carrying decides, last object or not, unless all piles are single."""
    text = ";".join(map(str, piles))
    solution = solve_exactly(load("nim", pile_sizes=text, is_misere=misere))
    assert solution.value == (1.0 if reduce(xor, piles) else -1.0)


# --- games made for a purpose


class Cases:
    """A game of states "name", given as {name: (who, {move: name or payoff})}."""

    players = 2
    max_moves = 4

    def __init__(self, states, chances=None, players=2):
        self.states, self.shares, self.players = states, chances or {}, players

    def start(self):
        return next(iter(self.states))

    def acting(self, state):
        return self.states[state][0] if state in self.states else None

    def moves(self, state):
        return list(self.states[state][1]) if state in self.states else []

    def play(self, state, move):
        return self.states[state][1][move]

    def payoffs(self, state):
        return state

    def chances(self, state):
        return self.shares[state]


class Unequal(Cases):
    """Payoffs add up to 1.5, and nobody gets less than 0 or more than 1."""

    constant_sum = 1.5
    payoff_range = (0.0, 1.0)

    def payoffs(self, state):
        return state, 1.5 - state


def test_the_second_player_gets_the_rest_only_where_play_must_end():
    """Who is to get all there is may as well go round for ever, and then there is no rest."""
    ends = {"a": (0, {"end": 1.0, "on": "b"}), "b": (1, {"leave": 0.5, "end": 1.0})}
    round_ = {"a": (0, {"end": 1.0, "on": "b"}), "b": (0, {"back": "a", "end": 0.5})}
    for cases, payoffs, rest in ((ends, (1.0, 0.5), (0.5, 0.5)), (round_, None, (0.0, 1.0))):
        game = PythonGame(Unequal(cases))
        solution = solve_exactly(game)
        assert solution.value == 1.0
        assert solution.payoffs == payoffs
        assert solution.bounds == ((1.0, 1.0), rest)
        if payoffs is None:
            with pytest.raises(BadParameter, match="do not follow"):
                solution.for_player(1)
        else:
            assert solution.for_player(1).value == 0.5


def test_where_nobody_wants_to_move_on_there_is_only_an_interval():
    """Who leaves loses, so both go round for ever."""
    game = PythonGame(
        Cases({"a": (0, {"leave": -1.0, "stay": "b"}), "b": (1, {"leave": 1.0, "stay": "a"})})
    )
    solution = solve_exactly(game)
    assert isnan(solution.value)
    assert (solution.low, solution.high) == (-1.0, 1.0)
    assert solution.endless
    assert not solution.solved
    assert solution.best == "stay"
    assert "-1 to 1" in solution.sentence()
    assert "for ever" in solution.sentence()
    assert [(move.move, move.low, move.high) for move in solution.moves] == [
        ("stay", -1.0, 1.0),
        ("leave", -1.0, -1.0),
    ]


def test_an_interval_further_on_is_narrowed_by_what_leads_to_it():
    """Half the games go to a loop, the others are lost; so one half of the interval is left."""
    loop = {"a": (0, {"stay": "b"}), "b": (1, {"stay": "a"})}
    game = PythonGame(
        Cases({"coin": (CHANCE, {"heads": "a", "tails": -1.0}), **loop}, {"coin": [0.5, 0.5]})
    )
    solution = solve_exactly(game)
    assert (solution.low, solution.high) == (-1.0, 0.0)
    assert solution.endless
    assert [move.probability for move in solution.moves] == [0.5, 0.5]


def test_going_round_does_not_matter_to_who_can_leave_with_as_much():
    """Staying is worth as much as winning, but only winning ends; the other cannot help it."""
    game = PythonGame(
        Cases({"a": (0, {"stay": "b", "win": 1.0}), "b": (1, {"stay": "a", "worse": 1.0})})
    )
    solution = solve_exactly(game)
    assert solution.value == 1.0
    assert solution.cycles
    assert not solution.endless
    assert solution.best == "win"


def test_a_game_that_hardly_ever_ends_is_slow_not_endless(monkeypatch):
    monkeypatch.setattr("trellis.search.solve.value_iteration.PATIENCE", 100_000)
    game = PythonGame(
        Cases(
            {"a": (0, {"roll": "die"}), "die": (CHANCE, {"end": 1.0, "again": "a"})},
            {"die": [1e-13, 1 - 1e-13]},
        )
    )
    solution = solve_exactly(game)
    assert isnan(solution.value)
    assert not solution.endless
    assert "slowly" in solution.sentence()
    assert solution.low <= 1.0 <= solution.high


def test_a_game_that_seldom_ends_is_solved():
    game = PythonGame(
        Cases(
            {"a": (0, {"roll": "die"}), "die": (CHANCE, {"end": 0.25, "again": "a"})},
            {"die": [1e-4, 1 - 1e-4]},
        )
    )
    assert solve_exactly(game).value == pytest.approx(0.25, abs=PRECISE)


def test_a_position_that_leads_to_itself_is_a_cycle():
    game = PythonGame(Cases({"a": (0, {"wait": "a", "go": 0.5})}))
    solution = solve_exactly(game)
    assert (solution.low, solution.high, solution.cycles) == (0.5, 1.0, 1)
    assert solution.endless


@kernel(KEY)
def same_key(tables, state):
    """A key that tells no position from another."""
    return hash_pair(np.uint64(1), np.uint64(2))


def test_positions_with_the_same_key_are_not_mixed_up():
    game = load("tic_tac_toe")
    game.rules = game.rules._replace(key=same_key)
    assert solve_exactly(game).nodes == 5478


def test_any_position_can_be_solved():
    game = load("dice:m=3,k=3")
    whole = solve_exactly(game)
    later = game.start().play(game.start().move_codes()[0])
    assert solve_exactly(later).value == pytest.approx(whole.values[later][0], abs=PRECISE)
    assert whole.nodes == len(whole.values) == len(set(whole.values))


def test_a_strategy_names_a_legal_move_wherever_there_is_a_choice():
    solution = solve_exactly(load("pig:target=6,faces=3,horizon=0"))
    listed = dict(solution.values.strategy())
    wanted = {p for p in solution.values if p.acting >= 0 and len(p.move_codes()) > 1}
    assert listed.keys() == wanted
    assert all(move in position.moves() for position, move in listed.items())


def test_facts_are_plain_data():
    facts = solve_exactly(load("tic_tac_toe")).to_dict()
    assert facts["value"] == 0.0
    assert facts["moves"][0]["move"] == "a3"
    assert "values" not in facts


# --- bounds, interrupts, bad input


def test_too_little_memory_is_said_in_one_line():
    with pytest.raises(LimitReached, match=r"pig does not fit into 20 MiB: .* found"):
        solve_exactly(load("pig:target=100"), memory=20)
    with pytest.raises(LimitReached, match=r"does not fit into 0\.1 MiB"):
        solve_exactly(load("tic_tac_toe"), memory=0.1)


def test_small_memory_serves_a_small_game():
    """Arrays grow several times on the way, and the last time by less than they would like."""
    found = {
        memory: solve_exactly(load("pig:target=24,horizon=0"), memory=memory).value
        for memory in (7.5, 1024)
    }
    assert found[7.5] == found[1024]


def test_too_many_positions_are_said_in_one_line():
    with pytest.raises(LimitReached, match="tic_tac_toe has more than 5,000 positions"):
        solve_exactly(load("tic_tac_toe"), limit=5000)
    assert solve_exactly(load("tic_tac_toe"), limit=5478).solved


@pytest.mark.parametrize("stage", ["found", "finding cycles", "sweep"])
def test_it_can_be_interrupted_at_every_stage(stage):
    notes = []

    def progress(fraction, note):
        notes.append(note)
        assert 0 <= fraction <= 1
        if stage in note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_exactly(load("pig:target=15,horizon=0"), progress=progress)
    assert stage in notes[-1]


def test_slices_do_not_change_the_result(monkeypatch):
    whole = solve_exactly(load("pig:target=12,horizon=0"))
    for module in ("search.solve.value_iteration", "game.enumerate"):
        monkeypatch.setattr(f"trellis.{module}._FIRST_SLICE", 7)
        monkeypatch.setattr(f"trellis.{module}._SLICE_SECONDS", 0.0)
    sliced = solve_exactly(load("pig:target=12,horizon=0"))
    same = ("value", "low", "high", "nodes", "edges", "cycles", "sweeps", "moves")
    assert [getattr(whole, name) for name in same] == [getattr(sliced, name) for name in same]


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("random_automaton:simultaneous=50", {}, "at the same moment"),
        ("pig:players=3", {}, "expected one player, or two"),
        ("tic_tac_toe", {"memory": 0}, "bad memory"),
        ("tic_tac_toe", {"memory": float("nan")}, "bad memory"),
        ("tic_tac_toe", {"tolerance": 0}, "bad tolerance"),
        ("tic_tac_toe", {"tolerance": float("nan")}, "bad tolerance"),
        ("tic_tac_toe", {"limit": 0}, "bad limit"),
    ],
)
def test_bad_input_is_named(spec, settings, said):
    with pytest.raises(BadParameter, match=said):
        solve_exactly(load(spec), **settings)


def test_broken_games_are_named(monkeypatch):
    over = load("tic_tac_toe").start().play("a1", "b1", "a2", "b2", "a3")
    with pytest.raises(GameOver, match="is over"):
        solve_exactly(over)
    with pytest.raises(BrokenContract, match="payoffs are not what was promised, -1 to 1"):
        solve_exactly(PythonGame(Cases({"a": (0, {"go": 5.0})})))
    for shares in ([0.5, 0.4], [1.5, -0.5], [float("nan"), 0.5]):
        game = PythonGame(Cases({"a": (CHANCE, {"x": 1.0, "y": -1.0})}, {"a": shares}))
        with pytest.raises(BrokenContract, match="expected probabilities, which add up to 1"):
            solve_exactly(game)
        with monkeypatch.context() as unheeding:  # compiled games are not asked by the wrapper
            unheeding.setattr(game, "_probabilities", lambda *_, shares=shares: shares)
            with pytest.raises(TrellisError, match="of Cases do not add up to 1"):
                solve_exactly(game)


def test_a_position_from_elsewhere_has_no_value():
    solution = solve_exactly(load("tic_tac_toe").start().play("a1"))
    before = load("tic_tac_toe").start()
    assert before not in solution.values
    with pytest.raises(BadParameter, match="cannot be reached"):
        solution.values.best(before)
    with pytest.raises(KeyError):
        solution.values[load("nim").start()]
