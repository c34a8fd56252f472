"""Fold at the hub: games of editions that it does not have, and packs of a huge size."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from engine.pack import load_pack, read_pack
from tests.tilesight.club.club_parts import Table
from tests.tilesight.toy_pack import edition
from tilesight.club.hub.fold import GameFold
from tilesight.club.messages import LogEntry
from tilesight.table_log.event_store import Entry
from web.views.tile_json import pack_json

SAVANNA = dict(load_pack("savanna").source)
WITHIN_S = 10.0
"""Processor time for whatever a table sends to be folded; it takes a tenth of that."""


def _game(folder: Path, **changed: Any) -> tuple[Table, list[Entry]]:
    """A table that plays an edition of its own, and its entries as they come over the network."""
    pack = read_pack({**SAVANNA, "id": "club-edition", "title": "Ours </script><b>", **changed}, None)
    table = Table(folder / "a.table", pack=pack)
    table.play(6)
    sent = [LogEntry.of(entry).encoded() for entry in table._store.entries()]
    table.close()
    return table, [LogEntry.model_validate_json(one).entry() for one in sent]


def _with_opening(entries: list[Entry], **changed: Any) -> list[Entry]:
    return [replace(entries[0], data={**entries[0].data, **changed}), *entries[1:]]


def test_a_game_of_an_edition_that_the_hub_does_not_have(tmp_path: Path) -> None:
    table, entries = _game(tmp_path, tokens={"animals": {"lion": 9}})
    folded = GameFold(entries).folded()
    assert (folded.fault, folded.pack, folded.turns) == (None, "club-edition", 6)
    assert folded.scores == table.scores
    assert pack_json(GameFold(entries).table()[0].state().pack)["id"] == "club-edition"


def test_a_log_names_no_folder_of_the_hubs_computer(tmp_path: Path) -> None:
    _, entries = _game(tmp_path)
    header = {**entries[0].data["header"], "pack": str(edition(tmp_path, "club-edition"))}
    folded = GameFold(_with_opening(entries, header=header, pack=None)).folded()
    assert folded.state is None and "ships with Tilesight" in str(folded.fault)


FACE = SAVANNA["tiles"][0]
BAOBAB = FACE["features"][0]
CROWDED = {
    "faces": {
        "tiles": [
            *SAVANNA["tiles"],
            *({**FACE, "id": f"T{n}", "designs": [{"id": f"D{n}", "count": 1000}]} for n in range(850)),
        ]
    },
    "tiles at the start": {
        "start": [*SAVANNA["start"], *({"design": "CS1", "cell": [5, 3 * n]} for n in range(5000))]
    },
    "features": {
        "tiles": [
            {**one, "features": [*one["features"], *({**BAOBAB, "id": f"f{n}"} for n in range(50))]}
            for one in SAVANNA["tiles"]
        ]
    },
    "points of a region": {
        "start": [
            {**one, "features": [{**two, "region": [[0.1, 0.2]] * 5000} for two in one["features"]]}
            for one in SAVANNA["start"]
        ]
    },
    "depth": {"more": json.loads("[" * 150 + "]" * 150)},
    "digits": {"tile_mm": 10**400},
}


@pytest.mark.parametrize("what", CROWDED)
def test_a_huge_pack_is_folded_or_refused_within_its_processor_time(what: str, tmp_path: Path) -> None:
    _, entries = _game(tmp_path)
    told = {**entries[0].data["pack"], **CROWDED[what]}
    begun_s = time.process_time()
    fold = GameFold(_with_opening(entries, pack=told))
    folded = fold.folded()
    if folded.fault is None:
        json.dumps(pack_json(fold.table()[0].state().pack))
    assert time.process_time() - begun_s < WITHIN_S
    assert folded.fault is not None or folded.turns == 6
