"""Clocks: how front ends set them, and that nobody who keeps to them loses on time."""

import random

import pytest

from trellis.protocols.gtp.clock import (
    LEAST,
    Clock,
    Side,
    TimeControl,
    absolute,
    read_kind_of_time,
    read_time_left,
    read_time_settings,
)
from trellis.protocols.gtp.parsing import BLACK, WHITE, CommandError, Words


def words(text):
    return Words(tuple(text.split()))


def test_the_standard_command():
    assert read_time_settings(words("300 0 0")) == absolute(300)
    assert read_time_settings(words("300 30 5")) == TimeControl("canadian", 300, 30, 5)
    assert read_time_settings(words("0 1 0")) == TimeControl()  # no limit, as GoGui says it
    assert read_time_settings(words("300 0 25")) == absolute(300)
    assert read_time_settings(words("-3 0.5 2.0")) == TimeControl("canadian", 0, 0.5, 2)
    for wrong in ("", "300", "300 0", "a b c", "nan 0 0", "300 30 2.5"):
        with pytest.raises(CommandError):
            read_time_settings(words(wrong))


def test_other_kinds():
    kgs, kata = False, True
    assert read_kind_of_time(words("none"), kgs) == TimeControl()
    assert read_kind_of_time(words("absolute 60.5"), kgs) == absolute(60.5)
    assert read_kind_of_time(words("byoyomi 60 10 3"), kgs) == TimeControl("byoyomi", 60, 10, 3)
    assert read_kind_of_time(words("byo-yomi 60 10 3"), kata).kind == "byoyomi"
    assert read_kind_of_time(words("canadian 60 10 3"), kgs).kind == "canadian"
    fischer = read_kind_of_time(words("fischer 60 2.5"), kata)
    assert (fischer.main, fischer.increment) == (60, 2.5)
    capped = read_kind_of_time(words("fischer-capped 60 2 90 -1"), kata)
    assert (capped.cap, capped.most) == (90, None)
    for wrong in ("fischer 60 2", "sudden 5", "", "absolute"):
        with pytest.raises(CommandError):
            read_kind_of_time(words(wrong), kgs)


def test_an_arbiter_has_the_last_word():
    clock = Clock(lag=0)
    clock.set(TimeControl("byoyomi", 60, 10, 3))
    read_time_left(clock, words("w 7.5 2"))
    assert clock.sides[WHITE] == Side(7.5, 2, in_periods=True)
    assert clock.allot(WHITE, 30) == 7.5
    read_time_left(clock, words("white -5 1"))
    assert clock.allot(WHITE, 30) == LEAST
    assert clock.sides[BLACK] == Side(60)
    read_time_left(clock, words("b 30 0"))
    assert clock.allot(BLACK, 30) == 10  # a period comes back, so it may be used at once


def test_canadian_periods_are_shared_by_their_stones():
    clock = Clock(lag=0)
    clock.set(TimeControl("canadian", 0, 30, 10))
    assert clock.allot(BLACK, 50) == 3
    clock.spend(BLACK, 21)
    assert clock.allot(BLACK, 50) == 1  # nine seconds for nine stones
    for _ in range(9):
        clock.spend(BLACK, 1)
    assert clock.sides[BLACK] == Side(30, 10, in_periods=True)


def test_main_time_runs_into_periods():
    clock = Clock(lag=0)
    clock.set(TimeControl("byoyomi", 10, 5, 3))
    clock.spend(BLACK, 12)
    assert clock.sides[BLACK] == Side(5, 3, in_periods=True)
    clock.spend(BLACK, 11)  # two periods are lost, the third is full again
    assert clock.sides[BLACK] == Side(5, 1, in_periods=True)


