"""Gallery files: reads galleries from their files, from folders of pictures, and from packs' own art."""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from vision.tiles.array_file import DAMAGE, ArrayFileError, read_arrays
from vision.tiles.gallery import (
    FACE_PX,
    FORMAT,
    MOST_FACES,
    PICTURES,
    PNG_HEAD,
    Carried,
    Gallery,
    GalleryError,
    build_gallery,
    described,
)
from vision.tiles.look import Look, is_look

MOST_PACK_BYTES = 4 * 2**20
"""Maximum size in bytes of the stored ``pack.json``, and of each other picture."""
_FACE_HEAD = PNG_HEAD + struct.pack(">II", FACE_PX, FACE_PX)


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
    file = _fields(path, (*_FACES, *_CARRIED, *_LEARNED))
    try:
        designs = _names(file["designs"])
        faces = _decoded(file["pictures"], file["lengths"])
        face_design = _numbers(file["face_design"])
        stored = file["descriptors"]
        model_sha256, pack_id = str(file["model_sha256"]), str(file["pack"])
        carried, look, temperature = _carried(file), _look(file), _temperature(file)
    except (*DAMAGE, cv2.error):
        raise GalleryError(f"{path}: not a gallery file, or damaged") from None
    fits = face_design.shape == (len(faces),) and set(face_design.tolist()) == set(range(len(designs)))
    if not fits or len(set(designs)) != len(designs):
        raise GalleryError(f"{path}: damaged: its faces and designs do not belong together")
    known = model_sha256 == model.sha256 and _are_of(stored, len(faces), model)
    descriptors = stored.astype(np.float32) if known else described(faces, face_design, look, model)
    learned = carried, look, temperature
    return Gallery(pack_id, designs, faces, face_design, descriptors, model.sha256, *learned)


def pack_in(path: Path) -> tuple[str, Carried | None]:
    """Return the pack id and the stored pack of a gallery file, without its faces; None in earlier versions.
    Raises GalleryError as `load_gallery` does."""
    file = _fields(path, ("pack", *_CARRIED))
    try:
        return str(file["pack"]), _carried(file)
    except DAMAGE:
        raise GalleryError(f"{path}: not a gallery file, or damaged") from None


_FACES = ("pack", "designs", "face_design", "pictures", "lengths", "model_sha256", "descriptors")
_LEARNED = ("look", "temperature")
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


def _look(file: Mapping[str, NDArray[Any]]) -> Look | None:
    """Return the look of a file's fields; None if it has none. Raises ValueError if it is implausible."""
    if "look" not in file:
        return None
    if not is_look(file["look"]):
        raise ValueError("not a look")
    return np.asarray(file["look"], np.float32)


def _temperature(file: Mapping[str, NDArray[Any]]) -> float:
    """Return the temperature of a file's fields; 1 if it has none. Raises ValueError if it is implausible."""
    temperature = float(file.get("temperature", np.array(1.0)))
    if not 0.1 <= temperature <= 10:
        raise ValueError("not a temperature")
    return temperature


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
