"""Attack 11: one phone with the key sends corrections as fast as it can, until the log is full."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import numpy as np
import pytest

from tests.attacks.logs import play
from tests.attacks.targets import Target, table_in
from tests.tilesight.live.test_controller import BLANK, Game, table_of, told
from tests.tilesight.live.test_controller import played as played
from tests.web.fake_table import photograph
from tilesight.commands.repair import repair
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.sqlite_log import files_of
from web.limits.keys import CHANGES
from web.table.correction import LetGo, MoveTurn, ReplaceTurn, SetScores

BURST = CHANGES[0]
LOG_BYTES = 8_000_000
"""Bytes of the log that a storm of corrections may fill; it filled 60 times as many."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    """An open log."""
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


def test_equal_commands_are_one(played: Game, store: TableStore) -> None:
    """A command that changes nothing writes nothing, and can be sent for ever."""
    start, turns, pictures = played
    table = table_of(start, store)
    for picture in pictures:
        table.game.see(picture, BLANK, 0.0)
    color, turn = start.players[0], told(table)[4]
    again: list[Callable[[], None]] = [
        lambda: table.correct(ReplaceTurn(5, turn.to_json())),
        lambda: table.correct(SetScores({color: 40})),
        lambda: table.correct(LetGo()),
        lambda: table.correct(MoveTurn(3, 3)),
        lambda: table.seat(color, "Ana"),
        lambda: table.pause(True),
    ]
    for command in again:
        command()
    entries = len(store.entries())
    for command in again * 3:
        command()
    assert len(store.entries()) == entries
    assert told(table) == list(turns) and table.scores()[color] == 40
    table.undo()
    assert len(store.entries()) == entries + 1


def test_a_picture_is_kept_once(played: Game, store: TableStore) -> None:
    """Corrections while the camera's picture stays the same keep it once, and each shows it."""
    start, _, pictures = played
    table = table_of(start, store)
    noise = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), np.uint8)
    for index, picture in enumerate(pictures):
        table.game.see(picture, dataclasses.replace(BLANK, image=noise, index=index), 0.0)
    said = []
    for _ in range(6):
        others = table.choices(10).turns
        table.correct(ReplaceTurn(10, next(one for one in others if one != told(table)[9]).to_json()))
        said.append(store.entries()[-1].number)
    jpegs = {store.picture(number, "frame") for number in said}
    [jpeg] = jpegs
    assert jpeg is not None and jpeg.startswith(b"\xff\xd8")
    with closing(sqlite3.connect(store.path)) as base:
        asked = "SELECT length(jpeg) FROM pictures WHERE entry >= ?"
        assert [n for (n,) in base.execute(asked, (said[0],)) if n > 100] == []


def test_a_repaired_log_shows_a_picture_that_was_kept_once(tmp_path: Path) -> None:
    """A log that is repaired, which numbers its entries anew, shows each turn's picture as before."""
    path = play(tmp_path / "one.table")
    with closing(sqlite3.connect(path)) as base:
        base.execute("DELETE FROM entries WHERE number = 2")
        base.commit()
    repair(path)
    with TableStore(path, read_only=True) as mended:
        assert [mended.picture(entry.number, "frame") for entry in mended.entries()][1:] == [photograph()] * 3


def test_a_reference_to_another_picture_shows_none(store: TableStore) -> None:
    """A reference whose checksum disagrees, as after a renumbering, gives no picture, and no wrong one."""
    for _ in range(2):
        store.append(EntryKind.LOOKED, {}, {"frame": b"\xff\xd8 one"})
    assert store.picture(3, "frame") == b"\xff\xd8 one"
    with closing(sqlite3.connect(store.path)) as base:
        base.execute("UPDATE pictures SET jpeg = ?, sum = ? WHERE entry = 2", (b"\xff\xd8", 0))
        base.commit()
    assert store.picture(3, "frame") is None


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """A live table of its own."""
    with table_in(tmp_path / "home") as running:
        yield running


def test_one_phone_cannot_fill_the_log(target: Target) -> None:
    """A phone that sends corrections without end is told to wait; another is not, and the log stays small."""
    target.show()
    target.tell(12)
    colors = [seat["color"] for seat in target.state()["players"]]

    def correct(client: httpx.Client, points: int) -> httpx.Response:
        body = {"scores": {colors[0]: points}}
        return client.post(f"{target.url}/api/correct", json=body, headers={"X-Table-Key": target.key})

    with httpx.Client(timeout=60.0) as phone, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: correct(phone, n), range(1, BURST + 61)))
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses[200] >= BURST - 5 and statuses[429] > 0 and statuses[200] + statuses[429] == len(answers)
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.json()["error"]["code"] == "too_often"
    with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=60.0) as other:
        assert correct(other, 5).status_code == 200
    assert sum(file.stat().st_size for file in files_of(target.log) if file.exists()) < LOG_BYTES
