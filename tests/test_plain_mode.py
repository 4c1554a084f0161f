"""No machine code at all: what the source says is what runs."""

from modes import run_tests, whole_run

pytestmark = whole_run


def test_kernels_as_plain_python():
    run_tests(
        [
            "tests/games/test_contract.py",
            "tests/game/test_bits.py",
            "tests/game/test_perft.py",
            "tests/search/mcts/test_search.py::test_recorded_games_count_as_simulations",
            "tests/search/mcts/test_search.py::test_slices_do_not_change_the_search",
            "tests/search/solve/test_proofs.py::test_a_strategy_wins_against_everything",
        ],
        NUMBA_DISABLE_JIT="1",
    )
