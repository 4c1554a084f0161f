"""The behaviour of the search as one number."""

from trellis.loading import load
from trellis.search.mcts.engine import Search
from trellis.search.mcts.signature import graph_hash, signature

from places import DATA


def test_behaviour_changes_only_on_purpose():
    # Where this fails and the change was meant: `trellis bench --signature` prints the new one.
    assert signature(load) == (DATA / "signature.txt").read_text(encoding="utf-8").strip()


def test_another_seed_and_one_more_simulation_change_the_hash():
    hashes = set()
    for seed, sims in ((1, 500), (2, 500), (1, 501)):
        search = Search(load("connect_four"), seed=seed)
        search.simulate(sims)
        hashes.add(graph_hash(search))
    assert len(hashes) == 3
