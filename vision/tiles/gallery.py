"""Gallery: reference pictures and descriptors of a pack's faces.

A gallery is built from a pack's art, from a folder of pictures, or by enrolment, and stored in one file. The
file contains the faces, so that descriptors can be recomputed for a newer network, and the pack
(`vision.tiles.gallery_pack`), so that the pack's folder is not needed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from engine.pack import Pack
from models import OnnxModel
from models.threads import threads
from vision.image.decode import read_frame
from vision.image.decoder import FrameError
from vision.image.whole_file import write_whole
from vision.tiles.array_file import DAMAGE, ArrayFileError, read_arrays
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
MOST_PACK_BYTES = 4 * 2**20
"""Maximum size in bytes of the stored ``pack.json``, and of each other picture."""
PNG_HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
"""First bytes of every PNG; width and height follow, so they can be checked before decoding."""
_FACE_HEAD = PNG_HEAD + struct.pack(">II", FACE_PX, FACE_PX)


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
    ``model_sha256``. ``carried`` is the stored pack; None in galleries of earlier versions.
    """

    pack_id: str
    designs: tuple[str, ...]
    faces: NDArray[np.uint8]
    face_design: NDArray[np.int64]
    descriptors: F32
    model_sha256: str
    carried: Carried | None = None

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
            **_carried_fields(self.carried),
        }
        buffer = io.BytesIO()
        np.savez(buffer, **fields)
        return buffer.getvalue()

    def save(self, path: Path) -> None:
        """Write the gallery to a file, atomically; its folder is created. Raises OSError."""
        write_whole(path, self.to_bytes())


def build_gallery(
    pack_id: str, named_faces: Iterable[tuple[str, NDArray[np.uint8]]], model: OnnxModel
) -> Gallery:
    """Build a gallery from pairs (design id, BGR picture from trim edge to trim edge, own north up).

    Designs keep the order of their first face. Raises GalleryError if there is no face or more than
    MOST_FACES.
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
    return Gallery(
        pack_id=pack_id,
        designs=designs,
        faces=stack,
        face_design=np.array([place[name] for name in names], np.int64),
        descriptors=face_descriptors(stack, model),
        model_sha256=model.sha256,
    )


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
    grown = build_gallery(pack_id, [(name, face) for name, faces in named.items() for face in faces], model)
    return grown if gallery is None else replace(grown, carried=gallery.carried)


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


def gallery_of_folder(folder: Path, pack_id: str, model: OnnxModel, others: Collection[str] = ()) -> Gallery:
    """Build a gallery from a folder of pictures; the file name up to its first ``_`` is the design id.

    ``others`` are file stems that are no faces. Raises GalleryError if the folder is missing or has no
    pictures, or if one cannot be decoded.
    """
    try:
        pictures = sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES)
        files = [path for path in pictures if path.stem not in others]
    except OSError as error:
        raise GalleryError(f"{folder}: cannot be read as a folder of pictures ({error.strerror})") from None
    if not files:
        raise GalleryError(f"{folder}: holds no pictures ({', '.join(PICTURES)})")
    return build_gallery(pack_id, ((path.stem.split("_")[0], _picture(path)) for path in files), model)


def cache_folder() -> Path:
    """The folder in which galleries of packs are cached between runs."""
    return user_cache_path("tilesight", appauthor=False) / "galleries"


def gallery_of_pack(pack: Pack, model: OnnxModel, cache: Path | None = None) -> Gallery:
    """Build the gallery of a pack's own art, cached between runs in ``cache`` (default `cache_folder`).

    The cache is keyed by the art and the model. Raises GalleryError if the pack lacks the art of a design, or
    if it cannot be decoded.
    """
    art = {design: pack.art_path(design) for design in pack.designs}
    missing = [design for design, path in art.items() if path is None]
    if missing:
        some = "any face" if len(missing) == len(art) else ", ".join(missing[:5])
        raise GalleryError(f"pack {pack.id}: ships no picture of {some}; enrol it first (tilesight enrol)")
    paths = [(design, path) for design, path in art.items() if path is not None]
    folder = cache or cache_folder()
    kept = folder / f"{pack.id}-{_key(paths, model)}.gallery"
    if kept.is_file():
        try:
            return load_gallery(kept, model)
        except GalleryError:
            kept.unlink(missing_ok=True)  # damaged cache: rebuild
    gallery = build_gallery(pack.id, ((design, _picture(path)) for design, path in paths), model)
    with contextlib.suppress(OSError):  # a read-only home only costs the next start some time
        gallery.save(kept)
        for older in set(folder.glob(f"{pack.id}-*.gallery")) - {kept}:
            older.unlink(missing_ok=True)
    return gallery


def load_gallery(path: Path, model: OnnxModel) -> Gallery:
    """Read a gallery file; descriptors of another model are recomputed from the faces.

    Raises GalleryError if it is missing, no gallery, of another format, or damaged.
    """
    file = _fields(path, (*_FACES, *_CARRIED))
    try:
        designs = _names(file["designs"])
        faces = _decoded(file["pictures"], file["lengths"])
        face_design = _numbers(file["face_design"])
        described = file["descriptors"]
        model_sha256, pack_id = str(file["model_sha256"]), str(file["pack"])
        carried = _carried(file)
    except (*DAMAGE, cv2.error):
        raise GalleryError(f"{path}: not a gallery file, or damaged") from None
    fits = face_design.shape == (len(faces),) and set(face_design.tolist()) == set(range(len(designs)))
    if not fits or len(set(designs)) != len(designs):
        raise GalleryError(f"{path}: damaged: its faces and designs do not belong together")
    known = model_sha256 == model.sha256 and _are_of(described, len(faces), model)
    descriptors = described.astype(np.float32) if known else face_descriptors(faces, model)
    return Gallery(pack_id, designs, faces, face_design, descriptors, model.sha256, carried)


def pack_in(path: Path) -> tuple[str, Carried | None]:
    """Return the pack id and the stored pack of a gallery file, without its faces; None in earlier versions.
    Raises GalleryError as `load_gallery` does."""
    file = _fields(path, ("pack", *_CARRIED))
    try:
        return str(file["pack"]), _carried(file)
    except DAMAGE:
        raise GalleryError(f"{path}: not a gallery file, or damaged") from None


_FACES = ("pack", "designs", "face_design", "pictures", "lengths", "model_sha256", "descriptors")
_CARRIED = ("pack_json", "other_names", "other_pictures", "other_lengths")


def _fields(path: Path, wanted: Sequence[str]) -> Mapping[str, NDArray[Any]]:
    """Return those of the ``wanted`` fields that a gallery file has.
    Raises GalleryError if it cannot be read, is no gallery, or of another format."""
    try:
        file = read_arrays(path, ("tilesight_gallery", *wanted))
        version = int(file["tilesight_gallery"])
    except OSError as error:
        raise GalleryError(f"{path}: cannot be read ({error.strerror})") from None
    except ArrayFileError as error:
        raise GalleryError(f"{path}: not a gallery file, or damaged: {error}") from None
    except DAMAGE:
        raise GalleryError(f"{path}: not a gallery file, or damaged") from None
    if version != FORMAT:
        raise GalleryError(f"{path}: gallery format {version} is not known here")
    return file


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


def _carried(file: Mapping[str, NDArray[Any]]) -> Carried | None:
    """Return the stored pack of a file's fields; None if it has none. Raises one of `DAMAGE` if damaged."""
    if "pack_json" not in file:
        return None
    source = file["pack_json"]
    if len(source) > MOST_PACK_BYTES:
        raise ValueError("a pack that large is none")
    pictures = [part.tobytes() for part in _parts(file["other_pictures"], file["other_lengths"])]
    if any(len(picture) > MOST_PACK_BYTES for picture in pictures):
        raise ValueError("a picture that large is none")
    return Carried(source.tobytes().decode(), dict(zip(_names(file["other_names"]), pictures, strict=True)))


