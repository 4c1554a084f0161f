"""Counting: exact, bounded, and the same as the obvious recursion."""

import pytest

import trellis
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.perft import perft


def _walk(position, depth):
    """Count by recursion: sequences and a set of positions for every ply."""
    games, positions = [0] * (depth + 1), [set() for _ in range(depth + 1)]

    def visit(position, ply):
        games[ply] += 1
        positions[ply].add(position)
        if ply < depth:
            for move in position.move_codes():
                visit(position.play(move), ply + 1)

    visit(position, 0)
    return games, [len(found) for found in positions]


@pytest.mark.parametrize(
    ("spec", "depth"),
    [
        ("connect_four:rows=3,columns=3,x_in_row=3", 5),
        ("pig:target=6", 5),
        ("goofspiel:num_cards=3", 5),
        ("random_automaton:seed=5,chance=30,simultaneous=20", 5),
        ("random_automaton:seed=8,cyclic=true", 6),
    ],
)
def test_counts_equal_those_of_plain_recursion(spec, depth):
    game = trellis.load(spec)
    games, positions = _walk(game.start(), depth)
    plies = perft(game, depth)
    assert [ply.games for ply in plies] == games[: len(plies)]
    assert [ply.positions for ply in plies] == positions[: len(plies)]
    assert not any(games[len(plies) :])


def test_counting_can_begin_anywhere():
    start = trellis.load("tic_tac_toe").start()
    assert [ply.games for ply in perft(start.play("b2"), 3)] == [1, 8, 56, 336]


def test_all_finished_games_of_tic_tac_toe():
    assert sum(ply.ended for ply in perft(trellis.load("tic_tac_toe"), 99)) == 255168


def test_counts_beyond_64_bits_are_exact():
    plies = perft(trellis.load("leftright:h=120"), 120)
    assert plies[-1].games == 2**120
    assert plies[-1].ended == 2**120
    assert plies[-1].positions == 121


def test_limits_are_met_before_memory_is():
    with pytest.raises(LimitReached, match="more than 1,000 positions at ply 4"):
        perft(trellis.load("connect_four"), 9, limit=1000)
    with pytest.raises(LimitReached, match="more than 8 positions at ply 1"):
        perft(trellis.load("tic_tac_toe"), 3, limit=8)
    with pytest.raises(LimitReached, match="128 bits"):
        perft(trellis.load("leftright"), 200)
    with pytest.raises(BadParameter, match="bad limit 0"):
        perft(trellis.load("tic_tac_toe"), 3, limit=0)
    with pytest.raises(BadParameter, match="bad depth -1"):
        perft(trellis.load("connect_four"), -1)


def test_progress_goes_up_to_the_end():
    seen = []
    perft(trellis.load("connect_four"), 6, progress=lambda *both: seen.append(both))
    assert seen == sorted(seen)
    assert seen[-1] == (1.0, "ply 6")
