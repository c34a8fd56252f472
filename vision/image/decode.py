"""Decoding of image files and bytes to BGR arrays.

Pictures are untrusted: some take minutes or gigabytes to decode. A JPEG whose structure shows that it is
cheap (`jpeg_structure`), as nearly all pictures of cameras and phones are, is decoded in this process. All
others are decoded by `DecoderProcess`, within a limit of time and of memory.
"""

from __future__ import annotations

import io
import os
import stat
import warnings
from pathlib import Path

from PIL import ExifTags
from PIL import Image as PilImage

from vision.image.decoder import FORMATS, FrameError, HeavyError, decode_here
from vision.image.decoder_process import DecoderProcess
from vision.image.jpeg_structure import is_cheap_jpeg, jpeg_structure
from vision.observation import Frame, Image

LARGEST_FILE_BYTES = 300_000_000
"""Maximum file size in bytes: more than 50 megapixels of uncompressed 16-bit colour."""
SCANS_AT_MOST = 100
"""Maximum number of scans of a JPEG; cameras write one, progressive pictures some ten. Each scan takes as
long as decoding the picture."""

_PROCESS = DecoderProcess()
"""The decoder for pictures that may be heavy, shared by all threads."""


class FileError(FrameError):
    """A file that the operating system cannot read; the message is one line for the user."""


def read_frame(
    path: Path | str,
    *,
    t_s: float = 0.0,
    index: int = 0,
    fit_px: int | None = None,
    name: str | None = None,
) -> Frame:
    """Read the picture at ``path`` as a `Frame`, halved until it has at most ``fit_px`` pixels in all.

    ``t_s`` and ``index`` are the frame's. Raises FrameError if the file cannot be read or decoded (see
    `decode_image`); ``name`` begins its message, the path if it is None.
    """
    path = Path(path)
    named = str(path) if name is None else name
    image = decode_image(_content(path, named), name=named, fit_px=fit_px)
    return Frame(image, t_s=t_s, source=str(path), index=index)


def _content(path: Path, named: str) -> bytes:
    """Return the bytes of a regular file of at most LARGEST_FILE_BYTES.

    Raises FileError if the operating system cannot read it, FrameError for anything else; ``named`` begins
    the messages.
    """
    try:
        # A pipe would wait for its writer: it is opened without waiting, and refused.
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            about = os.fstat(opened)
            if stat.S_ISDIR(about.st_mode):
                raise FrameError(f"{named}: is a folder, a picture was expected")
            if not stat.S_ISREG(about.st_mode):
                raise FrameError(f"{named}: is no regular file, a picture was expected")
            if about.st_size > LARGEST_FILE_BYTES:
                raise FrameError(f"{named}: is larger than {LARGEST_FILE_BYTES // 1_000_000} MB")
            with os.fdopen(opened, "rb", closefd=False) as file:
                return file.read(LARGEST_FILE_BYTES)
        finally:
            os.close(opened)
    except FileNotFoundError:
        raise FrameError(f"{named}: no such file") from None
    except OSError as error:
        raise FileError(f"{named}: cannot be read ({error.strerror})") from None


def camera_of(path: Path | str) -> str | None:
    """Return the camera of a picture, by its EXIF make and model.

    None if it has none, is unreadable, or is not a plain JPEG, as cameras write it.
    """
    try:
        data = _content(Path(path), str(path))
        if not is_cheap_jpeg(data):
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with PilImage.open(io.BytesIO(data), formats=FORMATS) as picture:
                exif = picture.getexif()
                told = [exif.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Model)]
    except Exception:  # the readers of EXIF raise whatever a damaged file leads them to
        return None
    words = " ".join(text.strip("\0 ") for text in told if isinstance(text, str))
    name = "".join(sign for sign in words if sign.isprintable()).strip()[:80]
    return name or None


def decode_image(data: bytes, *, name: str = "image", fit_px: int | None = None) -> Image:
    """Decode the bytes of a picture to BGR uint8 of shape (height, width, 3), upright by its EXIF data.

    A picture of more than ``fit_px`` pixels in all, or a JPEG of more than 50 megapixels, is halved until it
    fits. ``name`` begins the messages. Raises FrameError as `decode_here` does, and HeavyError if the picture
    takes too much time or memory.
    """
    structure = jpeg_structure(data)
    if structure is not None and structure.scans > SCANS_AT_MOST:
        raise HeavyError(f"{name}: has {structure.scans} scans, a picture has at most {SCANS_AT_MOST}")
    if not data or (structure is not None and structure.cheap):
        return decode_here(data, name, fit_px)
    return _PROCESS.decode(data, name, fit_px)
