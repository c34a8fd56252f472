"""The club that an application serves, and the FastAPI dependency that gives it to routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from web.club.views import Club


async def _club(request: Request) -> Club:
    """FastAPI dependency: return the application's club."""
    club: Club = request.app.state.club
    return club


ClubDep = Annotated[Club, Depends(_club)]
"""Route parameter: the application's club."""
