"""Club routes of the lobby: join a club with an invitation, and leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from engine.message import Message
from web.api.bodies import Body
from web.limits.errors import ApiError
from web.table.refusal import Refusal

INVITATION_LENGTH = 2000
"""Maximum length of an invitation, in characters."""


@dataclass(frozen=True, slots=True)
class JoinedClub:
    """The club that this computer has joined: its hub's address, and the table's name there."""

    hub: str
    table: str


class Membership(Protocol):
    """Membership of this computer in a club. Methods may be called from any thread."""

    def joined(self) -> JoinedClub | None:
        """Return the joined club, or None."""

    def join(self, invitation: str) -> bool:
        """Join the club of an invitation, in place of any other.

        Return whether its hub answers now. Raises Refusal if the invitation is not for a table.
        """

    def leave(self) -> None:
        """Leave the club. Tables started from now on do not report to it."""

    def read_code(self, jpeg: bytes) -> str:
        """Return the text of the QR code in a JPEG. Raises Refusal if it has none."""


class JoinBody(Body):
    """``POST /api/club``: the invitation as one line of text."""

    invitation: Annotated[str, Field(min_length=1, max_length=INVITATION_LENGTH)]


async def _membership(request: Request) -> Membership:
    """FastAPI dependency: return this computer's membership.

    Raises Refusal if club support is not installed.
    """
    membership: Membership | None = request.app.state.membership
    if membership is None:
        raise Refusal("no_club", Message("a club needs more of Tilesight: pip install 'tilesight[club]'"))
    return membership


MembershipDep = Annotated[Membership, Depends(_membership)]
"""Route parameter: the membership of this computer."""
routes = APIRouter()
"""Routes behind the lobby's key."""


@routes.get("/api/club")
def get_club(request: Request) -> Mapping[str, object]:
    """Return the club that this computer has joined, null if none. The invitation itself stays secret."""
    membership: Membership | None = request.app.state.membership
    joined = None if membership is None else membership.joined()
    return {"club": None if joined is None else asdict(joined)}


@routes.post("/api/club")
def post_club(membership: MembershipDep, body: JoinBody) -> Mapping[str, object]:
    """Join a club and return it; ``answers`` is whether its hub answers now. If not, games are sent later."""
    answers = membership.join(body.invitation.strip())
    joined = membership.joined()
    return {"club": None if joined is None else asdict(joined), "answers": answers}


@routes.post("/api/club/leave")
def post_leave(membership: MembershipDep) -> Mapping[str, object]:
    """Leave the club."""
    membership.leave()
    return {"club": None}


@routes.post("/api/club/code")
async def post_code(request: Request, membership: MembershipDep) -> Mapping[str, object]:
    """Return the text of the QR code in the picture (JPEG body)."""
    jpeg = await request.body()
    if not jpeg.startswith(b"\xff\xd8"):
        raise ApiError(415, "no_picture", Message("this is no JPEG"))
    return {"text": membership.read_code(jpeg)}
