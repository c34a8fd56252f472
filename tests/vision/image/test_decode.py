"""Decoding: pictures of all formats become BGR, all other files give a one-line error."""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.pictures import HEIC
from vision.image.decode import decode_image, read_frame
from vision.image.decoder import FrameError, decode_here, is_heif

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
def test_data_that_does_not_decode_is_reported_in_one_line(data: bytes) -> None:
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


def test_an_orientation_among_broken_marks_is_still_obeyed() -> None:
    # White point (318) is a fraction by the standard; here it is text, which Pillow cannot write again.
    marks = [struct.pack("<HHII", 274, 3, 1, 6), struct.pack("<HHI4s", 318, 2, 4, b"abc\0")]
    exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, len(marks)) + b"".join(marks) + bytes(4)
    assert decode_image(encoded(Image.fromarray(RGB), "JPEG", exif=exif)).shape == (100, 80, 3)


@pytest.mark.parametrize("form", ["AVIF", "WEBP", "TIFF", "GIF", "BMP"])
def test_a_damaged_file_is_decoded_or_reported_with_its_name(form: str) -> None:
    whole = encoded(Image.fromarray(RGB), form)
    rng = np.random.default_rng(3)
    for _ in range(40):
        data = np.frombuffer(whole, np.uint8).copy()
        at = rng.integers(12, min(len(data), 400), 8)
        data[at] = rng.integers(0, 256, len(at))
        try:
            decode_image(data.tobytes(), name="board.jpg")
        except FrameError as error:
            assert str(error).startswith("board.jpg: ")


def test_formats_that_start_other_programs_are_no_pictures() -> None:
    with pytest.raises(FrameError, match="not a picture that can be read"):
        decode_image(encoded(Image.fromarray(RGB), "EPS"))


def png_of(width: int, height: int) -> bytes:
    """The beginning of a 16-bit PNG that claims a size; nothing follows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )


def test_pixels_are_counted_before_anything_is_decoded() -> None:
    with pytest.raises(FrameError, match="larger than 50 megapixels"):
        decode_image(png_of(15_000, 15_000))


def test_a_large_jpeg_is_read_at_a_fraction_of_its_size() -> None:
    assert decode_image(encoded(Image.new("L", (8000, 6400)), "JPEG")).shape == (3200, 4000, 3)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "LA", "CMYK", "I;16", "F", "1"])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF"])
def test_a_picture_is_halved_until_it_fits(mode: str, form: str) -> None:
    picture = Image.fromarray(np.full((160, 200, 3), 90, np.uint8))
    if mode == "I;16":
        picture = Image.fromarray(np.full((160, 200), 90 * 257, np.uint16))
    elif mode != "1":
        picture = picture.convert(mode)
    else:
        picture = Image.new("1", (200, 160), 1)
    try:
        data = encoded(picture, form)
    except OSError:
        pytest.skip(f"a {form} has no {mode}")
    image = decode_image(data, fit_px=10_000)
    assert image.shape == (80, 100, 3)
    expected = 255 if mode == "1" else 90
    assert abs(float(image.mean()) - expected) < 3


def test_a_progressive_jpeg_must_fit_into_the_decoders_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(Image.new("RGB", (2000, 2000)), "JPEG", progressive=True, subsampling=0)
    assert decode_image(data).shape == (2000, 2000, 3)
    monkeypatch.setenv("JPEGMEM", "10M")
    with pytest.raises(FrameError):
        decode_image(data)


def test_a_pipe_is_no_picture(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(FrameError, match="no regular file"):
        read_frame(tmp_path / "pipe.jpg")


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_without_an_end_marker_is_read_if_it_is_whole(progressive: bool) -> None:
    data = encoded(Image.fromarray(RGB), "JPEG", progressive=progressive)
    assert data.endswith(b"\xff\xd9")
    assert np.array_equal(decode_image(data[:-2]), decode_image(data))
    for lost in (12, len(data) // 2):
        with pytest.raises(FrameError, match="cut short"):
            decode_image(data[:-lost])


def test_a_heic_photograph_is_read_by_the_optional_decoder() -> None:
    pytest.importorskip("pi_heif", reason="the extra heif is not installed")
    image = decode_image(HEIC)
    assert image.shape == (96, 128, 3)
    assert image[48, 20, 2] > 150 > image[48, 20, 0] and image[48, 100, 0] > 150 > image[48, 100, 2]


def test_a_heic_photograph_without_the_decoder_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert is_heif(HEIC) and not is_heif(encoded(Image.fromarray(RGB), "AVIF"))
    monkeypatch.setattr("vision.image.decoder.heif_formats", tuple)
    with pytest.raises(
        FrameError, match=r"^IMG_1\.HEIC: is a HEIC photograph; choose a JPEG .*tilesight\[heif\]"
    ):
        decode_here(HEIC, "IMG_1.HEIC", None)
