"""The process that plays one match for one role: requests on standard input, answers on output.

A line of JSON each.  It knows nothing of HTTP or clocks: it is told how long to think.  Whatever
rules from outside do to it, it takes no more memory than it was allowed, and disturbs nobody else;
when its input ends, it ends.

Requests: `warm`, `load` (once), `play` (the moves of all roles), `think`, `ponder`, `quit`.
Answers: `loaded` or `failed`; after each step `step`, with the legal moves; `best` now and then
while it thinks, and `move` at the end of it.
"""

import json
import os
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any, TextIO

_WARMING = (("tic_tac_toe", "x"), ("lights_out", "robot"))
_WARM_SECONDS = 0.02
_SPARE_MEBIBYTES = 1_024  # of addresses, which threads and machine code take without using them


class Worker:
    """Does what it is told, one request after the other; a request ends thinking."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.requests: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self.thinking = False
        self.following: Any = None
        self.chooser: Any = None

    # -- in and out -------------------------------------------------------------------------

    def read(self) -> None:
        """Read requests until there are no more; then the process ends, whatever it is doing."""
        from trellis._kernel.deadline import ask_to_stop

        for line in sys.stdin.buffer:
            self.requests.put(json.loads(line))
            if self.thinking:
                ask_to_stop()
        os._exit(0)

    def tell(self, **what: Any) -> None:
        """Write an answer."""
        self.out.write(json.dumps(what) + "\n")
        self.out.flush()

    # -- requests ---------------------------------------------------------------------------

    def run(self) -> None:
        """Answer requests for ever."""
        from trellis.game.errors import TrellisError

        while True:
            request = self.requests.get() or {}
            do = request.get("do")
            try:
                if do == "load":
                    self.load(request)
                elif do == "play":
                    self.following.play(request["joint"])
                    self.tell_step()
                elif do == "think":
                    self.think(request)
                elif do == "ponder":
                    self.ponder(request.get("seconds"))
                elif do == "warm":
                    self.warm()
                elif do == "quit":
                    os._exit(0)
            except MemoryError:
                self.tell(failed="out of memory", during=do)
                os._exit(1)
            except TrellisError as error:
                self.tell(failed=str(error), during=do)
            except Exception as error:  # noqa: BLE001 - whatever rules from outside bring about
                self.tell(failed=f"{type(error).__name__}: {error}", during=do)

    def warm(self) -> None:
        """Have everything compiled, or loaded, that most matches need."""
        import trellis.gdl
        from trellis.protocols.ggp.choosing import Chooser
        from trellis.protocols.ggp.following import CIRCUIT, Following

        for sheet, role in _WARMING:
            path = Path(trellis.gdl.__file__).parent / "sheets" / f"{sheet}.kif"
            following = Following.load(path.read_text("utf-8"), role, CIRCUIT, seconds=600.0)
            chooser = Chooser(following.game, following.player or 0, "auto", 0, 16.0)
            chooser.choose(following, _WARM_SECONDS, lambda *_: None)
            following.play([move_of(following, each) for each in range(len(following.roles))])
            chooser.choose(following, _WARM_SECONDS, lambda *_: None)
        self.tell(warm=True)

    def load(self, request: dict[str, Any]) -> None:
        """Make a game of rules, and be ready to play it."""
        from trellis.protocols.ggp.following import FORWARD, Following

        evaluator, is_forward = request["evaluator"], request["evaluator"] == FORWARD
        if not is_forward:
            from trellis.protocols.ggp import choosing  # before memory is limited
        limit_memory(request["mebibytes"] + _SPARE_MEBIBYTES)
        began = perf_counter()
        self.following = Following.load(
            request["rules"], request["role"], evaluator, seconds=request["seconds"],
            prove_seconds=request["prove_seconds"], mebibytes=request["mebibytes"],
        )  # fmt: skip
        if is_forward and not request["player"].startswith("random"):
            from trellis.protocols.ggp.light_search import LightSearch

            self.chooser = LightSearch(request["seed"])
        elif not is_forward and self.following.player is not None:
            self.chooser = choosing.Chooser(
                self.following.game, self.following.player, request["player"], request["seed"],
                request["graph_mebibytes"],
            )  # fmt: skip
        self.tell(loaded=request["evaluator"], seconds=perf_counter() - began)
        self.tell_step()

    def tell_step(self) -> None:
        """Tell where the match stands."""
        following = self.following
        self.tell(
            step=following.steps, legal=following.texts(), terminal=following.terminal,
            goals=following.goals,
        )  # fmt: skip

    def think(self, request: dict[str, Any]) -> None:
        """Choose a move."""
        from trellis._kernel.deadline import forget_stop

        following, step = self.following, self.following.steps
        if step != request["step"] or not following.legal:
            return
        if len(following.legal) == 1 or self.chooser is None:
            choice = following.texts()[request["seed"] % len(following.legal)]
            self.tell(move=choice, at=step, worth=None, work=0)
            return

        told: tuple[float | None, int] = (None, 0)

        def tell(move: str, worth: float | None, work: int) -> None:
            nonlocal told
            told = worth, work
            self.tell(best=move, at=step, worth=worth, work=work)

        forget_stop()
        self.thinking = True
        try:
            move = self.chooser.choose(following, request["seconds"], tell)
        finally:
            self.thinking = False
        self.tell(move=move, at=step, worth=told[0], work=told[1])

    def ponder(self, seconds: float | None) -> None:
        """Think until the next request, or for some seconds, and tell nothing but the end."""
        from trellis._kernel.deadline import forget_stop

        if self.chooser is not None and not self.following.terminal:
            forget_stop()
            self.thinking = True
            try:
                if self.requests.empty():  # one that comes from now on ends it
                    self.chooser.ponder(self.following, seconds)
            finally:
                self.thinking = False
        self.tell(pondered=self.following.steps, sure=self.sure())

    def sure(self) -> bool:
        """Tell whether more thinking could find out nothing more."""
        return self.chooser is None or bool(self.chooser.knows_everything)


def move_of(following: Any, role: int) -> str:
    """Write the first legal move of a role."""
    legal = following.machine.legal(following.facts)[role]
    return str(following.write(legal[0]))


def limit_memory(mebibytes: float) -> None:
    """Let this process have so much more memory than it has now, where the system can do that."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + int(mebibytes * (1 << 20))
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, OSError, ValueError):
        pass  # then only the graph is bounded


def own_output() -> TextIO:
    """Return standard output, and let whatever else prints there print to standard error."""
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return own


def main() -> None:
    """Wait for a match."""
    worker = Worker(own_output())
    threading.Thread(target=worker.read, daemon=True).start()
    worker.run()


if __name__ == "__main__":
    main()
