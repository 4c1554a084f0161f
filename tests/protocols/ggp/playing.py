"""What tests of matches share: a small game, players that do as they are told, raw connections."""

import asyncio
import contextlib
from collections.abc import Callable

from trellis.protocols.ggp.http_service import Limits, Listening, Request, Service, listen, reply

# Two players take 1 or 2 from a heap of 4; who takes the last one wins.
NIM = """
(role Left) (role Right)
(init (heap 4)) (init (control Left))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (less ?a ?b 1) (succ ?a ?b))
(<= (less ?a ?c 2) (succ ?a ?b) (succ ?b ?c))
(<= (legal ?p (Take ?n)) (true (control ?p)) (true (heap ?h)) (less ?rest ?h ?n))
(<= (legal Left Wait) (true (control Right)))
(<= (legal Right Wait) (true (control Left)))
(<= (next (heap ?rest)) (does ?p (Take ?n)) (true (heap ?h)) (less ?rest ?h ?n))
(<= (next (control Right)) (true (control Left)))
(<= (next (control Left)) (true (control Right)))
(<= terminal (true (heap 0)))
(<= (goal Left 100) (true (heap 0)) (true (control Right)))
(<= (goal Left 0) (true (heap 0)) (true (control Left)))
(<= (goal Right 100) (true (heap 0)) (true (control Left)))
(<= (goal Right 0) (true (heap 0)) (true (control Right)))
(<= (goal ?p 50) (role ?p) (not (true (heap 0))))
"""


async def puppet(act: Callable[[str], object], limits: Limits | None = None) -> Listening:
    """Listen as a player whose answers a function makes; a number is seconds to be late."""

    async def answer(request: Request):
        told = act(request.body)
        if isinstance(told, float):
            await asyncio.sleep(told)
            return reply("late")
        return reply(str(told))

    return await listen(Service(answer, limits), "127.0.0.1", 0)


async def raw(port: int, data: bytes, seconds: float = 5.0) -> bytes:
    """Send bytes and return all that comes back until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        return await asyncio.wait_for(reader.read(), seconds)
    except ConnectionError:
        return b""
    finally:
        await hang_up(writer)


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection, whatever the other side has done to it."""
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
