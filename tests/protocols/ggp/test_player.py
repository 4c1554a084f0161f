"""The player: whole matches over HTTP with its own processes."""

import asyncio

from protocols.ggp.playing import NIM, puppet
from trellis.gdl.sheet import Sheet
from trellis.protocols.ggp import player as player_module
from trellis.protocols.ggp.game_master import GameMaster, MatchPlan
from trellis.protocols.ggp.http_sending import NoAnswer, Sender
from trellis.protocols.ggp.messages import Play, Start, flatten_rules, read_message
from trellis.protocols.ggp.player import serve_player
from trellis.protocols.ggp.refereeing import Referee
from trellis.protocols.ggp.settings import PlayerSettings

CLOCKS = 15.0, 8.0  # where the machine is slow, forward chaining alone plays

PUZZLE = """
(role Robot) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(legal Robot (Go left)) (legal Robot (Go right))
(<= (next (at ?y)) (does Robot (Go right)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does Robot (Go left)) (true (at ?y)) (succ ?x ?y))
(<= terminal (true (at 4))) (<= terminal (not somewhere))
(<= somewhere (true (at ?x)))
(<= (goal Robot 100) (true (at 4))) (<= (goal Robot 0) (not (true (at 4))))
"""

PENNIES = """
(role A) (role B) (side heads) (side tails) (init new)
(<= (legal ?p (show ?s)) (role ?p) (side ?s))
(<= (next same) (does A (show ?s)) (does B (show ?s)))
(<= (next over) (does A (show ?s)))
(<= terminal (true over))
(<= (goal A 100) (true same)) (<= (goal B 0) (true same))
(<= (goal A 0) (not (true same))) (<= (goal B 100) (not (true same)))
"""


def play(rules, role, settings=None, act=None, *, keep=None):
    """Play a match of our player against puppets, or random players; return record and log."""
    log: list[str] = []

    async def run():
        player, listening = await serve_player(
            settings or PlayerSettings(), log.append, "127.0.0.1", 0
        )
        sender = Sender()
        referee = Referee(Sheet(rules, "game"))
        other = await puppet(act) if act else None
        address = f"http://127.0.0.1:{listening.port}"
        players = [f"http://127.0.0.1:{other.port}" if other else "random"] * len(referee.roles)
        players[referee.roles.index(role)] = address
        if keep is not None:
            keep.update(player=player, address=address, sender=sender)
        try:
            master = GameMaster("game", "m1", referee, MatchPlan(players, *CLOCKS), sender)
            return await master.run(lambda *_: None)
        finally:
            await player.close()
            await listening.close()
            await sender.close()
            if other:
                await other.close()

    return asyncio.run(run()), log


def test_a_won_game_is_won():
    record, log = play(NIM, "left")
    assert record.goals == [100, 0]
    assert not any(any(step) for step in record.errors)
    assert record.players[0] == "trellis"
    assert "starts as Left" in log[0]


def test_a_puzzle_is_solved():
    record, _ = play(PUZZLE, "robot")
    assert record.goals == [100]
    assert len(record.moves) == 4


def test_players_who_choose_at_once():
    def act(text):
        message = read_message(text)
        return "(show heads)" if isinstance(message, Play) else "ready"

    settings = PlayerSettings(player="auto:time=0.5")
    record, _ = play(PENNIES, "b", settings, act)
    assert record.completed
    assert not any(any(step) for step in record.errors)


def test_a_player_at_random():
    record, _ = play(NIM, "right", PlayerSettings(player="random"))
    assert record.completed
    assert not any(any(step) for step in record.errors)


def ask(*messages, settings=None):
    """Send messages to a player one after the other, and return what it says."""
    log: list[str] = []

    async def run():
        player, listening = await serve_player(
            settings or PlayerSettings(), log.append, "127.0.0.1", 0
        )
        sender, answers = Sender(), []
        try:
            for message in messages:
                try:
                    address = f"http://127.0.0.1:{listening.port}/"
                    answers.append(await sender.send(address, message, 90.0))
                except NoAnswer as failure:
                    answers.append(str(failure))
        finally:
            await player.close()
            await listening.close()
            await sender.close()
        return answers

    return asyncio.run(run()), log


