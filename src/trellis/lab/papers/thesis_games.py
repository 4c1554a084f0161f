"""Chapters 2 and 3 of Saffidine's thesis: Nim's automaton, predicates of GDL, beside Prolog."""

from collections.abc import Callable, Mapping

from trellis.lab.experiment import Cell, Claim, Experiment, Plot, Published, Scale, three_scales
from trellis.lab.papers.data import rows_of

SOURCE = "Saffidine, Some improvements for Monte-Carlo tree search, master's thesis, 2010"
NIM = "nim:pile_sizes=5,max_take=3,is_misere=false"
_ONCE = three_scales(Scale(1), 1, 1)


def experiments() -> list[Experiment]:
    """Return the experiments of both chapters."""
    return [_nim("2.1"), _nim("2.2"), _predicates(), _prolog()]


def _cell(name: str, example: str, case: str, published: Published | None = None) -> Cell:
    settings = {"paper": "thesis_games", "example": example, "case": case}
    return Cell(name, settings, published)


# -- figures 2.1 and 2.2 ---------------------------------------------------------------------


def nim(case: str) -> tuple[float, str]:
    """Count states or edges of Nim's automaton, unfolded or not, or compare the two."""
    from trellis.game.automaton import automaton, bisimilar
    from trellis.game.reductions import unfolded
    from trellis.loading import load

    game = load(NIM)
    graph, tree = automaton(game), automaton(unfolded(game))
    smallest = graph.minimised()
    counts = {
        "states": graph.states, "edges": len(graph.edges), "smallest-states": smallest.states,
        "smallest-edges": len(smallest.edges), "unfolded-states": tree.states,
        "unfolded-edges": len(tree.edges),
    }  # fmt: skip
    if case == "bisimilar":
        same = bisimilar(graph, tree)
        return float(same), "yes" if same else "no"
    return float(counts[case]), f"{counts[case]}"


def _nim(figure: str) -> Experiment:
    if figure == "2.1":
        title = "Nim with a heap of five: the automaton"
        cells: tuple[Cell, ...] = (
            _cell("states", "nim", "states"),
            _cell("edges", "nim", "edges", Published(16, "16")),
            _cell("smallest-states", "nim", "smallest-states"),
            _cell("smallest-edges", "nim", "smallest-edges", Published(16, "16")),
        )
        claims: tuple[Claim, ...] = (Claim("the automaton has 16 edges", "exact"),)
        notes: tuple[str, ...] = (
            (
                "a state is a heap and who is to move: ten can be reached, and no two of them "
                "behave alike, so no automaton of this game has fewer than 18 edges; which one the "
                "thesis counted is not known"
            ),
        )
    else:
        title = "Nim with a heap of five: the unfolding"
        cells = (
            _cell("states", "nim", "unfolded-states"),
            _cell("edges", "nim", "unfolded-edges", Published(27, "27")),
            _cell("bisimilar", "nim", "bisimilar", Published(1, "yes")),
        )
        claims = (
            Claim("the unfolding has 27 edges", "exact", {"cells": "edges"}),
            Claim("nobody can tell it from the automaton", "exact", {"cells": "bisimilar"}),
        )
        notes = ()
    return Experiment(
        name=f"thesis-figure-{figure}", title=title, measure="worked", cells=cells, scales=_ONCE,
        source=f"{SOURCE}, figure {figure} and section 2.3", claims=claims, notes=notes, batch=1,
        deviations=("the figures are drawings; the numbers of edges are those of the text",),
    )  # fmt: skip


# -- table 3.1 -------------------------------------------------------------------------------

# A small sheet without a finding, to which rules are added that may have one.
FRAME = """
(role white) (role black)
(init (step 1))
(legal white go) (<= (legal black go) (role black))
(<= (next (step 2)) (does white go) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal ?role 50) (role ?role))
"""
_ARGUMENTS = {
    "does": "white go", "goal": "white 50", "init": "(step 1)", "legal": "white go",
    "next": "(step 1)", "role": "green", "terminal": "", "true": "(step 1)",
}  # fmt: skip


