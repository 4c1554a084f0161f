"""Which sizes of each game the tests walk over: one list for the contract, OpenSpiel and more.

Every game of the catalogue must have a line here; a test checks that.
"""

SIZES: dict[str, list[str]] = {
    "backgammon": [
        "",
        "scoring=gammons,repeats=true",
        "scoring=full,repeats=true",
        "scoring=full,hyper=true,max_player_turns=0",
        "hyper=true,repeats=true",
        "repeats=true,max_player_turns=7",
    ],
    "breakthrough": [
        "",
        "rows=4,columns=4",
        "rows=5,columns=3",
        "rows=5,columns=4",
        "rows=6,columns=3",
        "rows=6,columns=6",
        "rows=8,columns=2",
        "rows=7,columns=8",
    ],
    "connect_four": ["", "rows=4,columns=4", "rows=3,columns=5,x_in_row=3", "rows=5,columns=10"],
    "dice": [
        "",
        "m=3,k=3",
        "m=3,k=3,lines=any",
        "m=4,k=3,lines=rows",
        "m=2,k=2,full=pass",
        "m=3,k=3,lines=any,full=pass",
        "m=6,k=3",
    ],
    "ein_stein": [""],
    "goofspiel": [
        "",
        "num_cards=3,points_order=descending",
        "num_cards=5,points_order=ascending",
        "num_cards=4,players=3",
        "num_cards=3,players=4,points_order=descending",
        "num_cards=1",
        "num_cards=13",
        "num_cards=2",
    ],
    "leftright": ["", "h=1", "h=64", "h=70"],
    "nim": [
        "",
        "pile_sizes=5,max_take=3,is_misere=false",
        "pile_sizes=2;2,is_misere=false",
        "pile_sizes=1;1;2;1;1;1;2;1",
        "pile_sizes=12;20",
    ],
    "knightthrough": ["", "rows=4,columns=4", "rows=5,columns=7", "rows=6,columns=5"],
    "othello": ["", "board_size=4", "board_size=6"],
    "pawn_whopping": ["", "double_step=first"],
    "kalah": ["", "houses=1,seeds=1", "houses=3,seeds=2", "houses=7,seeds=9", "houses=4,seeds=6"],
    "capture_the_king": ["", "promotion=both"],
    "crisscross": [""],
    "pgame": [
        "",
        "branching=3,depth=4",
        "branching=10,depth=3,bias=90,overlap=true",
        "branching=6,depth=3,group_size=3",
        "branching=2,depth=8,combine=20",
        "branching=16,depth=40",
        "branching=4,depth=5,combine=50,group_size=2",
        "branching=2,depth=6,combine=90,seed=3",
    ],
    "pig": [
        "",
        "target=20,faces=4",
        "target=10,faces=3,players=3,horizon=30",
        "target=12,players=5,horizon=0",
        "target=10,players=1,horizon=25",
        "target=15,players=2,horizon=0",
        "target=6,faces=2,horizon=7",
    ],
    "nine_mens_morris": ["", "turn_limit=0", "turn_limit=7"],
    "amazons": ["", "board_size=5", "board_size=6", "board_size=8"],
    "gomoku": [
        "",
        "m=3,n=3,k=3",
        "m=5,n=4,k=4",
        "m=3,n=7,k=3",
        "m=1,n=4,k=2",
        "m=8,n=8,k=5",
        "m=9,n=8,k=6",
    ],
    "hex": [
        "",
        "board_size=2",
        "board_size=3",
        "board_size=5",
        "board_size=5,opening=b2",
        "board_size=8",
        "board_size=9",
        "board_size=12",
    ],
    "pentago": [""],
    "quarto": [""],
    "random_automaton": [
        "",
        "seed=1,states=200,branching=4",
        "seed=2,chance=40",
        "seed=3,players=3,chance=20,simultaneous=30",
        "seed=4,simultaneous=60,branching=4",
        "seed=5,players=1,chance=30,payoffs=10",
        "seed=6,cyclic=true,chance=30,simultaneous=20",
        "seed=7,players=4,branching=16,simultaneous=50",
    ],
    "tic_tac_toe": [""],
    "twenty_forty_eight": [
        "",
        "target=64",
        "target=16,goal=tile",
        "rows=2,columns=2",
        "rows=2,columns=3,target=32,goal=tile",
        "rows=4,columns=3",
        "rows=3,columns=3,target=256",
        "rows=2,columns=4,target=8",
    ],
}


def specs(name: str) -> list[str]:
    """All tested sizes of one game, as text for `load`."""
    return [f"{name}:{settings}" if settings else name for settings in SIZES[name]]


ALL = [spec for name in SIZES for spec in specs(name)]
