"""Parts of the dashboard for a page that loads nothing: modules that need no server, and embedded files."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Mapping
from pathlib import Path

OFFLINE: Mapping[str, str] = {
    name: f"offline/{name}" for name in ("api.js", "art.js", "stream.js", "catalogue.js", "lobby_link.js")
}
"""Modules that need a table or a server, and their replacements."""
URL = re.compile(r'url\("([\w./-]+)"\)')
"""Matches the path of a file in a style."""


def with_files(style: str, folder: Path) -> str:
    """Return a style with its fonts and pictures embedded as data URLs.

    Their paths are relative to ``folder``.
    """

    def inside(file: re.Match[str]) -> str:
        """Return a ``url(...)`` of a style with the file as a data URL."""
        path = folder / file[1]
        kind = mimetypes.guess_type(path.name)[0] or "font/woff2"
        return f'url("{data_url(path.read_bytes(), kind)}")'

    return URL.sub(inside, style)


def data_url(content: bytes, media_type: str) -> str:
    """Return a file as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
