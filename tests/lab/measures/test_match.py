"""Matches as a measure: games of programs that fail do not count, and every game says its end."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from laboratory import experiment
from trellis.game.errors import BadParameter
from trellis.lab.experiment import Cell
from trellis.lab.measures import match as measure_file
from trellis.lab.measures import measure_of
from trellis.lab.record import Record
from trellis.lab.running import Run
from trellis.players.match import run_match

FAKE = Path(__file__).parent.parent.parent / "players" / "fake_engine.py"
GAME = "go:board_size=3,komi=0.5"  # one that begins with two passes is over
MATCH = measure_of("match")


def fake(*manner, **options):
    words = "".join(f"{name}={value}," for name, value in options.items())
    command = " ".join(map(str, [sys.executable, FAKE, *manner]))
    return f"gtp:{words}command={command}"


def settings(**more):
    return {"game": GAME, "a": "random", "b": "random", **more}


def played(more, **of_experiment):
    """Run a cell of a match, beside one that is fine; return both and what was told."""
    measure_file._try.cache_clear()
    told = []
    cells = (Cell("it", settings(**more)), Cell("fine", settings()))
    made = experiment(cells=cells, **of_experiment)
    with closing(Record(":memory:")) as record:
        this = Run(made, "smoke", record, notice=told.append)
        from trellis.lab.executors.local import InProcess

        results = this.go(InProcess)
    return *results.cells, told


@pytest.mark.parametrize(
    ("manner", "options", "message"),
    [
        (("crashing",), {}, "cannot play: ended with code 3; it said"),
        (("illegal",), {}, "cannot play: illegal move 'Z99'"),
        (("mute",), {}, "cannot play: illegal move ''"),
        (("hanging",), {"timeout": 0.3}, "cannot play: no reply in time to 'genmove b'"),
        (("flooding",), {}, "cannot play: writes without end"),
    ],
)
def test_players_are_tried_before_the_first_game(manner, options, message):
    it, fine, told = played({"b": fake(*manner, **options)})
    (line,) = told
    assert line.startswith("it cannot be measured: 'gtp:")
    assert message in line
    assert "\n" not in line
    assert (len(it.samples), len(fine.samples)) == (0, 12)


def test_whoever_resigns_at_once_can_play_and_loses():
    it, _, told = played({"a": fake("resigning")})
    assert told == []
    ends = {sample["end"]: sample["value"] for _, sample in it.samples}
    assert ends["resigned"] == 0.0


@pytest.mark.parametrize(
    ("manner", "options", "why"),
    [
        (("crashing", 3), {}, "ended with code 3"),
        (("illegal", 3), {}, "illegal move 'Z99'"),
        (("hanging", 3), {"timeout": 0.3}, "no reply in time to"),
    ],
)
def test_a_program_that_fails_in_two_games_running_ends_its_cell(manner, options, why):
    """It fails at its third move, which it is never asked for when it is tried."""
    it, fine, told = played({"b": fake(*manner, **options)}, samples=40)
    (line,) = told
    assert line.startswith("it is left at that: game ")
    assert f"B, {fake(*manner, **options)}, loses: {why}" in line or why in line
    void = [sample for _, sample in it.samples if sample["value"] is None]
    assert len(void) >= 2
    assert {sample["end"] for sample in void} == {"failed"}
    assert all(sample["moves"] and why in sample["void"] for sample in void)
    assert len(it.samples) < 40
    assert len(fine.samples) == 40
    assert it.estimate_at(0.95).samples == len(it.samples) - len(void)


def test_the_end_of_every_game_is_told():
    it, fine, _ = played({"longest": 2})
    assert {sample["end"] for _, sample in it.samples} == {"longest"}
    assert {value for _, value in it.counted()} == {0.5}
    assert {sample["end"] for _, sample in fine.samples} == {"rules"}


def test_a_sample_is_the_game_that_a_match_plays():
    """The same games by the same seeds, whoever asks for them."""
    given = MATCH.read(settings(opening=1))
    samples = [MATCH.take(given, 77, number) for number in range(6)]
    found = run_match(GAME, "random", "random", games=6, seed=77, opening=1)
    assert sum(sample["value"] for sample in samples) == found.wins_a + found.draws / 2
    assert sum(sample["plies"] for sample in samples) / 6 == found.plies
    first, second = (sample["moves"].split()[0] for sample in samples[:2])
    assert first == second, "both games of a pair begin alike"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"game": "pig:target=10,players=3"}, "pig"),
        ({"game": "leftright"}, "is not a game for two players"),
        ({"a": "nobody"}, "nobody"),
        ({"b": "gtp:command=no-such-program"}, "no program 'no-such-program'"),
        ({"game": "pig", "b": fake("fine")}, "is not for other programs"),
    ],
)
def test_what_cannot_be_played_is_refused(more, message):
    with pytest.raises(BadParameter, match=message):
        MATCH.check(MATCH.read(settings(**more)))
