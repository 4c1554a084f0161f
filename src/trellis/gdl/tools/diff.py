"""Two descriptions of a game, side by side in random play, up to the first difference.

Two sheets are compared by terms: roles, legal moves, the end, and goals at the end; the facts of
their states too, where that is asked for.  A sheet and a built-in game call their moves by other
names.  Where the names of all moves of a position can be brought to a common form, both play the
same random games; where not, they are compared by how many games and positions there are.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from trellis._kernel.progress import Progress
from trellis.game.errors import BadParameter, LimitReached
from trellis.game.game import Game, Position
from trellis.game.perft import perft
from trellis.gdl.evaluators.machine import Facts, Machine
from trellis.gdl.language.kif import write
from trellis.gdl.language.terms import Term

LONGEST = 2_000  # steps of a random game
_SHOWN = 8  # moves or facts in a difference
_DEEPEST_COUNT = 6  # plies that are counted where names do not match
_MOST_POSITIONS = 200_000


@dataclass
class Difference:
    """Where two games first differ, and the moves that led there."""

    game: int  # counted from 0
    step: int
    what: str  # "roles", "terminal", "legal", "goals", "state", "acting", "games", ...
    a: Any
    b: Any
    moves: list[str]


@dataclass
class Comparison:
    """What came of it; `how` tells what was compared: "terms", "names" or "counts"."""

    how: str
    games: int = 0
    steps: int = 0
    difference: Difference | None = None
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return what programs read."""
        return asdict(self)


class _Differs(Exception):
    def __init__(self, what: str, a: Any, b: Any) -> None:
        super().__init__(what)
        self.what, self.a, self.b = what, a, b


# --- two sheets


