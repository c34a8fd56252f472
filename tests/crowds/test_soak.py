"""Measurements of a live table over a long time, and their evaluation."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crowds.soak import Holding, Soak, growth
from tests.tilesight.kills import ROOT
from tilesight.sessions.session import read_session

HELD = Holding(0.0, 300.0, 400.0, 60, 12, 1.0, 3, 1, 5, 90)


def test_only_growth_after_the_first_quarter_is_reported() -> None:
    warming = [replace(HELD, rss_mb=200.0 + 25 * n, descriptors=9 + 13 * n) for n in range(4)]
    flat = [*warming, *[replace(HELD, descriptors=60 + n % 3, threads=12 + n % 2) for n in range(12)]]
    assert growth(flat) == []
    assert growth([replace(held, rss_mb=300.0 + 3 * n) for n, held in enumerate(flat)]) == ["rss_mb"]
    assert growth([replace(held, descriptors=60 + n) for n, held in enumerate(flat)]) == ["descriptors"]
    assert growth([replace(held, threads=12 + n) for n, held in enumerate(flat)]) == ["threads"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="soak reads /proc")
def test_a_table_with_phones_that_come_and_go_holds_no_more_and_misses_nothing(tmp_path: Path) -> None:
    soak = Soak(read_session(ROOT / "samples" / "first-light"), tmp_path, phones=8, every_s=0.5)
    result = asyncio.run(soak.run(40.0, pictures=21))
    assert not result["ended"] and not result["missed"]
    assert not set(result["grew"]) - {"rss_mb"}, "memory takes longer to warm up"
    assert result["held"][-1]["pictures"] > 20
