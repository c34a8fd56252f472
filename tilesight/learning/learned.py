"""Lessons of a home: those of each pack's tiles, and of each camera's pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from calibration.cameras import camera_to_bytes
from models import load
from tilesight.learning.faces import FaceLessons, Lesson
from tilesight.learning.labels import HomeLabel, LabelSet, in_order
from tilesight.learning.paints import learn_paints
from tilesight.learning.scores import LEAST_THINGS, Parts, in_time, things
from tilesight.settings import PASSED_OVER, camera_path, enrolled_gallery, known_camera, open_pack
from vision.tiles.gallery import Gallery
from vision.tiles.gallery_pack import carrying

MOST_LABELS = 3000
"""Number of the newest tile labels that are used: a bound on time, some minutes."""
LESSONS = 4
"""Number of times that the labels of a pack are read at most."""
UNKNOWN_CAMERA = "unknown camera"
"""Name of the camera of a session that does not tell it."""
Advance = Callable[[str, int], Callable[[], None]]
"""Begins a progress bar with a text and a total; what it returns is called for each step."""


@dataclass
class Learned:
    """Results so far: the lessons in the form of JSON, and the new content of the files to write."""

    sets: list[LabelSet]
    told: list[dict[str, Any]] = field(default_factory=list)
    files: dict[Path, bytes] = field(default_factory=dict)

    def lessons_of_tiles(self, gallery: Path | None, advance: Advance) -> None:
        """Try the lessons of each pack that the labels show; of the gallery's pack alone if one is given."""
        for name in dict.fromkeys(one.header.pack for one in self.sets):
            try:
                chosen, faces = open_pack(None if gallery is not None else name, gallery)
            except PASSED_OVER as error:
                self._passed_over(name, str(error))
                continue
            if chosen is None or faces is None or chosen.id != name or chosen.quarters:
                continue
            of_pack = [one for one in self.sets if one.header.pack == name]
            labels = [label for label in in_order(of_pack) if _is_tile_of(label, faces)][-MOST_LABELS:]
            parts = in_time(labels)
            if not parts.enough:
                self._too_few("tiles", name, parts)
                continue
            step = advance(f"reading tiles of {name}", LESSONS * len(labels))
            lessons = FaceLessons(faces, parts, load("descriptor"), step)
            for lesson in lessons.run():
                self._add(lesson, name, parts)
            if lessons.gallery is not faces:
                path = gallery or enrolled_gallery(name)
                self.files[path] = carrying(lessons.gallery, chosen).to_bytes()

    def lessons_of_pieces(self) -> None:
        """Try the lesson of the paints for each camera that the labels are from.

        Paints of an unknown camera are measured and never kept.
        """
        for name in dict.fromkeys(one.header.camera for one in self.sets):
            of_camera = [one for one in self.sets if one.header.camera == name]
            parts = in_time([label for label in in_order(of_camera) if label.label.sort == "piece"])
            if not parts.enough:
                self._too_few("pieces", name or UNKNOWN_CAMERA, parts)
                continue
            camera = known_camera(name)
            lesson, colors = learn_paints(parts, camera.colors)
            self._add(lesson, name or UNKNOWN_CAMERA, parts)
            if lesson.kept and name:
                self.files[camera_path(name)] = camera_to_bytes(replace(camera, name=name, colors=colors))

    def _add(self, lesson: Lesson, of: str, parts: Parts) -> None:
        self.told.append(
            {
                "lesson": lesson.name,
                "of": of,
                "learned_from": things(parts.fit),
                "before": lesson.before.to_json(),
                "after": None if lesson.after is None else lesson.after.to_json(),
                "kept": lesson.kept,
            }
        )

    def _too_few(self, what: str, of: str, parts: Parts) -> None:
        shown = things(parts.fit) + things(parts.held_out)
        reason = f"only {shown} {what} so far; {2 * LEAST_THINGS} are needed, half of them seen later"
        self._passed_over(of, reason)

    def _passed_over(self, of: str, reason: str) -> None:
        self.told.append({"lesson": None, "of": of, "kept": False, "passed_over": reason})

    def to_json(self) -> dict[str, Any]:
        """Return what was gathered and learned as JSON values."""
        return {
            "gathered": [counts_of(one) for one in self.sets],
            "lessons": self.told,
            "files": [str(path) for path in self.files],
        }


def _is_tile_of(label: HomeLabel, faces: Gallery) -> bool:
    return label.label.sort == "tile" and label.label.name in faces.designs


def counts_of(one: LabelSet) -> dict[str, Any]:
    """Return what a label set holds, as JSON values."""
    tiles = sum(label.sort == "tile" for label in one.labels)
    return {
        "labels": one.header.labels,
        "game": one.header.game,
        "pack": one.header.pack,
        "camera": one.header.camera,
        "tiles": tiles,
        "pieces": len(one.labels) - tiles,
        "corrected": sum(label.provenance == "corrected" for label in one.labels),
    }
