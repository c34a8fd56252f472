"""A session's pictures as one film (AVIF): small, because consecutive pictures of a table differ little.

The wheel carries its sample sessions in this form. The pictures are extracted when a session is first read,
and kept in the user's cache. setup.py writes the films with only Pillow installed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PIL import Image, features

from tilesight.sessions.picture_cache import made_once

FILM = "frames.avif"
"""Name of a session's film, which replaces the pictures in its folder."""
LARGEST_WH = (1280, 720)
"""Maximum width and height of a film's pictures in pixels."""
QUALITY, SMALL_QUALITY = 72, 80
"""AVIF quality of a film, and of one whose pictures are at most SMALL_PX wide, in which tiles are small."""
SMALL_PX = 960
SPEED = 7
"""Speed of the encoder (0 to 10): four sessions take 15 s."""
PICTURES_QUALITY = 95
"""JPEG quality of the pictures that are extracted from a film."""
ENCODER = {"arnr-maxframes": "0", "arnr-strength": "0", "enable-keyframe-filtering": "0"}
"""Settings of the encoder (aom) that disable temporal filtering: pictures are seconds apart, and hands would
appear in several of them."""

BOX_HEAD = 8
"""Bytes of the head of a box in an AVIF file: its size and its kind."""
BOXES_OF_BOXES, BOXES_WITH_TIMES = (b"moov", b"trak", b"mdia"), (b"mvhd", b"tkhd", b"mdhd")
"""Kinds of boxes that hold further ones, and that hold times."""


class FilmError(ValueError):
    """A film cannot be read, or its pictures cannot be kept; the message is one line for the user."""


def write_film(pictures: Iterable[Path], out: Path) -> None:
    """Write pictures, which must have one size, as the film ``out``, in order.

    They are scaled down to `LARGEST_WH` at most. Deterministic for a version of Pillow.
    """
    first, *others = [_picture(path) for path in pictures]
    film = io.BytesIO()
    first.save(
        film, "AVIF", save_all=True, append_images=others, speed=SPEED, codec="aom", advanced=ENCODER,
        quality=SMALL_QUALITY if first.width <= SMALL_PX else QUALITY, max_threads=1,
    )  # fmt: skip
    content = bytearray(film.getvalue())
    _set_times_to_zero(content, 0, len(content))
    out.write_bytes(content)


def pictures_of(film: Path) -> Iterator[bytes]:
    """Yield the pictures of a film, in order, as JPEG files. Raises FilmError if it cannot be read."""
    if not features.check("avif"):  # the wheels of Pillow read it; some systems' own builds do not
        raise FilmError(f"{film.name} cannot be read by this Pillow: pip install --force-reinstall pillow")
    try:
        with Image.open(film, formats=("AVIF",)) as opened:
            for number in range(getattr(opened, "n_frames", 1)):
                opened.seek(number)
                out = io.BytesIO()
                opened.convert("RGB").save(out, "JPEG", quality=PICTURES_QUALITY)
                yield out.getvalue()
    except (OSError, ValueError, SyntaxError) as error:
        raise FilmError(f"{film.name} cannot be read ({' '.join(str(error).split())})") from None


def kept_pictures(film: Path, names: Sequence[str]) -> Path:
    """Return the cache folder with the film's pictures named ``names``; the first call extracts them.

    Raises FilmError if the film cannot be read or has another number of pictures, or if they cannot be kept.
    """
    try:
        return made_once("films", film.read_bytes(), lambda out: _take_out(film, names, out))
    except OSError as error:
        raise FilmError(f"the pictures of {film.name} cannot be kept ({error.strerror or error})") from None


def _take_out(film: Path, names: Sequence[str], out: Path) -> None:
    pictures = list(pictures_of(film))
    if len(pictures) != len(names):
        raise FilmError(f"{film.name} holds {len(pictures)} pictures, {len(names)} are named")
    for name, picture in zip(names, pictures, strict=True):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(picture)


def _set_times_to_zero(content: bytearray, start: int, end: int) -> None:
    """Set the creation and modification times in the boxes in ``content[start:end]`` to zero, in place.

    The encoder writes them; zeros make films reproducible.
    """
    while start < end:
        size, kind = int.from_bytes(content[start : start + 4]), bytes(content[start + 4 : start + 8])
        if size < BOX_HEAD:
            return  # the last box, of any length: pictures, no times
        if kind in BOXES_OF_BOXES:
            _set_times_to_zero(content, start + BOX_HEAD, start + size)
        elif kind in BOXES_WITH_TIMES:
            # After the version (one byte) and flags (three): two numbers, of four bytes or (version 1) eight.
            length = 16 if content[start + BOX_HEAD] else 8
            content[start + BOX_HEAD + 4 : start + BOX_HEAD + 4 + length] = bytes(length)
        start += size


def _picture(path: Path) -> Image.Image:
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail(LARGEST_WH, Image.Resampling.LANCZOS, reducing_gap=None)
    return picture
