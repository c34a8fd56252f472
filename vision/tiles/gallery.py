"""Gallery: reference pictures and descriptors of a pack's faces.

A gallery is built from a pack's art, from a folder of pictures, or by enrolment, and stored in one file. The
file contains the faces, so that descriptors can be recomputed for a newer network, and the pack
(`vision.tiles.gallery_pack`), so that the pack's folder is not needed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models import OnnxModel
from vision.image.whole_file import write_whole
from vision.tiles.look import Look, through_look
from vision.tiles.matching import F32, ScoreValues, padded

FORMAT = 1
"""Version of the file format."""
FACE_PX = 256
"""Side of a stored face, in pixels."""
BATCH = 64
"""Batch size of the descriptor network."""
MOST_VIEWS = 4
"""Maximum number of pictures per design; more are slower, not better."""
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
"""Suffixes of picture files in a folder of faces."""
MOST_FACES = 2048
"""Maximum number of pictures in a gallery (400 MB in memory), three times that of the largest edition."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
"""First bytes of every PNG; width and height follow, so they can be checked before decoding."""


class GalleryError(ValueError):
    """A gallery that cannot be built or read; the message is one line and names the file."""


@dataclass(frozen=True)
class Carried:
    """The parts of its pack that a gallery stores besides the faces.
    ``source`` is the text of ``pack.json``, ``pictures`` are encoded pictures of no face by file name."""

    source: str
    pictures: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Gallery:
    """Reference faces of a pack.

    ``designs`` are the design ids; ``faces`` is uint8 [n, 256, 256, 3] BGR, each with its own north up;
    ``face_design`` [n] is the index of each face's design (a design may have several faces). ``descriptors``
    is float32 [n, 4, patches, dim], for the face rotated clockwise by 0, 90, 180, 270, by model
    ``model_sha256``. ``carried`` is the stored pack; None in galleries of earlier versions. ``look`` maps the
    colours of each design's first face before it is described; None leaves them (`vision.tiles.look`).
    ``temperature`` divides the log-odds between designs: above 1, readings are less certain.
    """

    pack_id: str
    designs: tuple[str, ...]
    faces: NDArray[np.uint8]
    face_design: NDArray[np.int64]
    descriptors: F32
    model_sha256: str
    carried: Carried | None = None
    look: Look | None = None
    temperature: float = 1.0

    @cached_property
    def firsts(self) -> NDArray[np.uint8]:
        """The first picture of each design, by which it was enrolled, as ``faces``.
        The search for a board only uses these, because features of blurred views match anything."""
        return self.faces[np.unique(self.face_design, return_index=True)[1]]

    @cached_property
    def references(self) -> F32:
        """The padded descriptors for `vision.tiles.matching`: float32 [4 n, (grid + 2)², dim]."""
        count, turns, patches, dim = self.descriptors.shape
        return padded(self.descriptors.reshape(count * turns, patches, dim))

    def to_bytes(self) -> bytes:
        """Return the gallery as the bytes of its file."""
        codes = [cv2.imencode(".png", face)[1].reshape(-1) for face in self.faces]
        fields: dict[str, Any] = {
            "tilesight_gallery": np.array(FORMAT),
            "pack": np.array(self.pack_id),
            "designs": np.array(self.designs),
            "face_design": self.face_design,
            "pictures": np.concatenate(codes),
            "lengths": np.array([len(code) for code in codes], np.int64),
            "model_sha256": np.array(self.model_sha256),
            "descriptors": self.descriptors.astype(np.float16),
            "temperature": np.array(self.temperature),
            **({} if self.look is None else {"look": self.look}),
            **_carried_fields(self.carried),
        }
        buffer = io.BytesIO()
        np.savez(buffer, **fields)
        return buffer.getvalue()

    def save(self, path: Path) -> None:
        """Write the gallery to a file, atomically; its folder is created. Raises OSError."""
        write_whole(path, self.to_bytes())


