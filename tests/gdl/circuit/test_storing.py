"""Circuits as bytes: what comes back is the same, and what was mangled is refused."""

from hashlib import sha256
from random import Random

import numpy as np
import pytest

from gdl.own_sheets import SHEETS
from trellis.gdl.circuit import storing
from trellis.gdl.circuit.layout import lay_out
from trellis.gdl.circuit.schedule import schedule
from trellis.gdl.circuit.storing import Mangled, digest_of, from_bytes, to_bytes
from trellis.gdl.sheet import Sheet
from trellis.gdl.survey import survey

NAMES = ("tic_tac_toe", "nim", "lights_out", "pig", "goofspiel", "capture_the_king", "othello")
FRONT = len(b"trellis circuit 1\n") + 32


def circuit_of(name):
    return Sheet.from_file(SHEETS / f"{name}.kif").circuit


def sealed(content):
    """Return bytes with a digest that fits, as somebody would write them who knows how."""
    return b"trellis circuit 1\n" + sha256(content).digest() + content


@pytest.mark.parametrize("name", NAMES)
def test_what_comes_back_is_the_same(name):
    circuit = circuit_of(name)
    again = from_bytes(to_bytes(circuit))
    for part in ("roles", "latches", "moves", "goals", "terminal", "loops", "constant"):
        assert getattr(again, part) == getattr(circuit, part)
    assert again.net.fan == circuit.net.fan
    assert digest_of(again) == digest_of(circuit)
    for kept, built in zip(lay_out(again), lay_out(circuit), strict=True):
        assert np.array_equal(kept, built)


def test_circuits_with_loops_are_not_written():
    circuit = circuit_of("hex")
    with pytest.raises(ValueError, match="loops"):
        to_bytes(circuit)
    assert digest_of(circuit) != digest_of(circuit_of("nim"))


def test_a_changed_byte_is_noticed():
    data = to_bytes(circuit_of("nim"))
    for at in range(0, len(data), 7):
        with pytest.raises(Mangled):
            from_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
    for end in (0, 5, FRONT, FRONT + 3, len(data) - 1):
        with pytest.raises(Mangled):
            from_bytes(data[:end])


def test_numbers_out_of_place_are_refused_or_harmless_whatever_the_digest_says():
    content = to_bytes(circuit_of("nim"))[FRONT:]
    dice, refused = Random(1), 0
    begin = 4 + int.from_bytes(content[:4], "little")
    for _ in range(1_500):
        data = bytearray(content)
        for _ in range(dice.choice((1, 1, 2))):
            at = begin + 4 * dice.randrange((len(data) - begin) // 4)
            old = int.from_bytes(data[at : at + 4], "little", signed=True)
            new = dice.choice((old ^ 1, old + 2, old - 2, 0, -1, 1 << 30, dice.randrange(200)))
            data[at : at + 4] = new.to_bytes(4, "little", signed=True)
        try:
            circuit = from_bytes(sealed(bytes(data)))
        except Mangled:
            refused += 1
        else:  # another game, and one that can be played
            assert survey(lay_out(circuit), steps=20).steps >= 0
    assert 700 < refused < 1_500


def test_names_that_make_no_sense_are_refused():
    content = to_bytes(circuit_of("nim"))[FRONT:]
    length = int.from_bytes(content[:4], "little")
    header, rest = content[4 : 4 + length], content[4 + length :]
    for old, new in (
        (b'"roles":[', b'"roles":[7,'),
        (b'"facts":[', b'"facts":[[],'),
        (b'"facts":[', b'"facts":{},"x":['),
        (b'"constant":[', b'"constant":[' + b"[" * 5_000 + b'"a"' + b"]" * 5_000 + b","),
        (b'"sizes":', b'"sizes":-'),
        (b'"gates":', b'"bates":'),
        (b"{", b"[", ),
    ):  # fmt: skip
        assert old in header
        changed = header.replace(old, new, 1)
        with pytest.raises((Mangled, ValueError)):
            from_bytes(sealed(len(changed).to_bytes(4, "little") + changed + rest))


def test_gates_are_kept_in_an_order_that_suits_them():
    circuit = circuit_of("tic_tac_toe")
    schedule(circuit)[0][0].groups.reverse()
    with pytest.raises(Mangled, match="order of gates"):
        from_bytes(storing.to_bytes(circuit))
