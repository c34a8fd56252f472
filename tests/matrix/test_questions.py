"""Every tile game asks what the pictures leave open, and takes the answer."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.matrix.games import GAMES, kit_of
from tests.tilesight.synthetic import CLEAN, Camera, film
from tilesight.live.tiles.table import TileTable
from tilesight.server.dashboard import Dashboard
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame

FRAME = Frame(np.full((720, 1280, 3), 90, np.uint8))
LONG_LOOK = replace(CLEAN, frames=7)
"""A doubt must last some seconds before people are asked."""
TURNS = 5


def another_face(start: GameState, turns: Sequence[Turn]) -> str:
    """A face with which the last of these turns would be legal as well."""
    before, last = start, turns[-1]
    for turn in turns[:-1]:
        before = before.apply(turn).state
    return next(
        name for name in before.bag if name != last.tile and not before.faults(replace(last, tile=name))
    )


@pytest.mark.parametrize("game", [name for name in tile_game_names() if name in GAMES])
def test_two_faces_that_look_alike_are_asked_about(game: str, tmp_path: Path) -> None:
    pack = load_pack(kit_of(game).pack)
    style = Style(allow=(), greedy=1.0)
    record = random_game(pack, 2, 3, turns=TURNS, style=style, hands_seen=False)
    start = tile_game_named(game).start(record.header, pack)  # type: ignore[arg-type]
    camera = Camera(start, LONG_LOOK, 3)
    camera.confuse(record.turns[-1].tile, another_face(start, record.turns))
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(TableStore(tmp_path / "one.table"))
        store.append(EntryKind.OPENED, {"header": {"game": game}, "names": {}})
        table = TileTable(start, {}, store, title="a game", game=game)
        dashboard = stack.enter_context(Dashboard(table, host="127.0.0.1", port=0))
        for _, seen in film(start, record.turns, LONG_LOOK, 3, camera):
            table.game.see(seen, FRAME, 0.0)
        (question,) = httpx.get(f"{dashboard.url}/api/questions").json()["questions"]
        assert question["turn"] == TURNS and question["text"]
        crop = httpx.get(f"{dashboard.url}/api/questions/{question['id']}/crop.jpg")
        assert crop.content.startswith(b"\xff\xd8")
        right = next(one for one in question["options"] if one["turn"] == record.turns[-1].to_json())
        answer = {"question": question["id"], "option": right["id"]}
        key = {"X-Table-Key": dashboard.key}
        assert httpx.post(f"{dashboard.url}/api/answer", json=answer, headers=key).status_code == 200
        assert httpx.get(f"{dashboard.url}/api/questions").json()["questions"] == []
        assert folded(Ledger(), store.entries()).turns == record.turns
