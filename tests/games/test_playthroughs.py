"""Every game has recorded games, and still plays them the same."""

import pytest

from trellis.game.playthrough import moves_of, replay_game
from trellis.loading import load, registered_games

from places import DATA

RECORDS = sorted((DATA / "playthroughs").glob("*.txt"))


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_recorded_game_replays(file):
    text = file.read_text(encoding="utf-8")
    replay_game(text, load(moves_of(text)[0]))


def test_every_game_has_a_record():
    recorded = {file.stem.partition("-")[0] for file in RECORDS}
    assert recorded == {entry.name for entry in registered_games()}
