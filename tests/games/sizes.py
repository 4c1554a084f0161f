"""Which sizes of each game the tests walk over: one list for the contract, OpenSpiel and more.

Every game of the catalogue must have a line here; a test checks that.
"""

SIZES: dict[str, list[str]] = {
    "connect_four": ["", "rows=4,columns=4", "rows=3,columns=5,x_in_row=3", "rows=5,columns=10"],
    "tic_tac_toe": [""],
}


def specs(name: str) -> list[str]:
    """All tested sizes of one game, as text for `load`."""
    return [f"{name}:{settings}" if settings else name for settings in SIZES[name]]


ALL = [spec for name in SIZES for spec in specs(name)]
