"""Many phones at one table: every update reaches every phone."""

from __future__ import annotations

import asyncio

import pytest

from tests.crowds.phones import measure


@pytest.mark.long
def test_every_update_reaches_every_phone() -> None:
    result = asyncio.run(measure(100, 6, 0.05))
    assert result["phones"] == 100 and result["updates"] >= 7
    assert result["delivered"] == 1.0
    assert result["event_ms_p50"] > 0 and result["state_ms_p50"] > 0
