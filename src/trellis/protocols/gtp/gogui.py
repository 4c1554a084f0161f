"""What GoGui shows on its board: candidates, visits, values, bounds, and a dialog of settings."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from trellis.game.errors import shorten
from trellis.game.options import options_of
from trellis.protocols.gtp.common_commands import Session, colour_next
from trellis.protocols.gtp.engine import CommandTable
from trellis.protocols.gtp.manners import Manners
from trellis.protocols.gtp.parsing import BLACK, LETTERS, CommandError, Words, read_colour
from trellis.protocols.gtp.rulesets import NAMED, name_of, named_rules
from trellis.protocols.gtp.thinking import best_lines, chance_to_win
from trellis.search.mcts.engine import Search
from trellis.search.report import MoveReport

GOGUI = CommandTable()
LOOK = 2.0  # seconds for a position that nobody has searched yet
CANDIDATES = 10

_SHOWN = (
    "gfx/Candidates/trellis-candidates %m",
    "sboard/Visits/trellis-visits %m",
    "dboard/Values/trellis-values %m",
    "sboard/Proven Bounds/trellis-bounds %m",
    "sboard/Shared Visits/trellis-shared_visits %m",
    "var/Line Of Play/trellis-line %m",
    "hstring/Search/trellis-search %m",
    "param/Settings/trellis-param",
)
_SHOWN_OF_GO = (
    "dboard/Ownership/trellis-ownership %m",
    "plist/Legal Moves/all_legal %m",
    "plist/Dead Stones/final_status_list dead",
    "string/Final Score/final_score",
)


def analyze_lines(session: Session) -> list[str]:
    """List what can be shown, in GoGui's form: type, label and command."""
    return [*_SHOWN, *(_SHOWN_OF_GO if session.is_go else ())]


@GOGUI.add("gogui-analyze_commands")
def analyze_commands(session: Session, words: Words) -> str:
    """List what GoGui may show on its board."""
    return "\n".join(analyze_lines(session))


def _looked(session: Session, words: Words) -> tuple[Search, list[MoveReport]]:
    """Return the search of the present position, and what it knows of legal moves."""
    colour = colour_next(session, words)
    position = session.position(colour)
    search = session.thinker.look(position, LOOK)
    return search, best_lines(search.report(), session.allowed(position, colour))


def _board(session: Session, texts: dict[tuple[int, int], str], empty: str) -> str:
    """Return texts as a board, row by row, the highest number first."""
    columns = session.columns
    return "\n".join(
        " ".join(texts.get((row, column), empty) for column in range(columns))
        for row in reversed(range(session.rows))
    )


def _by_cell(
    session: Session, words: Words, tell: Callable[[MoveReport, Search], str], empty: str = '""'
) -> str:
    search, lines = _looked(session, words)
    texts: dict[tuple[int, int], str] = {}
    for line in lines:
        cell = session.cell_of(line.move)
        if cell is not None:
            texts.setdefault(cell, tell(line, search))
    return _board(session, texts, empty)


@GOGUI.add("trellis-visits")
def show_visits(session: Session, words: Words) -> str:
    """Show how often each move was made."""
    return _by_cell(session, words, lambda line, _: str(line.visits))


@GOGUI.add("trellis-shared_visits")
def show_shared_visits(session: Session, words: Words) -> str:
    """Show how many playouts through the position after each move came by other ways."""
    return _by_cell(session, words, lambda line, _: str(line.shared))


@GOGUI.add("trellis-values")
def show_values(session: Session, words: Words) -> str:
    """Show what each move is worth to black, from -1 to 1."""
    asked = read_colour(words.next_word)
    sign = 1 if (session.to_move if asked is None else asked) == BLACK else -1

    def tell(line: MoveReport, search: Search) -> str:
        value = line.low if line.solved else line.value
        return f"{sign * (2 * chance_to_win(value, search.game) - 1):.3f}"

    return _by_cell(session, words, tell, "0.0")


