"""A run on a Ray cluster of several nodes, one of which dies: `ray_runs.py FOLDER` prints a table.

The head has no processor to work with, so all jobs are done by two other nodes.
"""

import json
import os
import sys
import warnings
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from laboratory import experiment, samples_of
from trellis.game.errors import TrellisError
from trellis.lab.executors.ray_cluster import RayCluster
from trellis.lab.record import Record
from trellis.lab.running import Run

STORE = 80 << 20  # bytes: /dev/shm may be small
JOBS_BEFORE = 3  # that have come back when the node dies


def main():
    """Run, kill a node, and print what is on record; then kill the head in another run."""
    # Else a busy machine hardly ever runs them.  The name is Ray's.
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
    warnings.simplefilter("error")
    from ray.cluster_utils import Cluster

    sizes = {"object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **sizes})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
    cluster.wait_for_nodes()

    def kill_node(share, note):
        if len(nodes) == 2 and len(record.jobs()) >= JOBS_BEFORE:
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    with closing(_Counting(Path(sys.argv[1]) / "record")) as record, record.leading():
        made = experiment(samples=400, batch=20)
        run = Run(made, "smoke", record, progress=kill_node)
        table = samples_of(run.go(lambda: RayCluster(cluster.address)))
        found = {"table": table, "keys": record.jobs(), "attempts": record.attempts()}
        found["nodes"] = len(nodes)
    try:
        record = Record(":memory:")
        endless = experiment(samples=1_000_000, batch=20)
        end = {"head": cluster.head_node}

        def kill_head(share, note):
            if end and [*record.rows()]:
                end.pop("head").kill_gcs_server()

        Run(endless, "smoke", record, progress=kill_head).go(lambda: RayCluster(cluster.address))
    except TrellisError as error:
        found["without_head"] = str(error)
    print(json.dumps(found), flush=True)


class _Counting(Record):
    """A record that tells the keys of its jobs."""

    def jobs(self):
        return [row["key"] for row in self.rows()]


if __name__ == "__main__":
    main()
