"""Enrolment of a printed edition from flat pictures, one or more per design.

`calibration.sheet` enrols from photographs of loose tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.pack import Pack
from models import OnnxModel
from vision.tiles.gallery import Gallery
from vision.tiles.gallery_file import gallery_of_folder
from vision.tiles.gallery_pack import carried_of


class EnrolmentError(ValueError):
    """Pictures that do not make a gallery of the pack; the message is one line for the user."""


def enrol_pictures(pack: Pack, folder: Path, descriptor: OnnxModel) -> Gallery:
    """Build a gallery of ``pack`` from a folder of pictures, each from trim edge to trim edge, own north up.

    The file name up to its first ``_`` is the design id; several pictures of one design improve recognition.
    Pictures of animal tiles (``token-lion.png``) are stored with the pack. Raises EnrolmentError if a picture
    names no design of the pack or a required design has no picture, GalleryError if a picture cannot be read.
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


def corrected(gallery: Gallery, names: Sequence[tuple[str | None, int]]) -> Gallery | None:
    """Return a gallery with its pictures renamed, turned and removed; None if none is left.

    ``names`` has, for each picture, its design, None to remove it, and the clockwise quarter turns by which
    it is rotated against that design. The descriptors follow; with a look, the caller describes anew.
    """
    kept = [(at, name, turn) for at, (name, turn) in enumerate(names) if name is not None]
    if not kept:
        return None
    designs = tuple(dict.fromkeys(name for _, name, _ in kept))
    return replace(
        gallery,
        designs=designs,
        faces=np.stack([np.rot90(gallery.faces[at], turn) for at, _, turn in kept]),
        face_design=np.array([designs.index(name) for _, name, _ in kept], np.int64),
        descriptors=np.stack([np.roll(gallery.descriptors[at], turn, axis=0) for at, _, turn in kept]),
    )


def _some(names: list[str]) -> str:
    """Return the first five names, separated by commas, and the number of the others."""
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