def _are_of(descriptors: NDArray[Any], faces: int, model: OnnxModel) -> bool:
    """Whether descriptors have the shape and type of ``model``'s output for ``faces`` faces."""
    patches, dim = int(model.meta["grid"]) ** 2, model.outputs[0].shape[-1]
    return (
        descriptors.dtype == np.float16
        and descriptors.shape[:-1] == (faces, 4, patches)
        and dim in (None, descriptors.shape[-1])
        and bool(np.isfinite(descriptors).all())
    )


def _names(texts: NDArray[Any]) -> tuple[str, ...]:
    """Convert an array of names. Raises ValueError if it is not one-dimensional or has over MOST_FACES."""
    if texts.ndim != 1 or len(texts) > MOST_FACES:
        raise ValueError("not a list of names")
    return tuple(str(text) for text in texts)


def _numbers(values: NDArray[Any]) -> NDArray[np.int64]:
    """Convert an array of integers to int64. Raises ValueError if it is none, or has over MOST_FACES."""
    if values.dtype.kind not in "iu" or values.ndim != 1 or len(values) > MOST_FACES:
        raise ValueError("not a list of whole numbers")
    return values.astype(np.int64)


def _parts(joined: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Iterator[NDArray[np.uint8]]:
    """Yield the parts of joined byte strings, given their lengths; ValueError if these do not match."""
    if joined.dtype != np.uint8 or joined.ndim != 1:
        raise ValueError("not bytes")
    every = _numbers(lengths).tolist()
    if any(length < 1 for length in every) or sum(every) != len(joined):
        raise ValueError("the lengths are not those of the parts")
    at = 0
    for length in every:
        yield joined[at : at + length]
        at += length


def _decoded(pictures: NDArray[np.uint8], lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return all faces of a file, uint8 (n, FACE_PX, FACE_PX, 3). Raises ValueError if one is damaged."""
    with ThreadPoolExecutor(threads()) as decoders:
        return np.stack(list(decoders.map(_face, _parts(pictures, lengths))))


def _face(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode one face; ValueError if it is damaged or of the wrong size."""
    if code[: len(_FACE_HEAD)].tobytes() != _FACE_HEAD:
        raise ValueError("a face is no picture of a face's size")
    face = cv2.imdecode(code, cv2.IMREAD_COLOR)
    if face is None or face.shape != (FACE_PX, FACE_PX, 3):
        raise ValueError("a face does not decode")
    return np.asarray(face, np.uint8)


def _picture(path: Path) -> NDArray[np.uint8]:
    try:
        return read_frame(path).image
    except FrameError as error:
        raise GalleryError(str(error)) from None


def _key(paths: Sequence[tuple[str, Path]], model: OnnxModel) -> str:
    """Return the cache key of art files, as (design id, file), and a model.
    It uses sizes and times of the files, not their content, for speed."""
    digest = hashlib.sha256(model.sha256.encode())
    for design, path in paths:
        state = path.stat()
        digest.update(f"{design}\0{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:20]
