"""Games as ``tilesight live`` is asked for them."""

import pytest

from tilesight.commands.live_games import asked_game
from tilesight.settings import SettingsError


def test_a_river_is_asked_for_with_its_edition() -> None:
    asked = asked_game("carcassonne", "red,blue", None, None, None, ("river=c3",), learn=False)
    assert asked.header()["river"] == "c3"
    assert asked.header()["pack"] == "bastide"


@pytest.mark.parametrize(
    ("game", "players", "given"),
    [("carcassonne", "red,blue", "sea=c1"), ("tricky-safari", "red,yellow", "start=red")],
)
def test_a_field_that_the_game_does_not_have_is_refused(game: str, players: str, given: str) -> None:
    with pytest.raises(SettingsError, match=r"--with|no field 'sea'"):
        asked_game(game, players, None, None, None, (given,), learn=False)