@GOGUI.add("trellis-bounds")
def show_bounds(session: Session, words: Words) -> str:
    """Show what is proven of each move: at least and at most."""

    def tell(line: MoveReport, search: Search) -> str:
        if (line.low, line.high) == search.game.payoff_range:
            return '""'
        return f"{line.low:g}" if line.low == line.high else f"{line.low:g}..{line.high:g}"

    return _by_cell(session, words, tell)


@GOGUI.add("trellis-candidates")
def show_candidates(session: Session, words: Words) -> str:
    """Show the best moves: chances to win in percent, the best one marked."""
    search, lines = _looked(session, words)
    labels, best = [], ""
    for line in lines[:CANDIDATES]:
        cell = session.cell_of(line.move)
        if cell is not None:
            name = f"{LETTERS[cell[1]]}{cell[0] + 1}"
            value = line.low if line.solved else line.value
            labels.append(f"{name} {100 * chance_to_win(value, search.game):.0f}")
            best = best or name
    text = [f"LABEL {' '.join(labels)}", f"COLOR green {best}"] if labels else []
    text.append(f"TEXT {search.report().sentence()}; {search.sims:,} simulations")
    return "\n".join(text)


@GOGUI.add("trellis-line")
def show_line(session: Session, words: Words) -> str:
    """Show how play would go on."""
    search, _ = _looked(session, words)
    return " ".join(session.to_gtp(move) for move in search.report().line)


@GOGUI.add("trellis-search")
def show_search(session: Session, words: Words) -> str:
    """Tell in words what a search knows."""
    search, lines = _looked(session, words)
    report = search.report()
    known = [
        f"{session.to_gtp(line.move)}: {line.visits} visits, {line.shared} shared, value "
        f"{line.value:.3f}, proven {line.low:g} to {line.high:g}"
        for line in lines[:CANDIDATES]
    ]
    facts = (
        f"positions: {report.nodes}", f"moves: {report.edges}",
        f"transpositions: {report.transpositions}", f"simulations: {report.sims}",
    )  # fmt: skip
    return "\n".join([report.sentence(), *facts, *known])


@GOGUI.add("trellis-ownership")
def show_ownership(session: Any, words: Words) -> str:
    """Show who is expected to own each point: 1 is black's."""
    colour = colour_next(session, words)
    if not session.is_go:
        raise CommandError("nobody owns points in this game")
    owned = session.ownership(colour)
    sign, columns = 1 if colour == BLACK else -1, session.columns
    rows = [owned[first : first + columns] for first in range(0, len(owned), columns)]
    return "\n".join(" ".join(f"{sign * each:.2f}" for each in row) for row in rows)


# -- settings --------------------------------------------------------------------------------------


@GOGUI.add("trellis-param")
def param(session: Any, words: Words) -> str:
    """List settings, or change one: a name and a value."""
    if not len(words):
        return "\n".join(_settings(session))
    name, value = words.word("the name of a setting"), words.rest()
    if name == "player":
        if ".py" in value or ".onnx" in value:  # whoever starts the engine may name files
            raise CommandError("a player in a file cannot be chosen by a command")
        session.replace_player(value)
    elif name == "rules" and session.is_go:
        session.set_rules(named_rules(value))
    elif name in {each.name for each in fields(Manners)}:
        changed = options_of(Manners)[name].read(value)
        session.set_manners(replace(session.manners, **{name: changed}))
    else:
        raise CommandError(f"unknown setting {shorten(name)}")
    return ""


def _settings(session: Any) -> list[str]:
    lines = [f"[string] player {session.thinker.text}"]
    if session.is_go:
        lines.append(f"[list/{'/'.join(NAMED)}] rules {name_of(session.rules)}")
    for name, each in options_of(Manners).items():
        value = getattr(session.manners, name)
        kind = "[bool]" if each.type is bool else "[string]"
        lines.append(f"{kind} {name} {int(value) if each.type is bool else f'{value:g}'}")
    return lines
