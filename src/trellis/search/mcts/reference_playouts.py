"""The playouts of the plain-Python search: what a simulation comes to below its last node."""

import numpy as np

from trellis.game.bits import below
from trellis.game.evaluation import Evaluation
from trellis.game.game import Game, Position
from trellis.game.playouts import ENDLESS, LONGEST_PLAYOUT, draw_outcome
from trellis.game.rules import Random, State, words_of_codes
from trellis.search.mcts.params import Params
from trellis.search.mcts.reference_graph import Path
from trellis.search.mcts.settings import Settings


class ReferencePlayouts:
    """The third step of a simulation, and how moves are drawn."""

    game: Game
    params: Params
    settings: Settings
    rng: Random
    evaluation: Evaluation | None
    _bounded: bool
    _played: set[tuple[int, int]]  # who made which move in the simulation

    def _finish(self, path: Path) -> list[float]:
        """Return what everybody gets: what is proven, or what a playout comes to."""
        params, leaf = self.params, path.nodes[-1]
        if self._bounded and leaf.solved and not path.repeated:
            return [leaf.low, params.least + params.greatest - leaf.low][: params.players]
        if self.evaluation and path.position.acting >= 0:
            evaluation = self.evaluation
            value = evaluation.function(evaluation.weights, self.game.tables, path.position.state)
            return [value, params.least + params.greatest - value][: params.players]
        by_itself = params.own_playout and not params.decisive and params.amaf_at < 0
        if by_itself or params.marked_playout:
            payoffs = self._play_by_itself(path.position.state)
        else:
            payoffs = self._play_out(path.position)
        return payoffs or [(params.least + params.greatest) / 2] * params.players

    def _play_by_itself(self, state: State) -> list[float] | None:
        """Let the game play to the end; return nothing where there is none."""
        game, players = self.game, self.params.players
        if self.settings.playouts not in ("own", "rules"):
            game = game.with_playouts(self.settings.playouts)
        rules = game.rules
        out, buffer = np.zeros(players), np.zeros(game.max_moves, np.int32)
        if self.params.marked_playout and rules.marked_playout is not None:
            made = np.zeros(players * words_of_codes(game.move_codes), np.uint64)
            plies = rules.marked_playout(game.tables, state, self.rng, buffer, made, out)
            marks = np.unpackbits(made.view(np.uint8), bitorder="little").reshape(players, -1)
            self._played.update(zip(*(each.tolist() for each in marks.nonzero()), strict=True))
        elif rules.playout is not None:
            plies = rules.playout(game.tables, state, self.rng, buffer, out)
        return None if plies == ENDLESS else out.tolist()

    def _play_out(self, position: Position) -> list[float] | None:
        """Play to the end through the rules; return nothing where there is none."""
        for _ in range(LONGEST_PLAYOUT):
            if position.is_over:
                break
            if position.is_chance:
                move = self._draw_outcome(position)[0]
            else:
                move = self._draw(position, position.move_codes())
                self._played.add((position.acting, move))
            position = position.play(move)
        return list(position.payoffs()) if position.is_over else None

    def _draw_outcome(self, position: Position) -> tuple[int, float]:
        """Draw what chance does; return how probable that was besides."""
        probabilities = position.probabilities()
        drawn = draw_outcome(self.rng, np.array(probabilities), len(probabilities))
        return position.move_codes()[drawn], probabilities[drawn]

    def _draw(self, position: Position, codes: list[int]) -> int:
        """Draw a move; with `decisive` a winning one first, a losing one last."""
        if not self.params.decisive:
            return codes[below(self.rng, len(codes))]
        for code in codes:
            if self._wins(position, code):
                return code
        left, drawn = [*codes], []
        while left:
            i = below(self.rng, len(left))
            drawn.append(left[i])
            after = position.play(left[i])
            others = after.acting >= 0 and after.acting != position.acting
            if not (others and any(self._wins(after, reply) for reply in after.move_codes())):
                return left[i]
            left[i] = left[-1]
            left.pop()
        return drawn[0]

    def _wins(self, position: Position, code: int) -> bool:
        """Tell whether a move ends the game with the most its player can get."""
        after = position.play(code)
        return after.is_over and after.payoffs()[position.acting] == self.params.greatest
