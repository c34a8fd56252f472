"""Routes of invitations: hosts make the keys of tables and workers on the hub's page, and end them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse
from pydantic import Field

from web.api.bodies import Body
from web.qr import qr_svg

STATIC = Path(__file__).parents[1] / "static"
"""Folder of the pages."""
KeyKind = Literal["table", "worker"]
"""Purposes of keys."""
KeyName = Annotated[str, Field(min_length=1, max_length=32)]
"""Name of a key."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A valid key; ``made_s`` is when it was made, in seconds since 1970."""

    name: str
    kind: KeyKind
    made_s: float


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation that was just made. Its ``url`` contains the secret, which the hub does not store."""

    name: str
    kind: KeyKind
    url: str


class Invitations(Protocol):
    """The keys of a club. Methods may be called from any thread, and raise Refusal."""

    def valid(self) -> Sequence[KnownKey]:
        """Return the valid keys of tables and workers."""

    def invite(self, names: Sequence[str], kind: KeyKind) -> Sequence[NewInvitation]:
        """Make a key for each name, and return the invitations in the same order.

        Raises Refusal, and makes none, if a name is taken or is no name of a key.
        """

    def revoke(self, name: str, kind: KeyKind) -> None:
        """End a key: its holder is cut off at once."""


class InvitationsBody(Body):
    """``POST /api/invitations``."""

    names: Annotated[list[KeyName], Field(min_length=1, max_length=200)]
    role: KeyKind = "table"


class RevokeBody(Body):
    """``POST /api/invitations/revoke``."""

    name: KeyName
    role: KeyKind = "table"


def _invitations(request: Request) -> Invitations:
    """FastAPI dependency: return the club's invitations."""
    found: Invitations = request.app.state.invitations
    return found


InvitationsDep = Annotated[Invitations, Depends(_invitations)]
"""Route parameter: the club's invitations."""
invitation_page = APIRouter()
"""Route of the page."""
invitation_routes = APIRouter()
"""Routes for hosts only."""


@invitation_page.get("/invitations")
def get_page() -> FileResponse:
    """Return the page on which hosts invite tables and workers."""
    return FileResponse(STATIC / "invitations.html", headers={"Cache-Control": "no-cache"})


@invitation_routes.get("/api/invitations")
def get_keys(invitations: InvitationsDep) -> Mapping[str, object]:
    """Return the valid keys without their secrets, which the hub does not store."""
    keys = [{"name": one.name, "role": one.kind, "made_s": one.made_s} for one in invitations.valid()]
    return {"keys": keys}


@invitation_routes.post("/api/invitations", status_code=201)
def post_invitations(invitations: InvitationsDep, body: InvitationsBody) -> Mapping[str, object]:
    """Make keys, all or none, and return their invitations with QR codes (SVG).

    An invitation is returned only this once.
    """
    made = invitations.invite(body.names, body.role)
    return {
        "invitations": [
            {"name": one.name, "role": one.kind, "url": one.url, "qr": qr_svg(one.url)} for one in made
        ]
    }


@invitation_routes.post("/api/invitations/revoke")
def post_revoke(invitations: InvitationsDep, body: RevokeBody) -> Mapping[str, object]:
    """End a key and return ``ok``: its holder is cut off at once. 409 if there is no such key."""
    invitations.revoke(body.name, body.role)
    return {"ok": True}