def build_gallery(
    pack_id: str,
    named_faces: Iterable[tuple[str, NDArray[np.uint8]]],
    model: OnnxModel,
    look: Look | None = None,
) -> Gallery:
    """Build a gallery from pairs (design id, BGR picture from trim edge to trim edge, own north up).

    Designs keep the order of their first face. ``look`` is as in `Gallery`. Raises GalleryError if there is
    no face or more than MOST_FACES.
    """
    names: list[str] = []
    faces: list[NDArray[np.uint8]] = []
    for name, picture in named_faces:
        names.append(name)
        shrinks = picture.shape[0] > FACE_PX
        faces.append(
            np.asarray(
                cv2.resize(
                    picture, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC
                ),
                np.uint8,
            )
        )
    if not faces:
        raise GalleryError(f"gallery of {pack_id}: no picture of any face")
    if len(faces) > MOST_FACES:
        raise GalleryError(f"gallery of {pack_id}: {len(faces)} pictures are more than {MOST_FACES}")
    designs = tuple(dict.fromkeys(names))
    place = {name: index for index, name in enumerate(designs)}
    stack = np.stack(faces)
    face_design = np.array([place[name] for name in names], np.int64)
    return Gallery(
        pack_id=pack_id,
        designs=designs,
        faces=stack,
        face_design=face_design,
        descriptors=described(stack, face_design, look, model),
        model_sha256=model.sha256,
        look=look,
    )


def with_look(gallery: Gallery, look: Look | None, model: OnnxModel) -> Gallery:
    """Return the gallery with another look, described anew."""
    descriptors = described(gallery.faces, gallery.face_design, look, model)
    return replace(gallery, look=look, descriptors=descriptors, model_sha256=model.sha256)


def described(
    faces: NDArray[np.uint8], face_design: NDArray[np.int64], look: Look | None, model: OnnxModel
) -> F32:
    """Return the descriptors of a gallery's faces, as in `Gallery`.

    The first face of each design is mapped by ``look``. The others were taken at a table and stay as they
    are.
    """
    if look is not None:
        firsts = np.unique(face_design, return_index=True)[1]
        faces = faces.copy()
        faces[firsts] = through_look(faces[firsts], look)
    return face_descriptors(faces, model)


def with_views(
    gallery: Gallery | None,
    pack_id: str,
    views: Sequence[tuple[str, NDArray[np.uint8]]],
    model: OnnxModel,
    most: int = MOST_VIEWS,
) -> Gallery:
    """Return a gallery with pictures added, or a new one of them if ``gallery`` is None.

    ``views`` are pairs (design id, picture with own north up). Of each design at most ``most`` pictures are
    kept: the first, by which it was enrolled, and the newest. Raises GalleryError if there is no picture at
    all.
    """
    named: dict[str, list[NDArray[np.uint8]]] = {}
    if gallery is not None:
        for face, design in zip(gallery.faces, gallery.face_design, strict=True):
            named.setdefault(gallery.designs[design], []).append(face)
    for design, view in views:
        named.setdefault(design, []).append(view)
    for design, faces in named.items():
        if len(faces) > most:
            named[design] = [faces[0], *faces[len(faces) - most + 1 :]]
    pairs = [(name, face) for name, faces in named.items() for face in faces]
    if gallery is None:
        return build_gallery(pack_id, pairs, model)
    grown = build_gallery(pack_id, pairs, model, gallery.look)
    return replace(grown, carried=gallery.carried, temperature=gallery.temperature)


def face_descriptors(faces: NDArray[np.uint8], model: OnnxModel) -> F32:
    """Return descriptors float32 [n, 4, patches, dim] of faces [n, s, s, 3].
    The second axis is the clockwise rotation by 0, 90, 180, 270. Raises ModelError for another kind of
    model."""
    ScoreValues.of(model.meta)  # raises early for another model
    size = int(model.meta["crop_px"])
    crops = np.empty((len(faces), 4, size, size, 3), np.uint8)
    for index, face in enumerate(faces):
        small = cv2.resize(face, (size, size), interpolation=cv2.INTER_AREA)
        for turn in range(4):
            crops[index, turn] = np.rot90(small, -turn)
    flat = crops.reshape(-1, size, size, 3)
    parts = [model(flat[at : at + BATCH])[0] for at in range(0, len(flat), BATCH)]
    every = np.concatenate(parts)
    return np.asarray(every.reshape(len(faces), 4, *every.shape[1:]), np.float32)


def _carried_fields(carried: Carried | None) -> dict[str, NDArray[Any]]:
    """Return the file's fields of the stored pack, which earlier versions ignore; {} without one."""
    if carried is None:
        return {}
    pictures = list(carried.pictures.values())
    return {
        "pack_json": np.frombuffer(carried.source.encode(), np.uint8),
        "other_names": np.array(list(carried.pictures), np.str_),
        "other_pictures": np.frombuffer(b"".join(pictures), np.uint8),
        "other_lengths": np.array([len(picture) for picture in pictures], np.int64),
    }
