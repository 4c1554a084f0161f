"""All built-in games as plain data, so that they can be listed and checked without Numba."""

from trellis.game.spec import Entry, Parameter

_ROWS_COLUMNS = (
    Parameter("rows", 8, low=4, high=8, help="ranks of the board"),
    Parameter("columns", 8, low=2, high=8, help="files of the board"),
)

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "amazons", "Amazons", "move a queen, then shoot an arrow that blocks a square",
        (Parameter("board_size", 10, low=5, high=10, help="side of the board"),),
        state_bytes=24,
    ),
    Entry(
        "backgammon", "Backgammon", "race your checkers home and off; hit the single ones",
        (
            Parameter(
                "scoring", "winloss", choices=("winloss", "gammons", "full"),
                help="what a win is worth: 1; 2 for a gammon; 3 for a backgammon",
            ),
            Parameter(
                "repeats", False, help="list rolls and plays in both orders, as OpenSpiel does",
            ),
            Parameter("hyper", False, help="three checkers each, on the farthest points"),
            Parameter(
                "max_player_turns", 500, low=0, high=10_000,
                help="a draw after more turns of both together; 0: never",
            ),
        ),
        chance=True, state_bytes=40,
    ),
    Entry(
        "breakthrough", "Breakthrough", "pawns that capture diagonally race to the far side",
        _ROWS_COLUMNS,
        state_bytes=24,
    ),
    Entry(
        "capture_the_king", "CaptureTheKing", "chess pieces; taking the king wins",
        (
            Parameter(
                "promotion", "white", choices=("white", "both"),
                help="whose pawns become queens; others vanish on the last row",
            ),
        ),
        state_bytes=40,
    ),
    Entry(
        "connect_four", "ConnectFour", "drop discs into columns; four in a row wins",
        (
            Parameter("rows", 6, low=1, high=31, help="height of the board"),
            Parameter("columns", 7, low=1, high=26, help="width of the board"),
            Parameter("x_in_row", 4, low=2, high=26, help="discs in a row that win"),
        ),
        state_bytes=24,
    ),
    Entry(
        "crisscross", "CrissCross", "a small Chinese Checkers: bring your pieces across",
        (),
        state_bytes=8,
    ),
    Entry(
        "dice", "Dice", "a die chooses the line, you choose the square; k in a row wins",
        (
            Parameter("m", 5, low=2, high=8, help="side of the board"),
            Parameter("k", 4, low=2, high=8, help="checkers in a row that win"),
            Parameter("lines", "rc", choices=("rc", "any", "rows"), help="what the die chooses"),
            Parameter("full", "reroll", choices=("reroll", "pass"), help="when a line is full"),
        ),
        chance=True, state_bytes=24,
    ),
    Entry(
        "ein_stein", "EinStein", "EinStein würfelt nicht!: a die chooses which stone moves",
        (),
        chance=True, state_bytes=24, aliases=("einstein_wurfelt_nicht",),
    ),
    Entry(
        "go", "Go", "surround more than the other does; stones without a liberty are taken",
        (
            Parameter("board_size", 9, low=1, high=19, help="side of the board"),
            Parameter("rows", 0, low=0, high=19, help="rows, where the board is not a square"),
            Parameter("columns", 0, low=0, high=19, help="columns, likewise"),
            Parameter("komi", 7.5, low=-400, high=400, help="points that white gets beforehand"),
            Parameter(
                "superko", "simple", choices=("simple", "positional", "situational"),
                help="what may not come again: what a ko would bring back at once; any board; any "
                "board with the same player to move",
            ),
            Parameter("suicide", False, help="whether a player may take the last own liberty"),
            Parameter(
                "history", "ko", choices=("ko", "turn", "full"),
                help="what tells positions apart: stones, turn, ko and passes; also the number of "
                "moves made; also all earlier boards, with superko",
            ),
            Parameter("score", False, help="pay the margin instead of win and loss"),
            Parameter(
                "max_plies", 0, low=0, high=20_000,
                help="count the area after so many moves; 0: only where it is needed",
            ),
        ),
        state_bytes=56,
    ),
    Entry(
        "gomoku", "Gomoku", "place stones; k in a row on an m by n board wins",
        (
            Parameter("m", 15, low=1, high=19, help="columns"),
            Parameter("n", 15, low=1, high=19, help="rows"),
            Parameter("k", 5, low=2, high=19, help="stones in a row that win"),
        ),
        state_bytes=72, aliases=("mnk",),
    ),
    Entry(
        "goofspiel", "Goofspiel", "all bid a card at once; the highest bid takes the prize",
        (
            Parameter("num_cards", 4, low=1, high=13, help="cards in each hand"),
            Parameter("players", 2, low=2, high=4, help="players"),
            Parameter(
                "points_order", "random", choices=("random", "descending", "ascending"),
                help="the order of the prizes",
            ),
        ),
        chance=True, simultaneous=True, state_bytes=24,
    ),
    Entry(
        "hex", "Hex", "connect your two sides of a hexagonal board",
        (
            Parameter("board_size", 11, low=2, high=19, help="side of the board"),
            Parameter(
                "opening", "none", text="a cell such as b2, or none",
                help="a first stone already placed",
            ),
        ),
        state_bytes=40,
    ),
    Entry(
        "kalah", "Kalah", "sow seeds around the board; the fuller store wins",
        (
            Parameter("houses", 6, low=1, high=7, help="houses a side"),
            Parameter("seeds", 4, low=1, high=9, help="seeds in each house at the start"),
        ),
        state_bytes=16, aliases=("mancala",),
    ),
    Entry(
        "knightthrough", "Knightthrough", "knights that only jump forward race to the far side",
        (
            Parameter("rows", 8, low=4, high=8, help="ranks of the board"),
            Parameter("columns", 8, low=4, high=8, help="files of the board"),
        ),
        state_bytes=24,
    ),
    Entry(
        "leftright", "LeftRight", "step left or right; the payoff is the share of steps left",
        (Parameter("h", 300, low=1, high=1000, help="steps"),),
        players=1, state_bytes=16,
    ),
    Entry(
        "nim", "Nim", "take objects from one heap",
        (
            Parameter("pile_sizes", "1;3;5;7", text="numbers such as 1;3;5;7", help="the heaps"),
            Parameter("is_misere", True, help="whether taking the last object loses"),
            Parameter("max_take", 0, low=0, high=255, help="most to take at once; 0: no bound"),
        ),
        state_bytes=16,
    ),
    Entry(
        "nine_mens_morris", "NineMensMorris", "place, then slide nine men; three in a row take one",
        (
            Parameter("turn_limit", 200, low=0, high=10_000, help="a draw after so many; 0: never"),
        ),
        state_bytes=8, aliases=("merrills",),
    ),
    Entry(
        "othello", "Othello", "flip discs by flanking them; most discs win",
        (Parameter("board_size", 8, choices=(4, 6, 8), help="side of the board"),),
        state_bytes=24, aliases=("reversi",),
    ),
    Entry(
        "pawn_whopping", "PawnWhopping", "only pawns, moving as in chess, race to the far side",
        (
            Parameter(
                "double_step", "both", choices=("both", "first"),
                help="which players may begin with a double step",
            ),
        ),
        state_bytes=24,
    ),
    Entry(
        "pentago", "Pentago", "place a marble, then turn a quadrant; five in a row wins",
        (),
        state_bytes=16,
    ),
    Entry(
        "pgame", "PGame", "an artificial game: numbers on the edges of a random graph",
        (
            Parameter("branching", 2, low=2, high=16, help="moves in every position"),
            Parameter("depth", 20, low=1, high=40, help="length of every game"),
            Parameter("combine", 0, low=0, high=90, help="percent of each level's nodes merged"),
            Parameter("seed", 0, low=0, high=2**31 - 1, help="which random game"),
            Parameter("group_size", 5, low=1, high=16, help="moves in the biased group"),
            Parameter("bias", 50, low=0, high=100, help="percent of good moves in the group"),
            Parameter("overlap", False, help="whether the other group holds every move"),
        ),
        state_bytes=16,
    ),
    Entry(
        "pig", "Pig", "roll for points or bank them; a 1 loses the turn",
        (
            Parameter("target", 100, low=2, high=1000, help="points that win"),
            Parameter("faces", 6, low=2, high=20, help="sides of the die"),
            Parameter("players", 2, low=1, high=8, help="players"),
            Parameter("horizon", 0, low=0, high=10**6, help="moves before a draw; 0: never"),
        ),
        chance=True, state_bytes=16,
    ),
    Entry(
        "quarto", "Quarto", "give a piece, place a piece; four that share a property win",
        (),
        state_bytes=16,
    ),
    Entry(
        "random_automaton", "RandomAutomaton", "a small random game for tests of searches",
        (
            Parameter("seed", 0, low=0, high=2**31 - 1, help="which random game"),
            Parameter("states", 20, low=2, high=2000, help="number of positions"),
            Parameter("branching", 3, low=1, high=16, help="most moves in a position"),
            Parameter("players", 2, low=1, high=4, help="players"),
            Parameter("chance", 0, low=0, high=90, help="percent of positions chance decides"),
            Parameter("simultaneous", 0, low=0, high=90, help="percent where all choose at once"),
            Parameter("cyclic", False, help="whether moves may lead back"),
            Parameter("payoffs", 3, low=2, high=100, help="different payoffs there are"),
            Parameter("general", False, help="whether two players' payoffs add up to anything"),
        ),
        state_bytes=16,
    ),
    Entry(
        "tic_tac_toe", "TicTacToe", "three in a row on a 3 by 3 board wins",
        (),
        state_bytes=16,
    ),
    Entry(
        "twenty_forty_eight", "TwentyFortyEight", "2048: slide tiles, merge equal ones",
        (
            Parameter("rows", 4, low=2, high=4, help="rows of the board"),
            Parameter("columns", 4, low=2, high=4, help="columns of the board"),
            Parameter(
                "target", 2048, choices=tuple(1 << k for k in range(3, 16)),
                help="the tile that ends the game",
            ),
            Parameter(
                "goal", "score", choices=("score", "tile"),
                help="what it pays: the points, or 1 for the target tile",
            ),
        ),
        players=1, chance=True, state_bytes=16, aliases=("2048",),
    ),
)  # fmt: skip
