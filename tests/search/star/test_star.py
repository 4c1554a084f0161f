"""Star searches against the definition of their value, on small random games with chance."""

import numpy as np
import pytest

from search.star.random_games import DEEPEST, KINDS, positions_of, random_game, values_of
from trellis._kernel.jit import kernel
from trellis.game.errors import BadParameter, TrellisError
from trellis.game.evaluation import EVALUATE, Evaluation
from trellis.game.rules import CHANCES, PAYOFFS
from trellis.loading import load
from trellis.search.star.engine import StarSearch
from trellis.search.star.reference import expectimax
from trellis.search.star.settings import SEARCHES, StarSettings
from trellis.search.star.table import key_to_depth, read

TINY = 0.001  # mebibytes: eight lines, so that positions push each other out all the time
PRECISE = 1e-9
GAMES = 10

SWITCHES = {
    "no killers": {"killers": False},
    "no history": {"history": False},
    "no table move": {"table_move": False},
    "no successors": {"etc_chance": 0},
    "no table at chance": {"tt_at_chance": False},
    "no table at decisions": {"tt_at_decisions": False},
    "no bounds from the table": {"tt_at_chance": False, "tt_at_decisions": False},
    "no table": {"tt_at_chance": False, "tt_at_decisions": False, "table_move": False},
    "probing 2": {"probing": 2},
    "probing 9": {"probing": 9},
    "successors from 1": {"etc_chance": 1},
    "moves from 1": {"etc_moves": 1},
    "pvs": {"pvs": True},
    "table from 3": {"least_depth": 3},
    "tiny": {"memory": TINY},
    "tiny, all on": {"memory": TINY, "pvs": True, "etc_moves": 1, "etc_chance": 1},
    "no pruning": {"prune": False},
    "chance_null_window": {"chance_null_window": True},
    "chance null windows, no probing": {"chance_null_window": True, "probing": 0},
    "resumed": {"reuse_probe": True},
    "resumed, no probing": {"reuse_probe": True, "probing": 0},
    "resumed, no table": {
        "reuse_probe": True,
        "tt_at_chance": False,
        "tt_at_decisions": False,
        "table_move": False,
    },
    "tiny, chance null windows, pvs, reused probes": {
        "memory": TINY,
        "chance_null_window": True,
        "pvs": True,
        "reuse_probe": True,
        "etc_moves": 1,
    },
}
SETTINGS = {name: settings.replace(memory=0.1) for name, settings in SEARCHES.items()} | {
    name: StarSettings(memory=0.1).replace(**changes) for name, changes in SWITCHES.items()
}  # fmt: skip


@pytest.fixture(params=SETTINGS, ids=str)
def settings(request):
    return SETTINGS[request.param]


