"""Circuits as bytes, and back: plain numbers and names, none of which is believed unchecked.

What is read may have been written by anybody.  A circuit that comes out of it can be laid out and
evaluated without a look outside its arrays, whatever stood there; that it is the circuit of a
certain sheet, no check could tell.
"""

import json
import struct
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any

import numpy as np

from trellis.gdl.circuit.aig import INPUT, FlatNet, Net
from trellis.gdl.circuit.build import Circuit, Group, Latch, Move, Program, Stretch
from trellis.gdl.circuit.schedule import FUTURE, PHASES, PRESENT, schedule
from trellis.gdl.language.terms import Term

_MAGIC = b"trellis circuit 1\n"
_DIGEST = 32  # bytes
_LENGTH = struct.Struct("<I")
_LARGEST_GOAL = 10**8
_MOST_NODES = 1 << 28
_CIRCUIT = (
    "sizes", "literals", "latches", "move_counts", "moves", "goal_counts", "goals", "terminal",
)  # fmt: skip
_PROGRAM = ("group_counts", "groups", "gates")


class Mangled(ValueError):
    """Bytes that are no circuit."""


# -- writing -------------------------------------------------------------------------------------


def to_bytes(circuit: Circuit) -> bytes:
    """Write a circuit without loops, and the order in which its gates are evaluated."""
    if circuit.loops:
        raise ValueError("a circuit with loops is not written")
    return _written(circuit, {**_numbers(circuit), **_program_numbers(schedule(circuit))})


def digest_of(circuit: Circuit) -> bytes:
    """Return a digest of all that a circuit means."""
    atoms = [(loop.atoms, loop.fed_from) for loop in circuit.loops]
    loops = {
        "loop_counts": _array(len(fed) for _, fed in atoms),
        "loops": _array(chain.from_iterable(chain(*pair) for pair in atoms)),
    }
    return sha256(_written(circuit, {**_numbers(circuit), **loops})).digest()


def _numbers(circuit: Circuit) -> dict[str, np.ndarray]:
    flat = circuit.net.flat()
    moves, goals = chain.from_iterable(circuit.moves), chain.from_iterable(circuit.goals)
    latches = ((each.held, each.following, int(each.first)) for each in circuit.latches)
    return {
        "sizes": flat.sizes, "literals": flat.literals,
        "latches": _array(chain.from_iterable(latches)),
        "move_counts": _array(map(len, circuit.moves)),
        "moves": _array(chain.from_iterable((move.legal, move.does) for move in moves)),
        "goal_counts": _array(map(len, circuit.goals)),
        "goals": _array(chain.from_iterable(goals)),
        "terminal": _array([circuit.terminal]),
    }  # fmt: skip


def _program_numbers(program: Program) -> dict[str, np.ndarray]:
    groups = [[group for stretch in phase for group in stretch.groups] for phase in program]
    every = list(chain.from_iterable(groups))
    shapes = ((group.positive, group.negative, len(group.gates)) for group in every)
    return {
        "group_counts": _array(map(len, groups)),
        "groups": _array(chain.from_iterable(shapes)),
        "gates": _array(chain.from_iterable(group.gates for group in every)),
    }


def _array(numbers: Iterable[int]) -> np.ndarray:
    return np.fromiter(numbers, np.int32)


def _written(circuit: Circuit, numbers: dict[str, np.ndarray]) -> bytes:
    names = {
        "roles": circuit.roles,
        "facts": [latch.fact for latch in circuit.latches],
        "moves": [[move.term for move in moves] for moves in circuit.moves],
        "constant": circuit.constant,
        "lengths": {name: len(array) for name, array in numbers.items()},
    }
    header = json.dumps(names, separators=(",", ":")).encode()
    arrays = (array.astype("<i4").tobytes() for array in numbers.values())
    content = b"".join((_LENGTH.pack(len(header)), header, *arrays))
    return _MAGIC + sha256(content).digest() + content


# -- reading -------------------------------------------------------------------------------------


def from_bytes(data: bytes) -> Circuit:
    """Read a circuit; raises `Mangled` where it is none."""
    begin = len(_MAGIC) + _DIGEST
    _check(data[: len(_MAGIC)] == _MAGIC, "the beginning")
    _check(sha256(memoryview(data)[begin:]).digest() == data[len(_MAGIC) : begin], "the digest")
    try:
        (length,) = _LENGTH.unpack_from(data, begin)
        begin += _LENGTH.size
        names = json.loads(data[begin : begin + length])
        numbers = _read_numbers(names["lengths"], memoryview(data)[begin + length :])
        circuit = _read_circuit(names, numbers)
        circuit.program = _read_program(circuit, numbers)
    except (KeyError, TypeError, IndexError, OverflowError, RecursionError, struct.error) as error:
        raise Mangled(f"not what a circuit is made of: {error}") from None
    return circuit


def _check(is_so: object, what: str) -> None:
    if not is_so:
        raise Mangled(f"{what} cannot be")


def _read_numbers(lengths: dict[str, int], data: memoryview) -> dict[str, np.ndarray]:
    _check(tuple(lengths) == _CIRCUIT + _PROGRAM, "the names of arrays")
    _check(all(type(length) is int and length >= 0 for length in lengths.values()), "lengths")
    _check(4 * sum(lengths.values()) == len(data), "the size")
    numbers, at = {}, 0
    for name, length in lengths.items():
        numbers[name] = np.frombuffer(data, "<i4", length, at)
        at += 4 * length
    return numbers


