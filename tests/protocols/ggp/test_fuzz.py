"""A running player and a running server, and requests that mean nothing."""

import asyncio

from protocols.ggp.playing import NIM
from trellis.gdl.sheet import Sheet
from trellis.protocols.ggp.fuzzing import Fuzz, Outcome, send_all
from trellis.protocols.ggp.game_master import GameMaster, MatchPlan
from trellis.protocols.ggp.http_sending import Sender
from trellis.protocols.ggp.http_service import Limits, Service, listen
from trellis.protocols.ggp.match_server import MatchServer
from trellis.protocols.ggp.player import serve_player
from trellis.protocols.ggp.refereeing import Referee
from trellis.protocols.ggp.settings import PlayerSettings

LIMITS = Limits(head_seconds=0.5, body_seconds=0.5)
REQUESTS = 300


def test_nothing_disturbs_a_match():
    said = []

    async def run():
        settings = PlayerSettings(matches=2)
        player, to_player = await serve_player(settings, said.append, "127.0.0.1", 0, LIMITS)
        server = MatchServer(said.append)
        to_server = await listen(Service(server.answer, LIMITS), "127.0.0.1", 0)
        sender = Sender()
        plan = MatchPlan([f"127.0.0.1:{to_player.port}", "random"], 15.0, 8.0)
        master = GameMaster("nim", "good", Referee(Sheet(NIM)), plan, sender)
        match = asyncio.create_task(master.run(lambda *_: None))
        await asyncio.sleep(0.1)
        outcomes = await asyncio.gather(
            send_all(to_player.port, Fuzz(1, starts=0.0).requests(REQUESTS), 8),
            send_all(to_server.port, Fuzz(2, starts=0.0).requests(REQUESTS), 8),
        )
        record = await match
        await sender.close()
        await player.close()
        await server.close()
        await to_player.close()
        await to_server.close()
        return outcomes, record

    outcomes, record = asyncio.run(run())
    for outcome in outcomes:
        assert not outcome.wrong
        assert sum(outcome.statuses.values()) == REQUESTS
        assert "400" in outcome.statuses
    assert "200" in outcomes[0].statuses  # of the player, for what does mean something
    assert record.completed
    assert not any(step[0] for step in record.errors)
    assert not [line for line in said if "internal" in line]


def test_what_is_wrong_is_noticed():
    outcome = Outcome()
    outcome.add(b"x", None)
    outcome.add(b"x", b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nab")
    outcome.add(b"x", b"HTTP/1.0 500 Oh\r\nContent-Length: 2\r\n\r\nab")
    assert len(outcome.wrong) == 3
    outcome.add(b"x", b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab")
    outcome.add(b"x", b"")
    assert len(outcome.wrong) == 3


def test_a_seed_gives_the_same_requests():
    assert list(Fuzz(5).requests(50)) == list(Fuzz(5).requests(50))
    assert list(Fuzz(5).requests(50)) != list(Fuzz(6).requests(50))
