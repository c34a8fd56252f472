"""A table's interface for its link: its status, a small picture, commands of the hub."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.web.conftest import serving
from tests.web.fake_table import FakeTable
from tilesight.club.link.table_api import TableApi, small_picture
from tilesight.club.messages import PREVIEW_BYTES, Command


def test_a_table_says_how_it_is_and_does_what_the_hub_asks() -> None:
    table = FakeTable()
    table.play(3)
    with serving(table) as shown:
        api = TableApi(shown.url)
        status = api.status("x")
        assert (status.game, status.phase, status.asked) == ("x", "playing", [])
        table.ask("What was turn 4?")
        [asked] = api.status("x").asked
        assert asked.text == "What was turn 4?" and asked.options
        body = {"question": asked.id, "option": asked.options[0].id}
        assert api.do(Command(id="1", path="/api/answer", body=body), "no key").status == 403
        assert api.do(Command(id="1", path="/api/answer", body=body), shown.key).status == 200
        assert api.status("x").asked == []
        # Nothing else of the table is the hub's to ask: not its keys, not its pictures.
        for path in ("/api/host/key", "/api/state", "http://127.0.0.1:1/api/undo", "/api/undo?x"):
            assert api.do(Command(id="1", path=path), shown.key).status == 404
    assert api.do(Command(id="1", path="/api/undo"), shown.key).status == 502


def test_a_small_picture_of_noise_keeps_the_size_limit() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (1080, 1920, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "JPEG", quality=95)
    small = small_picture(file.getvalue())
    assert small is not None and len(small) <= PREVIEW_BYTES and small.startswith(b"\xff\xd8")
    assert small_picture(b"no picture") is None and small_picture(file.getvalue()[:5000]) is None
