"""A label set is read as it was written, replaced as a whole, and a bad one is refused by file and line."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilesight.learning.labels import (
    CROPS,
    LABELS_FILE,
    CropLabel,
    LabelsError,
    SetHeader,
    in_order,
    read_labels,
    write_labels,
)

JPEG = cv2.imencode(".jpg", np.full((70, 80, 3), 90, np.uint8))[1].tobytes()
HEADER = SetHeader(labels="monday", game="carcassonne", pack="bastide", camera="0", at_s=5.0, entries=9)
FIRST = HEADER.model_dump_json()


def label(picture: int, **other: object) -> CropLabel:
    known = {
        "sort": "tile",
        "name": "BC-D",
        "crop": f"{picture:05d}-000.jpg",
        "corners": ((5, 5), (50, 5), (50, 35), (5, 35)),
        "picture": picture,
        "place": "0_0",
        "provenance": "read",
    }
    return CropLabel.model_validate({**known, **other})


def test_a_set_is_read_as_written_and_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "monday"
    written = write_labels(folder, HEADER, [(label(1), JPEG), (label(2, provenance="corrected"), JPEG)])
    assert read_labels(folder) == written
    write_labels(folder, HEADER, [(label(3), JPEG)])
    assert [one.picture for one in read_labels(folder).labels] == [3]
    assert [path.name for path in (folder / CROPS).iterdir()] == ["00003-000.jpg"]
    assert [path.name for path in tmp_path.iterdir()] == ["monday"]


def test_an_interrupted_writer_leaves_the_former_set(tmp_path: Path) -> None:
    folder = tmp_path / "monday"
    write_labels(folder, HEADER, [(label(1), JPEG)])

    def torn() -> object:
        yield label(2), JPEG
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_labels(folder, HEADER, torn())  # type: ignore[arg-type]
    assert [one.picture for one in read_labels(folder).labels] == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["monday"]


def test_sets_are_ordered_by_the_time_of_their_games(tmp_path: Path) -> None:
    later = write_labels(tmp_path / "a", HEADER.model_copy(update={"at_s": 9.0}), [(label(1), JPEG)])
    sooner = write_labels(tmp_path / "b", HEADER, [(label(7), JPEG)])
    assert [(one.order, one.label.picture) for one in in_order([later, sooner])] == [(0, 7), (1, 1)]
    assert in_order([sooner])[0].sight().size_wh == (80, 70)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "line 1"),
        ('{"tilesight": 2, "labels": "x", "game": "y", "pack": "z"}', "line 1: tilesight"),
        (FIRST + '\n{"sort": "tile"}', "line 2: name"),
        (
            HEADER.model_dump_json() + "\n" + label(1).model_dump_json().replace("00001", "../1"),
            "line 2: crop",
        ),
        (HEADER.model_dump_json() + "\n[1", "line 2"),
    ],
)
def test_a_bad_file_is_refused_by_file_and_line(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / LABELS_FILE).write_text(line, "utf-8")
    with pytest.raises(LabelsError, match=r"labels\.jsonl, " + says):
        read_labels(tmp_path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelsError, match="cannot be read"):
        read_labels(tmp_path)
    (tmp_path / LABELS_FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(LabelsError, match="UTF-8"):
        read_labels(tmp_path)
