"""How `trellis solve` finds what a position is worth: by playouts, or by evaluating everything."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from trellis.cli.options import Given
from trellis.cli.output import console, print_board, print_table, write_lines
from trellis.cli.task import PositionTask
from trellis.game.errors import counted

if TYPE_CHECKING:
    from pathlib import Path

    from trellis._kernel.progress import Progress
    from trellis.game.game import Game, Position
    from trellis.search.mcts.engine import Search
    from trellis.search.report import Report
    from trellis.search.solve.portfolio import Portfolio
    from trellis.search.solve.proof import Searches
    from trellis.search.solve.questions.settings import QuestionSettings

_SHOWN = 24  # moves


@dataclass(frozen=True)
class Solution:
    """What was found out about a position."""

    position: "Position"
    report: "Report"
    work: str  # how much there was
    strategy: "Callable[[], Iterable[tuple[Position, str]]]"  # where there is one value
    memory: str = ""  # that it was full, where it was
    search: "Portfolio | None" = None  # where methods took turns

    @property
    def fraction(self) -> float | None:
        """Return the value as a fraction of the scale: a probability where all is won or lost."""
        low, high = self.position.game.payoff_range
        return (self.report.value - low) / (high - low) if self.report.solved else None

    def what_is_open(self) -> str:
        """Say between which bounds everything lies that is not proven."""
        report, game = self.report, self.position.game
        if report.values is not None:
            return report.sentence()
        if one_value(game):
            between = f"{report.player} gets {report.low:g} to {report.high:g} after "
            done = f"{report.sims:,} playouts"
            if "methods" in report.details:
                done = counted(report.nodes, "position")
            return f"{between}{done}{self.memory}"
        bounds = enumerate(report.bounds)
        pairs = [
            f"{game.player_name(p)} {low:.6g} to {high:.6g}"
            for p, (low, high) in bounds
            if low != high
        ]
        return ", ".join(pairs) + self.memory

    def answer(self) -> str:
        """Return the answer in words of a game that asks something, as a problem of Go does."""
        words = getattr(self.position.game, "solved_text", None)
        payoffs = self.report.payoffs
        return "" if words is None or payoffs is None else str(words(self.position, payoffs[0]))

    def every_value(self, progress: "Progress") -> list[Given]:
        """Return what is known of every position that can be reached, as it is written down."""
        from trellis.search.solve.strong import secure_everywhere, solve_strongly

        if not one_value(self.position.game):
            every = secure_everywhere(self.position, progress=progress).items()
            return [{"position": each.code, "bounds": bounds} for each, bounds in every]
        values = self.report.values or solve_strongly(self.position, progress=progress)
        return [
            {"position": each.code, "low": low, "high": high}
            for each, (low, high) in values.items()
        ]

    def show(self, more: list[str]) -> None:
        """Print it for people, and lines about files."""
        print_board(self.position)
        if "dice" in self.report.details:
            self._show_dice()
        elif not one_value(self.position.game):
            self._show_bounds()
        elif self.report.values is not None:
            self._show_expectation()
        elif self.report.payoffs is not None:
            self._show_outcome()
        write_lines([self.work, *more])

    def _show_dice(self) -> None:
        report, game = self.report, self.position.game
        value = report.details["exact_value"]
        _print_bold("", f"worth {value}", f" for {game.player_name(0)}, with dice; proven")
        for player, dice in zip(self.position.actors, report.details["dice"], strict=False):  # type: ignore[call-overload]
            shares = ", ".join(f"{move} {share}" for move, share in dice.items())
            write_lines([f"{game.player_name(player)}: {shares}"])

    def _show_bounds(self) -> None:
        report, game = self.report, self.position.game
        write_lines([f"not constant-sum, or not one move at a time: {why_no_value(game)}"])
        rows = [
            (game.player_name(player), f"{low:.10g}", f"{high:.10g}")
            for player, (low, high) in enumerate(report.bounds)
        ]
        print_table(("player", "can secure", "can be held to"), rows)
        if report.best is not None:
            _print_bold(f"best for {report.player}, to secure it: ", report.best)

    def _show_outcome(self) -> None:
        report, game = self.report, self.position.game
        payoffs = report.payoffs or ()
        names = [game.player_name(player) for player in range(game.players)]
        words = {"first": f"{names[0]} wins", "second": f"{names[-1]} wins", "draw": "a draw"}
        if report.outcome is None:
            _print_bold("", f"a payoff of {payoffs[0]:g}", ", proven")
        else:
            pairs = zip(names, payoffs, strict=True)
            pays = ", ".join(f"{name} {payoff:g}" for name, payoff in pairs)
            _print_bold("", words[report.outcome], f" ({pays}), proven")
        write_lines(filter(None, [self.answer()]))
        _print_bold("best: ", str(report.best))
        write_lines([f"line: {' '.join(report.line)}"])

    def _show_expectation(self) -> None:
        report, game = self.report, self.position.game
        low, high = game.payoff_range
        name = game.player_name(report.values_of)
        if report.solved:
            scale = f"{self.fraction:.7%} of the way from {low:g} to {high:g}"
            if game.players == 2 and (low, high) == (-1.0, 1.0):
                scale = f"as much as winning {self.fraction:.7%} of games and losing the others"
            _print_bold("", f"worth {report.value:+.9f}", f" for {name}, {scale}")
        if report.best is not None:
            _print_bold(f"best for {report.player}: ", report.best)
            if name != report.player:
                write_lines([f"what each move is worth for {name}:"])
        for move in report.moves[:_SHOWN]:
            chance = "" if move.probability is None else f"  probability {move.probability:.4f}"
            ends = f"{move.low:+.9f}" if report.solved else f"{move.low:+.6f} to {move.high:+.6f}"
            write_lines([f"  {move.move:12}{ends}{chance}"])


def by_playouts(
    task: PositionTask, position: "Position", limit: int | None, seconds: float | None, given: Given
) -> Solution:
    """Search the graph for a proof."""
    from trellis.search.solve import proof

    search = proof.prepare(position, seed=task.seed, **given)
    with task.working(f"solve {task.game.spec}") as show:
        report = proof.solve(
            search, limit=limit, seconds=seconds,
            progress=lambda fraction, _: show(fraction, _note(search)),
        )  # fmt: skip
    work = (
        f"{report.sims:,} playouts in {report.seconds:.2f} s, {report.nodes:,} nodes, "
        f"{report.bytes / 2**20:.1f} MiB"
    )
    memory = _memory_note(search)
    return Solution(position, report, work, lambda: proof.strategy(search), memory)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Plan:
    """How a position is to be solved by questions."""

    method: str
    settings: "QuestionSettings"
    question: float | None = None  # a payoff to ask about first
    save: "Path | None" = None
    resume: "Path | None" = None


def by_methods(
    task: PositionTask, position: "Position", plan: Plan, seconds: float | None, given: Given
) -> Solution:
    """Prove it by questions, or by several methods in turns."""
    from trellis.search.solve.checkpoint import Saver, resume
    from trellis.search.solve.portfolio import Portfolio

    search = Portfolio(position, plan.method, plan.settings, task.seed, **given)
    if plan.resume is not None:
        resume(search, plan.resume)
    if plan.question is not None:
        search.ask_first(plan.question)
    saver = None if plan.save is None else Saver(search, plan.save)
    search.saver = saver
    with task.working(f"solve {task.game.spec}") as show:
        report = search.run(seconds, show)
    if saver is not None:
        saver.write()
    by = f", proven by {report.details['method']}" if report.solved else ""
    playouts = f" and {counted(report.sims, 'playout')}" if report.sims else ""
    work = (
        f"{counted(report.nodes, 'position')}{playouts} in {report.seconds:.2f} s, "
        f"{report.bytes / 2**20:.1f} MiB{by}"
    )
    return Solution(position, report, work, search.strategy, search=search)


def by_values(
    task: PositionTask, position: "Position", memory: float, seconds: float | None
) -> Solution | None:
    """Evaluate every position that can be reached; None where that was not finished."""
    from trellis.search.solve.each_player import secure_exactly
    from trellis.search.solve.value_iteration import solve_exactly

    solve = solve_exactly if one_value(task.game) else secure_exactly
    report: Report | None = None
    with task.working(f"solve {task.game.spec}", whole=True, seconds=seconds) as show:
        report = solve(position, memory, progress=show)
    if report is None:
        return None
    values, how = report.values, ""
    if values is not None:
        how = ", no cycles, by backward induction"
        if report.cycles:
            how = f", {report.cycles:,} components with cycles, at most {report.sweeps:,} sweeps"
    counts = f"{report.nodes:,} positions, {report.edges:,} moves and outcomes"
    work = f"{counts}{how}; {report.seconds:.2f} s"
    return Solution(position, report, work, lambda: () if values is None else values.strategy())


def by_dice(task: PositionTask, position: "Position", seconds: float | None) -> Solution | None:
    """Solve every position as a matrix game; None where that was not finished."""
    from trellis.search.solve.mixed import solve_mixed

    report: Report | None = None
    with task.working(f"solve {task.game.spec}", whole=True, seconds=seconds) as show:
        report = solve_mixed(position, show)
    if report is None:
        return None
    work = f"{counted(report.nodes, 'position')} in {report.seconds:.2f} s, in fractions"
    return Solution(position, report, work, lambda: ())


def one_value(game: "Game") -> bool:
    """Tell whether one number says what everybody gets."""
    from trellis.search.mcts.make_params import can_bound

    return can_bound(game)


def why_no_value(game: "Game") -> str:
    """Say why there is not one number that one player raises and the other lowers."""
    reasons = []
    known = getattr(game, "known", None)
    if game.players > 2:
        reasons.append(f"it has {game.players} players")
    if game.players > 1 and game.constant_sum is None:
        if known is not None and known.constant_sum.status == "refuted":
            reasons.append("its payoffs do not always add up to the same")
        elif hasattr(game, "sheet"):
            reasons.append("its payoffs are not proven to add up to a constant")
        else:
            reasons.append("its payoffs do not add up to a constant")
    if game.is_simultaneous:
        unproven = known is not None and known.turn_taking.status != "refuted"
        reasons.append(
            "players are not proven to take turns" if unproven else "players may choose at once"
        )
    return " and ".join(reasons)


def _memory_note(search: "Search | Searches") -> str:
    """Say that the memory was full, and what more of it would buy."""
    each = getattr(search, "each", [search])
    if not any(one.full or one.collections for one in each):
        return ""
    room, more = sum(len(one.graph.nodes) for one in each), 4
    collections, memory = sum(one.collections for one in each), sum(one.memory for one in each)
    often = f" ({collections:,} times some were given up)" if collections else ""
    return (
        f"; memory full: {memory:g} MiB hold {room:,} nodes{often}; "
        f"--memory {more * memory:g} would hold {more} times as many"
    )


def _note(search: "Search | Searches") -> str:
    bounds = search.bounds
    pairs = [bounds] if isinstance(bounds[0], float) else bounds
    between = ", ".join(f"{low:g} to {high:g}" for low, high in pairs)
    return f"{search.sims:,} playouts, {between}"


def _print_bold(before: str, bold: str, after: str = "") -> None:
    console().print(Text.assemble(before, (bold, "bold"), after))
