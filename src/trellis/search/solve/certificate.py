"""Certificates: the strategies that a proof rests on, in a file that anybody can check.

A certificate claims that player 0 gets at least so much from a position, or at most so much, or
both.  Each claim comes with a strategy, and a strategy is nothing but choices: numbers, counted
among the legal moves as the rules list them, in the order in which a walk through the strategy
meets positions that need one.  So no position is written down at all.

The walk goes depth first from the position, first moves first, and enters each position once:

- at an end there is nothing to choose;
- where the other player moves, all moves are followed;
- where the strategist has one legal move, it is made;
- where one of its moves ends the game with what is claimed, the first such move is made;
- else the next choice says which move is made.

The file is a line of JSON and then the choices, two bytes each, packed by zlib.  `verify` reads it,
and shares nothing with this file but that description.
"""

import hashlib
import json
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trellis._kernel.deadline import stop_asked
from trellis._kernel.files import write_whole_bytes
from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Position
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.setup import suits
from trellis.search.solve.questions.walk import Walker

FORMAT = 1
_MOST_POSITIONS = 50_000_000


def write_certificate(
    search: Portfolio,
    path: Path,
    moves: Sequence[str] = (),
    progress: Progress | None = None,
    limit: int = _MOST_POSITIONS,
) -> dict[str, Any] | None:
    """Write what is proven of a position that `moves` lead to; return the line at the top.

    None where somebody has asked to stop.
    """
    game = search.game
    if not suits(game):
        raise BadParameter(f"no certificate for {game.spec}: its positions may come again")
    least, greatest = map(float, game.payoff_range)
    questions = search.questions
    if questions is None or (search.low == least and search.high == greatest):
        raise BadParameter(f"no certificate for {game.spec}: nothing is proven yet")
    questions.tighten(search.low, search.high)
    walker = Walker(questions, nodes=1 << 60)
    strategies = []
    for player, target, needed in (
        (0, questions.low, search.low > least),
        (1, questions.high + 1, search.high < greatest),
    ):
        found = _choices(walker, player, target, limit, progress) if needed else array("H")
        if found is None:
            return None
        strategies.append(found)
    body = b"".join(_little_endian(each) for each in strategies)
    head = {
        "trellis_certificate": FORMAT,
        "game": game.spec,
        "moves": list(moves),
        "at_least": search.low if search.low > least else None,
        "at_most": search.high if search.high < greatest else None,
        "choices": [len(each) for each in strategies],
    }
    head["sha256"] = hashlib.sha256(json.dumps(head).encode() + body).hexdigest()
    write_whole_bytes(path, json.dumps(head).encode() + b"\n" + zlib.compress(body, 9))
    return head


def _little_endian(numbers: "array[int]") -> bytes:
    return b"".join(number.to_bytes(2, "little") for number in numbers)


def _choices(
    walker: Walker, player: int, target: int, limit: int, progress: Progress | None
) -> "array[int] | None":
    """Walk through the strategy of a player and note its choices."""
    choices: array[int] = array("H")
    seen: set[bytes] = set()
    waiting = [walker.search.position]
    while waiting:
        position = waiting.pop()
        name = position.state.tobytes()
        if position.is_over or name in seen:
            continue
        seen.add(name)
        if len(seen) > limit:
            raise LimitReached(f"the certificate has more than {limit:,} positions")
        if progress is not None and len(seen) % 256 == 0:
            progress(0.0, f"{len(seen):,} positions of a strategy of player {player}")
        if stop_asked():
            return None
        codes = position.move_codes()
        if position.acting == player and len(codes) > 1:
            code = walker.keeping(position, target)
            if not _ends_well(walker, position.play(code), player, target):
                choices.append(codes.index(code))
            codes = [code]
        waiting += [position.play(code) for code in reversed(codes)]
    return choices


def _ends_well(walker: Walker, position: Position, player: int, target: int) -> bool:
    """Tell whether a game is over with what a player wants."""
    return position.is_over and walker.holds(position, target, 0) is (player == 0)
