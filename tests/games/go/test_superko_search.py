"""Searches of Go whose keys leave out earlier boards: what the past forbids is never played."""

from random import Random
from typing import Any

import numpy as np
import pytest

import trellis
from search.mcts.test_reference import assert_same_graph
from trellis.game.calls import no_allowed
from trellis.game.errors import BadParameter
from trellis.game.game import Position
from trellis.games.go import Go
from trellis.games.go.rules import candidates
from trellis.games.go.setup import with_turn
from trellis.search.mcts.engine import Search
from trellis.search.mcts.reference import ReferenceSearch
from trellis.search.solve.proof import solve
from trellis.search.solve.value_iteration import solve_exactly

SMALL = [(1, 3), (1, 4), (1, 5), (2, 2), (2, 3)]
SUPERKO = ["positional", "situational"]


def small(size: tuple[int, int], superko: str, **options: object) -> Go:
    return Go(rows=size[0], columns=size[1], superko=superko, **options)  # type: ignore[arg-type]


def listed(game: Go, position: Position) -> list[int]:
    """List the moves that stones, ko and passes allow."""
    buffer = np.zeros(game.max_moves, np.int32)
    return buffer[: candidates(game.tables, position.state, buffer)].tolist()


@pytest.mark.parametrize("size", [*SMALL, (3, 3), (5, 5)])
@pytest.mark.parametrize("superko", SUPERKO)
@pytest.mark.parametrize("suicide", [False, True])
def test_what_the_past_allows_of_what_the_key_tells(
    size: tuple[int, int], superko: str, suicide: bool
) -> None:
    """Candidates follow from the key; those that are allowed are the legal moves."""
    game, random = small(size, superko, suicide=suicide), Random(f"{size}{superko}{suicide}")
    allowed = game.rules.allowed
    assert allowed is not None
    by_key: dict[int, list[int]] = {}
    forbidden = met_again = 0
    for _ in range(150):
        position = game.start()
        for _ in range(40):
            if position.is_over:
                break
            codes, legal = listed(game, position), position.move_codes()
            met_again += position.key in by_key
            assert by_key.setdefault(position.key, codes) == codes
            assert [c for c in codes if allowed(game.tables, position.state, c)] == legal
            forbidden += len(codes) - len(legal)
            # Passes are rare, so that stones are taken.
            points = legal[:-1] if random.random() < 0.9 else []
            position = position.play(random.choice(points or legal))
    assert met_again > 50
    assert forbidden > 0 or size == (5, 5)


OPTIONS: list[dict[str, Any]] = [
    {}, {"select": "uct2"}, {"select": "ucd:2,2,2"}, {"select": "uct3"}, {"fpu": 0.5},
    {"rave": 50.0, "c": 0.3}, {"rave": 50.0, "grave": 10, "rave_order": True, "fpu": 0.6},
    {"playouts": "rules"}, {"decisive": True},
]  # fmt: skip


