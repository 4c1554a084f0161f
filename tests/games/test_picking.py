"""Drawing a set bit: the right one for every random number, hence each equally often."""

import random

import numpy as np
import pytest

from trellis.games.picking import random_bit


@pytest.mark.parametrize("bits", [1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64])
def test_equal_shares_of_the_random_numbers_go_to_each_set_bit(bits):
    dice = random.Random(bits)
    for _ in range(20):
        places = sorted(dice.sample(range(64), bits))
        word = np.uint64(sum(1 << place for place in places))
        for rank, place in enumerate(places):
            # The numbers below 2^32 that belong to this bit, from the first to the last.
            first, last = -(-(rank << 32) // bits), -(-(rank + 1 << 32) // bits) - 1
            for high in (first, last):
                draw = np.uint64(high << 32 | dice.getrandbits(32))
                assert random_bit(word, draw) == place
