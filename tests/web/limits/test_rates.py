"""Rates: a few at once, then so often; one guest's haste is not another's."""

from __future__ import annotations

import pytest

from web.limits import rates
from web.limits.errors import ApiError
from web.limits.rates import RateLimiter


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_some_go_at_once_and_the_next_after_a_while() -> None:
    clock = Clock()
    limiter = RateLimiter(at_once=3, every_s=2.0, clock=clock)
    assert [limiter.take("a") for _ in range(3)] == [0.0] * 3
    for _ in range(5):  # a refused request does not count
        with pytest.raises(ApiError) as refused:
            limiter.take("a")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "2"})
    assert limiter.take("b") == 0.0
    clock.now_s += 2.0
    assert limiter.take("a") == 0.0
    clock.now_s += 100.0
    assert [limiter.take("a") for _ in range(3)] == [0.0] * 3


def test_with_patience_the_next_wait_their_turn() -> None:
    limiter = RateLimiter(at_once=2, every_s=1.0, patience_s=3.0, clock=Clock())
    assert [limiter.take("a") for _ in range(5)] == [0.0, 0.0, 1.0, 2.0, 3.0]
    with pytest.raises(ApiError):
        limiter.take("a")


def test_the_oldest_clients_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "CLIENTS_KEPT", 2)
    limiter = RateLimiter(at_once=1, every_s=10.0, clock=Clock())
    for client in "abc":
        limiter.take(client)
    assert limiter.take("a") == 0.0
    with pytest.raises(ApiError):
        limiter.take("c")
