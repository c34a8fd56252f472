"""Cameras: the latest picture, dropped pictures, lost cameras, and the end of a source."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.message import Message
from tilesight.live.capture import LOST_AFTER_S, LatestFrame, Lost, ThreadedSource
from tilesight.live.sources import SessionSource, SourceError, open_source, why_no_camera
from vision.observation import Frame, Mark


def picture(shade: int) -> np.ndarray:
    return np.full((72, 128, 3), shade, np.uint8)


def shades(got: Iterator[Frame | Lost]) -> list[int]:
    return [round(float(frame.image.mean())) for frame in got if isinstance(frame, Frame)]


def test_a_picture_replaced_before_it_is_taken_is_dropped_and_counted() -> None:
    latest = LatestFrame()
    for shade in (10, 20, 30):
        latest.put(picture(shade))
    taken = latest.take(0.0)
    assert isinstance(taken, tuple) and taken[0].mean() == 30
    assert latest.dropped == 2
    latest.lost(Message("the cable is out"))
    assert latest.take(0.0) == Lost(Message("the cable is out"))
    latest.end()
    assert latest.take(0.0) is None


def test_capture_goes_on_while_a_picture_is_being_read() -> None:
    ready = threading.Event()

    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        for shade in (1, 2, 3, 4):
            latest.put(picture(shade))
        ready.set()

    source = ThreadedSource("test", capture)
    frames = source.frames()
    first = next(frames)
    ready.wait(60)
    assert isinstance(first, Frame)
    rest = shades(frames)
    assert rest[-1:] == [4] or first.image.mean() == 4
    assert source.dropped + 1 + len(rest) == 4
    source.close()


@pytest.fixture
def session(tmp_path: Path) -> Path:
    (tmp_path / "frames").mkdir()
    frames = []
    for number in range(4):
        cv2.imwrite(str(tmp_path / "frames" / f"{number}.png"), picture(10 * number))
        frames.append({"file": f"frames/{number}.png", "t_s": 0.1 * number})
    value = {"tilesight": 1, "game": "safari", "pack": "savanna", "frames": frames}
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    (tmp_path / "session.json").write_text(json.dumps({**value, "players": players}))
    return tmp_path


def test_a_session_is_a_camera_fast_and_at_its_own_pace(session: Path) -> None:
    assert shades(open_source(str(session), "fast").frames()) == [0, 10, 20, 30]
    assert shades(open_source(str(session), "fast", skip_to=2).frames()) == [20, 30]
    source = open_source(str(session), "real")
    assert isinstance(source, SessionSource)
    seen = []
    for frame in source.frames():
        assert isinstance(frame, Frame)
        seen.append(frame.index)
        if len(seen) == 1:
            time.sleep(0.25)  # two more are due by now: only the later one is shown
    assert seen[0] == 0 and seen[-1] == 3
    assert source.dropped >= 1 and source.dropped + len(seen) == 4


def test_a_folder_that_is_being_filled(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(50))
    source = open_source(str(tmp_path))
    frames = source.frames()
    assert isinstance(next(frames), Frame)
    cv2.imwrite(str(tmp_path / "b.png"), picture(90))
    later = next(frames)
    assert isinstance(later, Frame) and later.image.mean() == 90
    source.close()


def test_pictures_that_were_not_used_are_read_again_after_a_restart(tmp_path: Path) -> None:
    for number in range(6):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(40 * number))
        os.utime(tmp_path / f"{number}.png", (1e9 + number // 2, 1e9 + number // 2))  # two of each second
    marks: list[Mark] = []
    for after, expected in ((None, [0, 40, 80, 120, 160, 200]), (2, [120, 160, 200]), (5, [])):
        source = open_source(str(tmp_path), used=() if after is None else marks[: after + 1])
        got = source.frames()
        time.sleep(0.02)  # nobody takes the first one for a while: the others wait
        for shade in expected:
            frame = next(got)
            assert isinstance(frame, Frame) and round(float(frame.image.mean())) == shade
            assert frame.mark is not None
            marks.append(frame.mark)
        cv2.imwrite(str(tmp_path / "later.png"), picture(250))
        assert next_frame(got) == 250
        (tmp_path / "later.png").unlink()
        source.close()


def test_of_many_pictures_that_wait_few_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.live.folder.picture_folder.BACKLOG_AT_MOST", 3)
    for number in range(7):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(40 * number))
        os.utime(tmp_path / f"{number}.png", (1e9 + number, 1e9 + number))
    source = open_source(str(tmp_path))
    frames = source.frames()
    assert [next_frame(frames) for _ in range(3)] == [0, 120, 240]
    source.close()


def next_frame(got: Iterator[Frame | Lost]) -> int:
    """The shade of the next picture; what is said between is passed over."""
    return round(float(next(one for one in got if isinstance(one, Frame)).image.mean()))


def test_files_that_are_no_pictures_do_not_stop_a_picture_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.live.folder.picture_folder.LOST_AFTER_S", 0.05)
    monkeypatch.setattr("tilesight.live.capture.LOST_AFTER_S", 0.05)
    (tmp_path / "a.jpg").symlink_to(tmp_path / "nowhere" / "a.jpg")
    os.mkfifo(tmp_path / "b.jpg")
    (tmp_path / "c.jpg").mkdir()
    (tmp_path / "d.jpg").write_bytes(b"this is no picture")
    source = open_source(str(tmp_path))
    frames = source.frames()
    assert "d.jpg" in next(one.message for one in frames if isinstance(one, Lost) and "d.jpg" in one.message)
    cv2.imwrite(str(tmp_path / "e.png"), picture(90))
    assert next_frame(frames) == 90
    assert not source.complete
    source.close()


def test_a_slow_upload_is_read_when_it_is_whole_and_a_file_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.live.folder.picture_folder.LOST_AFTER_S", 0.05)
    monkeypatch.setattr("tilesight.live.capture.LOST_AFTER_S", 0.05)
    whole = cv2.imencode(".png", picture(50))[1].tobytes()
    (tmp_path / "latest.png").write_bytes(whole[:100])
    source = open_source(str(tmp_path))
    frames = source.frames()
    assert "latest.png" in next(
        one.message for one in frames if isinstance(one, Lost) and "latest.png" in one.message
    )
    (tmp_path / "latest.png").write_bytes(whole)
    assert next_frame(frames) == 50
    cv2.imwrite(str(tmp_path / "latest.png"), picture(90))
    assert next_frame(frames) == 90
    source.close()


def test_a_picture_that_may_not_be_read_now_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []
    opened = os.open

    def no_descriptor_left(path: str, *how: int) -> int:
        if str(path).endswith(".png") and len(refused) < 2:
            refused.append(path)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return opened(path, *how)

    cv2.imwrite(str(tmp_path / "a.png"), picture(50))
    os.utime(tmp_path / "a.png", (1e9, 1e9))
    monkeypatch.setattr("vision.image.decode.os.open", no_descriptor_left)
    source = open_source(str(tmp_path))
    assert next_frame(source.frames()) == 50
    assert len(refused) == 2
    source.close()


def test_a_capture_that_fails_is_told_and_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.live.capture.RETRY_S", (0.3, 0.0))
    begun = []

    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        begun.append(time.monotonic())
        if len(begun) < 3:
            raise RuntimeError("the decoder fell over")
        latest.put(picture(70))
        stop.wait(60)

    monkeypatch.setattr("tilesight.live.capture.LOST_AFTER_S", 0.1)
    source = ThreadedSource("the camera", capture)
    frames = source.frames()
    told = next(
        f for f in frames if f != Lost(Message("waiting for the first picture"))
    )  # a slow start is told too
    assert told == Lost(Message("the camera: the decoder fell over; trying again"))
    assert next_frame(frames) == 70
    source.close()
    assert list(frames) == []
    assert not source.complete


def test_only_what_has_an_end_comes_to_it(session: Path) -> None:
    recorded = open_source(str(session), "fast")
    assert not recorded.complete
    assert len(shades(recorded.frames())) == 4
    assert recorded.complete
    for has_end in (True, False):
        source = ThreadedSource("test", lambda latest, stop: None, has_end=has_end)
        assert list(source.frames()) == []
        assert source.complete == has_end


@pytest.mark.parametrize("text", ["", "nowhere", "nothing.mp4"])
def test_no_such_camera_is_said_in_one_line(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if text == "":
        (tmp_path / "notes.txt").write_text("no camera")
        text = "notes.txt"
    with pytest.raises(SourceError, match="no camera"):
        open_source(text)


class _Plugged:
    """A camera in place of OpenCV's: gives some pictures, and is then pulled out."""

    def __init__(self, shades: list[int]) -> None:
        self._shades = shades

    def isOpened(self) -> bool:
        return bool(self._shades)

    def read(self) -> tuple[bool, np.ndarray | None]:
        return (True, picture(self._shades.pop(0))) if self._shades else (False, None)

    def release(self) -> None:
        pass