def _read_circuit(names: dict[str, Any], numbers: dict[str, np.ndarray]) -> Circuit:
    flat = FlatNet(numbers["sizes"], numbers["literals"])
    _check_net(flat)
    roles = [*names["roles"]]
    _check(roles and all(type(role) is str for role in roles), "the roles")
    facts, constant = _terms(names["facts"]), _terms(names["constant"])
    moves = [_terms(each) for each in names["moves"]]
    _check(len(set(facts)) == len(facts), "a fact that is there twice")
    _check(all(len(set(each)) == len(each) for each in moves), "a move that is there twice")
    _check(numbers["move_counts"].tolist() == [*map(len, moves)], "how many moves there are")
    _check(len(moves) == len(numbers["goal_counts"]) == len(roles), "how many roles there are")
    latches, pairs = numbers["latches"].reshape(-1, 3), numbers["moves"].reshape(-1, 2)
    goals = numbers["goals"].reshape(-1, 2)
    _check((numbers["goal_counts"] >= 0).all(), "how many goals there are")
    _check(numbers["goal_counts"].sum() == len(goals), "how many goals there are")
    _check(len(latches) == len(facts) and len(pairs) == sum(map(len, moves)), "how many there are")
    _check(((latches[:, 2] & ~1) == 0).all(), "whether a fact holds at first")
    _check(((goals[:, 0] >= 0) & (goals[:, 0] < _LARGEST_GOAL)).all(), "a goal")
    (terminal,) = numbers["terminal"].tolist()
    inputs = np.concatenate([latches[:, 0], pairs[:, 1]])
    there = 2 * np.flatnonzero(flat.sizes == INPUT)
    _check(np.array_equal(np.sort(inputs), there), "what is an input")
    given = np.concatenate([latches[:, 1], pairs[:, 0], goals[:, 1], [terminal]])
    _check(((given >= 0) & (given < 2 * len(flat.sizes))).all(), "a literal")
    each_move = iter(pairs.tolist())
    each_goal = iter(goals.tolist())
    return Circuit(
        Net(flat),
        roles,
        [
            Latch(fact, held, following, bool(first))
            for fact, (held, following, first) in zip(facts, latches.tolist(), strict=True)
        ],
        [[Move(term, *next(each_move)) for term in each] for each in moves],
        [
            [(value, literal) for value, literal in (next(each_goal) for _ in range(count))]
            for count in numbers["goal_counts"].tolist()
        ],
        terminal,
        constant=constant,
    )


def _check_net(flat: FlatNet) -> None:
    """Check that every node depends on nodes before it."""
    sizes, literals = flat
    _check(0 < len(sizes) < _MOST_NODES and sizes[0] == 0, "the constant node")
    _check(((sizes[1:] == INPUT) | (sizes[1:] > 0)).all(), "the size of a gate")
    counts = np.maximum(sizes, 0)
    _check(counts.sum(dtype=np.int64) == len(literals), "how many literals there are")
    _check(((literals >= 0) & (literals >> 1 < np.repeat(np.arange(len(sizes)), counts))).all(),
           "what a gate depends on")  # fmt: skip


def _terms(kept: Sequence[Any]) -> list[Term]:
    _check(type(kept) is list, "a list of terms")
    return [*map(_term, kept)]


def _term(kept: Any) -> Term:
    """Turn lists, which is what JSON makes of terms, into terms again."""
    if type(kept) is str:
        return kept
    _check(type(kept) is list and kept and type(kept[0]) is str, "a term")
    return (kept[0], *map(_term, kept[1:]))


def _read_program(circuit: Circuit, numbers: dict[str, np.ndarray]) -> Program:
    """Read in which order gates are evaluated: each after all it depends on, in its phase."""
    flat, gates = circuit.net.flat(), numbers["gates"]
    shapes, in_phases = numbers["groups"].reshape(-1, 3), numbers["group_counts"]
    _check(len(in_phases) == len(PHASES) and (in_phases >= 0).all(), "the phases")
    _check(in_phases.sum() == len(shapes) and (shapes >= 0).all(), "the groups")
    _check(shapes[:, 2].sum(dtype=np.int64) == len(gates), "how many gates there are")
    _check(((gates > 0) & (gates < len(flat.sizes))).all(), "a gate")
    _check((flat.sizes[gates] > 0).all(), "a gate that is none")
    order = np.full(len(flat.sizes), len(gates), np.int64)  # when a node is evaluated
    order[flat.sizes == INPUT] = order[0] = -1
    order[gates] = np.arange(len(gates))
    _check((order[gates] == np.arange(len(gates))).all(), "a gate that is there twice")
    owner = np.repeat(np.arange(len(flat.sizes)), np.maximum(flat.sizes, 0))
    late = order[flat.literals >> 1] >= order[owner]
    _check(not (late & (order[owner] < len(gates))).any(), "the order of gates")
    negative = np.bincount(owner, flat.literals & 1, len(flat.sizes)).astype(np.int64)[gates]
    _check((negative == np.repeat(shapes[:, 1], shapes[:, 2])).all(), "the shape of a group")
    positive = flat.sizes[gates] - negative
    _check((positive == np.repeat(shapes[:, 0], shapes[:, 2])).all(), "the shape of a group")
    ends = np.concatenate([[0], np.cumsum(shapes[:, 2])])[np.cumsum(in_phases)]
    for phase, asked in (
        (PRESENT, [circuit.terminal, *circuit.legal]),
        (FUTURE, [latch.following for latch in circuit.latches]),
        (-1, circuit.gained),
    ):
        _check((order[np.array(asked, np.int64) >> 1] < ends[phase]).all(), "the phase of a gate")
    every = iter(_groups(shapes, gates))
    return [[Stretch([next(every) for _ in range(count)], [])] for count in in_phases.tolist()]


def _groups(shapes: np.ndarray, gates: np.ndarray) -> Iterable[Group]:
    at = 0
    for positive, negative, count in shapes.tolist():
        yield Group(positive, negative, gates[at : at + count].tolist())
        at += count
