"""A table without a computer by clicks alone: made on the hub's page, filmed by a phone, closed."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nats
import pytest
from playwright import sync_api

from tests.tilesight.club.club_parts import Nats, nats_server, until
from tests.web.api.test_phone import FAKE_CAMERA
from tests.web.browser import SIZES_WH, chromium, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS
from tests.web.test_other_pages import quiet_page
from tilesight.club.connection import Address
from tilesight.club.database.engine import open_database
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.messages import Status
from tilesight.club.subjects import table_subject
from vision.image.decode import decode_image
from web.club.app import create_club_app

pytestmark = [pytest.mark.long, pytest.mark.browser]
expect = sync_api.expect


@contextmanager
def hub_pages(folder: Path) -> Iterator[tuple[str, Nats]]:
    """A hub with its NATS server; the address of its pages."""
    engine = open_database(folder / "hub.db")
    tables = PhoneTables(engine)
    with nats_server(folder / "nats") as server, Hub(engine, Address((server.url,)), phones=tables) as hub:
        until(lambda: tables._nats)
        with running(
            create_club_app(hub, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts(), phones=tables)
        ) as url:
            yield url, server
    engine.dispose()


class Worker:
    """Takes a table's pictures, and says that it sees for it."""

    def __init__(self, server: Nats, table: str) -> None:
        self.came: list[bytes] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._see(server.url, table)))
        self._thread.start()

    async def _see(self, url: str, table: str) -> None:
        client = await nats.connect(url)
        pictures = await client.subscribe(table_subject(table, "frame"))
        status = Status(game="none", phase="waiting", seeing="starting").encoded()
        while not self._ended.is_set():
            await client.publish(table_subject(table, "status"), status)
            try:
                self.came.append((await pictures.next_msg(0.5)).data)
            except nats.errors.TimeoutError:
                continue
        await client.close()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(10)


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_table_is_made_filmed_and_closed(size_wh: tuple[int, int], tmp_path: Path) -> None:
    with hub_pages(tmp_path) as (url, server), chromium(*FAKE_CAMERA) as browser:
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
            worker = Worker(server, "table-7")
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
    with hub_pages(tmp_path) as (url, _), chromium(*FAKE_CAMERA) as browser:
        page = browser.new_page()
        page.goto(f"{url}/phone-tables")
        expect(page.locator("#said")).to_contain_text("the address with the hub’s key")
        expect(page.locator("#new")).to_be_hidden()
        page.goto(f"{url}/camera/table-7")
        page.get_by_role("button", name="Start the camera").click()
        expect(page.locator(".lens")).to_have_attribute("data-state", "wrong")
