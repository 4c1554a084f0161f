"""Games of Go read from files, replayed and written."""

import random

import pytest
from fuzz_sgf import attempt, mangled

import trellis
from trellis.game.errors import BadParameter, BadRecord, GameOver, IllegalMove
from trellis.games.go.setup import play_anyway, set_up, with_turn
from trellis.sgf.annotate import annotate
from trellis.sgf.go_record import read_collection, read_game, result_text, write_game
from trellis.sgf.tree import write_trees

SETTINGS = [
    {}, {"superko": "positional"}, {"superko": "situational", "suicide": True},
    {"superko": "positional", "history": "full"}, {"history": "turn"},
]  # fmt: skip


def random_line(game, dice, longest=60):
    positions, moves = [game.start()], []
    while not positions[-1].is_over and len(moves) < longest:
        codes = positions[-1].move_codes()
        moves.append(dice.choice(codes[:-1] or codes))
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("shape", [{"board_size": 3}, {"rows": 2, "columns": 3}])
def test_a_game_comes_back_as_it_was_written(settings, shape):
    game = trellis.load("go", komi=0.5, **shape, **settings)
    for seed in range(5):
        positions, moves = random_line(game, random.Random(seed))
        record = read_game(write_trees([write_game(positions, moves)]))
        again = record.steps(record.game(**settings))
        assert [step.position for step in again] == positions
        assert [step.move for step in again][1:] == moves
        assert record.komi == 0.5
        assert record.remarks == []
        for number in range(1, len(positions)):
            assert record.position_before(number, game) == positions[number - 1]


@pytest.mark.parametrize("settings", SETTINGS)
def test_stones_set_up_are_the_stones_that_play_leaves(settings):
    game = trellis.load("go", rows=3, columns=4, **settings)
    for seed in range(10):
        position = random_line(game, random.Random(seed), 12)[0][-1]
        stones = [[], []]
        for row, line in enumerate(game.stones(position.state)):
            for column, cell in enumerate(line):
                if cell != ".":
                    stones["XO".index(cell)].append(row * 4 + column)
        for player in range(2):
            made = set_up(game, *stones, player)
            assert game.stones(made.state) == game.stones(position.state)
            assert made.acting == player
            # Without a past, every stone may be put that takes something or has a liberty.
            suicide = bool(settings.get("suicide"))
            fresh = trellis.load("go", rows=3, columns=4, suicide=suicide, superko="simple")
            plain = set_up(fresh, *stones, player)
            repeating = {
                move for move in plain.move_codes()[:-1]
                if game.stones(plain.play(move).state) == game.stones(made.state)
            }  # fmt: skip
            forbidden = repeating if game.parameters["superko"] == "positional" else set()
            assert set(made.move_codes()) == set(plain.move_codes()) - forbidden


def test_set_up_refuses_what_is_no_board():
    game = trellis.load("go", board_size=3)
    with pytest.raises(BadParameter, match="two stones on a1"):
        set_up(game, [0], [0])
    with pytest.raises(BadParameter, match="no point 9"):
        set_up(game, [9], [])
    with pytest.raises(BadParameter, match="the chain of a1 has no liberty"):
        set_up(game, [0], [1, 3])


def test_a_turn_taken_twice_and_play_after_two_passes():
    game = trellis.load("go", board_size=3, komi=0)
    over = game.start().play("b2", "pass", "pass")
    assert over.is_over
    on = with_turn(over, 1)
    assert not on.is_over
    assert on.play("a1").acting == 0
    record = read_game(b"(;SZ[3];B[bb];B[aa];W[];B[];B[ca])")
    assert str(record.position_before(None)) == (" 3 X . X\n 2 . X .\n 1 . . .\n   a b c")
    assert record.remarks == []


def test_moves_that_rules_forbid_are_made_and_told_of():
    # Black takes a ko, white takes it back at once.
    ko = b"(;SZ[4]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb])"
    record = read_game(ko)
    end = record.position_before(None)
    assert end.game.stones(end.state)[2] == "XO.O"
    assert len(record.remarks) == 1
    assert record.remarks[0].startswith("move 2, white b3, breaks the rules of go")
    suicide = read_game(b"(;SZ[3]AB[ba][ab];W[aa])")
    end = suicide.position_before(None)
    assert end.game.stones(end.state)[2] == ".X."
    assert len(suicide.remarks) == 1


@pytest.mark.parametrize("superko", ["positional", "situational"])
def test_a_history_has_room_for_moves_that_are_made_anyway(superko):
    game = trellis.load("go", rows=1, columns=2, superko=superko, suicide=True)
    position = game.start()
    for _ in range(200):  # stones that take each other, again and again
        for move in (0, 1):
            position = with_turn(position, position.acting) if position.is_over else position
            try:
                position = play_anyway(position, move)
            except (IllegalMove, GameOver):
                position = with_turn(position, 1 - max(position.acting, 0))
    words = position.state
    assert int(words[4]) <= 2 * 9  # each board once for each player to move
    capped = trellis.load("go", board_size=3, superko=superko, max_plies=20)
    position = capped.start()
    for turn in range(19):
        position = with_turn(position, turn % 2)
    assert not position.is_over
    assert with_turn(position, 0).is_over


