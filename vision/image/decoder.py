"""Decoder: decodes the bytes of a picture to a BGR array, in the calling process.

The format is detected by content, not by name. Grey, palette, CMYK and 16-bit pictures are converted to BGR,
animations give their first frame, and the EXIF orientation is applied. Pillow decodes, because it reports
truncated files, where OpenCV silently returns part of the picture.

Format and number of pixels are checked before decoding, and every exception of a library becomes a
FrameError. Time and memory are not limited here: `vision.image.decode` chooses the process.
"""

from __future__ import annotations

import importlib
import io
import os
import warnings
from functools import lru_cache

import cv2
import numpy as np
from PIL import AvifImagePlugin, ExifTags, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin
from PIL import Image as PilImage

from vision.observation import Image

SMALLEST_SIDE_PX = 64
LARGEST_SIDE_PX = 32_000
"""OpenCV's warps count pixels in 16 bits."""
LARGEST_AREA_PX = 250_000_000
"""Maximum number of pixels of a JPEG, which is decoded at reduced size."""
DECODED_AREA_PX = 50_000_000
"""Maximum number of decoded pixels (some 200 MB in Pillow). A larger JPEG is decoded at a half, a quarter or
an eighth of its size; larger pictures of other formats are refused."""
WHOLE_AREA_PX = {"WEBP": 25_000_000, "AVIF": 25_000_000}
"""Maximum number of pixels of formats whose decoders hold several copies of the picture."""
FORMATS = (
    "JPEG",
    "PNG",
    "BMP",
    "GIF",
    *(
        late.format
        for late in (
            WebPImagePlugin.WebPImageFile,
            TiffImagePlugin.TiffImageFile,
            AvifImagePlugin.AvifImageFile,
        )
    ),
)
"""Accepted formats, raster images only: Pillow runs external programs for some others, such as EPS. The last
three are registered by the import of their modules."""
JPEG_MEMORY = "400M"
"""Memory limit of libjpeg (its variable JPEGMEM): the coefficients of a progressive picture take up to six
bytes per pixel, at any decoded size."""

os.environ.setdefault("JPEGMEM", JPEG_MEMORY)
PilImage.MAX_IMAGE_PIXELS = LARGEST_AREA_PX  # Pillow's own limit is below what phones take

_TURNED = {
    2: PilImage.Transpose.FLIP_LEFT_RIGHT,
    3: PilImage.Transpose.ROTATE_180,
    4: PilImage.Transpose.FLIP_TOP_BOTTOM,
    5: PilImage.Transpose.TRANSPOSE,
    6: PilImage.Transpose.ROTATE_270,
    7: PilImage.Transpose.TRANSVERSE,
    8: PilImage.Transpose.ROTATE_90,
}
"""The transposition that makes a picture upright, by EXIF orientation."""
TOO_HEAVY = "takes too much time or memory to decode"
"""Text of a HeavyError, after the name of the picture."""
_BEGIN, _END, _NOISE = b"\xff\xd8", b"\xff\xd9", b"\x5a\xa5\x33" * 40
_TRAILER_BYTES = 1024
"""Bytes at the end of a JPEG among which its end marker is; cameras and programs may write more after it."""


HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")
"""Brands of HEIC and HEIF photographs (ISO/IEC 23008-12), as iPhones write them."""
NO_HEIF = (
    "is a HEIC photograph; choose a JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible), or "
    "install the decoder: pip install 'tilesight[heif]'"
)
"""Text for a HEIC photograph without the optional decoder, after the name of the picture."""


class FrameError(ValueError):
    """A picture that cannot be used; the message is one line for the user."""


class HeavyError(FrameError):
    """A picture whose decoding takes too much time or memory, or crashes; it is not worth a retry."""


