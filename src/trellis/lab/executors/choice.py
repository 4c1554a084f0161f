"""Choosing where jobs are done: one place for commands and for programs."""

from collections.abc import Callable

from trellis.lab.executors import Executor
from trellis.lab.executors.local import local_executor


def executor_maker(workers: int = 1, ray: str | None = None) -> tuple[Callable[[], Executor], str]:
    """Return what makes an executor when there is work, and a few words about it."""
    if ray is None:
        return lambda: local_executor(workers), (
            "1 process" if workers == 1 else f"{workers} processes"
        )

    def on_ray() -> Executor:
        from trellis.lab.executors.ray_cluster import RayCluster

        return RayCluster(ray)

    return on_ray, f"Ray, {ray}"
