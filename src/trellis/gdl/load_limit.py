"""What loading a rulesheet may take: reading, grounding, proving facts and making a circuit."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from trellis._kernel.deadline import LoadBudget
from trellis.game.errors import LimitReached
from trellis.gdl.grounding.time_limit import time_limit

LOAD_SECONDS = 300.0
_FOR_THE_CIRCUIT = 0.7  # of what is left: forward chaining takes its time, too


def loading(name: str, budget: LoadBudget) -> AbstractContextManager[None]:
    """Refuse a sheet that takes longer to load than it may."""
    if budget.seconds is None:
        return nullcontext()
    took = f"{name}: loading took more than {budget.seconds:g} seconds"
    why = f"{took}: expected a longer --load-time"
    return _at_most(budget.left(), "loading a rulesheet", why)


def making_a_circuit(budget: LoadBudget, *, only: bool) -> AbstractContextManager[None]:
    """Leave some time for forward chaining, unless a circuit is the `only` way."""
    if budget.seconds is None or only:
        return nullcontext()
    part = _FOR_THE_CIRCUIT * budget.left()
    why = f"a circuit takes more than {part:.3g} of the {budget.seconds:g} seconds for loading"
    return _at_most(part, "making a circuit", why)


@contextmanager
def _at_most(seconds: float, what: str, why: str) -> Iterator[None]:
    """Limit the time, and say why where this limit is the one that is up."""
    try:
        with time_limit(seconds, what):
            yield
    except LimitReached as limit:
        if not str(limit).startswith(what):
            raise
        raise LimitReached(why) from None
