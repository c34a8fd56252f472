"""Bundle of the dashboard's scripts and styles, for a page that asks for nothing.

The scripts stay modules: each becomes a data address in the page's import map, under its path below
``static/js``. Modules that talk to a table give way to those of ``static/js/offline``.
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
"""Modules that need a table or a server, and what takes their place."""
IMPORT = re.compile(r'^((?:import|export)\b[^"\n]*)"(\.[\w./-]+\.js)";$', re.MULTILINE)
"""An import of another module of ours: a line of its own."""
URL = re.compile(r'url\("([\w./-]+)"\)')
"""A file that a style names, beside it or above."""


@lru_cache
def import_map(entry: str) -> Mapping[str, str]:
    """The modules that ``entry`` (a path below ``static/js``) needs, itself among them: data addresses by
    path."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        folder = posixpath.dirname(name)
        needs: list[str] = []

        def named(line: re.Match[str], folder: str = folder, needs: list[str] = needs) -> str:
            path = posixpath.normpath(posixpath.join(folder, line[2]))
            needs.append(OFFLINE.get(path, path))
            return f'{line[1]}"{needs[-1]}";'

        text = IMPORT.sub(named, (STATIC / "js" / name).read_text("utf-8"))
        found[name] = data_address(text.encode(), "text/javascript")
        waiting += needs
    return found


def with_files(style: str, folder: Path) -> str:
    """A style, of ``folder``, with its fonts and pictures in it."""

    def inside(file: re.Match[str]) -> str:
        path = folder / file[1]
        kind = mimetypes.guess_type(path.name)[0] or "font/woff2"
        return f'url("{data_address(path.read_bytes(), kind)}")'

    return URL.sub(inside, style)


def data_address(content: bytes, media_type: str) -> str:
    """A file as a data address."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"
