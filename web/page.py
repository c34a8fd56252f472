"""Pages of the dashboards: one frame, `pages/dashboard.html`, filled for each kind of board."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Literal

from fastapi import APIRouter, Response

Board = Literal["tiles", "squares"]
"""The kinds of board: tiles laid edge to edge, figures on squares."""
EARLY: Mapping[Board, tuple[str, ...]] = {"tiles": ("api/state", "api/pack"), "squares": ("api/state",)}
"""Addresses that a page asks for before its scripts have come."""
STYLES = ("base", "layout", "board", "panel", "sheet", "ending")
"""Styles of every dashboard, in their order; a board's own, where it has one, comes after them."""
TV_STYLES = ("base", "board", "panel", "tv")
"""Styles of the big screen, in their order; a board's own comes before the last."""
FOLDER = Path(__file__).parent / "pages"
"""The folder of the frame and of the parts."""
PART = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)
"""The line that begins a part, with its name."""
STATIC = Path(__file__).parent / "static"
"""The folder of scripts, styles, fonts, pictures and words."""
SCRIPTS = STATIC / "js"
"""The folder of scripts, each a module."""
HEADERS = {"Cache-Control": "no-cache"}
"""Headers of a page, so that an update is seen."""
WALL = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors"
)
"""Policy of a page that may be shown in a frame, without who may."""
FRAMED = {"Content-Security-Policy": f"{WALL} http: https:"}
"""Headers of a page that others may show in a frame, as the lobby's big screen does: it holds no key and has
nothing to click."""
FRAMED_AT_HOME = {"Content-Security-Policy": f"{WALL} 'self'"}
"""Headers of a page that those of its own address alone may show in a frame."""
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Headers of what lies under the address of this version."""
IMPORTED = re.compile(r'^(?:import|export)\b[^"]*? from "(\./[^"]+)";', re.MULTILINE)
"""An import at the top of a module, with the module that is imported."""


IMPORT_LINE = re.compile(r'^import \{([^}]*)\} from "\./([\w/]+)\.js";$', re.MULTILINE)
"""An import as all our scripts write it: what is imported, and the module's name."""
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
"""An export as all our scripts write it, with the name."""


@cache
def files_address() -> str:
    """Address of the files of this version: another as soon as one of them changes, so that a phone may keep
    what it has and asks for none of it twice."""
    digest = hashlib.sha256()
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        digest.update(path.relative_to(STATIC).as_posix().encode() + b"\0" + path.read_bytes())
    return f"v/{digest.hexdigest()[:12]}"


def modules_of(entry: str) -> list[str]:
    """The scripts that a script imports, directly or not, each after those that it imports, itself last."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        for other in IMPORTED.findall((SCRIPTS / name).read_text("utf-8")):
            imported = other.removeprefix("./")
            if imported not in found:
                visit(imported)
        found[name] = None

    visit(entry)
    return list(found)


def script_of(entry: str) -> str:
    """A script with all that it imports, as one module: each file more would cost a phone far away another
    wait. Every module becomes a function that runs once, in the order in which a browser would run them."""

    def taken(line: re.Match[str]) -> str:
        return f"const {{{line[1].replace(' as ', ': ')}}} = {_unit(line[2])};"

    parts = []
    for name in modules_of(entry):
        text = IMPORT_LINE.sub(taken, (SCRIPTS / name).read_text("utf-8"))
        given = ", ".join(found for _, found in EXPORT.findall(text))
        body = EXPORT.sub(r"\1", text)
        unit = _unit(name.removesuffix(".js"))
        parts.append(f"const {unit} = await (async () => {{\n{body}\nreturn {{ {given} }};\n}})();\n")
    return "".join(parts)


def _unit(module: str) -> str:
    return f"${module.replace('/', '$')}"


def big_screen_page(board: Board) -> str:
    """The big screen's page of one kind of board."""
    return _page(board, "tv.html", {"board": _parts(board)["board"]})


def dashboard_page(board: Board) -> str:
    """The page of one kind of board: the frame with the parts of ``pages/<board>.html`` in it.

    A part stands below a comment with its name and goes where the frame says ``$name``; ``$kind`` is the
    board itself, ``$files`` the address of styles and scripts, ``$early`` what is asked for before they
    have come. ValueError where the frame has no such place.
    """
    return _page(board, "dashboard.html", _parts(board))


def _parts(board: Board) -> dict[str, str]:
    _, *found = PART.split((FOLDER / f"{board}.html").read_text("utf-8"))
    return {name: part.strip() for name, part in zip(found[::2], found[1::2], strict=True)}


def _page(board: Board, file: str, parts: Mapping[str, str]) -> str:
    """A frame, filled."""
    frame = Template((FOLDER / file).read_text("utf-8"))
    places = dict.fromkeys(frame.get_identifiers(), "")
    if strange := parts.keys() - places:
        raise ValueError(f"{board}.html: {file} has no place for {', '.join(sorted(strange))}")
    files = files_address()
    names = {"kind": board, "early": " ".join(EARLY[board]), "files": "$files"}
    page = frame.substitute({**places, **parts, **names})
    return page.replace("$files", files)


def style_of(board: Board) -> str:
    """All styles of a dashboard as one: each file more would cost a phone far away another wait."""
    return _styles(*STYLES, board)


def big_screen_style_of(board: Board) -> str:
    """All styles of the big screen as one."""
    return _styles(*TV_STYLES[:-1], board, TV_STYLES[-1])


def _styles(*names: str) -> str:
    files = (STATIC / "css" / f"{name}.css" for name in names)
    return "".join(path.read_text("utf-8") for path in files if path.is_file())


def page_reads(board: Board, *, framed: bool = False) -> APIRouter:
    """The routes of the dashboard's page and of the big screen's; ``framed``: pages of the same address may
    show the dashboard in a frame."""
    routes = APIRouter()
    page, screen = dashboard_page(board), big_screen_page(board)

    @routes.head("/", include_in_schema=False)
    @routes.get("/", include_in_schema=False)
    def get_page() -> Response:
        """The dashboard's page."""
        headers = {**HEADERS, **FRAMED_AT_HOME} if framed else HEADERS
        return Response(page, media_type="text/html", headers=headers)

    @routes.get("/tv", include_in_schema=False)
    def get_big_screen() -> Response:
        """The big screen's page."""
        return Response(screen, media_type="text/html", headers={**HEADERS, **FRAMED})

    return routes
