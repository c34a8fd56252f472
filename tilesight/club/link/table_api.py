"""Client of the table's own HTTP API, on the same computer; docs/http.md describes it."""

from __future__ import annotations

import io
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

from PIL import Image, UnidentifiedImageError

from tilesight.club.messages import PREVIEW_BYTES, Asked, Command, Option, Reply, Status, Template

COMMANDS = frozenset(
    f"/api/{what}" for what in ("answer", "correct", "seat", "seats", "pause", "undo", "redo", "end")
)
"""Requests that a hub may make of a table."""
WITHIN_S = 5.0
"""Seconds within which the table answers."""
PREVIEW_PX = (480, 320, 200)
"""Pixels of a small picture's longer side; the largest that is small enough is taken."""
PREVIEW_QUALITY = 60
"""JPEG quality of a small picture, 0 to 100."""
SILENT = (OSError, ValueError, KeyError, TypeError)
"""Errors of a table that does not answer, or not as it should."""


class TableApi:
    """The table at an address of this computer. All methods block."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def status(self, game: str) -> Status:
        """Return the table's status; ``game`` is its log's id. Raises one of `SILENT`."""
        state, health = self._json("/api/state"), self._json("/healthz")
        asked = self._json("/api/questions")["questions"]
        return Status(
            game=game,
            phase=str(state["phase"])[:200],
            seeing=str(state["camera"]["seeing"])[:200],
            message=str(state["camera"]["message"])[:500],
            said=_said(state["camera"]),
            health=[str(word)[:200] for word in health["wrong"]][:20],
            asked=[_asked(one) for one in asked][:20],
        )

    def preview(self, key: str) -> bytes | None:
        """Return the camera's latest picture, reduced; None if there is none. Raises one of `SILENT`."""
        status, jpeg = self._ask("/api/picture.jpg", None, key)
        return small_picture(jpeg) if status == 200 else None

    def do(self, command: Command, key: str) -> Reply:
        """Return the table's reply to a command; status 502 if it does not answer."""
        if command.path not in COMMANDS:
            return Reply(status=404, body=_error("not_found", "a table cannot be asked for that"))
        try:
            status, body = self._ask(command.path, json.dumps(command.body or {}).encode(), key)
            return Reply(status=status, body=json.loads(body))
        except SILENT:
            return Reply(status=502, body=_error("table_silent", "the table does not answer"))

    def _json(self, path: str) -> Mapping[str, Any]:
        told = json.loads(self._ask(path, None, "")[1])
        if not isinstance(told, dict):
            raise ValueError(f"{path}: no object")
        return told

    def _ask(self, path: str, body: bytes | None, key: str) -> tuple[int, bytes]:
        """Send a request and return status and body. Raises one of `SILENT`."""
        headers = {"Content-Type": "application/json"}
        if key:
            headers["X-Table-Key"] = key
        request = urllib.request.Request(f"{self._url}{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:  # an answer as well
            with error:
                return error.code, error.read()


def small_picture(jpeg: bytes) -> bytes | None:
    """Reduce a picture to at most `PREVIEW_BYTES`; None if it is invalid or cannot be made so small."""
    try:
        with Image.open(io.BytesIO(jpeg)) as picture:
            picture.draft("RGB", (PREVIEW_PX[0], PREVIEW_PX[0]))
            small = picture.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return None
    for side in PREVIEW_PX:
        small.thumbnail((side, side))
        file = io.BytesIO()
        small.save(file, "JPEG", quality=PREVIEW_QUALITY)
        if len(file.getvalue()) <= PREVIEW_BYTES:
            return file.getvalue()
    return None


def _asked(question: Mapping[str, Any]) -> Asked:
    return Asked(
        id=question["id"],
        text=str(question["text"])[:500],
        player=question["player"],
        turn=question["turn"],
        options=[_option(one) for one in question["options"]][:20],
        said=_said(question),
    )


def _option(option: Mapping[str, Any]) -> Option:
    return Option(id=option["id"], label=str(option["label"])[:200], said=_said(option))


def _said(told: Mapping[str, Any]) -> Template:
    return Template.model_validate(told["said"])


def _error(code: str, message: str) -> dict[str, dict[str, str]]:
    return {"error": {"code": code, "message": message}}
