"""Random games against every way of proving something: what is called proven must be true.

    python benchmarks/attack_proofs.py --sheets 10000 --automata 100000 --seed 0 --jobs 2

Each game is small enough to look at all of its positions, by forward chaining or by its rules
alone, and then every way is asked, with random settings.  A claim is wrong where somebody is said
to get more than they can be sure of, or to be held to less than the others can hold them to.
Games that are claimed wrongly are written to a folder, with what was claimed.  The exit code is 0
only where nothing is wrong.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from attack_claims import WAYS, Answer, Claim

from trellis.game.errors import LimitReached, TrellisError
from trellis.game.game import Game
from trellis.games.random_automaton import RandomAutomaton
from trellis.gdl.circuit.layout import CONTROL_AT
from trellis.gdl.game import SheetGame, game_of
from trellis.gdl.sheet import Sheet

from attack.sheet_truth import SheetTruth, find_truth
from attack.sheets import SheetKind, draw_kind, sheet_of_kind
from attack.truth import Graph, Number, Pair, look_at_all

ROUNDING = 1e-9  # of the range, where probabilities are floats
APPROACHED = 1e-5  # where the truth itself is a limit of sweeps
PROVE_SECONDS = 0.5  # for the facts of one sheet: some stay open, and proofs must do without
PATIENCE = 300.0  # seconds for one game, before it counts as one that hangs
ENDED = ("crash", "hang")  # what may become of a process instead of an answer
EVERY = 100  # games between two lines that tell how far it is


@dataclass
class Verdict:
    """What came of one game."""

    kind: str  # "sheet" or "automaton"
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""  # of a sheet, or the spec of an automaton


class Truth:
    """What is true of a game, wherever the game came from."""

    def __init__(self, game: Game, graph: Graph) -> None:
        self.game, self.graph = game, graph
        self.known = [graph.values(player) for player in range(graph.players)]
        # Whole numbers are compared as they are; fractions cannot be, since claims are floats.
        rounded = any(len(spot.shares) > 1 for spot in graph.spots) or any(
            isinstance(pay, float) for spot in graph.spots for pay in spot.pays or ()
        )
        self.slack = (APPROACHED if not graph.exact else ROUNDING if rounded else 0.0) * float(
            graph.greatest - graph.least
        )

    def place(self, claim: Claim) -> int | None:
        """Return which position a claim is about; None where it is in the middle of a step."""
        raise NotImplementedError

    def values(self, place: int) -> list[Pair]:
        """Return (secure, hold) of each player."""
        return [self.known[player][place] for player in range(self.graph.players)]

    def refute(self, claim: Claim) -> str | None:
        """Say what is wrong with a claim."""
        place = self.place(claim)
        if place is None:
            return None
        pairs = zip(claim.bounds, self.values(place), strict=True)
        for player, ((low, high), (secure, hold)) in enumerate(pairs):
            told = f"{claim.what}: player {player} is said to get {low:.12g} to {high:.12g}"
            if low > float(secure) + self.slack:
                return f"{told}, and can be sure of {show(secure)} only"
            if high < float(hold) - self.slack:
                return f"{told}, and can be held to {show(hold)} only"
        return None

    def refute_facts(self, facts: dict[str, Any]) -> Iterator[str]:
        """Say which facts are wrong."""
        spots = self.graph.spots
        if facts["turn-taking"] and any(spot.choosing > 1 for spot in spots):
            yield "said to be turn-taking, but players choose at once"
        total = facts["constant sum"]
        sums = {sum(spot.pays) for spot in spots if spot.pays is not None}
        off = ROUNDING if any(isinstance(each, float) for each in sums) else 0.0
        if total is not None and any(abs(float(each) - total) > off for each in sums):
            yield f"payoffs are said to add up to {total:g}, but add up to {sorted(sums)}"
        most = facts["longest game"]
        if most is not None:
            length = self.graph.longest(lambda spot: spot.choosing + (len(spot.shares) > 1))
            if length is None or length > most:
                yield f"said to take {most} plies at most, but takes {length or 'for ever'}"


class TruthOfSheet(Truth):
    """Positions are told by their facts."""

    def __init__(self, game: SheetGame, truth: SheetTruth) -> None:
        super().__init__(game, truth.graph)
        self.sheet_game, self.places, self.truth = game, truth.places, truth

    def refute_facts(self, facts: dict[str, Any]) -> Iterator[str]:
        """Say which facts are wrong; a refuted one must be false."""
        yield from super().refute_facts(facts)
        truth = self.truth
        if facts["always a move"] and truth.stuck >= 0:
            yield "every role is said to have a move always, but one has none somewhere"
        if facts["one goal"] and truth.odd_goals >= 0:
            yield "every role is said to have one goal, but one has not"
        spots = self.graph.spots
        holds = {
            "turn_taking": all(spot.choosing < 2 for spot in spots),
            "always_a_move": truth.stuck < 0,
            "one_goal": truth.odd_goals < 0,
            "constant_sum": len({sum(s.pays) for s in spots if s.pays is not None}) < 2,
            "max_steps": not self.graph.is_cyclic,
        }
        for name in facts["refuted"]:
            if holds[name]:
                yield f"{name} is said to be refuted, but holds"

    def place(self, claim: Claim) -> int | None:
        """Look a position up by what is true of it."""
        if claim.position is None:
            return 0
        state = claim.position.state
        if state[int(self.game.tables.ints[CONTROL_AT]) + 1 :].any():
            return None  # somebody has chosen, others have not
        return self.places[self.sheet_game.facts(state)]


class TruthOfAutomaton(Truth):
    """Positions are told by their words."""

    def __init__(self, game: Game) -> None:
        graph, self.places = look_at_all(game.start())
        super().__init__(game, graph)

    def place(self, claim: Claim) -> int | None:
        """Look a position up; in the middle of a step it is none."""
        return 0 if claim.position is None else self.places.get(claim.position.state.tobytes())


def show(value: Number) -> str:
    """Write a number."""
    return f"{value} = {float(value):.6g}" if isinstance(value, Fraction) else f"{value:.12g}"


CHOSEN = list(WAYS)  # the ways that are asked


# --- one game


def attack(game: Game, truth: Truth, verdict: Verdict, dice: Random) -> None:
    """Ask every way and compare what it says."""
    for way in CHOSEN:
        ask = WAYS[way]
        for _ in range(2 if way in ("solve", "star") else 1):
            number = dice.randrange(1 << 30)
            try:
                answer = ask(game, Random(number))
            except TrellisError as error:
                verdict.counts[f"{way} refused"] += 1
                if str(error).startswith("a payoff of"):  # found out, and said so: no claim
                    verdict.counts["payoffs found odd"] += 1
                continue
            _judge(answer, truth, verdict, number)


def _judge(answer: Answer, truth: Truth, verdict: Verdict, number: int) -> None:
    reasons = [reason for claim in answer.claims if (reason := truth.refute(claim))]
    reasons += truth.refute_facts(answer.facts) if answer.facts else []
    verdict.counts["claims"] += len(answer.claims)
    if answer.facts:
        _count_facts(answer.facts, verdict)
    else:
        verdict.counts[f"{answer.way} {'proven' if answer.is_proven else 'open'}"] += 1
    if reasons:
        verdict.counts[f"{answer.way} wrong"] += 1
        verdict.counts["wrong"] += 1
        verdict.wrong.append(
            {
                "way": answer.way, "settings": answer.settings, "draw": number,
                "claims": reasons[:5], "seed": verdict.seed, "kind": verdict.kind,
            }
        )  # fmt: skip


def _count_facts(facts: dict[str, Any], verdict: Verdict) -> None:
    """Count each fact: where nothing is claimed, nothing can be found wrong."""
    refuted = facts.get("refuted", {})
    said = [value for name, value in facts.items() if name != "refuted"]
    proven = sum(value is not None and value is not False for value in said)
    verdict.counts["facts proven"] += proven
    verdict.counts["facts refuted"] += len(refuted)
    verdict.counts["facts open"] += max(len(said) - proven - len(refuted), 0)
    verdict.counts["claims"] += proven + len(refuted)


def attack_sheet(seed: int, kind: SheetKind | None = None) -> Verdict:
    """Attack what is proven of one random rulesheet."""
    kind = kind or draw_kind(seed)
    text = sheet_of_kind(seed, kind)
    verdict = Verdict("sheet", seed, text=text)
    verdict.counts[f"corner {kind.corner}"] += 1
    dice = Random(f"attack {seed}")
    sheet = Sheet(text, f"sheet{seed}")
    truth = find_truth(sheet)
    verdict.counts["positions"] += len(truth.states)
    try:
        way = "lanes" if dice.random() < 0.3 else "event"
        game = game_of(sheet, way, prove_seconds=PROVE_SECONDS)
    except TrellisError:
        verdict.counts["game refused"] += 1
        return verdict
    if isinstance(game, SheetGame):
        try:
            known = TruthOfSheet(game, truth)
        except LimitReached:
            verdict.counts["truth unknown"] += 1
            return verdict
        attack(game, known, verdict, dice)
    return verdict


def automaton_of(seed: int) -> RandomAutomaton:
    """Draw a random automaton of any kind."""
    dice = Random(f"automaton {seed}")
    players = dice.choices((1, 2, 3), (1, 6, 1))[0]
    return RandomAutomaton(
        seed=seed,
        states=dice.randint(3, 40),
        branching=dice.randint(1, 5),
        players=players,
        chance=dice.choice((0, 0, 20, 50)),
        simultaneous=0 if players == 1 else dice.choice((0, 0, 0, 0, 10, 40)),
        cyclic=dice.random() < 0.4,
        payoffs=dice.choice((2, 3, 5, 11)),
        general=players == 2 and dice.random() < 0.15,
    )


def attack_automaton(seed: int) -> Verdict:
    """Attack what is proven of one random automaton."""
    game = automaton_of(seed)
    verdict = Verdict("automaton", seed, text=game.spec)
    try:
        truth = TruthOfAutomaton(game)
    except LimitReached:
        verdict.counts["truth unknown"] += 1
        return verdict
    verdict.counts["positions"] += len(truth.places)
    attack(game, truth, verdict, Random(f"attack {seed}"))
    return verdict


ATTACKS = {"sheet": attack_sheet, "automaton": attack_automaton}


def smaller_kinds(kind: SheetKind) -> Iterator[SheetKind]:
    """Return kinds that are simpler in one way each."""
    for change in (
        {"lock": kind.lock // 2}, {"lock": kind.lock - 1}, {"waiting": "same"},
        {"scale": "wins"}, {"tries": 2}, {"opener": "one"}, {"total": 100},
    ):  # fmt: skip
        other = replace(kind, **change)
        if other != kind and (other.lock > 0 or kind.corner == "none"):
            yield other


def shrink(seed: int, kind: SheetKind) -> SheetKind:
    """Simplify the kind of a sheet while something is still claimed wrongly of it."""
    while True:
        for other in smaller_kinds(kind):
            if attack_sheet(seed, other).wrong:
                kind = other
                break
        else:
            return kind


def simplest(verdict: Verdict) -> Verdict:
    """Return the same for a simpler sheet, unless the game ended the process it was in."""
    if verdict.kind != "sheet" or verdict.wrong[0]["way"] in ENDED:
        return verdict
    again = attack_sheet(verdict.seed, shrink(verdict.seed, draw_kind(verdict.seed)))
    return again if again.wrong else verdict


# --- many games, in processes that may crash or hang


def _work(kind: str, numbers: range, answers: Any, ways: list[str]) -> None:
    CHOSEN[:] = ways
    for number in numbers:
        answers.send((number, ATTACKS[kind](number)))
    answers.send(None)


class Worker:
    """A process that goes through a range of seeds; it may die on the way."""

    def __init__(self, kind: str, numbers: range) -> None:
        self.kind, self.numbers = kind, numbers
        self.answers, theirs = get_context("spawn").Pipe(duplex=False)
        self.process = get_context("spawn").Process(
            target=_work, args=(kind, numbers, theirs, CHOSEN), daemon=True
        )
        self.process.start()
        theirs.close()

    def verdicts(self) -> Iterator[Verdict]:
        """Return what came of each game; one that ends the process is an answer too."""
        left = self.numbers
        while True:
            first = left is self.numbers  # the process has yet to begin
            try:
                found = (
                    self.answers.recv()
                    if self.answers.poll(PATIENCE * (5 if first else 1))
                    else "hang"
                )
            except EOFError:
                found = "crash"
            if found is None:
                self.process.join()
                return
            if isinstance(found, str):
                self.process.kill()
                self.process.join()
                verdict = Verdict(self.kind, left[0], text=text_of(self.kind, left[0]))
                verdict.counts[found] = verdict.counts["wrong"] = 1
                verdict.wrong.append({"way": found, "seed": left[0], "kind": self.kind})
                yield verdict
                if len(left) > 1:
                    yield from Worker(self.kind, left[1:]).verdicts()
                return
            left = left[1:]
            yield found[1]


def text_of(kind: str, seed: int) -> str:
    """Return the sheet, or the spec, of a seed."""
    return sheet_of_kind(seed, draw_kind(seed)) if kind == "sheet" else automaton_of(seed).spec


def run_all(kind: str, numbers: range, jobs: int) -> Iterator[Verdict]:
    """Attack games in several processes, each a part of the seeds."""
    from queue import Queue
    from threading import Thread

    found: Queue[Verdict | None] = Queue()
    parts = [numbers[job::jobs] for job in range(jobs)]

    def follow(part: range) -> None:
        for verdict in Worker(kind, part).verdicts() if part else ():
            found.put(verdict)
        found.put(None)

    threads = [Thread(target=follow, args=(part,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    working = len(threads)
    while working:
        verdict = found.get()
        if verdict is None:
            working -= 1
        else:
            yield verdict


def keep(verdict: Verdict, folder: Path) -> None:
    """Write down a game of which something wrong was claimed."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{verdict.kind}-{verdict.seed}"
    ending = "kif" if verdict.kind == "sheet" else "txt"
    (folder / f"{name}.{ending}").write_text(verdict.text + "\n", encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(verdict.wrong, indent=1) + "\n", "utf-8")


