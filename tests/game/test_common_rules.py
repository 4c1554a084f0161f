"""What the rules of many games share, each against the obvious way to do it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis.game import common_rules
from trellis.game.errors import BadParameter
from trellis.game.rules import NOBODY

anything = st.integers(0, 2**64 - 1)


def test_a_rule_that_no_game_has_is_refused():
    with pytest.raises(BadParameter, match=r"legal_moves is not the name of a rule.*moves"):

        @common_rules.rule
        def legal_moves(tables, state, out):
            return 0


@given(anything, st.integers(0, 1000), st.integers(0, 3))
def test_set_bits_are_listed_behind_what_is_there(cells, first, before):
    out = np.full(70, -1, np.int32)
    count = common_rules.list_bits(np.uint64(cells), first, out, before)
    expected = [first + bit for bit in range(64) if cells >> bit & 1]
    assert out.tolist() == [-1] * before + expected + [-1] * (70 - before - len(expected))
    assert count == before + len(expected)


@given(anything, st.permutations(range(64)))
def test_bits_are_sent_to_their_images(cells, images):
    table = np.array([7, *images], np.int32)
    expected = sum(1 << images[bit] for bit in range(64) if cells >> bit & 1)
    assert int(common_rules.mapped_bits(np.uint64(cells), table, 1)) == expected


@given(anything, st.integers(1, 2**31))
def test_half_of_a_random_number_picks_its_share(draw, count):
    halves = [draw >> 32, draw & 0xFFFF_FFFF]
    picked = [
        int(common_rules.pick(np.uint64(word), np.uint64(count)))
        for word in (draw, draw << 32 & 2**64 - 1)
    ]
    assert picked == [half * count // 2**32 for half in halves]


@pytest.mark.parametrize(("winner", "paid"), [(0, [1, -1]), (1, [-1, 1]), (NOBODY, [0, 0])])
def test_the_winner_is_paid(winner, paid):
    out = np.full(2, 9.0)
    common_rules.pay_winner(winner, out)
    assert out.tolist() == paid
    assert not np.signbit(out[out == 0]).any()


@given(anything, st.integers(1, 20), st.data())
def test_runs_start_where_all_cells_of_the_run_are_set(cells, step, data):
    length = data.draw(st.integers(1, 63 // step + 1))
    expected = sum(
        1 << bit for bit in range(64) if all(cells >> bit + step * i & 1 for i in range(length))
    )
    assert int(common_rules.runs(np.uint64(cells), np.uint64(step), length)) == expected


@given(st.integers(0, 2**15 - 1))
def test_packed_places_name_each_set_bit(places):
    word = common_rules.packed_places(places)
    listed = [word >> 4 * i & 15 for i in range(word >> 60)]
    assert listed == [bit for bit in range(15) if places >> bit & 1]
