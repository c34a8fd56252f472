"""Replay page: the dashboard with all positions of one game, as one file.

Scripts, styles, fonts, pictures and positions are embedded. The page's content security policy forbids it to
load anything else.
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
from web.replay.bundle import data_url, import_map, with_files
from web.report.drawing import ART_PX, PART_PX, small_picture
from web.report.words import FOLDER, LANGUAGES
from web.views.art import art_of

CSS = STATIC / "css"
"""Folder of styles."""
PHOTO_PX = 800
"""Maximum length of a photograph's longer side, in pixels. A file with eighty photographs must stay small
enough to send."""
PHOTO_QUALITY = 70
"""JPEG quality of a photograph, 0 to 100."""
ART = re.compile(r"^art/([^/]+)$")
"""Matches the address of a picture of the pack."""
LOADING_LINE = re.compile(r"^<link .*>\n|^<script async .*</script>\n", re.MULTILINE)
"""Matches lines of a page that load a file or preload an address. The page's main script does not match."""
SCRIPT = re.compile(r'<script type="module" src="[\w./]*/js/(\w+)-page.js"></script>')
"""Matches the page's main script."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)
"""Content security policy of the page."""
LANGUAGE_SCRIPT = (
    "<script>const spoken = navigator.languages.map((tag) => tag.slice(0, 2));"
    f"const known = {json.dumps(list(LANGUAGES))};"
    "document.documentElement.lang = spoken.find((code) => known.includes(code)) ?? 'en';"
    "</script>"
)
"""Script that sets the page's language before the words have loaded."""
LIVE_ONLY: Mapping[str, object] = {
    "can_undo": False,
    "can_redo": False,
    "can_end": False,
    "can_correct": False,
    "questions": [],
    "closed": [],
    "camera": {"seeing": "ended", "message": "", "frame": None, "frames": None, "cells": []},
}
"""Values of state fields that only matter while a game is played."""


def replay_html(
    board: PageKind,
    states: Sequence[Mapping[str, Any]],
    pack: Pack,
    pack_json: Mapping[str, Any],
    photographs: Mapping[int, bytes],
) -> str:
    """Return the replay page. ``states`` are the JSON states before the first turn and after each turn
    (the last one with final scores); ``photographs`` are JPEGs by turn number."""
    words = {code: json.loads((FOLDER / f"{code}.json").read_text("utf-8")) for code in LANGUAGES}
    data = {
        **_pooled([_with_art({**state, **LIVE_ONLY}, pack) for state in states]),
        "pack": _with_art(pack_json, pack),
        "photographs": {turn: _small(jpeg) for turn, jpeg in photographs.items()},
        "words": words,
    }
    page = LOADING_LINE.sub("", dashboard_page(board))
    styles = with_files(bundled_style(board) + (CSS / "replay.css").read_text("utf-8"), CSS)
    page = page.replace("</head>", f"<style>\n{styles}</style>\n</head>")
    page = page.replace(
        '<meta charset="utf-8">',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
    )
    entry = SCRIPT.search(page)
    if entry is None:
        raise ValueError("the dashboard's page has no script")
    # The data come last, so that the page appears before they have been parsed.
    page = page.replace(entry[0], LANGUAGE_SCRIPT).replace("<body", "<body data-waits", 1)
    page = page.replace("</body>", f"{_scripts(f'{entry[1]}.js', data)}\n</body>")
    waits = "".join(f'<span lang="{code}">{words[code]["report"]["opening"]}</span>' for code in LANGUAGES)
    return page.replace("</header>", f'</header>\n<p class="replay-wait" role="status">{waits}</p>', 1)


def _scripts(entry: str, data: Mapping[str, object]) -> str:
    """Return the page's import map, its data and its main script as HTML."""
    imports = {"imports": import_map(entry)}
    return (
        f'<script type="importmap">{_inline(imports)}</script>\n'
        f'<script type="application/json" id="replay-data">{_inline(data)}</script>\n'
        f'<script type="module">import "{entry}";</script>'
    )


def _inline(value: object) -> str:
    """Return a value as JSON that is safe inside a script element, whatever names people chose."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _pooled(states: Iterable[Mapping[str, Any]]) -> dict[str, object]:
    """Return states as indices into a pool of distinct values, so that a value which several states share
    is stored once. A list value becomes a list of its members' indices."""
    known: dict[str, int] = {}
    pool: list[object] = []

    def index(value: object) -> int:
        """Return the index of a value in the pool, adding it if it is new."""
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
    """Return the JSON with the addresses of the pack's pictures replaced by data URLs."""
    if isinstance(value, Mapping):
        return {key: _with_art(one, pack) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_art(one, pack) for one in value]
    if isinstance(value, str) and (address := ART.match(value)):
        art = art_of(pack, address[1])
        # A part of a board of squares is as large as several tiles.
        part = address[1].rpartition(".")[0] in pack.quarters
        return None if art is None else small_picture(art, longest_px=PART_PX if part else ART_PX)
    return value


def _small(jpeg: bytes) -> str:
    """Return a photograph as a data URL, its longer side at most `PHOTO_PX`."""
    with Image.open(io.BytesIO(jpeg)) as picture:
        small = picture.convert("RGB")
        small.thumbnail((PHOTO_PX, PHOTO_PX))
        file = io.BytesIO()
        small.save(file, "JPEG", quality=PHOTO_QUALITY)
    return data_url(file.getvalue(), "image/jpeg")
