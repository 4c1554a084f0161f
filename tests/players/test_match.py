"""Matches: scores, seats, seeds, workers."""

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

import trellis
from trellis.cli.stopping import stoppable
from trellis.game.errors import BadParameter, LimitReached
from trellis.players import match as matches
from trellis.players.match import Match, draw_opening, play_game, run_match, wilson


def facts(result):
    return {**dataclasses.asdict(result), "seconds": None}


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [  # Newcombe 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons(wins, games, low, high):
    assert wilson(wins / games, games) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1 - wins / games, games) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "connect_four"])
@pytest.mark.parametrize("player", ["uct:sims=200", "ucd:1,0,1,c=0.5,sims=200"])
def test_a_search_beats_random_moves_and_takes_both_seats(spec, player):
    result = run_match(spec, player, "random", games=20, seed=3)
    assert result.games == result.wins_a + result.wins_b + result.draws == 20
    assert result.score_a >= 0.85
    assert result.low <= result.score_a <= result.high
    mirrored = run_match(spec, "random", player, games=20, seed=3)
    assert mirrored.score_a <= 0.15


def test_more_simulations_beat_fewer():
    result = run_match("connect_four", "simple:sims=400", "simple:sims=10", games=12, seed=1)
    assert result.score_a >= 0.75


def test_the_same_seed_gives_the_same_games_and_another_seed_others():
    def play(seed):
        return facts(run_match("connect_four", "random", "random", games=30, seed=seed))

    assert play(1) == play(1)
    assert play(1) != play(2)
    assert play(-1) == play(-1)


def test_workers_change_nothing_but_the_time():
    arguments = ("dice:m=3,k=3", "uct:sims=50", "random")
    alone = run_match(*arguments, games=9, seed=5, opening=2)
    together = run_match(*arguments, games=9, seed=5, opening=2, workers=2)
    assert facts(alone) == facts(together)


def test_seats_are_swapped_and_openings_are_shared_by_pairs(monkeypatch):
    game = trellis.load("connect_four")
    match = Match(game.spec, "random", "flat:sims=1", 7, ("d",), 3, 1000)
    openings = [draw_opening(game, match, pair) for pair in range(6)]
    assert all(len(opening) == 4 and opening[0] == "d" for opening in openings)
    assert len({tuple(opening) for opening in openings}) > 3

    games = []

    class Spy(matches.Session):
        def advance(self):
            if not games or games[-1][0] is not self:
                games.append((self, [seat.name for seat in self.players], list(self.moves)))
            return super().advance()

    monkeypatch.setattr(matches, "Session", Spy)
    for number in range(4):
        play_game(game, match, number)
    assert [seats for _, seats, _ in games] == [
        ["random", "flat:sims=1"], ["flat:sims=1", "random"],
    ] * 2  # fmt: skip
    assert [moves for _, _, moves in games] == [openings[0], openings[0], openings[1], openings[1]]


def test_who_wins_is_told_from_the_seat_of_a():
    """x is about to win: A wins the games it is first in, B the others."""
    result = run_match(
        "tic_tac_toe", "uct:sims=200", "uct:sims=200", games=6, moves=["a1", "b1", "a2", "b2"]
    )
    assert (result.wins_a, result.wins_b, result.draws) == (3, 3, 0)
    assert (result.payoff_a, result.payoff_b) == (0.0, 0.0)
    assert result.plies == 5


def test_alone_both_meet_the_same_seeds():
    same = run_match("leftright:h=20", "uct:sims=20", "uct:sims=20", games=5, seed=2)
    assert same.draws == 5
    assert same.payoff_a == same.payoff_b
    better = run_match("leftright:h=20", "uct:sims=100", "random", games=5, seed=2)
    assert better.wins_a == 5
    assert better.payoff_a > better.payoff_b


def test_with_three_players_a_takes_each_seat():
    result = run_match("pig:players=3,target=20", "uct:sims=100", "random", games=12, seed=1)
    assert result.wins_a >= 7  # of three that are alike, each would win four
    assert "3 seats" in matches.how_played(trellis.load("pig:players=3"))


def test_a_game_without_end_is_stopped_and_drawn():
    result = run_match("nine_mens_morris", "random", "random", games=4, longest=10)
    assert (result.draws, result.stopped, result.plies) == (4, 4, 10)
    assert result.payoff_a is None


