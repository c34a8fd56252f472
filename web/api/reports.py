"""Report routes: the game as one page to share, as a PDF, and as a file that replays it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from web.api.boards import BoardKind
from web.api.routes import NO_STORE, file_route
from web.api.served import Served, ServedNow
from web.limits.errors import ApiError
from web.limits.pace import counted
from web.replay import replay_html
from web.report.job import ReportError, pdf_in_subprocess
from web.report.page import Report, report_html, small_photo
from web.report.words import Language, language_of, words_in
from web.table.refusal import Refusal
from web.table.table import WatchedTable
from web.views.tile_json import pack_json

REPORT_WALL = {"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
"""Headers of a page without scripts that asks for nothing else."""
routes = APIRouter(tags=["game"])
"""Routes that give reports."""


async def _language(
    lang: Annotated[Language | None, Query()] = None,
    accept_language: Annotated[str | None, Header()] = None,
) -> Language:
    return language_of(lang, accept_language)


LanguageAsked = Annotated[Language, Depends(_language)]
"""A route's parameter: ``lang``, else a language that the browser accepts."""


def _report(served: Served, language: Language) -> Report:
    view, board, words = served.table.state(), served.board, words_in(language)
    seen = served.guard.access.spectators_see_camera
    when = words.span(served.table.span())

    def made() -> Report:
        photo = _last_photo(served.table, len(view.played)) if seen else b""
        return replace(board.report(view, words), when=when, photo=photo)

    # Most views differ in what the camera sees, of which a report says nothing.
    return served.reports.values.made(language, (board.reported(view), seen, when), made)


def _last_photo(table: WatchedTable, turns: int) -> bytes:
    """The last photograph that is kept of a game, or of the position before it, small; empty if none is."""
    for turn in range(turns, -1, -1):
        with contextlib.suppress(Refusal):
            return small_photo(table.photo(turn))
    return b""


@routes.get("/api/report.html", **file_route("text/html"))
@counted
def get_report(served: ServedNow, language: LanguageAsked) -> Response:
    """The game as one page to share: when it was, photograph, final board, points, every reason.

    The photograph is the last one, where spectators may see the camera.

    In the language ``lang``, else in one that the browser accepts."""
    report = _report(served, language)
    page = served.reports.pages.made(language, report, lambda: report_html(report).encode())
    return Response(page, media_type="text/html", headers={**NO_STORE, **REPORT_WALL})


@routes.get(
    "/api/report.pdf", **file_route("application/pdf", _503="the report could not be made now; ask again")
)
@counted
def get_report_pdf(served: ServedNow, language: LanguageAsked) -> Response:
    """The same as a PDF."""
    report = _report(served, language)
    try:
        pdf = served.reports.pdfs.made(language, report, lambda: pdf_in_subprocess(report))
    except ReportError as error:
        raise ApiError(503, "no_report", str(error)) from None
    headers = {**NO_STORE, "Content-Disposition": 'inline; filename="game.pdf"'}
    return Response(pdf, media_type="application/pdf", headers=headers)


def replay_page(view: Any, board: BoardKind, photo: Callable[[int], bytes] | None) -> bytes:
    """A game as a page that replays it. ``photo`` gives the picture (JPEG) of a turn and raises Refusal where
    none is kept; without it the page has no photographs."""
    turns = len(view.played)
    states = [board.state_json(board.after(view, turn), (), 0) for turn in range(turns)]
    states.append(board.state_json(view, (), 0))
    photographs = {} if photo is None else _photographs(photo, turns)
    return replay_html(board.page, states, view.pack, pack_json(view.pack), photographs).encode()


def _photographs(photo: Callable[[int], bytes], turns: int) -> dict[int, bytes]:
    found = {}
    for turn in range(1, turns + 1):
        with contextlib.suppress(Refusal):
            found[turn] = photo(turn)
    return found


@routes.get("/api/replay.html", **file_route("text/html"))
@counted
def get_replay(served: ServedNow) -> Response:
    """The game as one file that replays it anywhere, without a network.

    Its photographs are in it where spectators may see the camera."""
    view, board = served.table.state(), served.board
    seen = served.guard.access.spectators_see_camera
    photo = served.table.photo if seen else None
    page = served.reports.replays.made(
        str(seen), board.reported(view), lambda: replay_page(view, board, photo)
    )
    # Saved, never opened here: a page with scripts in it is not let near the key.
    headers = {**NO_STORE, "Content-Disposition": 'attachment; filename="game.html"'}
    return Response(page, media_type="text/html", headers=headers)
