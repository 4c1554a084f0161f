"""Backups by name: how results go up the graph, what each needs, and which kernel does it.

>>> BACKUPS["exact"].deep
True

Nothing here imports Numba: kernels are named, and looked up when a search is made.  A backup of the
user's own (`Search(game, backup=my_backup)`) is one more record, made by `worth`.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from trellis.game.errors import BadParameter


@dataclass(frozen=True)
class Backup:
    """How results go up the graph, and what that needs.

    `kernel` is the name of a function in `backup_kernels` with the signature `APPLY`; it is called
    after the path was credited, or in the place of that where the backup credits `everywhere`.
    Without one, crediting the path is all there is to do.
    """

    name: str
    kernel: str = ""
    everywhere: bool = False  # every edge above the leaf counts the playout, not the path alone
    deep: bool = False  # adapted values of depth 2 and more are kept
    anew: bool = False  # ... computed anew for the nodes of the path, out of date elsewhere
    buckets: bool = False  # ... put right everywhere, nodes waiting in buckets by turn
    worth: Any = None  # a `Worth`: somebody's own function that says what a node is worth

    def function(self) -> Any:
        """Return the kernel; that of a backup without one is never called."""
        return getattr(
            import_module("trellis.search.mcts.backup_kernels"), self.kernel or "no_backup"
        )

    def list_entries(self, *, finite: bool, infinite: bool) -> tuple[int, int, int]:
        """Return how many entries a node needs in the work lists `work`, `links` and `olds`.

        `finite` and `infinite` say which depths of 2 and more are kept.
        """
        if self.everywhere:
            return 1, 0, 0
        if self.buckets and (finite or infinite):
            return 2 if finite else 1, 1 if infinite else 0, 2 if finite else 1
        return (1, 0, 0) if finite or infinite else (0, 0, 0)  # to compute them anew


BACKUPS: dict[str, Backup] = {}


def register(backup: Backup) -> Backup:
    """Make a backup known by its name."""
    if backup.name in BACKUPS:
        raise BadParameter(f"backup {backup.name} is there already: expected another name")
    BACKUPS[backup.name] = backup
    return backup


register(Backup("path"))
register(Backup("all", "credit_everywhere", everywhere=True))
register(Backup("exact", "update_exactly", deep=True, buckets=True))
register(Backup("recompute", "recompute_path", deep=True, anew=True))


def own_backup(worth: Any) -> Backup:
    """Return the record of a backup of the user's own."""
    return Backup(worth.name, "recompute_worth", deep=True, anew=True, worth=worth)
