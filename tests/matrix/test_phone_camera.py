"""Every game watched by a phone: pictures over the WebSocket, answers over HTTP."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from tests.matrix.games import Kit
from tests.matrix.tables import PATIENCE_S, LiveTable, live
from tests.matrix.test_tables import lines_of, played

pytestmark = pytest.mark.long

WATCHED_TURNS = 2
PAUSE_S = 0.1
"""Time between looks at the table's state."""


def until(table: LiveTable, wanted: Callable[[], bool]) -> None:
    """Wait for something to be so at the table."""
    end_s = time.monotonic() + PATIENCE_S
    while not wanted():
        assert time.monotonic() < end_s, table.state()["camera"]
        time.sleep(PAUSE_S)


def seen_after(table: LiveTable, frame: int | None) -> None:
    """Wait until a later picture than ``frame`` was looked at."""
    until(table, lambda: table.state()["camera"]["frame"] != frame)


async def send(table: LiveTable, pictures: list[Path]) -> None:
    """The pictures, one after the other, each looked at before the next is sent, as a slow phone does."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    address = str(table.ready["camera_url"]).split("/camera")[0].replace("https", "wss") + "/api/phone"
    async with connect(address, ssl=trusting) as phone:
        await phone.send(json.dumps({"key": table.key}))
        assert json.loads(await phone.recv()) == {"welcome": True}
        for picture in pictures:
            before = table.state()["camera"]["frame"]
            await phone.send(picture.read_bytes())
            assert "frame" in json.loads(await phone.recv())
            await asyncio.to_thread(seen_after, table, before)


def test_a_phone_is_the_camera(kit: Kit, tmp_path: Path) -> None:
    set_up = kit.lines[0]["frame"]
    last = kit.lines[WATCHED_TURNS - 1]["frame"] + 2
    pictures = [kit.session / frame["file"] for frame in kit.header["frames"][: last + 1]]
    with live(kit, "phone", tmp_path / "evening.table") as table:
        asyncio.run(send(table, pictures[:set_up]))
        for question in table.get("/api/questions").json()["questions"]:  # where the set-up is asked about
            table.post("answer", {"question": question["id"], "option": question["options"][0]["id"]})
        assert table.get("/api/questions").json()["questions"] == []
        asyncio.run(send(table, pictures[set_up:]))
        until(table, lambda: len(table.turns()) == WATCHED_TURNS)
        assert lines_of(table) == [played(line) for line in kit.lines[:WATCHED_TURNS]]
