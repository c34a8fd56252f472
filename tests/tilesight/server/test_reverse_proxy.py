"""A table behind a reverse proxy: its name, and whose word on addresses is taken."""

from __future__ import annotations

import httpx
import pytest

from tests.tilesight.server.test_connections import Entrance
from tests.web.conftest import KEY
from tests.web.fake_table import FakeTable
from tilesight.server.dashboard import Dashboard
from tilesight.server.reverse_proxy import ReverseProxy, reverse_proxy
from tilesight.settings import SettingsError


def guesses(dashboard: Dashboard) -> list[int]:
    """Statuses of wrong keys told to come from six addresses, and of the right one from a seventh."""
    statuses = []
    for number, key in enumerate([*["WRONG"] * 6, KEY]):
        headers = {"X-Table-Key": key, "X-Forwarded-For": f"10.9.9.9, 10.1.1.{number}"}
        address = f"http://127.0.0.1:{dashboard.port}/api/key"
        statuses.append(httpx.get(address, headers=headers).status_code)
    return statuses


def test_only_a_known_proxy_says_who_asks() -> None:
    with Dashboard(FakeTable(), host="127.0.0.1", port=0, key=KEY) as dashboard:
        assert guesses(dashboard) == [403] * 4 + [429] * 2 + [200]
    proxy = ReverseProxy(addresses=("10.0.0.1", "127.0.0.0/8"))
    with Dashboard(FakeTable(), host="127.0.0.1", port=0, key=KEY, proxy=proxy) as dashboard:
        assert guesses(dashboard) == [403] * 6 + [200]


def test_the_public_name_is_the_tables_own() -> None:
    proxy = ReverseProxy("https://table.example.org")
    with Dashboard(FakeTable(), host="127.0.0.1", port=0, key=KEY, proxy=proxy) as dashboard:
        assert dashboard.join_url == f"https://table.example.org/#key={KEY}"
        for name, status in (("table.example.org", 200), ("evil.example", 421), ("127.0.0.1", 200)):
            address = f"http://127.0.0.1:{dashboard.port}/api/state"
            assert httpx.get(address, headers={"Host": name}).status_code == status


def test_a_home_in_ipv6_takes_one_share_and_a_proxy_all() -> None:
    at = Entrance(places=50, of_one_client=4)
    home = [at.enter(f"2001:db8::{n:x}", answered=True) for n in range(7)]
    assert [wire.cut for wire in home] == [True] * 3 + [False] * 4
    behind = Entrance(places=50, of_one_client=4, proxies=("10.0.0.0/8",))
    assert not any(behind.enter("10.2.3.4", answered=True).cut for _ in range(20))


@pytest.mark.parametrize(
    "url", ["table.example.org", "ftp://a.b", "https://a.b/tables", "https://u@a.b", "http://[", "https://"]
)
def test_an_odd_public_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="--public-url"):
        reverse_proxy(url, ())


def test_a_proxy_is_an_address_or_a_network() -> None:
    assert reverse_proxy("https://a.example:8443/", ["10.0.0.0/8", "::1"]) == ReverseProxy(
        "https://a.example:8443", ("10.0.0.0/8", "::1")
    )
    assert reverse_proxy(None, []) == ReverseProxy()
    for odd in ("proxy.example", "10.0.0.1/8", "*"):
        with pytest.raises(SettingsError, match="--proxy"):
            reverse_proxy(None, [odd])
