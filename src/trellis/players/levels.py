"""How strong the opponent of a person is: four levels, each a player as text.

Nothing here imports Numba, so refusing a bad level is quick.
"""

from trellis.game.errors import BadParameter, shorten

# The best that was found for Go (docs/go.md); untried moves come first, in RAVE's order.
GO_SEARCH = "uct2:playouts=patterns,rave=1000,c=0,rave_order=true,fpu=1"
SEARCH = "auto:"
LEVELS = {
    "easy": "sims=100",
    "medium": "sims=5000",
    "hard": "time={seconds:g},reuse=true,memory=256",
    "max": "time={seconds:g},reuse=true,memory=1024",
}
USUAL = "hard"
SECONDS = {"hard": 1.0, "max": 5.0}


def level_player(game: str, level: str = USUAL, seconds: float | None = None) -> str:
    """Return the player of a level for a game, by the name of the game without parameters.

    >>> level_player("hex", "max")
    'auto:time=5,reuse=true,memory=1024'
    """
    if level not in LEVELS:
        raise BadParameter(f"bad level {shorten(level)}: expected {', '.join(LEVELS)}")
    if seconds is None:
        seconds = SECONDS.get(level, 0.0)
    elif level not in SECONDS:
        raise BadParameter(f"--time has no effect with --level {level}: expected hard or max")
    options = LEVELS[level].format(seconds=seconds)
    return f"{GO_SEARCH},{options}" if game == "go" else f"{SEARCH}{options}"
