"""A player of matches: messages come in over HTTP, each match is played by processes of its own."""

import asyncio
from collections.abc import Callable

from aiohttp import web

from trellis.protocols.ggp.following import FORWARD
from trellis.protocols.ggp.http_service import Limits, Listening, Request, Service, listen, reply
from trellis.protocols.ggp.match_playing import MatchPlaying
from trellis.protocols.ggp.messages import (
    Abort,
    BadMessage,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    read_message,
    write_info,
)
from trellis.protocols.ggp.settings import PlayerSettings
from trellis.protocols.ggp.worker_link import WorkerLink

SILENCE = 1_200.0  # seconds after which a match whose server says nothing is given up
_OVERDUE = 60.0  # seconds beyond both clocks after which it makes room, where there is none
_LONG_TEXT = 50_000  # characters that are read in a thread: other matches go on meanwhile
_LEAST_SHARE = 0.5  # of a clock that is shorter than the margin
_SPARE_WORKERS = 1
_REFILL_SECONDS = 5.0  # after a match has taken a process: it has enough to do at first

Say = Callable[[str], None]


class GgpPlayer:
    """Answers messages, and plays several matches at once."""

    def __init__(self, settings: PlayerSettings, say: Say) -> None:
        self.settings, self.say = settings, say
        self._matches: dict[str, MatchPlaying] = {}
        self._playing: set[str] = set()  # matches with a PLAY that is being answered
        self._ending: set[asyncio.Task[None]] = set()
        self._spare: list[asyncio.Task[WorkerLink]] = []
        self._claimed: set[asyncio.Task[WorkerLink]] = set()  # spares that a match waits for
        self._closed = False

    # -- processes --------------------------------------------------------------------------

    def keep_spares(self) -> None:
        """Have processes at hand that have imported what they need."""
        # One at a time: what one compiles the next one finds in the cache.
        coming = any(not task.done() for task in self._claimed)
        while len(self._spare) < _SPARE_WORKERS and not self._closed and not coming:
            self._spare.append(asyncio.create_task(_warmed()))

    async def warm_up(self) -> None:
        """Wait until a process is ready to play: the first time it compiles for a minute or two."""
        self.keep_spares()
        await asyncio.shield(self._spare[0])

    async def hire(self, kind: str) -> WorkerLink:
        """Return a process that plays nothing yet; one that chains forward is ready at once."""
        if kind == FORWARD:
            return await WorkerLink.start()
        asyncio.get_running_loop().call_later(_REFILL_SECONDS, self.keep_spares)
        while self._spare:  # one that is being warmed will still be ready sooner than another
            self._spare.sort(key=lambda task: not task.done())
            task = self._spare.pop(0)
            self._claimed.add(task)
            try:
                link = await asyncio.shield(task)
            except asyncio.CancelledError:  # the match is over: the next one may have it
                self._spare.insert(0, task)
                raise
            finally:
                self._claimed.discard(task)
            if link.alive:
                return link
        return await WorkerLink.start()

    async def close(self) -> None:
        """End all matches and processes."""
        self._closed = True
        for match in list(self._matches.values()):
            await match.end()
        self._matches.clear()
        for task in self._spare:
            task.cancel()
            for each in await asyncio.gather(task, return_exceptions=True):
                if isinstance(each, WorkerLink):
                    await each.end()
        self._spare.clear()
        await asyncio.gather(*self._ending, return_exceptions=True)

    # -- messages ---------------------------------------------------------------------------

    async def answer(self, request: Request) -> web.Response:
        """Answer a request with a message in it."""
        arrived = asyncio.get_running_loop().time()
        try:
            if len(request.body) > _LONG_TEXT:
                message = await asyncio.to_thread(read_message, request.body)
            else:
                message = read_message(request.body)
        except BadMessage as bad:
            return reply(f"( error {_as_word(str(bad))} )", 400)
        try:
            return reply(await self.answer_message(message, arrived))
        except Exception as error:  # noqa: BLE001 - one match must not take others with it
            self.say(f"internal error, please report it: {type(error).__name__}: {error}")
            return reply("nil", 500)

    async def answer_message(self, message: Message, arrived: float) -> str:
        """Answer a message that arrived at a time, by the clock of the loop."""
        self._forget_silent(arrived)
        match message:
            case Info():
                return write_info(self.settings.name, busy=self._is_busy)
            case Start():
                return await self._start(message, arrived)
            case Play():
                return await self._play(message, arrived)
            case Stop():
                return await self._stop(message)
            case Abort():
                return self._abort(message)
            case Preview():
                return "done"

    @property
    def _is_busy(self) -> bool:
        return len(self._matches) >= self.settings.matches

    def _until(self, arrived: float, clock: float) -> float:
        """Return when a reply goes out at the latest."""
        return arrived + max(clock - self.settings.margin, clock * _LEAST_SHARE)

    async def _start(self, start: Start, arrived: float) -> str:
        if start.match in self._matches or self._closed:
            return "busy"
        if self._is_busy and not self._make_room(arrived):
            self.say(f"match {start.match[:40]}: refused, {len(self._matches)} are being played")
            return "busy"
        match = MatchPlaying(start, self.settings, self.hire, self.say)
        self._matches[start.match] = match
        self.say(
            f"match {start.match[:40]}: starts as {start.role[:40]}, clocks "
            f"{start.start_clock:g} and {start.play_clock:g}"
        )
        await match.begin(self._until(arrived, start.start_clock))
        return "ready" if start.match in self._matches else "busy"

    async def _play(self, play: Play, arrived: float) -> str:
        match = self._matches.get(play.match)
        if match is None or play.match in self._playing:
            return "busy"
        expected = play.moves is None if match.steps == 0 else play.moves is not None
        if not expected and not (play.moves is not None and match.steps == 0):
            return "busy"  # the first step again, in the midst of a match
        match.last_heard = arrived
        self._playing.add(play.match)
        try:
            return await match.play(play.moves, self._until(arrived, match.start.play_clock))
        finally:
            self._playing.discard(play.match)

    async def _stop(self, stop: Stop) -> str:
        match = self._matches.pop(stop.match, None)
        if match is None:
            return "busy"
        match.finish(stop.moves)
        self._end(match, wait=1.0)
        return "done"

    def _abort(self, abort: Abort) -> str:
        match = self._matches.pop(abort.match, None)
        if match is None:
            return "busy"
        self.say(f"match {abort.match[:40]}: aborted")
        self._end(match)
        return "aborted"

    def _end(self, match: MatchPlaying, wait: float = 0.0) -> None:
        async def end() -> None:
            if wait:
                await asyncio.sleep(wait)
                goals = " ".join("-" if goal is None else str(goal) for goal in match.goals)
                known = f", goals {goals}" if goals else ""
                self.say(f"match {match.start.match[:40]}: over after {match.steps} steps{known}")
            await match.end()

        task = asyncio.create_task(end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _forget_silent(self, now: float) -> None:
        for name, match in list(self._matches.items()):
            if match.silence(now) > SILENCE:
                self._give_up(name, now)

    def _make_room(self, now: float) -> bool:
        """Give up the match that has been silent for longest, if its server is long overdue."""
        waiting = [name for name in self._matches if name not in self._playing]
        name = max(waiting, key=lambda each: self._matches[each].silence(now), default=None)
        if name is None or self._matches[name].silence(now) <= _OVERDUE:
            return False
        self._give_up(name, now)
        return True

    def _give_up(self, name: str, now: float) -> None:
        match = self._matches.pop(name)
        silent = now - match.last_heard
        self.say(f"match {name[:40]}: given up after {silent:.0f} seconds of silence")
        self._end(match)


async def _warmed() -> WorkerLink:
    """Start a process, and return it when it is ready to play, or gone."""
    link = await WorkerLink.start()
    try:
        await link.warm_up()
    except asyncio.CancelledError:
        await link.end()
        raise
    return link


def _as_word(text: str) -> str:
    """Write text as one quoted word."""
    return '"' + "".join(each for each in text if each not in '"\\' and each.isprintable()) + '"'


async def serve_player(
    settings: PlayerSettings, say: Say, host: str, port: int, limits: Limits | None = None
) -> tuple[GgpPlayer, Listening]:
    """Begin to play on a port."""
    player = GgpPlayer(settings, say)
    listening = await listen(Service(player.answer, limits), host, port)
    player.keep_spares()
    return player, listening
