"""Games written as plain classes work like built-in ones."""

import numpy as np
import pytest

import trellis
from trellis.game.errors import BadParameter, BrokenContract, TrellisError
from trellis.game.playouts import playouts
from trellis.game.python_game import PythonGame

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
NAMES = [f"{'abc'[cell % 3]}{3 - cell // 3}" for cell in range(9)]


class OwnTicTacToe:
    """Four methods and two names: states are strings of nine characters."""

    max_plies = 9

    def start(self):
        return "." * 9

    def _winner(self, board):
        for a, b, c in LINES:
            if board[a] != "." and board[a] == board[b] == board[c]:
                return board[a]
        return None

    def moves(self, board):
        return [] if self._winner(board) else [i for i in range(9) if board[i] == "."]

    def play(self, board, cell):
        mark = "xo"[9 - board.count(".") & 1]
        return board[:cell] + mark + board[cell + 1 :]

    def payoffs(self, board):
        return {"x": 1, "o": -1, None: 0}[self._winner(board)]

    def move_name(self, board, cell):
        return NAMES[cell]


class Matching:
    """Two players show a side of a coin at once, then a real coin doubles or not."""

    simultaneous = True
    payoff_range = (-2, 2)

    def start(self):
        return "show"

    def acting(self, state):
        if state == "show":
            return {0, 1}
        return trellis.CHANCE if isinstance(state, int) else ()

    def moves(self, state, player=None):
        if state == "show":
            return ["heads", "tails"] if player == 0 else ["Heads", "Tails", "edge"]
        return ["single", "double"] if isinstance(state, int) else []

    def play(self, state, move):
        if state == "show":
            assert set(move) == {0, 1}
            return 1 if move[0] == move[1].lower() else -1
        return (state, move)

    def chances(self, state):
        return [0.75, 0.25]

    def payoffs(self, state):
        return state[0] * (2 if state[1] == "double" else 1)


class Solitaire:
    """One player picks up digits; the payoff is their sum."""

    players = 1
    payoff_range = (0, 9)
    constant_sum = None

    def start(self):
        return ()

    def moves(self, state):
        return [0, 1, 3] if len(state) < 3 else []

    def play(self, state, digit):
        return (*state, digit)

    def payoffs(self, state):
        return sum(state)


@pytest.mark.parametrize("own", [OwnTicTacToe, Matching, Solitaire])
def test_own_games_keep_the_contract(own):
    report = trellis.check_game(PythonGame(own()), games=10, walk=100)
    assert report.games == 10


def test_own_tic_tac_toe_cannot_be_told_from_the_built_in_one():
    ours = PythonGame(OwnTicTacToe())
    native = trellis.load("tic_tac_toe")
    assert trellis.bisimilar(
        ours.start().play("b2", "a1", "a3"), native.start().play("b2", "a1", "a3")
    )
    assert [(p.games, p.positions) for p in trellis.perft(ours, 5)] == [
        (p.games, p.positions) for p in trellis.perft(native, 5)
    ]


def test_without_acting_players_take_turns_and_the_turn_is_part_of_the_position():
    position = PythonGame(OwnTicTacToe()).start()
    assert [position.acting, position.play("b2").acting] == [0, 1]


def test_simultaneous_choices_are_hidden_until_all_are_made():
    start = PythonGame(Matching()).start()
    assert (start.acting, start.actors) == (0, (0, 1))
    hidden = [start.play(move) for move in start.moves()]
    assert [position.acting for position in hidden] == [1, 1]
    assert hidden[0].view_key == hidden[1].view_key
    assert hidden[0].key != hidden[1].key
    assert hidden[0].moves() == ["Heads", "Tails", "edge"]
    shown = hidden[0].play("Heads")
    assert shown.chances() == [("single", 0.75), ("double", 0.25)]
    assert shown.play("double").payoffs() == (2.0, -2.0)


def test_playouts_of_own_games_are_right_on_average():
    """Matching with three answers to two sides: a match has chance 1/3; mean (1/3-2/3)*1.25."""
    result = playouts(PythonGame(Matching()).start(), 4000, seed=1)
    assert result.means[0] == pytest.approx(-1.25 / 3, abs=5 * result.errors[0])
    assert result.means[0] == -result.means[1]


