"""`trellis verify`: whether a certificate of a proof holds, by the rules of the game alone."""

from pathlib import Path
from typing import Annotated

from trellis.cli.options import Argument
from trellis.cli.output import write_lines
from trellis.cli.task import GameTask


def verify(
    task: GameTask,
    file: Annotated[Path, Argument("A certificate that `trellis solve --certificate` wrote.")],
) -> None:
    """Check a certificate: every end that its strategies lead to pays what is claimed.

    Nothing is believed but the rules of the game: no search, no table, no symmetry and no hint is
    used.  A certificate that does not hold, was changed, or is about another game is refused, with
    the exit code 2.
    """
    from trellis.search.solve.verify import read_certificate
    from trellis.search.solve.verify import verify as check

    certificate = read_certificate(file)
    game = task.load()
    found = None
    with task.working(f"verify {file.name}", whole=True) as show:
        found = check(game, certificate, show)
    if found is None:
        task.give_up(f"{file} is not verified: stopped", verified=False)
        return
    name = game.player_name(0)
    after = f" after {' '.join(found.moves)}" if found.moves else ""
    claims = [
        f"{name} gets {words} {value:g}"
        for words, value in (("at least", found.at_least), ("at most", found.at_most))
        if value is not None
    ]
    content = {
        "game": found.game, "moves": list(found.moves), "at_least": found.at_least,
        "at_most": found.at_most, "positions": found.positions, "verified": True,
    }  # fmt: skip
    line = f"verified: {' and '.join(claims)} in {found.game}{after}; {found.positions:,} positions"
    task.answer(content, lambda: write_lines([line]))
