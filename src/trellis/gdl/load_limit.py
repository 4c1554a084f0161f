"""What loading a rulesheet may take: reading, grounding, proving facts and making a circuit."""

from collections.abc import Iterator
from contextlib import contextmanager

from trellis._kernel.deadline import LoadBudget
from trellis.game.errors import LimitReached
from trellis.gdl.grounding.time_limit import time_limit

LOAD_SECONDS = 300.0
_FOR_THE_CIRCUIT = 0.7  # of what is left: forward chaining takes its time, too


@contextmanager
def loading(name: str, budget: LoadBudget) -> Iterator[None]:
    """Refuse a sheet that takes longer to load than it may."""
    if budget.seconds is None:
        yield
        return
    try:
        with time_limit(budget.left(), _WHOLE):
            yield
    except LimitReached as limit:
        if not str(limit).startswith(_WHOLE):
            raise
        raise LimitReached(
            f"{name}: loading took more than {budget.seconds:g} seconds: expected a longer "
            "--load-time"
        ) from None


@contextmanager
def making_a_circuit(budget: LoadBudget, *, only: bool) -> Iterator[None]:
    """Leave some time for forward chaining, unless a circuit is the `only` way."""
    if budget.seconds is None or only:
        yield
        return
    part = _FOR_THE_CIRCUIT * budget.left()
    try:
        with time_limit(part, _CIRCUIT):
            yield
    except LimitReached as limit:
        if not str(limit).startswith(_CIRCUIT):
            raise
        raise LimitReached(
            f"a circuit takes more than {part:.3g} of the {budget.seconds:g} seconds for loading"
        ) from None


_WHOLE, _CIRCUIT = "loading a rulesheet", "making a circuit"
