"""Players: a way to choose moves, written as text such as `random` or `flat:sims=1000`."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.game import Position
from trellis.game.spec import Parameter, Value, split_spec
from trellis.game.words import generator
from trellis.search.flat import rank_moves


class Player(Protocol):
    """Chooses a move for `player`.

    Where several choose at once, `position` is the one before anybody has chosen, so that no
    player can know another's choice.
    """

    name: str

    def choose(self, position: Position, player: int) -> str:
        """Return the name of the chosen move."""
        ...


@dataclass
class RandomPlayer:
    """Every legal move with the same chance."""

    random: np.random.Generator
    name: str = "random"

    def choose(self, position: Position, player: int) -> str:
        """Draw a move."""
        while position.acting != player:
            position = position.play(position.codes()[0])
        moves = position.moves()
        return moves[int(self.random.integers(len(moves)))]


@dataclass
class FlatPlayer:
    """The move that random playouts like best."""

    random: np.random.Generator
    sims: int | None
    seconds: float | None
    c: float
    name: str = "flat"

    def choose(self, position: Position, player: int) -> str:
        """Rank the moves by playouts; take the most visited."""
        seed = int(self.random.integers(1 << 62))
        return rank_moves(
            position, player=player, sims=self.sims, seconds=self.seconds, c=self.c, seed=seed
        ).best


_KINDS: dict[str, tuple[Parameter, ...]] = {
    "random": (),
    "flat": (
        Parameter("sims", 10_000, low=1, high=10**12),
        Parameter("time", "0", text="seconds, such as 0.5"),
        Parameter("c", "0.7", text="a number of at least 0"),
    ),
}


def make_player(text: str, seed: int = 0) -> Player:
    """Make a player from text: `random`, `flat`, `flat:sims=5000`, `flat:time=0.5,c=1`."""
    kind, given = split_spec(text)
    if kind not in _KINDS:
        raise BadParameter(
            f"unknown player {shorten(kind)}: expected {' or '.join(_KINDS)}{nearest(kind, _KINDS)}"
        )
    known = {parameter.name: parameter for parameter in _KINDS[kind]}
    for name in given:
        if name not in known:
            raise BadParameter(
                f"unknown parameter {shorten(name)} for player {kind}: expected "
                f"{', '.join(known) or 'no parameters'}{nearest(name, known)}"
            )
    settings: dict[str, Value] = {
        name: parameter.read(given[name], f"player {kind}")
        for name, parameter in known.items()
        if name in given
    }
    random = generator(seed)
    if kind == "random":
        return RandomPlayer(random, text)
    seconds = read_number(str(settings["time"]), "time", above=0) if "time" in settings else None
    sims = settings.get("sims", None if seconds else 10_000)
    c = read_number(str(settings.get("c", "0.7")), "c", above=-1e-300)
    return FlatPlayer(random, None if sims is None else int(sims), seconds, c, text)


def read_number(text: str, name: str, above: float) -> float:
    """Read a finite number greater than `above`."""
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number) or number <= above:
        least = "at least 0" if above < 0 else f"above {above:g}"
        raise BadParameter(f"bad value {shorten(text)} for {name}: expected a number {least}")
    return number
