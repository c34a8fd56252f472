"""Caches of answers: values made once for all requests, JSON with its ETag, and the latest pictures."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Callable
from typing import Generic, TypeVar

from fastapi import Request, Response

from web.table.pictures import Picture

PICTURES_KEPT = 4
"""Number of pictures that are kept between the request for what is recognised and the request for the
JPEG."""

Source = TypeVar("Source")
"""Type of the value that something is made from."""
Made = TypeVar("Made")
"""Type of the value that is made."""


class Memo(Generic[Source, Made]):
    """Cache with one entry per name, such as a language.

    Only one thread at a time makes an entry. An entry is made again when its source changes.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Source, Made]] = {}
        self._making = threading.Lock()

    def made(self, name: str, source: Source, make: Callable[[], Made]) -> Made:
        """Return ``make()``, or its cached result if the entry ``name`` was made from an equal ``source``."""
        with self._making:
            known = self._kept.get(name)
            if known is None or (known[0] is not source and known[0] != source):
                known = self._kept[name] = (source, make())
            return known[1]


class CachedJson:
    """A view as JSON bytes with its ETag, encoded again only when the view changes."""

    def __init__(self) -> None:
        # Replaced as one tuple, because requests run in several threads.
        self._kept: tuple[object, object, bytes, bytes, str] = (None, None, b"", b"", "")

    def answer(self, view: object, beside: object, make: Callable[[], object], request: Request) -> Response:
        """Return the JSON of ``make()`` as a response.

        It is gzipped if the client accepts that. If the client already has this JSON, the response is 304.
        ``make`` is only called if ``view`` (compared by identity) or ``beside`` (compared by value) differs
        from the last call.
        """
        kept_view, kept_beside, body, small, tag = self._kept
        if kept_view is not view or kept_beside != beside:
            body = json.dumps(make(), separators=(",", ":"), ensure_ascii=False).encode()
            tag = f'"{zlib.crc32(body):08x}-{len(body):x}"'
            # Compressed once for all phones: up to a hundred ask for it after every turn.
            small = gzip.compress(body, 5, mtime=0)
            self._kept = (view, beside, body, small, tag)
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(small, media_type="application/json", headers=headers)
        return Response(body, media_type="application/json", headers=headers)


class RecentPictures:
    """The latest pictures that were handed out, so that a client gets the JPEG that matches its overlay."""

    def __init__(self) -> None:
        self._kept: dict[int, Picture] = {}

    def note(self, picture: Picture | None) -> Picture | None:
        """Remember ``picture`` (unless None) and return it."""
        if picture is not None:
            # Replaced as a whole, because requests run in several threads.
            kept = {**{n: p for n, p in self._kept.items() if n != picture.frame}, picture.frame: picture}
            self._kept = dict(list(kept.items())[-PICTURES_KEPT:])
        return picture

    def of_frame(self, frame: int | None) -> Picture | None:
        """Return the remembered picture of that frame, or None."""
        return None if frame is None else self._kept.get(frame)
