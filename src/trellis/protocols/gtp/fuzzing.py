"""Lines that no program would send, or nearly so: what an engine has to answer all the same."""

import random
from collections.abc import Iterator, Sequence

from trellis.protocols.gtp.engine import Engine

SLOW = ("genmove", "analyze", "cleanup", "trellis-", "place_free", "final_", "showboard")
# Reads and writes files; whoever wants that fuzzed gives it files of its own.
LEFT_OUT = ("quit", "loadsgf", "printsgf", "trellis-param")
_WORDS = (
    "b", "w", "black", "WHITE", "pass", "resign", "a1", "A1", "c3", "j9", "i5", "t19", "z99", "0",
    "1", "2", "5", "-1", "9", "19", "25", "3.5", "-7.5", "1e9", "1e400", "nan", "inf", "true",
    "false", "interval", "avoid", "allow", "maxmoves", "rootInfo", "ownership", "dead", "alive",
    "{", '{"ko":"SIMPLE"}', '{"ko":[]}', "[]", "absolute", "byoyomi", "fischer", "canadian",
    "none", "chinese", "japanese", "é", "\u0660", "\U0001f600", "\x00", "\x07", "\ud800", "#", "#x",
    "a1,b2", ",", "''", '"', "\\", "%s", "..", "/dev/null", "99999999999999999999",
)  # fmt: skip


def fuzzed_lines(commands: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Make lines: mostly commands with fitting and unfitting words, some of them mangled."""
    draw = random.Random(seed)
    known = [name for name in commands if name not in LEFT_OUT]
    weights = [0.05 if any(part in name for part in SLOW) else 1.0 for name in known]
    for _ in range(count):
        [name] = draw.choices(known, weights)
        words = draw.choices(_WORDS, k=draw.choice((0, 1, 1, 2, 2, 2, 3, 4, 6)))
        if draw.random() < 0.3:
            name, words = "play", [draw.choice("bw"), _point(draw)]
        line = " ".join([name, *words])
        if draw.random() < 0.2:
            line = f"{draw.randrange(10 ** draw.randrange(1, 12))} {line}"
        if draw.random() < 0.1:
            line = _mangled(draw, line)
        yield line + draw.choice(("", "\r", " ", "\t", " # why"))


def _point(draw: random.Random) -> str:
    return f"{draw.choice('abcdefghjklmn')}{draw.randrange(1, 11)}"


def _mangled(draw: random.Random, line: str) -> str:
    characters = list(line)
    for _ in range(draw.randrange(1, 4)):
        place = draw.randrange(len(characters) + 1)
        what = draw.randrange(3)
        if what == 0:
            characters.insert(place, chr(draw.choice((0, 7, 9, 13, 27, 32, 35, 127, 160, 8232))))
        elif what == 1 and characters:
            del characters[min(place, len(characters) - 1)]
        else:
            characters[place:place] = characters[:place][-5:]
    return "".join(characters)


def complaint(line: str, answer: str) -> str:
    """Say what is wrong with the answer to a line; nothing where it is well-formed."""
    if not answer:
        return ""  # nothing but blanks and a comment, or a line that was one in truth
    if answer[0] not in "=?":
        return "does not begin with = or ?"
    if not answer.endswith("\n\n") or "\n\n" in answer[:-2]:
        return "does not end with its only empty line"
    if answer.startswith("?") and "internal error" in answer:
        return "an error of ours"
    if any(ord(each) < 32 and each not in "\n\t" for each in answer):
        return "has control characters in it"
    return ""


def fuzz(engine: Engine, count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Send fuzzed lines; give back each line, its answer, and what is wrong with that."""
    for line in fuzzed_lines([*engine.commands], count, seed):
        answer = engine.answer_all(line)
        yield line, answer, complaint(line, answer)
