"""A live table's JSON Lines: their reader holds up nothing."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tilesight.live import presentation as showing
from tilesight.live.presentation import JsonLines


def test_lines_wait_for_the_dashboard_and_come_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    lines = JsonLines()
    lines.tell("turn", {"turn": 1})
    assert capsys.readouterr().out == ""
    lines.release()
    lines.tell("turn", {"turn": 2})
    lines.close({"type": "result"})
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one.get("turn") for one in told] == [1, 2, None]
    assert told[-1] == {"type": "result"}


def test_a_reader_that_stops_reading_is_told_later_how_much_it_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads, told = threading.Event(), []

    def write(text: str) -> None:
        assert reads.wait(60)
        told.append(json.loads(text))

    monkeypatch.setattr(showing, "_write_line", write)
    lines = JsonLines(most=5)
    lines.release()
    began_s = time.monotonic()
    for number in range(1000):
        lines.tell("turn", {"turn": number})
    assert time.monotonic() - began_s < 5
    reads.set()
    lines.close({"type": "result"})
    left_out = sum(one.get("lines", 0) for one in told if one["type"] == "left_out")
    assert told[0]["turn"] == 0 and told[-1] == {"type": "result"}
    assert left_out + sum(one["type"] == "turn" for one in told) == 1000
    assert left_out > 900


def test_a_reader_that_is_gone_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Any] = []

    def write(text: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(showing, "_write_line", write)
    monkeypatch.setattr(os, "dup2", lambda *what: left.append(what))
    lines = JsonLines()
    lines.release()
    for number in range(100):
        lines.tell("turn", {"turn": number})
    lines.close({"type": "result"})
    assert len(left) <= 1


def test_lines_that_go_to_a_full_disk_are_written_once_there_is_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(showing, "AGAIN_S", 0.001)
    written = bytearray()
    refused = [OSError(errno.ENOSPC, "No space left on device")] * 3

    def write(out: int, data: bytes) -> int:
        if refused and len(written) >= 5:
            raise refused.pop()
        written.extend(data[:5])
        return len(data[:5])

    with (tmp_path / "out.jsonl").open("w") as out, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", out)
        patched.setattr(os, "write", write)
        lines = JsonLines()
        lines.release()
        lines.tell("turn", {"turn": 7})
        lines.close({"type": "result"})
    assert [json.loads(line)["type"] for line in written.splitlines()] == ["turn", "result"]
    assert not refused