def test_own_games_can_be_searched_reduced_recorded_and_counted():
    game = PythonGame(OwnTicTacToe())
    assert trellis.rank_moves(game.start().play("b2", "a1", "a3", "b1"), sims=300).best == "c1"
    assert trellis.replay_game(trellis.record_game(game, seed=1), game).is_over
    assert trellis.perft(trellis.unfolded(game), 3)[3].positions == 9 * 8 * 7
    lone = PythonGame(Solitaire())
    assert trellis.perft(lone, 3)[-1].games == 27
    assert trellis.rank_moves(lone.start(), sims=300).best == "3"


def test_missing_methods_are_named():
    class Half:
        def start(self):
            return 0

    with pytest.raises(BrokenContract, match="Half lacks moves, play, payoffs"):
        PythonGame(Half())


def test_too_many_moves_name_the_bound_to_raise():
    class Wide(Solitaire):
        max_moves = 2

    with pytest.raises(BrokenContract, match="set max_moves above 2"):
        PythonGame(Wide()).start().move_codes()


def test_probabilities_that_do_not_fit_are_named():
    class Loaded(Matching):
        def chances(self, state):
            return [0.75, 0.5]

    with pytest.raises(BrokenContract, match=r"\[0\.75, 0\.5\]': expected probabilities"):
        trellis.check_game(PythonGame(Loaded()))

    class Short(Matching):
        def chances(self, state):
            return [1.0]

    with pytest.raises(BrokenContract, match="1 probabilities for 2 moves"):
        trellis.check_game(PythonGame(Short()))


GAME_FILE = '''
class Race:
    """First to ten."""
    def __init__(self, goal=10):
        self.goal = goal
    def start(self):
        return 0
    def moves(self, n):
        return [1, 2] if n < self.goal else []
    def play(self, n, step):
        return n + step
    def payoffs(self, n):
        return (1, -1)
'''


def test_a_game_loads_from_a_file(tmp_path):
    file = tmp_path / "race.py"
    file.write_text(GAME_FILE)
    assert trellis.load(str(file)).spec == f"{file}:Race"
    game = trellis.load(f"{file}:Race(goal=4)")
    assert np.sum([ply.ended for ply in trellis.perft(game, 9)]) == 8  # paths over 4 in 1s and 2s
    for bad, words in [
        (f"{file}:Rage", "did you mean 'Race'"),
        (f"{file}:Race(gaol=4)", "cannot be made"),
        (f"{tmp_path}/none.py", "no such game file"),
    ]:
        with pytest.raises(TrellisError, match=words):
            trellis.load(bad)
    file.write_text("1 +")
    with pytest.raises(TrellisError, match="does not run: SyntaxError"):
        trellis.load(str(file))
    file.write_text("class A: pass")
    with pytest.raises(TrellisError, match="defines no game"):
        trellis.load(str(file))


def test_the_spec_of_a_game_from_a_file_loads_it_again(tmp_path):
    file = tmp_path / "race.py"
    file.write_text(GAME_FILE)
    for spec in (f"{file}:Race(goal=4)", f"{file}:goal=4", f"{file}(goal=4)"):
        game = trellis.load(spec)
        assert game.spec == f"{file}:Race(goal=4)"
        assert trellis.load(game.spec).spec == game.spec
    assert trellis.load(str(file), goal=4).spec == f"{file}:Race(goal=4)"


def test_an_object_is_a_game_too():
    assert trellis.perft(trellis.load(OwnTicTacToe()), 2)[2].games == 72
    assert trellis.load("hex", board_size=5).spec == "hex:board_size=5"
    assert trellis.load("connect_four:rows=5", columns=5).spec == "connect_four:rows=5,columns=5"


