"""Club that an application serves, and the way its routes get at it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from web.club.views import Club

NO_STORE = {"Cache-Control": "no-store"}
"""Headers of an answer that nobody keeps."""


async def _club(request: Request) -> Club:
    club: Club = request.app.state.club
    return club


ClubNow = Annotated[Club, Depends(_club)]
"""A route's parameter: the club that its application shows."""
