"""The name of a rulesheet with parameters, as people write it: `game.kif:evaluator=forward`."""

from pathlib import Path

from trellis.game.game import Game
from trellis.game.options import options_of
from trellis.game.spec import Spec, read_options
from trellis.gdl.game import load_sheet
from trellis.gdl.options import SheetOptions


def load_sheet_spec(spec: Spec) -> Game:
    """Load a rulesheet: `game.kif`, or `game.kif:evaluator=forward`."""
    path = spec.file or Path(spec.name)
    given = read_options(spec.given, options_of(SheetOptions), "parameter", path.name)
    options = SheetOptions(**given)
    return load_sheet(
        path,
        options.evaluator,
        options.limits,
        spec.given,
        ignore_step=options.ignore_step,
        seconds=options.load_time,
        prove_seconds=options.prove_time,
    )
