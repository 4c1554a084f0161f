"""From lines to answers: queries are taken while others are searched, and all are answered."""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from trellis import __version__
from trellis._kernel.jit import ready
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.game.game import Game
from trellis.players.player import SearchPlayer, make_player
from trellis.protocols.gtp.engine import OutputFailed, note_fault
from trellis.protocols.gtp.go_board import GoBoard
from trellis.protocols.gtp.go_search import search_position, searched_rules
from trellis.protocols.gtp.ownership import count_owners
from trellis.protocols.gtp.parsing import BLACK, LONGEST_LINE
from trellis.protocols.gtp.rulesets import Ruleset, named_rules
from trellis.protocols.gtp.thinking import GO_PLAYER
from trellis.protocols.katago.answers import Place, Teller
from trellis.protocols.katago.desk import Desk, Task
from trellis.protocols.katago.fields import Fields, Json, QueryError, is_whole, read_json
from trellis.protocols.katago.query import LONGEST_ID, read_query
from trellis.protocols.katago.replay import Replay
from trellis.search.mcts.engine import Search

ACTIONS = ("query_version", "query_models", "clear_cache", "terminate", "terminate_all")
Send = Callable[[Json], None]
_LEAST_SECONDS = 0.001
_WARM = ((19, 19), (9, 9))


