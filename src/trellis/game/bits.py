"""Small kernels that many games share: bits, hashes, random numbers."""

from typing import Any

import numpy as np

from trellis._kernel.jit import kernel
from trellis.game.rules import KEY, Random, State, Tables

ZERO = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = np.uint64(0xBF58_476D_1CE4_E5B9)
_MIX_2 = np.uint64(0x94D0_49BB_1331_11EB)
_S2, _S3, _S4, _S8, _S56 = np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8), np.uint64(56)
_S6, _S63 = np.uint64(6), np.uint64(63)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_ODD_BITS = np.uint64(0x5555_5555_5555_5555)
_ODD_PAIRS = np.uint64(0x3333_3333_3333_3333)
_ODD_NIBBLES = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
BYTE = np.uint64(0xFF)
BYTES = np.uint64(0x0101_0101_0101_0101)
BYTE_TOPS = np.uint64(0x8080_8080_8080_8080)

# Entry 8 * byte + n: the index of the n-th set bit of a byte.
_NTH_IN_BYTE = np.array(
    [
        ([bit for bit in range(8) if byte >> bit & 1] + 8 * [0])[n]
        for byte in range(256)
        for n in range(8)
    ],
    np.uint8,
)


@kernel(plain_too=True)
def to_int(number: Any) -> int:
    """Make a signed number of any whole one."""
    return np.int64(number)  # type: ignore[return-value]


@kernel()
def mix(word: np.uint64) -> np.uint64:
    """Scramble a word one-to-one (the finaliser of SplitMix64)."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@kernel()
def copy_words(source: State, target: State) -> None:
    """Copy a position; a loop, since an assignment to a slice would count references."""
    for i in range(len(target)):
        target[i] = source[i]


@kernel(inline="always", plain_too=True)
def mark_made(made: State, first: int | np.integer[Any], move: int | np.integer[Any]) -> None:
    """Set the bit of a move in a player's words, which begin at `first`."""
    code = np.uint64(move)
    made[np.uint64(first) + (code >> _S6)] |= ONE << (code & _S63)


@kernel()
def comes_before(first: State, second: State) -> bool:
    """Tell whether the words of one position come before those of another, the first ones first."""
    for i in range(len(first)):
        if first[i] != second[i]:
            return first[i] < second[i]
    return False


@kernel()
def hash_words(words: State, count: int) -> np.uint64:
    """Hash the first `count` words, order included."""
    result = GOLDEN
    for i in range(count):
        result = mix(result ^ words[i]) + GOLDEN
    return result


@kernel()
def hash_pair(first: np.uint64, second: np.uint64) -> np.uint64:
    """Hash two words, order included."""
    return mix(mix(first + GOLDEN) ^ second)


@kernel(KEY)
def key_of_words(tables: Tables, state: State) -> np.uint64:
    """Hash every word of the state: the key of any game that does not offer a cheaper one."""
    return hash_words(state, len(state))


@kernel(KEY)
def key_of_one_word(tables: Tables, state: State) -> np.uint64:
    """Scramble the one word of a state: different positions never share a key."""
    return mix(state[0])


@kernel()
def next_random(rng: Random) -> np.uint64:
    """Advance the generator (SplitMix64: a counter and a scrambler) and return 64 random bits."""
    rng[0] += GOLDEN
    return mix(rng[0])


@kernel()
def below(rng: Random, count: int) -> int:
    """Return a random integer in [0, count), count < 2^32, without a division.

    The bias is at most count / 2^32, far below what any experiment here can see.
    """
    return np.int64(((next_random(rng) >> _S32) * np.uint64(count)) >> _S32)  # type: ignore[return-value]


@kernel()
def uniform(rng: Random) -> float:
    """Return a random real in [0, 1) with 53 random bits."""
    return np.float64(next_random(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel()
def popcount(word: np.uint64) -> int:
    """Count the bits that are set; LLVM turns this shape into one instruction."""
    word -= (word >> ONE) & _ODD_BITS
    word = (word & _ODD_PAIRS) + ((word >> _S2) & _ODD_PAIRS)
    word = (word + (word >> _S4)) & _ODD_NIBBLES
    return np.int64((word * BYTES) >> _S56)  # type: ignore[return-value]


@kernel()
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit of a word that is not zero."""
    return popcount(~word & (word - ONE))


@kernel(inline="always")
def _ranks(word: np.uint64) -> np.uint64:
    """Count set bits in all eight bytes at once: byte i counts those in bytes 0 to i."""
    sums = word - ((word >> ONE) & _ODD_BITS)
    sums = (sums & _ODD_PAIRS) + ((sums >> _S2) & _ODD_PAIRS)
    return ((sums + (sums >> _S4)) & _ODD_NIBBLES) * BYTES


@kernel(inline="always")
def _select(word: np.uint64, ranks: np.uint64, n: np.uint64) -> np.uint64:
    """Find the n-th set bit: without a branch the byte to look in, then a look into a table."""
    # A byte keeps its top bit where all set bits up to its end come before the one wanted.
    before = ((n * BYTES | BYTE_TOPS) - ranks) & BYTE_TOPS
    place = np.uint64(popcount(before)) << _S3
    inside = ((word >> place) & BYTE) << _S3
    return place + np.uint64(_NTH_IN_BYTE[inside | (n - (((ranks << _S8) >> place) & BYTE))])


@kernel(inline="always")
def nth_bit(word: np.uint64, n: np.uint64) -> np.uint64:
    """Return the index of the n-th set bit of a word, counted from 0 at the low end."""
    return _select(word, _ranks(word), n)


@kernel(inline="always")
def random_bit(word: np.uint64, draw: np.uint64) -> np.uint64:
    """Return the index of a random set bit of a word that is not zero; `draw` is random.

    What a playout on bitboards does at every move, so it has neither a branch nor a loop.
    """
    ranks = _ranks(word)
    return _select(word, ranks, ((draw >> _S32) * (ranks >> _S56)) >> _S32)


_WORD = (1 << 64) - 1
_UNMIX_1 = pow(int(_MIX_1), -1, 1 << 64)
_UNMIX_2 = pow(int(_MIX_2), -1, 1 << 64)


def unmix(word: int) -> int:
    """Return what `mix` makes a word of: mixing loses nothing.

    >>> unmix(int(mix(np.uint64(1234567))))
    1234567
    """
    word = int(word)
    word ^= word >> 31 ^ word >> 62
    word = word * _UNMIX_2 & _WORD
    word ^= word >> 27 ^ word >> 54
    word = word * _UNMIX_1 & _WORD
    return word ^ word >> 30 ^ word >> 60


def generator(seed: int) -> np.random.Generator:
    """Make NumPy's generator from any integer, negative ones included."""
    return np.random.default_rng(seed & ((1 << 128) - 1))


def seeded(seed: int) -> Random:
    """Make a generator from any integer; near-by seeds give unrelated streams."""
    sequence = np.random.SeedSequence(seed & ((1 << 128) - 1))
    return sequence.generate_state(1, np.uint64).astype(np.uint64)
