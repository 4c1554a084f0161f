"""Clocks of both players: how much time is left, and how much of it a move may take.

>>> clock = Clock(lag=0.5)
>>> clock.set(absolute(100.0))
>>> 0.5 < clock.allot(BLACK, moves_left=40) < 5
True
"""

import math
from dataclasses import dataclass, field, replace

from trellis.protocols.gtp.parsing import BLACK, WHITE, CommandError, Words

LEAST = 0.001  # seconds: a move always gets that much
LAG = 0.25  # seconds that a reply may need until the arbiter has it
_FRACTION = 0.9  # of time that is lost if it is not used: a little is kept back
_FADING = 0.8  # of the overhead, from move to move: one slow move is soon forgotten
_FEWEST_LEFT = 12  # moves that a player is thought to have before it, however late it is
KINDS = ("none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped")


@dataclass(frozen=True)
class TimeControl:
    """How games are timed; seconds everywhere.

    After the main time come periods.  Canadian: `count` stones in each period of `period` seconds;
    Japanese byo-yomi: `count` periods, of which one is lost whenever it is used up.  Fischer:
    `increment` is added after each move, up to `cap`.
    """

    kind: str = "none"
    main: float = 0.0
    period: float = 0.0
    count: int = 0
    increment: float = 0.0
    cap: float | None = None
    most: float | None = None  # for one move


def absolute(main: float) -> TimeControl:
    """Return a time control of one time for the whole game."""
    return TimeControl("absolute", main)


@dataclass
class Side:
    """The clock of one player: of the main time, or of the present period; stones or periods."""

    left: float = 0.0
    count: int = 0
    in_periods: bool = False


@dataclass
class Clock:
    """Both clocks; `lag` is what a reply may take on its way."""

    lag: float = LAG
    overhead: float = 0.0  # seconds beyond what was allotted that a move was seen to take
    control: TimeControl = field(default_factory=TimeControl)
    sides: list[Side] = field(default_factory=lambda: [Side(), Side()])

    def set(self, control: TimeControl) -> None:
        """Begin with a time control, both clocks full."""
        self.control = control
        self.restart()

    def restart(self) -> None:
        """Fill both clocks, for another game."""
        for colour in (BLACK, WHITE):
            side = Side(self.control.main)
            if side.left <= 0 and self._has_periods:
                side = Side(self.control.period, self.control.count, in_periods=True)
            self.sides[colour] = side

    @property
    def _has_periods(self) -> bool:
        return self.control.kind in ("canadian", "byoyomi") and self.control.count > 0

    def tell(self, colour: int, seconds: float, count: int) -> None:
        """Take what an arbiter says: seconds left, and stones or periods, 0 in main time."""
        periods = self._has_periods and count > 0
        self.sides[colour] = Side(max(0.0, seconds), max(0, count) if periods else 0, periods)

    def spend(self, colour: int, seconds: float, allotted: float | None = None) -> None:
        """Take the time of a move off a clock; an arbiter's word replaces it.

        What was `allotted` tells how much more than that a move takes.
        """
        control, side = self.control, self.sides[colour]
        if allotted is not None:
            self.overhead = max(seconds - allotted, _FADING * self.overhead, 0.0)
        if control.kind == "none":
            return
        side.left -= max(0.0, seconds)
        if control.kind.startswith("fischer"):
            side.left = max(0.0, side.left) + control.increment
            if control.cap is not None:
                side.left = min(side.left, control.cap)
            return
        if side.left <= 0 and self._has_periods and not side.in_periods:
            side.in_periods, side.count = True, control.count
            side.left += control.period
        if side.left <= 0 and side.in_periods and control.kind == "byoyomi":
            # Periods that were used up are lost, all but the last: then the game is.
            used_up = min(
                math.floor(min(-side.left / control.period, side.count)) + 1, max(0, side.count - 1)
            )
            side.count -= used_up
            side.left += used_up * control.period
        if side.in_periods and control.kind == "canadian":
            side.count -= 1
            if side.count <= 0:
                side.left, side.count = control.period, control.count
        elif side.in_periods and side.left > 0:
            side.left = control.period
        side.left = max(0.0, side.left)

    def allot(self, colour: int, moves_left: int) -> float | None:
        """Return the seconds that a move may take, None where there is no limit.

        `moves_left` is how many more moves of this player are expected.
        """
        control, side = self.control, self.sides[colour]
        if control.kind == "none":
            return None
        most = max(LEAST, side.left - self._reserve(side.left))
        due = most / max(_FEWEST_LEFT, moves_left)
        if control.kind.startswith("fischer"):
            # What was not used of the increment is there next time, and what was used comes back.
            due = due + _FRACTION * control.increment
        elif side.in_periods:
            stones = max(1, side.count) if control.kind == "canadian" else 1
            due = most / stones
        elif self._has_periods:
            # Running out of main time costs nothing but a period that comes back.
            stones = control.count if control.kind == "canadian" else 1
            usable = control.period - self._reserve(control.period)
            due = max(due, usable / stones)
        limits = [most, due]
        if control.most is not None:
            limits.append(control.most - self._reserve(control.most))
        # Each of the moves to come takes longer than allotted by that much.
        return max(LEAST, min(limits) - self.overhead)

    def _reserve(self, seconds: float) -> float:
        """Return what is kept back of some seconds: the lag, or half where that is not there."""
        return min(self.lag, seconds / 2)


# -- how front ends say it -------------------------------------------------------------------------


def read_time_settings(words: Words) -> TimeControl:
    """Read `time_settings MAIN BYO_YOMI STONES`, which is Canadian.

    Seconds without stones mean no limit at all, and stones without seconds an absolute time.
    """
    main = max(0.0, words.real("a main time in seconds"))
    period = max(0.0, words.real("a byo-yomi time in seconds"))
    stones = max(0, words.whole("a number of stones"))
    if period > 0 and stones == 0:
        return TimeControl()
    if period <= 0:
        return absolute(main)
    return TimeControl("canadian", main, period, stones)


def read_kind_of_time(words: Words, fischer: bool) -> TimeControl:
    """Read what follows `kgs-time_settings` or, with Fischer, `kata-time_settings`."""
    kind = words.word("a kind of time settings").casefold().replace("byo-yomi", "byoyomi")
    if kind not in KINDS or (kind.startswith("fischer") and not fischer):
        known = [each for each in KINDS if fischer or not each.startswith("fischer")]
        raise CommandError(f"syntax error: expected {', '.join(known)}")
    if kind == "none":
        return TimeControl()
    main = max(0.0, words.real("a main time in seconds"))
    if kind == "absolute":
        return absolute(main)
    if kind.startswith("fischer"):
        control = TimeControl(kind, main, increment=max(0.0, words.real("an increment in seconds")))
        if kind == "fischer":
            return control
        cap, most = (words.real("seconds, or -1") for _ in range(2))
        return replace(control, cap=None if cap < 0 else cap, most=None if most < 0 else most)
    period = max(0.0, words.real("a period in seconds"))
    count = max(0, words.whole("a number of stones or periods"))
    if period <= 0 or count == 0:
        return absolute(main)
    return TimeControl(kind, main, period, count)


def read_time_left(clock: Clock, words: Words) -> None:
    """Read `time_left COLOR SECONDS STONES`; under byo-yomi the last are periods."""
    colour = words.colour()
    seconds = words.real("a number of seconds")
    count = words.whole("a number of stones or periods") if len(words) else 0
    clock.tell(colour, seconds, count)
