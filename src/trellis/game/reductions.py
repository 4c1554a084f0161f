"""Games made from games: a search that gets one never needs to know.

unfolded(game)          positions remember the path: no transpositions, the game as a tree
folded(game)            one position for all mirror images
paranoid(game, player)  one player against all the others together
in_order(game, player)  who would choose at once chooses one after the other, for all to see
grouped(game)           a move becomes two: choose a group, then a move of it

Most add their own words behind the words of the game they are made from and wrap the functions in
closures.  For a compiled game the closures are compiled too, which takes a few seconds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numba
import numpy as np

from trellis._jit import JIT_DISABLED
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position
from trellis.game.playouts import ROUNDING
from trellis.game.rules import (
    SIGNATURES,
    Moves,
    Random,
    Reals,
    Rules,
    State,
    Tables,
)
from trellis.game.words import ALL, GOLDEN, ONE, ZERO, below, hash_pair, popcount

Grouping = Callable[[Position, int], int | Iterable[int]]


class Reduction(Game):
    """A game that wraps another and borrows its notation."""

    def __init__(
        self, inner: Game, label: str, rules: Rules, own: Tables | None = None, **facts: Any
    ) -> None:
        known: dict[str, Any] = {
            "parameters": inner.parameters,
            "players": inner.players,
            "payoff_range": inner.payoff_range,
            "constant_sum": inner.constant_sum,
            "state_words": inner.state_words,
            "max_moves": inner.max_moves,
            "move_codes": inner.move_codes,
            "max_plies": inner.max_plies,
            "compiled": inner.compiled,
            "exact_key": False,
        }
        added = int(facts.get("state_words", inner.state_words)) - inner.state_words
        known["identity"] = [*inner.identity, *[ALL] * added]
        super().__init__(rules, inner.own_tables() if own is None else own, **(known | facts))
        self.inner = inner
        self.works_in_tables = inner.works_in_tables
        self.open_ends = inner.open_ends
        self.label = label
        self.name = inner.name
        self.notation = inner.notation
        self.symbols = inner.symbols

    @property
    def _by_spec(self) -> bool:
        return False  # the spec does not say how the game was wrapped

    @property
    def spec(self) -> str:
        """Return the name of the game in the name of the reduction: `unfolded(nim)`."""
        return f"{self.label}({self.inner.spec})"

    def move_name(self, state: State, move: int) -> str:
        """Name a move as the inner game does."""
        return self.inner.move_name(self._inside(state), move)

    def outcome_name(self, state: State, move: int) -> str:
        """Name an outcome as the inner game does."""
        return self.inner.outcome_name(self._inside(state), move)

    def board(self, state: State) -> str:
        """Draw the inner position."""
        return self.inner.board(self._inside(state))

    def player_name(self, player: int) -> str:
        """Name a player as the inner game does."""
        return self.inner.player_name(player)

    def words_of_key(self, key: int) -> Sequence[int]:
        """Take a key apart as the inner game does."""
        return self.inner.words_of_key(key)

    def _inside(self, state: State) -> State:
        return state[: self.inner.state_words].copy()


_made: dict[tuple[object, ...], Rules] = {}


def _compiled(rules: Rules, compile_them: bool, *captured: object) -> Rules:
    """Compile closures to the fixed signatures; without a cache, since closures have no name.

    `captured` is all that the closures depend on, where that can be said: games that differ in
    their tables alone then share what was compiled.
    """
    if not compile_them or JIT_DISABLED:
        return rules
    if captured and captured in _made:
        return _made[captured]
    done: list[Any] = []
    for function, signature in zip(rules, SIGNATURES, strict=True):
        ready = function is None or hasattr(function, "py_func")
        done.append(function if ready else numba.njit(signature, nogil=True)(function))
    if captured:
        _made[captured] = Rules(*done)
    return Rules(*done)


def _on_inner_words(inner: Game) -> Rules:
    """Wrap every function that only looks at or changes the inner words."""
    words = inner.state_words
    acting_, moves_, payoffs_, chances_, actors_, bounds_ = (
        inner.rules.acting, inner.rules.moves, inner.rules.payoffs, inner.rules.chances,
        inner.rules.actors, inner.rules.bounds,
    )  # fmt: skip

    def acting(tables: Tables, state: State) -> int:
        return acting_(tables, state[:words])

    def moves(tables: Tables, state: State, out: Moves) -> int:
        return moves_(tables, state[:words], out)

    def payoffs(tables: Tables, state: State, out: Reals) -> None:
        payoffs_(tables, state[:words], out)

    def chances(tables: Tables, state: State, out: Reals) -> None:
        chances_(tables, state[:words], out)  # type: ignore[misc]

    def actors(tables: Tables, state: State) -> int:
        return actors_(tables, state[:words])  # type: ignore[misc]

    def bounds(tables: Tables, state: State, out: Reals) -> None:
        bounds_(tables, state[:words], out)  # type: ignore[misc]

    return Rules(
        inner.rules.start, acting, moves, inner.rules.play, payoffs, inner.rules.key,
        chances=chances if chances_ is not None else None,
        actors=actors if actors_ is not None else None,
        bounds=bounds if bounds_ is not None else None,
    )  # fmt: skip


def unfolded(game: Game) -> Game:
    """Make every path lead to a position of its own.

    One word is added: a hash of the moves played so far, so that two positions are equal only
    where the whole path is (up to collisions of 64 bits).  Proofs do not rest on that hash: two
    paths that share it are one position only where the words of the game agree as well, and then
    they have the same future, so what is proven of one holds for the other.
    """
    words = game.state_words
    inner = game.rules
    start_, play_, view_, playout_ = inner.start, inner.play, inner.view, inner.playout

    def start(tables: Tables, state: State) -> None:
        start_(tables, state[:words])
        state[words] = GOLDEN

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

    rules = _on_inner_words(game)._replace(
        start=start,
        play=play,
        key=key,
        view=view if view_ is not None else None,
        playout=playout if playout_ is not None else None,
    )
    return Reduction(game, "unfolded", _compiled(rules, game.compiled), state_words=words + 1)


def folded(game: Game) -> Game:
    """Make one position of all that mirror each other, the one with the least words.

    After a move the board may therefore be turned.  Symmetries that exchange the players are left
    alone, since what is good for one would have to be called bad.
    """
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

    if game.compiled and not JIT_DISABLED:
        fold = numba.njit(fold, nogil=True)

    def start(tables: Tables, state: State) -> None:
        start_(tables, state)
        fold(tables, state)

    def play(tables: Tables, state: State, move: int) -> None:
        play_(tables, state, move)
        fold(tables, state)

    rules = inner._replace(start=start, play=play, transform=None, map_move=None, batch=None)
    return Reduction(
        game,
        "folded",
        _compiled(rules, game.compiled, "folded", inner, images),
        exact_key=game.exact_key,
    )


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
    start_, acting_, moves_, play_, key_, actors_ = (
        inner.start, inner.acting, inner.moves, inner.play, inner.key, inner.actors,
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

    if game.compiled and not JIT_DISABLED:
        waiting = numba.njit(waiting, nogil=True)

    def start(tables: Tables, state: State) -> None:
        start_(tables, state[:words])
        state[words:] = ZERO

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

    rules = _on_inner_words(game)._replace(
        start=start, acting=acting, moves=moves, play=play, key=key, actors=None
    )
    done = _compiled(rules, game.compiled, "in_order", inner, player, first, players, words)
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


def paranoid(game: Game, player: int = 0, *, first: bool = True) -> Paranoid:
    """Set one player (who becomes player 0) against all the others, who become player 1.

    The others want nothing but to hurt that player: player 1 is paid what is missing from the
    protagonist's payoff to the sum of the least and the greatest one, so the sum is constant.

    Where several choose at once, the player chooses `first`, and the others see it: then the
    value is what the player can secure with pure play.  Or it chooses last and has seen what the
    others chose: then the value is what pure play of the others can hold it to.
    """
    if not 0 <= player < game.players:
        raise BadParameter(
            f"bad player {player} for paranoid({game.spec}): expected 0 to {game.players - 1}"
        )
    own = game.against_all(player, first=first)
    if own is not None:
        return own  # type: ignore[return-value]
    if game.is_simultaneous:
        game = in_order(game, player, first=first)
    inner = game.rules
    acting_, payoffs_, playout_, bounds_ = (
        inner.acting, inner.payoffs, inner.playout, inner.bounds,
    )  # fmt: skip
    players = game.players
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

    if game.compiled and not JIT_DISABLED:
        divide = numba.njit(nogil=True)(divide)

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
        transform=None,
        map_move=None,
        batch=None,
    )
    made = Paranoid(
        game,
        "paranoid",
        _compiled(
            rules,
            game.compiled,
            "paranoid",
            inner,
            player,
            players,
            least,
            greatest,
            adds_up,
            promised,
        ),
        players=2,
        constant_sum=total,
        exact_key=game.exact_key,
    )
    made.protagonist = player
    return made


class _Grouped(Reduction):
    # A playout draws among all moves, not a group first: groups shape the search, not the game.
    playout_is_uniform = False

    def move_name(self, state: State, move: int) -> str:
        if move >= self.inner.move_codes:
            return f"[{self.group_names[move - self.inner.move_codes]}]"
        return super().move_name(state, move)

    def board(self, state: State) -> str:
        chosen = int(state[self.inner.state_words])
        drawing = super().board(state)
        return f"{drawing}\ngroup: {self.group_names[chosen - 1]}" if chosen else drawing


def grouped(
    game: Game,
    grouping: Grouping | Callable[..., Any] | None = None,
    group_names: Sequence[str] | None = None,
) -> Game:
    """Make every move of a player two: choose a group, then a move of that group.

    Groups may overlap.  After the move, the group is forgotten: the position is the same by
    whatever group it was reached, so overlapping groups meet again in the graph by themselves.

    `grouping` is a function of (position, move number) that returns the number of the move's
    group, or several; or a compiled function with the signature GROUPS, which is fast; without
    it the game's own groups are used.
    """
    if game.is_simultaneous:
        raise BadParameter(
            f"grouped({game.spec}) is not defined: its players choose at the same moment"
        )
    function, names, fast = _grouping(game, grouping, group_names)
    words, codes, many = game.state_words, game.move_codes, len(names)
    inner = game.rules
    start_, acting_, moves_, play_, key_ = (
        inner.start, inner.acting, inner.moves, inner.play, inner.key,
    )  # fmt: skip
    playout_ = inner.playout

    def start(tables: Tables, state: State) -> None:
        start_(tables, state[:words])
        state[words] = ZERO

    def moves(tables: Tables, state: State, out: Moves) -> int:
        inside = state[:words]
        count = moves_(tables, inside, out)
        if acting_(tables, inside) < 0:
            return count
        if state[words] == ZERO:
            groups = ZERO
            for i in range(count):
                groups |= np.uint64(function(tables, inside, np.int64(out[i])))
            kept = 0
            for group in range(many):
                if (groups >> np.uint64(group)) & ONE:
                    out[kept] = codes + group
                    kept += 1
            return kept
        bit = state[words] - ONE
        kept = 0
        for i in range(count):
            if (np.uint64(function(tables, inside, np.int64(out[i]))) >> bit) & ONE:
                out[kept] = out[i]
                kept += 1
        return kept

    def play(tables: Tables, state: State, move: int) -> None:
        if move >= codes:
            state[words] = np.uint64(move - codes + 1)
        else:
            play_(tables, state[:words], move)
            state[words] = ZERO

    def key(tables: Tables, state: State) -> np.uint64:
        inside = np.uint64(key_(tables, state[:words]))
        # The number of words keeps a grouping of a grouping apart from the one inside it.
        mark = state[words] + np.uint64(words << 8)
        return inside if state[words] == ZERO else hash_pair(inside, mark)

    def playout(tables: Tables, state: State, rng: Random, buffer: Moves, out: Reals) -> int:
        inside = state[:words]
        plies = 0
        if state[words] != ZERO:
            # A group has been chosen: the next move is one of its moves.
            bit = state[words] - ONE
            count = moves_(tables, inside, buffer)
            kept = 0
            for i in range(count):
                if (np.uint64(function(tables, inside, np.int64(buffer[i]))) >> bit) & ONE:
                    buffer[kept] = buffer[i]
                    kept += 1
            play_(tables, inside, int(buffer[below(rng, kept)]))
            state[words] = ZERO
            plies = 1
        return plies + playout_(tables, inside, rng, buffer, out)  # type: ignore[misc]

    rules = _on_inner_words(game)._replace(
        start=start,
        moves=moves,
        play=play,
        key=key,
        playout=playout if playout_ is not None else None,
    )
    compiled = game.compiled and fast
    return _Grouped(
        game,
        "grouped",
        _compiled(rules, compiled, "grouped", inner, function, words, codes, many),
        state_words=words + 1,
        max_moves=max(game.max_moves, many),
        move_codes=codes + many,
        max_plies=None if game.max_plies is None else 2 * game.max_plies,
        group_names=names,
        compiled=compiled,
    )


def _grouping(
    game: Game, grouping: Any, names: Sequence[str] | None
) -> tuple[Callable[..., int], tuple[str, ...], bool]:
    """Return the grouping as a function on words, the groups' names, and whether it is fast."""
    if grouping is None:
        if game.rules.groups is None:
            raise BadParameter(f"{game.spec} has no groups of its own: expected a grouping")
        return game.rules.groups, tuple(names or game.group_names), True
    if not names:
        raise BadParameter("a grouping needs the names of its groups")
    if len(names) > 64:
        raise BadParameter(f"{len(names)} groups are too many: expected at most 64")
    if hasattr(grouping, "py_func"):
        return grouping, tuple(names), True

    def function(tables: Tables, state: State, move: int) -> int:
        found = grouping(Position(game, state.copy()), int(move))
        members = [found] if isinstance(found, int | np.integer) else list(found)
        if not members or not all(0 <= int(group) < len(names) for group in members):
            raise BadParameter(
                f"the grouping puts move {move} of {game.spec} into {members}: expected one or "
                f"more of 0 to {len(names) - 1}"
            )
        return sum({1 << int(group) for group in members})

    return function, tuple(names), False
