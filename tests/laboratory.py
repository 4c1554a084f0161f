"""Small experiments for tests of the laboratory, and what to compare of their results."""

import json

from trellis.lab.experiment import Cell, Experiment, Scale


def experiment(*, samples=12, batch=2, cells=None, seed=0, **more):
    """Return an experiment of random games, which take a millisecond each."""
    games = {"nim": {}, "tic_tac_toe": {}, "opened": {"game": "tic_tac_toe", "opening": 2}}
    cells = cells or tuple(
        Cell(name, {"game": name, "a": "random", "b": "random", **settings})
        for name, settings in games.items()
    )
    scales = {"smoke": Scale(samples)}
    return Experiment("tiny", "tiny", "match", cells, scales, batch=batch, seed=seed, **more)


def samples_of(results):
    """Return all samples of results as text: the same is the same byte for byte."""
    return json.dumps([*results.samples()], sort_keys=True)
