"""Chapter 4 of Saffidine's thesis: what score bounds are, and what seki and semeai are worth.

Worked figures; how often random play wins a race of liberties (semeai); what strings with two
shared liberties are worth (seki).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of
from trellis.lab.papers.thesis_games import SOURCE

ELSEWHERE = 0.8
_ONCE = three_scales(Scale(1), 1, 1)


def experiments() -> list[Experiment]:
    """Return the experiments of the chapter, in its order."""
    return [_cut(), _bias(), _positions(), _semeai("4.1"), _semeai("4.2"), _seki()]


def _cell(name: str, example: str, case: str, published: Published | None = None) -> Cell:
    settings = {"paper": "thesis_bounds", "example": example, "case": case}
    return Cell(name, settings, published)


# -- figures 4.1 to 4.4 ----------------------------------------------------------------------


class CutTree:
    """Figure 4.1: in a, Max has c, worth a half, and d, where Min has f, worth a half.

    The moves b and e lead on, so that what they are worth takes a while to prove.
    """

    payoff_range = (0.0, 1.0)
    constant_sum = 1.0
    max_plies = 4
    _ENDS: Mapping[str, float] = {"c": 0.5, "df": 0.5}

    def start(self) -> str:
        """Return the root, a."""
        return ""

    def moves(self, path: str) -> list[str]:
        """List the moves: by name in the figure, then three everywhere."""
        named = {"": ["b", "c", "d"], "d": ["e", "f"]}
        if path in named:
            return named[path]
        return [] if path in self._ENDS or len(path) == self.max_plies else ["1", "2", "3"]

    def play(self, path: str, move: str) -> str:
        """Return the path one move longer."""
        return path + move

    def payoffs(self, path: str) -> tuple[float, float]:
        """Pay a half at the named ends, elsewhere 1 where the last moves of both agree."""
        score = self._ENDS.get(path, 1.0 if path[-1:] == path[-2:-1] else 0.0)
        return score, 1.0 - score


def cut(case: str) -> tuple[float, str]:
    """Grow the tree of figure 4.1 and tell a bound, or how often d is looked at afterwards."""
    from trellis.loading import load
    from trellis.search.mcts.engine import Search
    from trellis.search.mcts.reporting import edge_lines
    from trellis.search.mcts.settings import Settings

    what, _, mode = case.partition(",")
    settings = Settings(select="uct0", bounds=mode or "cuts", memory=1.0)
    search = Search(load(CutTree()), settings, seed=1)
    start = search.position
    codes = {name: start.code_of(name) for name in ("c", "d")}
    codes["f"] = start.play(codes["d"]).code_of("f")
    for script in ([codes["c"]], [codes["d"]], [codes["d"], codes["f"]]):
        search.simulate(1, script)
    if what == "d-visits":

        def visits() -> int:
            lines = edge_lines(search, search.root, start)
            return sum(line.visits for line in lines if line.code == codes["d"])

        before = visits()
        search.simulate(10_000)
        return float(visits() - before), f"{visits() - before}"
    lines = {line.code: line for line in edge_lines(search, search.root, start)}
    known = {
        "a-pess": search.bounds[0], "a-opti": search.bounds[1],
        "d-pess": lines[codes["d"]].low, "d-opti": lines[codes["d"]].high,
    }  # fmt: skip
    return known[what], f"{known[what]:g}"


def _cut() -> Experiment:
    bounds = ("a-pess", "a-opti", "d-pess", "d-opti")
    return Experiment(
        name="thesis-figure-4.1", title="A node is cut by score bounds", measure="worked",
        source=f"{SOURCE}, figure 4.1", scales=_ONCE, batch=1,
        cells=(
            *(_cell(each, "cut", each) for each in bounds),
            _cell("d-visits-cuts", "cut", "d-visits,cuts", Published(0.0, "0")),
            _cell("d-visits-plain", "cut", "d-visits,plain"),
        ),
        claims=(
            Claim("d is not looked at again", "exact", {"cells": "d-visits-cuts"}),
            Claim("it is where nothing is cut", "above", {"cells": "d-visits-plain", "than": 0}),
        ),
        deviations=("below b and e, which the figure leaves open, there are moves of our own",),
    )  # fmt: skip


# Means and bounds of b and c, which obey what the text says of figure 4.2.
_B, _C = (0.60, 0.0, 0.7), (0.55, 0.5, 1.0)


def bias(case: str) -> tuple[float, str]:
    """Work out which child of figure 4.2 is chosen at a bias, or from which bias on it is c."""
    if case == "turning":
        # With gamma = 0 the two are worth the same where the means differ by delta times bounds.
        delta = (_B[0] - _C[0]) / (_C[2] - _B[2])
        return delta, f"{delta:.4f}"
    gamma, delta = map(float, case.split(","))
    worth = [mean + gamma * pess + delta * opti for mean, pess, opti in (_B, _C)]
    return worth[1] - worth[0], "b" if worth[0] > worth[1] else "c"


def _bias() -> Experiment:
    cases = {"none": "0,0", "delta=0.5": "0,0.5", "gamma=0.5": "0.5,0", "delta=-0.1": "0,-0.1"}
    printed = {"none": "b", "delta=0.5": "c", "gamma=0.5": "c"}
    return Experiment(
        name="thesis-figure-4.2", title="Bounds may guide the selection", measure="worked",
        source=f"{SOURCE}, figure 4.2", scales=_ONCE, batch=1,
        cells=(
            *(
                _cell(name, "bias", case, Published(text=printed.get(name, "")))
                for name, case in cases.items()
            ),
            _cell("turning-point", "bias", "turning"),
        ),
        claims=(
            Claim(
                "means prefer b, and bounds with a positive bias c", "exact",
                {"cells": "none delta=0.5 gamma=0.5"},
            ),
        ),
        deviations=(
            ("the text has no numbers of the figure: these have c below b in the mean and above in "
            "both bounds, as it says"),
        ),
        notes=(
            ("the bias that the thesis found best for Connect Four, delta = -0.1, prefers b: it "
            "turns away from optimistic bounds"),
        ),
    )  # fmt: skip


def position(case: str) -> tuple[float, str]:
    """Tell who wins a race of figure 4.3 or 4.4 with best play, or how often at random."""
    kind, _, liberties = case.partition(",")
    first, second = map(int, liberties.split(","))
    if kind == "random":
        share = semeai_wins(first, second)
        return float(share), rounded(share)
    if kind == "semeai":
        from trellis.loading import load
        from trellis.search.solve.proof import solve

        outcome = solve(load("semeai", own=first, opponent=second)).outcome
    else:
        outcome = seki_on_board(first, second) if kind == "board" else seki_outcome(first, second)
    return _worth(outcome), _WORDS.get(str(outcome), "open")


def _positions() -> Experiment:
    return Experiment(
        name="thesis-figure-4.3", title="Two semeais and a seki", measure="worked",
        source=f"{SOURCE}, figures 4.3 and 4.4", batch=1,
        scales={**_ONCE, "smoke": Scale(1, "*-random lost seki")},
        cells=(
            _cell("unsettled-random", "position", "random,9,9", Published(text="0.50")),
            _cell("unsettled", "position", "semeai,9,9", Published(text="Won")),
            _cell("lost-random", "position", "random,8,9", Published(text="0.45")),
            _cell("lost", "position", "semeai,8,9", Published(text="Lost")),
            _cell("seki", "position", "seki,3,4", Published(text="Draw")),
            _cell("seki-board", "position", "board,3,4", Published(text="Draw")),
        ),
        claims=(Claim("all is as the text says", "exact"),),
        deviations=(
            ("liberties are filled in any order, so the boards of figure 4.3 are nine liberties "
            "against nine, and eight against nine with the side of eight to move"),
        ),
    )  # fmt: skip


# -- tables 4.1 to 4.3 -----------------------------------------------------------------------


def semeai_wins(own: int, opponent: int, elsewhere: float = 0.0) -> Fraction:
    """Return how often black, who begins, wins a semeai at random: exactly."""
    from trellis.lab.random_play import random_play_value
    from trellis.loading import load

    game = load("semeai", own=own, opponent=opponent, elsewhere=elsewhere)
    return (1 + random_play_value(game.start())) / 2


def rounded(share: Fraction) -> str:
    """Write a share with two digits, as the thesis does; halves are exact, and go up."""
    return f"{int((share * 200 + 1) / 2) / 100:.2f}"


def semeai(case: str) -> tuple[float, str]:
    """Compute a cell of tables 4.1 and 4.2: liberties of one's own, the opponent's, elsewhere."""
    own, opponent, elsewhere = case.split(",")
    share = semeai_wins(int(own), int(opponent), float(elsewhere))
    return float(share), rounded(share)


def _semeai(table: str) -> Experiment:
    elsewhere = 0.0 if table == "4.1" else ELSEWHERE
    file = "thesis_table4.1_semeai_p0.tsv" if table == "4.1" else "thesis_table4.2_semeai_p80.tsv"
    cells = tuple(
        Cell(
            f"{row[0]},{column}",
            {"paper": "thesis_bounds", "example": "semeai",
             "case": f"{row[0]},{column},{elsewhere}"},
            Published(text=printed), row=f"own {row[0]}", column=f"opponent {column}",
        )
        for row in rows_of(file)
        for column, printed in enumerate(row[1:], start=1)
    )  # fmt: skip
    where = "always in it" if table == "4.1" else "elsewhere four times of five"
    return Experiment(
        name=f"thesis-table-{table}", title=f"Semeai: wins of random play, {where}",
        measure="worked", source=f"{SOURCE}, table {table}", cells=cells, batch=9,
        scales={**_ONCE, "smoke": Scale(1, "1,? 2,? 9,1 3,3")},
        claims=(Claim("every share is as printed", "exact"),),
        notes=(
            ("the tables are the same, and rightly: a move elsewhere changes who is to move and "
            "nothing else, which cancels out"),
        ),
        plot=Plot("heat"),
    )  # fmt: skip


_WORDS = {"first": "Won", "second": "Lost", "draw": "Draw"}


def _worth(outcome: str | None) -> float:
    return {"first": 1.0, "second": -1.0, "draw": 0.0}.get(str(outcome), float("nan"))


def seki_outcome(most: int, least: int) -> str | None:
    """Return who wins a seki of so many liberties of Max and of Min, proven; None where not."""
    from trellis.loading import load
    from trellis.search.solve.proof import solve

    return solve(load("seki", max=most, min=least)).outcome


def seki_on_board(most: int, least: int) -> str | None:
    """Return who wins the same seki on a board of Go, proven by its rules; None where not."""
    from trellis.games.go.problem import GoProblem
    from trellis.search.solve.proof import solve
    from trellis.sgf.problem_file import problem_of_diagram

    return solve(GoProblem(problem_of_diagram(seki_diagram(most, least)))).outcome


def seki(case: str) -> tuple[float, str]:
    """Prove a cell of table 4.3: the abstract game or a board, liberties of Min, of Max."""
    kind, least, most = case.split(",")
    prove = seki_outcome if kind == "game" else seki_on_board
    outcome = prove(int(most), int(least))
    return _worth(outcome), _WORDS.get(str(outcome), "open")


def seki_diagram(most: int, least: int, shared: int = 2) -> str:
    """Return a seki, or without shared liberties a semeai, as a diagram of a board of Go.

    From the top: room of the white wall, that wall, black's liberties, black's stones, shared
    liberties, white's stones, their liberties, the black wall and its room.  A stone on a liberty
    is connected to the own string or wall, so that nothing but the two strings can be taken.
    """
    width = max(most, least, shared)
    rows = [
        "." * width, "O" * width, "C" * most + "B" * (width - most), "B" * width,
        "C" * shared + "B" * (width - shared), "W" * width, "C" * least + "W" * (width - least),
        "X" * width, "." * width,
    ]  # fmt: skip
    if not shared:
        del rows[4]
    return "\n".join(["black to play", *rows])


def _seki() -> Experiment:
    titles = {"game": "the abstract game", "board": "on a board, by the rules of Go"}
    cells = tuple(
        Cell(
            f"{kind},{row[0]},{column}",
            {"paper": "thesis_bounds", "example": "seki", "case": f"{kind},{row[0]},{column}"},
            Published(text=printed), row=f"Min {row[0]}", column=f"Max {column}", table=title,
        )
        for kind, title in titles.items()
        for row in rows_of("thesis_table4.3_seki_results.tsv")
        for column, printed in enumerate(row[1:], start=1)
    )  # fmt: skip
    return Experiment(
        name="thesis-table-4.3", title="What seki with two shared liberties are worth",
        measure="worked", source=f"{SOURCE}, table 4.3", cells=cells, batch=1,
        scales={**_ONCE, "smoke": Scale(1, "game,1,? game,2,? board,1,1")},
        claims=(
            Claim("the abstract game is worth what is printed", "exact", {"cells": "game,*"}),
            Claim("so are positions on a board of Go", "exact", {"cells": "board,*"}),
        ),
        deviations=(
            ("what the thesis leaves open: a player may pass, two passes in a row are a draw, a "
            "string without liberties is taken, the mover's opponent's first, and Max begins"),
        ),
        notes=("without passes other values come out",),
    )  # fmt: skip


EXAMPLES: Mapping[str, Callable[[str], tuple[float, str]]] = {
    "cut": cut, "bias": bias, "position": position, "semeai": semeai, "seki": seki,
}  # fmt: skip
