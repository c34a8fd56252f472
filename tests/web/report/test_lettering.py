"""Letters of pictures to share: none is a box."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops, ImageDraw

from web.report.lettering import FALLBACK, TEXT, font_of, printable, write

BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def written(text: str, wide_px: int = 380) -> Image.Image:
    page = Image.new("RGB", (400, 80), WHITE)
    write(ImageDraw.Draw(page), (10, 10), text, 40, BLACK, wide_px=wide_px)
    return page


def ink_of(picture: Image.Image) -> tuple[int, int, int, int] | None:
    return ImageChops.invert(picture.convert("L")).getbbox()


@pytest.mark.parametrize("name", ["Zoë", "Łukasz", "Ωμέγα", "Юля", "李雷", "はな", "지우"])
def test_every_script_of_the_bundled_fonts_is_drawn(name: str) -> None:
    assert printable(name) == name
    assert {font_of(letter) for letter in name} <= {TEXT, FALLBACK}
    missing = written("\ue000")  # of no font
    assert ink_of(missing) is None
    parts = [written(letter) for letter in name]
    assert all(ink_of(part) is not None for part in parts)
    assert len({part.tobytes() for part in parts}) == len(set(name)), "two letters would be the same box"


def test_an_emoji_is_left_out_and_a_long_name_is_shortened() -> None:
    assert printable("Mia 🦁 and 👩‍🚀 Bo") == "Mia and Bo"
    assert printable("🦁") == ""
    box = ink_of(written("M" * 60, wide_px=200))
    assert box is not None and box[2] <= 10 + 200
