"""Templates of the report, and code that one-file pages share: colours, small pictures, allowed styles."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from engine.pack import Art

ART_PX = 128
"""Maximum length of a picture's longer side, in pixels. A page with eighty tiles must stay small enough to
send."""
PART_PX = 448
"""Maximum length of the longer side of a board part's picture, in pixels."""
COLORS: Mapping[str, str] = {
    "red": "#c9352b",
    "blue": "#2a63ad",
    "yellow": "#f0b51f",
    "green": "#2f7f4f",
    "black": "#2d2a2b",
    "violet": "#7b4aa0",
    "white": "#fbf6ea",
}
"""Fill colours of the players' pieces, by colour name."""


def color_of(color: str | None) -> str:
    """Return the fill (CSS colour) of a player's colour; white for None, grey for an unknown colour."""
    return COLORS.get(color or "white", "#888")


def _templates() -> Environment:
    """Return the Jinja environment of ``templates/``, with escaping and our filters."""
    templates = Environment(
        loader=PackageLoader(__name__.rpartition(".")[0]),
        autoescape=True,  # names and titles are user input
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["fill"] = color_of
    templates.filters["unit"] = "{:.1f}".format
    return templates


_TEMPLATES = _templates()


def render(template: str, **values: object) -> str:
    """Render a template of ``templates/`` with these values.

    Values are escaped unless the template marks them as safe.
    """
    return _TEMPLATES.get_template(template).render(values)


def inline_source(*texts: str) -> str:
    """Return the sources of a content security policy that allow these inline scripts or styles.

    ``texts`` are the contents of the elements, without their tags.
    """
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


@lru_cache(maxsize=512)
def small_picture(art: Art, rot: int = 0, longest_px: int = ART_PX) -> str:
    """Return a picture as a data URL.

    It is rotated clockwise by ``rot`` degrees and scaled so that its longer side has at most ``longest_px``
    pixels.
    """
    with Image.open(io.BytesIO(art.read_bytes())) as picture:
        clear = picture.mode in ("RGBA", "LA", "P")
        small = picture.convert("RGBA" if clear else "RGB")
        small.thumbnail((longest_px, longest_px))
        small = small.rotate(-rot, expand=True)
        file = io.BytesIO()
        small.save(file, "PNG" if clear else "JPEG", quality=80)
    kind = "png" if clear else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(file.getvalue()).decode()}"
