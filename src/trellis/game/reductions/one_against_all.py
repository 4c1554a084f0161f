"""One player against all the others: what it can secure, and what it can be held to."""

import numpy as np

from trellis.game.bits import ONE, ZERO, hash_pair, popcount
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position, game_of
from trellis.game.playouts import ROUNDING
from trellis.game.reductions.base import LEFT_OUT, Reduction, compiled, helper, on_inner_words
from trellis.game.rules import Moves, Random, Reals, Rules, State, Tables


class _InOrder(Reduction):
    def lift(self, position: Position) -> Position:
        """Return the same position in this game."""
        actors = position.actors
        if len(actors) > 1 and position.acting != actors[0]:
            raise BadParameter(
                f"{self.inner.spec}: {self.inner.player_name(actors[0])} has chosen already, "
                "hidden from the others: expected a position in which nobody has, or all have"
            )
        return Position(self, np.append(position.state, np.zeros(self.players, np.uint64)))

    def move_name(self, state: State, move: int) -> str:
        # The inner game names a move of who acts there: let the others choose anything first.
        inside, who = self._inside(state), int(self.rules.acting(self.tables, state))
        inner = self.inner
        buffer = np.empty(inner.max_moves, np.int32)
        while who >= 0 and int(inner.rules.acting(inner.tables, inside)) != who:
            inner.rules.moves(inner.tables, inside, buffer)
            inner.rules.play(inner.tables, inside, int(buffer[0]))
        return inner.move_name(inside, move)


def in_order(game: Game, player: int, *, first: bool) -> Game:
    """Let players who would choose at once choose one after the other, each seeing what was chosen.

    `player` chooses before all the others, or after them.  So what it can get here is at most
    what it can be sure of in the game itself, or at least that.
    """
    words, players, inner = game.state_words, game.players, game.rules
    order = [other for other in range(players) if other != player]
    turns = np.array([player, *order] if first else [*order, player], np.int64)
    acting_, moves_, play_, key_, actors_ = (
        inner.acting, inner.moves, inner.play, inner.key, inner.actors,
    )  # fmt: skip
    if actors_ is None:
        raise BadParameter(f"{game.spec}: nothing to put in order: its players take turns")

    def waiting(tables: Tables, state: State) -> int:
        """Return who of several that choose at once is next; -1 where only one acts."""
        bits = np.uint64(actors_(tables, state[:words]))
        if popcount(bits) < 2:
            return -1
        for i in range(players):
            who = turns[i]
            if (bits >> np.uint64(who)) & ONE != ZERO and state[words + who] == ZERO:
                return int(who)
        return -1

    waiting = helper(waiting, game.compiled)

    def acting(tables: Tables, state: State) -> int:
        who = waiting(tables, state)
        return acting_(tables, state[:words]) if who < 0 else who

    def moves(tables: Tables, state: State, out: Moves) -> int:
        who = waiting(tables, state)
        inside = state[:words].copy()
        while who >= 0 and acting_(tables, inside) != who:  # hidden choices change no other's moves
            moves_(tables, inside, out)
            play_(tables, inside, np.int64(out[0]))  # type: ignore[arg-type]
        return moves_(tables, inside, out)

    def play(tables: Tables, state: State, move: int) -> None:
        who = waiting(tables, state)
        if who < 0:
            play_(tables, state[:words], move)
            return
        state[words + who] = np.uint64(move + 1)
        if waiting(tables, state) >= 0:
            return
        left = 0
        for other in range(players):
            left += 1 if state[words + other] != ZERO else 0
        for _ in range(left):
            who = acting_(tables, state[:words])
            play_(tables, state[:words], np.int64(state[words + who]) - 1)  # type: ignore[arg-type]
        state[words:] = ZERO

    def key(tables: Tables, state: State) -> np.uint64:
        result = np.uint64(key_(tables, state[:words]))
        for who in range(players):
            if state[words + who] != ZERO:
                result = hash_pair(result + np.uint64(who), state[words + who])
        return result

    rules = on_inner_words(game)._replace(
        acting=acting, moves=moves, play=play, key=key, actors=None
    )
    done = compiled(rules, game.compiled, "in_order", inner, player, first, players, words)
    return _InOrder(game, "in_order", done, state_words=words + players)