def start_of(name, role="Left", rules=NIM, clocks="15 8"):
    return f"(START {name} {role} ({flatten_rules(rules)}) {clocks})"


def test_messages_out_of_order_are_answered():
    answers, _ = ask(
        "(PLAY m nil)", "(STOP m ((Take 1) Wait))", "(ABORT m)", "(PREVIEW ((role x)) 5)", "(info)",
        "", start_of("m"), start_of("m"), start_of("n"), "(info)", "(PLAY m nil)",
        "(PLAY m nil)", "(PLAY other nil)", "(STOP m ((Take 1) Wait))", "(PLAY m nil)",
        "(info)", "nonsense",
        settings=PlayerSettings(matches=1, name="Me"),
    )  # fmt: skip
    free = "( ( name Me ) ( status available ) ( species computer ) )"
    assert answers[:3] == ["busy"] * 3
    assert answers[3:6] == ["done", free, free]
    assert answers[6:9] == ["ready", "busy", "busy"]
    assert answers[9] == free.replace("available", "busy")
    assert answers[10] == "(Take 1)"  # with the letters of the rules
    assert answers[11] == answers[10]
    assert answers[12:] == ["busy", "done", "busy", free, "status 400"]


def test_a_match_whose_server_is_long_overdue_makes_room(monkeypatch):
    settings = PlayerSettings(matches=1, player="random")
    messages = (start_of("m", clocks="0.2 0.2"), start_of("n", clocks="0.2 0.2"), "(PLAY m nil)")
    answers, log = ask(*messages, settings=settings)
    assert answers[:2] == ["ready", "busy"]
    assert any("match n: refused, 1 are being played" in line for line in log)
    monkeypatch.setattr(player_module, "_OVERDUE", -10.0)
    answers, log = ask(*messages, settings=settings)
    assert answers == ["ready", "ready", "busy"]
    assert any("match m: given up" in line for line in log)


def test_rules_that_explode_end_their_match_only():
    many = " ".join(f"(d {i})" for i in range(40))
    explodes = f"(role x) {many} (<= (p ?a ?b ?c ?d ?e ?f ?g) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e)"
    explodes += "(d ?f) (d ?g)) (<= (init (f ?a ?b ?c ?d)) (p ?a ?b ?c ?d ?e ?f ?g))"
    explodes += "(legal x go) (<= terminal (true (f 1 1 1 1))) (goal x 50)"
    answers, _ = ask(
        start_of("bad", "x", explodes, "2 1"), start_of("good"), "(PLAY bad nil)",
        "(PLAY good nil)", "(ABORT bad)", "(ABORT good)",
    )  # fmt: skip
    assert answers[0] == answers[1] == "ready"
    assert answers[2] in ("nil", "go")
    assert answers[3:] == ["(Take 1)", "aborted", "aborted"]


def test_a_process_that_dies_is_replaced():
    kept = {}

    def act(text):
        message = read_message(text)
        if isinstance(message, Start):
            return "ready"
        if isinstance(message, Play) and message.moves:
            (match,) = kept["player"]._matches.values()
            for helper in match._helpers.values():
                helper.link._process.kill()
        return "Wait" if isinstance(message, Play) and not message.moves else "(Take 1)"

    record, log = play(NIM, "left", act=act, keep=kept)
    assert record.completed
    assert not any(step[0] for step in record.errors)
    assert any("ended by itself" in line for line in log)


def test_a_match_that_ends_early_leaves_no_process_behind():
    async def run():
        player, listening = await serve_player(PlayerSettings(), print, "127.0.0.1", 0)
        sender, address = Sender(), f"http://127.0.0.1:{listening.port}/"
        started = asyncio.create_task(sender.send(address, start_of("m", clocks="1 1"), 30.0))
        await started
        (match,) = player._matches.values()
        links = [helper.link for helper in match._helpers.values()]
        assert await sender.send(address, "(ABORT m)", 30.0) == "aborted"
        await asyncio.gather(*player._ending)
        coming = [task for task in match._engaging.values() if not task.done()]
        await player.close()
        await listening.close()
        await sender.close()
        return [link._process.returncode for link in links], coming

    codes, coming = asyncio.run(run())
    assert codes
    assert None not in codes
    assert not coming
