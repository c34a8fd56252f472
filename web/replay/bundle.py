"""Bundle of the dashboard's scripts and styles for a page that loads nothing.

Scripts stay modules: each becomes a data URL in the page's import map, under its path below ``static/js``.
Modules that need a table are replaced by those of ``static/js/offline``.
"""

from __future__ import annotations

import base64
import mimetypes
import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from web.page import STATIC

OFFLINE: Mapping[str, str] = {
    name: f"offline/{name}" for name in ("api.js", "art.js", "stream.js", "catalogue.js", "lobby_link.js")
}
"""Modules that need a table or a server, and their replacements."""
IMPORT = re.compile(r'^((?:import|export)\b[^"\n]*)"(\.[\w./-]+\.js)";$', re.MULTILINE)
"""Matches an import of one of our modules, on a line of its own."""
URL = re.compile(r'url\("([\w./-]+)"\)')
"""Matches the path of a file in a style."""


@lru_cache
def import_map(entry: str) -> Mapping[str, str]:
    """Return the script ``entry`` (a path below ``static/js``) and all modules that it needs, as data URLs
    by path."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        folder = posixpath.dirname(name)
        needs: list[str] = []

        def named(line: re.Match[str], folder: str = folder, needs: list[str] = needs) -> str:
            """Return an import statement with the module's path below ``static/js``, and note that path in
            ``needs``."""
            path = posixpath.normpath(posixpath.join(folder, line[2]))
            needs.append(OFFLINE.get(path, path))
            return f'{line[1]}"{needs[-1]}";'

        text = IMPORT.sub(named, (STATIC / "js" / name).read_text("utf-8"))
        found[name] = data_url(text.encode(), "text/javascript")
        waiting += needs
    return found


def with_files(style: str, folder: Path) -> str:
    """Return a style with its fonts and pictures embedded as data URLs. Their paths are relative to
    ``folder``."""

    def inside(file: re.Match[str]) -> str:
        """Return a ``url(...)`` of a style with the file as a data URL."""
        path = folder / file[1]
        kind = mimetypes.guess_type(path.name)[0] or "font/woff2"
        return f'url("{data_url(path.read_bytes(), kind)}")'

    return URL.sub(inside, style)


def data_url(content: bytes, media_type: str) -> str:
    """Return a file as a data URL."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
