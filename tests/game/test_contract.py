"""The contract catches games that break it, promise by promise."""

import itertools

import numpy as np
import pytest

import trellis
from trellis.game.bits import key_of_words
from trellis.game.errors import BrokenContract
from trellis.game.game import Game, Symmetry
from trellis.game.rules import Rules, tables


class Counter(Game):
    """A sound little game in plain functions: count up to six by ones and twos, last mover wins.

    state: the count, the player to move.
    """

    name = "counter"

    def __init__(self, **changes):
        def start(t, state):
            state[:] = 0

        def acting(t, state):
            return int(state[1]) if state[0] < 6 else -2

        def moves(t, state, out):
            count = 1 if state[0] == 5 else 2
            out[:count] = range(count)
            return count

        def play(t, state, move):
            state[0] += np.uint64(move + 1)
            state[1] = np.uint64(1) - state[1]

        def payoffs(t, state, out):
            winner = 1 - int(state[1])
            out[winner], out[1 - winner] = 1, -1

        def playout(t, state, rng, buffer, out):
            plies = 0
            while acting(t, state) >= 0:
                rng[0] += np.uint64(1)
                play(
                    t,
                    state,
                    int(np.random.default_rng(int(rng[0])).integers(moves(t, state, buffer))),
                )
                plies += 1
            payoffs(t, state, out)
            return plies

        functions = {
            "start": start, "acting": acting, "moves": moves, "play": play, "payoffs": payoffs,
            "key": key_of_words, "playout": playout,
        }  # fmt: skip
        rules = functions | {k: v for k, v in changes.items() if k in Rules._fields}
        facts = {
            "state_words": 2, "max_moves": 2, "move_codes": 2, "max_plies": 6, "compiled": False,
        }  # fmt: skip
        facts |= {k: v for k, v in changes.items() if k not in Rules._fields}
        super().__init__(Rules(**rules), tables(), **facts)
        self.sound = functions


def test_a_sound_game_passes():
    report = trellis.check_game(Counter())
    assert report.merged > 0
    assert report.most_moves == 2
    assert report.longest <= 6


def _changed(name, change):
    """Wrap one function of the sound game."""
    sound = Counter().sound[name]
    return Counter(**{name: lambda *arguments: change(sound, *arguments)})


def _write_past_the_end(sound, t, state, out):
    out[2] = 0
    return sound(t, state, out)


def _list_twice(sound, t, state, out):
    out[:2] = 0
    return 2


def _change_while_listing(sound, t, state, out):
    state[0] += np.uint64(1)
    return sound(t, state, out)


def _pay_too_much(sound, t, state, out):
    sound(t, state, out)
    out[:] = out * 2


def _pay_both(sound, t, state, out):
    out[:] = 1


def _never_ends(sound, t, state):
    return int(state[1])


def _no_move(sound, t, state, out):
    return 0


def _stands_still(sound, t, state, move):
    if move != 1:
        sound(t, state, move)


_ever_new = itertools.count()


def _unfair(sound, t, state, rng, buffer, out):
    out[:] = (1, -1)
    return 1


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda: _changed("moves", _write_past_the_end), "past its buffer"),
        (lambda: _changed("moves", _list_twice), "listed twice"),
        (lambda: _changed("moves", _change_while_listing), "listing moves changed the state"),
        (lambda: _changed("moves", _no_move), "0 moves"),
        (lambda: _changed("payoffs", _pay_too_much), "outside"),
        (lambda: _changed("payoffs", _pay_both), "do not add up"),
        (lambda: _changed("play", _stands_still), "changes nothing"),
        (lambda: _changed("playout", _unfair), "playouts pay player 0 1.0000"),
        (lambda: _changed("acting", _never_ends), "max_plies is 6"),
        (lambda: Counter(max_plies=3), "max_plies is 3"),
        (lambda: Counter(max_moves=1), "2 moves; the bound is 1"),
        (lambda: Counter(move_codes=1), "move code outside 0..0"),
        (lambda: Counter(payoff_range=(1.0, 1.0)), "is empty"),
        (lambda: Counter(key=lambda t, state: int(state[0])), "share a key"),
        (lambda: Counter(key=lambda t, state: next(_ever_new)), "two keys"),
        (lambda: Counter(acting=lambda t, state: 5), "acting is 5"),
        (lambda: Counter(acting=lambda t, state: -1), "chance acts without"),
        (lambda: Counter(groups=lambda t, state, move: 0), "belongs to no group"),
        (lambda: Counter(groups=lambda t, state, move: 2, group_names=["one"]), "nameless group"),
    ],
)
def test_every_broken_promise_is_caught(broken, words):
    with pytest.raises(BrokenContract, match=words):
        trellis.check_game(broken())


def _mirror(t, state, index, out):
    out[:] = state


@pytest.mark.parametrize(
    ("map_move", "names", "words"),
    [
        (lambda t, index, move: move if index == 0 else 1 - move, (0, 1), "strays|moves differ"),
        (lambda t, index, move: 0, (0, 1), "moves differ"),
        (lambda t, index, move: move, (1, 0), "acts"),
    ],
)
def test_symmetries_that_are_none_are_caught(map_move, names, words):
    game = Counter(
        transform=_mirror,
        map_move=map_move,
        symmetries=[Symmetry("identity", (0, 1)), Symmetry("false mirror", names)],
    )
    with pytest.raises(BrokenContract, match=words):
        trellis.check_game(game)


def test_a_hidden_choice_that_shows_is_caught():
    class Leaky:
        simultaneous = True

        def start(self):
            return "both"

        def acting(self, state):
            return {0, 1} if state == "both" else ()

        def moves(self, state, player=None):
            return ["a", "b"] if state == "both" else []

        def play(self, state, choices):
            return tuple(choices.values())

        def payoffs(self, state):
            return 1 if state[0] == state[1] else -1

    game = trellis.PythonGame(Leaky())
    trellis.check_game(game)
    game.rules = game.rules._replace(view=game.rules.key)
    with pytest.raises(BrokenContract, match="hidden choice shows"):
        trellis.check_game(game)
