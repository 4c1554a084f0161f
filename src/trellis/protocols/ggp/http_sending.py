"""Messages over HTTP: sent to players, within limits on what comes back and when."""

import asyncio
from urllib.parse import urlsplit

import aiohttp

from trellis.game.errors import BadParameter, shorten
from trellis.protocols.ggp.http_service import TYPE

MOST_BYTES = 1_000_000  # of an answer
CONNECT_SECONDS = 5.0
_DEFAULT_PORT = 9147


class NoAnswer(Exception):
    """A player could not be reached, or has sent something that is no answer."""


class TooLate(NoAnswer):
    """The time was up."""


def read_address(text: str) -> str:
    """Return the address of a player: `http://host:port`, `host:port` or `host`."""
    wrong = BadParameter(f"bad address {shorten(text)}: expected http://host:port")
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port or (_DEFAULT_PORT if parts.scheme == "http" else 443)
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise wrong
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path or '/'}"


class Sender:
    """Sends messages to players; closed when nobody sends any more."""

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            version=aiohttp.HttpVersion10,
            connector=aiohttp.TCPConnector(limit=256, force_close=True),
            auto_decompress=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """End all connections."""
        await self._session.close()

    async def send(self, address: str, message: str, seconds: float, name: str = "player") -> str:
        """Send a message and return what comes back; raises `NoAnswer`."""
        headers = {
            "Accept": "text/delim", "Sender": "GAMESERVER", "Receiver": _header(name),
            "Content-Type": TYPE,
        }  # fmt: skip
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
        try:
            async with (
                asyncio.timeout(seconds),
                self._session.post(
                    address,
                    data=message.encode(),
                    headers=headers,
                    timeout=timeout,
                    allow_redirects=False,
                ) as response,
            ):
                if response.status != 200:
                    raise NoAnswer(f"status {response.status}")
                found = bytearray()
                async for chunk in response.content.iter_any():
                    found += chunk
                    if len(found) > MOST_BYTES:
                        raise NoAnswer(f"an answer of more than {MOST_BYTES:,} bytes")
                return found.decode("utf-8", errors="replace").strip()
        except TimeoutError:
            raise TooLate(f"no answer within {seconds:g} seconds") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NoAnswer(shorten(str(error) or type(error).__name__)) from None


def _header(name: str) -> str:
    """Return a name without what a header may not have."""
    return "".join(each if each.isascii() and each.isprintable() else "_" for each in name)[:100]
