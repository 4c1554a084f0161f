"""All rulesheets of folders, checked: each finding, and how many sheets have which kind.

    python benchmarks/check_sheets.py FOLDER... [--no-play] [--notes] [--ground-limit 10]

To be read by a person: a warning about a sheet that is sound is a false alarm, and those should
stay rare.  Errors and warnings are listed, and notes where they are asked for; all are counted.
"""

import argparse
from collections import Counter
from pathlib import Path
from time import perf_counter

from trellis.game.errors import TrellisError
from trellis.gdl.checking.play_check import check_by_play
from trellis.gdl.checking.suspect import suspect
from trellis.gdl.language.terms import Finding
from trellis.gdl.options import read_limits
from trellis.gdl.sheet import Sheet

KINDS = {  # a part of the message, and what to call the kind
    "stands only once": "variable likely misspelt",
    "gets no value": "unsafe variable",
    "is a variable in a fact": "unsafe variable",
    "never applies": "rule never applies",
    "never holds": "sentence never holds",
    "always holds": "sentence always holds",
    "adds nothing": "rule adds nothing",
    "is the same as": "said twice",
    "missing in the row": "gap in a row",
    "frame axiom": "frame axiom likely missing",
    "never has a goal": "role without a goal",
    "no goal": "no goal at an end",
    "goals at the end": "several goals at an end",
    "more than one goal": "several goals at an end",
    "no legal move": "role stuck",
    "never has a legal move": "role stuck",
    "nothing makes": "unknown relation",
    "is not a role": "unknown role",
    "does not declare": "base or input incomplete",
    "never closed": "parentheses",
    "without '('": "parentheses",
    "inside a rule": "parentheses",
    "is never used": "never used",
    "nothing asks": "never asked for",
    "not over after": "long games",
    "instead": "played by forward chaining",
}


def kind_of(finding: Finding) -> str:
    """Return what kind of finding it is."""
    for part, kind in KINDS.items():
        if part in finding.message:
            return kind
    return finding.message.split(":")[0][:40]


def check(path: Path, play: bool, ground_limit: str) -> list[Finding]:
    """Return all there is to say of a sheet."""
    sheet = Sheet.from_file(path, read_limits(ground_limit))
    found = list(sheet.findings)
    if not any(finding.fatal for finding in found):
        found += suspect(sheet.reading)
        found += check_by_play(sheet) if play else []
    return sorted(set(found))


def main() -> None:
    """Read the command line, and check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--no-play", action="store_true")
    parser.add_argument("--notes", action="store_true", help="list notes as well")
    parser.add_argument("--ground-limit", default="10")
    options = parser.parse_args()
    paths = [path for folder in options.folders for path in sorted(folder.glob("**/*.kif"))]
    findings: Counter[tuple[str, str]] = Counter()
    sheets: Counter[tuple[str, str]] = Counter()
    began = perf_counter()
    for path in paths:
        try:
            found = check(path, not options.no_play, options.ground_limit)
        except TrellisError as error:
            found = [Finding(1, 1, str(error))]
        sheets.update({(finding.kind, kind_of(finding)) for finding in found})
        for finding in found:
            findings[finding.kind, kind_of(finding)] += 1
            if finding.kind != "note" or options.notes:
                place = f"{path.parent.name}/{path.name}:{finding.line}:{finding.column}"
                print(f"{place}: {finding.kind}: {finding.message}", flush=True)
    print(f"{len(paths)} sheets in {perf_counter() - began:.0f} s")
    for key in sorted(sheets, key=lambda key: (key[0], -sheets[key])):
        print(f"{key[0]:8} {key[1]:42} {sheets[key]:4} sheets {findings[key]:5} findings")


if __name__ == "__main__":
    main()
