"""HTML pages, scripts and styles of the dashboards. One template is filled in for each kind of board."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Literal

from fastapi import APIRouter, Response

PageKind = Literal["tiles", "squares"]
"""Kind of board that a page draws: tiles laid edge to edge, or figures on squares."""
PRELOADED: Mapping[PageKind, tuple[str, ...]] = {
    "tiles": ("api/state", "api/pack"),
    "squares": ("api/state",),
}
"""Paths that a page requests before its scripts have loaded."""
STYLES = ("base", "layout", "board", "panel", "sheet", "ending")
"""Styles of every dashboard, in order. The style of the kind of board, if there is one, comes last."""
Screen = Literal["tv", "overlay"]
"""Page without controls: the big screen of a room, or the overlay of a stream."""
SCREEN_STYLES: Mapping[Screen, tuple[str, ...]] = {"tv": ("tv",), "overlay": ("tv", "overlay")}
"""Own styles of each page without controls, in order. They come after the styles that both pages share."""
TEMPLATES = Path(__file__).parent / "pages"
"""Folder of the templates and of the parts that fill them."""
PART = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)
"""Line that begins a part, with the part's name."""
STATIC = Path(__file__).parent / "static"
"""Folder of scripts, styles, fonts, pictures and words."""
SCRIPTS = STATIC / "js"
"""Folder of scripts. Each is a module."""
REVALIDATE = {"Cache-Control": "no-cache"}
"""Cache header of a page: clients must ask for updates."""
EMBED_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors"
)
"""Content security policy of a page that may be embedded in a frame, up to the list of allowed origins."""
EMBEDDABLE = {"Content-Security-Policy": f"{EMBED_POLICY} http: https:"}
"""Header of a page that any origin may embed. The big screen is such a page: it has no key and no
controls."""
EMBEDDABLE_SAME_ORIGIN = {"Content-Security-Policy": f"{EMBED_POLICY} 'self'"}
"""Header of a page that only its own origin may embed."""
IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Cache header of files below the path of this version: they never change."""
IMPORT_LINE = re.compile(r'^import (\w+|\{[^}]*\}) from "(\.[\w./]+\.js)";$', re.MULTILINE)
"""Matches an import statement in the form that all our scripts use; the groups are the name of the default
export or the names in braces, and the module's path from the importing one."""
EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
"""Matches an exported declaration; the groups are the declaration and its name."""
DEFAULT_EXPORT = re.compile(r"^export default ", re.MULTILINE)
"""Matches the beginning of the default export of a module, which is an expression."""


@cache
def files_path() -> str:
    """Return the path prefix of this version's static files.

    It contains a hash of all files, so it changes with any of them and clients may cache the files for
    ever.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in STATIC.rglob("*") if path.is_file()):
        digest.update(path.relative_to(STATIC).as_posix().encode() + b"\0" + path.read_bytes())
    return f"v/{digest.hexdigest()[:12]}"


def modules_in_order(entry: str, instead: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return the paths below ``static/js`` of a script and of all modules that it imports.

    Indirect imports are included. Paths in ``instead`` are replaced by its values. Each module comes after
    its own imports.
    """
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        """Add the imports of a module and then the module."""
        for _, path in IMPORT_LINE.findall((SCRIPTS / name).read_text("utf-8")):
            imported = _imported(name, path, instead)
            if imported not in found:
                visit(imported)
        found[name] = None

    visit(entry)
    return list(found)