def predicate(case: str) -> tuple[float, str]:
    """Ask our checker where a predicate may stand, and with how many arguments."""
    from trellis.gdl.checking.check import check
    from trellis.gdl.language.kif import read
    from trellis.gdl.language.terms import ARITIES

    sentence = f"({case} {_ARGUMENTS[case]})" if _ARGUMENTS[case] else case
    places = {
        "base": sentence,
        "body": f"(<= seen {sentence}) (<= (next (step 3)) seen)",
        "head": f"(<= {sentence} (role white))",
    }
    allowed = [
        place
        for place, text in places.items()
        if all(finding.kind not in ("error", "warning") for finding in check(read(FRAME + text)))
    ]
    return float(ARITIES[case]), f"{ARITIES[case]}: {', '.join(allowed)}"


def _predicates() -> Experiment:
    cells = tuple(
        _cell(name, "predicate", name, Published(float(arity), f"{arity}: {places}"))
        for name, arity, places in rows_of("thesis_table3.1_gdl_predicates.tsv")
    )
    return Experiment(
        name="thesis-table-3.1",
        title="Predicates of GDL: how many arguments, and where they may stand",
        measure="worked",
        cells=cells,
        scales=_ONCE,
        source=f"{SOURCE}, table 3.1",
        claims=(Claim("every predicate stands where the table says", "exact"),),
        deviations=(
            "what may stand where is what our checker accepts without an error or a warning",
        ),
        notes=(
            (
                "role: rulesheets ask in bodies whether somebody is a player; our checker accepts "
                "that, and the table does not list it"
            ),
            "next: a fact that holds after every move is accepted here, and not listed there",
        ),
        batch=1,
    )


# -- section 3.4 -----------------------------------------------------------------------------

_SHEETS = ("tic_tac_toe", "connect_four", "breakthrough", "othello")
_ENGINES = {
    "prolog": ("swipl", ""),
    "forward": ("trellis", ":evaluator=forward"),
    "ours": ("trellis", ""),
}


def _prolog() -> Experiment:
    said = {
        "tic_tac_toe": "5 to 20 % faster than Prolog", "connect_four": "80 % slower than Prolog",
    }  # fmt: skip
    cells = tuple(
        Cell(
            f"{sheet},{name}", {"game": f"gdl:{sheet}{options}", "engine": engine, "seconds": 2.0},
            Published(text=said[sheet]) if name == "forward" and sheet in said else None,
            row=sheet, column=name,
        )
        for sheet in _SHEETS
        for name, (engine, options) in _ENGINES.items()
    )  # fmt: skip
    ratio = {"of": "tic_tac_toe,forward", "to": "tic_tac_toe,prolog"}
    slow = {"of": "connect_four,forward", "to": "connect_four,prolog"}
    return Experiment(
        name="thesis-section-3.4",
        title="Random games a second: forward chaining and circuits beside Prolog",
        measure="rate",
        cells=cells,
        scales=three_scales(Scale(2, "tic_tac_toe,*", {"seconds": 0.2}), 10, 30),
        source=f"{SOURCE}, section 3.4",
        claims=(
            Claim(
                "forward chaining plays tic-tac-toe 5 to 20 % faster than Prolog", "ratio",
                {**ratio, "least": 1.05, "most": 1.2},
            ),
            Claim(
                "and Connect 4 80 % slower", "ratio", {**slow, "least": 0.1, "most": 0.3},
            ),
            *(
                Claim(
                    f"the circuit plays {sheet} faster than Prolog", "ratio",
                    {"of": f"{sheet},ours", "to": f"{sheet},prolog", "least": 1.0},
                )
                for sheet in _SHEETS
            ),
        ),
        deviations=(
            ("SWI-Prolog instead of YAP, on the same machine and core; the thesis compared a "
            "laptop with a desktop computer of eight cores"),
            ("our forward chaining is compiled by Numba, the thesis's was OCaml; our circuit is "
            "what people use here, and has no like in the thesis"),
            "our own rulesheets",
        ),
        plot=Plot("bars", log_y=True),
        batch=1,
        needs=("swipl",),
    )  # fmt: skip


EXAMPLES: Mapping[str, Callable[[str], tuple[float, str]]] = {"nim": nim, "predicate": predicate}
