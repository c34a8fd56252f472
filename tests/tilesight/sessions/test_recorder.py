"""Recorder of sessions: which pictures are kept, and what a folder holds after each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilesight.sessions.heading import session_heading
from tilesight.sessions.recorder import MOVING_S, RESTS, PictureChoice, SessionRecorder
from tilesight.sessions.session import SESSION_FILE, SessionError, read_session
from vision.image.whole_file import write_whole
from vision.observation import Image

HEADING = session_heading("safari", "red=Ana,blue=Bo")


def table(tiles: int, hand: int | None = None) -> Image:
    """A dark table with some light squares, and a hand at a place."""
    picture = np.full((360, 640, 3), 60, np.uint8)
    for number in range(tiles):
        picture[40:120, 20 + 100 * number : 100 + 100 * number] = 200
    if hand is not None:
        picture[150:300, hand : hand + 90] = 140
    return picture


def kept_at(pictures: list[tuple[float, Image]]) -> list[float]:
    """Times of the pictures that are kept."""
    choice = PictureChoice()
    return [t_s for t_s, picture in pictures if choice.wants(picture, t_s)]


def test_a_table_at_rest_is_kept_a_few_times() -> None:
    times = kept_at([(0.25 * n, table(1)) for n in range(80)])
    assert len(times) == RESTS and times[0] == 0.0 and times[-1] < 3.0


def test_each_change_is_kept_once_it_rests() -> None:
    before = [(0.25 * n, table(1)) for n in range(20)]
    hand = [(5.0 + 0.25 * n, table(1, hand=60 * n)) for n in range(8)]
    after = [(7.0 + 0.25 * n, table(2)) for n in range(40)]
    times = [t_s for t_s in kept_at([*before, *hand, *after]) if t_s >= 5.0]
    assert len(times) == RESTS and times[0] >= 7.0


def test_movement_without_an_end_is_kept_now_and_then() -> None:
    times = kept_at([(0.25 * n, table(1, hand=40 * (n % 8))) for n in range(160)])
    assert 40.0 / MOVING_S - 1 <= len(times) <= 40.0 / MOVING_S + 1


def test_the_folder_is_a_session_after_each_picture_and_is_continued(tmp_path: Path) -> None:
    recorder = SessionRecorder(tmp_path / "out", HEADING)
    for number in range(3):
        recorder.keep(table(number), float(number))
        assert [frame.t_s for frame in read_session(tmp_path / "out").frames] == list(range(number + 1))
    again = SessionRecorder(tmp_path / "out", HEADING)
    assert (again.pictures, again.last_s, again.size_bytes) == (3, 2.0, recorder.size_bytes)
    again.keep(table(4), 3.0)
    session = read_session(tmp_path / "out")
    assert session.names == {"red": "Ana", "blue": "Bo"} and len(session.frames) == 4
    assert len({frame.path for frame in session.frames}) == 4


def test_a_full_disk_leaves_the_session_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = SessionRecorder(tmp_path, HEADING)
    recorder.keep(table(1), 0.0)

    def full(path: Path, content: bytes) -> None:
        if path.name == SESSION_FILE:
            raise OSError(28, "No space left on device")
        write_whole(path, content)

    monkeypatch.setattr("tilesight.sessions.recorder.write_whole", full)
    with pytest.raises(OSError, match="No space"):
        recorder.keep(table(2), 1.0)
    assert recorder.pictures == 1 and len(list((tmp_path / "frames").iterdir())) == 1
    monkeypatch.undo()
    recorder.keep(table(2), 2.0)
    assert [frame.t_s for frame in read_session(tmp_path).frames] == [0.0, 2.0]


@pytest.mark.parametrize("what", ["file", "other", "game"])
def test_a_recorder_refuses_an_existing_file_folder_or_other_game(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "out"
    if what == "file":
        folder.write_text("mine")
    elif what == "other":
        folder.mkdir()
        (folder / "letter.txt").write_text("mine")
    else:
        SessionRecorder(folder, session_heading("carcassonne", "red,blue")).keep(table(1), 0.0)
    with pytest.raises(SessionError, match="out: "):
        SessionRecorder(folder, HEADING)
