"""Pictures of a pack, as they are or in the size in which a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from typing import Annotated, Literal

from fastapi import Query, Response
from PIL import Image

from engine.pack import Art, Pack

Size = Literal["small", "medium"]
"""Sizes of smaller pictures: for a tile on a whole board, and for one of few on a screen of fine pixels."""
AskedSize = Annotated[Size | None, Query()]
"""A request's smaller size; None for the picture as it is."""
SIDES_PX: Mapping[Size, int] = {"small": 192, "medium": 384}
"""Longest side of a picture of each size, in pixels."""
MEDIA_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
"""Media types of art, by the ending of its file."""
QUALITY = 82
"""Quality of a smaller picture, of JPEG and of WebP."""
HEADERS = {"Cache-Control": "public, max-age=86400"}
"""Headers of a picture: a game's pictures stay what they are."""


def art_of(pack: Pack, name: str) -> Art | None:
    """The picture behind ``/art/<name>``: only names that the pack offers, never a path from outside."""
    stem = name.rpartition(".")[0]
    art = pack.art(stem) if stem in pack.designs or stem in pack.other_stems else None
    return art if art is not None and art.name == name else None


def art_response(art: Art, size: Size | None = None) -> Response:
    """A picture of the pack, whether it is a file or comes out of a gallery; with ``size``, a smaller one."""
    content = art.read_bytes() if size is None else _smaller(art, SIDES_PX[size])
    return Response(content, media_type=MEDIA_TYPES[art.suffix], headers=HEADERS)


@lru_cache(maxsize=512)
def _smaller(art: Art, side_px: int) -> bytes:
    """The file of a picture made smaller, made once for all phones."""
    with Image.open(BytesIO(art.read_bytes())) as opened:
        opened.thumbnail((side_px, side_px), Image.Resampling.LANCZOS)
        out = BytesIO()
        if art.suffix == ".jpg":
            opened.convert("RGB").save(out, "JPEG", quality=QUALITY, optimize=True)
        elif art.suffix == ".webp":
            opened.save(out, "WEBP", quality=QUALITY, method=2)  # quick: phones wait
        else:
            opened.save(out, "PNG", optimize=True)
    return out.getvalue()
