"""What a search thinks, while it thinks: `lz-analyze`, `kata-analyze` and their kin.

A line has an `info` for each move, best first, whose values are those of who is to move.  `visits`
are playouts through the position after the move, whichever way they came, and `edgeVisits` those
that made the move here: in a search of a graph these are two numbers.  The search has no opinion
before it begins, so every legal move has the same `prior`.
"""

import math
from dataclasses import dataclass, field
from functools import partial

from trellis.game.errors import shorten
from trellis.protocols.gtp.common_commands import Session, colour_next
from trellis.protocols.gtp.engine import CommandTable, Stream, Write
from trellis.protocols.gtp.parsing import CommandError, Words
from trellis.protocols.gtp.thinking import best_lines, chance_to_win
from trellis.search.mcts import graph as g
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reporting import edge_lines, principal_variation
from trellis.search.report import MoveReport

ANALYSIS = CommandTable()
SHORTEST_INTERVAL = 0.02  # seconds
LONGEST_LINE = 20  # moves of a line of play
_Z95 = 1.959963984540054
_FLAGS = (
    "rootinfo", "ownership", "ownershipstdev", "movesownership", "movesownershipstdev", "pvvisits",
    "pvedgevisits", "noresultvalue",
)  # fmt: skip


@dataclass
class Wishes:
    """What somebody who asks for an analysis wants to be told."""

    colour: int
    interval: float = 1.0  # seconds
    most: int = 1 << 30  # moves
    avoided: set[str] = field(default_factory=set)
    only: set[str] | None = None
    flags: set[str] = field(default_factory=set)


def read_wishes(session: Session, words: Words) -> Wishes:
    """Read what follows a command: a colour, an interval, pairs of keys and values, in any order.

    `avoid` and `allow` are heeded for the first move, whatever depth they name.
    """
    wishes = Wishes(colour_next(session, words))
    while len(words):
        key = words.word("a key").casefold()
        if key.replace(".", "").isdigit():
            wishes.interval = _seconds(Words((key,)))
        elif key == "interval":
            wishes.interval = _seconds(words)
        elif key == "maxmoves":
            wishes.most = max(1, words.whole("a number of moves"))
        elif key == "minmoves":
            words.whole("a number of moves")  # all moves that were tried are told anyway
        elif key in ("avoid", "allow"):
            _read_moves(session, key, words, wishes)
        elif key in _FLAGS:
            if words.word("true or false").casefold() == "true":
                wishes.flags.add(key)
        else:
            raise CommandError(f"syntax error: unknown key {shorten(key)}")
    return wishes


def _seconds(words: Words) -> float:
    centiseconds = words.real("an interval in centiseconds")
    return max(SHORTEST_INTERVAL, centiseconds / 100)


def _read_moves(session: Session, key: str, words: Words, wishes: Wishes) -> None:
    colour = words.colour()
    moves = {move.casefold() for move in words.word("moves").split(",")}
    words.whole("a depth")
    if colour != wishes.colour:
        return
    if key == "avoid":
        wishes.avoided |= moves
    else:
        wishes.only = (wishes.only or set()) | moves


# -- lines -----------------------------------------------------------------------------------------


def info_line(session: Session, search: Search, wishes: Wishes, *, floats: bool) -> str:
    """Return one line about all moves, as KataGo writes it, or as Leela Zero does.

    It is empty where no move is known: of a root alone there is nothing to tell.
    """
    position = search.position
    allowed = {
        move
        for move in session.allowed(position, wishes.colour)
        if move.casefold() not in wishes.avoided
        and (wishes.only is None or move.casefold() in wishes.only)
    }
    report = search.report()
    known = best_lines(report, allowed)[: wishes.most]
    tried = edge_lines(search, search.root)
    children = {search.from_frame(position, each.code): each.child for each in tried}
    infos = []
    for order, line in enumerate(known):
        child = children.get(position.code_of(line.move), g.NONE)
        infos.append(
            _info(session, search, line, order, 1 / max(1, len(allowed)), child, floats=floats)
        )
    if not infos:
        return ""
    text = " ".join(infos)
    if floats and "rootinfo" in wishes.flags:
        value = chance_to_win(report.value, search.game)
        text += (
            f" rootInfo visits {report.sims} winrate {value:.6f} utility {2 * value - 1:.6f}"
            f" positions {report.nodes}"
        )
    owners = getattr(session, "ownership", None)
    if floats and "ownership" in wishes.flags and owners is not None:
        text += " ownership " + " ".join(f"{each:.3f}" for each in owners(wishes.colour))
    return text


def _info(
    session: Session, search: Search, line: MoveReport, order: int, prior: float, child: int,
    *, floats: bool,
) -> str:  # fmt: skip
    win = chance_to_win(line.low if line.solved else line.value, search.game)
    visits, edge_visits = line.visits + line.shared, line.visits
    spread = 0.0 if line.solved else _Z95 * math.sqrt(win * (1 - win) / max(1, visits))
    lcb = win - spread
    move = session.to_gtp(line.move)
    pv = " ".join([move, *_line_of_play(session, search, line.move, child)])
    if not floats:
        return (
            f"info move {move} visits {visits} winrate {round(10_000 * win)} "
            f"prior {round(10_000 * prior)} lcb {round(10_000 * lcb)} order {order} pv {pv}"
        )
    return (
        f"info move {move} visits {visits} edgeVisits {edge_visits} utility {2 * win - 1:.6f} "
        f"winrate {win:.6f} prior {prior:.6f} lcb {lcb:.6f} utilityLcb {2 * lcb - 1:.6f} "
        f"order {order} pv {pv}"
    )


def _line_of_play(session: Session, search: Search, move: str, child: int) -> list[str]:
    if child == g.NONE:
        return []
    after = search.position.play(move)
    if after.is_over:
        return []
    names = principal_variation(search, after, child, edge_lines(search, child, after))
    return [session.to_gtp(name) for name in names[:LONGEST_LINE]]


def _show(session: Session, wishes: Wishes, write: Write, search: Search, *, floats: bool) -> None:
    """Write a line, unless nothing is known yet: an empty one would end the reply."""
    line = info_line(session, search, wishes, floats=floats)
    if line:
        write(line)


# -- commands --------------------------------------------------------------------------------------


def analyze(session: Session, words: Words, *, floats: bool) -> Stream:
    """Search until another line comes, and tell now and then what is known."""
    wishes = read_wishes(session, words)
    position = session.position(wishes.colour)
    session.thinker.check_search()

    def stream(write: Write) -> None:
        show = partial(_show, session, wishes, write, floats=floats)
        session.thinker.analyze(position, show, wishes.interval)

    return stream


def genmove_analyze(session: Session, words: Words, *, floats: bool) -> Stream:
    """Choose a move and play it; tell meanwhile what is known."""
    wishes = read_wishes(session, words)
    session.position(wishes.colour)  # refuses to move where nobody can

    def stream(write: Write) -> None:
        show = partial(_show, session, wishes, write, floats=floats)
        move = session.genmove(wishes.colour, watch=show, interval=wishes.interval)
        write(f"play {move}")

    return stream


ANALYSIS.add("lz-analyze")(partial(analyze, floats=False))
ANALYSIS.add("kata-analyze", "analyze")(partial(analyze, floats=True))
ANALYSIS.add("lz-genmove_analyze")(partial(genmove_analyze, floats=False))
ANALYSIS.add("kata-genmove_analyze", "genmove_analyze")(partial(genmove_analyze, floats=True))
