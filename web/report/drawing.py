"""The report's templates, and what they share: colours of players and small pictures of a pack's art."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from engine.pack import Art

ART_PX = 128
"""Pixels of the longer side of a picture: a page of eighty tiles can be sent to a friend."""
PART_PX = 448
"""Pixels of the longer side of a picture of many squares."""
COLORS: Mapping[str, str] = {
    "red": "#c9352b",
    "blue": "#2a63ad",
    "yellow": "#f0b51f",
    "green": "#2f7f4f",
    "black": "#2d2a2b",
    "violet": "#7b4aa0",
    "white": "#fbf6ea",
}
"""Colours in which the players' own are drawn and printed."""


def color_of(color: str | None) -> str:
    """Fill in which a player's colour is drawn; a piece of nobody is white."""
    return COLORS.get(color or "white", "#888")


def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader(__name__.rpartition(".")[0]),
        autoescape=True,  # names and titles come from people
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["fill"] = color_of
    templates.filters["unit"] = "{:.1f}".format
    return templates


_TEMPLATES = _templates()


def render(template: str, **values: object) -> str:
    """A template of ``templates/`` with values in it, all escaped but for what the template calls safe."""
    return _TEMPLATES.get_template(template).render(values)


@lru_cache(maxsize=512)
def small_picture(art: Art, rot: int = 0, longest_px: int = ART_PX) -> str:
    """A picture as a data address, at most so long, turned clockwise by ``rot`` degrees."""
    with Image.open(io.BytesIO(art.read_bytes())) as picture:
        clear = picture.mode in ("RGBA", "LA", "P")
        small = picture.convert("RGBA" if clear else "RGB")
        small.thumbnail((longest_px, longest_px))
        small = small.rotate(-rot, expand=True)
        file = io.BytesIO()
        small.save(file, "PNG" if clear else "JPEG", quality=80)
    kind = "png" if clear else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"
