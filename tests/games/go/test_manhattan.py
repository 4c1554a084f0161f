"""Move groups of Go: what is near, and that groups change nothing but the way to a move."""

import random

import pytest

import trellis
from trellis.game.errors import BadParameter
from trellis.players.player import make_player
from trellis.search.solve.value_iteration import solve_exactly


def near_by_hand(game, stones, code):
    row, column = divmod(code, game.columns)
    return any(
        abs(row - stone // game.columns) + abs(column - stone % game.columns) <= 2
        for stone in stones
    )


@pytest.mark.parametrize("spec", ["go:board_size=5", "go:rows=3,columns=7,superko=positional"])
def test_near_moves_are_within_two_steps_of_the_last_two(spec):
    plain = trellis.load(spec)
    game = trellis.grouped(plain, "manhattan")
    dice = random.Random(1)
    for _ in range(10):
        inner, position, played = plain.start(), game.start(), []
        while not inner.is_over and len(played) < 60:
            assert position.moves() == ["[near]", "[all]"]
            legal = inner.move_codes()
            assert position.play("[all]").move_codes() == legal
            stones = [code for code in played[-2:] if code != game.points]
            expected = [
                code for code in legal
                if code == game.points or not stones or near_by_hand(game, stones, code)
            ]  # fmt: skip
            near = position.play("[near]")
            assert near.move_codes() == expected
            move = dice.choice(expected[:-1] or expected)
            group = dice.choice(["[near]", "[all]"])
            by_other = position.play("[all]" if group == "[near]" else "[near]", move)
            inner, position = inner.play(move), position.play(group, move)
            assert by_other == position
            assert position.key == inner.key
            assert game.stones(position.state) == plain.stones(inner.state)
            played.append(move)
        assert position.is_over == inner.is_over
        if inner.is_over:
            assert position.payoffs() == inner.payoffs()


def test_positions_are_the_same_whatever_came_last():
    game = trellis.load("go:board_size=5,superko=simple,groups=manhattan")
    ways = [("a1", "c3", "e5", "a5"), ("e5", "a5", "a1", "c3")]
    first, second = (
        game.start().play(*(word for move in way for word in ("[all]", move))) for way in ways
    )
    assert first.key == second.key
    assert first != second  # they know what came last
    assert first.play("[near]").key != second.play("[near]").key
    assert first.play("[all]").key == second.play("[all]").key
    search = trellis.Search(game, select="uct2", seed=1)
    assert search.run(sims=3000).transpositions > 100


@pytest.mark.parametrize("board", ["rows=1,columns=3", "rows=1,columns=4", "board_size=2"])
@pytest.mark.parametrize("superko", ["positional", "situational"])
def test_positions_are_worth_what_they_are_without_groups(board, superko):
    spec = f"go:{board},komi=0,score=true,superko={superko},history=full"
    plain = trellis.solve(trellis.load(spec))
    grouped = trellis.load(f"{spec},groups=manhattan")
    assert plain.solved
    assert trellis.solve(grouped).bounds == plain.bounds
    if board == "rows=1,columns=3":  # the others have too many pasts to look at all of them
        assert solve_exactly(grouped).payoffs == plain.payoffs


def test_random_games_are_those_of_go():
    for size in (5, 9):
        plain = trellis.load("go", board_size=size, superko="simple")
        game = trellis.load("go", board_size=size, superko="simple", groups="manhattan")
        counts = [trellis.playouts(each.start(), 300, seed=5) for each in (plain, game)]
        assert counts[0].means == counts[1].means
        assert counts[0].plies == counts[1].plies
    # With a group chosen the first move is one of the group.
    position = game.start().play("[all]", "e5", "[near]")
    played = trellis.playouts(position, 300, seed=5)
    assert played.plies > 300 * 50


def test_random_games_that_answer_are_those_of_go():
    """Groups and patterns go together, as parameters of the game and as a setting of a search."""
    plain = trellis.load("go", board_size=7, superko="simple", playouts="patterns")
    game = trellis.load(
        "go", board_size=7, superko="simple", playouts="patterns", groups="manhattan"
    )
    by_setting = trellis.load("go", board_size=7, superko="simple", groups="manhattan")
    counts = [
        trellis.playouts(each.start(), 300, seed=5)
        for each in (plain, game, by_setting.with_playouts("patterns"), by_setting)
    ]
    assert counts[0].means == counts[1].means == counts[2].means
    assert counts[0].plies == counts[1].plies == counts[2].plies
    assert counts[3].plies != counts[0].plies  # uniform ones are others
    chosen = trellis.playouts(game.start().play("[all]", "d4", "[near]"), 300, seed=5)
    assert chosen.plies > 300 * 25
    player = make_player("uct2:groups=manhattan,playouts=patterns,sims=200", game=plain)
    assert player.choose(plain.start(), 0) in plain.start().moves()


def test_groups_have_names():
    game = trellis.load("go:board_size=3,groups=manhattan")
    assert str(game.start().play("[near]")).endswith("group: near")
    assert game.spec == "go:board_size=3,groups=manhattan"
    with pytest.raises(BadParameter, match="has no groups called 'manhattan'"):
        trellis.grouped(trellis.load("hex"), "manhattan")
    with pytest.raises(BadParameter, match="has no groups called 'diagonal'"):
        trellis.grouped(trellis.load("go"), "diagonal")


def test_positions_of_five_plies_are_a_tenth_of_the_games():
    """A search tree of Go is about ten times smaller where paths that meet are known to."""
    plies = trellis.perft(trellis.load("go:board_size=5,superko=simple"), 5)
    assert 9 < plies[5].games / plies[5].positions < 12


@pytest.mark.parametrize("when_full", ["stop", "drake"])
def test_a_position_met_again_after_other_moves_is_searched_on(when_full):
    """What is near differs between the paths to a node; its moves are those of the first."""
    game = trellis.load("go:board_size=3,superko=simple,groups=manhattan")
    search = trellis.Search(game, seed=1, memory=8, when_full=when_full, bounds="off")
    assert search.run(sims=20_000).sims == 20_000


def test_the_line_holds_moves_that_are_near_on_its_own_path():
    """The positions of a line were met before on other paths, where other moves are near."""
    game = trellis.load("go:board_size=3,superko=simple,groups=manhattan")
    dice = random.Random(1)
    longest = 0
    for seed in range(60):
        position = game.start()
        for _ in range(2 * dice.randrange(18)):
            if not position.is_over:
                position = position.play(dice.choice(position.moves()))
        if position.is_over:
            continue
        search = trellis.Search(position, select="uct2", bounds="off", seed=seed)
        line = search.run(sims=3000).line
        for move in line:
            assert move in position.moves()
            position = position.play(move)
        longest = max(longest, len(line))
    assert longest >= 6  # deep enough to meet such positions
