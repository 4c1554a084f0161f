"""A program that speaks the Go Text Protocol, well or badly: `fake_engine.py MANNER [NUMBER]`.

It plays Go by passing and knows no rules.  Where it is to fail at a later move it puts stones on
free points instead, since who passes may find that the game is over before that move.
"""

import os
import sys
import time
from pathlib import Path

MANNER = sys.argv[1]
WHEN = int(sys.argv[2]) if len(sys.argv) > 2 else 1  # misbehaves when asked for this move
COMMANDS = "list_commands boardsize clear_board komi play genmove time_settings quit"


def main():
    asked = 0
    free = []
    if "PIDS_OF_FAKES" in os.environ:
        (Path(os.environ["PIDS_OF_FAKES"]) / str(os.getpid())).touch()
    for line in sys.stdin:
        number, name = line.split()[:2]
        print(f"heard {line.strip()}" * 200, file=sys.stderr)  # fills a pipe that nobody reads
        text = ""
        if name == "list_commands" and MANNER == "secretive":
            print(f"?{number} I do not tell\n", flush=True)
            continue
        if name == "list_commands":
            text = "\n".join(COMMANDS.split())
        elif name == "boardsize":
            free = points(int(line.split()[2]))
        elif name == "play" and MANNER != "refusing":
            free = [point for point in free if point != line.split()[3].upper()]
        elif name == "genmove":
            asked += 1
            text = free.pop(0) if WHEN > 1 and free else "pass"
            if asked == WHEN:
                text = misbehave(number, text)
        elif name == "quit":
            print(f"={number}\n", flush=True)
            return
        elif name == "play" and MANNER == "refusing":
            print(f"?{number} I do not like it\n", flush=True)
            continue
        if MANNER == "chattering":
            print(f"thinking about {name}\n\n= 5 maybe\n=0 no\n", flush=True)
        print(f"={number} {text}\n", flush=True)


def points(size):
    """Return the points of a board, those in the middle first: nothing is suicide there so soon."""
    middle = (size - 1) / 2
    order = sorted(
        ((x, y) for x in range(size) for y in range(size)),
        key=lambda point: abs(point[0] - middle) + abs(point[1] - middle),
    )
    return ["ABCDEFGHJKLMNOPQRST"[x] + str(y + 1) for x, y in order]


def misbehave(number, text):
    """Do what the manner says instead of answering well."""
    if MANNER == "crashing":
        print("out of luck", file=sys.stderr, flush=True)
        sys.exit(3)
    if MANNER == "hanging":
        time.sleep(1000)
    if MANNER == "flooding":
        while True:
            print("blah " * 10)
    if MANNER == "verbose":
        for _ in range(200):
            print("x" * 1000)
        sys.stdout.flush()
    if MANNER == "resigning":
        return "resign"
    if MANNER == "illegal":
        return "Z99"
    if MANNER == "mute":
        return ""
    return text


main()
if MANNER in ("stubborn", "secretive"):
    time.sleep(1000)  # does not heed the end of its input
