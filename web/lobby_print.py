"""Print route of the lobby: the deck of an edition that ships its faces, as sheets to print and cut out."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Query, Request, Response

from engine.message import Message
from engine.pack import Pack
from web.limits.errors import ApiError
from web.uncached import NO_STORE

PaperName = Literal["a4", "letter", "a3"]
"""Paper sizes."""


class Printer(Protocol):
    """Draws decks. May be called from any thread."""

    def __call__(self, pack: Pack, paper: PaperName) -> bytes:
        """Return a PDF with a pack's tiles, their backs, and the pieces of its game.

        Raises Refusal if it cannot be drawn.
        """


routes = APIRouter()
"""Routes of printing. The lobby's application puts them behind its key."""


def _printable(request: Request, pack: str) -> Pack:
    """FastAPI dependency: return the pack with this id. Raises ApiError 404 if it cannot be printed."""
    editions = request.app.state.lobby.editions()
    found: Pack | None = next(
        (one.pack for one in editions if one.pack.id == pack and one.pack.ships_faces), None
    )
    if found is None or request.app.state.printer is None:
        raise ApiError(404, "unknown_pack", Message("there is no deck of this edition to print"))
    return found


@routes.get("/api/print/{pack}.pdf")
def get_deck(
    request: Request,
    pack: Annotated[Pack, Depends(_printable)],
    paper: Annotated[PaperName, Query()] = "a4",
) -> Response:
    """Return a deck as a PDF to download."""
    printer: Printer = request.app.state.printer
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{pack.id}.pdf"'}
    return Response(printer(pack, paper), media_type="application/pdf", headers=headers)
