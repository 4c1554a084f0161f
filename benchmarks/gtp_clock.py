"""Play quick games by the clock through the Go Text Protocol; count those lost on time.

    python benchmarks/gtp_clock.py [--games 1000] [--seconds 0.5] [--game go:board_size=5]

One engine plays both sides in this process; an arbiter takes the time of every reply off the
clock of who moved.  Every second game the engine is told what is left, as servers do; in the
others it counts by itself.  Prints one line, and one for each game that was lost on time, which
says how long the last move took and how much of that this process was running: on a machine that
does other things besides, the rest was not ours.  Exit code 1 where a game was lost on time.
"""

import argparse
import sys
from time import perf_counter, process_time

from trellis.loading import load
from trellis.protocols.gtp.engine import Engine
from trellis.protocols.gtp.making import make_engine

MOST_PLIES = 200


def play(engine: Engine, seconds: float, *, told: bool) -> tuple[bool, int, float]:
    """Play one game; return whether somebody lost on time, the plies, and the least time left."""
    engine.answer_all(f"clear_board\nkata-time_settings absolute {seconds}")
    left = [seconds, seconds]
    for ply in range(MOST_PLIES):
        side = ply % 2
        if told:
            engine.answer_all(f"time_left {'bw'[side]} {left[side]:.3f} 0")
        began, ran = perf_counter(), process_time()
        answer = engine.answer_all(f"genmove {'bw'[side]}")
        took, ran = perf_counter() - began, process_time() - ran
        left[side] -= took
        if left[side] < 0:
            print(f"lost at move {ply + 1}, which took {took:.3f} s, {ran:.3f} s of it running")
            return True, ply + 1, left[side]
        if engine.session.board.passes >= 2 or "resign" in answer:
            break
    return False, ply + 1, min(left)


def main() -> int:
    """Play, count, tell."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--games", type=int, default=1_000)
    options.add_argument("--seconds", type=float, default=0.5)
    options.add_argument("--game", default="go:board_size=5")
    options.add_argument("--player", default="auto:time=5,reuse=true")
    given = options.parse_args()
    engine, _ = make_engine(load(given.game), given.player)
    play(engine, 10.0, told=False)
    began, lost, plies, least = perf_counter(), 0, 0, given.seconds
    for number in range(given.games):
        late, length, left = play(engine, given.seconds, told=number % 2 == 0)
        lost += late
        plies += length
        least = min(least, left)
    print(
        f"{given.game}: {given.games:,} games of {given.seconds:g} s a side, {lost} lost on time; "
        f"{plies / given.games:.0f} moves a game, never less than {least:.3f} s left, "
        f"{perf_counter() - began:.0f} s in all"
    )
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
