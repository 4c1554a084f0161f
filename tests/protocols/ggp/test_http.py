"""Messages over HTTP, from good clients and bad ones."""

import asyncio

import pytest

from protocols.ggp.playing import hang_up, puppet, raw
from trellis.game.errors import BadParameter
from trellis.protocols.ggp.http_sending import NoAnswer, Sender, TooLate, read_address
from trellis.protocols.ggp.http_service import Limits


def talk(*requests: bytes, limits: Limits | None = None) -> list[bytes]:
    """Return what a service that echoes says to raw requests, one connection each."""

    async def run() -> list[bytes]:
        listening = await puppet(lambda body: f"<{body}>", limits)
        try:
            return [await raw(listening.port, each) for each in requests]
        finally:
            await listening.close()

    return asyncio.run(run())


def test_messages_as_servers_send_them():
    post = b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: x\r\n"
    post += b"Content-Type: text/acl\r\nContent-Length: 6\r\n\r\n(INFO)"
    no_length = b"POST / HTTP/1.0\r\n\r\n"
    get = b"GET /?%28+INFO%20%29 HTTP/1.0\r\n\r\n"
    path = b"GET /%28PLAY%20m%20nil%29 HTTP/1.1\r\nHost: x\r\n\r\n"
    options = b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://elsewhere\r\n\r\n"
    answers = talk(post, no_length, get, path, options)
    for answer, body in zip(answers, ["<(INFO)>", "<>", "<( INFO )>", "<(PLAY m nil)>", ""],
                            strict=True):  # fmt: skip
        head, _, rest = answer.partition(b"\r\n\r\n")
        assert head.split(b" ")[1] == b"200"
        assert rest.decode() == body
        assert b"Content-Type: text/acl" in head
        assert b"Access-Control-Allow-Origin: *" in head
        assert b"chunked" not in head.lower()
        assert f"Content-Length: {len(body)}".encode() in head
    assert answers[0].startswith(b"HTTP/1.0 200 OK")


def test_what_is_no_request_ends_its_connection_only():
    limits = Limits(body_bytes=100, head_seconds=0.3, body_seconds=0.3)
    too_long = b"POST / HTTP/1.0\r\nContent-Length: 101\r\n\r\n" + b"x" * 101
    half_head = b"POST / HTTP/1.0\r\nContent-Le"
    half_body = b"POST / HTTP/1.0\r\nContent-Length: 50\r\n\r\nabc"
    bad_length = b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\nabc"
    negative = b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\nabc"
    noise = bytes(range(256)) * 10
    other = b"BREW / HTTP/1.0\r\n\r\n"
    good = b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok"
    answers = talk(
        too_long, half_head, half_body, bad_length, negative, noise, other, b"\n" * 100_000, good,
        limits=limits,
    )  # fmt: skip
    codes = [answer.split(b" ")[1] if answer else b"" for answer in answers]
    assert codes[0] == b"413"
    assert codes[1] == b""
    assert codes[2] == b"408"
    assert codes[3] == codes[4] == codes[5] == b"400"
    assert codes[6] in (b"400", b"405")
    assert codes[-1] == b"200"
    assert answers[-1].endswith(b"<ok>")


def test_many_idle_connections_do_not_keep_others_out():
    async def run() -> bytes:
        listening = await puppet(lambda body: body, Limits(connections=20, head_seconds=0.2))
        idle = [await asyncio.open_connection("127.0.0.1", listening.port) for _ in range(60)]
        await asyncio.sleep(0.6)
        answer = await raw(listening.port, b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi")
        for _, writer in idle:
            await hang_up(writer)
        await listening.close()
        return answer

    assert asyncio.run(run()).endswith(b"\r\n\r\nhi")


def test_bodies_that_are_read_at_once_are_bounded_together():
    async def run() -> list[bytes]:
        limits = Limits(body_bytes=1_000, all_bytes=1_500, body_seconds=1.0)
        listening = await puppet(len, limits)
        head = b"POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n"
        answers = await asyncio.gather(
            *(raw(listening.port, head + b"x" * 900) for _ in range(3)),
        )
        after = await raw(listening.port, head + b"x" * 1_000)
        await listening.close()
        return [*answers, after]

    *crowded, after = asyncio.run(run())
    assert any(b" 503 " in answer for answer in crowded)
    assert after.endswith(b"1000")


def test_sending_is_bounded():
    async def run() -> list[object]:
        answers: list[object] = []
        silent = await puppet(lambda body: 3.0)
        huge = await puppet(lambda body: "x" * 2_000_000)
        refusing = await puppet(lambda body: body, Limits(body_bytes=1))
        sender = Sender()
        for listening in (silent, huge, refusing):
            try:
                answers.append(await sender.send(f"http://127.0.0.1:{listening.port}/", "hi", 0.3))
            except NoAnswer as failure:
                answers.append(failure)
        await silent.close(), await huge.close(), await refusing.close()
        try:
            answers.append(await sender.send(f"http://127.0.0.1:{silent.port}/", "hi", 2.0))
        except NoAnswer as failure:
            answers.append(failure)
        await sender.close()
        return answers

    silent, huge, refusing, gone = asyncio.run(run())
    assert isinstance(silent, TooLate)
    assert "answer of more than" in str(huge)
    assert "413" in str(refusing)
    assert isinstance(gone, NoAnswer)
    assert not isinstance(gone, TooLate)


def test_addresses():
    assert read_address("http://host:1234") == "http://host:1234/"
    assert read_address("host") == "http://host:9147/"
    assert read_address("[::1]:80") == "http://[::1]:80/"
    for wrong in ("", "ftp://host", "http://", "http://u:p@host", "host:port", "host:99999"):
        with pytest.raises(BadParameter, match="address"):
            read_address(wrong)
