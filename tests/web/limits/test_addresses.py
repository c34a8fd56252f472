"""Guests as limits count them."""

from __future__ import annotations

import pytest

from web.limits.addresses import guest_of
from web.limits.errors import ApiError
from web.limits.keys import KeyGuard


@pytest.mark.parametrize(
    ("address", "guest"),
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
def test_a_guest_is_an_address_or_a_home_in_ipv6(address: str, guest: str) -> None:
    assert guest_of(address) == guest


def test_keys_are_not_guessed_from_many_addresses_of_one_home() -> None:
    guard = KeyGuard("SAVANNA7")
    for number in range(4):
        with pytest.raises(ApiError) as wrong:
            guard.check("WRONG", f"2001:db8:1:2::{number:x}")
        assert wrong.value.status == 403
    with pytest.raises(ApiError) as last:
        guard.check("WRONG", "2001:db8:1:2:1::")
    assert last.value.status == 429
    guard.check("SAVANNA7", "2001:db8:1:3::1")
