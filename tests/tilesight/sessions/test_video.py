"""Videos as sessions."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest

from tests.tilesight.sessions.test_recorder import HEADING, table
from tilesight.sessions import video as video_module
from tilesight.sessions.recorder import RESTS, SessionRecorder
from tilesight.sessions.session import SessionError, read_session
from tilesight.sessions.video import is_video, video_session
from vision.observation import Image

FPS = 10


def film(path: Path, seconds: list[Image]) -> Path:
    """Write a video that shows each picture for three seconds."""
    height, width = seconds[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (width, height))
    assert writer.isOpened()
    for picture in seconds:
        for _ in range(3 * FPS):
            writer.write(picture)
    writer.release()
    return path


def quiet(read_s: float, all_s: float) -> None:
    """Tell nobody of the progress."""


def test_a_video_is_read_once_into_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = film(tmp_path / "game.avi", [table(1), table(2), table(3)])
    told: list[tuple[float, float]] = []
    folder = video_session(video, HEADING, lambda *at: told.append(at), tmp_path / "cache")
    frames = read_session(folder).frames
    assert len(frames) == 3 * RESTS and 6.0 <= frames[-1].t_s <= 9.0
    assert told[-1][1] == pytest.approx(9.0, abs=0.2) and told == sorted(told)

    def never(*_: object) -> None:
        raise AssertionError("the video is read again")

    monkeypatch.setattr(video_module, "_read", never)
    assert video_session(video, HEADING, quiet, tmp_path / "cache") == folder


def test_an_interrupted_video_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    video = film(tmp_path / "game.avi", [table(1), table(2), table(3)])

    def interrupt(read_s: float, all_s: float) -> None:
        if read_s > 3.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        video_session(video, HEADING, interrupt, tmp_path / "cache")
    (saved,) = (tmp_path / "cache").glob("*/video.json")
    assert 2.5 < json.loads(saved.read_text())["through_s"] < 3.5
    kept: list[float] = []
    keep = SessionRecorder.keep

    def counted(recorder: SessionRecorder, image: Image, t_s: float) -> None:
        kept.append(t_s)
        keep(recorder, image, t_s)

    monkeypatch.setattr(SessionRecorder, "keep", counted)
    folder = video_session(video, HEADING, quiet, tmp_path / "cache")
    times = [frame.t_s for frame in read_session(folder).frames]
    assert min(kept) > 2.5 and times == sorted(times) and times[-1] > 6.0


@pytest.mark.parametrize("content", [b"", b"no video at all" * 100])
def test_an_unreadable_video_is_refused(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "game.mp4"
    broken.write_bytes(content)
    assert is_video(broken) and not is_video(tmp_path)
    with pytest.raises(SessionError, match="no picture can be read"):
        video_session(broken, HEADING, quiet, tmp_path / "cache")
