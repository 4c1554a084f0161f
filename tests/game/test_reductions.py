"""Games made from games."""

import pytest

import trellis
from trellis import folded, grouped, paranoid, unfolded
from trellis._kernel.jit import kernel
from trellis.game.bits import ONE
from trellis.game.errors import BadParameter
from trellis.game.rules import GROUPS
from trellis.search.solve.value_iteration import solve_exactly

NIM = "nim:pile_sizes=5,max_take=3,is_misere=false"


@kernel(GROUPS)
def by_column(tables, state, move):
    return ONE << (move % 3)


@kernel(GROUPS)
def by_row_or_all(tables, state, move):
    return (ONE << (move // 3)) | 8


@pytest.mark.parametrize(
    "spec", ["tic_tac_toe", NIM, "pig:target=10,horizon=1000", "goofspiel:num_cards=3"]
)
def test_unfolded_games_keep_the_contract_and_have_no_transpositions(spec):
    game = trellis.load(spec)
    tree = unfolded(game)
    trellis.check_game(tree, games=5, walk=100)
    for ply, same in zip(trellis.perft(tree, 4), trellis.perft(game, 4), strict=True):
        assert ply.positions == ply.games == same.games
        assert ply.ended == same.ended


def test_the_unfolding_of_nim_has_27_edges_and_cannot_be_told_from_nim():
    """Figures 2.1 and 2.2 of Saffidine's thesis (which prints 16 for the 18 edges)."""
    game = trellis.load(NIM)
    assert len(trellis.automaton(unfolded(game)).edges) == 27
    assert trellis.bisimilar(game, unfolded(game))


def test_folding_leaves_one_of_all_mirror_images():
    """Tic-tac-toe has 765 positions that differ by more than a turn or a mirror, as published."""
    game = trellis.load("tic_tac_toe")
    small = folded(game)
    trellis.check_game(small, games=20, walk=100)
    assert trellis.automaton(game).states == 5478
    assert trellis.automaton(small).states == 765


@pytest.mark.parametrize(
    "spec",
    ["dice:m=3,k=3", "dice:m=3,k=3,lines=any", "dice:m=3,k=2,lines=rows", "hex:board_size=3"],
)
def test_a_folded_game_is_worth_the_same(spec):
    game = trellis.load(spec)
    small = folded(game)
    whole, part = solve_exactly(game), solve_exactly(small)
    assert (part.low, part.high) == pytest.approx((whole.low, whole.high), abs=1e-12)
    assert part.nodes < 0.6 * whole.nodes


def test_folding_needs_a_symmetry_that_keeps_the_players():
    for spec in ("kalah", "pig"):
        with pytest.raises(BadParameter, match="nothing to fold"):
            folded(trellis.load(spec))


def test_paranoid_sets_one_against_the_rest():
    race = trellis.load("pig:target=8,players=3,horizon=1000")
    for player in range(3):
        made = paranoid(race, player)
        trellis.check_game(made, games=5, walk=50)
        assert (made.players, made.constant_sum) == (2, sum(race.payoff_range))
        position, same = made.start(), race.start()
        while not same.is_over:
            if same.acting >= 0:
                assert position.acting == (0 if same.acting == player else 1)
            move = same.move_codes()[0]
            position, same = position.play(move), same.play(move)
        payoff = same.payoffs()[player]
        assert position.payoffs() == (payoff, sum(race.payoff_range) - payoff)
    with pytest.raises(BadParameter, match="expected 0 to 2"):
        paranoid(race, 3)


@pytest.mark.parametrize("first", [True, False])
def test_who_would_choose_at_once_chooses_in_order(first):
    game = trellis.load("goofspiel:num_cards=3,players=3,points_order=descending")
    for player in range(3):
        made = paranoid(game, player, first=first)
        trellis.check_game(made, games=3, walk=30)
        position = made.start()
        order = [position.acting, position.play(position.move_codes()[0]).acting]
        assert order == ([0, 1] if first else [1, 1])


def test_disjoint_groups_split_every_move_in_two():
    game = trellis.load("tic_tac_toe")
    made = grouped(game, by_column, ["left", "middle", "right"])
    assert made.compiled
    trellis.check_game(made, games=5, walk=200)
    start = made.start()
    assert start.moves() == ["[left]", "[middle]", "[right]"]
    assert start.play("[left]").moves() == ["a3", "a2", "a1"]
    plies, plain = trellis.perft(made, 8), trellis.perft(game, 4)
    for n in range(5):
        # A group then a move of it: with disjoint groups, one way to every move.
        assert (plies[2 * n].games, plies[2 * n].positions) == (plain[n].games, plain[n].positions)


def test_overlapping_groups_meet_again_after_the_move():
    game = trellis.load("tic_tac_toe")
    made = grouped(game, by_row_or_all, ["top", "centre", "bottom", "all"])
    trellis.check_game(made, games=5, walk=200)
    one, other = made.start().play("[centre]", "b2"), made.start().play("[all]", "b2")
    assert one == other
    assert one.key == other.key
    plies, plain = trellis.perft(made, 4), trellis.perft(game, 2)
    assert plies[2].positions == plain[1].positions
    assert plies[2].games == 2 * plain[1].games  # every move is in two groups
    assert plies[4].positions == plain[2].positions


def test_a_grouping_in_plain_python_works_the_same():
    game = trellis.load("tic_tac_toe")
    slow = grouped(game, lambda position, move: [move // 3, 3], ["top", "centre", "bottom", "all"])
    fast = grouped(game, by_row_or_all, ["top", "centre", "bottom", "all"])
    assert not slow.compiled
    assert [p.positions for p in trellis.perft(slow, 4)] == [
        p.positions for p in trellis.perft(fast, 4)
    ]
    only_centre = grouped(game, lambda position, move: 0, ["everything"])
    assert only_centre.start().moves() == ["[everything]"]


def test_a_game_may_offer_groups_of_its_own():
    groups = set()
    for seed in range(5):
        spec = f"pgame:branching=4,depth=4,group_size=2,overlap=true,seed={seed}"
        made = grouped(trellis.load(spec))
        trellis.check_game(made, games=3, walk=50)
        groups |= set(made.start().moves())
    assert len(groups) == 2


def test_groupings_that_make_no_sense_are_refused():
    game = trellis.load("tic_tac_toe")
    with pytest.raises(BadParameter, match="no groups of its own"):
        grouped(game)
    with pytest.raises(BadParameter, match="names of its groups"):
        grouped(game, by_column)
    stray = grouped(game, lambda position, move: 7, ["only"])
    with pytest.raises(BadParameter, match=r"into \[7\]: expected one or more of 0 to 0"):
        stray.start().moves()


def test_reductions_can_be_stacked():
    game = unfolded(grouped(trellis.load("tic_tac_toe"), by_row_or_all, list("abcd")))
    assert game.spec == "unfolded(grouped(tic_tac_toe))"
    trellis.check_game(game, games=3, walk=100)


def test_a_grouping_of_a_grouping_keeps_positions_apart():
    once = grouped(trellis.load("tic_tac_toe"), by_row_or_all, list("abcd"))
    twice = grouped(once, lambda position, move: [move % 2, 2], list("xyz"))
    trellis.check_game(twice, games=5, walk=300)


def test_choices_at_the_same_moment_are_not_grouped():
    with pytest.raises(BadParameter, match="same moment"):
        grouped(trellis.load("goofspiel"), by_column, list("abc"))
