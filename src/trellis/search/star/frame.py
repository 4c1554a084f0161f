"""What a depth-first search keeps in memory while it runs: an explicit stack of positions.

Kernels do not recurse; a search can therefore stop after any position and go on later, which is
how clocks and Ctrl-C are heard.  A `Frame` of the stack is a position that is being searched: who
acts there, the window, and what is known of its value so far.  A `Child` is a position one ply
further on.  All of these are records that kernels read and write in place.

Questions, answers and whatever chance acts on are told in values of player 0.  In the frame of a
player they are told from that player's side, so that every player looks for the greatest value.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from typing import Annotated

import numpy as np

from trellis._kernel.bundle import Bundle
from trellis._kernel.records import record_layout
from trellis.game.bits import ZERO
from trellis.game.rules import Calls, Counts, Moves, Reals, State, Tables
from trellis.search.star.settings import StarSettings

LOW_TO_END, HIGH_TO_END, BOTH_TO_END = 1, 2, 3  # bits of `marks`
# How a run ended.
DONE, MORE, BAD_EVALUATION, BAD_PAYOFF, BAD_CHANCES, TOO_DEEP = range(6)
KILLERS_KEPT = 2


class StarCalls(Calls):
    """The functions a search calls, none missing."""

    evaluate: Callable[[Reals, Tables, State], float]


@dataclass(frozen=True)
class Params(StarSettings):
    """What a search is told, as kernels see it: settings, as far as they serve, and more."""

    by_depth: bool = False  # a position has an entry for each depth
    has_evaluation: bool = False  # else leaves are worth `middle`
    seed: int = 0  # of samples
    least: float = 0.0  # no value is below this one
    most: float = 0.0  # nor above this one
    middle: float = 0.0
    rounding: float = 0.0  # values closer than this are the same
    narrowest: float = 0.0  # the width of a null window
    constant_sum: float = 0.0  # what the payoffs of two players add up to

    def __post_init__(self) -> None:
        """Check nothing: what could not serve is left out."""


class Registers:
    """What is going on; a search that was interrupted goes on from here."""

    top: int = 0  # frames in use
    entering: bool = False  # a position waits to be looked at: the question below is about it
    asked_depth: int = 0
    asked_limit: int = 0  # moves to be searched; 0 is all
    asked_alpha: float = 0.0
    asked_beta: float = 0.0
    found_low: float = 0.0  # the last answer
    found_high: float = 0.0
    found_marks: int = 0  # which of the two hold to the end of the game
    nodes: int = 0  # positions looked at
    leaves: int = 0  # of these, judged by the evaluation
    root_move: int = 0
    fault: int = 0  # what is wrong with a leaf
    age: int = 0  # of entries written to the table
    thread: int = 0  # its number: how it goes through outcomes


class Frame:
    """A position that is being searched."""

    actor: int = 0  # a player, or CHANCE
    depth: int = 0  # plies left
    count: int = 0  # moves or outcomes
    next: int = 0  # the child to come, or being searched
    uses_table: bool = False
    key: np.uint64 = ZERO  # in the table, where it uses that
    known_low: float = 0.0  # what the table said of it
    known_high: float = 0.0
    known_marks: int = 0
    alpha: float = 0.0  # the window
    beta: float = 0.0
    low: float = 0.0  # what its children say of it: a sum at chance, else the best so far
    high: float = 0.0
    # where chance acts
    phase: int = 0  # see `chance_node`
    aim: int = 0  # of null windows: 1 where the node should be above its window, -1 below
    ahead: float = 0.0  # how far beyond the window it is expected to be
    untested: float = 0.0  # the probability of the outcomes that were not tested yet
    # where a player acts
    limit: int = 0  # moves to be searched
    table_move: int = 0  # what the table would play, or -1
    best: int = 0  # the best move so far, or -1
    marks: int = 0  # which of `low` and `high` hold to the end of the game
    ordered: bool = False  # something speaks for trying one move before another
    test: int = 0  # whether the child is searched with a null window, see `decision_node`


class Child:
    """What is known of an outcome of a chance node, or of a move of the root."""

    key: np.uint64 = ZERO  # in the table, where somebody has asked for it
    probability: float = 0.0  # of an outcome
    low: float = 0.0
    high: float = 0.0
    marks: int = 0  # which of the two hold to the end of the game
    guess: float = 0.0  # what the table makes of it, whatever the depth
    table_move: int = 0  # what the table would play there, or -1
    probed_move: int = 0  # the move that was probed there
    probed_low: float = 0.0  # what that is worth, as who moves sees it
    probed_marks: int = 0


_PARAMS, _REGISTERS, _FRAME, _CHILD = map(record_layout, (Params, Registers, Frame, Child))


class Stack(Bundle):
    """Settings, registers, frames, and room to work in.

    The children of frame `top` begin at `top * max_moves`, where max_moves is `len(buffer)`.
    """

    params: Annotated[Sequence[Params], _PARAMS]  # [1]
    registers: Annotated[Sequence[Registers], _REGISTERS]  # [1]
    frames: Annotated[Sequence[Frame], _FRAME]  # [deepest]
    children: Annotated[Sequence[Child], _CHILD]  # [deepest * max_moves]
    states: State  # [deepest * state_words], of frames
    moves: Moves  # [deepest * max_moves], in the order in which they are searched
    scores: Reals  # [deepest * max_moves]: how early to try a move of a player
    child_states: State  # [deepest * max_moves * state_words], where the table compares words
    state: State  # the position that waits to be looked at
    trial: State  # one to try things on
    buffer: Moves  # [max_moves], where rules list moves
    probabilities: Reals  # [max_moves], where rules list probabilities; counts of draws
    payoffs: Reals  # [players]
    killers: Counts  # [(deepest + 1) * KILLERS_KEPT], by plies left
    history: Counts  # [2 * move_codes]


def make_stack(
    params: Params, deepest: int, state_words: int, max_moves: int, move_codes: int, players: int,
    *, keeps_words: bool, compiled: bool,
) -> Stack:  # fmt: skip
    """Make an empty stack for searches to so many plies, for kernels or for their plain twins."""
    children = deepest * max_moves
    stack = Stack.make(
        params=np.array([astuple(params)], _PARAMS),
        registers=np.zeros(1, _REGISTERS),
        frames=np.zeros(deepest, _FRAME),
        children=np.zeros(children, _CHILD),
        states=deepest * state_words,
        moves=children,
        scores=children,
        child_states=children * state_words if keeps_words else 0,
        state=state_words,
        trial=state_words,
        buffer=max_moves,
        probabilities=max_moves,
        payoffs=max(players, 1),
        killers=np.full((deepest + 1) * KILLERS_KEPT, -1, np.int64),
        history=2 * max(move_codes, 1),
    )
    if not compiled:
        # Python reads an attribute of an object in a tenth of the time that a field of an array
        # takes, and a search of rules in plain Python does little else.
        stack.params, stack.registers = [params], [Registers()]
        stack.frames = [Frame() for _ in range(deepest)]
        stack.children = defaultdict(Child)  # type: ignore[assignment]
    return stack