@pytest.fixture
def seeds(settings):
    """Games of their own for every setting: more than a thousand in all."""
    first = GAMES * list(SETTINGS.values()).index(settings)
    return range(first, first + GAMES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_search_finds_the_value_of_every_depth(settings, seeds, kind):
    for seed in seeds:
        game, evaluation = random_game(kind, seed)
        search, value = StarSearch(game, settings, evaluation), values_of(kind, seed)
        search.number = seed % 4  # the order in which a thread goes through outcomes
        for depth in range(1, DEEPEST + 1):
            low, high, _ = search.search(depth)
            assert high - low <= PRECISE
            assert low == pytest.approx(value(game.start(), depth), abs=PRECISE), (game, depth)


@pytest.mark.parametrize("kind", KINDS)
def test_windows_inside_the_value_outside_a_bound(settings, seeds, kind):
    for seed in seeds[:4]:
        game, evaluation = random_game(kind, seed)
        search = StarSearch(game, settings, evaluation)
        for depth in (3, 6):
            wanted = values_of(kind, seed)(game.start(), depth)
            for alpha, beta in ((-1, -0.5), (-0.3, 0.1), (0, 0.6), (wanted, wanted + 0.1)):
                low, high, _ = search.search(depth, alpha, beta)
                assert low - PRECISE <= wanted <= high + PRECISE
                if alpha < wanted < beta:
                    assert high - low <= PRECISE
                elif settings.prune and wanted <= alpha:
                    assert high <= alpha + PRECISE
                elif settings.prune:
                    assert low >= beta - PRECISE


def entries_of(search, position):
    """Return all entries of a position; where play may go round, it has one for each depth."""
    keys = [position.key]
    if search.game.max_plies is None:
        keys = [int(key_to_depth(np.uint64(position.key), depth)) for depth in range(DEEPEST + 1)]
    found = [read(search.table, key, position.state) for key in keys]
    return [entry for entry in found if entry is not None]


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_the_table_says_holds(settings, seeds, kind):
    """The contract of an entry, for every position of the game after many windows."""
    checked = 0
    for seed in seeds[:3]:
        game, evaluation = random_game(kind, seed)
        search, value = StarSearch(game, settings, evaluation), values_of(kind, seed)
        search.number = seed % 4
        for depth, alpha, beta in ((4, -1, 1), (6, -0.2, 0.2), (5, 0.3, 0.4), (7, -1, 1)):
            search.search(depth, alpha, beta)
        for position in positions_of(game):
            for entry in entries_of(search, position):
                checked += 1
                for side, sign in (("lower", 1), ("upper", -1)):
                    depth, bound = entry[f"{side}_depth"], entry[side]
                    deepest = DEEPEST if entry[f"{side}_to_the_end"] else depth
                    for plies in range(depth, deepest + 1):
                        assert sign * value(position, plies) >= sign * bound - PRECISE
    writes = settings.tt_at_decisions or (settings.table_move and settings.prune)
    assert checked or not (writes or (settings.tt_at_chance and "chance=0" not in kind))


def test_a_value_to_the_end_is_that_of_every_deeper_search():
    """Exactly where no leaf was cut off by the depth does a report call its value exact."""
    exact = 0
    for seed in range(30):
        game, evaluation = random_game(KINDS[0], seed)
        search = StarSearch(game, "star2tt", evaluation)
        whole = StarSearch(game).run(depth=game.max_plies + 1)
        assert whole.solved
        for depth in range(1, DEEPEST + 1):
            _, _, marks = search.search(depth)
            if marks == 3:
                exact += 1
                found = search.run(depth=depth)
                assert found.value == pytest.approx(whole.value, abs=PRECISE)
    assert exact


@pytest.mark.parametrize("lines", ["rc", "any", "rows"])
@pytest.mark.parametrize("full", ["reroll", "pass"])
@pytest.mark.parametrize("size", [(2, 2), (3, 2), (3, 3)])
def test_dice_to_the_end(lines, full, size):
    m, k = size
    game = load(f"dice:m={m},k={k},lines={lines},full={full}")
    depth = 2 * m * m if full == "reroll" else 14
    values = {name: StarSearch(game, name).run(depth=depth).value for name in SEARCHES}
    for name, value in values.items():
        assert value == pytest.approx(values["expectimax"], abs=PRECISE), name
    if (m, k, lines, full) == (3, 3, "rc", "reroll"):
        assert values["star2tt"] == pytest.approx(0.347450846, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("tic_tac_toe", 0.0),
        ("connect_four:rows=4,columns=4", 0.0),
        ("nim:pile_sizes=1;2;3", -1.0),  # the last to take loses; so does a nim-sum of 0
        ("nim:pile_sizes=3;4;5", 1.0),
        ("hex:board_size=3", 1.0),
    ],
)
def test_without_chance_it_is_alpha_beta(spec, value):
    game = load(spec)
    report = StarSearch(game, "alphabeta").run(depth=game.max_plies)
    assert report.solved
    assert report.value == value


def test_samples_are_those_of_the_seed_and_an_average_of_the_truth():
    game = load("dice:m=3,k=3,lines=any")
    values = [StarSearch(game, seed=seed, samples=2).run(depth=13).value for seed in range(60)]
    assert StarSearch(game, seed=3, samples=2).run(depth=13).value == values[3]
    whole = StarSearch(game).run(depth=13).value
    error = np.std(values) / np.sqrt(len(values))
    assert error > 0
    # Players who know the sample expect a little more or less than the truth, not much.
    assert abs(np.mean(values) - whole) < 5 * error + 0.05
    assert StarSearch(game, samples=6).run(depth=13).value == pytest.approx(whole, abs=PRECISE)