def compare_machines(
    a: Machine,
    b: Machine,
    games: int = 100,
    seed: int = 0,
    states: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Step two sheets through the same random games.

    With `states`, facts must be the same too, and goals in every state.
    """
    found = Comparison("terms")
    roles = [*map(str, a.roles)], [*map(str, b.roles)]
    if roles[0] != roles[1]:
        found.difference = Difference(0, 0, "roles", *roles, [])
        return found
    walk = _MachineWalk(a, b, states, Random(seed))
    _play(walk, found, games, progress)
    found.remark = walk.remark
    return found


def _play(
    walk: "_MachineWalk | _GameWalk", found: Comparison, games: int, progress: Progress | None
) -> None:
    """Play random games up to the first difference."""
    for number in range(games):
        walk.moves = []
        try:
            walk.play(found)
        except _Differs as fault:
            step, made = len(walk.moves), walk.moves
            found.difference = Difference(number, step, fault.what, fault.a, fault.b, made)
            return
        found.games += 1
        if progress is not None:
            progress((number + 1) / games, f"{found.steps:,} steps")


class _MachineWalk:
    def __init__(self, a: Machine, b: Machine, states: bool, dice: Random) -> None:
        self.a, self.b, self.states, self.dice = a, b, states, dice
        self.moves: list[str] = []
        self.remark = ""

    def play(self, found: Comparison) -> None:
        here, there = self.a.initial(), self.b.initial()
        for _ in range(LONGEST):
            self._compare_facts(here, there)
            over = self.a.terminal(here)
            if over != self.b.terminal(there):
                raise _Differs("terminal", over, not over)
            if over or self.states:
                goals, others = self.a.goals(here), self.b.goals(there)
                if goals != others:
                    raise _Differs("goals", goals, others)
            if over:
                return
            legal, other = self.a.legal(here), self.b.legal(there)
            if [set(moves) for moves in legal] != [set(moves) for moves in other]:
                raise _Differs("legal", *_only(legal, other))
            if not all(legal):
                return  # both stuck at the same place
            joint = [self.dice.choice(sorted(moves, key=write)) for moves in legal]
            here, there = self.a.next(here, joint), self.b.next(there, joint)
            self.moves.append(" ".join(map(write, joint)))
            found.steps += 1

    def _compare_facts(self, here: Facts, there: Facts) -> None:
        if here == there:
            return
        a, b = _texts(here - there), _texts(there - here)
        if self.states:
            raise _Differs("state", a, b)
        if not self.remark:
            self.remark = (
                f"the facts of their states differ, first after {len(self.moves)} steps: "
                f"{', '.join(a) or 'nothing'} against {', '.join(b) or 'nothing'}"
            )


def _only(a: Sequence[Sequence[Term]], b: Sequence[Sequence[Term]]) -> tuple[Any, Any]:
    """Return, role by role, the moves that only one side has."""
    pairs = [(set(x), set(y)) for x, y in zip(a, b, strict=True)]
    return [_texts(x - y) for x, y in pairs], [_texts(y - x) for x, y in pairs]


def _texts(terms: Iterable[Term]) -> list[str]:
    return list(_few(sorted(map(write, terms))))


# --- a sheet and any other game


def _arguments(name: str) -> str:
    """Join what a move is applied to: `mark(a,2)` is a2; a bare name stays as it is."""
    first, *given = re.findall(r"[^(),]+", name.lower()) or [name]
    return "".join(given) or first


def _letters_and_digits(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _squares(name: str) -> str:
    """Leave out what marks a capture or a promotion: the squares say it all."""
    return " ".join(re.findall(r"[a-z]?[0-9]+|^[a-z]+$", re.sub(r"[x*+#=]", " ", name.lower())))


def _numbers(name: str) -> str:
    """Turn letters into numbers, and nothing but numbers is kept: b3 and `mark(2,3)` are 2 3."""
    inside = name.partition("(")[2] if "(" in name else name
    return " ".join(
        part if part.isdigit() else str(ord(part) - ord("a") + 1)
        for part in re.findall(r"[0-9]+|(?<![a-z])[a-z](?![a-z])", inside.lower())
    )


_Form = Callable[[str], str]
_FORMS: tuple[tuple[_Form, _Form], ...] = (
    (str.lower, str.lower),
    (_arguments, str.lower),
    (_arguments, _arguments),
    (_letters_and_digits, _letters_and_digits),
    (_arguments, _letters_and_digits),
    (lambda name: _squares(_arguments(name)), _squares),
    (_numbers, _numbers),
    (_numbers, lambda name: " ".join(reversed(_numbers(name).split()))),
)


def compare_games(
    a: Game, b: Game, games: int = 100, seed: int = 0, progress: Progress | None = None
) -> Comparison:
    """Step a sheet and another game through the same random games, or count both.

    Several common forms of names may fit the first position.  The games are the same if one of
    them fits all the way; else the form that fits longest tells the difference.
    """
    if a.players != b.players:
        difference = Difference(0, 0, "players", a.players, b.players, [])
        return Comparison("names", difference=difference)
    best: Comparison | None = None
    for form in _FORMS:
        found = _walk(_GameWalk(a, b, form, Random(seed)), games, progress)
        if found is None:
            continue
        if found.difference is None:
            return found
        if best is None or found.steps > best.steps:
            best = found
    return best or _count(a, b)


def _walk(walk: "_GameWalk", games: int, progress: Progress | None) -> Comparison | None:
    """Compare with one form of names; None where it does not fit at all."""
    found = Comparison("names")
    _play(walk, found, games, progress)
    fault = found.difference
    if fault is not None:
        if fault.what == "legal" and not found.steps and len(fault.a) == len(fault.b):
            return None  # as many moves, by other names
        fault.a, fault.b = _few(fault.a), _few(fault.b)
    return found


class _GameWalk:
    def __init__(self, a: Game, b: Game, form: tuple[_Form, _Form], dice: Random) -> None:
        self.a, self.b, self.form, self.dice = a, b, form, dice
        self.moves: list[str] = []
        self.scales: list[Callable[[float], float]] = [float, self._scaled]

    def play(self, found: Comparison) -> None:
        here, there = self.a.start(), self.b.start()
        for _ in range(LONGEST):
            here, there = self._settle(here, there)
            if here.is_over or there.is_over:
                self._compare_ends(here, there)
                return
            if here.acting != there.acting:
                raise _Differs("acting", here.acting, there.acting)
            mine, other = self._match(here, there)
            name = self.dice.choice(sorted(mine))
            self.moves.append(here.name(mine[name]))
            here, there = here.play(mine[name]), there.play(other[name])
            found.steps += 1

    def _settle(self, here: Position, there: Position) -> tuple[Position, Position]:
        """Let a side go on alone where it asks for a move without a choice and the other not."""
        for _ in range(LONGEST):
            mine, other = here.move_codes(), there.move_codes()
            alike = here.acting == there.acting and len(mine) == len(other)
            if alike or (len(mine) != 1 and len(other) != 1):
                break
            if len(mine) == 1:
                here = here.play(mine[0])
            else:
                there = there.play(other[0])
        return here, there

    def _compare_ends(self, here: Position, there: Position) -> None:
        if here.is_over != there.is_over:
            raise _Differs("terminal", here.is_over, there.is_over)
        mine, other = here.payoffs(), there.payoffs()
        fitting = [
            scale
            for scale in self.scales
            if all(abs(a - scale(b)) < 0.51 for a, b in zip(mine, other, strict=True))
        ]
        if not fitting:
            raise _Differs("goals", list(mine), list(other))
        self.scales = fitting

    def _scaled(self, payoff: float) -> float:
        """Bring a payoff of the second game to the range of the first."""
        low, high = self.b.payoff_range
        least, most = self.a.payoff_range
        return least + (payoff - low) * (most - least) / (high - low)

    def _match(self, here: Position, there: Position) -> tuple[dict[str, int], dict[str, int]]:
        """Return the moves of both by their common names."""
        mine, other = here.move_codes(), there.move_codes()
        ours, theirs = self.form
        left = {ours(here.name(code)): code for code in mine}
        right = {theirs(there.name(code)): code for code in other}
        apart = len(left) == len(mine) and len(right) == len(other)
        if apart and left.keys() == right.keys():
            return left, right
        if not apart:  # a form that loses too much to tell moves apart: show the names
            left = {here.name(code): code for code in mine}
            right = {there.name(code): code for code in other}
        # All of them, since their number decides whether anything but the names differs.
        ours_alone, theirs_alone = left.keys() - right.keys(), right.keys() - left.keys()
        raise _Differs("legal", sorted(ours_alone), sorted(theirs_alone))


def _few(found: Any) -> Any:
    """Cut a long list short, and show that it was."""
    is_long = isinstance(found, list) and len(found) > _SHOWN
    return [*found[:_SHOWN], "…"] if is_long else found


def _count(a: Game, b: Game) -> Comparison:
    """Compare how many games and positions there are at each ply."""
    names = [", ".join(game.start().moves()[:3]) for game in (a, b)]
    found = Comparison(
        "counts", remark=f"no common names of moves ({names[0]} / {names[1]}): all games counted"
    )
    for depth in range(1, _DEEPEST_COUNT + 1):
        try:
            mine, other = (perft(game, depth, limit=_MOST_POSITIONS)[-1] for game in (a, b))
        except (LimitReached, BadParameter):
            break
        found.steps = depth
        for what in ("games", "positions", "ended"):
            ours, theirs = getattr(mine, what), getattr(other, what)
            if ours != theirs:
                found.difference = Difference(0, depth, what, ours, theirs, [])
                return found
    found.remark += f" to a depth of {found.steps} plies"
    return found
