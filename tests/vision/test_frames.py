"""Pictures of every make come in as BGR; what is no picture ends in one clear line."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vision.frames import FrameError, decode_image, read_frame

RNG = np.random.default_rng(7)
RGB = RNG.integers(0, 255, (80, 100, 3), dtype=np.uint8)


def encoded(picture: Image.Image, form: str, **how: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format=form, **how)
    return buffer.getvalue()


def test_colours_come_in_as_bgr() -> None:
    image = decode_image(encoded(Image.fromarray(RGB), "PNG"))
    assert image.dtype == np.uint8
    assert np.array_equal(image, RGB[:, :, ::-1])


@pytest.mark.parametrize("mode", ["L", "P", "CMYK", "RGBA", "LA", "1"])
def test_every_colour_mode_becomes_bgr(mode: str) -> None:
    form = "TIFF" if mode == "CMYK" else "PNG"
    image = decode_image(encoded(Image.fromarray(RGB).convert(mode), form))
    assert image.shape == (80, 100, 3)


def test_sixteen_bit_grey_is_scaled_not_clipped() -> None:
    deep = np.linspace(0, 65535, 80 * 100).reshape(80, 100).astype(np.uint16)
    image = decode_image(encoded(Image.fromarray(deep), "PNG"))
    assert 100 < image[40, 0, 0] < 155
    assert len(np.unique(image)) > 200


def test_first_frame_of_an_animation() -> None:
    first, second = Image.new("RGB", (70, 70), "red"), Image.new("RGB", (70, 70), "blue")
    image = decode_image(encoded(first, "GIF", save_all=True, append_images=[second]))
    assert image[35, 35].tolist() == [0, 0, 255]


def test_orientation_mark_is_obeyed() -> None:
    picture = Image.fromarray(RGB)
    exif = picture.getexif()
    exif[274] = 6  # turned a quarter clockwise to be upright
    assert decode_image(encoded(picture, "JPEG", exif=exif)).shape == (100, 80, 3)


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(encoded(Image.fromarray(RGB), "PNG"))
    assert read_frame(path, t_s=1.5, index=3).t_s == 1.5


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a picture",
        encoded(Image.fromarray(RGB), "JPEG")[:900],
        encoded(Image.fromarray(RGB), "PNG")[:900],
    ],
    ids=["empty", "text", "cut JPEG", "cut PNG"],
)
def test_what_does_not_decode_is_one_line(data: bytes) -> None:
    with pytest.raises(FrameError) as caught:
        decode_image(data, name="board.jpg")
    assert "board.jpg" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_small(tmp_path: Path) -> None:
    with pytest.raises(FrameError, match="63 × 80 px is too small"):
        decode_image(encoded(Image.new("RGB", (63, 80)), "PNG"))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FrameError, match="no such file"):
        read_frame(tmp_path / "none.jpg")
    with pytest.raises(FrameError, match="folder"):
        read_frame(tmp_path)