@pytest.mark.parametrize(
    ("data", "acting"),
    [
        (b"(;SZ[9]HA[2]AB[cc][gg])", "white"), (b"(;SZ[9]AB[cc])", "black"),
        (b"(;SZ[9]PL[W])", "white"), (b"(;SZ[9];W[aa])", "black"),
        (b"(;SZ[9]HA[2];B[aa])", "white"), (b"(;SZ[9];PL[W];AE[aa];PL[B])", "black"),
    ],
)  # fmt: skip
def test_who_is_to_move(data, acting):
    assert read_game(data).position_before(None).actor_name() == acting


def test_lists_of_points_rectangles_and_stones_taken_away():
    record = read_game(b"(;SZ[4:3]AB[aa:bc]AW[cc];AE[ab:bb]AW[ab])")
    assert (record.columns, record.rows) == (4, 3)
    first, last = (step.position for step in record.steps())
    assert first.game.stones(first.state) == ["XXO.", "XX..", "XX.."]
    assert last.game.stones(last.state) == ["XXO.", "O...", "XX.."]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"(;SZ[5];B[aa];W[aa])", "move 2: no stone can be put on a5"),
        (b"(;SZ[5];B[ff])", "move 1: point 'ff' is outside a board of 5x5"),
        (b"(;SZ[5];B[a])", "move 1: bad point 'a'"),
        (b"(;SZ[5]AB[tt])", "before the first move: bad point 'tt' in AB"),
        (b"(;SZ[5]AB[aa]AW[ba][ab])", "before the first move: the chain of a5 has no liberty"),
        (b"(;SZ[5];B[aa]W[bb])", "a move of black and one of white in one node"),
        (b"(;SZ[5]AB" + b"[aa:ee]" * 9 + b")", "too many points in AB"),
    ],
)
def test_what_cannot_be_replayed(data, message):
    with pytest.raises(BadRecord) as refused:
        read_game(data).steps()
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"(;SZ[20])", "bad board size SZ[20]"), (b"(;SZ[0])", "bad board size"),
        (b"(;SZ[5:5:5])", "bad board size"), (b"(;GM[2])", "another kind, GM[2]"),
    ],
)  # fmt: skip
def test_what_is_not_a_board(data, message):
    with pytest.raises(BadRecord) as refused:
        read_collection(b"(;SZ[9])" + data)
    assert f"game 2: {message[:3]}" in str(refused.value) or message in str(refused.value)


def test_a_game_longer_than_its_limit():
    points = [f"{column}{row}" for row in "ace" for column in "abcde"]
    moves = "".join(f";B[{point}];W[]" for point in points)
    record = read_game(f"(;SZ[5]{moves})".encode())
    with pytest.raises(BadRecord, match="move 21: longer than max_plies=20"):
        record.steps(record.game(max_plies=20))


def test_what_is_given_wins_over_the_file():
    record = read_game(b"(;SZ[9]KM[6.5])")
    assert record.game().spec == "go:komi=6.5"
    assert record.game(komi=0).spec == "go:komi=0.0"
    with pytest.raises(BadParameter, match=r"a board of 13x13 was asked for: expected .* 9x9"):
        record.game(board_size=13)
    assert read_game(b"(;SZ[9]KM[many])").komi is None


def test_results():
    game = trellis.load("go", board_size=3, komi=0.5)
    start = game.start()
    assert result_text(start) == "?"
    assert result_text(start, resigned=0) == "W+R"
    assert result_text(start.play("pass", "pass")) == "W+0.5"
    assert result_text(start.play("b2", "pass", "pass")) == "B+8.5"
    even = trellis.load("go", board_size=3, komi=9).start()
    assert result_text(even.play("b2", "pass", "pass")) == "0"


def test_a_search_becomes_a_comment_and_a_variation():
    record = read_game(b"(;SZ[3]KM[0];B[aa];W[ab])")
    steps = record.steps()
    report = trellis.Search(steps[0].position, seed=1).run(sims=2000)
    annotate(steps[0], report)
    again = read_game(write_trees([record.root]))
    assert again.root.text("C").startswith(f"Trellis: best for black is {report.best}")
    assert len(again.root.children) == 2
    line = [again.root, *again.root.children[1].main_line()]
    played = [step.position.game.move_name(None, step.move) for step in again.steps(line=line)[1:]]
    assert played == list(report.line[: len(played)])
    assert played
    # A move that is there already gets no second node.
    best = again.steps(line=line[:1])[0]
    annotate(best, report)
    assert len(again.root.children) == 2
    # Nor does a game go on because somebody has thought about its end.
    annotate(steps[-1], trellis.Search(steps[-1].position, seed=1).run(sims=100))
    assert "Trellis" in steps[-1].node.text("C")
    assert steps[-1].node.children == []


def test_move_groups_are_not_for_files():
    record = read_game(b"(;SZ[5];B[aa])")
    with pytest.raises(BadParameter, match="expected groups=none"):
        record.steps(record.game(groups="manhattan"))


def test_mangled_files_are_read_or_refused():
    fared = {attempt(mangled(random.Random(f"test {seed}"))) for seed in range(300)}
    assert fared == {"read", "refused", "replayed"}


def test_a_move_in_the_first_node_has_no_position_before_it():
    record = read_game(b"(;SZ[9]B[ee];W[cc])")
    assert record.position_before(2).acting == 1
    with pytest.raises(BadParameter, match="no position before move 1"):
        record.position_before(1)
