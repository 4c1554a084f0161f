"""What a shell offers after some letters: games and players with their settings, choices.

Nothing here imports Numba: a shell asks at every press of the Tab key.
"""

from collections.abc import Callable, Iterable

from trellis.game.spec import Parameter, plain_value


def starting(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what offers those words that begin as what was typed."""
    known = tuple(words)

    def complete(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    return complete


def games(incomplete: str) -> list[str]:
    """Offer names of games, and after a colon their parameters."""
    from trellis.loading import registered_games

    entries = {entry.name: {p.name: p for p in entry.parameters} for entry in registered_games()}
    return _with_options(incomplete, entries)


def players(incomplete: str) -> list[str]:
    """Offer kinds of players, and after a colon their options."""
    from trellis.players.texts import KINDS

    return _with_options(incomplete, KINDS)


def _with_options(typed: str, known: dict[str, dict[str, Parameter]]) -> list[str]:
    name, colon, given = typed.partition(":")
    if not colon:
        names = [each for each in known if each.startswith(name)]
        # Whoever typed a whole name can only want to go on.
        return [f"{name}:"] if names == [name] and known[name] else names
    if name not in known:
        return []
    before, comma, last = given.rpartition(",")
    head = f"{name}:{before}{comma}"
    option, sign, value = last.partition("=")
    options = known[name]
    if sign:
        if option not in options:
            return []
        values = _values(options[option])
        return [f"{head}{option}={each}" for each in values if each.startswith(value)]
    taken = {each.partition("=")[0] for each in before.split(",")}
    return [f"{head}{each}=" for each in options if each.startswith(option) and each not in taken]


def _values(option: Parameter) -> list[str]:
    if option.choices:
        return [plain_value(each) for each in option.choices]
    if option.type is bool:
        return ["true", "false"]
    return [] if option.default is None else [plain_value(option.default)]
