"""The host's routes about webhooks: a secret is told once, and never again by anything that a table tells."""

from __future__ import annotations

import io
from collections.abc import Iterator

import httpx
import pytest
from rich.console import Console

from tests.tilesight.outward.receiver import HERE, Receiver, receiving
from tests.web.conftest import running
from tests.web.fake_table import FakeTable
from tilesight.outward.options import OutwardOptions
from tilesight.outward.outward import TableOutward
from web.api.served import offer
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import Access

ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")


class Hosted:
    """A served table that sends webhooks to this computer."""

    def __init__(self, receiver: Receiver, url: str, table: FakeTable) -> None:
        self.receiver = receiver
        self.url = url
        self.table = table

    def ask(self, method: str, path: str, key: str | None = ACCESS.host, **how: object) -> httpx.Response:
        headers = {"X-Table-Key": key} if key else {}
        return httpx.request(method, f"{self.url}{path}", headers=headers, timeout=60, **how)  # type: ignore[arg-type]


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    table, guard = FakeTable(), KeyGuard(ACCESS)
    app = create_app(table, key=guard)
    wanted = OutwardOptions(networks=HERE)
    with receiving() as receiver, TableOutward(table, guard, wanted, Console(file=io.StringIO())) as outward:
        offer(app, outward)
        with running(app) as url:
            yield Hosted(receiver, url, table)
            table.feed.close()


def test_a_host_adds_tests_and_removes_a_webhook(hosted: Hosted) -> None:
    assert hosted.ask("GET", "/api/host/webhooks").json() == {"webhooks": [], "broker": None}
    made = hosted.ask("POST", "/api/host/webhooks", json={"url": hosted.receiver.url}).json()
    path = f"/api/host/webhooks/{made['id']}"
    tested = hosted.ask("POST", f"{path}/test").json()
    assert (tested["problem"], tested["status"]) == ("", 204)
    assert hosted.receiver.got[0].is_signed(made["secret"])
    hosted.table.play()
    hosted.receiver.wait_for(lambda got: any(one.event["type"] == "turn" for one in got))
    assert hosted.ask("DELETE", path).json() == {"ok": True}
    assert hosted.ask("GET", "/api/host/webhooks").json()["webhooks"] == []
    for method, address in (("DELETE", path), ("POST", f"{path}/test")):
        answer = hosted.ask(method, address)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_webhook")


def test_secrets_are_told_once_and_addresses_in_part(hosted: Hosted) -> None:
    made = hosted.ask("POST", "/api/host/webhooks", json={"url": hosted.receiver.url}).json()
    paths = [
        "/api/host",
        "/api/host/webhooks",
        "/api/state",
        "/api/export",
        "/api/report.html",
        "/metrics",
        "/healthz",
    ]
    for path in paths:
        text = hosted.ask("GET", path).text
        assert made["secret"] not in text, path
        assert "PATHSECRET" not in text, path
    shown = hosted.ask("GET", "/api/host/webhooks").json()["webhooks"][0]["shown"]
    assert shown == f"http://127.0.0.1:{hosted.receiver.port}/…"
    events = "".join(event.body for event in hosted.table.watch().since(0))
    assert made["secret"] not in events


def test_only_the_host_may(hosted: Hosted) -> None:
    for key in (None, ACCESS.player, ACCESS.camera):
        for method, path in (
            ("GET", "/api/host/webhooks"),
            ("POST", "/api/host/webhooks"),
            ("POST", "/api/host/webhooks/x/test"),
            ("DELETE", "/api/host/webhooks/x"),
        ):
            assert hosted.ask(method, path, key, json={"url": "https://example.org"}).status_code == 403


@pytest.mark.parametrize("url", ["", "ftp://example.org", "https://u:p@example.org", "x" * 3000, 7])
def test_an_address_that_is_none_is_refused(hosted: Hosted, url: object) -> None:
    answer = hosted.ask("POST", "/api/host/webhooks", json={"url": url})
    assert answer.status_code in (409, 422)
    assert hosted.ask("GET", "/api/host/webhooks").json()["webhooks"] == []


def test_the_counts_are_in_the_metrics(hosted: Hosted) -> None:
    hosted.ask("POST", "/api/host/webhooks", json={"url": hosted.receiver.url})
    hosted.table.play()
    hosted.receiver.wait_for(lambda got: len(got) == hosted.table.feed.last_id)
    text = hosted.ask("GET", "/metrics", None).text
    assert "tilesight_webhooks 1.0" in text
    assert "tilesight_webhook_events_dropped_total 0.0" in text
    assert "tilesight_mqtt_connected" not in text


def test_a_table_without_a_sender_says_so() -> None:
    table = FakeTable()
    with running(create_app(table, key=KeyGuard(ACCESS))) as url:
        key = {"X-Table-Key": ACCESS.host}
        assert httpx.get(f"{url}/api/host/webhooks", headers=key).json()["webhooks"] is None
        answer = httpx.post(f"{url}/api/host/webhooks", headers=key, json={"url": "https://example.org"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_webhooks")
        assert "webhook" not in httpx.get(f"{url}/metrics").text
        table.feed.close()