def main() -> None:
    """Attack, count, and write down what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheets", type=int, default=200, help="how many random rulesheets")
    parser.add_argument("--automata", type=int, default=1000, help="how many random automata")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first game")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--folder", type=Path, default=Path("wrong-proofs"), help="for wrong ones")
    parser.add_argument("--keep", type=int, default=50, help="how many to write down at most")
    parser.add_argument("--shrink", action="store_true", help="simplify wrong sheets first")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--ways", default="", help="ways of proving, with commas; all unless told")
    options = parser.parse_args()
    if options.ways:
        CHOSEN[:] = options.ways.split(",")
        if unknown := set(CHOSEN) - set(WAYS):
            parser.error(f"unknown ways {unknown}: expected some of {', '.join(WAYS)}")
    report: dict[str, Any] = {"seed": options.seed}
    kept = 0
    for kind, count in (("sheet", options.sheets), ("automaton", options.automata)):
        began, counts, games = perf_counter(), Counter[str](), 0
        for verdict in run_all(kind, range(options.seed, options.seed + count), options.jobs):
            games += 1
            counts.update(verdict.counts)
            counts["games with something wrong"] += bool(verdict.wrong)
            if verdict.wrong and kept < options.keep:
                keep(simplest(verdict) if options.shrink else verdict, options.folder)
                kept += 1
            if games % EVERY == 0:
                print(f"{games:,} of {kind}: {counts['wrong']:,} wrong", file=sys.stderr)
        report[kind] = {"games": games, "seconds": perf_counter() - began, **sorted_counts(counts)}
    failed = any(report[kind].get("wrong") for kind in ATTACKS)
    if options.json:
        print(json.dumps(report))
    else:
        print_report(report)
    sys.exit(1 if failed else 0)


def sorted_counts(counts: Counter[str]) -> dict[str, int]:
    """Return counts by name."""
    return {name: counts[name] for name in sorted(counts)}


def print_report(report: dict[str, Any]) -> None:
    """Print what was counted."""
    for kind in ATTACKS:
        found = report[kind]
        rate = found["games"] / max(found["seconds"], 1e-9)
        print(f"{found['games']:,} of {kind} in {found['seconds']:.1f} s, {rate:.1f} a second")
        for way in CHOSEN:
            shown = ("proven", "refuted", "open", "refused", "wrong")
            counts = ", ".join(f"{found.get(f'{way} {what}', 0):,} {what}" for what in shown)
            print(f"  {way:8} {counts}")
        print(
            f"  {found.get('claims', 0):,} claims; wrong in all: {found.get('wrong', 0):,}; games "
            f"whose truth is not known: {found.get('truth unknown', 0):,}"
        )


if __name__ == "__main__":
    main()
