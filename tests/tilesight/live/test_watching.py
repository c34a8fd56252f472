"""The loop that every table, recording and bench runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from engine.message import Message
from engine.pack import load_pack
from tests.tilesight.synthetic import plain_game
from tilesight.inference.understanding import Understanding
from tilesight.live.capture import Lost
from tilesight.live.watching import WatchedFrame, watch
from tilesight.table_log.event_store import StoreError
from vision.observation import Frame, Observation

START, _ = plain_game(load_pack("savanna"), 5, 1)
IMAGE = np.zeros((8, 8, 3), np.uint8)


@dataclass
class Source:
    """Four pictures; before the last none comes for a while."""

    dropped: int = 0
    unreadable: int = 0
    complete: bool = False
    overdue_s: float = 0.0

    def frames(self) -> Iterator[Frame | Lost]:
        for index in range(3):
            yield Frame(IMAGE, 0.1 * index, index=index)
        yield Lost(Message("the cable is out"))
        yield Frame(IMAGE, 0.4, index=3)
        self.complete = True

    def close(self) -> None:
        pass


@dataclass
class Watcher:
    """Fails at the second and third picture."""

    seen: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> Understanding:
        assert observation.frame_index == frame.index
        if frame.index == 1:
            raise TypeError("an unexpected picture")
        if frame.index == 2:
            raise StoreError("game.table: cannot be written (disk full)")
        self.seen.append(frame.index)
        return self.finish()

    def lost(self, message: str) -> None:
        self.said.append(message)

    def finish(self) -> Understanding:
        return Understanding((), len(self.seen), START, board_seen=True, busy=False)


def observe(frame: Frame) -> Observation:
    return Observation(frame.index, frame.t_s, None, (), {}, ())


def test_one_bad_picture_does_not_end_the_watching() -> None:
    watcher, told = Watcher(), list[WatchedFrame[Understanding]]()
    last = watch(Source(), observe, watcher, [told.append], keep_going=True)
    assert watcher.seen == [0, 3] == [seen.frame.index for seen in told]
    assert last.settled == 2
    assert "could not be used" in watcher.said[0] and "TypeError" not in watcher.said[0]
    assert "disk full" in watcher.said[1]
    assert watcher.said[2] == "the cable is out"
    assert all(seen.took_ms >= 0 for seen in told)


def test_an_end_that_cannot_be_kept_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.live.watching.AGAIN_S", 0.0)

    class FullDisk(Watcher):
        full = 3

        def finish(self) -> Understanding:
            if self.said[2:] and self.seen == [0, 3]:
                self.full -= 1
                if self.full >= 0:
                    raise StoreError("game.table: cannot be written (disk full)")
            return super().finish()

    watcher, beats = FullDisk(), list[int]()
    watch(Source(), observe, watcher, keep_going=True, beat=lambda: beats.append(1))
    assert watcher.said[-2:] == ["game.table: cannot be written (disk full); trying again"] * 2
    assert len(beats) == 5 + 2
    with pytest.raises(StoreError, match="disk full"):
        watch(Source(), observe, FullDisk(), keep_going=True, patience_s=0.0)


def test_a_recording_raises_what_goes_wrong() -> None:
    watcher = Watcher()
    with pytest.raises(TypeError, match="unexpected"):
        watch(Source(), observe, watcher)
    assert watcher.seen == [0]