def bundled_script(entry: str, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a script and all its imports as one module, so that a page needs only one request.

    Each module becomes a function that runs once, in the order in which a browser would run the modules.
    Imports of the modules in ``instead`` (paths below ``static/js``) become imports of its values.
    """
    parts = []
    for name in modules_in_order(entry, instead):

        def taken(line: re.Match[str], name: str = name) -> str:
            """Return an import statement as a destructuring of the module's variable."""
            names = line[1].replace(" as ", ": ") if line[1].startswith("{") else f"{{ default: {line[1]} }}"
            return f"const {names} = {_module_variable(_imported(name, line[2], instead))};"

        text = IMPORT_LINE.sub(taken, (SCRIPTS / name).read_text("utf-8"))
        given = [found for _, found in EXPORT.findall(text)]
        body, defaults = DEFAULT_EXPORT.subn("const $default = ", EXPORT.sub(r"\1", text))
        exports = ", ".join([*given, *["default: $default"] * defaults])
        variable = _module_variable(name)
        parts.append(f"const {variable} = await (async () => {{\n{body}\nreturn {{ {exports} }};\n}})();\n")
    return "".join(parts)


def _imported(importing: str, path: str, instead: Mapping[str, str]) -> str:
    """Return the path below ``static/js`` of the module imported as ``path`` by ``importing``.

    A path in ``instead`` is replaced by its value.
    """
    module = posixpath.normpath(posixpath.join(posixpath.dirname(importing), path))
    return instead.get(module, module)


def _module_variable(module: str) -> str:
    """Return the variable that holds the exports of a module, a path below ``static/js``, in a bundle."""
    return f"${module.removesuffix('.js').replace('/', '$')}"


def screen_page(kind: PageKind, screen: Screen) -> str:
    """Return the HTML of the big screen or of the overlay. They differ in their style."""
    return _page(kind, "tv.html", {"board": _parts(kind)["board"], "screen": screen})


def dashboard_page(kind: PageKind) -> str:
    """Return the HTML of the dashboard: the template with the parts of ``pages/<kind>.html``.

    Each part begins with a comment that names it, and replaces ``$name`` in the template. ``$kind`` is the
    kind of board, ``$files`` the path of styles and scripts, ``$early`` the preloaded paths. Raises
    ValueError for a part that the template has no placeholder for.
    """
    return _page(kind, "dashboard.html", _parts(kind))


def _parts(kind: PageKind) -> dict[str, str]:
    """Return the parts of ``pages/<kind>.html`` by name."""
    _, *found = PART.split((TEMPLATES / f"{kind}.html").read_text("utf-8"))
    return {name: part.strip() for name, part in zip(found[::2], found[1::2], strict=True)}


def _page(kind: PageKind, file: str, parts: Mapping[str, str]) -> str:
    """Return the template ``file`` with its placeholders filled in.

    Raises ValueError for a part without a placeholder.
    """
    frame = Template((TEMPLATES / file).read_text("utf-8"))
    places = dict.fromkeys(frame.get_identifiers(), "")
    if strange := parts.keys() - places:
        raise ValueError(f"{kind}.html: {file} has no place for {', '.join(sorted(strange))}")
    files = files_path()
    names = {"kind": kind, "early": " ".join(PRELOADED[kind]), "files": "$files"}
    page = frame.substitute({**places, **parts, **names})
    return page.replace("$files", files)


def bundled_style(kind: PageKind) -> str:
    """Return all styles of a dashboard as one file, so that a page needs only one request."""
    return _styles(*STYLES, kind)


def bundled_screen_style(kind: PageKind, screen: Screen) -> str:
    """Return all styles of the big screen or of the overlay as one file."""
    return _styles("base", "board", "panel", kind, *SCREEN_STYLES[screen])


def _styles(*names: str) -> str:
    """Return the named styles, concatenated. A style that does not exist is skipped."""
    files = (STATIC / "css" / f"{name}.css" for name in names)
    return "".join(path.read_text("utf-8") for path in files if path.is_file())


def page_routes(kind: PageKind, *, framed: bool = False) -> APIRouter:
    """Return the routes of the dashboard's page, of the big screen and of the overlay.

    With ``framed``, pages of the same origin may embed the dashboard.
    """
    routes = APIRouter()
    page, screen, overlay = dashboard_page(kind), screen_page(kind, "tv"), screen_page(kind, "overlay")

    @routes.head("/", include_in_schema=False)
    @routes.get("/", include_in_schema=False)
    async def get_page() -> Response:
        """Return the dashboard's page."""
        headers = {**REVALIDATE, **EMBEDDABLE_SAME_ORIGIN} if framed else REVALIDATE
        return Response(page, media_type="text/html", headers=headers)

    @routes.get("/tv", include_in_schema=False)
    async def get_big_screen() -> Response:
        """Return the big screen's page."""
        return Response(screen, media_type="text/html", headers={**REVALIDATE, **EMBEDDABLE})

    @routes.get("/overlay", include_in_schema=False)
    async def get_overlay() -> Response:
        """Return the overlay's page. It shows what spectators see, so its address needs no key."""
        return Response(overlay, media_type="text/html", headers=REVALIDATE)

    return routes
