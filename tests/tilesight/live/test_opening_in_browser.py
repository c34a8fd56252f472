"""A game that was under way, taken up on a phone: the players say points, hands and whose turn it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from tests.tilesight.inference.opening.test_opening_tracker import cut_game
from tests.tilesight.live.test_opening import pictures, table_of, watch
from tests.web.browser import PHONE, chromium, page_of, serious
from tests.web.conftest import Shown
from tilesight.server.dashboard import Dashboard
from tilesight.table_log.event_store import TableStore

pytestmark = pytest.mark.browser
expect = sync_api.expect


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.mark.parametrize(
    ("locale", "say", "begin"),
    [
        ("en-GB", "Enter points and turn …", "Go on from here"),
        pytest.param("de-DE", "Punkte und Zug eintragen …", "Von hier weiter", marks=pytest.mark.long),
        pytest.param("fr-FR", "Saisir les points et le tour …", "Continuer d’ici", marks=pytest.mark.long),
    ],
)
def test_the_sheet_takes_what_no_camera_sees(
    browser: sync_api.Browser, tmp_path: Path, locale: str, say: str, begin: str
) -> None:
    cut = cut_game("savanna", 8)
    with TableStore(tmp_path / "one.table") as store:
        table = table_of(cut, store)
        watch(table, pictures(cut)[0])
        first, second = cut.start.players
        other = next(player for player in cut.start.players if player != table.state().state.player)
        with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
            shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
            with page_of(browser, shown, PHONE, key=dashboard.key, locale=locale) as page:
                expect(page.locator(".question")).to_have_count(1)
                expect(page.locator("#board .tile")).to_have_count(len(cut.start.board))
                page.get_by_role("button", name=say).click()
                sheet = page.locator("dialog.sheet")
                expect(sheet).to_be_visible()
                assert serious(page) == []
                sheet.locator(f'[name="points-{first}"]').fill("27")
                sheet.locator(f'[name="points-{second}"]').fill("9")
                sheet.locator(f'[name="hand-{second}"]').fill("3")
                sheet.locator(f'[name="to"][value="{other}"]').check()
                sheet.get_by_role("button", name=begin).click()
                expect(sheet).to_have_count(0)
                expect(page.locator(".question")).to_have_count(0)
                expect(page.locator(".score-points")).to_have_text(["27", "9"])
        state = table.state().state
        assert (dict(state.scores), state.player) == ({first: 27, second: 9}, other)
        assert len(state.hands[second]) == 3 and table.state().confirmed