def test_sampled_searches_agree_with_each_other():
    game = load("dice:m=4,k=3,lines=any")
    values = {
        name: StarSearch(game, name, seed=5, samples=3).run(depth=8).value
        for name in ("expectimax", "star1", "star2", "star2tt", "star2tt+")
    }
    for name, value in values.items():
        assert value == pytest.approx(values["expectimax"], abs=PRECISE), name


# --- what is refused


@kernel(EVALUATE)
def _too_much(weights, tables, state):
    return weights[0]


@pytest.mark.parametrize("value", [1.5, -1.01, float("nan"), float("inf")])
@pytest.mark.parametrize("name", SEARCHES)
def test_an_evaluation_that_leaves_its_bounds(value, name):
    evaluation = Evaluation("wild", _too_much, -1.0, 1.0, np.array([value]))
    with pytest.raises(TrellisError, match=r"evaluation 'wild' left its bounds -1 to 1 in dice"):
        StarSearch(load("dice"), name, evaluation).run(depth=3)


@kernel(CHANCES)
def _short_chances(tables, state, out):
    for i in range(len(out)):
        out[i] = 0.3


@kernel(CHANCES)
def _negative_chances(tables, state, out):
    for i in range(len(out)):
        out[i] = 0.0
    out[0], out[1] = 2.0, -1.0


@pytest.mark.parametrize("chances", [_short_chances, _negative_chances])
def test_probabilities_that_do_not_add_up(chances):
    game = load("dice:m=4,k=3")
    game.rules = game.rules._replace(chances=chances)
    with pytest.raises(TrellisError, match=r"probabilities .* of dice:m=4,k=3 do not add up to 1"):
        StarSearch(game).run(depth=3)


@kernel(PAYOFFS)
def _rich_payoffs(tables, state, out):
    out[0], out[1] = 3.0, -3.0


@kernel(PAYOFFS)
def _poor_payoffs(tables, state, out):
    out[0], out[1] = -3.0, 3.0


@pytest.mark.parametrize("payoffs", [_rich_payoffs, _poor_payoffs])
@pytest.mark.parametrize("name", SEARCHES)
def test_payoffs_that_leave_their_range(payoffs, name):
    game = load("dice:m=2,k=2")
    game.rules = game.rules._replace(payoffs=payoffs)
    with pytest.raises(TrellisError, match="a payoff of dice:m=2,k=2 left its range -1 to 1"):
        StarSearch(game, name).run(depth=8)


@kernel(CHANCES)
def _lopsided_chances(tables, state, out):
    """Roll the last line nearly always, the one before hardly ever, and none of the others."""
    for i in range(len(out)):
        out[i] = 0.0
    free = ~(state[0] | state[1]) & np.uint64(0x1FF)
    lines = 0
    for line in range(3):
        row, column = np.uint64(7) << np.uint64(3 * line), np.uint64(0x49) << np.uint64(line)
        if free & (row if state[2] & np.uint64(1) == 0 else column) != 0:
            lines += 1
    out[lines - 1] = 1.0
    if lines > 1:
        out[lines - 2] = 1e-17


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_outcomes_that_hardly_ever_happen_or_never(settings):
    game = load("dice:m=3,k=3")
    game.rules = game.rules._replace(chances=_lopsided_chances)
    wanted = expectimax(game.start(), 8, lambda _: 0.0)
    report = StarSearch(game, settings).run(depth=8)
    assert report.value == pytest.approx(wanted, abs=PRECISE)


@pytest.mark.parametrize("depth", [0, -1, 40_000])
def test_a_depth_that_is_none(depth):
    with pytest.raises(BadParameter, match=rf"bad depth {depth}: expected a whole number from 1"):
        StarSearch(load("dice")).run(depth=depth)


@pytest.mark.parametrize("spec", ["goofspiel", "random_automaton:players=3"])
def test_games_that_are_not_for_two(spec):
    with pytest.raises(BadParameter, match="star searches need"):
        StarSearch(load(spec))


def test_settings_that_make_no_sense():
    for changes in (
        {"probing": -1},
        {"memory": 0},
        {"samples": -5},
        {"no_such": 1},
        {"chance_null_window": True, "etc_chance": 0},
        {"reuse_probe": True, "probing": 2},
    ):
        with pytest.raises(BadParameter, match=next(iter(changes))):
            StarSearch(load("dice"), **changes)
    with pytest.raises(BadParameter, match="unknown search 'star3'"):
        StarSearch(load("dice"), "star3")
