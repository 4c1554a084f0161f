"""Messages over HTTP: a service that answers them, within limits on everything others decide.

A connection carries one request.  Its head has to arrive within some seconds, its body too; what is
read at one time, over all connections, takes no more than a fixed amount of memory.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from aiohttp import web

from trellis.game.errors import BadParameter

CROSS_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Age": "86400",  # what players send, though browsers know Max-Age
    "Access-Control-Max-Age": "86400",
}
TYPE = "text/acl"

_silent = logging.getLogger("trellis.http")  # requests that are none are nobody's fault here
_silent.addHandler(logging.NullHandler())
_silent.propagate = False


@dataclass(frozen=True)
class Limits:
    """What clients may take."""

    body_bytes: int = 8_000_000
    all_bytes: int = 64_000_000  # of bodies that are being read, over all connections
    connections: int = 512
    head_seconds: float = 10.0
    body_seconds: float = 20.0


@dataclass(frozen=True)
class Request:
    """A request that has arrived in whole."""

    method: str
    path: str
    headers: Any
    body: str


Answer = Callable[[Request], Awaitable[web.Response]]


def reply(text: str, status: int = 200, kind: str = TYPE) -> web.Response:
    """Return a response as game servers expect it: never in chunks, the connection closed."""
    return web.Response(
        body=text.encode(), status=status, headers={"Content-Type": kind, **CROSS_ORIGIN}
    )


class Service(web.Server):
    """Answers requests with `answer`."""

    def __init__(self, answer: Answer, limits: Limits | None = None) -> None:
        self._answer = answer
        self.limits = limits or Limits()
        self._reading = 0  # bytes
        self._begun: set[Any] = set()  # connections whose request has a head
        super().__init__(
            self._handle,
            access_log=None,
            logger=_silent,
            auto_decompress=False,
            tcp_keepalive=False,
            lingering_time=0.0,  # who sends more than is read has been answered already
        )

    # -- connections ------------------------------------------------------------------------

    def connection_made(self, handler: Any, transport: asyncio.Transport) -> None:
        """Take a connection, unless there are too many; end it where no request comes."""
        super().connection_made(handler, transport)
        if len(self.connections) > self.limits.connections:
            transport.abort()
            return

        def end_idle() -> None:
            if handler not in self._begun:
                transport.abort()

        asyncio.get_running_loop().call_later(self.limits.head_seconds, end_idle)

    def connection_lost(self, handler: Any, exc: BaseException | None = None) -> None:
        """Forget a connection."""
        super().connection_lost(handler, exc)
        self._begun.discard(handler)

    # -- requests ---------------------------------------------------------------------------

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self._begun.add(request.protocol)
        response = await self._respond(request)
        response.force_close()
        return response

    async def _respond(self, request: web.BaseRequest) -> web.Response:
        if request.method == "OPTIONS":
            return reply("")
        if request.method == "GET":
            # A message may come in the address, as the query or as the path.
            text = request.rel_url.raw_query_string or request.rel_url.raw_path.lstrip("/")
            body = unquote_plus(text, errors="replace")
        elif request.method == "POST":
            try:
                async with asyncio.timeout(self.limits.body_seconds):
                    read = await self._read(request)
            except TimeoutError:
                return reply("the body of the request did not arrive in time", 408)
            except _TooMuch as much:
                return reply(str(much), much.status)
            except (ConnectionError, web.RequestPayloadError, ValueError):
                return reply("the body of the request is not what its head says", 400)
            body = read.decode("utf-8", errors="replace")
        elif request.method == "DELETE":
            body = ""
        else:
            return reply("expected GET, POST, DELETE or OPTIONS", 405)
        return await self._answer(Request(request.method, request.path, request.headers, body))

    async def _read(self, request: web.BaseRequest) -> bytes:
        """Read a body; all that are read at one time are bounded together."""
        chunks: list[bytes] = []
        length = 0
        try:
            async for chunk in request.content.iter_any():
                chunks.append(chunk)
                length += len(chunk)
                self._reading += len(chunk)
                if length > self.limits.body_bytes:
                    raise _TooMuch(f"more than {self.limits.body_bytes:,} bytes", 413)
                if self._reading > self.limits.all_bytes:
                    raise _TooMuch("too much is being sent at once", 503)
        finally:
            self._reading -= length
        return b"".join(chunks)


class _TooMuch(Exception):
    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status


class Listening:
    """A service that listens on a port until it is closed."""

    def __init__(self, service: Service, server: asyncio.Server) -> None:
        self._service, self._server = service, server
        self.port = int(server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening, and end all connections."""
        self._server.close()
        await self._service.shutdown(timeout=1.0)
        await asyncio.sleep(0)  # sockets are closed when the loop comes round


async def listen(service: Service, host: str, port: int) -> Listening:
    """Begin to listen; port 0 is any that is free."""
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(service, host, port, backlog=512)
    except (OSError, OverflowError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadParameter(f"cannot listen on {host}:{port}: {why}") from None
    return Listening(service, server)
