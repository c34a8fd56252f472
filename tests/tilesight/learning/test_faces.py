"""The colours of a home's camera and other drawings are learned; what wrong labels teach is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.calibration.test_home_look import face
from tests.tilesight.learning.test_labels import HEADER, label
from tests.vision.plain_descriptor import plain_descriptor
from tilesight.learning.faces import FaceLessons, Lesson, read_crops, score_of
from tilesight.learning.labels import CropLabel, HomeLabel, in_order, write_labels
from tilesight.learning.scores import in_time
from vision.tiles.gallery import FACE_PX, Gallery, build_gallery
from vision.tiles.look import Look, through_look

DESIGNS = [f"D{n:02d}" for n in range(16)]
SWAPPED: Look = np.array([[0.1, 0.5, 0.2], [0.6, 0.1, 0.1], [0.1, 0.2, 0.6], [30, 20, 10]], np.float32)
"""A light under which blue and green change places."""
CORNERS = ((20, 20), (120, 20), (120, 120), (20, 120))


def crop(design: str, look: Look | None, seed: int) -> bytes:
    """A tile of 100 pixels on a table, with noise."""
    picture = np.full((140, 140, 3), 80, np.uint8)
    small = cv2.resize(face(DESIGNS.index(design)), (100, 100), interpolation=cv2.INTER_AREA)
    tile = np.asarray(small, np.uint8)
    picture[20:120, 20:120] = tile if look is None else through_look(tile, look)
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    noisy = np.clip(picture + noise, 0, 255).astype(np.uint8)
    return cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def labels_of(folder: Path, shown: Sequence[tuple[str, str]], look: Look | None = None) -> list[HomeLabel]:
    """Labels of (design that lies there, name on the label), each of a tile of its own, in time."""
    crops: list[tuple[CropLabel, bytes]] = [
        (label(n, name=name, place=f"{n}_0", corners=CORNERS), crop(design, look, n))
        for n, (design, name) in enumerate(shown)
    ]
    return in_order([write_labels(folder, HEADER, crops)])


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return build_gallery("toy", [(name, face(n)) for n, name in enumerate(DESIGNS)], plain_descriptor())


def lessons(gallery: Gallery, labels: list[HomeLabel]) -> tuple[dict[str, Lesson], Gallery]:
    every = FaceLessons(gallery, in_time(labels), plain_descriptor(), lambda: None)
    return {lesson.name: lesson for lesson in every.run()}, every.gallery


def test_the_light_of_a_home_is_learned_and_helps_tiles_that_were_never_seen(
    gallery: Gallery, tmp_path: Path
) -> None:
    labels = labels_of(tmp_path / "a", [(name, name) for name in DESIGNS], SWAPPED)
    tried, learned = lessons(gallery, labels)
    look = tried["colours of the print"]
    assert look.kept and look.after is not None
    assert look.after.loss < look.before.loss / 2
    assert learned.look is not None
    assert np.abs(through_look(face(0), learned.look).astype(int) - through_look(face(0), SWAPPED)).mean() < 8
    again, same = lessons(learned, labels)
    assert not again["colours of the print"].kept
    assert same.look is learned.look


def test_a_light_like_that_of_the_scans_changes_nothing(gallery: Gallery, tmp_path: Path) -> None:
    tried, learned = lessons(gallery, labels_of(tmp_path / "a", [(name, name) for name in DESIGNS]))
    assert not any(lesson.kept for lesson in tried.values())
    assert learned is gallery


def test_labels_that_people_mixed_up_are_not_learned(gallery: Gallery, tmp_path: Path) -> None:
    mixed = [(name, DESIGNS[n ^ 1] if n < 8 else name) for n, name in enumerate(DESIGNS)]
    tried, learned = lessons(gallery, labels_of(tmp_path / "a", mixed))
    assert not tried["further prints"].kept
    assert max(np.bincount(learned.face_design)) == 1


@pytest.mark.parametrize("confirmed", [True, False])
def test_another_drawing_of_a_design_becomes_a_print(
    gallery: Gallery, tmp_path: Path, confirmed: bool
) -> None:
    """Eight designs lie twice, in another drawing than the gallery's: one is learned, one held out.

    People confirm a name by a tap, or all names by keeping a board. A drawing that only the program named is
    not learned.
    """
    drawn = [replace_drawing(gallery, n) if n < 8 else gallery.faces[n] for n in range(len(DESIGNS))]
    old = build_gallery("toy", zip(DESIGNS, drawn, strict=True), plain_descriptor())
    labels = labels_of(tmp_path / "a", [(name, name) for name in DESIGNS[:8] * 2])
    update = {"provenance": "corrected" if confirmed else "read"}
    stated = [replace(one, label=one.label.model_copy(update=update)) for one in labels]
    tried, learned = lessons(old, stated)
    assert tried["further prints"].kept == confirmed
    assert np.bincount(learned.face_design).tolist() == [1 + confirmed] * 8 + [1] * 8


def replace_drawing(gallery: Gallery, n: int) -> np.ndarray:
    """A face that has little in common with the n-th."""
    return np.asarray(255 - np.roll(gallery.faces[n], FACE_PX // 3, axis=0), np.uint8)


def test_a_temperature_makes_readings_less_sure(gallery: Gallery, tmp_path: Path) -> None:
    labels = labels_of(tmp_path / "a", [(name, name) for name in DESIGNS[:4]], SWAPPED)
    hot = replace(gallery, temperature=4.0)
    sure, unsure = (
        np.exp(read_crops(labels, one, plain_descriptor(), lambda: None).log_probs).max(axis=(1, 2))
        for one in (gallery, hot)
    )
    assert (unsure <= sure + 1e-6).all() and unsure.mean() < sure.mean()
    score = score_of(labels, hot, read_crops(labels, hot, plain_descriptor(), lambda: None))
    assert score.readings == len(score.losses) == 4
