"""Decoding: from a file or from bytes to the image that the rest of the program reads.

Images are recognised by their content, whatever their name; grey, palette, CMYK and 16-bit
pictures become BGR, of an animation the first frame is taken, and the camera's orientation mark
(EXIF) is obeyed. Decoding is Pillow's: it says when a file is cut short, where OpenCV hands back
the upper half of a picture without a word.

A picture may come from anybody, so everything about it is bounded: the kind of file, its size, its
formats and its pixels are checked before anything is decoded, and whatever a decoder raises is a
FrameError.
"""

from __future__ import annotations

import io
import os
import stat
import warnings
from pathlib import Path

import cv2
import numpy as np
from PIL import AvifImagePlugin, ExifTags, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin
from PIL import Image as PilImage

from vision.observation import Frame, Image

SMALLEST_SIDE_PX = 64
LARGEST_SIDE_PX = 32_000
"""OpenCV's warps count pixels in 16 bits."""
LARGEST_AREA_PX = 250_000_000
"""Pixels of the largest JPEG: a decoder makes it smaller while it reads."""
DECODED_AREA_PX = 50_000_000
"""Pixels that are decoded at most: some 200 MB as Pillow keeps them. A larger JPEG is read at a half, a
quarter or an eighth of its size; of other formats, and of those below, less is refused as too large."""
WHOLE_AREA_PX = {"WEBP": 25_000_000, "AVIF": 25_000_000}
"""Pixels decoded at most by formats whose decoders hold several copies of the whole picture."""
LARGEST_FILE_BYTES = 300_000_000
"""Bytes of the largest file: above 50 megapixels of 16-bit colour without compression."""
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
"""Names of the accepted formats, raster images only: others in Pillow start other programs, as EPS does.
The last three are registered when their modules are imported."""
JPEG_MEMORY = "400M"
"""Memory of libjpeg (its own setting JPEGMEM): a progressive picture's coefficients are kept as a whole, and
make up to six bytes a pixel however small it is decoded."""

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
"""Transposition that makes a picture of each EXIF orientation upright."""


class FrameError(ValueError):
    """A picture that cannot be used; the text is one line for the user."""


class FileError(FrameError):
    """A file that the machine does not let be read, or not now; the text is one line for the user."""


def read_frame(path: Path | str, *, t_s: float = 0.0, index: int = 0, fit_px: int | None = None) -> Frame:
    """Read the picture at ``path``, no larger than ``fit_px`` pixels (see decode_image); raises FrameError
    with one clear line."""
    path = Path(path)
    image = decode_image(_content(path), name=str(path), fit_px=fit_px)
    return Frame(image, t_s=t_s, source=str(path), index=index)


def _content(path: Path) -> bytes:
    """The bytes of a regular file."""
    try:
        # A pipe would wait for its writer: it is opened without waiting, and refused.
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            about = os.fstat(opened)
            if stat.S_ISDIR(about.st_mode):
                raise FrameError(f"{path}: is a folder, a picture was expected")
            if not stat.S_ISREG(about.st_mode):
                raise FrameError(f"{path}: is no regular file, a picture was expected")
            if about.st_size > LARGEST_FILE_BYTES:
                raise FrameError(f"{path}: is larger than {LARGEST_FILE_BYTES // 1_000_000} MB")
            with os.fdopen(opened, "rb", closefd=False) as file:
                return file.read(LARGEST_FILE_BYTES)
        finally:
            os.close(opened)
    except FileNotFoundError:
        raise FrameError(f"{path}: no such file") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None


def camera_of(path: Path | str) -> str | None:
    """The camera that took a picture, as the picture says (EXIF make and model); None where it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with PilImage.open(path, formats=FORMATS) as picture:
                exif = picture.getexif()
                told = [exif.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Model)]
    except Exception:  # the readers of EXIF raise whatever a damaged file leads them to
        return None
    words = " ".join(text.strip("\0 ") for text in told if isinstance(text, str))
    name = "".join(sign for sign in words if sign.isprintable()).strip()[:80]
    return name or None


def decode_image(data: bytes, *, name: str = "image", fit_px: int | None = None) -> Image:
    """Decode the bytes of a picture to BGR uint8 of shape (height, width, 3).

    A picture of more than ``fit_px`` pixels is halved until it has no more; a JPEG above 50 megapixels is
    always. Raises FrameError where the bytes are no picture, are cut short, or are smaller than 64 px a side,
    longer than 32 000 px a side or larger than 50 megapixels (JPEG: 250, WebP and AVIF: 25).
    """
    if not data:
        raise FrameError(f"{name}: the file is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own size warning: the limit below is ours
            with PilImage.open(io.BytesIO(data), formats=FORMATS) as picture:
                _check_size(picture, name)
                picture.seek(0)
                _draft(picture, min(fit_px or DECODED_AREA_PX, DECODED_AREA_PX))
                picture.load()
                return _bgr(_upright(picture, fit_px))
    except UnidentifiedImageError:
        raise FrameError(f"{name}: is not a picture that can be read") from None
    except PilImage.DecompressionBombError:
        raise FrameError(f"{name}: is larger than {LARGEST_AREA_PX // 1_000_000} megapixels") from None
    except FrameError:
        raise
    except Exception as error:  # decoders raise whatever a damaged file leads them to
        reason = str(error).split("\n")[0] or type(error).__name__
        raise FrameError(f"{name}: the picture is damaged or cut short ({reason})") from None


def _check_size(picture: PilImage.Image, name: str) -> None:
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
    """By how much the sides must be divided, a power of two, for at most ``most_px`` pixels."""
    times = 1
    while size_wh[0] * size_wh[1] > most_px * times * times:
        times *= 2
    return times


def _draft(picture: PilImage.Image, most_px: int) -> None:
    """Have a JPEG decoded at a fraction of its size; of other formats nothing changes."""
    width, height = picture.size
    times = _halvings(picture.size, most_px)
    if times > 1:
        picture.draft(None, (max(width // times, 1), max(height // times, 1)))


def _upright(picture: PilImage.Image, fit_px: int | None) -> PilImage.Image:
    """The picture, halved until it fits, and turned as its orientation mark says; a mark that cannot be read
    is none."""
    times = _halvings(picture.size, fit_px) if fit_px else 1
    try:
        turn = _TURNED.get(picture.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:  # see camera_of
        turn = None
    if times > 1:
        if picture.mode in ("P", "PA"):
            picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
        elif picture.mode == "1" or picture.mode.startswith("I;"):
            picture = picture.convert("L" if picture.mode == "1" else "I")
        picture = picture.reduce(times)
    return picture if turn is None else picture.transpose(turn)


def _bgr(picture: PilImage.Image) -> Image:
    """BGR uint8; deeper greys are scaled, not clipped, and transparency lies on white."""
    if picture.mode.startswith(("I", "F")):
        return _from_deep(np.asarray(picture))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layered = picture if picture.mode == "RGBA" else picture.convert("RGBA")
        picture = PilImage.new("RGB", layered.size, (255, 255, 255))
        picture.paste(layered, mask=layered)
    return np.asarray(cv2.cvtColor(np.asarray(picture.convert("RGB")), cv2.COLOR_RGB2BGR), np.uint8)


def _from_deep(deep: np.ndarray) -> Image:
    """Grey of more than 8 bits, shape (height, width), as BGR: row by row, as a whole it would be large."""
    top = 65535.0 if deep.max(initial=0) > 255 else 255.0
    grey = np.empty(deep.shape, np.uint8)
    for row, into in zip(deep, grey, strict=True):
        into[:] = np.clip(row.astype(np.float64) * (255.0 / top), 0, 255)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
