"""A table without a computer by clicks alone: made on the hub's page, filmed by a phone, closed."""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright import sync_api

from tests.tilesight.club.club_parts import until
from tests.tilesight.club.socket_hubs import KEY, ServedHub, served_hub, speaking
from tests.web.api.test_phone import FAKE_CAMERA
from tests.web.browser import SIZES_WH, chromium, serious
from tests.web.test_other_pages import quiet_page
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.frames import Assigned, Told, Working, picture_of, to_worker
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.messages import Status
from vision.image.decode import decode_image

pytestmark = [pytest.mark.long, pytest.mark.browser]
expect = sync_api.expect


@contextmanager
def hub_pages(folder: Path) -> Iterator[ServedHub]:
    """A hub with its pages."""
    engine = open_database(folder / "hub.db")
    with served_hub(folder / "club", engine, phones=PhoneTables(engine)) as served:
        yield served
    engine.dispose()


class Worker:
    """Takes a table's pictures, and says that it sees for it."""

    def __init__(self, served: ServedHub, table: str) -> None:
        self.came: list[bytes] = []
        self._invited = served.invite("w1", Role.WORKER)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._see(table)))
        self._thread.start()

    async def _see(self, table: str) -> None:
        status = Told(status=Status(game="none", phase="waiting", seeing="starting"))
        async with speaking(self._invited) as worker:
            await worker.say(Working(tables=1, ready=True))
            given = to_worker(await worker.text())
            assert isinstance(given, Assigned) and given.table == table
            async with speaking(self._invited, given.key) as link:
                while not self._ended.is_set():
                    await worker.say(Working(tables=1, ready=True))
                    await link.say(status)
                    with contextlib.suppress(TimeoutError):
                        data = await asyncio.wait_for(worker.socket.recv(), 0.5)
                        assert isinstance(data, bytes)
                        self.came.append(picture_of(data)[1])

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(10)


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_table_is_made_filmed_and_closed(size_wh: tuple[int, int], tmp_path: Path) -> None:
    with hub_pages(tmp_path) as served, chromium(*FAKE_CAMERA) as browser:
        url = f"http://{served.server}"
        with quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page:
            page.get_by_role("link", name="Phone tables").click()
            page.get_by_label("Name of the table").fill("Table 7")
            page.get_by_label("Name of player 1").fill("Ana")
            page.get_by_label("Name of player 2").fill("Bo")
            assert serious(page) == []
            page.get_by_role("button", name="Make the table").click()
            sheet = page.locator("#sheet")
            expect(sheet.get_by_role("img")).to_have_count(2)
            expect(sheet.get_by_role("heading", name="table-7")).to_be_visible()
            assert serious(page) == []
            camera, players = (
                str(sheet.get_by_role("link").nth(at).get_attribute("href")) for at in range(2)
            )
            page.get_by_role("link", name="All tables").click()
            card = page.locator(".club-table")
            expect(card).to_contain_text("No worker is watching it yet")
            worker = Worker(served, "table-7")
            try:
                expect(card).to_contain_text("Setting up")
                with quiet_page(browser, size_wh, camera) as phone:
                    phone.get_by_role("button", name="Start the camera").click()
                    expect(phone.locator("#count")).to_have_text(re.compile(r"^([3-9]|\d\d+) pictures sent"))
                    expect(phone.locator("#said")).to_have_text("This phone is the table’s camera now.")
                assert decode_image(until(lambda: worker.came)[0]).std() > 10
            finally:
                worker.stop()
        page = browser.new_page()  # no worker sends a small picture yet: 404
        page.goto(players)
        expect(page.get_by_role("heading", name="table-7")).to_be_attached()
        expect(page.locator("#back")).to_have_attribute("href", "/")
        page.close()
        with quiet_page(browser, size_wh, f"{url}/phone-tables?lang=de#key={KEY}") as page:
            page.get_by_role("button", name="Tisch schließen").click()
            expect(page.get_by_text("Kein solcher Tisch ist offen.")).to_be_visible()


def test_without_the_key_nothing_is_shown_and_nothing_sent(tmp_path: Path) -> None:
    with hub_pages(tmp_path) as served, chromium(*FAKE_CAMERA) as browser:
        url = f"http://{served.server}"
        page = browser.new_page()
        page.goto(f"{url}/phone-tables")
        expect(page.locator("#said")).to_contain_text("the address with the hub’s key")
        expect(page.locator("#new")).to_be_hidden()
        page.goto(f"{url}/camera/table-7")
        page.get_by_role("button", name="Start the camera").click()
        expect(page.locator(".lens")).to_have_attribute("data-state", "wrong")
