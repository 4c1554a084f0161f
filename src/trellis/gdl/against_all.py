"""One role of a rulesheet against all the others: what it can secure, what it can be held to.

The functions are those of every sheet.  Only tables differ: who is which player, who is asked
first where several choose at once, and what the players get.
"""

from typing import TYPE_CHECKING

from trellis.game.game import Position
from trellis.game.reductions import Paranoid
from trellis.game.rules import State
from trellis.gdl.circuit.layout import CONTROL_AT, set_against_all
from trellis.gdl.rules import ask_again, rules

if TYPE_CHECKING:
    from trellis.gdl.game import SheetGame


class SheetAgainstAll(Paranoid):
    """A sheet seen by one role; see `trellis.paranoid`."""

    keeps_states = True

    def __init__(self, inner: "SheetGame", player: int, *, first: bool) -> None:
        total = round(sum(inner.payoff_range))
        role = inner.circuit.roles.index(inner.roles[player])
        made = rules(inner.has_chance, simultaneous=False, open_ends=inner.open_ends)
        super().__init__(
            inner,
            "paranoid",
            made._replace(batch=inner.rules.batch),
            set_against_all(inner.own_tables(), role, total, first=first),
            players=2,
            constant_sum=float(total),
        )
        self.protagonist = player

    def lift(self, position: Position) -> Position:
        """Return the same position in this game: whoever has not chosen yet acts in its order."""
        state = position.state
        ask_again(self.tables, state)
        return Position(self, state)

    def lower(self, state: State) -> State | None:
        """Return the position of the sheet; None where only some have chosen."""
        if state[int(self.tables.ints[CONTROL_AT]) + 1 :].any():
            return None
        inside = state.copy()
        ask_again(self.inner.tables, inside)
        return inside
