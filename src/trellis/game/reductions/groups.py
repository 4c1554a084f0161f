"""Move groups: every move becomes two, a group and then a move of that group."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from trellis.game.bits import ONE, ZERO, below, hash_pair
from trellis.game.errors import BadParameter
from trellis.game.game import Game, Position, game_of
from trellis.game.reductions.base import Reduction, compiled, helper, on_inner_words
from trellis.game.rules import Moves, Random, Reals, Rules, State, Tables

Grouping = Callable[[Position, int], int | Iterable[int]]


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
    game: Game | str,
    grouping: Grouping | Callable[..., Any] | str | None = None,
    group_names: Sequence[str] | None = None,
) -> Game:
    """Make every move of a player two: choose a group, then a move of that group.

    Groups may overlap.  After the move, the group is forgotten: the position is the same by
    whatever group it was reached, so overlapping groups meet again in the graph by themselves.

    `grouping` is a function of (position, move number) that returns the number of the move's
    group, or several; or a compiled function with the signature GROUPS, which is fast; or the name
    of groups that the game knows, such as "manhattan" of go; without it the game's own groups are
    used.
    """
    game = game_of(game)
    if isinstance(grouping, str):
        return game.grouping(grouping)
    if game.is_simultaneous:
        raise BadParameter(
            f"grouped({game.spec}) is not defined: its players choose at the same moment"
        )
    function, names, fast = _grouping(game, grouping, group_names)
    fast = game.compiled and fast
    many = len(names)
    return _Grouped(
        game,
        "grouped",
        _grouped_rules(game, function, many, fast),
        state_words=game.state_words + 1,
        max_moves=max(game.max_moves, many),
        move_codes=game.move_codes + many,
        max_plies=None if game.max_plies is None else 2 * game.max_plies,
        group_names=names,
        compiled=fast,
    )


def _grouped_rules(game: Game, function: Callable[..., int], many: int, fast: bool) -> Rules:
    """Return the rules with a word behind those of the game: the group that was chosen, from 1."""
    words, codes, inner = game.state_words, game.move_codes, game.rules
    acting_, moves_, play_, key_, playout_ = (
        inner.acting, inner.moves, inner.play, inner.key, inner.playout,
    )  # fmt: skip

    def moves_of_group(tables: Tables, state: State, out: Moves, count: int) -> int:
        """Keep those of `count` moves that belong to the chosen group."""
        bit, kept = state[words] - ONE, 0
        for i in range(count):
            if (np.uint64(function(tables, state[:words], np.int64(out[i]))) >> bit) & ONE:
                out[kept] = out[i]
                kept += 1
        return kept

    moves_of_group = helper(moves_of_group, fast)

    def moves(tables: Tables, state: State, out: Moves) -> int:
        inside = state[:words]
        count = moves_(tables, inside, out)
        if acting_(tables, inside) < 0:
            return count
        if state[words] != ZERO:
            return moves_of_group(tables, state, out, count)
        groups = ZERO
        for i in range(count):
            groups |= np.uint64(function(tables, inside, np.int64(out[i])))
        kept = 0
        for group in range(many):
            if (groups >> np.uint64(group)) & ONE:
                out[kept] = codes + group
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
        first = 0
        if state[words] != ZERO:  # a group has been chosen: the next move is one of its moves
            count = moves_of_group(tables, state, buffer, moves_(tables, inside, buffer))
            play_(tables, inside, int(buffer[below(rng, count)]))
            state[words] = ZERO
            first = 1
        plies = playout_(tables, inside, rng, buffer, out)  # type: ignore[misc]
        return first + plies if plies >= 0 else plies

    rules = on_inner_words(game)._replace(
        moves=moves, play=play, key=key, playout=playout if playout_ is not None else None
    )
    return compiled(rules, fast, "grouped", inner, function, words, codes, many)


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
