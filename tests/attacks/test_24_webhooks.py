"""Webhooks as a way into the home network: private addresses, DNS rebinding, redirects; and their secrets."""

from __future__ import annotations

import asyncio
import io
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.attacks.logs import ACCESS
from tests.tilesight.outward.receiver import HERE, SECRET, WITHIN_S, receiving, sent_to
from tests.web.fake_table import FakeTable
from tilesight.outward import reach
from tilesight.outward.delivery import Delivery, Outcome
from tilesight.outward.options import OutwardOptions
from tilesight.outward.outward import TableOutward
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_fold import EntryKind, without_keys
from tilesight.table_log.event_store import TableStore
from web.limits.keys import KeyGuard
from web.table.access import Access, Webhook


def sent(url: str, options: OutwardOptions = OutwardOptions()) -> Outcome:  # noqa: B008
    """What comes of one event that is sent to an address."""

    async def send() -> Outcome:
        return await Delivery(options.networks).send(Webhook("1", url, SECRET), "1", b"{}")

    return asyncio.run(send())


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "0", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_no_spelling_of_this_computer_is_reached(host: str) -> None:
    with receiving() as receiver:
        assert sent(f"http://{host}:{receiver.port}/").problem in ("address", "name")
        assert receiver.got == []


def test_a_name_that_changes_its_address_is_checked_at_each_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    answers = [["192.0.2.1"], ["127.0.0.1"], ["93.184.215.14", "127.0.0.1"]]

    async def resolved(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    monkeypatch.setattr(reach, "resolved", resolved)
    with receiving() as receiver:
        for _ in answers:
            assert sent(f"http://rebind.example.org:{receiver.port}/").problem == "address"
        assert receiver.got == []
    assert asked == ["rebind.example.org"] * 3


def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    real = socket.getaddrinfo

    def once(host: Any, *rest: Any, **more: Any) -> Any:
        calls.append(host)
        # A second look-up of the name, after the check, would lead elsewhere.
        return real("127.0.0.1" if host in ("rebind.example.org", "127.0.0.1") else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", once)
    with receiving() as receiver:
        options = OutwardOptions(networks=HERE)
        assert sent(f"http://rebind.example.org:{receiver.port}/", options).problem == ""
    assert calls.count("rebind.example.org") == 1
    assert receiver.got[0].headers["host"] == f"rebind.example.org:{receiver.port}"


def test_a_redirect_is_not_followed() -> None:
    with receiving() as inner, receiving() as outer:
        outer.answer, outer.location = (lambda got: 307), inner.url
        assert sent(outer.url, OutwardOptions(networks=HERE)) == Outcome("status", 307)
        assert inner.got == []


@pytest.mark.parametrize("proxy", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_no_way_around(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as inner:
        monkeypatch.setenv(proxy, f"http://127.0.0.1:{inner.port}")
        assert sent("http://10.0.0.1/").problem == "address"
        assert inner.got == []


@pytest.mark.parametrize("endless", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_an_endless_answer_ends(endless: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.outward.delivery.WITHIN_S", 20.0)
    listening = socket.create_server(("127.0.0.1", 0))
    sent_bytes = 0

    def flood() -> None:
        nonlocal sent_bytes
        connection, _ = listening.accept()
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(endless)
                while sent_bytes < 50_000_000:
                    sent_bytes += connection.send(b"a" * 4096)
            except OSError:
                pass

    thread = threading.Thread(target=flood)
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    outcome = sent(url, OutwardOptions(networks=HERE))
    thread.join(WITHIN_S)
    listening.close()
    assert outcome.status == 200 or outcome.problem == "unreachable"
    assert sent_bytes < 50_000_000


def test_no_copy_of_a_log_has_a_secret(tmp_path: Path) -> None:
    path = tmp_path / "home.table"
    url = "https://192.0.2.1/hook/PATHSECRET"
    with TableStore(path) as store:
        store.append(EntryKind.KEYED, ACCESS.to_json())

        def keep(access: Access) -> None:
            store.append(EntryKind.KEYED, access.to_json())

        guard = KeyGuard(ACCESS, keep=keep)
        with TableOutward(FakeTable(), guard, sent_to(url), Console(file=io.StringIO())):
            pass
        entries = store.entries()
    assert SECRET in str(entries)
    assert (path.stat().st_mode & 0o777) == 0o600
    outside = str([without_keys(entry) for entry in entries])
    assert SECRET not in outside
    assert "PATHSECRET" not in outside
    copy = tmp_path / "copy.table"
    back_up(path, copy)
    content = copy.read_bytes()
    assert SECRET.encode() not in content
    assert b"PATHSECRET" not in content
