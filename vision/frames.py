"""Pictures in: from a file or from bytes to the image that the rest of the program reads.

Images are recognised by their content, whatever their name; grey, palette, CMYK and 16-bit
pictures become BGR, of an animation the first frame is taken, and the camera's orientation mark
(EXIF) is obeyed. Decoding is Pillow's: it says when a file is cut short, where OpenCV hands back
the upper half of a picture without a word.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
from PIL import ExifTags, ImageOps, UnidentifiedImageError
from PIL import Image as PilImage

from vision.observation import Frame, Image

SMALLEST_SIDE_PX = 64
LARGEST_SIDE_PX = 32_000
"""OpenCV's warps count pixels in 16 bits."""
LARGEST_AREA_PX = 250_000_000
"""Larger pictures are refused before they are decoded: they would not fit into memory."""

PilImage.MAX_IMAGE_PIXELS = LARGEST_AREA_PX  # Pillow's own limit is below what phones take


class FrameError(ValueError):
    """A picture that cannot be used; the text is one line for the user."""


def read_frame(path: Path | str, *, t_s: float = 0.0, index: int = 0) -> Frame:
    """Read the picture at ``path``; raises FrameError with one clear line."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FrameError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FrameError(f"{path}: is a folder, a picture was expected") from None
    except OSError as error:
        raise FrameError(f"{path}: cannot be read ({error.strerror})") from None
    return Frame(decode_image(data, name=str(path)), t_s=t_s, source=str(path), index=index)


def camera_of(path: Path | str) -> str | None:
    """The camera that took a picture, as the picture says (EXIF make and model); None where it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with PilImage.open(path) as picture:
                exif = picture.getexif()
                told = [exif.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Model)]
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError):
        return None
    words = " ".join(text.strip("\0 ") for text in told if isinstance(text, str))
    name = "".join(sign for sign in words if sign.isprintable()).strip()[:80]
    return name or None


def decode_image(data: bytes, *, name: str = "image") -> Image:
    """Decode the bytes of a picture to BGR uint8 of shape (height, width, 3).

    Raises FrameError where the bytes are no picture, are cut short, or are smaller than
    64 px a side, longer than 32 000 px a side or larger than 250 megapixels.
    """
    if not data:
        raise FrameError(f"{name}: the file is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own size warning: the limit below is ours
            with PilImage.open(io.BytesIO(data)) as picture:
                _check_size(picture.size, name)
                picture.seek(0)
                upright = ImageOps.exif_transpose(picture)
                rgb = _eight_bit_rgb(upright)
    except UnidentifiedImageError:
        raise FrameError(f"{name}: is not a picture that can be read") from None
    except PilImage.DecompressionBombError:
        raise FrameError(f"{name}: is larger than {LARGEST_AREA_PX // 1_000_000} megapixels") from None
    except FrameError:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, MemoryError) as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        raise FrameError(f"{name}: the picture is damaged or cut short ({reason})") from None
    return np.ascontiguousarray(rgb[:, :, ::-1])


def _check_size(size_wh: tuple[int, int], name: str) -> None:
    width, height = size_wh
    if min(width, height) < SMALLEST_SIDE_PX:
        raise FrameError(
            f"{name}: {width} × {height} px is too small, {SMALLEST_SIDE_PX} px a side are needed"
        )
    if max(width, height) > LARGEST_SIDE_PX:
        raise FrameError(
            f"{name}: {width} × {height} px is too large, at most {LARGEST_SIDE_PX} px a side can be read"
        )
    if width * height > LARGEST_AREA_PX:
        raise FrameError(f"{name}: is larger than {LARGEST_AREA_PX // 1_000_000} megapixels")


def _eight_bit_rgb(picture: PilImage.Image) -> Image:
    """RGB uint8; deeper greys are scaled, not clipped, and transparency lies on white."""
    if picture.mode.startswith(("I", "F")):
        deep = np.asarray(picture, dtype=np.float64)
        top = 65535.0 if deep.max(initial=0.0) > 255.0 else 255.0
        grey = np.clip(deep * (255.0 / top), 0, 255).astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        white = PilImage.new("RGBA", layered.size, (255, 255, 255, 255))
        picture = PilImage.alpha_composite(white, layered)
    return np.asarray(picture.convert("RGB"), dtype=np.uint8)
