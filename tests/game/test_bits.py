"""Bits, hashes and random numbers, each against the obvious way to do it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trellis._kernel.jit import plain
from trellis.game import bits as words

anything = st.integers(0, 2**64 - 1)


@given(anything)
def test_popcount_counts_bits(word):
    assert words.popcount(np.uint64(word)) == word.bit_count()


@given(anything.filter(bool))
def test_lowest_bit_is_the_number_of_trailing_zeros(word):
    assert words.lowest_bit(np.uint64(word)) == (word & -word).bit_length() - 1


@given(anything.filter(bool), st.data())
def test_nth_bit_counts_set_bits_from_the_low_end(word, data):
    places = [bit for bit in range(64) if word >> bit & 1]
    n = data.draw(st.integers(0, len(places) - 1))
    assert words.nth_bit(np.uint64(word), np.uint64(n)) == places[n]


@given(anything.filter(bool), anything)
def test_random_bit_takes_the_share_of_the_draw(word, draw):
    places = [bit for bit in range(64) if word >> bit & 1]
    expected = places[(draw >> 32) * len(places) >> 32]
    assert words.random_bit(np.uint64(word), np.uint64(draw)) == expected


def test_mix_and_the_generator_are_splitmix64():
    """The first outputs of SplitMix64 for seed 1234567, as its author's C code prints them."""
    rng = np.array([1234567], np.uint64)
    drawn = [int(words.next_random(rng)) for _ in range(5)]
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(anything, st.integers(1, 2**31))
def test_compiled_and_plain_draw_the_same_numbers(seed, count):
    compiled, interpreted = np.array([seed], np.uint64), np.array([seed], np.uint64)
    with np.errstate(over="ignore"):
        assert words.below(compiled, count) == plain(words.below)(interpreted, count)
        assert words.uniform(compiled) == plain(words.uniform)(interpreted)
    assert compiled[0] == interpreted[0]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 100])
def test_below_reaches_every_number_about_equally_often(count):
    rng = words.seeded(count)
    draws = np.bincount([words.below(rng, count) for _ in range(200 * count)], minlength=count)
    assert len(draws) == count
    # Five standard deviations of a binomial count.
    assert abs(draws - 200).max() <= 5 * np.sqrt(200)


def test_hash_of_words_sees_order_and_length():
    one, two = np.array([1, 2], np.uint64), np.array([2, 1], np.uint64)
    assert words.hash_words(one, 2) != words.hash_words(two, 2)
    assert words.hash_words(one, 1) != words.hash_words(one, 2)
    assert words.hash_pair(np.uint64(1), np.uint64(2)) != words.hash_pair(
        np.uint64(2), np.uint64(1)
    )


def test_near_seeds_give_unrelated_streams():
    states = [int(words.seeded(seed)[0]) for seed in range(-50, 1000)]
    assert len(set(states)) == len(states)
    assert int(words.seeded(7)[0]) == int(words.seeded(7)[0])
