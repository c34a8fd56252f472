"""Vitals of a live table: what is counted, and when something is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.message import Message
from engine.pack import load_pack
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.live.capture import Lost
from tilesight.live.tiles.table import TileTable
from tilesight.live.vitals import VitalsGatherer
from tilesight.live.watching import watch
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame, Observation

SHAPE = (72, 128, 3)


class Source:
    """Pictures of a film, the second not to be recognised, and one that is no picture."""

    def __init__(self, pictures: int) -> None:
        self.pictures = pictures
        self.dropped, self.unreadable, self.complete = 4, 0, False
        self.overdue_s = 0.0

    def frames(self) -> Iterator[Frame | Lost]:
        for index in range(self.pictures):
            image = np.random.default_rng(index).integers(0, 255, SHAPE, np.uint8)
            yield Frame(image, float(index), index=index)
        self.unreadable = 1
        yield Lost(Message("no picture"))

    def close(self) -> None:
        pass


class Watched:
    """A table whose log is on a disk of a size that the test says."""

    def __init__(self, store: TableStore) -> None:
        pack = load_pack("savanna")
        record = random_game(pack, 2, 7, turns=4, style=Style(allow=("meeple",)), hands_seen=False)
        start = start_of(record, pack)
        self.store = store
        self.film = [seen for _, seen in film(start, record.turns, CLEAN, 3)]
        self.table = TileTable(start, {}, store, title="test", game="safari")
        self.source = Source(len(self.film))
        self.now_s = 100.0
        self.vitals = VitalsGatherer(self.source, self.table.game, clock=lambda: self.now_s)

    def observe(self, frame: Frame) -> Observation:
        if frame.index == 1:
            raise TypeError("an odd picture")
        return self.film[frame.index]

    def watch(self, *observers: Any) -> None:
        observe = self.vitals.counting(self.observe)
        watch(self.source, observe, self.table.game, [self.vitals.see, *observers], keep_going=True)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with TableStore(tmp_path / "one.table") as store:
        store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield Watched(store)


def test_pictures_are_counted_and_what_works_is_well(watched: Watched) -> None:
    watched.watch()
    vitals = watched.vitals.vitals()
    assert vitals.pictures_seen == len(watched.film) - 1
    assert (vitals.pictures_dropped, vitals.pictures_unreadable) == (4, 2)
    assert vitals.latency.counts[-1] == (float("inf"), len(watched.film) - 1) and vitals.latency.sum_s > 0
    assert vitals.wrong() == ()


def test_silence_is_wrong_until_the_game_is_over(watched: Watched) -> None:
    watched.watch()
    watched.source.overdue_s = 1000.0
    watched.vitals.silent_s = lambda: 1000.0
    watched.vitals.over()
    assert set(watched.vitals.vitals().wrong()) == {"picture", "thread:camera", "thread:recogniser"}
    watched.vitals.silent_s = lambda: 0.0
    watched.table.end()
    assert watched.vitals.vitals().wrong() == ()


def test_a_full_disk_is_told_and_tried_again_until_all_is_kept(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    [pages] = watched.store._base.execute("PRAGMA page_count").fetchone()
    watched.store._base.execute(f"PRAGMA max_page_count = {pages}")
    said: list[str] = []
    watched.table.watch().listen(lambda event: said.append(event.body if event else ""))
    tried = []

    def make_room(seconds: float) -> None:
        tried.append(watched.vitals.vitals().wrong())
        if len(tried) == 2:
            watched.store._base.execute("PRAGMA max_page_count = 1000000")

    monkeypatch.setattr("tilesight.live.watching.time.sleep", make_room)
    watched.watch()
    assert tried == [("log",), ("log",)]
    told = [body for body in said if "disk takes nothing more" in body]
    assert told and str(watched.store.path.parent) not in "".join(said)
    assert len(folded(Ledger(), watched.store.entries()).turns) == len(watched.table.state().played) == 4
    assert watched.vitals.vitals().wrong() == ()


def test_a_folder_that_is_gone_has_no_room(watched: Watched, tmp_path: Path) -> None:
    watched.store.path = tmp_path / "gone" / "one.table"
    assert watched.vitals.vitals().wrong() == ("disk", "log")
