"""Pictures of a pack, in original or reduced size."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from typing import Annotated, Literal

from fastapi import Query, Response
from PIL import Image

from engine.pack import Art, Pack

ArtSize = Literal["small", "medium"]
"""Reduced sizes: "small" for a tile on a whole board, "medium" for a single tile on a high-resolution
screen."""
SizeQuery = Annotated[ArtSize | None, Query()]
"""Query parameter: a reduced size; None for the original."""
SIDES_PX: Mapping[ArtSize, int] = {"small": 192, "medium": 384}
"""Longer side of a picture in each size, in pixels."""
MEDIA_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
"""Media types of art, by file extension."""
QUALITY = 82
"""JPEG and WebP quality of a reduced picture."""
HEADERS = {"Cache-Control": "public, max-age=86400"}
"""Cache header of a picture. Pictures of a game do not change."""


def art_of(pack: Pack, name: str) -> Art | None:
    """Return the pack's picture with this file name, or None.

    Only names that the pack lists are accepted, so a path cannot escape the pack.
    """
    stem = name.rpartition(".")[0]
    art = pack.art(stem) if stem in pack.designs or stem in pack.other_stems else None
    return art if art is not None and art.name == name else None


def art_response(art: Art, size: ArtSize | None = None) -> Response:
    """Return a picture of the pack as a response, in original or reduced size."""
    content = art.read_bytes() if size is None else _smaller(art, SIDES_PX[size])
    return Response(content, media_type=MEDIA_TYPES[art.suffix], headers=HEADERS)


@lru_cache(maxsize=512)
def _smaller(art: Art, side_px: int) -> bytes:
    """Return a picture's file, reduced so that its longer side has at most ``side_px`` pixels."""
    with Image.open(BytesIO(art.read_bytes())) as opened:
        opened.thumbnail((side_px, side_px), Image.Resampling.LANCZOS)
        out = BytesIO()
        if art.suffix == ".jpg":
            opened.convert("RGB").save(out, "JPEG", quality=QUALITY, optimize=True)
        elif art.suffix == ".webp":
            opened.save(out, "WEBP", quality=QUALITY, method=2)  # fast, because phones wait
        else:
            opened.save(out, "PNG", optimize=True)
    return out.getvalue()
