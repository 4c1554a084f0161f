"""Matches played by kernels, against the same matches played the long way."""

import threading
from pathlib import Path

import numpy as np
import pytest

import trellis
from trellis._kernel.deadline import ask_to_stop, forget_stop
from trellis.game.bits import generator, seeded
from trellis.players import game_loop
from trellis.players import match as matches
from trellis.players.game_loop import GameLoop, fits, seed_word
from trellis.players.match import Match, Seats, play_game, run_match
from trellis.players.player import SearchPlayer, find_way, make_player, turn_of
from trellis.players.session import Session
from trellis.search.mcts.engine import Search

SHEETS = Path(trellis.__file__).parent / "gdl" / "sheets"


def sheet(name):
    return str(SHEETS / f"{name}.kif")


class LongWay:
    """Searches with a new search at every move, whole reports and nothing kept: the plain twin."""

    def __init__(self, text, seed):
        made = make_player(text)
        self.name, self.sims, self.settings = text, made.sims, made.settings
        self.reuse, self.search_of = made.reuse, made.search_of
        self.random = generator(seed)
        self.search, self.played = None, []

    def choose(self, position, player):
        own = turn_of(position, player)
        if self.reuse:
            self.follow_game(position)
        if len(own.move_codes()) == 1:
            move = own.moves()[0]
        else:
            move = self.think(position, player)
        self.played = [own.code_of(move)] if own is position else []
        return move

    def follow_game(self, position):
        if self.search is None:
            self.search = self.search_of(position, self.draw())
            return
        way = find_way(self.search.position.play(*self.played), position)
        if way is None:
            self.search.restart_at(position)
        else:
            self.search.advance(*self.played, *way)

    def think(self, position, player):
        search = self.search if self.reuse else self.search_of(position, self.draw())
        report = search.run(self.sims)
        if report.solved and report.moves[0].low < report.low:
            open_ = self.settings.replace(bounds="off", gamma=0.0, delta=None)
            search = Search(position, open_, seed=search.seed)
            report = search.run(self.sims)
        return search.report(player).moves[0].move

    def draw(self):
        return int(self.random.integers(1 << 62))


def by_the_long_way(monkeypatch):
    """Have matches played without anything that makes small searches quick."""

    def draw(session, position):
        if not hasattr(session, "dice"):
            session.dice = generator(session.seed)
        codes = position.move_codes()
        return codes[int(session.dice.choice(len(codes), p=position.probabilities()))]

    monkeypatch.setattr(matches, "make_player", lambda text, seed, say: LongWay(text, seed))
    monkeypatch.setattr(Session, "_draw", draw)


# Game, players, and whether the kernel plays whole games.
CASES = [
    ("connect_four", "uct:sims=60", "simple:sims=60", True),
    ("connect_four", "simple:sims=80,reuse=true", "ucd:1,0,2,sims=60,final_move=secure", False),
    ("connect_four:rows=4,columns=5", "simple:sims=900,memory=0.05", "uct1:sims=70", True),
    ("connect_four", "simple:sims=6000,memory=0.1,when_full=collect", "uct1:sims=40", True),
    ("hex:board_size=4", "uct2:sims=60,rave=50", "uct3:sims=60,backup=recompute", True),
    ("hex:board_size=4", "simple:sims=40,symmetry=true", "uct0:sims=60", False),
    ("breakthrough:rows=5,columns=4", "ucd:2,1,2,sims=60", "nodes:sims=60,bounds=guided", True),
    ("tic_tac_toe", "uct:sims=100,bounds=deep", "simple:sims=5,bounds=off,final_move=max", True),
    ("tic_tac_toe", "uct:sims=30,sequential_halving=true", "auto:sims=3", False),
    ("tic_tac_toe", "uct:sims=30", "flat:sims=30", False),
    (
        "othello:board_size=4",
        "simple:sims=50,ucb1_tuned=true",
        "uct1:sims=50,rave=10,grave=9",
        True,
    ),
    ("go:board_size=3", "simple:sims=40", "uct2:sims=40,final_move=max", True),
    ("go:board_size=3", "uct:sims=40", "uct2:sims=40,reuse=true", False),
    ("kalah:houses=3,seeds=2", "simple:sims=50,decisive=true", "uct:sims=50,fpu=0.6", True),
    ("nine_mens_morris", "simple:sims=20,when_full=drake,bounds=off", "simple:sims=20", False),
    ("goofspiel:num_cards=4", "auto:sims=40", "uct1:sims=40,reuse=true", False),
    ("pig:target=20", "uct:sims=30", "simple:sims=40", True),
    ("dice:m=3,k=3", "uct:sims=40", "simple:sims=40,own_playouts=edge", True),
    ("leftright:h=12", "uct:sims=20", "simple:sims=1", True),
    (sheet("connect_four"), "simple:sims=30", "uct:sims=40,bounds=solver", True),
    (sheet("tic_tac_toe"), "simple:sims=60", "uct1:sims=30,gamma=0.3", True),
    (sheet("three_player_tic_tac_toe"), "uct1:sims=30", "uct:sims=20", False),
    (sheet("lights_out"), "uct:sims=20", "simple:sims=20", True),
]


@pytest.mark.parametrize(("spec", "a", "b", "in_kernel"), CASES)
def test_games_are_the_same_move_by_move_as_by_the_long_way(monkeypatch, spec, a, b, in_kernel):
    game, games = trellis.load(spec), 4
    players = [make_player(text) for text in (a, b)][: game.players]
    assert fits(game, players) is in_kernel
    seats = Seats()
    match = Match(game.spec, a, b, 5, (), 1 if game.players == 2 else 0, 40)
    quick = [play_game(game, match, number, seats) for number in range(games)]
    with monkeypatch.context() as patched:
        if "flat" not in b:
            by_the_long_way(patched)
        else:  # what it does at each move is its own; here it has to be made anew for each game
            patched.setattr(matches, "fits", lambda *_: False)
        long = [play_game(game, match, number) for number in range(games)]
    assert quick == long
    assert any(len(result.moves) > 2 for result in quick)


