"""Pages of the dashboards: one frame, `pages/dashboard.html`, filled for each kind of board."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Literal

from fastapi import APIRouter, Response

Board = Literal["tiles", "squares"]
"""The kinds of board: tiles laid edge to edge, figures on squares."""
FOLDER = Path(__file__).parent / "pages"
"""The folder of the frame and of the parts."""
PART = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)
"""The line that begins a part, with its name."""
HEADERS = {"Cache-Control": "no-cache"}
"""Headers of a page, so that an update is seen."""


def dashboard_page(board: Board) -> str:
    """The page of one kind of board: the frame with the parts of ``pages/<board>.html`` in it.

    A part stands below a comment with its name and goes where the frame says ``$name``; ``$kind`` is the
    board itself. ValueError where the frame has no such place.
    """
    frame = Template((FOLDER / "dashboard.html").read_text("utf-8"))
    _, *found = PART.split((FOLDER / f"{board}.html").read_text("utf-8"))
    parts = {name: part.strip() for name, part in zip(found[::2], found[1::2], strict=True)}
    places = dict.fromkeys(frame.get_identifiers(), "")
    if strange := parts.keys() - places:
        raise ValueError(f"{board}.html: dashboard.html has no place for {', '.join(sorted(strange))}")
    return frame.substitute({**places, **parts, "kind": board})


def page_reads(board: Board) -> APIRouter:
    """The route of the dashboard's page."""
    routes = APIRouter()
    page = dashboard_page(board)

    @routes.head("/", include_in_schema=False)
    @routes.get("/", include_in_schema=False)
    def get_page() -> Response:
        """The dashboard's page."""
        return Response(page, media_type="text/html", headers=HEADERS)

    return routes
