"""Pack inside a gallery: a gallery file contains its whole pack, pictures included."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import jsonvalue as jv
from engine.pack import Art, Pack, read_pack
from vision.tiles.gallery import PICTURES, PNG_HEAD, Carried, Gallery, GalleryError

OTHER_PX = 512
"""Maximum longer side, in pixels, of a picture that is no face; that of our packs' animal tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptPicture:
    """An in-memory picture (`engine.pack.Art`); ``data`` is the encoded file."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The file suffix with its dot."""
        return Path(self.name).suffix

    def read_bytes(self) -> bytes:
        """The encoded file."""
        return self.data


@dataclass(frozen=True, slots=True, eq=False)
class FacePicture:
    """A gallery's face as `engine.pack.Art`, encoded when read."""

    design: str
    face: NDArray[np.uint8]

    @property
    def name(self) -> str:
        """The file name: design id and suffix."""
        return f"{self.design}{self.suffix}"

    @property
    def suffix(self) -> str:
        """The file suffix with its dot."""
        return ".png"

    def read_bytes(self) -> bytes:
        """The face, encoded as PNG."""
        return cv2.imencode(".png", self.face)[1].tobytes()


def carried_of(pack: Pack, folder: Path | None = None) -> Carried:
    """Return the parts of a pack that its gallery stores.
    Pictures of animal tiles are taken from ``folder`` if it has them, else from the pack; missing ones are
    left out. Raises GalleryError if one cannot be decoded, OSError if it cannot be read."""
    pictures: dict[str, bytes] = {}
    for stem in pack.other_stems:
        found = _in_folder(folder, stem) or pack.art(stem)
        if found is not None:
            pictures[f"{stem}.png"] = _as_png(found)
    return Carried(json.dumps(dict(pack.source), ensure_ascii=False), pictures)


def carrying(gallery: Gallery, pack: Pack) -> Gallery:
    """Return a gallery that stores the pack: itself, or a copy if it is of an earlier version without one."""
    return gallery if gallery.carried is not None else replace(gallery, carried=carried_of(pack))


def carried_pack(pack_id: str, carried: Carried, path: Path) -> Pack:
    """Return the pack ``carried`` by the gallery file at ``path``, without its faces' pictures.

    Raises GalleryError if it is damaged or its id is not ``pack_id``.
    """
    try:
        pack = read_pack(jv.parse(carried.source), None)
    except jv.FieldError as error:
        raise GalleryError(f"{path}: the pack that it carries is damaged: {error}") from None
    if pack.id != pack_id:
        raise GalleryError(f"{path}: damaged: it says that it is of {pack_id!r}, and carries {pack.id!r}")
    others: dict[str, Art] = {}
    for stem in pack.other_stems:
        name = f"{stem}.png"
        if name in carried.pictures:
            if not _is_small_png(carried.pictures[name]):
                raise GalleryError(f"{path}: damaged: {name} is no picture of at most {OTHER_PX} px a side")
            others[stem] = KeptPicture(name, carried.pictures[name])
    return replace(pack, pictures=MappingProxyType(others))


def with_faces(pack: Pack, gallery: Gallery) -> Pack:
    """Return the pack with the first face of each of the gallery's designs added to its pictures."""
    firsts: Mapping[str, Art] = {
        name: FacePicture(name, face) for name, face in zip(gallery.designs, gallery.firsts, strict=True)
    }
    return replace(pack, pictures=MappingProxyType({**pack.pictures, **firsts}))


def _in_folder(folder: Path | None, stem: str) -> Path | None:
    """Return the picture with the file stem ``stem`` in a folder; None if there is none, or no folder."""
    if folder is None:
        return None
    return next((path for kind in PICTURES if (path := folder / f"{stem}{kind}").is_file()), None)


def _is_small_png(data: bytes) -> bool:
    """Whether data is a PNG of at most OTHER_PX per side, by its header."""
    if not data.startswith(PNG_HEAD) or len(data) < len(PNG_HEAD) + 8:
        return False
    width, height = struct.unpack_from(">II", data, len(PNG_HEAD))
    return bool(max(width, height) <= OTHER_PX)


def _as_png(picture: Art) -> bytes:
    """Encode a picture as PNG of at most OTHER_PX per side; unchanged if it is one already.
    Raises GalleryError if it cannot be decoded."""
    data = picture.read_bytes()
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) if data else None
    if image is None:
        raise GalleryError(f"{picture.name}: is not a picture that can be read")
    longer = max(image.shape[:2])
    if _is_small_png(data):
        return data
    if longer > OTHER_PX:
        scale = OTHER_PX / longer
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".png", image)[1].tobytes()
