"""Players that choose a group of moves first, and then a move of it: `uct2:groups=manhattan`.

The game that is played knows nothing of groups, so that two players of a match can differ in them;
the search goes on in the game with groups.  What is near depends on the moves before, which a
position of the plain game does not tell; so such a player has to be told the moves of the game.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.search.mcts.decide import final_rule
from trellis.search.mcts.graph import NONE
from trellis.search.mcts.reporting import edge_lines

if TYPE_CHECKING:
    from trellis.players.player import SearchPlayer
    from trellis.search.report import Report


@dataclass
class GroupedPlayer:
    """A search of the game with groups that plays the plain one."""

    search: "SearchPlayer"
    groups: str
    name: str = "grouped"
    _moves: list[str] = field(default_factory=list, repr=False)
    _plain: Game | None = field(default=None, repr=False)
    _inside: Game | None = field(default=None, repr=False)  # the same with groups

    def __post_init__(self) -> None:
        if self.search.reuse:
            raise BadParameter("a graph is not kept with groups: expected no reuse")

    @property
    def report(self) -> "Report | None":
        """Return what the last search found out about groups and what follows them."""
        return self.search.report

    def check_game(self, game: Game) -> None:
        """Refuse games that have no such groups, and settings that do not fit."""
        self.search.check_game(self._with_groups(game))

    def follow(self, game: Game, moves: list[str]) -> None:
        """Take the moves of the game so far."""
        self._moves = list(moves)

    def choose(self, position: Position, player: int) -> str:
        """Search; take the move with most visits, by whichever groups it was chosen.

        Where another rule than visits decides, the best move of the best group.
        """
        codes = position.move_codes()
        if len(codes) == 1:
            return position.name(codes[0])
        inside = self.position_inside(position)
        group = self.search.choose(inside, player)
        report = self.search.report
        if report is not None and not report.solved:
            visits = self._visits(inside)
            if visits:
                return max(visits, key=lambda move: visits[move])
        if report is not None and report.line[:1] == (group,) and len(report.line) > 1:
            return report.line[1]
        # So few simulations that nothing is known beyond the group.
        return self.search.choose(inside.play(group), player)

    def _visits(self, inside: Position) -> dict[str, int]:
        """Return how often the last search made each move, groups added up, where they overlap."""
        search, visits = self.search.thinking, Counter[str]()
        if search is None or search.position != inside or final_rule(search) != "robust":
            return visits
        for group in edge_lines(search, search.root):
            if group.child != NONE:
                chosen = inside.play(group.code)
                for move in edge_lines(search, group.child, chosen):
                    visits[chosen.name(move.code)] += move.visits
        return visits

    def position_inside(self, position: Position) -> Position:
        """Return the same position where moves have groups, and the last ones are known."""
        inside = self._with_groups(position.game).start()
        for move in self._moves:
            inside = _play(inside, move)
        if inside.state[: len(position.state)].tobytes() != position.state.tobytes():
            raise BadParameter(
                "move groups need to know the moves that led here: expected a game that is played "
                "from its start, by match, play or paper"
            )
        return inside

    def _with_groups(self, game: Game) -> Game:
        if self._inside is None or self._plain != game:
            self._plain, self._inside = game, game.grouping(self.groups)
        return self._inside


def _play(inside: Position, move: str) -> Position:
    """Make a move by any group that has it: groups leave no trace."""
    for group in inside.move_codes():
        chosen = inside.play(group)
        if move in chosen.moves():
            return chosen.play(move)
    raise BadParameter(f"illegal move {move} before the position that is to be searched")
