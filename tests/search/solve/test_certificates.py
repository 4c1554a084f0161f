"""Certificates hold by the rules alone, and whatever was changed in one is refused."""

import ast
import json
import zlib
from pathlib import Path
from random import Random

import pytest
from attack_certificates import CHANGES, attack, rewritten

from trellis.game.errors import BadParameter, BadRecord, LimitReached
from trellis.game.python_game import PythonGame
from trellis.loading import load
from trellis.search.solve import verify as checker
from trellis.search.solve.certificate import write_certificate
from trellis.search.solve.portfolio import Portfolio
from trellis.search.solve.questions.reference import value_of
from trellis.search.solve.questions.settings import QuestionSettings
from trellis.search.solve.verify import read_certificate, verify

QUICK = QuestionSettings(memory=1.0, rating_games=50)


def certified(game, path, method="auto", moves=()):
    """Solve a game, write a certificate, and return the search."""
    search = Portfolio(game.start().play(*moves), method, QUICK)
    search.run()
    write_certificate(search, path, moves)
    return search


@pytest.mark.parametrize("method", ["auto", "alphabeta", "dfpn"])
@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("tic_tac_toe", ("b2", "a1")),
        ("connect_four:rows=4,columns=4", ()),
        ("othello:board_size=4", ()),
        ("kalah:houses=3,seeds=3", ()),
        ("hex:board_size=3", ("a1",)),
        ("breakthrough:rows=5,columns=2", ()),
    ],
)
def test_a_certificate_of_a_game_holds(spec, moves, method, tmp_path):
    game = load(spec)
    search = certified(game, tmp_path / "proof", method, moves)
    found = verify(load(spec), read_certificate(tmp_path / "proof"))
    value = value_of(search.position)
    least, greatest = game.payoff_range
    assert found.at_least == (value if value > least else None)
    assert found.at_most == (value if value < greatest else None)
    assert found.positions > 0


@pytest.mark.parametrize("seed", range(60))
def test_certificates_of_random_games_hold_and_no_better_claim_does(seed, tmp_path):
    """The strategies are those of the true value: claiming more than it is refused."""
    game = load(f"random_automaton:seed={seed},states=40,payoffs={2 + seed % 5}")
    path = tmp_path / "proof"
    certified(game, path)
    value, certificate = value_of(game.start()), read_certificate(path)
    verify(game, certificate)
    assert value in (certificate.at_least, certificate.at_most)
    for name, better in (("at_least", value + 0.01), ("at_most", value - 0.01)):
        if getattr(certificate, name) is not None:
            with pytest.raises(BadRecord):
                verify(game, read_certificate(rewritten(path, **{name: better})))


def test_certificates_of_random_games_hold_and_changed_ones_do_not():
    counts, wrong = attack(24, 60, seed=1)
    assert not wrong
    assert counts["verified"] == 24
    assert counts["refused"] >= 60
    for kind in CHANGES:
        assert counts[f"refused: {kind}"] > 0, kind


def test_the_attack_notices_a_check_that_believes_everything(monkeypatch):
    monkeypatch.setattr("attack_certificates.verify", lambda game, certificate: certificate)
    _, wrong = attack(3, 60, seed=1)
    assert any("accepted, and should be refused (claim)" in line for line in wrong)