def decode_here(data: bytes, name: str, fit_px: int | None) -> Image:
    """Decode the bytes of a picture to BGR uint8 of shape (height, width, 3), upright by its EXIF data.

    A picture of more than ``fit_px`` pixels in all, or a JPEG of more than 50 megapixels, is halved until it
    fits. ``name`` begins the messages. Raises FrameError if the bytes are no picture, are truncated, or if
    the picture has a side below 64 px or above 32 000 px, or more than 50 megapixels (JPEG: 250, WebP and
    AVIF: 25); HeavyError if the memory does not suffice.
    """
    if not data:
        raise FrameError(f"{name}: the file is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own size warning: the limit below is ours
            if lacks_end(data):
                # What follows a whole picture changes nothing; of a picture cut short it is drawn.
                whole, other = (_decoded(data + tail, name, fit_px) for tail in (_END, _NOISE + _END))
                if (whole == other).all():
                    return whole
            return _decoded(data, name, fit_px)
    except UnidentifiedImageError:
        if is_heif(data) and not heif_formats():
            raise FrameError(f"{name}: {NO_HEIF}") from None
        raise FrameError(f"{name}: is not a picture that can be read") from None
    except PilImage.DecompressionBombError:
        raise FrameError(f"{name}: is larger than {LARGEST_AREA_PX // 1_000_000} megapixels") from None
    except FrameError:
        raise
    except MemoryError:
        raise HeavyError(f"{name}: {TOO_HEAVY}") from None
    except Exception as error:  # decoders raise whatever a damaged file leads them to
        reason = str(error).split("\n")[0] or type(error).__name__
        raise FrameError(f"{name}: the picture is damaged or cut short ({reason})") from None


def is_heif(data: bytes) -> bool:
    """Whether the bytes begin as a HEIC or HEIF photograph."""
    return data[4:8] == b"ftyp" and data[8:12] in HEIF_BRANDS


@lru_cache
def heif_formats() -> tuple[str, ...]:
    """Return Pillow's name of the format that pi-heif decodes, an optional package; empty without it."""
    try:
        pi_heif = importlib.import_module("pi_heif")
    except ImportError:
        return ()
    pi_heif.register_heif_opener(thumbnails=False, decode_threads=1)
    return ("HEIF",)


def lacks_end(data: bytes) -> bool:
    """Whether the bytes are a JPEG without an end marker, as cameras write it that are unplugged."""
    return data[:2] == _BEGIN and _END not in data[-_TRAILER_BYTES:]


def _decoded(data: bytes, name: str, fit_px: int | None) -> Image:
    """Return the picture of `decode_here`, which names what is raised."""
    formats = (*FORMATS, *heif_formats()) if is_heif(data) else FORMATS
    with PilImage.open(io.BytesIO(data), formats=formats) as picture:
        _check_size(picture, name)
        picture.seek(0)
        _draft(picture, min(fit_px or DECODED_AREA_PX, DECODED_AREA_PX))
        picture.load()
        return _bgr(_upright(picture, fit_px))


def _check_size(picture: PilImage.Image, name: str) -> None:
    """Raise FrameError if a picture is too small or too large to be decoded. ``name`` begins the message."""
    width, height = picture.size
    if min(width, height) < SMALLEST_SIDE_PX:
        raise FrameError(
            f"{name}: {width} × {height} px is too small, {SMALLEST_SIDE_PX} px a side are needed"
        )
    if max(width, height) > LARGEST_SIDE_PX:
        raise FrameError(
            f"{name}: {width} × {height} px is too large, at most {LARGEST_SIDE_PX} px a side can be read"
        )
    drafted = picture.format in ("JPEG", "MPO")
    most = LARGEST_AREA_PX if drafted else WHOLE_AREA_PX.get(str(picture.format), DECODED_AREA_PX)
    if width * height > most:
        raise FrameError(f"{name}: is larger than {most // 1_000_000} megapixels")


def _halvings(size_wh: tuple[int, int], most_px: int) -> int:
    """Return the smallest power of two by which both sides must be divided to have ``most_px`` pixels."""
    times = 1
    while size_wh[0] * size_wh[1] > most_px * times * times:
        times *= 2
    return times


def _draft(picture: PilImage.Image, most_px: int) -> None:
    """Configure a JPEG of more than ``most_px`` pixels to be decoded at a fraction of its size.
    It has no effect on other formats."""
    width, height = picture.size
    times = _halvings(picture.size, most_px)
    if times > 1:
        picture.draft(None, (max(width // times, 1), max(height // times, 1)))


def _upright(picture: PilImage.Image, fit_px: int | None) -> PilImage.Image:
    """Return the picture with its EXIF orientation applied, halved until it has at most ``fit_px`` pixels.
    None for ``fit_px`` keeps its size; unreadable orientations are ignored."""
    times = _halvings(picture.size, fit_px) if fit_px else 1
    try:
        turn = _TURNED.get(picture.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # the readers of EXIF raise whatever a damaged file leads them to
        turn = None
    if times > 1:
        if picture.mode in ("P", "PA"):
            picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
        elif picture.mode == "1" or picture.mode.startswith("I;"):
            picture = picture.convert("L" if picture.mode == "1" else "I")
        picture = picture.reduce(times)
    return picture if turn is None else picture.transpose(turn)


def _bgr(picture: PilImage.Image) -> Image:
    """Convert a picture to BGR uint8 (height, width, 3); deeper greys are scaled, transparent parts white."""
    if picture.mode.startswith(("I", "F")):
        return _from_deep(np.asarray(picture))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layered = picture if picture.mode == "RGBA" else picture.convert("RGBA")
        picture = PilImage.new("RGB", layered.size, (255, 255, 255))
        picture.paste(layered, mask=layered)
    return np.asarray(cv2.cvtColor(np.asarray(picture.convert("RGB")), cv2.COLOR_RGB2BGR), np.uint8)


def _from_deep(deep: np.ndarray) -> Image:
    """Convert grey (height, width) of more than 8 bits to BGR uint8, row by row to save memory."""
    top = 65535.0 if deep.max(initial=0) > 255 else 255.0
    grey = np.empty(deep.shape, np.uint8)
    for row, into in zip(deep, grey, strict=True):
        into[:] = np.clip(row.astype(np.float64) * (255.0 / top), 0, 255)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
