"""Makes `python -m trellis` the same as `trellis`."""

from trellis.cli import run

run()
