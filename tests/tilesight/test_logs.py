"""The log stays bounded, however many records there are."""

from __future__ import annotations

import logging

import pytest

from tilesight.logs import LONGEST_RECORD, BoundedLog


def test_so_many_records_a_minute_and_how_many_were_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    now_s = 0.0
    log = logging.Logger("test")
    log.addHandler(BoundedLog(limit=3, clock=lambda: now_s))
    for number in range(1000):
        log.warning("failure %d", number)
    assert capsys.readouterr().err == "failure 0\nfailure 1\nfailure 2\n"
    now_s = 61.0
    log.error("again %s", "x" * 100_000)
    err = capsys.readouterr().err
    assert err.startswith("[997 records left out]\nagain xxx")
    assert len(err) < LONGEST_RECORD + 100
