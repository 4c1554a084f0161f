"""A game of Go in progress, as the protocol sees it: board, komi, rules, clocks, a player."""

from collections.abc import Iterable
from time import perf_counter

from trellis.game.errors import shorten
from trellis.game.game import Game, Position
from trellis.games.go.game import Go
from trellis.games.go.small_playout import fits
from trellis.protocols.gtp.clock import Clock
from trellis.protocols.gtp.go_board import PASS, GoBoard
from trellis.protocols.gtp.go_search import (
    allowed_moves,
    search_game,
    search_position,
    searched_rules,
)
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.ownership import dead_chains, from_the_top, owners, settled_score
from trellis.protocols.gtp.parsing import (
    BLACK,
    COLOURS,
    RESIGN,
    WHITE,
    CommandError,
    Words,
    other,
    read_point,
)
from trellis.protocols.gtp.parsing import PASS as PASS_WORD
from trellis.protocols.gtp.rulesets import Ruleset
from trellis.protocols.gtp.thinking import Decision, Resignation, Thinker, Watch

LARGEST = 19
MOST_KOMI = 400.0


class GoSession:
    """All that commands of Go work on; points are numbers, row by row from the bottom."""

    is_go = True
    game_id = "Go"

    def __init__(
        self,
        thinker: Thinker,
        rules: Ruleset,
        manners: Manners | None = None,
        rows: int = LARGEST,
        columns: int = LARGEST,
        komi: float = 7.5,
    ) -> None:
        self.thinker, self.rules, self.manners = thinker, rules, manners or Manners()
        self.komi = komi
        self.clock = Clock(self.manners.lag)
        self._prepared: set[tuple[str, bool, bool]] = set()
        self._searched: dict[tuple[str, Ruleset], Ruleset] = {}
        self.set_size(rows, columns)

    # -- the board --------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Return the rows of the board."""
        return self.board.rows

    @property
    def columns(self) -> int:
        """Return the columns of the board."""
        return self.board.columns

    def set_size(self, rows: int, columns: int) -> None:
        """Take an empty board of another size."""
        if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
            raise CommandError(f"unacceptable size: expected 1 to {LARGEST}")
        self.board = GoBoard(rows, columns)
        self._begin_anew()
        self.prepare()

    def set_rules(self, rules: Ruleset) -> None:
        """Go on by other rules."""
        self.rules = rules
        self.prepare()

    def replace_player(self, text: str) -> None:
        """Let another player go on; refuse one that cannot play Go by any rules."""
        rules = self.rules
        plain = search_game(self.rows, self.columns, self.full_komi, "SIMPLE", rules.suicide)
        self.thinker.replace_player(text, plain)
        self.prepare()

    def prepare(self) -> None:
        """Refuse a player that does not fit; have compiled what is new before a clock runs."""
        text, rules = self.thinker.text, self.rules
        if (text, rules) not in self._searched:
            self._searched[text, rules] = searched_rules(rules, self.thinker.fits)
        kind = (text, fits(self.rows, self.columns), self.searched_rules.ko == "SIMPLE")
        if kind not in self._prepared:
            self.thinker.check_game(self.game)
            self.thinker.warm_up(self.position(self.to_move))
            self._prepared.add(kind)

    @property
    def searched_rules(self) -> Ruleset:
        """Return the rules that the player searches by."""
        return self._searched[self.thinker.text, self.rules]

    def clear(self) -> None:
        """Take all stones off, and forget what was."""
        self.board = GoBoard(self.rows, self.columns)
        self.clock.restart()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.handicap = 0
        self._allotted: float | None = None  # seconds for the last move
        self.thinker.forget()
        manners = self.manners
        self._hope = [Resignation(manners.resign, manners.resign_moves) for _ in range(2)]

    def set_komi(self, komi: float) -> None:
        """Take another komi."""
        if abs(komi) > MOST_KOMI:
            raise CommandError(f"unacceptable komi: expected -{MOST_KOMI:g} to {MOST_KOMI:g}")
        self.komi = komi

    def read_move(self, words: Words) -> int:
        """Read a point, or a pass."""
        if words.next_word.casefold() == PASS_WORD:
            words.word("a vertex")
            return PASS
        row, column = words.point(self.rows, self.columns)
        return row * self.columns + column

    def points_of(self, names: Iterable[str]) -> list[int]:
        """Read names of points."""
        found = []
        for name in names:
            point = read_point(name, self.rows, self.columns)
            if point is None:
                raise CommandError(f"invalid coordinate {shorten(name)}")
            found.append(point[0] * self.columns + point[1])
        return found

    @property
    def to_move(self) -> int:
        """Return who is next if colours alternate."""
        return self.board.to_move

    @property
    def ply_count(self) -> int:
        """Return how many moves can be taken back."""
        return len(self.board.plies)

    def play(self, colour: int, words: Words) -> None:
        """Play a move that somebody else decided on; a resignation changes nothing."""
        if words.next_word.casefold() == RESIGN:
            words.word("a vertex")
            return
        self.board.play(colour, self.read_move(words), self.rules)

    def undo(self, count: int = 1) -> None:
        """Take moves back, all of them or none."""
        if count > len(self.board.plies):
            raise CommandError("cannot undo")
        for _ in range(count):
            self.board.undo()
        self._hope = [Resignation(each.below, each.moves) for each in self._hope]

    def take_board(self, board: GoBoard, handicap: int) -> None:
        """Go on with another board, such as one from a file."""
        self.board = board
        self._begin_anew()
        self.handicap = handicap

    def place_handicap(self, points: list[int]) -> None:
        """Put stones of handicap on an empty board; white is next."""
        if not self.board.is_empty or self.board.plies:
            raise CommandError("board not empty")
        self.board.set_up([(BLACK, point) for point in points], WHITE)
        self.handicap = len(points)

    def showboard(self) -> str:
        """Draw the board."""
        bonus = self.rules.handicap_bonus(self.handicap)
        note = f"komi {self.komi:g}" + (f" and {bonus} for handicap" if bonus else "")
        return self.board.picture([note])

    # -- moves of our own -------------------------------------------------------------------------

    @property
    def full_komi(self) -> float:
        """Return komi with what white gets for handicap."""
        return self.komi + self.rules.handicap_bonus(self.handicap)

    def position(self, colour: int) -> Position:
        """Return the position that a search is shown."""
        return search_position(self.board, colour, self.searched_rules, self.full_komi)

    @property
    def search_game(self) -> Go:
        """Return the game that searches play."""
        rules = self.searched_rules
        return search_game(self.rows, self.columns, self.full_komi, rules.ko, rules.suicide)

    @property
    def game(self) -> Game:
        """Return the game that searches play."""
        return self.search_game

    def allowed(self, position: Position, colour: int) -> set[str]:
        """Return the moves that a player may choose, as searches name them."""
        return {*allowed_moves(self.board, position, colour, self.rules)}

    def cell_of(self, move: str) -> tuple[int, int] | None:
        """Return the row and column of a move; None for a pass."""
        return read_point(move, self.rows, self.columns)

    def to_gtp(self, move: str) -> str:
        """Return a move as the protocol writes it."""
        return move if move == PASS_WORD else move.upper()

    def decide(
        self, colour: int, *, timed: bool = True, may_pass: bool = True,
        watch: Watch | None = None, interval: float = 1.0,
    ) -> Decision:  # fmt: skip
        """Choose a move for a colour, by its clock where that is kept."""
        position = self.position(colour)
        allowed = self.allowed(position, colour)
        if not may_pass and len(allowed) > 1:
            allowed.discard(PASS_WORD)
        elif self._pass_wins(colour):
            return Decision(PASS_WORD)
        # Where everything counts that is on the board, nearly everything is filled.
        left = max(0, (self.board.points - len(self.board.plies)) // 2)
        seconds = self.clock.allot(colour, left) if timed else None
        self._allotted = seconds
        return self.thinker.choose(position, allowed, seconds, watch, interval)

    def _pass_wins(self, colour: int) -> bool:
        """Tell whether the other side has passed and a pass wins whoever is asked about the dead.

        Playing on would be as good by area, and a nuisance.
        """
        board = self.board
        if board.passes != 1 or board.to_move != colour:
            return False
        scores = [board.area()]
        if self.rules.dead_stones:
            scores.append(settled_score(board, dead_chains(board, colour, self.rules)))
        sign = 1 if colour == BLACK else -1
        return all(sign * (score - self.full_komi) > 0 for score in scores)

    def genmove(
        self, colour: int, *, may_pass: bool = True, watch: Watch | None = None,
        interval: float = 1.0,
    ) -> str:  # fmt: skip
        """Choose a move and play it, or resign."""
        began = perf_counter()
        self._allotted = None
        decision = self.decide(colour, may_pass=may_pass, watch=watch, interval=interval)
        self.clock.spend(colour, perf_counter() - began, self._allotted)
        if self._hope[colour].hopeless(decision, self.game):
            return RESIGN
        point = PASS if decision.move == PASS_WORD else self.points_of([decision.move])[0]
        self.board.play(colour, point, self.rules)
        return self.board.name(point)

    def cleanup_move(self, colour: int) -> str:
        """Choose a move that does not pass while dead stones of the other side are there."""
        stones = self.board.stones()
        dead = dead_chains(self.board, colour, self.rules)
        left = any(stones[chain[0]] == other(colour) for chain in dead)
        return self.genmove(colour, may_pass=not left)

    def set_manners(self, manners: Manners) -> None:
        """Behave otherwise from now on."""
        self.manners, self.clock.lag = manners, manners.lag
        self._hope = [Resignation(manners.resign, manners.resign_moves) for _ in range(2)]

    def ponder(self) -> None:
        """Think while the other side does, where that is wanted."""
        if self.manners.ponder and self.board.passes < 2:
            self.thinker.ponder(self.position(self.to_move))

    # -- the end ----------------------------------------------------------------------------------

    def final_score(self) -> str:
        """Tell who has won, by how much; where rules let players agree, without dead stones."""
        dead = dead_chains(self.board, self.to_move, self.rules)
        margin = settled_score(self.board, dead) - self.full_komi
        if margin == 0:
            return "0"
        return f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

    def final_status(self, status: str) -> list[str]:
        """List what is alive, dead, in seki, territory or neither: a chain, or all points, a line.

        Which stones live together without eyes is not found out: they count as alive.
        """
        dead = dead_chains(self.board, self.to_move, self.rules)
        if status == "dead":
            return self._lines(dead)
        if status == "alive":
            return self._lines([chain for chain in self.board.chains() if chain not in dead])
        if status == "seki":
            return []
        if status in ("black_territory", "white_territory", "dame"):
            wanted = {"black_territory": BLACK, "white_territory": WHITE}.get(status)
            return self._lines([self._territory(dead, wanted)])
        raise CommandError("syntax error: expected alive, dead or seki")

    def _lines(self, groups: list[list[int]]) -> list[str]:
        return [" ".join(self.board.name(point) for point in group) for group in groups if group]

    def _territory(self, dead: list[list[int]], wanted: int | None) -> list[int]:
        """List the points that only one colour surrounds, dead stones taken off, or both do."""
        gone = {point for chain in dead for point in chain}
        stones = self.board.stones()
        free = [p for p, colour in enumerate(stones) if colour > WHITE or p in gone]
        found: list[int] = []
        seen = set[int]()
        for point in free:
            if point in seen:
                continue
            region, waiting, colours = {point}, [point], set[int]()
            while waiting:
                for near in self.board.neighbours(waiting.pop()):
                    if stones[near] > WHITE or near in gone:
                        if near not in region:
                            region.add(near)
                            waiting.append(near)
                    else:
                        colours.add(stones[near])
            seen |= region
            if (wanted is None and len(colours) != 1) or colours == {wanted}:
                found += region
        return sorted(found)

    def ownership(self, colour: int) -> list[float]:
        """Return who owns each point, from -1 to 1, as a colour sees it; top row first."""
        owned = owners(self.board, colour, self.rules)
        sign = 1 if colour == BLACK else -1
        return from_the_top(owned, self.columns, sign)

    def side_name(self) -> str:
        """Name who is next."""
        return COLOURS[self.to_move]
