"""Attack: set the clock back an hour while the program is down, and go on taking pictures.

The pictures of the folder were skipped, since they are older than those that the log knows. Held: the
pictures that were taken are listed beside the log, and all others are new, whatever their time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.attacks.targets import Target, table_in
from tests.web.fake_table import photograph
from tilesight.live.capture import Lost
from tilesight.live.folder import WatchedFiles
from tilesight.live.sources import open_source
from vision.observation import Frame, Mark

SOON_S = 40.0


def put(folder: Path, name: str, at_s: float) -> None:
    """Put a picture into a folder, whole, with this time."""
    begun = folder / "begun"
    begun.write_bytes(photograph())
    os.utime(begun, (at_s, at_s))
    begun.replace(folder / name)


def wait_for_picture(target: Target) -> None:
    """Wait until the table has seen a picture."""
    until_s = time.monotonic() + SOON_S
    while "tilesight_pictures_seen_total 0" in target.ask("/metrics").text:
        assert time.monotonic() < until_s
        time.sleep(0.1)


def test_pictures_from_before_those_of_the_log_are_seen(tmp_path: Path) -> None:
    with table_in(tmp_path) as target:
        put(target.camera, "a.jpg", time.time())
        wait_for_picture(target)
        target.tell(1)
        target.running.post("undo", {})  # a picture up to which none need be looked at again
    with table_in(tmp_path) as target:
        put(target.camera, "b.jpg", time.time() - 3600)
        wait_for_picture(target)


def test_pictures_come_in_the_order_in_which_they_were_taken(tmp_path: Path) -> None:
    folder, listed = tmp_path / "camera", tmp_path / "watched"
    folder.mkdir()

    def taken(count: int, used: list[Mark]) -> list[Mark]:
        source, marks = open_source(str(folder), used=used, watched=listed), []
        for got in source.frames():
            assert not isinstance(got, Lost)
            assert isinstance(got, Frame) and got.mark is not None
            marks.append(got.mark)
            if len(marks) == count:
                break
        source.close()
        return marks

    for number, name in enumerate("abc"):
        put(folder, f"{name}.jpg", 2e9 + number)
    first = taken(3, [])
    for number, name in enumerate("de"):
        put(folder, f"{name}.jpg", 1e9 + number)
    again = taken(3, first[:2])
    assert [name for _, name in again] == ["c.jpg", "d.jpg", "e.jpg"]
    assert [name for _, name in taken(2, [*first, again[0]])] == ["d.jpg", "e.jpg"]
    listed.unlink()  # of a log from before there were such lists, times decide, once
    assert [name for _, name in taken(1, first[:2])] == ["c.jpg"]
    put(folder, "f.jpg", 1.5e9)
    assert [name for _, name in taken(2, first[:2])] == ["c.jpg", "f.jpg"]
    listed.write_text(listed.read_text()[:-7])  # a crash in the middle of a line
    stats = {path.name: path.stat() for path in folder.iterdir()}
    files = {name: (stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}
    assert WatchedFiles(folder, listed).waiting(files, first[:2]) == ["c.jpg", "f.jpg"]