def test_the_kernel_plays_whole_games_in_few_calls(monkeypatch):
    calls = []
    whole = GameLoop._call
    monkeypatch.setattr(
        GameLoop, "_call", lambda self, *given: calls.append(1) or whole(self, *given)
    )
    ordinary = []
    monkeypatch.setattr(SearchPlayer, "choose", lambda *_: ordinary.append(1))
    game, seats = trellis.load("connect_four"), Seats()
    match = Match(game.spec, "simple:sims=50", "uct:sims=50", 0, (), 0, 42)
    for number in range(4):
        play_game(game, match, number, seats)
    calls.clear()
    moves = [len(play_game(game, match, number, seats).moves) for number in range(4, 8)]
    assert sum(moves) > 40
    assert len(calls) < sum(moves) / 2
    assert not ordinary


def test_what_the_kernel_cannot_decide_is_left_to_the_ordinary_way(monkeypatch):
    game, searched = trellis.load("connect_four"), []
    choose = SearchPlayer.choose

    def watched(self, position, player):
        searched.append(position)
        return choose(self, position, player)

    monkeypatch.setattr(SearchPlayer, "choose", watched)
    full = "simple:sims=6000,memory=0.1,when_full=collect"  # garbage is collected by Python
    match = Match(game.spec, full, "uct:sims=20", 0, (), 0, 42)
    moves = play_game(game, match, 0).moves
    assert 0 < len(searched) <= len(moves) / 2 + 1


def test_a_match_goes_on_with_nothing_of_the_last_game(monkeypatch):
    game = trellis.load("connect_four")
    match = Match(game.spec, "simple:sims=50,reuse=true", "uct:sims=50", 3, (), 0, 42)
    seats = Seats()
    alone = [play_game(game, match, number) for number in (0, 1, 2)]
    assert [play_game(game, match, number, seats) for number in (2, 0, 1)] == [
        alone[number] for number in (2, 0, 1)
    ]


def test_players_without_searches_are_made_anew():
    seats = Seats()
    kept = seats.player("simple:sims=10", 1, print), seats.player("random", 1, print)
    other = seats.player("simple:sims=10", 2, print)  # the same text in another seat
    assert other is not kept[0]
    seats.clear()
    assert seats.player("simple:sims=10", 3, print) is kept[0]
    assert seats.player("random", 1, print) is not kept[1]


def test_seeds_are_hashed_as_numpy_does():
    random = np.random.default_rng(1)
    numbers = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 62) - 1, *random.integers(1 << 62, size=200)]
    pool = np.zeros(4, np.uint64)
    for number in numbers:
        assert int(seed_word(np.uint64(number), pool)) == int(seeded(int(number))[0])


@pytest.mark.parametrize("spec", ["pig", "dice:m=3,k=3", "backgammon"])
def test_a_session_draws_as_numpys_choice_does(spec):
    game = trellis.load(spec)
    session, random, others = Session(game, [None] * game.players, 9), generator(9), generator(1)
    drawn = 0
    for _ in range(200):
        position = session.position
        if position.is_over:
            break
        names = position.moves()
        if position.is_chance:
            expected = names[int(random.choice(len(names), p=position.probabilities()))]
            assert session.advance() == expected
            drawn += 1
        else:
            session.play(names[int(others.integers(len(names)))])
    assert drawn > 3


def test_somebody_who_asks_to_stop_is_heard_inside_the_kernel():
    def stop(share, note):
        ask_to_stop()

    try:
        played = run_match("connect_four", "simple:sims=50", "uct:sims=50", games=50, progress=stop)
    finally:
        forget_stop()
    assert played.games == 1
    match = Match("connect_four", "simple:sims=50", "uct:sims=50", 0, (), 0, 42)
    game, seats = trellis.load("connect_four"), Seats()
    expected = play_game(game, match, 0)
    ask_to_stop()
    try:
        with pytest.raises(matches._Abandoned):
            play_game(game, match, 0, seats)
    finally:
        forget_stop()
    assert play_game(game, match, 0, seats) == expected


def test_a_long_search_inside_the_kernel_is_stopped_by_another_thread():
    game = trellis.load("connect_four")
    match = Match(game.spec, "simple:sims=16384", "uct:sims=16384", 0, (), 0, 42)
    seats = Seats()
    expected = play_game(game, match, 0, seats)
    timer = threading.Timer(0.02, ask_to_stop)
    timer.start()
    try:
        with pytest.raises(matches._Abandoned):
            [play_game(game, match, 0, seats) for _ in range(1_000)]
    finally:
        timer.cancel()
        forget_stop()
    assert play_game(game, match, 0, seats) == expected


@pytest.mark.parametrize(
    "text",
    ["simple:time=0.1", "simple:sims=9,reuse=true", "random", "flat:sims=9", "uct:sims=100000",
     "simple:sims=9,symmetry=true", "uct:sims=9,sequential_halving=true"],
)  # fmt: skip
def test_other_players_play_the_ordinary_way(text):
    game = trellis.load("tic_tac_toe")
    assert fits(game, [make_player("simple:sims=9"), make_player("uct:sims=9")])
    assert not fits(game, [make_player("simple:sims=9"), make_player(text)])
    assert game_loop.MOST_SIMS < 100_000
