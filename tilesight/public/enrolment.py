"""Enrolment of a printed edition: `tilesight.enrol`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesight.public.results import Json, Result


@dataclass(frozen=True, slots=True)
class Enrolled(Result):
    """Result of `enrol`.

    It has the gallery's file, its pack's id, the number of pictures, the designs that have one, and the
    designs that are missing. ``warnings`` has a line for each picture whose sides show other land than its
    name: it is turned wrongly, or of another design.
    """

    gallery: Path
    pack: str
    pictures: int
    designs: tuple[str, ...]
    missing: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the result as a JSON object; ``designs`` is their number."""
        about = {"tilesight": 1, "pack": self.pack, "gallery": str(self.gallery)}
        return about | {
            "pictures": self.pictures,
            "designs": len(self.designs),
            "missing": list(self.missing),
            "warnings": list(self.warnings),
        }

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        for name in (*self.designs, *self.missing):
            yield {"design": name, "enrolled": name in self.designs}


def enrol(pack: str, images: str | Path, *, out: str | Path | None = None) -> Enrolled:
    """Learn the faces of a printed edition from flat pictures, one or more of each design; save the gallery.

    ``pack`` is the id or folder of the edition's pack, ``images`` a folder of pictures named ``DESIGN.jpg``
    or ``DESIGN_2.jpg``. ``out`` is the gallery's file; by default it is saved in Tilesight's home folder,
    where `read` finds it. For photographs of loose tiles use ``tilesight enrol --sheet``. Raises ValueError,
    with a message of one line, if a picture cannot be used.
    """
    from calibration.enrolment import enrol_pictures
    from calibration.face_sides import sides_of_gallery
    from calibration.growth import keep_former
    from models import load
    from tilesight.settings import box_of, enrolled_gallery, known_pack

    chosen = known_pack(pack) if out is not None else box_of(known_pack(pack))
    gallery = enrol_pictures(chosen, Path(images), load("descriptor"))
    path = Path(out) if out is not None else enrolled_gallery(chosen.id)
    keep_former(path)
    gallery.save(path)
    designs = tuple(gallery.designs)
    missing = tuple(name for name in chosen.designs if name not in gallery.designs)
    warnings = tuple(str(one) for one in sides_of_gallery(gallery, chosen))
    return Enrolled(path, chosen.id, len(gallery.faces), designs, missing, warnings)
