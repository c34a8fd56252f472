"""Attack: pictures with which the recogniser stands still, one after the other.

Each left a thread behind: 41 after 40 pictures. Held: four at most, each waited for longer than the one
before; then the table is told as unwell, and it goes on when a thread comes back.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from tilesight.live import capture
from tilesight.live.capture import LatestFrame, Lost, ThreadedSource
from tilesight.live.watchdog import ABANDONED_AT_MOST, RestartedRecogniser
from tilesight.live.watching import StalledError
from vision.observation import Frame, Observation

FRAME = Frame(np.zeros((72, 128, 3), np.uint8))


def test_a_recogniser_that_stands_still_leaves_few_threads() -> None:
    free, began = threading.Event(), threading.active_count()

    def stuck(frame: Frame) -> Observation:
        free.wait(60)
        return Observation(frame.index, frame.t_s, None, (), {}, ())

    recogniser = RestartedRecogniser(lambda: stuck, within_s=0.02)
    try:
        said: list[str] = []
        for _ in range(40):
            assert recogniser.stalled == (len(said) >= ABANDONED_AT_MOST)
            with pytest.raises(StalledError) as caught:
                recogniser(FRAME)
            said.append(str(caught.value))
        assert threading.active_count() - began == ABANDONED_AT_MOST
        assert [text.split(" s;")[0].split()[-1] for text in said[:4]] == ["0.02", "0.04", "0.08", "0.16"]
    finally:
        free.set()
    until_s = time.monotonic() + 20
    while recogniser.stalled:
        assert time.monotonic() < until_s
        time.sleep(0.01)
    assert recogniser(FRAME).frame_index == FRAME.index


def test_a_capture_that_stands_still_leaves_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "STALLED_AT_MOST_S", 0.02)
    free, began = threading.Event(), threading.active_count()

    def stuck(latest: LatestFrame, stop: threading.Event) -> None:
        free.wait(60)

    source = ThreadedSource("camera", stuck, stalled_after_s=0.01)
    frames = source.frames()
    try:
        for _ in range(40):
            assert isinstance(next(frames), Lost)
            time.sleep(0.015)
        assert source.restarts == capture.ABANDONED_AT_MOST
        assert threading.active_count() - began == capture.ABANDONED_AT_MOST + 1
    finally:
        free.set()
        source.close()
