"""Requests that no server would send, or nearly so: what a service has to survive all the same."""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_ANSWER_SECONDS = 30.0
_ONE_HALF_CLOSES_OF = 8  # clients; the service drops who stops sending before it has an answer
_RULES = (
    "(role a) (role b) (init (n 0)) (<= (legal ?r (go ?x)) (role ?r) (true (n ?x))) "
    "(<= (next (n 1)) (true (n 0))) (<= terminal (true (n 1))) (<= (goal ?r 50) (role ?r))"
)
_DIGITS = " ".join(f"(d {digit})" for digit in range(10))
_EIGHT = "?a ?b ?c ?d ?e ?f ?g ?h"
_SHEETS = (
    _RULES,
    # A hundred million moves.
    f"(role a) {_DIGITS} (init (n 0)) (<= (legal a (go {_EIGHT})) "
    + " ".join(f"(d {each})" for each in _EIGHT.split())
    + ") (<= terminal (true (n 1)))",
    # Facts that grow for ever, and such that are deep from the start.
    "(role a) (init (n 0)) (legal a go) (<= (next (n (f ?x))) (true (n ?x))) (<= terminal (n 1))",
    f"(role a) (init {'(f ' * 55}0{')' * 55}) (legal a go) (<= terminal (true (m 0))) (goal a 5)",
    "(role a) (<= (legal a ?x) (not (legal a ?x)))",
    "",
)
_PIECES = (
    "(", ")", "()", " ", "\n", "\t", ";", "|", '"', "\\", "?x", "nil", "NIL", "INFO", "START",
    "PLAY", "STOP", "ABORT", "PREVIEW", "(role a)", "role", "random", "<=", "30", "-1", "1e309",
    "nan", "0", "\x00", "\ufeff", "é", "🂡", "f1", "f2", "(go 0)", "a", "b", "(((((((", ")))))",
)  # fmt: skip
_JSON: tuple[Any, ...] = (
    {"rules": _RULES, "players": ["random", "random"], "startClock": 0.1, "playClock": 0.1},
    {"rules": _RULES, "players": ["random"]}, {"rules": "(role", "players": []}, {"rules": 5},
    {"rules": _RULES, "players": ["http://127.0.0.1:1", "random"], "playClock": 0.1},
    {"rules": _RULES, "players": ["random"] * 2, "startClock": -1}, [], "x", 7, None,
    {"rules": _RULES, "players": [{}, []], "scramble": 3}, {"unknown": 1},
)  # fmt: skip


