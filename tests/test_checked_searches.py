"""Every index of the searches is checked."""

from modes import run_checked, whole_run

pytestmark = whole_run


def test_searches_with_checked_array_bounds(tmp_path):
    run_checked(
        [
            "tests/search/test_flat.py",
            "tests/search/test_proofs.py",
            "tests/search/test_search.py",
            "tests/chance/test_star.py::test_windows_inside_the_value_outside_a_bound",
            "tests/chance/test_star_threads.py::test_two_threads_find_the_same_value",
        ],
        tmp_path,
    )
