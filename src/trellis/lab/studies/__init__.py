"""Questions that the papers leave open, as experiments: what sharing is worth, and the defaults."""

# Fifteen games for two that differ in everything: how wide, how long, how often paths meet.
GAMES = (
    "connect_four", "hex:board_size=7", "hex", "breakthrough", "knightthrough", "othello",
    "pentago", "kalah", "nine_mens_morris", "quarto", "amazons:board_size=6",
    "go:board_size=6,superko=simple", "gomoku:m=9,n=9,k=5", "pawn_whopping", "crisscross",
)  # fmt: skip


def short(game: str) -> str:
    """Return a game's name for the row of a table, without blanks.

    >>> short("go:board_size=6,superko=simple"), short("hex")
    ('go-6', 'hex')
    """
    name, _, settings = game.partition(":")
    numbers = [part.partition("=")[2] for part in settings.split(",")]
    return "-".join([name, *(number for number in numbers[:1] if number)])
