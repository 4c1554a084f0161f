"""How long work tells how far it is: one callback for all of it."""

from collections.abc import Callable
from time import perf_counter

# Called now and then with the fraction of the work that is done, from 0 to 1 and as far as it is
# known, and a few words for people, such as "12,000 positions".
Progress = Callable[[float, str], None]


def every(interval: float, act: Callable[[], None]) -> Progress:
    """Return a callback that acts once in so many seconds, the first time after as many."""
    last = perf_counter()

    def tell(fraction: float, note: str) -> None:
        nonlocal last
        if perf_counter() - last >= interval:
            act()
            last = perf_counter()

    return tell
