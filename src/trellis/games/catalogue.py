"""All built-in games as plain data, so that they can be listed and checked without Numba."""

from typing import Any

from trellis.game.spec import Entry, Parameter


def _game(name: str, class_name: str, summary: str, *parameters: Parameter, **facts: Any) -> Entry:
    return Entry(name, class_name, summary, parameters, **facts)


def _number(name: str, default: float, low: float, high: float, meaning: str) -> Parameter:
    return Parameter(name, default, low=low, high=high, help=meaning)


def _choice(name: str, choices: tuple[str, ...], meaning: str) -> Parameter:
    """Make a parameter with a few values; the first one is the default."""
    return Parameter(name, choices[0], choices=choices, help=meaning)


ENTRIES: tuple[Entry, ...] = (
    _game(
        "amazons", "Amazons", "move a queen, then shoot an arrow that blocks a square",
        _number("board_size", 10, 5, 10, "side of the board"),
        state_bytes=24,
    ),
    _game(
        "backgammon", "Backgammon", "race your checkers home and off; hit the single ones",
        _choice(
            "scoring", ("winloss", "gammons", "full"),
            "what a win is worth: 1; 2 for a gammon; 3 for a backgammon",
        ),
        Parameter("repeats", False, help="list rolls and plays in both orders, as OpenSpiel does"),
        Parameter("hyper", False, help="three checkers each, on the farthest points"),
        _number(
            "max_player_turns", 500, 0, 10_000,
            "a draw after more turns of both together; 0: never",
        ),
        chance=True, state_bytes=40,
    ),
    _game(
        "breakthrough", "Breakthrough", "pawns that capture diagonally race to the far side",
        _number("rows", 8, 4, 8, "ranks of the board"),
        _number("columns", 8, 2, 8, "files of the board"),
        state_bytes=24,
    ),
    _game(
        "capture_the_king", "CaptureTheKing", "chess pieces; taking the king wins",
        _choice(
            "promotion", ("white", "both"),
            "whose pawns become queens; others vanish on the last row",
        ),
        state_bytes=40,
    ),
    _game(
        "connect_four", "ConnectFour", "drop discs into columns; four in a row wins",
        _number("rows", 6, 1, 31, "height of the board"),
        _number("columns", 7, 1, 26, "width of the board"),
        _number("x_in_row", 4, 2, 26, "discs in a row that win"),
        state_bytes=24,
    ),
    _game(
        "crisscross", "CrissCross", "a small Chinese Checkers: bring your pieces across",
        state_bytes=8,
    ),
    _game(
        "dice", "Dice", "a die chooses the line, you the square; k in a row wins",
        _number("m", 5, 2, 8, "side of the board"),
        _number("k", 4, 2, 8, "checkers in a row that win"),
        _choice("lines", ("rc", "any", "rows"), "what the die chooses"),
        _choice("full", ("reroll", "pass"), "when a line is full"),
        chance=True, state_bytes=24,
    ),
    _game(
        "ein_stein", "EinStein", "EinStein würfelt nicht!: a die chooses which stone moves",
        chance=True, state_bytes=24, aliases=("einstein_wurfelt_nicht",),
    ),
    _game(
        "go", "Go", "surround more; stones without a liberty are taken",
        _number("board_size", 9, 1, 19, "side of the board"),
        _number("rows", 0, 0, 19, "rows, where the board is not a square"),
        _number("columns", 0, 0, 19, "columns, likewise"),
        _number("komi", 7.5, -400, 400, "points that white gets beforehand"),
        Parameter(
            "superko", "positional", choices=("simple", "positional", "situational"),
            help="what may not come again: what a ko would bring back at once; any board; any "
            "board with the same player to move",
        ),
        Parameter("suicide", False, help="whether a player may take the last own liberty"),
        _choice(
            "history", ("ko", "turn", "full"),
            "what tells positions apart: stones, turn, ko and passes; also the number of moves "
            "made; also all earlier boards, with superko",
        ),
        Parameter("score", False, help="pay the margin instead of win and loss"),
        _number(
            "max_plies", 0, 0, 20_000,
            "count the area after so many moves; 0: only where it is needed",
        ),
        _choice(
            "groups", ("none", "manhattan"),
            "move groups: first choose near the last two moves or anywhere, then where",
        ),
        _choice(
            "playouts", ("uniform", "patterns"),
            "random games: any move that fills no eye; or answers to the last move first",
        ),
        state_bytes=2008,
    ),
    _game(
        "gomoku", "Gomoku", "place stones; k in a row on an m by n board wins",
        _number("m", 15, 1, 19, "columns"),
        _number("n", 15, 1, 19, "rows"),
        _number("k", 5, 2, 19, "stones in a row that win"),
        state_bytes=72, aliases=("mnk",),
    ),
    _game(
        "goofspiel", "Goofspiel", "all bid a card at once; the highest bid takes the prize",
        _number("num_cards", 4, 1, 13, "cards in each hand"),
        _number("players", 2, 2, 4, "players"),
        _choice("points_order", ("random", "descending", "ascending"), "the order of the prizes"),
        chance=True, simultaneous=True, state_bytes=24,
    ),
    _game(
        "hex", "Hex", "connect your two sides of a hexagonal board",
        _number("board_size", 11, 2, 19, "side of the board"),
        Parameter(
            "opening", "none", text="a cell such as b2, or none",
            help="a first stone already placed",
        ),
        state_bytes=40,
    ),
    _game(
        "kalah", "Kalah", "sow seeds around the board; the fuller store wins",
        _number("houses", 6, 1, 7, "houses a side"),
        _number("seeds", 4, 1, 9, "seeds in each house at the start"),
        Parameter("score", False, help="pay how many seeds more"),
        state_bytes=16, aliases=("mancala",),
    ),
    _game(
        "knightthrough", "Knightthrough", "knights that only jump forward race to the far side",
        _number("rows", 8, 4, 8, "ranks of the board"),
        _number("columns", 8, 4, 8, "files of the board"),
        state_bytes=24,
    ),
    _game(
        "leftright", "LeftRight", "step left or right; the payoff is the share of steps left",
        _number("h", 300, 1, 1000, "steps"),
        players=1, state_bytes=16,
    ),
    _game(
        "nim", "Nim", "take objects from one heap",
        Parameter("pile_sizes", "1;3;5;7", text="numbers such as 1;3;5;7", help="the heaps"),
        Parameter("is_misere", True, help="whether taking the last object loses"),
        _number("max_take", 0, 0, 255, "most to take at once; 0: no bound"),
        state_bytes=16,
    ),
    _game(
        "nine_mens_morris", "NineMensMorris", "place, then slide nine men; three in a row take one",
        _number("turn_limit", 200, 0, 10_000, "a draw after so many; 0: never"),
        state_bytes=8, aliases=("merrills",),
    ),
    _game(
        "othello", "Othello", "flip discs by flanking them; most discs win",
        Parameter("board_size", 8, choices=(4, 6, 8), help="side of the board"),
        Parameter("score", False, help="pay how many discs more"),
        state_bytes=24, aliases=("reversi",),
    ),
    _game(
        "pawn_whopping", "PawnWhopping", "only pawns, moving as in chess, race to the far side",
        _choice("double_step", ("both", "first"), "which players may begin with a double step"),
        state_bytes=24,
    ),
    _game(
        "pentago", "Pentago", "place a marble, then turn a quadrant; five in a row wins",
        state_bytes=16,
    ),
    _game(
        "pgame", "PGame", "an artificial game: numbers on the edges of a random graph",
        _number("branching", 2, 2, 16, "moves in every position"),
        _number("depth", 20, 1, 40, "length of every game"),
        _number("combine", 0, 0, 90, "percent of each level's nodes merged"),
        _number("seed", 0, 0, 2**31 - 1, "which random game"),
        _number("group_size", 5, 1, 16, "moves in the biased group"),
        _number("bias", 50, 0, 100, "percent of good moves in the group"),
        Parameter("overlap", False, help="whether the other group holds every move"),
        state_bytes=16,
    ),
    _game(
        "pig", "Pig", "roll for points or bank them; a 1 loses the turn",
        _number("target", 100, 2, 1000, "points that win"),
        _number("faces", 6, 2, 20, "sides of the die"),
        _number("players", 2, 1, 8, "players"),
        _number("horizon", 0, 0, 10**6, "moves before a draw; 0: never"),
        chance=True, state_bytes=16,
    ),
    _game(
        "quarto", "Quarto", "give a piece, place a piece; four sharing a property win",
        state_bytes=16,
    ),
    _game(
        "random_automaton", "RandomAutomaton", "a small random game for tests of searches",
        _number("seed", 0, 0, 2**31 - 1, "which random game"),
        _number("states", 20, 2, 2000, "number of positions"),
        _number("branching", 3, 1, 16, "most moves in a position"),
        _number("players", 2, 1, 4, "players"),
        _number("chance", 0, 0, 90, "percent of positions chance decides"),
        _number("simultaneous", 0, 0, 90, "percent where all choose at once"),
        Parameter("cyclic", False, help="whether moves may lead back"),
        _number("payoffs", 3, 2, 100, "different payoffs there are"),
        Parameter("general", False, help="whether two players' payoffs add up to anything"),
        state_bytes=16,
    ),
    _game(
        "seki", "Seki", "two strings share liberties: take the other, or pass",
        _number("max", 3, 0, 60, "liberties of the first player alone"),
        _number("min", 4, 0, 60, "liberties of the second player alone"),
        _number("shared", 2, 1, 60, "liberties of both"),
        state_bytes=8,
    ),
    _game(
        "semeai", "Semeai", "a race of two strings: without a liberty one is taken",
        _number("own", 9, 1, 60, "liberties of black, who begins"),
        _number("opponent", 9, 1, 60, "liberties of white"),
        _number("elsewhere", 0.0, 0, 0.99, "how often chance has a player play elsewhere"),
        state_bytes=8,
    ),
    _game(
        "tic_tac_toe", "TicTacToe", "three in a row on a 3 by 3 board wins", state_bytes=16,
    ),
    _game(
        "twenty_forty_eight", "TwentyFortyEight", "2048: slide tiles, merge equal ones",
        _number("rows", 4, 2, 4, "rows of the board"),
        _number("columns", 4, 2, 4, "columns of the board"),
        Parameter(
            "target", 2048, choices=tuple(1 << k for k in range(3, 16)),
            help="the tile that ends the game",
        ),
        _choice("goal", ("score", "tile"), "what it pays: the points, or 1 for the target tile"),
        players=1, chance=True, state_bytes=16, aliases=("2048",),
    ),
)  # fmt: skip