def test_many_short_periods_are_lost_at_once():
    clock = Clock(lag=0)
    clock.set(TimeControl("byoyomi", 0, 2.0**-30, 999_999_999))
    clock.spend(BLACK, 0.5 + 2.0**-31)
    assert clock.sides[BLACK] == Side(2.0**-30, 999_999_999 - 2**29, in_periods=True)
    clock.set(TimeControl("byoyomi", 0, 1e-320, 5))
    clock.spend(WHITE, 1e9)
    assert clock.sides[WHITE] == Side(0.0, 1, in_periods=True)


def test_fischer_adds_up_to_its_cap():
    clock = Clock(lag=0)
    clock.set(TimeControl("fischer-capped", 10, increment=5, cap=12, most=2))
    clock.spend(WHITE, 1)
    assert clock.sides[WHITE].left == 12
    assert clock.allot(WHITE, 30) <= 2


def test_what_a_move_takes_beyond_its_share_is_kept_back():
    clock = Clock(lag=0)
    clock.set(absolute(100))
    share = clock.allot(BLACK, 20)
    clock.spend(BLACK, share + 0.5, share)
    assert clock.allot(BLACK, 20) == (100 - share - 0.5) / 20 - 0.5
    clock.spend(BLACK, 1.0, 1.0)
    assert 0 < clock.overhead < 0.5
    clock.spend(BLACK, 50, 1.0)
    assert clock.allot(BLACK, 20) == LEAST


def test_without_a_limit_there_is_none():
    clock = Clock()
    assert clock.allot(BLACK, 30) is None
    clock.spend(BLACK, 100)
    assert clock.allot(BLACK, 30) is None


class Arbiter:
    """Times one player by the rules of a time control, independently of `Clock`."""

    def __init__(self, control):
        self.control, self.main = control, control.main
        self.period, self.count = control.period, control.count

    def lost_after(self, seconds):
        kind = self.control.kind
        if kind in ("absolute", "fischer"):
            self.main -= seconds
            lost = self.main < 0
            self.main += self.control.increment
            return lost
        over = seconds - self.main
        self.main = max(0.0, -over)
        if over <= 0:
            return False
        if kind == "byoyomi":
            self.count -= int(over // self.control.period)
            return self.count <= 0
        self.period -= over
        self.count -= 1
        lost = self.period < 0
        if self.count == 0:
            self.period, self.count = self.control.period, self.control.count
        return lost

    def report(self):
        if self.control.kind in ("absolute", "fischer") or self.main > 0:
            return self.main, 0
        seconds = self.control.period if self.control.kind == "byoyomi" else self.period
        return seconds, self.count


@pytest.mark.parametrize("told", [True, False])
def test_a_thousand_games_without_one_lost_on_time(told):
    """A player that overruns its share by less than the lag never loses, told or not."""
    draw = random.Random(7)
    for game in range(1000):
        kind = draw.choice(["absolute", "canadian", "byoyomi", "fischer"])
        control = TimeControl(
            kind,
            main=draw.choice([0.0, 1.0, 5.0, 60.0]) if kind != "absolute" else 60.0,
            period=draw.choice([2.0, 10.0]) if kind in ("canadian", "byoyomi") else 0.0,
            count=draw.choice([1, 3, 5]) if kind in ("canadian", "byoyomi") else 0,
            increment=2.0 if kind == "fischer" else 0.0,
        )
        if kind == "fischer":
            control = TimeControl("fischer", control.main or 5.0, increment=2.0)
        clock, arbiter = Clock(lag=0.3), Arbiter(control)
        clock.set(control)
        for ply in range(draw.choice([20, 60, 150])):
            if told:
                clock.tell(BLACK, *arbiter.report())
            seconds = clock.allot(BLACK, max(0, (250 - 2 * ply) // 2))
            # What the player measures itself, and what the way to the arbiter adds.
            used = seconds * draw.uniform(0.5, 1.0)
            way = draw.uniform(0, 0.05) if kind != "absolute" or told else 0.0
            assert not arbiter.lost_after(used + way), (game, control, ply)
            clock.spend(BLACK, used + (0 if told else way))