def test_a_changed_file_is_refused(tmp_path):
    """Whatever byte is changed, cut off or added, nothing but one line comes of it."""
    game, path, random = load("connect_four:rows=4,columns=4"), tmp_path / "proof", Random(1)
    certified(game, path)
    written = path.read_bytes()
    for _ in range(1000):
        changed = bytearray(written)
        kind = random.randrange(3)
        at = random.randrange(len(written))
        if kind == 0:
            changed[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            del changed[at:]
        else:
            changed.insert(at, random.randrange(256))
        path.write_bytes(bytes(changed))
        with pytest.raises(BadRecord) as caught:
            read_certificate(path)
        assert "\n" not in str(caught.value)


def test_a_first_line_with_another_space_in_it_is_refused(tmp_path):
    path = tmp_path / "proof"
    certified(load("tic_tac_toe"), path)
    path.write_bytes(path.read_bytes().replace(b'"game": ', b'"game":  ', 1))
    with pytest.raises(BadRecord, match="changed"):
        read_certificate(path)


def test_choices_that_lose_what_is_claimed_are_refused(tmp_path):
    """With a checksum that fits: most other choices do not keep the value, some do as well."""
    game, path = load("connect_four:rows=4,columns=4"), tmp_path / "proof"
    certified(game, path)
    random, refused = Random(2), 0
    for _ in range(60):
        at = random.randrange(100)

        def numbers(body, at=at):
            return body[: 2 * at] + bytes([(body[2 * at] + 1) % 4]) + body[2 * at + 1 :]

        try:
            verify(game, read_certificate(rewritten(path, numbers)))
        except BadRecord:
            refused += 1
    assert 40 < refused < 60


def test_files_of_other_kinds_are_refused_by_one_line(tmp_path):
    path = tmp_path / "proof"
    for content in (
        b"", b"\n", b"{}\n", b"[1]\n", b"[" * 40_000, b'{"trellis_certificate": 1}\n',
        b"\xff\xfe\n", b"x" * 100_000,
    ):  # fmt: skip
        path.write_bytes(content)
        with pytest.raises(BadRecord):
            read_certificate(path)
    with pytest.raises(BadRecord, match="cannot read"):
        read_certificate(tmp_path / "nothing")


def test_a_file_that_unpacks_to_far_more_than_it_says_is_not_unpacked(tmp_path):
    path = tmp_path / "proof"
    certified(load("tic_tac_toe"), path)
    head = json.loads(path.read_bytes().partition(b"\n")[0])
    path.write_bytes(json.dumps(head).encode() + b"\n" + zlib.compress(bytes(1 << 26)))
    with pytest.raises(BadRecord, match="damaged"):
        read_certificate(path)


class Round:
    """Two players may go round for ever, and then nobody ever pays."""

    max_moves = 2

    def start(self):
        return 0

    def acting(self, state):
        return None if state == 9 else state % 2

    def moves(self, state):
        return [0, 1]

    def play(self, state, move):
        return 9 if move else (state + 1) % 4

    def payoffs(self, state):
        return -1.0


def test_a_strategy_that_goes_round_for_ever_is_refused():
    game = PythonGame(Round())
    choices = checker.np.zeros(4, "<u2")
    claim = checker.Certificate(game.spec, (), 1.0, None, (choices, choices[:0]))
    with pytest.raises(BadRecord, match=r"for ever|does not pay"):
        verify(game, claim)
    # Player 0 always goes on, and so does the other one first: no end is met before the circle.
    kept = checker.Certificate(game.spec, (), -1.0, None, (choices[:2], choices[:0]))
    with pytest.raises(BadRecord, match=r"for ever|left over|no choice"):
        verify(game, kept)


def test_a_certificate_of_another_game_is_refused(tmp_path):
    certified(load("tic_tac_toe"), tmp_path / "proof")
    with pytest.raises(BadRecord, match="not about"):
        verify(load("hex:board_size=3"), read_certificate(tmp_path / "proof"))


def test_nothing_proven_is_no_certificate(tmp_path):
    search = Portfolio(load("connect_four"), "alphabeta", QUICK)
    with pytest.raises(BadParameter, match="nothing is proven"):
        write_certificate(search, tmp_path / "proof")
    solved = Portfolio(load("connect_four:rows=4,columns=4"), "alphabeta", QUICK)
    solved.run()
    with pytest.raises(LimitReached):
        write_certificate(solved, tmp_path / "proof", limit=10)


def test_the_checker_shares_no_code_with_any_solver():
    tree = ast.parse(Path(checker.__file__).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    ours = {name for name in imported if name.startswith("trellis")}
    assert ours <= {
        "trellis._kernel.progress", "trellis.game.errors", "trellis.game.game",
        "trellis.game.rules",
    }  # fmt: skip
