"""Cards of tables: the latest game of each, and the end of an earlier one that was folded late."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tilesight.club.database import Game
from tilesight.club.hub.cards import Cards
from tilesight.club.hub.presence import Presence
from web.club.views import ClubTable


def _game(number: int, **more: object) -> Game:
    told = {"turns": 4, "over": False, "began_s": 1.0, "changed_s": 2.0, **more}
    return Game(id=number, table_id="hall-1", log_id=f"log-{number}", **told)


def test_the_end_of_an_earlier_game_is_told_and_not_shown() -> None:
    """Its table began another before the hub was back: a tournament waits for its result."""
    heard: list[ClubTable] = []
    cards = Cards(Presence(), heard.append)
    for game in (_game(2), _game(1), _game(1, over=True)):
        cards.show(game)
    assert [(one.log, one.phase) for one in heard] == [("log-2", "waiting"), ("log-1", "over")]
    assert [one.log for one in cards.since(0)[1]] == ["log-2"]
