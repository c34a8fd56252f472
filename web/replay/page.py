"""Replay page: the dashboard itself with every position of one game in it, as one file.

It asks for nothing: its scripts, styles, fonts, pictures and positions are in it, and its own policy forbids
it to load anything else.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PIL import Image

from engine.pack import Pack
from web.page import STATIC, PageKind, bundled_style, dashboard_page
from web.replay.bundle import data_address, import_map, with_files
from web.report.drawing import ART_PX, PART_PX, small_picture
from web.report.words import FOLDER, LANGUAGES
from web.views.art import art_of

CSS = STATIC / "css"
"""The folder of styles."""
PHOTO_PX = 800
"""Pixels of the longer side of a photograph: eighty of them can be sent to a friend."""
PHOTO_QUALITY = 70
"""JPEG quality of a photograph, 0 to 100."""
ART = re.compile(r"^art/([^/]+)$")
"""Address of a picture of the pack."""
SERVED = re.compile(r"^<link .*>\n|^<script async .*</script>\n", re.MULTILINE)
"""Lines of a page that fetch a file, or tell which files will be fetched; its script stays."""
SCRIPT = re.compile(r'<script type="module" src="[\w./]*/js/(\w+)-page.js"></script>')
"""The page's script."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)
"""Content security policy of the page."""
EARLY = (
    "<script>const spoken = navigator.languages.map((tag) => tag.slice(0, 2));"
    f"const known = {json.dumps(list(LANGUAGES))};"
    "document.documentElement.lang = spoken.find((code) => known.includes(code)) ?? 'en';"
    "</script>"
)
"""Script that tells the page its reader's language before the words have come."""
OFF: Mapping[str, object] = {
    "can_undo": False,
    "can_redo": False,
    "can_end": False,
    "can_correct": False,
    "questions": [],
    "closed": [],
    "camera": {"seeing": "ended", "message": "", "frame": None, "frames": None, "cells": []},
}
"""Fields of a state that a game has only while it is played."""


def replay_html(
    board: PageKind,
    states: Sequence[Mapping[str, Any]],
    pack: Pack,
    pack_json: Mapping[str, Any],
    photographs: Mapping[int, bytes],
) -> str:
    """The page. ``states`` are the positions before the first turn and after each (the last one with its
    final scores), ``photographs`` JPEGs by the turn that they show."""
    words = {code: json.loads((FOLDER / f"{code}.json").read_text("utf-8")) for code in LANGUAGES}
    data = {
        **_pooled([_with_art({**state, **OFF}, pack) for state in states]),
        "pack": _with_art(pack_json, pack),
        "photographs": {turn: _small(jpeg) for turn, jpeg in photographs.items()},
        "words": words,
    }
    page = SERVED.sub("", dashboard_page(board))
    styles = with_files(bundled_style(board) + (CSS / "replay.css").read_text("utf-8"), CSS)
    page = page.replace("</head>", f"<style>\n{styles}</style>\n</head>")
    page = page.replace(
        '<meta charset="utf-8">',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
    )
    entry = SCRIPT.search(page)
    if entry is None:
        raise ValueError("the dashboard's page has no script")
    # What is long comes last: the page shows itself before its data have been read.
    page = page.replace(entry[0], EARLY).replace("<body", "<body data-waits", 1)
    page = page.replace("</body>", f"{_scripts(f'{entry[1]}.js', data)}\n</body>")
    waits = "".join(f'<span lang="{code}">{words[code]["report"]["opening"]}</span>' for code in LANGUAGES)
    return page.replace("</header>", f'</header>\n<p class="replay-wait" role="status">{waits}</p>', 1)


def _scripts(entry: str, data: Mapping[str, object]) -> str:
    imports = {"imports": import_map(entry)}
    return (
        f'<script type="importmap">{_inline(imports)}</script>\n'
        f'<script type="application/json" id="replay-data">{_inline(data)}</script>\n'
        f'<script type="module">import "{entry}";</script>'
    )


def _inline(value: object) -> str:
    """JSON that nothing in it can break out of: names come from people."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _pooled(states: Iterable[Mapping[str, Any]]) -> dict[str, object]:
    """States as indices into a pool of values: what two of them share, such as a tile that lies still, is
    written once. A list becomes the list of its members' indices."""
    known: dict[str, int] = {}
    pool: list[object] = []

    def index(value: object) -> int:
        text = json.dumps(value)
        if text not in known:
            known[text] = len(pool)
            pool.append(value)
        return known[text]

    pooled = [
        {
            key: [index(one) for one in value] if isinstance(value, list) else index(value)
            for key, value in state.items()
        }
        for state in states
    ]
    return {"pool": pool, "states": pooled}


def _with_art(value: Any, pack: Pack) -> Any:
    """The same JSON with the pack's pictures themselves in the place of their addresses."""
    if isinstance(value, Mapping):
        return {key: _with_art(one, pack) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_art(one, pack) for one in value]
    if isinstance(value, str) and (address := ART.match(value)):
        art = art_of(pack, address[1])
        # A part of a board of squares is as large as many tiles.
        part = address[1].rpartition(".")[0] in pack.quarters
        return None if art is None else small_picture(art, longest_px=PART_PX if part else ART_PX)
    return value


def _small(jpeg: bytes) -> str:
    """A photograph as a data address, at most `PHOTO_PX` long."""
    with Image.open(io.BytesIO(jpeg)) as picture:
        small = picture.convert("RGB")
        small.thumbnail((PHOTO_PX, PHOTO_PX))
        file = io.BytesIO()
        small.save(file, "JPEG", quality=PHOTO_QUALITY)
    return data_address(file.getvalue(), "image/jpeg")