def test_a_camera_that_is_not_there_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cv2, "VideoCapture", lambda what: _Plugged([]))
    with pytest.raises(SourceError, match="no camera 7 here"):
        open_source("7")


def test_a_camera_that_is_pulled_out_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged = iter([_Plugged([10]), _Plugged([]), _Plugged([30])])
    monkeypatch.setattr("tilesight.live.sources.RETRY_S", (0.0,))
    monkeypatch.setattr("tilesight.live.capture.LOST_AFTER_S", 0.05)
    monkeypatch.setattr(cv2, "VideoCapture", lambda what: next(plugged, _Plugged([])))
    source = open_source("0")
    seen = []
    for got in source.frames():
        seen.append(got.message if isinstance(got, Lost) else round(float(got.image.mean())))
        if 30 in seen and isinstance(got, Lost):
            break
    source.close()
    assert seen[-2:] == [30, "camera 0 gives no picture; trying again"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell why")
def test_a_camera_missing_refused_or_in_use_has_its_own_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no camera 3 here" in why_no_camera(3, tmp_path)
    (tmp_path / "video3").touch()
    assert "in use by another program" in why_no_camera(3, tmp_path)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may open everything
    assert "refused to this account" in why_no_camera(3, tmp_path)


def test_a_silent_camera_is_told_within_five_seconds() -> None:
    assert LOST_AFTER_S < 5