class Fuzz:
    """Requests as bytes, from a seed."""

    def __init__(self, seed: int, starts: float = 0.001) -> None:
        self._dice = random.Random(seed)
        self._starts = starts

    def requests(self, count: int) -> Iterator[bytes]:
        """Yield so many requests."""
        for _ in range(count):
            yield self._request()

    def _request(self) -> bytes:
        dice = self._dice
        kind = dice.random()
        if kind < 0.02:
            return bytes(dice.randrange(256) for _ in range(dice.randrange(200)))
        body = self._body().encode("utf-8", "surrogatepass")
        if kind < 0.1:
            return b"GET /" + b"?"[: dice.randrange(2)] + body.replace(b"\n", b"") + self._end()
        if kind < 0.13:
            method = dice.choice([b"OPTIONS", b"DELETE", b"PUT", b"HEAD", b"BREW", b"\xff"])
            return method + b" /matches/x" + self._end()
        path = dice.choice([b"/", b"/", b"/", b"/matches", b"/../../etc/passwd", b"*", b"//"])
        length: Any = len(body)
        if kind > 0.9:
            length = dice.choice(
                [0, -1, len(body) + 5, max(len(body) - 5, 0), 10**20, "many", "", "1, 2", "0x5"]
            )
        head = b"POST " + path + b" HTTP/" + dice.choice([b"1.0", b"1.0", b"1.1", b"0.9", b"9.9"])
        head += f"\r\nContent-Length: {length}\r\n".encode()
        if kind > 0.85:
            head += dice.choice(
                [
                    b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n",
                    b"Expect: 100-continue\r\n", b"Connection: keep-alive\r\n",
                    b"X: " + b"y" * dice.randrange(20_000) + b"\r\n", b"Bad Header\r\n",
                    b"Host: a\r\nHost: b\r\n", b"Content-Type: text/acl; charset=\xff\r\n",
                ]
            )  # fmt: skip
        request = head + b"\r\n" + body
        if dice.random() < 0.03:
            return request[: dice.randrange(len(request))]
        return request

    def _end(self) -> bytes:
        return self._dice.choice([b" HTTP/1.0\r\n\r\n", b" HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n"])

    def _body(self) -> str:
        dice = self._dice
        kind = dice.random()
        if kind < self._starts:
            # Few names: now and then a match that is being played begins again.
            return f"(START f{dice.randrange(6)} a ({dice.choice(_SHEETS)}) 1 1)"
        if kind < 0.15:
            return json.dumps(dice.choice(_JSON))
        name = dice.choice(["f0", "f1", "f2", "f3", "f4", "f5", "m", "x" * 150])
        text = dice.choice(
            [
                "( INFO )", "", "(ping)", f"(PLAY {name} nil)", f"(PLAY {name} ((go 0) (go 0)))",
                f"(STOP {name} ((go 0) (go 0)))", f"(ABORT {name})", f"(PREVIEW ({_RULES}) 5)",
                f"(PLAY {name} ({'(go 0) ' * dice.randrange(60)}))", "(" * dice.randrange(200),
                f"(START {name} a ({_RULES[: dice.randrange(200)]}",
            ]
        )  # fmt: skip
        for _ in range(dice.choice([0, 0, 1, 2, 5, 20])):
            at = dice.randrange(len(text) + 1)
            if dice.random() < 0.5:
                text = text[:at] + dice.choice(_PIECES) + text[at:]
            else:
                text = text[:at] + text[at + dice.randrange(5) :]
        return text


@dataclass
class Outcome:
    """What came of requests: by status, and what was wrong with answers."""

    statuses: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, request: bytes, answer: bytes | None) -> None:
        """Note an answer; None where none came in time."""
        if answer is None:
            self.wrong.append(f"no answer and no end: {request[:200]!r}")
            return
        status = answer.split(b" ")[1].decode("ascii", "replace") if answer else "closed"
        self.statuses[status] = self.statuses.get(status, 0) + 1
        head, _, body = answer.partition(b"\r\n\r\n")
        lengths = [
            line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
        ]
        fits = len(lengths) == 1 and int(lengths[0].split(b":")[1]) == len(body)
        is_head = request.startswith(b"HEAD ")
        if answer and not (answer.startswith(b"HTTP/") and (fits or is_head)):
            self.wrong.append(f"{request[:200]!r} was answered {answer[:200]!r}")
        if status == "500":
            self.wrong.append(f"{request[:200]!r} failed: {body[:200]!r}")


async def send_all(port: int, requests: Iterator[bytes], at_once: int = 32) -> Outcome:
    """Send requests, a connection each and several at once; some clients stop sending early."""
    outcome = Outcome()

    async def client() -> None:
        for number, request in enumerate(requests):
            early = number % _ONE_HALF_CLOSES_OF == 0
            answer = await _exchange(port, request, half_close=early)
            outcome.add(request, answer)

    await asyncio.gather(*(client() for _ in range(at_once)))
    return outcome


async def _exchange(port: int, request: bytes, *, half_close: bool) -> bytes | None:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return None
    try:
        writer.write(request)
        await writer.drain()
        if half_close:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), _ANSWER_SECONDS)
    except (ConnectionError, OSError):
        return b""
    except TimeoutError:
        return None
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError, OSError):
            await writer.wait_closed()
