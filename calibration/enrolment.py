"""Enrolment of a printed edition: its faces are shown once and recognised from then on.

From flat pictures, one or more per design; `calibration.sheet` does it from photographs of loose tiles.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.pack import Pack
from models import OnnxModel
from vision.tiles.gallery import Gallery, gallery_of_folder
from vision.tiles.gallery_pack import carried_of


class EnrolmentError(ValueError):
    """Pictures that do not make a gallery of the pack; one line for the user."""


def enrol_pictures(pack: Pack, folder: Path, descriptor: OnnxModel) -> Gallery:
    """A gallery of ``pack`` from a folder of pictures, each trim edge to trim edge, its own north up.

    A file's name up to its first ``_`` is the design's id; several pictures of one design make it
    stronger. Pictures of the pack's animal tiles (``token-lion.png``) may lie there too; the gallery carries
    them with the rest of the pack. Raises EnrolmentError where a picture names no design of the pack or a
    design that is not optional has no picture, GalleryError where a picture cannot be read.
    """
    gallery = gallery_of_folder(folder, pack.id, descriptor, pack.other_stems)
    strangers = [name for name in gallery.designs if name not in pack.designs]
    if strangers:
        raise EnrolmentError(f"{folder}: the pack {pack.id!r} has no design {_some(strangers)}")
    needed = [name for name, design in pack.designs.items() if not design.tile.optional]
    missing = [name for name in needed if name not in gallery.designs]
    if missing:
        raise EnrolmentError(f"{folder}: holds no picture of {_some(missing)}")
    return replace(gallery, carried=carried_of(pack, folder))


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
