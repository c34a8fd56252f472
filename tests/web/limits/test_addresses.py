"""Clients as limits count them."""

from __future__ import annotations

import pytest

from web.limits.addresses import client_of
from web.limits.errors import ApiError
from web.limits.keys import KeyGuard


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.168.1.7", "192.168.1.7"),
        ("::ffff:192.168.1.7", "192.168.1.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_client_is_an_ipv4_address_or_an_ipv6_network(address: str, client: str) -> None:
    assert client_of(address) == client


def test_one_ipv6_network_cannot_guess_keys_from_many_addresses() -> None:
    guard = KeyGuard("SAVANNA7")
    for number in range(4):
        with pytest.raises(ApiError) as wrong:
            guard.check("WRONG", f"2001:db8:1:2::{number:x}")
        assert wrong.value.status == 403
    with pytest.raises(ApiError) as last:
        guard.check("WRONG", "2001:db8:1:2:1::")
    assert last.value.status == 429
    guard.check("SAVANNA7", "2001:db8:1:3::1")
