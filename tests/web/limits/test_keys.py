"""The join key: a right one always passes, five wrong ones in a minute are too many."""

from __future__ import annotations

import pytest

from web.limits.errors import ApiError
from web.limits.keys import CLIENTS_KEPT, KeyGuard
from web.table.access import ALPHABET, new_key


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def status(guard: KeyGuard, given: str | None, address: str = "a") -> int:
    try:
        guard.check(given, address)
    except ApiError as error:
        return error.status
    return 200


def test_right_key_passes_and_none_or_a_wrong_one_does_not() -> None:
    guard = KeyGuard("RIGHT")
    assert [status(guard, key) for key in ("RIGHT", None, "", "WRONG", "ключ")] == [200, 403, 403, 403, 403]


def test_fifth_wrong_key_in_a_minute_is_too_many_and_the_right_one_passes_all_the_same() -> None:
    """Guests behind one router share an address: what one of them tries must not lock the others out."""
    clock = Clock()
    guard = KeyGuard("RIGHT", clock=clock)
    assert [status(guard, "WRONG") for _ in range(6)] == [403, 403, 403, 403, 429, 429]
    assert status(guard, "RIGHT") == 200
    assert status(guard, None) == 403, "a spectator is no guesser"
    assert status(guard, "WRONG") == 429, "a right key does not forgive"
    clock.now_s += 61
    assert status(guard, "WRONG") == 403


def test_wrong_keys_spread_over_time_do_not_lock_out() -> None:
    clock = Clock()
    guard = KeyGuard("RIGHT", clock=clock)
    for _ in range(12):
        assert status(guard, "WRONG") == 403
        clock.now_s += 16


def test_addresses_are_counted_apart() -> None:
    guard = KeyGuard("RIGHT")
    assert [status(guard, "WRONG") for _ in range(5)] == [403] * 4 + [429]
    assert status(guard, "WRONG", "b") == 403


def test_the_number_of_remembered_clients_is_bounded() -> None:
    guard = KeyGuard("RIGHT")
    for number in range(CLIENTS_KEPT + 200):
        status(guard, "WRONG", f"address {number}")
    assert len(guard._wrong) == CLIENTS_KEPT


def test_retry_after_says_how_long() -> None:
    guard = KeyGuard("RIGHT", clock=Clock())
    for _ in range(5):
        status(guard, "WRONG")
    with pytest.raises(ApiError) as caught:
        guard.check("WRONG", "a")
    assert caught.value.headers == {"Retry-After": "60"}


def test_new_keys_differ_and_can_be_read_aloud() -> None:
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50 and all(set(key) <= set(ALPHABET) and len(key) == 8 for key in keys)


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        KeyGuard("")
