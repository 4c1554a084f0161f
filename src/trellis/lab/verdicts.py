"""Verdicts: whether what was measured here bears out what a source says.

A claim is judged by a rule over estimates.  Intervals hold for all the cells that a rule looks at
together: of 27 cells without any effect the best one looks like one.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from random import Random
from statistics import mean
from typing import TYPE_CHECKING, Any

from trellis.game.errors import BadParameter, counted, nearest, shorten
from trellis.lab.estimates import normal_z, of_many
from trellis.lab.experiment import Claim, Published
from trellis.lab.measures import Estimate

if TYPE_CHECKING:
    from trellis.lab.results import CellResult, Results

CONFIDENCE = 0.95
YES, NO, OPEN = "yes", "no", "open"
_DRAWS = 2_000
_NUMBER = re.compile(r"-?\d+(\.\d*)?")


@dataclass(frozen=True)
class Verdict:
    """What is to be said of a claim: borne out (`yes`), not (`no`), or not decided (`open`)."""

    claim: str
    answer: str
    why: str


def judge(results: "Results") -> list[Verdict]:
    """Judge all claims of an experiment."""
    return [judge_claim(results, claim) for claim in results.experiment.claims]


def judge_claim(results: "Results", claim: Claim) -> Verdict:
    """Judge one claim."""
    if claim.rule not in RULES:
        raise BadParameter(
            f"unknown rule {shorten(claim.rule)}: expected one of {', '.join(RULES)}"
            f"{nearest(claim.rule, RULES)}"
        )
    if not _chosen(results, claim.settings):
        return Verdict(claim.text, OPEN, "nothing has been measured")
    answer, why = RULES[claim.rule].judge(results, claim.settings)
    return Verdict(claim.text, answer, why)


def compare(
    estimate: Estimate, published: Published, confidence: float, unit: str, tolerance: float = 0.0
) -> bool | None:
    """Tell whether a printed number fits an estimate; None where one of them is not a number.

    It fits where the two differ by no more than both may be off.  What is printed has been
    rounded, and is itself a sample, if the source says of how many games or runs; these are taken
    to scatter as ours do.  A number that is only a bound is held against the other side of the
    interval.
    """
    if published.value is None or math.isnan(estimate.value):
        return None
    noise = 0.0
    if published.error is not None:
        noise = normal_z(confidence) * published.error
    elif published.samples and unit == "%":
        part = min(max(published.value / 100, 0.01), 0.99)
        noise = 100 * normal_z(confidence) * math.sqrt(part * (1 - part) / published.samples)
    elif published.samples and math.isfinite(estimate.high):
        reach = (estimate.high - estimate.low) / 2
        noise = reach * math.sqrt(estimate.samples / published.samples)
    slack = (tolerance + 1e-9) * abs(published.value) + rounding(published)
    off = published.value - estimate.value
    own = estimate.high - estimate.value if off > 0 else estimate.value - estimate.low
    allowed = math.hypot(own, noise) + slack
    if (published.at_least and off <= allowed) or (estimate.at_least and off >= -allowed):
        return True
    return abs(off) <= allowed


def rounding(published: Published) -> float:
    """Return how far a printed number may be off by having been rounded to its last digit.

    >>> rounding(Published(0.33)), rounding(Published(12.0)), rounding(Published(0.5, "0.50"))
    (0.005, 0.5, 0.005)
    """
    written = published.text.replace(",", "")
    if not _NUMBER.fullmatch(written):
        written = repr(published.value).removesuffix(".0")
    return 0.5 * 10.0 ** -len(written.partition(".")[2]) if _NUMBER.fullmatch(written) else 0.0


# -- rules -----------------------------------------------------------------------------------

Settings = Mapping[str, Any]
Answer = tuple[str, str]
Test = Callable[[Estimate], bool]


def _as_published(results: "Results", settings: Settings) -> Answer:
    """Ask whether every cell comes out as printed; `tolerance` is a part of what is printed."""
    cells = [each for each in _chosen(results, settings) if each.cell.published]
    confidence = of_many(CONFIDENCE, len(cells))
    fits = {
        each.cell.name: compare(
            each.estimate_at(confidence), each.cell.published, confidence, results.measure.unit,
            float(settings.get("tolerance", 0.0)),
        )
        for each in cells
        if each.cell.published is not None
    }  # fmt: skip
    known = [name for name, fit in fits.items() if fit is not None]
    off = [name for name in known if not fits[name]]
    if not known:
        return OPEN, "nothing that was printed can be compared"
    text = f"{len(known) - len(off)} of {len(known)} cells fit what was printed"
    if off:
        return NO, f"{text}; not {_names(off)}"
    vague = [each.cell.name for each in cells if fits[each.cell.name] and _is_vague(each)]
    if vague:
        return OPEN, f"{text}; too few samples to tell of {_names(vague)}"
    return _if_all_measured(results, settings, text)


def _is_vague(result: "CellResult") -> bool:
    """Tell whether a cell has so few samples that almost any printed number would fit it.

    That is less than a quarter of what the source had, where it says how many, or else an interval
    that reaches further than half of what was printed.
    """
    published, estimate = result.cell.published, result.estimate_at(CONFIDENCE)
    if published is None or published.value is None:
        return False
    if published.samples:
        return 4 * estimate.samples < published.samples
    return estimate.high - estimate.low > abs(published.value) and not estimate.at_least


def _if_all_measured(results: "Results", settings: Settings, text: str) -> Answer:
    """Say yes, unless there are cells that a claim is about and that nobody has measured."""
    measured = {each.cell.name for each in _chosen(results, settings)}
    others = [
        cell.name
        for cell in results.experiment.cells
        if _is_meant(cell.name, settings) and cell.name not in measured
    ]
    return (OPEN, f"{text}; not measured {_names(others)}") if others else (YES, text)


def _some_fit(results: "Results", settings: Settings) -> Answer:
    """Ask whether some cell comes out as printed, where cells are readings of one text."""
    cells = [each for each in _chosen(results, settings) if each.cell.published]
    confidence = of_many(CONFIDENCE, len(cells))
    found = {each.cell.name: each.estimate_at(confidence) for each in cells}
    fit = [
        each.cell.name
        for each in cells
        if each.cell.published is not None
        and compare(found[each.cell.name], each.cell.published, confidence, results.measure.unit)
    ]
    if not cells:
        return OPEN, "nothing that was printed can be compared"
    best = max(found, key=lambda name: found[name].value)
    text = f"{len(fit)} of {len(cells)} fit; the greatest is {best}, {_number(found[best])}"
    sure = [each.cell.name for each in cells if each.cell.name in fit and not _is_vague(each)]
    if sure:
        return YES, f"{text}; {_names(sure)}"
    if fit:
        return OPEN, f"{text}; too few samples to tell of {_names(fit)}"
    answer, why = _if_all_measured(results, settings, text)
    return (NO if answer == YES else answer), why


def _exact(results: "Results", settings: Settings) -> Answer:
    """Ask whether every cell is to the letter what was printed."""
    cells = [each for each in _chosen(results, settings) if each.cell.published]
    same = [
        each.cell.name
        for each in cells
        if each.cell.published
        and each.estimate_at(CONFIDENCE).text in each.cell.published.text.split("|")
    ]
    off = [each.cell.name for each in cells if each.cell.name not in same]
    text = f"{len(same)} of {len(cells)} cells as printed"
    if off:
        return NO, f"{text}; not {_names(off)}"
    return _if_all_measured(results, settings, text)


def _above(results: "Results", settings: Settings) -> Answer:
    """Ask whether every cell lies above a number, `than`."""
    return _beside(results, settings, 1.0)


def _below(results: "Results", settings: Settings) -> Answer:
    """Ask whether every cell lies below a number, `than`."""
    return _beside(results, settings, -1.0)


def _beside(results: "Results", settings: Settings, sign: float) -> Answer:
    than, side = float(settings["than"]), "above" if sign > 0 else "below"

    def is_right(estimate: Estimate) -> bool:
        return estimate.low > than if sign > 0 else estimate.high < than

    def is_wrong(estimate: Estimate) -> bool:
        return estimate.high < than if sign > 0 else estimate.low > than

    where = f"{side} {than:g}"
    return _of_all(results, settings, is_right, is_wrong, where, "on the other side")


def _of_all(
    results: "Results", settings: Settings, is_right: Test, is_wrong: Test, where: str,
    elsewhere: str,
) -> Answer:  # fmt: skip
    """Ask whether every cell is surely where it should be; one that surely is not says no."""
    found = _estimates(results, settings)
    right = [name for name, each in found.items() if is_right(each)]
    wrong = [name for name, each in found.items() if is_wrong(each)]
    text = f"{len(right)} of {len(found)} cells are {where}"
    if wrong:
        return NO, f"{text}; {_names(wrong)} {elsewhere}"
    return _if_all_measured(results, settings, text) if len(right) == len(found) else (OPEN, text)


def _estimates(results: "Results", settings: Settings) -> dict[str, Estimate]:
    """Return the estimates of all cells that a claim is about, wide enough to hold together."""
    cells = _chosen(results, settings)
    confidence = of_many(CONFIDENCE, len(cells))
    return {each.cell.name: each.estimate_at(confidence) for each in cells}


def _best_above(results: "Results", settings: Settings) -> Answer:
    """Ask whether some cell lies above `than`, allowing for having looked at so many."""
    found, than = _estimates(results, settings), float(settings["than"])
    best = max(found, key=lambda name: found[name].value)
    over = sorted(name for name, each in found.items() if each.low > than)
    if over:
        return YES, f"{len(over)} of {len(found)} cells are above {than:g}: {_names(over)}"
    text = f"the best of {len(found)}, {best}, is {_number(found[best])}"
    if all(each.high <= than + float(settings.get("by", 0.0)) for each in found.values()):
        return NO, text
    return OPEN, f"{text}: {than:g} is not excluded"


def _mean_above(results: "Results", settings: Settings) -> Answer:
    """Ask whether the mean over cells, each counting alike, lies above a number, `than`."""
    found = [each.estimate_at(CONFIDENCE) for each in _chosen(results, settings)]
    than, count = float(settings["than"]), len(found)
    value = mean(each.value for each in found)
    low = value - math.hypot(*(each.value - each.low for each in found)) / count
    high = value + math.hypot(*(each.high - each.value for each in found)) / count
    text = f"{value:.4g} ({low:.4g} to {high:.4g}), the mean of {counted(count, 'cell')}"
    if low > than:
        return YES, text
    return (NO, text) if high < than else (OPEN, text)


def _between(results: "Results", settings: Settings) -> Answer:
    """Ask whether every cell lies between `least` and `most`."""
    least, most = float(settings["least"]), float(settings["most"])
    return _of_all(
        results, settings,
        lambda each: least <= each.low and each.high <= most,
        lambda each: each.high < least or each.low > most,
        f"surely between {least:g} and {most:g}", "outside",
    )  # fmt: skip


def _rising(results: "Results", settings: Settings) -> Answer:
    """Ask whether values rise from cell to cell, in the order of the experiment."""
    cells = _chosen(results, settings)
    if len(cells) < 2:
        return OPEN, "only one cell has been measured"
    confidence = of_many(CONFIDENCE, len(cells))
    found = [each.estimate_at(confidence) for each in cells]
    falls = [
        f"{before.cell.name} to {after.cell.name}"
        for before, after, first, second in zip(cells, cells[1:], found, found[1:], strict=False)
        if first.value - second.value
        > math.hypot(first.value - first.low, second.high - second.value)
    ]
    text = f"{cells[0].cell.name} {_number(found[0])}, {cells[-1].cell.name} {_number(found[-1])}"
    if falls:
        return NO, f"{text}; it falls from {_names(falls)}"
    return (YES, text) if found[-1].low > found[0].high else (OPEN, text)


def _alike(results: "Results", settings: Settings) -> Answer:
    """Ask whether no two cells differ by more than `by`."""
    cells = _chosen(results, settings)
    confidence = of_many(CONFIDENCE, len(cells))
    found = [each.estimate_at(confidence) for each in cells]
    by = float(settings["by"])
    least, most = (pick(found, key=lambda each: each.value) for pick in (min, max))
    text = f"values lie from {_number(least)} to {_number(most)}"
    if most.low - least.high > by:
        return NO, text
    surely = max(each.high for each in found) - min(each.low for each in found) <= by
    return (YES if surely else OPEN), text


def _more(results: "Results", settings: Settings) -> Answer:
    """Ask whether one cell, `more`, has a greater value than `less`, by `by` at least."""
    more, less = (_one(results, str(settings[name])) for name in ("more", "less"))
    if more is None or less is None:
        return OPEN, "one of the two has not been measured"
    first, second = (each.estimate_at(CONFIDENCE) for each in (more, less))
    off = first.value - second.value - float(settings.get("by", 0.0))
    down = math.hypot(first.value - first.low, second.high - second.value)
    up = math.hypot(first.high - first.value, second.value - second.low)
    text = (
        f"{more.cell.name} {_number(first)}, {less.cell.name} {_number(second)}: "
        f"difference {first.value - second.value:+.4g} ({off - down:+.3g} to {off + up:+.3g}"
        f"{' beyond what is claimed' if settings.get('by') else ''})"
    )
    if off - down > 0:
        return YES, text
    return (NO, text) if off + up < 0 else (OPEN, text)


def _ratio(results: "Results", settings: Settings) -> Answer:
    """Ask whether the mean of one cell, `of`, is `least` to `most` times another's, `to`.

    Samples of one number belong together, and are drawn together.
    """
    first, second = (_one(results, str(settings[name])) for name in ("of", "to"))
    if first is None or second is None:
        return OPEN, "one of the two has not been measured"
    by_number = [dict(each.counted()) for each in (first, second)]
    both = sorted(by_number[0].keys() & by_number[1].keys())
    if len(both) < 2:
        return OPEN, "too few samples of both"
    pairs = [(by_number[0][n], by_number[1][n]) for n in both]
    random = Random(0)
    drawn = sorted(_part(random.choices(pairs, k=len(pairs))) for _ in range(_DRAWS))
    low, high = drawn[round(0.025 * _DRAWS)], drawn[round(0.975 * _DRAWS) - 1]
    least, most = float(settings.get("least", 0.0)), float(settings.get("most", math.inf))
    part = f"{_part(pairs):.3g} of {second.cell.name} ({low:.3g} to {high:.3g})"
    text = f"{first.cell.name} is {part}"
    if least <= low and high <= most:
        return YES, text
    return (NO, text) if high < least or low > most else (OPEN, text)


def _part(pairs: Sequence[tuple[float, float]]) -> float:
    return mean(pair[0] for pair in pairs) / (mean(pair[1] for pair in pairs) or math.nan)


@dataclass(frozen=True)
class Rule:
    """How a claim is judged, and what it says: what the rule needs, and what it may be told."""

    judge: Callable[["Results", Settings], Answer]
    needed: tuple[str, ...] = ()
    optional: tuple[str, ...] = ("cells",)


RULES: Mapping[str, Rule] = {
    "as_published": Rule(_as_published, (), ("cells", "tolerance")),
    "some_fit": Rule(_some_fit),
    "exact": Rule(_exact),
    "above": Rule(_above, ("than",)),
    "below": Rule(_below, ("than",)),
    "best_above": Rule(_best_above, ("than",), ("cells", "by")),
    "mean_above": Rule(_mean_above, ("than",)),
    "between": Rule(_between, ("least", "most")),
    "rising": Rule(_rising),
    "alike": Rule(_alike, ("by",)),
    "more": Rule(_more, ("more", "less"), ("by",)),
    "ratio": Rule(_ratio, ("of", "to"), ("least", "most")),
}
_CELLS = ("more", "less", "of", "to")  # each the name of one


def check_claim(claim: Claim, cells: Sequence[str]) -> None:
    """Refuse a claim with a rule that does not exist, or is not told what it needs."""
    if claim.rule not in RULES:
        raise BadParameter(
            f"unknown rule {shorten(claim.rule)} of a claim: expected one of {', '.join(RULES)}"
            f"{nearest(claim.rule, RULES)}"
        )
    needed, optional = RULES[claim.rule].needed, RULES[claim.rule].optional
    for name in needed:
        if name not in claim.settings:
            raise BadParameter(f"a claim by the rule {claim.rule} needs {name}")
    for name, value in claim.settings.items():
        of = f"for {name} of a claim by the rule {claim.rule}"
        if name not in needed + optional:
            raise BadParameter(
                f"unknown field {shorten(name)} of a claim by the rule {claim.rule}: expected one "
                f"of {', '.join(needed + optional)}{nearest(name, needed + optional)}"
            )
        if name in _CELLS:
            if value not in cells:
                raise BadParameter(f"bad value {shorten(str(value))} {of}: expected a cell's name")
        elif name == "cells":
            fits = isinstance(value, str) and any(_is_meant(cell, {name: value}) for cell in cells)
            if not fits:
                raise BadParameter(f"bad value {shorten(str(value))} {of}: no cell is called so")
        elif isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise BadParameter(f"bad value {shorten(str(value))} {of}: expected a number")


def _chosen(results: "Results", settings: Settings) -> "list[CellResult]":
    return [each for each in results.cells if each.samples and _is_meant(each.cell.name, settings)]


def _is_meant(name: str, settings: Settings) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in str(settings.get("cells", "*")).split())


def _one(results: "Results", name: str) -> "CellResult | None":
    return next((each for each in results.cells if each.cell.name == name and each.samples), None)


def _names(names: Sequence[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _number(estimate: Estimate) -> str:
    return f"{estimate.value:.4g} ({estimate.low:.4g} to {estimate.high:.4g})"
