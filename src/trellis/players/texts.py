"""Players as text, `uct:c=0.3,sims=1000`: which there are, and the options of each.

Nothing here imports Numba, so refusing bad text is quick.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from trellis.game.errors import BadParameter, nearest, shorten
from trellis.game.options import option, options_of
from trellis.game.spec import Parameter, read_options, split_options
from trellis.search.mcts.backups import BACKUPS
from trellis.search.mcts.settings import PRESETS, Settings
from trellis.search.star.settings import SEARCHES, StarSettings, star_settings

LONGEST_TEXT = 1_000  # characters; a longer one is a mistake or mischief
MOST_SIMS = 1 << 40
DEFAULT_SIMS = 10_000
DEFAULT_DEPTH = 5  # plies, where neither a depth nor a time is given


@dataclass(frozen=True)
class Budget:
    """How long a player thinks about a move; with both, whichever ends first."""

    sims: int | None = option(
        None,
        "Simulations for each move.",
        low=1,
        high=MOST_SIMS,
        usual=f"{DEFAULT_SIMS:,} without time",
    )
    time: float | None = option(
        None, "Seconds for each move.", above=0, high=MOST_SIMS, usual="no limit"
    )


@dataclass(frozen=True)
class FlatOptions(Budget):
    """Options of `flat`."""

    c: float = option(0.7, "Exploration constant, for payoffs scaled to 0..1.", low=0)


@dataclass(frozen=True)
class GraphOptions(Budget):
    """Options of players that search a graph, besides `Settings`."""

    reuse: bool = option(False, "Keep the graph from move to move.")
    endgame: bool = option(
        False, "Prove the value where few positions are left, and make a move that keeps it."
    )
    groups: str = option(
        "none",
        "Choose a group of moves first, then a move of it: manhattan is near the last two moves, "
        "or anywhere (Go).",
        choices=("none", "manhattan"),
    )


@dataclass(frozen=True)
class DepthFirstOptions:
    """Options of players that search depth first, besides `StarSettings`."""

    depth: int | None = option(
        None, "Plies to search.", low=1, usual=f"{DEFAULT_DEPTH} without time"
    )
    time: float | None = option(
        None, "Seconds for each move.", above=0, high=MOST_SIMS, usual="no limit"
    )
    weights: str | None = option(
        None,
        "A network that `trellis train` wrote.",
        text="a file",
        usual="the evaluation that comes with the game",
    )


@dataclass(frozen=True)
class GtpOptions:
    """Options of `gtp`; `command` comes last, and all that follows belongs to it."""

    command: str = option("", "A program that speaks the Go Text Protocol.", text="a command")
    time: float | None = option(
        None, "Seconds for each move, which the program is told.", above=0, high=MOST_SIMS,
        usual="as the program likes",
    )  # fmt: skip
    timeout: float = option(
        600.0, "Seconds without a reply after which its game is lost.", above=0, high=MOST_SIMS
    )


@dataclass(frozen=True)
class AutoOptions(GraphOptions):
    """Options of `auto` besides."""

    tuned: bool = option(
        True, "Begin with the settings that `trellis tune` has found for the game, if it has."
    )


def _options(*settings: type) -> dict[str, Parameter]:
    every = {name: each for group in settings for name, each in options_of(group).items()}
    return {name: each for name, each in every.items() if name != "select"}


# A selection rule of one's own is an option of `uct`; the others are selections by name.
_SELECT = {"select": options_of(Settings)["select"]}
KINDS: dict[str, dict[str, Parameter]] = {
    "random": {},
    "flat": _options(FlatOptions),
    "auto": _options(AutoOptions, Settings),
    **dict.fromkeys((*PRESETS, "ucd"), _options(GraphOptions, Settings)),
    "uct": _options(GraphOptions, Settings) | _SELECT,
    **dict.fromkeys(SEARCHES, _options(DepthFirstOptions, StarSettings)),
    "network": _options(GraphOptions, Settings),
    "strategy": {},
    "gtp": _options(GtpOptions),
}


@dataclass(frozen=True)
class PlayerText:
    """The text of a player, read: its kind and the options that were given.

    `words` is what comes before the options: the depths of `ucd`, the file of `strategy` or
    `network`.
    """

    kind: str
    words: str
    options: dict[str, Any]

    def take(self, settings: type) -> dict[str, Any]:
        """Return those options that belong to `settings`."""
        known = options_of(settings)
        return {name: value for name, value in self.options.items() if name in known}

    def graph_settings(self, **usual: Any) -> Settings:
        """Return the settings of a graph search; `usual` are other defaults."""
        if self.options.get("endgame") and self.options.get("groups", "none") != "none":
            raise BadParameter("endgame and groups do not go together: expected one of them")
        if self.kind == "network":
            return Settings(**({"evaluate": self.words} | usual | self.take(Settings)))
        own = self.options.get("select")
        if own is not None and ".py" not in own:
            raise BadParameter(
                f"bad option {shorten(f'select={own}')}: expected a rule of your own, FILE.py:NAME"
            )
        usual_of_uct = "auto" if self.options.get("backup") not in (None, *BACKUPS) else "uct0"
        select = {"uct": usual_of_uct, "ucd": f"ucd:{self.words}"}.get(self.kind, self.kind)
        return Settings(**({"select": select} | usual | self.take(Settings)))

    def star_settings(self, **usual: Any) -> StarSettings:
        """Return the settings of a depth-first search; `usual` are other defaults."""
        return star_settings(self.kind).replace(**(usual | self.take(StarSettings)))


def read_player(text: str) -> PlayerText:
    """Read the text of a player; refuse whatever can be refused without a game."""
    if len(text) > LONGEST_TEXT:
        raise BadParameter(f"player {shorten(text)} is longer than {LONGEST_TEXT} characters")
    kind, _, body = (part.strip() for part in text.partition(":"))
    if kind not in KINDS:
        raise BadParameter(
            f"unknown player {shorten(kind)}: expected {', '.join(KINDS)}{nearest(kind, KINDS)}"
        )
    try:
        if kind == "strategy":
            read = PlayerText(kind, body, {})
        elif kind == "gtp":
            read = _read_program(body)
        else:
            read = _read(kind, body)
        if kind in SEARCHES:
            read.star_settings()
        elif "reuse" in KINDS[kind]:
            read.graph_settings()
    except BadParameter as error:
        raise BadParameter(f"player {shorten(text)}: {error}") from error
    return read


def _read_program(body: str) -> PlayerText:
    """Read options of a program; its command may have commas and signs of equality in it."""
    options, found, command = body.partition("command=")
    if not found or not command.strip() or (options.strip() and not options.rstrip().endswith(",")):
        raise BadParameter("expected gtp:command=PROGRAM, after other options if there are any")
    read = _read("gtp", options.rstrip().removesuffix(","))
    return PlayerText("gtp", "", read.options | {"command": command.strip()})


def read_search(text: str, elsewhere: Iterable[str] = ()) -> PlayerText:
    """Read a depth-first search, `star2tt:pvs=true`; what is given elsewhere may not be in it."""
    kind, _, body = (part.strip() for part in text.partition(":"))
    star_settings(kind)  # refuses all others
    read = _read(kind, body)
    for name in elsewhere:
        if name in read.options:
            raise BadParameter(
                f"bad search {shorten(text)}: expected {name} as --{name}, not in the search"
            )
    return read


def _read(kind: str, body: str) -> PlayerText:
    words, given = split_options(body)
    if kind == "ucd" and len(words) != 3:
        raise BadParameter(
            f"{len(words)} depths: expected three, each a number or inf, for instance ucd:1,0,1"
        )
    if kind == "network" and len(words) != 1:
        raise BadParameter("expected a file of a network, network:model.onnx")
    if words and kind not in ("ucd", "network"):
        raise BadParameter(f"bad option {shorten(words[0])}: expected name=value")
    return PlayerText(kind, ",".join(words), read_options(given, KINDS[kind]))
