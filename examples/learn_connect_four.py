"""A network for Connect Four on 5x5, learnt from nothing but games against itself, in NumPy.

    python examples/learn_connect_four.py                     # learns, compares, writes the network
    python examples/learn_connect_four.py --compare 400       # plays the one that is written
    trellis play connect_four:rows=5,columns=5 \\
        --player auto:evaluate=examples/learn_connect_four.py:judge,sims=400

The search is the graph search of Trellis with the network in the place of playouts: positions that
are reached in several ways share what is known of them, and what is proven stays proven, so it is
also what the network is taught.  `docs/doors.md` explains the door, `docs/measurements.md` has what
came out.
"""

import argparse
import os
from collections import deque
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads only wait for each other here

import numpy as np

import trellis

GAME = "connect_four:rows=5,columns=5"
FILE = Path("connect_four_5x5.npz")  # where the network is written, and read by `judge`
ROWS, COLUMNS, HIDDEN = 5, 5, 128


class Network:
    """Two hidden layers; what the position is worth to who moves, and how likely each move is."""

    def __init__(self, seed=0):
        random = np.random.default_rng(seed)
        sizes = [(3 * ROWS * COLUMNS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1 + COLUMNS)]
        self.weights = []
        for into, out in sizes:
            matrix = random.normal(0, np.sqrt(2 / into), (into, out))
            self.weights += [matrix.astype(np.float32), np.zeros(out, np.float32)]
        self.weights[4] *= np.float32(0.1)  # at first nothing is better than anything else
        self.means = [np.zeros_like(each) for each in self.weights]  # of Adam
        self.squares = [np.zeros_like(each) for each in self.weights]
        self._steps = 0

    def forward(self, features):
        """Return both hidden layers, values and the logits of moves."""
        w1, b1, w2, b2, w3, b3 = self.weights
        x = features.reshape(len(features), -1)
        first = np.maximum(x @ w1 + b1, 0)
        second = np.maximum(first @ w2 + b2, 0)
        out = second @ w3 + b3
        return x, first, second, np.tanh(out[:, 0]), out[:, 1:]

    def judge(self, features, legal):
        """Answer the search: payoffs of both players, and a prior for each legal move."""
        *_, values, logits = self.forward(features)
        own = np.where(features[:, 2, 0, 0] > 0, values, -values)  # of player 0
        return np.stack([own, -own], axis=1), softmax(np.where(legal, logits, -30.0))

    def learn(self, features, values, policies, rate=1e-3, decay=1e-4):
        """Take one step of Adam; return the loss of values and the loss of moves."""
        x, first, second, told, logits = self.forward(features)
        shares, size = softmax(logits), np.float32(len(x))
        d_out = np.empty((len(x), 1 + COLUMNS), np.float32)
        d_out[:, 0] = 2 * (told - values) * (1 - told**2) / size
        d_out[:, 1:] = (shares - policies) / size
        _, _, w2, _, w3, _ = self.weights
        d_second = (d_out @ w3.T) * (second > 0)
        d_first = (d_second @ w2.T) * (first > 0)
        layers = (x, d_first), (first, d_second), (second, d_out)
        slopes = [each for into, d in layers for each in (into.T @ d, d.sum(0))]
        self._steps += 1
        for weight, slope, mean, square in zip(
            self.weights, slopes, self.means, self.squares, strict=True
        ):
            slope += decay * weight
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope**2 - square)
            unbiased = mean / (1 - 0.9**self._steps)
            spread = np.sqrt(square / (1 - 0.999**self._steps))
            weight -= rate * unbiased / (spread + 1e-8)
        moves = -(policies * np.log(shares + 1e-8)).sum(1).mean()
        return float(((told - values) ** 2).mean()), float(moves)

    def save(self, path):
        np.savez_compressed(path, *self.weights)

    @classmethod
    def load(cls, path):
        network = cls()
        with np.load(path) as file:
            network.weights = [file[name] for name in file.files]
        return network


