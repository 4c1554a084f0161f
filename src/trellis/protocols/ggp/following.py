"""A match as one of its roles follows it: rules, facts, steps and moves as the server writes them.

Everything is about facts: what the server says was played is played, step by step, and positions
for searches are made from the facts.  Nothing here imports compiled code unless a circuit is asked
for: who chains forward is ready at once.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trellis._kernel.deadline import LoadBudget
from trellis.game.errors import BadParameter, IllegalMove, TrellisError, shorten
from trellis.gdl.grounding.clingo import Limits
from trellis.gdl.language.kif import NoTerm, read, to_term
from trellis.gdl.language.terms import Term
from trellis.gdl.load_limit import loading
from trellis.gdl.sheet import Sheet

if TYPE_CHECKING:
    from trellis.game.game import Position
    from trellis.gdl.evaluators.machine import Machine
    from trellis.gdl.game import SheetGame

CIRCUIT, FORWARD = "circuit", "forward"

# Is told the best move so far, what it is worth, and how much work it was.
Tell = Callable[[str, float | None, int], None]


def read_term(text: str) -> Term:
    """Read a move or a role; letter case does not matter."""
    reading = read(text)
    if reading.findings or len(reading.forms) != 1:
        raise BadParameter(f"{shorten(text)} is not a move")
    try:
        return to_term(reading.forms[0])
    except NoTerm:
        raise BadParameter(f"{shorten(text)} is not a move") from None


class Following:
    """Where a match stands: the facts after so many steps, and who may do what.

    `game` is the rules as searches take them; there is none where facts are chained forward.
    """

    def __init__(
        self, sheet: Sheet, machine: "Machine", role: str, game: "SheetGame | None" = None
    ) -> None:
        self.sheet, self.machine = sheet, machine
        self._game = game
        self.roles = [str(each) for each in self.machine.roles]
        wanted = str(read_term(role))
        if wanted not in self.roles:
            raise BadParameter(
                f"{shorten(role)} is not a role of the rules: expected one of "
                f"{', '.join(shorten(each, 30) for each in self.roles)}"
            )
        self.role = self.roles.index(wanted)
        # Chance is no player of the game, although a role of the rules.
        players = [each for each in self.roles if each != "random"]
        self.player = players.index(wanted) if wanted in players else None
        self.facts = self.machine.initial()
        self.steps = 0
        self._look()

    @classmethod
    def load(
        cls, rules: str, role: str, evaluator: str, *, seconds: float, prove_seconds: float = 1.0,
        mebibytes: float = 1_000.0,
    ) -> "Following":  # fmt: skip
        """Follow a match by rules from outside: by `forward` chaining, or by a `circuit`."""
        name = "the rules"
        budget = LoadBudget(seconds)
        with loading(name, budget):
            sheet = Sheet(rules, name, Limits(seconds=seconds, mebibytes=int(mebibytes)), budget)
            if any(rule.name == "sees" for rule in sheet.rules):
                raise BadParameter("games of imperfect information (sees) are not playable")
            if evaluator == FORWARD:
                return cls(sheet, sheet.forward, role)
            from trellis.gdl.game import game_of

            game: Any = game_of(sheet, CIRCUIT, prove_seconds=prove_seconds)
            return cls(sheet, game.machine(), role, game)

    def _look(self) -> None:
        self.terminal = self.machine.terminal(self.facts)
        self.goals = self.machine.goals(self.facts)
        legal = self.machine.legal(self.facts)
        self.legal: list[Term] = [] if self.terminal else legal[self.role]
        self._position: Position | None = None

    def play(self, joint: Sequence[str]) -> None:
        """Make the moves of all roles, as a message has them."""
        if len(joint) != len(self.roles):
            raise IllegalMove(f"{len(joint)} moves for {len(self.roles)} roles")
        moves = [read_term(move) for move in joint]
        legal = self.machine.legal(self.facts)
        for move, text, allowed in zip(moves, joint, legal, strict=True):
            if move not in allowed:
                raise IllegalMove(f"{shorten(text)} is not legal after {self.steps} steps")
        self.facts = self.machine.next(self.facts, moves)
        self.steps += 1
        self._look()

    def write(self, move: Term) -> str:
        """Write a move, letter by letter as the rules have it."""
        return self.sheet.write(move)

    def texts(self) -> list[str]:
        """Write the legal moves of the role."""
        return [self.write(move) for move in self.legal]

    def named(self, name: str) -> str:
        """Write the legal move that the game calls by a name."""
        from trellis.gdl.game import move_text

        for move in self.legal:
            if move_text(self.sheet, move) == name:
                return self.write(move)
        raise TrellisError(f"{shorten(name)} is not a legal move")

    @property
    def game(self) -> "SheetGame":
        """Return the rules as searches take them."""
        if self._game is None:
            raise BadParameter("facts are chained forward: there is no game for searches")
        return self._game

    @property
    def position(self) -> "Position":
        """Return the position that the facts are, for searches."""
        if self._position is None:
            self._position = self.game.position_at(self.facts)
        return self._position
