"""Drawing one set bit of a word at random: what a playout on bitboards does at every move."""

import numpy as np

from trellis._jit import kernel
from trellis.game.words import popcount

_S1, _S2, _S3, _S4, _S8 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8)
_S32, _S56 = np.uint64(32), np.uint64(56)
_ODD_BITS = np.uint64(0x5555_5555_5555_5555)
_ODD_PAIRS = np.uint64(0x3333_3333_3333_3333)
_ODD_NIBBLES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
BYTES = np.uint64(0x0101_0101_0101_0101)
BYTE_TOPS = np.uint64(0x8080_8080_8080_8080)
BYTE = np.uint64(0xFF)

# Entry 8 * byte + n: the index of the n-th set bit of a byte.
_NTH_IN_BYTE = np.array(
    [
        ([bit for bit in range(8) if byte >> bit & 1] + 8 * [0])[n]
        for byte in range(256)
        for n in range(8)
    ],
    np.uint8,
)


@kernel(inline="always")
def random_bit(word: np.uint64, draw: np.uint64) -> int:
    """Return the index of a set bit of `word`, which is not zero; `draw` is 64 random bits.

    No branch and no loop: the bits are counted in all bytes at once, a multiplication adds the
    counts up from the low end, and a comparison in all bytes at once finds the byte to look in.
    """
    sums = word - ((word >> _S1) & _ODD_BITS)
    sums = (sums & _ODD_PAIRS) + ((sums >> _S2) & _ODD_PAIRS)
    sums = ((sums + (sums >> _S4)) & _ODD_NIBBLES) * BYTES
    rank = ((draw >> _S32) * (sums >> _S56)) >> _S32
    # A byte keeps its top bit where all set bits up to its end come before the one wanted.
    before = ((rank * BYTES | BYTE_TOPS) - sums) & BYTE_TOPS
    place = np.uint64(popcount(before)) << _S3
    rank -= ((sums << _S8) >> place) & BYTE
    inside = ((word >> place) & BYTE) << _S3
    return np.int64(place) + np.int64(_NTH_IN_BYTE[inside | rank])  # type: ignore[return-value]
