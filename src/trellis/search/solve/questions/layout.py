"""What a search that answers questions keeps in memory: an explicit stack, and room to work in.

A question is whether player 0 gets at least a payoff.  Payoffs are told by labels: whole numbers
that keep their order, `LEAST` for the least payoff of the game and `MOST` for the greatest, so
that the labels of a player are those of the other one with the sign changed.  Nothing is rounded:
a payoff that has no label yet stops the search, gets one between those of its neighbours, and the
search goes on (see `payoffs`).

A position that waits or is searched has a slot: slot 0 is the root, then come `max_moves` slots
for the moves of the root, then as many for those of the position that is searched below, and so on.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt

from trellis._kernel.bundle import Bundle
from trellis._kernel.records import record_layout
from trellis.game.rules import Calls, Counts, Moves, Reals, State, Tables

MOST = (1 << 25) - 1  # the label of the greatest payoff
LEAST = -MOST
INFINITE = (1 << 26) - 1  # a proof number that is beyond all others
GREATEST_HINT = 1 << 20  # scores of hints are held within this

# How a run of a kernel ended; negative numbers are those of `playouts.refuse_failure`.
ANSWERED, MORE, NEW_PAYOFF = range(3)
OPEN_END = -10  # an end that leaves open what it pays
OPEN, OVER, UNLABELLED = range(3)  # what playing a move led to


class QuestionCalls(Calls):
    """The functions of a game, with what it may tell of its moves."""

    hint: Callable[[Tables, State, Moves, int, Counts], int]


class Facts:
    """What does not change while questions are answered."""

    words: int = 0  # of a state
    name_words: int = 0  # by which positions are told apart
    wide: int = 0  # most moves of a position
    codes: int = 0  # of moves
    deepest: int = 0  # levels of the stack
    images: int = 0  # symmetries, the identity among them
    exact_key: bool = False  # a key tells positions apart
    bounded: bool = False  # rules say what a position is worth at least and at most
    constant_sum: float = 0.0
    slack: float = 0.0  # by so much payoffs may miss their range and sum
    hinted: bool = False  # ask the game which moves win, which lose, and which to try first
    rated: bool = False  # moves in the order that random games suggest
    history: bool = False  # moves that were good enough elsewhere first
    replies: bool = False  # moves that leave the other player few moves first
    threads: int = 1
    epsilon: int = 25  # of df-pn, in hundredths


class Now:
    """What is going on; a search that was interrupted goes on from here."""

    entering: bool = False  # a position waits to be looked at
    asked: int = 0  # its slot
    asked_low: int = 0  # what is known of it already
    asked_high: int = 0
    top: int = 0  # levels in use
    target: int = 0  # the label that is asked about
    found_low: int = 0  # the last answer: what player 0 gets at least
    found_high: int = 0  # and at most
    asked_pn: int = 0  # df-pn: how far a position may be searched
    asked_dn: int = 0
    nodes: int = 0  # positions whose moves were listed
    stored: int = 0  # places of the table that were taken
    room: int = 0  # as many may be taken before the table has to grow
    replaced: int = 0  # entries that made room for others
    payoff: float = 0.0  # one that has no label


class Level:
    """A position that is being searched; `low` and `high` as who moves there sees it."""

    slot: int = 0
    who: int = 0
    count: int = 0  # moves that are left to be searched
    next: int = 0  # how many of these were
    low: int = 0
    high: int = 0
    known_low: int = 0  # what the table said, as player 0 sees it
    known_high: int = 0
    began: int = 0  # how many positions had been looked at before it
    pn: int = 0  # df-pn: how far it may be searched
    dn: int = 0


FACTS, NOW, LEVEL = map(record_layout, (Facts, Now, Level))


class Work(Bundle):
    """One search: facts, what is going on, the stack, and room to work in."""

    facts: Annotated[Sequence[Facts], FACTS]  # [1]
    now: Annotated[Sequence[Now], NOW]  # [1]
    levels: Annotated[Sequence[Level], LEVEL]  # [deepest]
    kept: Counts  # the words of a state that tell positions apart
    identity: State  # and which of their bits do
    symmetries: Counts  # those that keep the players, by index
    payoffs: Reals  # those that have labels, the least first
    labels: Counts
    states: State  # [slots * words]
    names: State  # [slots * name_words]: what tells positions apart
    hashes: State  # [slots]: where to look in the table, and nothing more
    moves: Moves  # [slots]
    order: Counts  # [slots]: slots of a level that are left, in the order of their search
    scores: Counts  # [slots]: how early to try a move
    lows: Counts  # [slots]: df-pn: proof numbers; what follows from the rules alone
    highs: Counts  # [slots]
    rated: Counts  # [2 * codes]: what random games make of each move of each player
    history: Counts  # [2 * codes]
    killers: Counts  # [deepest]
    image: State
    trial: State
    pays: Reals
    searching: State  # what threads are searching now: hashes of positions; shared
    stop: State  # [1]: becomes 1 where somebody has the answer; shared


def work_bytes(words: int, wide: int, deepest: int) -> int:
    """Return about how many bytes a stack takes."""
    return (1 + (deepest + 1) * wide) * (16 * words + 48)


def make_work(facts: Facts, **given: npt.NDArray[np.generic]) -> Work:
    """Make an empty stack; tables, payoffs and what is shared are handed over."""
    slots = 1 + (facts.deepest + 1) * facts.wide
    record = np.zeros(1, FACTS)
    for name in Facts.__annotations__:
        setattr(record[0], name, getattr(facts, name))
    return Work.make(
        facts=record,
        now=np.zeros(1, NOW),
        levels=np.zeros(facts.deepest, LEVEL),
        states=slots * facts.words,
        names=slots * facts.name_words,
        hashes=slots,
        moves=slots + facts.wide,
        order=slots,
        scores=slots,
        lows=slots,
        highs=slots,
        history=2 * max(facts.codes, 1),
        killers=np.full(facts.deepest, -1, np.int64),
        image=facts.words,
        trial=facts.words,
        pays=4,
        **given,
    )  # fmt: skip