def test_errors_of_own_methods_name_the_line_they_arose_in():
    class Broken(Solitaire):
        def moves(self, state):
            return [1 // len(state)]

    with pytest.raises(BrokenContract, match=r"Broken\.moves raised ZeroDivisionError.*test_pyth"):
        trellis.load(Broken()).start().moves()


def test_states_that_cannot_be_hashed_are_named():
    class Lists(Solitaire):
        def start(self):
            return []

    with pytest.raises(BrokenContract, match="expected something hashable"):
        trellis.load(Lists()).start()


def test_states_compared_by_identity_are_found_out():
    class Thing:
        pass

    class Objects(Solitaire):
        def start(self):
            return Thing()

        def moves(self, state):
            return [1]

    with pytest.raises(BrokenContract, match="must be equal when they mean the same"):
        trellis.check_game(trellis.load(Objects()))


def test_somebody_who_acts_without_a_move_is_named():
    class Stuck(Matching):
        def moves(self, state, player=None):
            return ["a"] if player == 0 else []

    for own in (True, False):
        with pytest.raises(BrokenContract, match="without legal moves"):
            playouts(trellis.load(Stuck()), 1, own=own)


@pytest.mark.parametrize("payoffs", [None, {}, (1, 2, 3), "x", "xy", [1]])
def test_payoffs_that_make_no_sense_are_named(payoffs):
    class Odd(OwnTicTacToe):
        def payoffs(self, board):
            return payoffs

    over = trellis.load(Odd()).start().play("a1", "a2", "b1", "b2", "c1")
    with pytest.raises(BrokenContract, match="expected one number for each of 2 players"):
        over.payoffs()


def test_moves_may_be_any_iterable():
    class Lazy(OwnTicTacToe):
        def moves(self, board):
            yield from super().moves(board)

    class Arrays(OwnTicTacToe):
        def moves(self, board):
            return np.array(super().moves(board), dtype=int)

    for own in (Lazy, Arrays):
        assert [ply.games for ply in trellis.perft(trellis.load(own()), 3)] == [1, 9, 72, 504]
        assert trellis.load(own()).start().play("a1", "a2", "b1", "b2", "c1").is_over


def test_a_set_of_one_player_chooses_like_a_set():
    class Alone(Matching):
        def acting(self, state):
            return {1} if state == "show" else super().acting(state)

        def play(self, state, move):
            if state == "show":
                assert list(move) == [1]
                return 1
            return super().play(state, move)

    assert trellis.load(Alone()).start().moves() == ["Heads", "Tails", "edge"]
    trellis.check_game(trellis.load(Alone()))


def test_a_set_needs_to_be_announced():
    class Silent(Matching):
        simultaneous = False

    with pytest.raises(BrokenContract, match="must say simultaneous = True"):
        trellis.load(Silent()).start().moves()


@pytest.mark.parametrize("facts", [{"players": "x"}, {"players": 0}, {"payoff_range": (1, 1)}])
def test_facts_that_make_no_sense_are_named(facts):
    with pytest.raises(BrokenContract, match="expected players"):
        trellis.load(type("Odd", (OwnTicTacToe,), facts)())


def test_positions_of_two_objects_are_never_equal():
    one, two = trellis.load(OwnTicTacToe()), trellis.load(OwnTicTacToe())
    assert one.start().play("a1") == one.start().play("a1")
    assert one.start() != two.start()


@pytest.mark.parametrize("told", ["abc", [None, 0.5], 3])
def test_probabilities_that_are_no_numbers(told):
    class Odd:
        players = 1
        max_moves = 2

        def start(self):
            return 0

        def acting(self, state):
            return trellis.CHANCE if state == 0 else None

        def moves(self, state):
            return ["left", "right"]

        def chances(self, state):
            return told

        def play(self, state, move):
            return 1

        def payoffs(self, state):
            return [0.0]

    with pytest.raises(BrokenContract, match=r"chances returned .*: expected numbers"):
        trellis.load(Odd()).start().probabilities()


def test_a_set_of_players_who_are_none_is_refused():
    class Strangers(Matching):
        def acting(self, state):
            return {0, 5}

    with pytest.raises(BrokenContract, match=r"acting returned '\{0, 5\}': expected a player"):
        PythonGame(Strangers()).start().moves()


def test_a_file_that_leaves_the_program_is_refused(tmp_path):
    file = tmp_path / "leaves.py"
    file.write_text("raise SystemExit(0)\n")
    with pytest.raises(BadParameter, match="does not run: SystemExit"):
        trellis.load(str(file))
    file.write_text(GAME_FILE.replace("self.goal = goal", "exit(0)"))
    with pytest.raises(BadParameter, match="Race cannot be made"):
        trellis.load(str(file))
