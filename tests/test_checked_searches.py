"""Every index of the searches is checked."""

from modes import run_checked, whole_run

pytestmark = whole_run


def test_searches_with_checked_array_bounds(tmp_path):
    run_checked(
        [
            "tests/search/mcts/test_flat.py",
            "tests/search/solve/test_proofs.py",
            "tests/search/mcts/test_search.py",
            "tests/search/star/test_star.py::test_windows_inside_the_value_outside_a_bound",
            "tests/search/star/test_star_threads.py::test_two_threads_find_the_same_value",
        ],
        tmp_path,
    )
