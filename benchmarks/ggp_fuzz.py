"""Send requests that mean nothing to a running player and a running server of matches.

    python benchmarks/ggp_fuzz.py --messages 100000

Half of the requests go to a player, half to a server of matches, from many connections at once.
Meanwhile matches are played with the same player, again and again: none of its moves may be late,
illegal or missing.  Every request has to be answered by a whole response, or its connection closed.
Some requests begin matches, by rules that explode among them; `--starts` says how many.
"""

import argparse
import asyncio
import resource
import sys
from pathlib import Path
from time import perf_counter

import trellis
from trellis.gdl.sheet import Sheet
from trellis.protocols.ggp.fuzzing import Fuzz, Outcome, send_all
from trellis.protocols.ggp.game_master import GameMaster, MatchPlan
from trellis.protocols.ggp.http_sending import Sender
from trellis.protocols.ggp.http_service import Limits, Service, listen
from trellis.protocols.ggp.match_server import MatchServer
from trellis.protocols.ggp.player import serve_player
from trellis.protocols.ggp.refereeing import Referee
from trellis.protocols.ggp.settings import PlayerSettings

SHEET = Path(trellis.__file__).parent / "gdl" / "sheets" / "tic_tac_toe.kif"
LIMITS = Limits(head_seconds=2.0, body_seconds=2.0)
SETTINGS = PlayerSettings(matches=8, player="auto:time=0.5", memory=512)


async def play_matches(address: str, over: asyncio.Event) -> tuple[int, list[str]]:
    """Play against a random player until it is over; return how often, and all errors."""
    sender, played, errors = Sender(), 0, []
    text = SHEET.read_text("utf-8")
    while not over.is_set() or played == 0:
        plan = MatchPlan([address, "random"], 20.0, 10.0, seed=played)
        master = GameMaster("ttt", f"good{played}", Referee(Sheet(text)), plan, sender)
        record = await master.run(lambda *_: None)
        played += 1
        errors += [
            f"match {played}, step {number}: {step[0]}"
            for number, step in enumerate(record.errors)
            if step[0]
        ]
        errors += [record.why] if record.aborted else []
    await sender.close()
    return played, errors


async def run(messages: int, seed: int, starts: float) -> int:
    """Send everything; return how much went wrong."""
    said: list[str] = []
    player, to_player = await serve_player(SETTINGS, said.append, "127.0.0.1", 0, LIMITS)
    server = MatchServer(said.append)
    to_server = await listen(Service(server.answer, LIMITS), "127.0.0.1", 0)
    await player.warm_up()
    over, began = asyncio.Event(), perf_counter()
    matches = asyncio.create_task(play_matches(f"http://127.0.0.1:{to_player.port}", over))
    outcomes: list[Outcome] = await asyncio.gather(
        send_all(to_player.port, Fuzz(seed, starts).requests(messages // 2)),
        send_all(to_server.port, Fuzz(seed + 1, starts).requests(messages // 2)),
    )
    took = perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    over.set()
    played, errors = await matches
    await player.close()
    await server.close()
    await to_player.close()
    await to_server.close()
    internal = [line for line in said if "internal error" in line]
    print(f"{messages:,} requests in {took:.0f} s, {most:.0f} MiB at most in this process")
    for name, outcome in zip(("player", "server"), outcomes, strict=True):
        print(f"{name}: {dict(sorted(outcome.statuses.items()))}, {len(outcome.wrong)} wrong")
    print(f"{played} matches meanwhile, {len(errors)} errors in them")
    wrong = [*outcomes[0].wrong, *outcomes[1].wrong, *errors, *internal]
    for line in wrong[:20]:
        print(" ", line)
    if errors:
        print("what the player said of its matches:")
        for line in said:
            print(" ", line)
    return len(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--starts", type=float, default=0.001, help="part that begins a match")
    given = parser.parse_args()
    sys.exit(1 if asyncio.run(run(given.messages, given.seed, given.starts)) else 0)
