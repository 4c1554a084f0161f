"""The promises every game makes, checked by walking it.

`check(game)` plays random games and looks at everything a search relies on.  Every built-in game
passes it, and so should yours: a search on a game that breaks one of these goes wrong quietly.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

import numpy as np

from trellis._kernel.deadline import stop_asked
from trellis._kernel.jit import JIT_DISABLED
from trellis._kernel.progress import Progress
from trellis.game.bits import generator, seeded
from trellis.game.errors import BrokenContract, counted
from trellis.game.game import Game, Position, game_of
from trellis.game.playouts import PlayoutRunner
from trellis.game.rules import CHANCE, NEEDLESS, NOBODY

_GUARD = -123456789  # written behind a move buffer; must still be there afterwards
_GUARD_CELLS = 16
_TOLERANCE = 1e-9
_NAMES_READ_BACK = 8  # in one position, about
_POSITIONS_VALUED = 100  # to compare a hint with what the rules say comes of moves
_MOVES_MAPPED = 12  # in one position and symmetry, about
LONGEST_WALK = 5_000  # moves of one game without a bound


@dataclass
class ContractReport:
    """What a check walked over."""

    game: str
    positions: int = 0
    games: int = 0
    most_moves: int = 0
    longest: int = 0
    finished: bool = True  # time was not up before everything was looked at
    merged: int = 0  # positions reached again by another path
    keys: dict[int, bytes] = field(default_factory=dict, repr=False)
    states: dict[bytes, tuple[int, Position]] = field(default_factory=dict, repr=False)


def check_game(
    game: Game | str,
    games: int = 20,
    seed: int = 0,
    walk: int = 300,
    progress: Progress = lambda fraction, note: None,
    seconds: float = inf,
) -> ContractReport:
    """Raise `BrokenContract` at the first broken promise; return what was walked over.

    `games` random games are checked at every move, then up to `walk` positions breadth-first
    from the start, where paths meet and equal positions must have equal keys; then playouts are
    compared.  What is left after `seconds`, or when somebody asks to stop, is not looked at, and
    the report is not `finished`.  `progress` is told how far it is.
    """
    game = game_of(game)
    report = ContractReport(game.spec)
    random, until = generator(seed), perf_counter() + seconds
    _check_facts(game)

    def look(position: Position) -> bool:
        """Check a position; tell whether there is time for more."""
        _check_position(report, position)
        progress(report.games / (games + 1), f"{report.positions:,} positions")
        report.finished = report.finished and perf_counter() < until and not stop_asked()
        return report.finished

    while report.finished and report.games < games:
        report.games += 1
        report.longest = max(report.longest, _walk_one_game(look, game, random))
    for position in _breadth_first(game, walk):
        if not report.finished or not look(position):
            break
    if report.finished:
        _check_playout(game, seed)
        _check_batch(game, seed)
    return report


def _walk_one_game(
    look: Callable[[Position], bool], game: Game, random: np.random.Generator
) -> int:
    """Check every position of one random game; return how many moves it took."""
    position, plies = game.start(), 0
    while True:
        if not look(position) or position.is_over:
            return plies
        short = game.max_plies is None or plies < game.max_plies
        more = f"more than {counted(plies, 'move')}; max_plies is {game.max_plies}"
        _require(position, short, more)
        if plies == LONGEST_WALK:
            return plies  # a game without a bound may wander; what was seen is checked
        position = _check_step(position, random)
        plies += 1


def _require(position: Position, truth: object, message: str) -> None:
    if not truth:
        raise BrokenContract(f"{position.game.spec}: {message} (position {position.code})")


def _check_facts(game: Game) -> None:
    start = game.start()
    low, high = game.payoff_range
    _require(start, low < high, f"payoff_range {game.payoff_range} is empty")
    _require(start, game.players >= 1, "a game needs a player")
    reason = "" if game.compiled else ": states must be equal when they mean the same position"
    _require(start, start.code == game.start().code, f"two starts differ{reason}")
    _require(start, not start.is_over, "the game is over before it begins")
    tells = game.identity.shape == (game.state_words,) and game.identity.any()
    _require(start, tells, f"identity must be {game.state_words} words, not all zero")
    if game.symmetries:
        stays = game.symmetries[0].players == tuple(range(game.players))
        _require(start, stays, "the first symmetry must be the identity")


def _breadth_first(game: Game, limit: int) -> Iterator[Position]:
    waiting = [game.start()]
    seen = {waiting[0]}
    for position in waiting:
        yield position
        for move in position.move_codes():
            after = position.play(move)
            if after not in seen and len(seen) < limit:
                seen.add(after)
                waiting.append(after)


def _check_position(report: ContractReport, position: Position) -> None:
    """Check everything that can be seen without moving."""
    game = position.game
    rules, tables = game.rules, game.tables
    state = position.state
    report.positions += 1

    acting = position.acting
    _require(position, NOBODY <= acting < game.players, f"acting is {acting}")
    _require(position, acting != CHANCE or game.has_chance, "chance acts without rules.chances")

    # Asking must not change anything.
    key = position.key
    fresh = position.state
    rules.acting(tables, fresh)
    rules.key(tables, fresh)
    _require(position, np.array_equal(fresh, state), "asking changed the state")

    _check_key(report, position, key)

    _require(position, game.position(position.code) == position, "the code does not read back")
    drawing = str(position)
    _require(position, drawing.strip(), "str() shows nothing")
    _require(position, drawing == str(position), "str() is not stable")

    _check_bounds(position)
    if acting == NOBODY:
        _check_payoffs(position)
        _require(position, position.actors == (), "actors after the end")
        return
    _check_moves(report, position)
    # Every symmetry times every move is a lot of playing: look at all positions near the start,
    # then at fewer and fewer.
    if report.positions < 16 or report.positions % (1 + report.positions // 16) == 0:
        _check_symmetries(position)


def _check_key(report: ContractReport, position: Position, key: int) -> None:
    """Check that keys are equal exactly when positions are, and exact where the game says so."""
    game = position.game
    identity = game.identity
    telling = position.state & identity
    words = telling.tobytes()
    if words in report.states:
        report.merged += 1
    _require(position, report.keys.setdefault(key, words) == words, "two positions share a key")
    first_key, first = report.states.setdefault(words, (key, position))
    _require(position, first_key == key, "one position has two keys")
    if first != position and not game.forgets:  # they differ in bits that are said not to matter
        same = first.acting == position.acting and first.move_codes() == position.move_codes()
        if same and first.is_over:
            same = first.payoffs() == position.payoffs()
        why = (
            "bits outside `identity` matter: two positions that differ in them alone are not alike"
        )
        _require(position, same, why)
    if game.exact_key:
        # A hash cannot be taken apart again, however seldom two positions share one.
        apart = np.array(game.words_of_key(key), np.uint64)
        whole = len(apart) == game.state_words and np.array_equal(apart & identity, telling)
        _require(position, whole, "exact_key, but words_of_key does not return the position")


def _check_moves(report: ContractReport, position: Position) -> None:
    game = position.game
    buffer = np.full(game.max_moves + _GUARD_CELLS, _GUARD, np.int32)
    state = position.state
    count = game.rules.moves(game.tables, state, buffer)
    codes = buffer[:count].tolist()
    _require(position, np.array_equal(state, position.state), "listing moves changed the state")
    bound = game.max_moves
    _require(position, 1 <= count <= bound, f"{counted(count, 'move')}; the bound is {bound}")
    _require(position, (buffer[game.max_moves :] == _GUARD).all(), "moves wrote past its buffer")
    _require(position, len(set(codes)) == count, "a move is listed twice")
    inside = all(0 <= code < game.move_codes for code in codes)
    _require(position, inside, f"a move code outside 0..{game.move_codes - 1}: {codes}")
    report.most_moves = max(report.most_moves, int(count))
    names = position.moves()
    _require(position, len(set(map(str.casefold, names))) == count, f"names not unique: {names}")
    for index, (code, name) in enumerate(zip(codes, names, strict=True)):
        _require(position, name and not any(c.isspace() for c in name), f"bad name {name!r}")
        # Reading a name back looks through all moves; of many names a few are enough.
        if index % (1 + count // _NAMES_READ_BACK) == 0:
            _require(position, position.code_of(name) == code, f"{name!r} does not read back")
    if position.acting == CHANCE:
        told = position.probabilities()
        _require(position, all(each > 0 for each in told), f"probabilities {told}")
        _require(position, abs(sum(told) - 1) < _TOLERANCE, f"probabilities add up to {sum(told)}")
    else:
        _check_actors(position)
        _check_hint(position, codes)
    groups = game.rules.groups
    if groups is not None and position.acting >= 0:
        for code in codes:
            bits = int(groups(game.tables, position.state, code))
            _require(position, bits > 0, f"move {code} belongs to no group")
            named = bits >> len(game.group_names) == 0
            _require(position, named, f"move {code} is in a nameless group")


def _check_bounds(position: Position) -> None:
    """Compare what the game says of its positions with its payoff range and its ends."""
    bounds = position.game.rules.bounds
    if bounds is None:
        return
    out = np.full(2 * position.game.players, np.nan)
    bounds(position.game.tables, position.state, out)
    least, greatest = position.game.payoff_range
    for player, (low, high) in enumerate(out.reshape(-1, 2).tolist()):
        fits = least - _TOLERANCE <= low <= high <= greatest + _TOLERANCE
        _require(position, fits, f"bounds {(low, high)} outside {(least, greatest)}")
        if position.is_over:
            payoff = position.payoffs()[player]
            holds = low - _TOLERANCE <= payoff <= high + _TOLERANCE
            _require(position, holds, f"payoff {payoff} outside bounds {(low, high)}")


def _check_actors(position: Position) -> None:
    """Where several choose together, a choice must not change what the others can do or see."""
    actors = position.actors
    _require(position, position.acting in actors, f"{position.acting} acts, actors are {actors}")
    if len(actors) == 1:
        return
    followers = [position.play(code) for code in position.move_codes()]
    # Players are asked in order; whoever is asked after this one still belongs to this moment.
    hidden = [after for after in followers if after.actors == actors]
    if hidden and hidden[0].acting > position.acting:
        first = hidden[0]
        for after in hidden:
            _require(after, after.view_key == first.view_key, "a hidden choice shows in the view")
            same = after.move_codes() == first.move_codes()
            _require(after, same, "a hidden choice changes the moves")


def _check_hint(position: Position, codes: list[int]) -> None:
    """Compare what the game tells of its moves with what the rules say comes of them."""
    game = position.game
    hint = game.rules.hint
    if hint is None:
        return
    moves, scores = np.array(codes, np.int32), np.zeros(len(codes), np.int64)
    state = position.state
    wins = int(hint(game.tables, state, moves, len(codes), scores))
    _require(position, np.array_equal(state, position.state), "a hint changed the state")
    least, greatest = game.payoff_range
    after = [position.play(code) for code in codes]
    if wins:
        won = any(p.is_over and p.payoffs()[position.acting] == greatest for p in after)
        known = None if won else _value_if_small(position, position.acting)
        holds = won or known in (None, greatest)
        _require(position, holds, "a hint says that the mover wins, which is not so")
        return
    kept = []
    for child, score, name in zip(after, scores.tolist(), position.moves(), strict=True):
        if score != NEEDLESS:
            _require(position, abs(score) <= 1 << 20, f"the hint scores {name} {score}")
            kept.append(child)
    if len(kept) == len(after):
        return
    best = _value_if_small(position, position.acting)
    if best is not None:
        values = (_value_if_small(child, position.acting) for child in kept)
        known = max((value for value in values if value is not None), default=least)
        what = f"a hint leaves out all moves that give {best:g}; the best of the others gives"
        _require(position, known == best, f"{what} {known:g}")


def _value_if_small(position: Position, player: int) -> float | None:
    """Return what a player gets if both play well, where few positions follow; else None."""
    if position.game.has_chance or position.game.max_plies is None:
        return None
    known: dict[Position, float] = {}
    waiting = [position]
    while waiting:
        here = waiting[-1]
        after = [here.play(code) for code in here.move_codes()] if here not in known else []
        open_ = {each for each in after if each not in known}
        if len(known) + len(open_) > _POSITIONS_VALUED:
            return None
        if open_:
            waiting += open_
            continue
        waiting.pop()
        if here.is_over:
            known[here] = here.payoffs()[player]
        elif after:
            best = max if here.acting == player else min
            known[here] = best(known[each] for each in after)
    return known[position]


def _check_payoffs(position: Position) -> None:
    game = position.game
    payoffs = position.payoffs()
    low, high = game.payoff_range
    inside = all(low - _TOLERANCE <= payoff <= high + _TOLERANCE for payoff in payoffs)
    _require(position, inside, f"payoffs {payoffs} outside {game.payoff_range}")
    if game.constant_sum is not None:
        same = abs(sum(payoffs) - game.constant_sum) < _TOLERANCE
        _require(position, same, f"payoffs {payoffs} do not add up to {game.constant_sum}")
    _require(position, not position.move_codes(), "moves after the end")


def _check_step(position: Position, random: np.random.Generator) -> Position:
    """Play one random move; playing on a copy must leave the original alone."""
    codes = position.move_codes()
    move = codes[int(random.integers(len(codes)))]
    before = position.code
    after = position.play(move)
    _require(position, position.code == before, "playing on a copy touched the original")
    _require(position, position.play(move) == after, f"move {move} leads to two positions")
    _require(position, after != position, f"move {move} changes nothing")
    return after


def _check_symmetries(position: Position) -> None:
    """Check that the image of a move leads to the image of where the move leads."""
    game = position.game
    if not game.symmetries:
        return
    map_move = game.rules.map_move
    if map_move is None:
        raise BrokenContract(f"{game.spec}: symmetries without map_move")
    keys = set()
    codes = position.move_codes()
    for index, symmetry in enumerate(game.symmetries):
        image = position.image(index)
        keys.add(image.canonical_key())
        expected = symmetry.players[position.acting] if position.acting >= 0 else position.acting
        _require(position, image.acting == expected, f"{symmetry.name}: {image.acting} acts")
        mapped = [int(map_move(game.tables, index, code)) for code in codes]
        same = sorted(mapped) == sorted(image.move_codes())
        _require(position, same, f"{symmetry.name}: moves differ")
        some = range(0, len(codes), 1 + len(codes) // _MOVES_MAPPED)
        for code, mapped_code in ((codes[i], mapped[i]) for i in some):
            after, image_after = position.play(code), image.play(mapped_code)
            same = after.image(index) == image_after
            _require(position, same, f"{symmetry.name}: move {code} strays")
            if after.is_over:
                payoffs, images = after.payoffs(), image_after.payoffs()
                same = payoffs == tuple(images[player] for player in symmetry.players)
                _require(after, same, f"{symmetry.name}: payoffs {payoffs} become {images}")
    _require(position, len(keys) == 1, "images have different canonical keys")


def _check_batch(game: Game, seed: int) -> None:
    """Playing many positions at once pays what playing each does, on average."""
    batch = game.rules.batch
    if batch is None or JIT_DISABLED:
        return
    games, start = 2000, game.start()
    out = np.zeros(games * game.players)
    failure = int(batch(game.tables, np.tile(start.state, games), games, seeded(seed), out))
    _require(start, failure >= 0, f"a batch of playouts fails with {failure}")
    paid = out.reshape(games, game.players)
    errors = paid.std(axis=0) / np.sqrt(games)
    _compare_with_rules(start, "batches", games, paid.mean(axis=0), errors, seed)


def _check_playout(game: Game, seed: int) -> None:
    """Check that the fast playout pays what random moves through the rules pay, on average."""
    if game.rules.playout is None or not game.playout_is_uniform:
        return
    games, start = 4000 if game.compiled and not JIT_DISABLED else 20, game.start()
    fast = PlayoutRunner(game, seed).run(start, games)
    _compare_with_rules(start, "playouts", games, fast.means, fast.errors, seed)


def _compare_with_rules(
    start: Position, what: str, games: int, means: Sequence[float], errors: Sequence[float],
    seed: int,
) -> None:  # fmt: skip
    slow = PlayoutRunner(start.game, seed + 1, own=False).run(start, games)
    for player, (mean, error) in enumerate(zip(means, errors, strict=True)):
        close = 6 * float(np.hypot(error, slow.errors[player])) + _TOLERANCE
        _require(
            start,
            abs(mean - slow.means[player]) <= close,
            f"{what} pay player {player} {mean:.4f}, "
            f"moves through the rules {slow.means[player]:.4f}",
        )