def softmax(logits):
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def self_play(network, game, sims, random):
    """Play one game; return planes, values for who moves, and shares of visits, of each position.

    Most moves are drawn by visits at first, so that games differ.  A value that the search has
    proven is what the network learns; elsewhere it is half the result, half what the search said.
    """
    seed = int(random.integers(1 << 30))
    search = trellis.Search(
        game, evaluate=network.judge, batch=8, noise=0.25, noise_alpha=0.6, memory=8, seed=seed
    )
    position, told = game.start(), []
    while not position.is_over:
        report = search.run(sims=sims)
        shares = np.zeros(COLUMNS, np.float32)
        for line in report.moves:
            shares["abcde".index(line.move)] = line.visits
        if report.solved or not shares.any():
            shares[:] = 0
            shares["abcde".index(report.best)] = 1
        shares /= shares.sum()
        told.append((position, report.value, report.solved, shares))
        early = len(told) <= 8 and not report.solved
        move = "abcde"[random.choice(COLUMNS, p=shares)] if early else report.best
        position = position.play(move)
        if not position.is_over:
            search.advance(move)
    ends = position.payoffs()
    values = [
        value if solved else (value + ends[before.acting]) / 2 for before, value, solved, _ in told
    ]
    planes = game.planes.of(*(before for before, *_ in told))
    return planes, np.array(values, np.float32), np.array([shares for *_, shares in told])


def learn(games=4000, sims=100, seed=0, round_games=20, say=print):
    """Learn from so many games against itself; return the network."""
    game, random, network = trellis.load(GAME), np.random.default_rng(seed), Network(seed)
    memory, began = deque(maxlen=1500), perf_counter()  # of games
    for played in range(round_games, games + 1, round_games):
        memory.extend(self_play(network, game, sims, random) for _ in range(round_games))
        planes, values, policies = map(np.concatenate, zip(*memory, strict=True))
        rate = 1e-3 if played < games * 2 // 3 else 2e-4
        losses = []
        for _ in range(round_games):  # so each position comes some ten times
            chosen = random.integers(len(values), size=256)
            x, p = planes[chosen], policies[chosen]
            if random.integers(2):  # the board's mirror image is worth as much
                x, p = x[..., ::-1], p[:, ::-1]
            losses.append(network.learn(x, values[chosen], p, rate))
        if played % (10 * round_games) == 0 or played == games:
            value, moves = np.mean(losses, axis=0)
            say(
                f"{played:6,} games, {perf_counter() - began:5.0f} s: error of values "
                f"{value:.3f}, of moves {moves:.3f}"
            )
    return network


class Learnt:
    """A player that searches with a network; whatever has `choose(position)` is a player."""

    def __init__(self, network, sims):
        self.network, self.sims, self.seed = network, sims, 0

    def choose(self, position):
        self.seed += 1
        search = trellis.Search(
            position, evaluate=self.network.judge, batch=8, memory=8, seed=self.seed
        )
        return search.run(sims=self.sims).best


def compare(network, sims, games, seed=0):
    """Play against playouts with as many simulations, from openings of two random moves."""
    return trellis.run_match(
        GAME, Learnt(network, sims), f"auto:sims={sims}", games=games, opening=2, seed=seed
    )


def judge(features, legal):
    """The network in the file, for `--evaluate` and for players on the command line."""
    global _network
    if _network is None:
        _network = Network.load(FILE)
    return _network.judge(features, legal)


_network = None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=4000, help="games to learn from")
    parser.add_argument("--sims", type=int, default=100, help="simulations for each of their moves")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", type=int, metavar="GAMES", help="only play the one in FILE")
    given = parser.parse_args()
    if given.compare is None:
        network = learn(given.games, given.sims, given.seed)
        network.save(FILE)
        print(f"written to {FILE}")
    else:
        network = Network.load(FILE)
    for sims in (25, 100, 400):
        result = compare(network, sims, given.compare or 400, given.seed)
        print(
            f"{sims:4} simulations each: {result.wins_a} wins, {result.draws} draws, "
            f"{result.wins_b} losses, {result.score_a:.1%} ({result.low:.1%} to {result.high:.1%})"
        )


if __name__ == "__main__":
    main()