@pytest.mark.parametrize("size", [(1, 3), (2, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("superko", SUPERKO)
@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_paths_are_merged_and_every_path_is_legal(
    size: tuple[int, int], superko: str, number: int
) -> None:
    """The plain search asks for the legal moves at every step; the kernels build its graph."""
    game, options = small(size, superko, komi=0.5), {"c": 0.7, **OPTIONS[number]}
    search = Search(game, seed=number, memory=8, **options)
    twin = ReferenceSearch(game, seed=number, **options)
    assert search.params.forgets
    for _ in range(6):
        assert search.simulate(50) == twin.simulate(50) == 50
        assert_same_graph(search, twin)
    assert search.report().transpositions > 0 or number in (4, 6)


def test_a_search_that_ignored_the_past_would_build_another_graph() -> None:
    game = small((2, 2), "positional", komi=0.5)
    ignoring = small((2, 2), "positional", komi=0.5)
    ignoring.rules = ignoring.rules._replace(allowed=no_allowed)
    search, twin = Search(ignoring, seed=1, memory=8), ReferenceSearch(game, seed=1)
    search.simulate(300)
    twin.simulate(300)
    with pytest.raises(AssertionError):
        assert_same_graph(search, twin)


def truth(position: Position) -> dict[int, float]:
    """Return what each move is worth to who moves, by proof with the whole past in the key."""
    sign = 1 - 2 * position.acting
    worth = {}
    for code in position.move_codes():
        after = position.play(code)
        payoffs = after.payoffs() if after.is_over else solve(after, limit=2_000_000).payoffs
        assert payoffs is not None
        worth[code] = sign * payoffs[0]
    return worth


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("superko", SUPERKO)
def test_a_search_that_merges_paths_finds_a_best_move(size: tuple[int, int], superko: str) -> None:
    """The move it thinks best is one that is best with the whole past in mind."""
    full = small(size, superko, komi=0.0, score=True, history="full")
    game = small(size, superko, komi=0.0, score=True)
    random, telling = Random(f"{size}{superko}"), 0
    for number in range(12):
        known, position = full.start(), game.start()
        for _ in range(random.randrange(4, 12) if number else 0):
            legal = known.move_codes()
            code = random.choice(legal[:-1] if legal[:-1] and random.random() < 0.9 else legal)
            if known.play(code).is_over:
                break
            known, position = known.play(code), position.play(code)
        assert position.move_codes() == known.move_codes()
        worth = truth(known)
        for select in ("simple", "uct1"):
            search = Search(position, select=select, c=1.0, seed=number)
            search.run(sims=100_000)
            assert worth[search.best()] == max(worth.values())
        telling += min(worth.values()) < max(worth.values())
    assert telling > 2


@pytest.mark.parametrize("select", ["simple", "uct1", "nodes"])
@pytest.mark.parametrize("bounds", ["plain", "cuts", "guided", "deep", "solver"])
def test_nothing_is_proven_where_paths_are_merged(select: str, bounds: str) -> None:
    game = small((2, 2), "positional")
    with pytest.raises(BadParameter, match=r"forbids .*, so nothing can be proven"):
        Search(game, select=select, bounds=bounds)
    with pytest.raises(BadParameter, match="leave out boards"):
        solve(game)


def test_what_suits_a_game_that_forgets() -> None:
    game = small((2, 2), "positional")
    search = Search(game)
    assert search.settings.select == "simple"
    assert search.settings.bounds == "off"
    search = Search(game, bounds="cuts")
    assert search.settings.select == "uct0"
    with pytest.raises(BadParameter, match="merges no paths"):
        Search(game, when_full="drake")
    with pytest.raises(BadParameter, match="expected recompute"):
        Search(game, select="uct3", backup="exact")


@pytest.mark.parametrize("size", [(1, 2), (1, 3)])
def test_looking_at_every_position_tells_pasts_apart(size: tuple[int, int]) -> None:
    """What enumerates positions goes by all their words, and history is among them."""
    best = max(
        truth(small(size, "positional", komi=0.0, score=True, history="full").start()).values()
    )
    game = small(size, "positional", komi=0.0, score=True)
    assert solve_exactly(game).payoffs == (best, -best)
    assert solve(game, select="uct0", limit=500_000).payoffs == (best, -best)


def test_a_root_that_another_path_has_visited_offers_only_legal_moves() -> None:
    """After a throw-in that is taken, the graph knows a way back that superko forbids."""
    game = small((2, 2), "positional", komi=0.5)
    random = Random(3)
    filtered = 0
    for seed in range(40):
        search = Search(game, seed=seed, c=1.0)
        position = game.start()
        while not position.is_over:
            search.run(sims=60)
            legal = {position.name(code) for code in position.move_codes()}
            tried = {game.move_name(None, code) for code in tried_at(search)}
            filtered += len(tried - legal)
            report = search.report()
            assert {line.move for line in report.moves} == legal
            assert report.best in legal
            code = random.choice(position.move_codes()[:-1] or [game.points])
            position = position.play(code)
            if not position.is_over:
                search.advance(code)
    assert filtered > 0


def tried_at(search: Search) -> list[int]:
    """Return the moves of all edges at the root, whoever has tried them."""
    record = search.graph.nodes[search.root]
    first = int(record["first"])
    return search.graph.links["move"][first : first + int(record["edges"])].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(5))
def test_random_games_by_the_rules_keep_within_their_history(seed: int) -> None:
    """One point and suicide: a game that ignored superko would never end."""
    game = trellis.load("go:board_size=1,suicide=true")
    assert Search(game, playouts="rules", seed=seed).run(sims=100).sims == 100


@pytest.mark.parametrize("cap", range(5, 11))
def test_the_end_by_the_number_of_moves_is_met_on_merged_paths(cap: int) -> None:
    game = trellis.load(f"go:board_size=2,max_plies={cap}")
    search = Search(game, seed=1, memory=16)
    assert search.run(sims=5_000).sims == 5_000
    position = game.start()
    while not position.is_over:  # a root that is not over has moves that are visited
        search = Search(position, seed=cap, memory=16)
        assert sum(move.visits for move in search.run(sims=200).moves) >= 200
        position = position.play(position.move_codes()[cap % len(position.move_codes())])


def test_going_on_after_the_end_leaves_the_history_as_it_is() -> None:
    game = trellis.load("go:board_size=3,superko=situational,max_plies=4")
    position = game.start().play("a1", "a2", "b1", "b2")
    guard = position.state.copy()
    for turn in range(8):
        position = with_turn(position, turn % 2)
    assert position.is_over
    assert len(position.state) == len(guard)


def test_nothing_is_proven_where_the_past_is_known_by_hashes() -> None:
    """Two boards with one hash would be one board to superko."""
    game = trellis.load("go:rows=5,columns=8")
    report = Search(game, select="uct0", memory=8).run(sims=500)
    assert (report.low, report.high) == game.payoff_range
    with pytest.raises(BadParameter, match="by their hashes"):
        Search(game, select="uct0", bounds="cuts")
    with pytest.raises(BadParameter, match="by their hashes"):
        trellis.solve(game, limit=10)
    with pytest.raises(BadParameter, match="by their hashes"):
        solve_exactly(game, limit=1000)
    Search(trellis.load("go:rows=3,columns=13"), select="uct0", bounds="cuts", memory=8)
    Search(trellis.load("go:rows=5,columns=8,superko=simple,history=turn"), bounds="cuts")
