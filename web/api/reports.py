"""Report routes: the game as a page to share, as a PDF, and as a file that replays it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from engine.message import message_of
from web.api.boards import BoardKind
from web.api.routes import file_route
from web.api.served import ServedDep, ServedTable
from web.limits.errors import ApiError
from web.limits.pace import in_thread
from web.replay import replay_html, sandboxed_replay
from web.report.job import ReportError, pdf_in_subprocess
from web.report.page import REPORT_HEADERS, Report, report_html, small_photo
from web.report.words import Language, language_of, words_in
from web.table.refusal import Refusal
from web.table.table import WatchedTable
from web.uncached import NO_STORE
from web.views.tile_json import pack_json

routes = APIRouter(tags=["game"])
"""Routes of reports and replays."""


async def _language(
    lang: Annotated[Language | None, Query()] = None,
    accept_language: Annotated[str | None, Header()] = None,
) -> Language:
    """Return the language for the report.

    It is ``lang`` of the request, else one that its ``Accept-Language`` names.
    """
    return language_of(lang, accept_language)


LanguageDep = Annotated[Language, Depends(_language)]
"""Route parameter: the language of the report."""


def _report(served: ServedTable, language: Language) -> Report:
    """Return the report of the game as it is now, cached by language until something in it changes."""
    view, board, words = served.table.state(), served.board, words_in(language)
    seen = served.guard.access.spectators_see_camera
    when = words.span(served.table.span())

    def made() -> Report:
        """Make the report, with the latest photograph if spectators may see the camera."""
        photo = _last_photo(served.table, len(view.played)) if seen else b""
        return replace(board.report(view, words), when=when, photo=photo)

    # The key ignores what the camera sees: most views differ only in that, and no report shows it.
    return served.reports.values.made(language, (board.report_key(view), seen, when), made)


def _last_photo(table: WatchedTable, turns: int) -> bytes:
    """Return the latest stored photograph as a small JPEG, empty if none is stored.

    It is that of turn ``turns`` or an earlier one, or of the position before turn 1.
    """
    for turn in range(turns, -1, -1):
        with contextlib.suppress(Refusal):
            return small_photo(table.photo(turn))
    return b""


@routes.get("/api/report.html", **file_route("text/html"))
@in_thread
def get_report(served: ServedDep, language: LanguageDep) -> Response:
    """Return the game as one page to share: date, photograph, final board, points and the reason for each.

    The photograph is the latest one, and is only shown if spectators may see the camera. The language is
    ``lang``, otherwise one that the browser accepts.
    """
    report = _report(served, language)
    page = served.reports.pages.made(language, report, lambda: report_html(report).encode())
    return Response(page, media_type="text/html", headers={**NO_STORE, **REPORT_HEADERS})


@routes.get(
    "/api/report.pdf", **file_route("application/pdf", _503="the report could not be made now; ask again")
)
@in_thread
def get_report_pdf(served: ServedDep, language: LanguageDep) -> Response:
    """Return the report as a PDF; 503 if it could not be made in time."""
    report = _report(served, language)
    try:
        pdf = served.reports.pdfs.made(language, report, lambda: pdf_in_subprocess(report))
    except ReportError as error:
        raise ApiError(503, "no_report", message_of(error)) from None
    headers = {**NO_STORE, "Content-Disposition": 'inline; filename="game.pdf"'}
    return Response(pdf, media_type="application/pdf", headers=headers)


def replay_page(view: Any, board: BoardKind, photo: Callable[[int], bytes] | None) -> bytes:
    """Return a replay of a game as one HTML page (UTF-8).

    ``photo(turn)`` returns the JPEG of a turn, or raises Refusal if there is none. With None, the replay has
    no photographs.
    """
    turns = len(view.played)
    states = [board.state_json(board.view_after(view, turn), (), 0) for turn in range(turns)]
    states.append(board.state_json(view, (), 0))
    photographs = {} if photo is None else _photographs(photo, turns)
    return replay_html(board.page, states, view.pack, pack_json(view.pack), photographs).encode()


def _photographs(photo: Callable[[int], bytes], turns: int) -> dict[int, bytes]:
    """Return the JPEGs of the turns 1 to ``turns`` by number, without the turns that have none."""
    found = {}
    for turn in range(1, turns + 1):
        with contextlib.suppress(Refusal):
            found[turn] = photo(turn)
    return found


@routes.get("/api/replay.html", **file_route("text/html"))
@in_thread
def get_replay(served: ServedDep) -> Response:
    """Return the game as one HTML file that replays it without a network.

    It includes photographs if spectators may see the camera.
    """
    view, board = served.table.state(), served.board
    seen = served.guard.access.spectators_see_camera
    photo = served.table.photo if seen else None
    page = served.reports.replays.made(
        str(seen), board.report_key(view), lambda: replay_page(view, board, photo)
    )
    # A download: a page with scripts must not run on this origin, where the key is stored.
    headers = {**sandboxed_replay(), "Content-Disposition": 'attachment; filename="game.html"'}
    return Response(page, media_type="text/html", headers=headers)
