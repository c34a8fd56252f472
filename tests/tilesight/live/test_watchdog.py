"""A recogniser, capture or table that stands still is noticed and told; the first two are replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from engine.message import Message
from tilesight.live.capture import LatestFrame, Lost, ThreadedSource
from tilesight.live.watchdog import RestartedRecogniser, Watchdog
from tilesight.live.watching import Observe, StalledError
from vision.observation import Frame, Observation

IMAGE = np.zeros((8, 8, 3), np.uint8)
FRAME = Frame(IMAGE)


def observe(frame: Frame) -> Observation:
    return Observation(frame.index, frame.t_s, None, (), {}, ())


def test_a_recogniser_that_stands_still_is_told_and_begun_anew() -> None:
    made: list[Observe] = []
    free = threading.Event()

    def stuck(frame: Frame) -> Observation:
        free.wait(60)
        return observe(frame)

    def make() -> Observe:
        made.append(observe if made else stuck)
        return made[-1]

    recogniser = RestartedRecogniser(make, within_s=0.1)
    with pytest.raises(StalledError, match="begun anew"):
        recogniser(FRAME)
    assert recogniser(Frame(IMAGE, index=4)).frame_index == 4
    assert len(made) == 2
    free.set()  # what comes too late answers nobody
    assert recogniser(Frame(IMAGE, index=5)).frame_index == 5


def test_an_exception_of_a_recogniser_is_raised() -> None:
    def falls_over(frame: Frame) -> Observation:
        raise TypeError("an odd picture")

    recogniser = RestartedRecogniser(lambda: falls_over)
    for _ in range(2):
        with pytest.raises(TypeError, match="odd"):
            recogniser(FRAME)


def test_a_capture_that_stands_still_is_told_and_begun_anew() -> None:
    begun: list[LatestFrame] = []
    free = threading.Event()

    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        begun.append(latest)
        if len(begun) == 1:
            free.wait(60)  # a driver that never comes back
            latest.put(IMAGE + 1)
            return
        latest.put(IMAGE + 2)
        stop.wait(60)

    source = ThreadedSource("the camera", capture, stalled_after_s=0.2)
    frames = source.frames()
    told = [got for got in (next(frames) for _ in range(4)) if isinstance(got, Lost)]
    assert Lost(Message("the camera stood still and is taken up anew")) in told
    assert source.restarts >= 1
    free.set()  # the old one wakes up, and nobody takes its picture
    time.sleep(0.05)
    shades = [got.image.max() for got in (next(frames) for _ in range(2)) if isinstance(got, Frame)]
    assert 1 not in shades
    source.close()


def test_a_capture_that_beats_is_left_alone() -> None:
    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        while not stop.wait(0.02):
            latest.beat()

    source = ThreadedSource("the camera", capture, stalled_after_s=0.5)
    frames = source.frames()
    assert [next(frames) for _ in range(3)] == [Lost(Message("waiting for the first picture"))] * 3
    assert source.restarts == 0
    source.close()


def test_a_table_that_stands_still_is_told_once_and_gives_no_sign_of_life() -> None:
    alive, told = [0], list[str]()

    def one_more() -> None:
        alive[0] += 1

    with Watchdog(one_more, told.append, within_s=0.15, every_s=0.01) as watchdog:
        until(lambda: alive[0] > 2)
        until(lambda: bool(told))
        silent = alive[0]
        time.sleep(0.1)
        assert alive[0] == silent and len(told) == 1 and "start it again" in told[0]
        watchdog.beat()
        until(lambda: alive[0] > silent)
        watchdog.rest()  # the pictures are at their end: silence is right then
        told.clear()
        time.sleep(0.25)
        assert told == [] and watchdog.silent_s == 0.0


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)
