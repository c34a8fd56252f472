"""Routes that start a tournament's pairings at tables of the club."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from web.api.bodies import Body, Word
from web.club.phone_tables import Addresses
from web.club.tournament_edits import RoundNumber, TournamentNumber
from web.qr import qr_svg

TableNumber = Annotated[int, Field(ge=1, le=512)]
"""Number of a table in a round."""


class Starts(Protocol):
    """Start of pairings at tables. Methods raise Refusal, and may be called from any thread.

    ``place`` is the number of a round and of a table in it.
    """

    def start(self, number: int, place: tuple[int, int], table: str) -> bool:
        """Bind a pairing to a table of the club, and send the table the players' names.

        The pairing's game is the table's current game if that has not begun or has these names, else the next
        game. Only that game settles the pairing. Return whether the current game has the names now.
        """

    def take(self, number: int, place: tuple[int, int], table: str, code: str) -> bool:
        """Bind a pairing as `start` does, for the holder of its code."""

    def release(self, number: int, place: tuple[int, int]) -> None:
        """Remove the binding of a pairing."""

    def code(self, number: int, place: tuple[int, int]) -> str:
        """Return the secret with which a table takes a pairing."""


class Place(Body):
    """``POST /api/tournaments/{number}/code``: an open pairing of the last round."""

    round: RoundNumber
    table: TableNumber


class Bind(Place):
    """``POST /api/tournaments/{number}/bind``: ``at`` is a table of the club, null for none."""

    at: Word | None


class Take(Place):
    """``POST /api/tournaments/{number}/take``: a table of the club takes the pairing of a code."""

    at: Word
    code: Annotated[str, Field(min_length=1, max_length=60)]


class Started(Protocol):
    """Tournaments whose pairings can be started."""

    @property
    def starting(self) -> Starts:
        """Start of pairings at tables."""


async def _started(request: Request) -> Started:
    """FastAPI dependency: return the club's tournaments."""
    tournaments: Started = request.app.state.tournaments
    return tournaments


StartedDep = Annotated[Started, Depends(_started)]
"""Route parameter: the club's tournaments."""
start_routes = APIRouter()
"""Routes for referees."""
take_routes = APIRouter()
"""Route for holders of a pairing's code."""


@start_routes.post("/api/tournaments/{number}/bind")
def post_bind(tournaments: StartedDep, number: TournamentNumber, body: Bind) -> Mapping[str, object]:
    """Bind a pairing to a table, or release it. ``named``: the table's game has the players' names."""
    if body.at is None:
        tournaments.starting.release(number, (body.round, body.table))
        return {"ok": True, "named": False}
    return {"ok": True, "named": tournaments.starting.start(number, (body.round, body.table), body.at)}


@start_routes.post("/api/tournaments/{number}/code")
def post_code(
    request: Request, tournaments: StartedDep, number: TournamentNumber, body: Place
) -> Mapping[str, object]:
    """Return the link with which a table takes a pairing, and its QR code (SVG)."""
    code = tournaments.starting.code(number, (body.round, body.table))
    addresses: Addresses = request.app.state.addresses
    base = addresses.url or str(request.base_url).rstrip("/")
    url = f"{base}/tournament/{number}#take={body.round}.{body.table}.{code}"
    return {"ok": True, "url": url, "qr": qr_svg(url)}


@take_routes.post("/api/tournaments/{number}/take")
def post_take(tournaments: StartedDep, number: TournamentNumber, body: Take) -> Mapping[str, object]:
    """Bind the pairing of a code to a table."""
    named = tournaments.starting.take(number, (body.round, body.table), body.at, body.code)
    return {"ok": True, "named": named}
