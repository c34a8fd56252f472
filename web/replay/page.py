"""Replay page: the dashboard with all positions of one game, as one file.

Scripts, styles, fonts, pictures and positions are embedded. The page's content security policy forbids it to
load or to run anything else.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from PIL import Image

from engine.pack import Pack
from web.page import STATIC, PageKind, bundled_script, bundled_style, dashboard_page
from web.replay.bundle import OFFLINE, data_url, with_files
from web.report.drawing import ART_PX, PART_PX, inline_source, small_picture
from web.report.words import FOLDER, LANGUAGES
from web.uncached import NO_STORE
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
SCRIPT = re.compile(r'<script type="module" src="[^"]+"></script>')
"""Matches the page's main script."""
LANGUAGE_SCRIPT = (
    "const spoken = navigator.languages.map((tag) => tag.slice(0, 2));"
    f"const known = {json.dumps(list(LANGUAGES))};"
    "document.documentElement.lang = spoken.find((code) => known.includes(code)) ?? 'en';"
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
    """Return the replay page.

    ``states`` are the JSON states before the first turn and after each turn (the last one with final
    scores); ``photographs`` are JPEGs by turn number.
    """
    words = {code: json.loads((FOLDER / f"{code}.json").read_text("utf-8")) for code in LANGUAGES}
    data = {
        **_pooled([_with_art({**state, **LIVE_ONLY}, pack) for state in states]),
        "pack": _with_art(pack_json, pack),
        "photographs": {turn: _small(jpeg) for turn, jpeg in photographs.items()},
        "words": words,
    }
    page = LOADING_LINE.sub("", dashboard_page(board))
    page = page.replace("</head>", f"<style>{_style(board)}</style>\n</head>")
    page = page.replace(
        '<meta charset="utf-8">',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{replay_policy()}">',
    )
    page, scripts = SCRIPT.subn(f"<script>{LANGUAGE_SCRIPT}</script>", page)
    if scripts != 1:
        raise ValueError("the dashboard's page has no script")
    # The data come last, so that the page appears before they have been parsed.
    page = page.replace("<body", "<body data-waits", 1)
    page = page.replace("</body>", f"{_scripts(board, data)}\n</body>")
    waits = "".join(f'<span lang="{code}">{words[code]["report"]["opening"]}</span>' for code in LANGUAGES)
    return page.replace("</header>", f'</header>\n<p class="replay-wait" role="status">{waits}</p>', 1)


@cache
def replay_policy() -> str:
    """Return the content security policy of every replay.

    It allows the scripts and styles of this version, and embedded pictures and fonts.
    """
    kinds: tuple[PageKind, ...] = get_args(PageKind)
    scripts = inline_source(LANGUAGE_SCRIPT, *map(_script, kinds))
    styles = inline_source(*map(_style, kinds))
    return (
        f"default-src 'none'; script-src {scripts}; style-src {styles}; img-src data: blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def sandboxed_replay() -> Mapping[str, str]:
    """Return the headers of a replay that a server sends.

    They sandbox the replay, so that it cannot reach the key stored for the server's origin. Only pages of the
    server's origin may embed it.
    """
    policy = f"sandbox allow-scripts; {replay_policy()}; frame-ancestors 'self'"
    return {**NO_STORE, "Content-Security-Policy": policy}


@cache
def _style(board: PageKind) -> str:
    """Return all styles of a replay, with their fonts and pictures."""
    return with_files(bundled_style(board) + (CSS / "replay.css").read_text("utf-8"), CSS)


@cache
def _script(board: PageKind) -> str:
    """Return the main script of a replay: all modules, without those that need a server."""
    return bundled_script(f"{board}.js", OFFLINE)


def _scripts(board: PageKind, data: Mapping[str, object]) -> str:
    """Return the page's data and its main script as HTML."""
    return (
        f'<script type="application/json" id="replay-data">{_inline(data)}</script>\n'
        f'<script type="module">{_script(board)}</script>'
    )


def _inline(value: object) -> str:
    """Return a value as JSON that is safe inside a script element.

    The value may contain any text, such as names chosen by people.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _pooled(states: Iterable[Mapping[str, Any]]) -> dict[str, object]:
    """Return states as indices into a pool of distinct values.

    A value that several states share is stored once. A list value becomes a list of its members' indices.
    """
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