class Service:
    """Answers queries: `take` hears a line, `work` does what waits; each in a thread of its own.

    Every turn of a query has one last answer, with `isDuringSearch` false, whatever happens.
    """

    def __init__(
        self, send: Send, player: str | None = None, view: int | None = BLACK, seed: int = 0
    ) -> None:
        text = player or GO_PLAYER
        made = make_player(text, seed)
        if not isinstance(made, SearchPlayer):
            raise BadParameter(
                f"player {shorten(text)} does not search a graph: expected one that does"
            )
        if made.settings.sequential_halving:
            raise BadParameter(
                f"player {shorten(text)} cannot be stopped: expected one without sequential_halving"
            )
        self.desk = Desk()
        self._send, self._player, self._view, self._seed = send, made, view, seed
        self._heard, self._shown = Replay(), Replay()  # of either thread
        self._text = text
        self._searches: dict[Ruleset, Ruleset] = {}

    def warm_up(self) -> None:
        """Have everything compiled before anybody waits for it."""
        ready(count_owners)
        rules = self._searched(named_rules("tromp-taylor"))
        for rows, columns in _WARM:
            position = search_position(GoBoard(rows, columns), BLACK, rules, 7.5)
            self._player.search_of(position).run(sims=16)

    def _searched(self, rules: Ruleset) -> Ruleset:
        """Return the rules that the player can search by."""
        if rules not in self._searches:
            self._searches[rules] = searched_rules(rules, self._fits)
        return self._searches[rules]

    def _fits(self, game: Game) -> bool:
        try:
            self._player.check_game(game)
        except BadParameter:
            return False
        return True

    # -- what is asked ----------------------------------------------------------------------------

    def take(self, line: str) -> None:
        """Hear a line: what it asks for is queued, or done at once, or refused."""
        name = None
        try:
            if not line.strip():
                return
            if len(line) >= LONGEST_LINE:
                told = f"Line too long: expected less than {LONGEST_LINE:,} characters"
                self._send({"error": told})
                return
            found = read_json(line)
            if not isinstance(found, dict):
                self._send({"error": "Request line was valid json but was not an object"})
                return
            given = found.get("id")
            if not isinstance(given, str) or len(given) > LONGEST_ID:
                told = f'Request must have a string "id" field of at most {LONGEST_ID} characters'
                self._send({"error": told})
                return
            name = given
            if isinstance(found.get("action"), str):
                self._act(found)
            else:
                self._queue(found, len(line))
        except QueryError as error:
            self._send({"error": str(error), "field": error.field, "id": name})
        except ValueError as error:
            self._send({"error": f"Could not read the line: {error}: {shorten(line.strip())}"})
        except OutputFailed:
            raise
        except Exception as error:  # noqa: BLE001  # one bad line must not end the others
            self._fail(error, {} if name is None else {"id": name})

    def _queue(self, found: Json, size: int) -> None:
        query = read_query(found, self._view)
        self._heard.board_of(query)  # refuses stones and moves that cannot be
        for field, text in query.warnings:
            self._send({"warning": text, "field": field, "id": query.id})
        self.desk.add(replace(query, warnings=()), size)

    def _act(self, found: Json) -> None:
        action = found["action"]
        if action not in ACTIONS:
            raise QueryError("action", f"Must be one of {', '.join(ACTIONS)}")
        answer = dict(found)
        dropped: list[Task] = []
        if action == "query_version":
            answer |= {"version": __version__, "git_hash": "<omitted>"}
        elif action == "query_models":
            # No network, so none of the fields that describe one but its name.
            model = {"name": self._text, "internalName": "trellis", "usesHumanSLProfile": False}
            answer["models"] = [model]
        elif action.startswith("terminate"):
            wanted = found.get("terminateId") if action == "terminate" else None
            if action == "terminate" and not isinstance(wanted, str):
                raise QueryError("terminateId", 'Must have a string "terminateId" field')
            dropped += self.desk.stop(wanted, self._turn_numbers(found))
        self._send(answer)
        for task in dropped:
            self._send(_nothing(task))

    def _turn_numbers(self, found: Json) -> set[int] | None:
        if "turnNumbers" not in found:
            return None
        value: Any = found["turnNumbers"]
        if not isinstance(value, list) or not all(map(is_whole, value)):
            Fields(found).refuse("turnNumbers", "If provided, must be an array of integers")
        return set(value)

    # -- what is done -----------------------------------------------------------------------------

    def work(self) -> None:
        """Analyse what is asked for, until nothing more can come."""
        while (task := self.desk.next_task()) is not None:
            self._do(task)

    def work_now(self) -> None:
        """Analyse what waits now."""
        while self.desk.waits:
            task = self.desk.next_task()
            if task is not None:
                self._do(task)

    def _do(self, task: Task) -> None:
        try:
            self._analyse(task)
        except OutputFailed:
            raise
        except Exception as error:  # noqa: BLE001  # one bad query must not end the others
            self._fail(error, {"id": task.query.id, "turnNumber": task.turn})

    def _analyse(self, task: Task) -> None:
        query = task.query
        board = self._shown.board_of(query, task.turn)
        rules = self._searched(query.rules)
        position = search_position(board, board.to_move, rules, query.full_komi(task.turn))
        player = self._player
        sims = player.sims if query.visits is None else query.visits
        seconds = player.seconds if query.visits is None else None
        if query.seconds is not None:
            seconds = max(query.seconds, _LEAST_SECONDS)
        search = self._search_of(position, sims, seconds)
        teller = Teller(Place(query, task.turn, board, position), search)
        search.run(sims, seconds, self._reporter(task, teller))
        if search.sims == 0 and not search.solved:
            if task.stopped:
                self._send(_nothing(task))
                return
            search.simulate(1)  # there was no time for more
        self._send(teller.tell(during=False))

    def _search_of(self, position: Any, sims: int | None, seconds: float | None) -> Search:
        """Return a new search, no larger than its simulations need."""
        sized = replace(self._player, sims=sims, seconds=seconds, fits_memory=True, progress=None)
        return sized.search_of(position, self._seed)

    def _reporter(self, task: Task, teller: Teller) -> Callable[[float, str], None] | None:
        """Return what tells how far a search is, where somebody wants to know."""
        after, every = task.query.first_report, task.query.every
        if after is None:
            return None
        due = perf_counter() + after

        def show(fraction: float, note: str) -> None:
            nonlocal due
            if fraction < 1 and not task.stopped and perf_counter() >= due and teller.search.sims:
                self._send(teller.tell(during=True))
                due = float("inf") if every is None else perf_counter() + every

        return show

    def _fail(self, error: Exception, head: Json) -> None:
        if isinstance(error, TrellisError):
            self._send(head | {"error": " ".join(str(error).split())})
        else:
            note_fault(error)
            self._send(head | {"error": f"internal error: {type(error).__name__}"})


def _nothing(task: Task) -> Json:
    """Return the answer about a turn that was ended before it began."""
    return {
        "id": task.query.id, "turnNumber": task.turn, "isDuringSearch": False, "noResults": True
    }  # fmt: skip
