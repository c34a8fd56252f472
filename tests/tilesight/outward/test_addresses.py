"""Which addresses webhooks may name, and which network addresses they may reach."""

from __future__ import annotations

from ipaddress import ip_network

import pytest

from tilesight.outward.addresses import checked_url, is_reachable, shown_url

PRIVATE = [
    "127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.20", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:192.168.1.20", "64:ff9b::7f00:1",
    "64:ff9b::c0a8:114", "2002:7f00:1::", "2002:c0a8:114::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_reached(address: str) -> None:
    assert not is_reachable(address)


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"]
)
def test_a_public_address_is_reached(address: str) -> None:
    assert is_reachable(address)


def test_an_allowed_network_is_reached_and_no_other() -> None:
    home = [ip_network("192.168.1.0/24"), ip_network("fc00::/64")]
    assert is_reachable("192.168.1.20", home)
    assert is_reachable("::ffff:192.168.1.20", home)
    assert is_reachable("fc00::7", home)
    assert not is_reachable("192.168.2.20", home)
    assert not is_reachable("127.0.0.1", home)


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org", "file:///etc/passwd", "http://", "http://u:p@example.org/",
        "http://u@example.org", "http://example.org:0/", "http://example.org:99999/",
        "http://exa mple.org/", "http://example.org/\r\nX: y",
        "http://exämple.org/", "http://[::1", "http://example.org/" + "a" * 2000,
    ],
)  # fmt: skip
def test_an_invalid_webhook_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="it "):
        checked_url(url)


def test_an_address_is_shown_without_path_and_query() -> None:
    url = checked_url("https://hooks.example.org:8443/T0/SECRET?key=SECRET#part")
    assert url == "https://hooks.example.org:8443/T0/SECRET?key=SECRET"
    assert shown_url(url) == "https://hooks.example.org:8443/…"
    assert shown_url("https://example.org/") == "https://example.org"
