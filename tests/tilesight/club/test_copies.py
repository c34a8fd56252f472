"""Copies of games at the hub: one object for each game, told of changes, gone with the game."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.club_parts import Table
from tilesight.club.database.models import Game
from tilesight.club.hub.copies import Copies
from tilesight.club.hub.presence import Presence
from tilesight.club.messages import Asked, Status
from tilesight.table_log.event_store import Entry
from web.table.refusal import Refusal


def test_a_copy_follows_its_game_and_goes_with_it(tmp_path: Path) -> None:
    table, presence = Table(tmp_path / "a.table"), Presence()
    table.play(3)
    copies = Copies(presence)

    def after(number: int) -> tuple[Entry, ...]:
        return table._store.after(number, -1)

    def game(folded: int) -> Game:
        return Game(id=1, table_id="hall-1", log_id="log", folded=folded, over=False)

    shown = copies.shown(game(table.entries), after).table
    view = shown.state()
    assert len(view.played) == 3 and view.camera.seeing == "lost" and shown.questions() == ()
    assert copies.shown(game(table.entries), after).table.state() is view
    asked = Asked(id="q", text="What was turn 3?", turn=3)
    presence.hear("hall-1", Status(game="log", phase="playing", seeing="watching", asked=[asked]))
    assert copies.shown(game(table.entries), after).table.questions()[0].turn_no == 3
    table.play(1)
    copies.tell("hall-1", "log")
    assert shown.watch().last_id == 1
    assert len(copies.shown(game(table.entries), after).table.state().played) == 4
    with pytest.raises(Refusal, match="stay at the table"):
        shown.photo(1)
    # The game was removed; one that has its number later is another.
    copies.forget("hall-1", "log")
    assert shown.watch().closed
    assert copies.shown(game(table.entries), after).table is not shown
    with pytest.raises(Refusal, match="cannot tell"):
        copies.shown(Game(id=2, table_id="hall-2", log_id="log", folded=1, over=False), lambda _: ())
    table.close()
