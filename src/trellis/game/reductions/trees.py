"""The game as a tree, where every path is a position, or with one position for mirror images."""

import numpy as np

from trellis.game.bits import GOLDEN, ZERO, hash_pair
from trellis.game.errors import BadParameter
from trellis.game.game import Game, game_of
from trellis.game.reductions.base import LEFT_OUT, Reduction, compiled, helper, on_inner_words
from trellis.game.rules import Moves, Random, Reals, State, Tables


def unfolded(game: Game | str) -> Game:
    """Make every path lead to a position of its own.

    One word is added: a hash of the moves played so far, so that two positions are equal only
    where the whole path is (up to collisions of 64 bits).  Proofs do not rest on that hash: two
    paths that share it are one position only where the words of the game agree as well, and then
    they have the same future, so what is proven of one holds for the other.
    """
    game = game_of(game)
    words = game.state_words
    inner = game.rules
    play_, view_, playout_ = inner.play, inner.view, inner.playout

    def play(tables: Tables, state: State, move: int) -> None:
        play_(tables, state[:words], move)
        state[words] = hash_pair(state[words], np.uint64(move))

    def key(tables: Tables, state: State) -> np.uint64:
        return hash_pair(state[words], ZERO)

    def view(tables: Tables, state: State) -> int:
        # What a chooser may know must not contain the path through a hidden choice.
        return view_(tables, state[:words])  # type: ignore[misc]

    def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
        return playout_(tables, state[:words], rng, buffer, out)  # type: ignore[misc]

    rules = on_inner_words(game, GOLDEN)._replace(
        play=play,
        key=key,
        view=view if view_ is not None else None,
        playout=playout if playout_ is not None else None,
    )
    return Reduction(game, "unfolded", compiled(rules, game.compiled), state_words=words + 1)


def folded(game: Game | str) -> Game:
    """Make one position of all that mirror each other, the one with the least words.

    After a move the board may therefore be turned.  Symmetries that exchange the players are left
    alone, since what is good for one would have to be called bad.
    """
    game = game_of(game)
    images = tuple(
        index
        for index, symmetry in enumerate(game.symmetries)
        if index and symmetry.players == tuple(range(game.players))
    )
    if not images:
        raise BadParameter(
            f"{game.spec}: nothing to fold: expected a game with a symmetry that keeps the players"
        )
    words, inner = game.state_words, game.rules
    start_, play_, transform_ = inner.start, inner.play, inner.transform

    def fold(tables: Tables, state: State) -> None:
        least, image = state.copy(), np.empty(words, np.uint64)
        for index in images:
            transform_(tables, state, index, image)  # type: ignore[misc]
            for word in range(words):
                if image[word] != least[word]:
                    if image[word] < least[word]:
                        least[:] = image
                    break
        state[:] = least

    fold = helper(fold, game.compiled)

    def start(tables: Tables, state: State) -> None:
        start_(tables, state)
        fold(tables, state)

    def play(tables: Tables, state: State, move: int) -> None:
        play_(tables, state, move)
        fold(tables, state)

    rules = inner._replace(start=start, play=play, **LEFT_OUT)
    return Reduction(
        game,
        "folded",
        compiled(rules, game.compiled, "folded", inner, images),
        exact_key=game.exact_key,
    )
