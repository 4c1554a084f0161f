"""Recorded games as text: everything a game shows, move by move, to be replayed and compared.

A record is for people to read and for tests to compare: when a rule changes, it shows where.
Only the lines `game:` and `move:` matter for replaying; all others are made anew.
"""

import random

from trellis.game.errors import BadRecord, LimitReached, TrellisError, shorten
from trellis.game.game import Game, Position, game_of
from trellis.game.rules import CHANCE

HEADER = "# A recorded game.  Replayed, every line must come out the same."
LONGEST_RECORD = 5_000  # moves


def record_game(game: Game | str, moves: list[str] | None = None, *, seed: int = 0) -> str:
    """Play `moves`, or random ones, and write down everything the game shows."""
    game = game_of(game)
    dice = random.Random(seed)
    low, high = game.payoff_range
    bound = "unbounded" if game.max_plies is None else str(game.max_plies)
    lines = [
        HEADER,
        f"game: {game.spec}",
        f"players: {game.players}",
        f"payoffs from: {low:g} to {high:g}",
        f"most moves: {game.max_moves}",
        f"longest game: {bound}",
    ]
    position = game.start()
    for ply in range(LONGEST_RECORD + 1):
        lines += ["", f"after {ply}", *_shown(position)]
        if position.is_over if moves is None else ply >= len(moves):
            break
        if ply == LONGEST_RECORD:
            raise LimitReached(f"a game of {game.spec} is longer than {LONGEST_RECORD:,} moves")
        move = moves[ply] if moves is not None else dice.choice(position.moves())
        lines.append(f"move: {move}")
        position = position.play(move)
    return "\n".join(lines) + "\n"


def _shown(position: Position) -> list[str]:
    lines = [f"| {line}".rstrip() for line in str(position).splitlines()]
    lines.append(f"key: {position.key:016x}" if position.game.compiled else "key: (plain)")
    if position.is_over:
        payoffs = " ".join(f"{payoff:g}" for payoff in position.payoffs())
        return [*lines, f"over: {payoffs}"]
    lines.append(f"acting: {position.actor_name()}")
    if len(position.actors) > 1:
        lines.append("together: " + " ".join(map(position.game.player_name, position.actors)))
    if position.acting == CHANCE:
        legal = [f"{name}={probability:.6g}" for name, probability in position.chances()]
    else:
        legal = position.moves()
    return [*lines, f"legal: {' '.join(legal)}"]


def moves_of(text: str) -> tuple[str, list[str]]:
    """Read the game and the moves out of a record."""
    game, moves = "", []
    for line in text.splitlines():
        if line.startswith("game: ") and not game:
            game = line.removeprefix("game: ").strip()
        elif line.startswith("move: "):
            moves.append(line.removeprefix("move: ").strip())
    if not game:
        raise BadRecord("not a recorded game: no line begins with 'game: '")
    return game, moves


def replay_game(text: str, game: Game) -> Position:
    """Play a record again and compare every line; return the last position.

    Raises `BadRecord` at the first line that differs.
    """
    name, moves = moves_of(text)
    if name != game.spec:
        raise BadRecord(f"the record is of {shorten(name)}, not of {game.spec!r}")
    try:
        again = record_game(game, moves).splitlines()
    except TrellisError as error:
        raise BadRecord(f"the record does not replay: {error}") from error
    old = text.splitlines()
    for number, (expected, got) in enumerate(zip(old, again, strict=False), start=1):
        if expected != got:
            raise BadRecord(
                f"line {number}: recorded {shorten(expected, 200)}, replayed {shorten(got, 200)}"
            )
    if len(old) != len(again):
        raise BadRecord(f"recorded {len(old)} lines, replayed {len(again)}")
    return game.start().play(*moves)