def test_notes_of_players_come_back_once(tmp_path):
    file = tmp_path / "s.jsonl"
    file.write_text('{"game": "tic_tac_toe", "player": "both", "value": 0}\n')
    result = run_match("tic_tac_toe", f"strategy:{file}", "random", games=4)
    assert len([note for note in result.notes if "outside the strategy" in note]) == 2  # x and o


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": 0}, "bad value 0 for games: expected a whole number from 1"),
        ({"games": -3}, "bad value -3 for games"),
        ({"workers": 0}, "bad value 0 for workers"),
        ({"workers": 10_000}, "bad value 10000 for workers"),
        ({"opening": -1}, "bad value -1 for opening"),
        ({"opening": 9}, "bad value 9 for opening: .*expected fewer"),
        ({"longest": 0}, "bad value 0 for longest"),
        ({"a": "rndom"}, "unknown player 'rndom'"),
        ({"b": "ucd:1,0"}, "2 depths: expected three"),
        ({"moves": ["a1", "b1", "a2", "b2", "a3"]}, "is over after the moves"),
    ],
)
def test_bad_matches_are_refused(changes, words):
    arguments = {"a": "random", "b": "random", **changes}
    with pytest.raises(BadParameter, match=words):
        run_match("tic_tac_toe", arguments.pop("a"), arguments.pop("b"), **arguments)


class Endless:
    """A game of the test's own: nobody could load it by name."""

    players = 2

    def start(self):
        return 0

    def acting(self, state):
        return state % 2 if state < 4 else None

    def moves(self, state):
        return ["on"]

    def play(self, state, move):
        return state + 1

    def payoffs(self, state):
        return (0.0, 0.0)


def test_a_game_without_a_name_needs_no_workers():
    try:
        game = trellis.load(Endless())
    except trellis.TrellisError as error:
        pytest.fail(str(error))
    assert run_match(game, "random", "random", games=2).draws == 2
    with pytest.raises(BadParameter, match="expected 1 worker"):
        run_match(game, "random", "random", games=2, workers=2)


OWN_GAME = '''
import os

class Fragile:
    """Breaks in a worker."""
    players = 2
    def start(self): return 0
    def acting(self, state): return state % 2 if state < 3 else None
    def moves(self, state): return ["a", "b"]
    def play(self, state, move):
        if os.environ.get("FRAGILE") == "break" and state == 2:
            raise ZeroDivisionError("oops")
        if os.environ.get("FRAGILE") == "exit" and state == 2:
            os._exit(3)
        return state + 1
    def payoffs(self, state): return (0.0, 0.0)
'''


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [("break", Exception, "oops"), ("exit", LimitReached, "a worker was lost in game")],
)
def test_what_breaks_in_a_worker_is_said_by_the_parent(tmp_path, monkeypatch, how, kind, words):
    file = tmp_path / "fragile.py"
    file.write_text(OWN_GAME)
    monkeypatch.setenv("FRAGILE", how)
    with pytest.raises(kind, match=words):
        run_match(f"{file}:Fragile", "random", "random", games=4, workers=2)


def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import multiprocessing, threading, time
        from trellis.players.match import run_match

        def tell():
            while len(multiprocessing.active_children()) < 2:
                time.sleep(0.05)
            print(*[child.pid for child in multiprocessing.active_children()], flush=True)

        if __name__ == "__main__":
            threading.Thread(target=tell, daemon=True).start()
            run_match("connect_four", "uct:time=60", "uct:time=60", games=8, workers=2)
        """)
    )
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as running:
        workers = [int(word) for word in running.stdout.readline().split()]
        assert len(workers) == 2
        running.kill()
    deadline = time.monotonic() + 30
    while any(map(_alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _alive(pid):
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_while_workers_are_started_is_not_lost(monkeypatch):
    start, pressed = SpawnProcess.start, []

    def press_once(process):
        start(process)
        if not pressed:
            pressed.append(os.kill(os.getpid(), signal.SIGINT))

    monkeypatch.setattr(SpawnProcess, "start", press_once)
    played = 0  # none, or what was ended by then
    with stoppable(), suppress(KeyboardInterrupt):
        played = run_match("tic_tac_toe", "random", "random", games=3000, workers=2).games
    assert pressed
    assert played < 3000