class Paranoid(Reduction):
    """One player against all the others; `lift` finds a position of the game inside in it."""

    protagonist: int = 0

    def player_name(self, player: int) -> str:
        """Name the player, and the rest."""
        own = self.inner.player_name(self.protagonist)
        return own if player == 0 else f"all but {own}"

    def lift(self, position: Position) -> Position:
        """Return the same position in this game."""
        if isinstance(self.inner, _InOrder):
            position = self.inner.lift(position)
        return Position(self, position.state)

    def lower(self, state: State) -> State | None:
        """Return the position inside one of this game; None where only some have chosen."""
        if not isinstance(self.inner, _InOrder):
            return state
        words = self.inner.inner.state_words
        return None if state[words:].any() else state[:words].copy()


def paranoid(game: Game | str, player: int = 0, *, first: bool = True) -> Paranoid:
    """Set one player (who becomes player 0) against all the others, who become player 1.

    The others want nothing but to hurt that player: player 1 is paid what is missing from the
    protagonist's payoff to the sum of the least and the greatest one, so the sum is constant.

    Where several choose at once, the player chooses `first`, and the others see it: then the
    value is what the player can secure with pure play.  Or it chooses last and has seen what the
    others chose: then the value is what pure play of the others can hold it to.
    """
    game = game_of(game)
    if not 0 <= player < game.players:
        raise BadParameter(
            f"bad player {player} for paranoid({game.spec}): expected 0 to {game.players - 1}"
        )
    own = game.against_all(player, first=first)
    if own is not None:
        return own  # type: ignore[return-value]
    if game.is_simultaneous:
        game = in_order(game, player, first=first)
    made = Paranoid(
        game,
        "paranoid",
        _paranoid_rules(game, player),
        players=2,
        constant_sum=float(sum(game.payoff_range)),
        exact_key=game.exact_key,
    )
    made.protagonist = player
    return made


def _paranoid_rules(game: Game, player: int) -> Rules:
    """Return the rules with one player as player 0, and all the others as player 1."""
    inner, players = game.rules, game.players
    acting_, payoffs_, playout_, bounds_ = (
        inner.acting, inner.payoffs, inner.playout, inner.bounds,
    )  # fmt: skip
    least, greatest = map(float, game.payoff_range)
    total, slack = least + greatest, ROUNDING * (greatest - least)
    adds_up = game.constant_sum is not None
    promised = 0.0 if game.constant_sum is None else float(game.constant_sum)

    def acting(tables: Tables, state: State) -> int:
        who = acting_(tables, state)
        if who < 0:
            return who
        return 0 if who == player else 1

    def divide(each: Reals, out: Reals) -> None:
        # Here payoffs add up by construction; whether they do inside nobody else would see.
        added, kept = 0.0, True
        for one in range(players):
            added += each[one]
            kept &= least - slack <= each[one] <= greatest + slack
        if adds_up:
            kept &= abs(added - promised) <= slack
        out[0] = each[player]
        out[1] = total - each[player] if kept else np.nan

    divide = helper(divide, game.compiled)

    def payoffs(tables: Tables, state: State, out: Reals) -> None:
        each = np.zeros(players, np.float64)
        payoffs_(tables, state, each)
        divide(each, out)

    def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
        each = np.zeros(players, np.float64)
        plies = playout_(tables, state, rng, buffer, each)  # type: ignore[misc]
        divide(each, out)
        return plies

    def bounds(tables: Tables, state: State, out: Reals) -> None:
        each = np.zeros(2 * players, np.float64)
        bounds_(tables, state, each)  # type: ignore[misc]
        out[0], out[1] = each[2 * player], each[2 * player + 1]
        out[2], out[3] = total - out[1], total - out[0]

    rules = inner._replace(
        acting=acting,
        payoffs=payoffs,
        playout=playout if playout_ is not None else None,
        bounds=bounds if bounds_ is not None else None,
        **LEFT_OUT,
    )
    return compiled(
        rules, game.compiled, "paranoid", inner, player, players, least, greatest, adds_up, promised
    )
