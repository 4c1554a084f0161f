"""How to search for a proof where nothing else is asked for: the defaults of `solve`."""

from typing import Any

DEFAULT_LIMIT = 100_000_000  # playouts
TABLE_MEMORY = 2048.0  # MiB, where every position is evaluated
SETTINGS: dict[str, Any] = {
    "c": 0.2,
    "bounds": "deep",
    "delta": -0.1,
    "memory": 1024.0,
    "when_full": "collect",
}
