"""A server of matches: started, watched and ended over HTTP, several at once.

`GET /` lists the matches, `GET /matches/ID` is the record of one.  Whoever sends
`POST /matches`, or `DELETE /matches/ID`, has to know the secret, where there is one.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import web

from trellis._kernel.deadline import LoadBudget
from trellis.game.errors import BadParameter, TrellisError, shorten
from trellis.gdl.load_limit import loading
from trellis.gdl.sheet import Sheet
from trellis.protocols.ggp.game_master import GameMaster, MatchPlan
from trellis.protocols.ggp.http_sending import Sender
from trellis.protocols.ggp.http_service import Request, reply
from trellis.protocols.ggp.refereeing import Referee

JSON = "application/json"
MOST_RUNNING = 8
MOST_KEPT = 200  # matches that are over
_LOAD_SECONDS = 60.0
_FIELDS: dict[str, Any] = {
    "rules": str, "players": list, "game": str, "startClock": (int, float),
    "playClock": (int, float), "scramble": bool, "seed": int,
}  # fmt: skip

Say = Callable[[str], None]


def answer_json(content: Any, status: int = 200) -> web.Response:
    """Return a response in JSON."""
    return reply(json.dumps(content), status, JSON)


class MatchServer:
    """Runs matches that are asked for over HTTP."""

    def __init__(self, say: Say, secret: str | None = None) -> None:
        self.say = say
        self._secret = secret
        self._masters: dict[str, GameMaster] = {}
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._sender: Sender | None = None

    async def close(self) -> None:
        """Abort all matches."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._sender is not None:
            await self._sender.close()

    async def answer(self, request: Request) -> web.Response:
        """Answer a request."""
        name = request.path.removeprefix("/matches/") if "/matches/" in request.path else ""
        try:
            if request.method == "POST" and request.path == "/matches":
                self._check_secret(request)
                return answer_json({"matchId": await self.begin(_read_order(request))}, 201)
            if request.method == "DELETE" and name in self._masters:
                self._check_secret(request)
                self.abort(name)
                return answer_json({"matchId": name})
        except _Forbidden as error:
            return answer_json({"error": str(error)}, 403)
        except TrellisError as error:
            return answer_json({"error": str(error)}, 400)
        if request.method == "GET" and request.path == "/":
            return answer_json({"matches": [self._summary(each) for each in self._masters]})
        if request.method == "GET" and name in self._masters:
            return answer_json(self._masters[name].record.content())
        return answer_json({"error": f"nothing at {shorten(request.path)}"}, 404)

    # -- matches ----------------------------------------------------------------------------

    async def begin(self, order: dict[str, Any]) -> str:
        """Begin a match, and return its name."""
        if len(self._running) >= MOST_RUNNING:
            raise BadParameter(f"{MOST_RUNNING} matches are running: expected one to end first")
        plan = MatchPlan(
            [str(each) for each in order["players"]],
            float(order.get("startClock", 30.0)), float(order.get("playClock", 10.0)),
            order.get("scramble", False), order.get("seed", secrets.randbelow(1 << 30)),
        )  # fmt: skip
        game = "".join(each for each in order.get("game", "game") if each.isalnum())[:60] or "game"
        match = f"trellis.{game}.{secrets.token_hex(6)}"

        def load() -> Referee:
            budget = LoadBudget(_LOAD_SECONDS)
            with loading(game, budget):
                sheet = Sheet(order["rules"], game, budget=budget)
                return Referee(sheet, plan.seed if plan.scramble else None)

        referee = await asyncio.to_thread(load)
        if self._sender is None:
            self._sender = Sender()
        master = GameMaster(game, match, referee, plan, self._sender)
        self._masters[match] = master
        self._forget_old()
        task = asyncio.create_task(self._run(master))
        self._running[match] = task
        return match

    async def _run(self, master: GameMaster) -> None:
        record = master.record
        try:
            self.say(f"{record.match}: {' against '.join(record.players)}")
            await master.run(lambda *_: None)
            goals = " ".join("-" if goal is None else str(goal) for goal in record.goals)
            how = f"aborted: {record.why}" if record.aborted else f"goals {goals}"
            self.say(f"{record.match}: {len(record.moves)} steps, {how}")
        finally:
            self._running.pop(record.match, None)

    def abort(self, match: str) -> None:
        """End a match without a result."""
        task = self._running.get(match)
        if task is not None:
            task.cancel()

    def _forget_old(self) -> None:
        over = [name for name in self._masters if name not in self._running]
        for name in over[: max(0, len(self._masters) - MOST_KEPT)]:
            del self._masters[name]

    def _summary(self, match: str) -> dict[str, Any]:
        record = self._masters[match].record
        return {
            "matchId": match, "gameName": record.game, "isCompleted": record.completed,
            "isAborted": record.aborted, "steps": len(record.moves), "goalValues": record.goals,
            "playerNamesFromHost": list(record.players),
        }  # fmt: skip

    # -- who may do that --------------------------------------------------------------------

    def _check_secret(self, request: Request) -> None:
        """Refuse who does not know the secret, and pages of other sites in a browser here."""
        if request.headers.get("Origin") is not None:
            raise _Forbidden("matches are not started from pages in a browser")
        if self._secret is None:
            return
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._secret.encode()):
            raise _Forbidden("expected the header Authorization: Bearer SECRET")


class _Forbidden(Exception):
    pass


def _read_order(request: Request) -> dict[str, Any]:
    """Read what somebody wants to be played."""
    try:
        order = json.loads(request.body)
    except (ValueError, RecursionError):
        raise BadParameter("expected an object of JSON") from None
    if not isinstance(order, dict):
        raise BadParameter("expected an object of JSON")
    for name, value in order.items():
        kind = _FIELDS.get(name)
        if kind is None:
            raise BadParameter(f"unknown field {shorten(name)}: expected {', '.join(_FIELDS)}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise BadParameter(f"bad value {shorten(str(value))} for {name}")
    for name in ("rules", "players"):
        if name not in order:
            raise BadParameter(f"{name} is missing")
    return order
