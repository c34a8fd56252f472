"""A table under a hundred webhooks that do not answer: it takes every picture, and no event holds it up."""

from __future__ import annotations

import io
import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.tilesight.outward.receiver import WITHIN_S, Got, receiving, sent_to
from tilesight.outward.options import OutwardOptions
from tilesight.outward.outward import TableOutward
from tilesight.recordings.command import open_recording, read_any_session
from tilesight.sessions.samples import sample_of
from web.limits.keys import KeyGuard
from web.table.feed import Feed

pytestmark = pytest.mark.long
ADDRESSES = 100
PICTURES = 9
PUBLISHED_WITHIN_S = 0.02
"""Processor seconds that the table's own thread spends on an event, at most; an answer takes 10 s."""


def beginning(folder: Path) -> Path:
    """The sample session up to its first turns."""
    sample = sample_of(None)
    session = json.loads((sample / "session.json").read_text("utf-8"))
    session["frames"] = session["frames"][:PICTURES]
    (folder / "frames").mkdir()
    for frame in session["frames"]:
        shutil.copyfile(sample / frame["file"], folder / frame["file"])
    (folder / "session.json").write_text(json.dumps(session), "utf-8")
    return folder


def replayed(session: Path, wanted: OutwardOptions) -> tuple[int, list[Any]]:
    """The number of pictures that were taken, and the turns; waiting events are kept as at a live table."""
    recording = open_recording(read_any_session(session))
    guard, outbox = KeyGuard("SAVANNA7"), session / "table-outbox"
    with TableOutward(recording.table, guard, wanted, Console(file=io.StringIO()), outbox):
        recording.watch()
    understood = recording.replay.understood
    assert understood is not None
    return len(recording.replay.frame_ms), [turn.turn for turn in understood.turns]


def test_a_hundred_slow_webhooks_cost_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = beginning(tmp_path)
    published: list[float] = []
    real = Feed.publish

    def publish(feed: Feed, *args: Any, **more: Any) -> Any:
        began_s = time.thread_time()
        event = real(feed, *args, **more)
        published.append(time.thread_time() - began_s)
        return event

    without = replayed(session, OutwardOptions())
    monkeypatch.setattr(Feed, "publish", publish)
    go_on = threading.Event()

    def slow(got: Got) -> int:
        go_on.wait(WITHIN_S)
        return 204

    with receiving() as receiver:
        receiver.answer = slow
        urls = [f"{receiver.url}&number={number}" for number in range(ADDRESSES)]
        assert replayed(session, sent_to(*urls)) == without
        go_on.set()
        paths = {got.path for got in receiver.wait_for(lambda got: len(got) >= ADDRESSES)}
    assert len(paths) == ADDRESSES
    assert without[0] == PICTURES
    assert published
    assert max(published) < PUBLISHED_WITHIN_S
