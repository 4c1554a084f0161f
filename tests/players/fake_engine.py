"""A program that speaks the Go Text Protocol, well or badly: `fake_engine.py MANNER [NUMBER]`.

It plays Go by passing, or the first letter of the alphabet upwards, and knows no rules.
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
        elif name == "genmove":
            asked += 1
            text = "pass"
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
