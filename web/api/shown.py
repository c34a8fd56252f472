"""Cached answers, made once and sent many times: JSON with its tag, and the latest pictures."""

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
"""Number of pictures whose overlay was handed out and whose JPEG may still be asked for."""

Source = TypeVar("Source")
"""Type of the value that something is made of."""
Made = TypeVar("Made")
"""Type of the thing made of it."""


class Memo(Generic[Source, Made]):
    """Memo of the thing made of a value, one for each language: made once, by one thread at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Source, Made]] = {}
        self._making = threading.Lock()

    def made(self, language: str, source: Source, make: Callable[[], Made]) -> Made:
        """``make()``, or what it gave for the same value."""
        with self._making:
            known = self._kept.get(language)
            if known is None or (known[0] is not source and known[0] != source):
                known = self._kept[language] = (source, make())
            return known[1]


class ShownJson:
    """A view as JSON bytes with its tag, made again only for another view (or with other questions)."""

    def __init__(self) -> None:
        # One tuple, swapped as a whole: requests run in several threads.
        self._kept: tuple[object, object, bytes, bytes, str] = (None, None, b"", b"", "")

    def answer(
        self, view: object, questions: object, make: Callable[[], object], request: Request
    ) -> Response:
        """The JSON of ``make()``, or 304 where the client has it already.

        ``view`` is compared by identity, ``questions`` by value.
        """
        kept_view, kept_questions, body, small, tag = self._kept
        if kept_view is not view or kept_questions != questions:
            body = json.dumps(make(), separators=(",", ":"), ensure_ascii=False).encode()
            tag = f'"{zlib.crc32(body):08x}-{len(body):x}"'
            # Once for all phones: a hundred of them on one Wi-Fi ask for this after every turn.
            small = gzip.compress(body, 5, mtime=0)
            self._kept = (view, questions, body, small, tag)
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(small, media_type="application/json", headers=headers)
        return Response(body, media_type="application/json", headers=headers)


class ShownPictures:
    """The last pictures whose overlay was handed out, so that the JPEG asked for next is the same one."""

    def __init__(self) -> None:
        self._kept: dict[int, Picture] = {}

    def note(self, picture: Picture | None) -> Picture | None:
        """Keep ``picture`` for a while, and give it back."""
        if picture is not None:
            # A new dictionary, swapped as a whole: requests run in several threads.
            kept = {**{n: p for n, p in self._kept.items() if n != picture.frame}, picture.frame: picture}
            self._kept = dict(list(kept.items())[-PICTURES_KEPT:])
        return picture

    def of_frame(self, frame: int | None) -> Picture | None:
        """The picture of that frame, where it is still kept."""
        return None if frame is None else self._kept.get(frame)
