"""Club routes of the lobby: joining a club with an invitation, and leaving it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from web.api.bodies import Body
from web.limits.errors import ApiError
from web.table.refusal import Refusal

INVITATION_LENGTH = 2000
"""Characters of an invitation at most."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The club that tables of this computer belong to: its hub's address, and the table's name there."""

    hub: str
    table: str


class Membership(Protocol):
    """Membership of this computer in a club. Methods may be called from several threads."""

    def joined(self) -> Joined | None:
        """The club, None where there is none."""

    def join(self, invitation: str) -> bool:
        """Join the club of an invitation, in place of any other; whether its hub answers now. Raises Refusal
        where it is none of a table."""

    def leave(self) -> None:
        """Leave the club: tables that begin from now on are told to nobody."""

    def read_code(self, jpeg: bytes) -> str:
        """The text of the QR code in a picture. Raises Refusal where none is seen."""


class JoinBody(Body):
    """``POST /api/club``: the invitation's one line."""

    invitation: Annotated[str, Field(min_length=1, max_length=INVITATION_LENGTH)]


async def _membership(request: Request) -> Membership:
    membership: Membership | None = request.app.state.membership
    if membership is None:
        raise Refusal("no_club", "a club needs more of Tilesight: pip install 'tilesight[club]'")
    return membership


MembershipNow = Annotated[Membership, Depends(_membership)]
"""A route's parameter: the membership of this computer."""
routes = APIRouter()
"""Routes behind the lobby's key."""


@routes.get("/api/club")
def get_club(request: Request) -> Mapping[str, object]:
    """The club that this computer has joined, null for none; never the invitation itself."""
    membership: Membership | None = request.app.state.membership
    joined = None if membership is None else membership.joined()
    return {"club": None if joined is None else asdict(joined)}


@routes.post("/api/club")
def post_club(membership: MembershipNow, body: JoinBody) -> Mapping[str, object]:
    """Join a club; ``answers`` is whether its hub answers now. Where not, it is told later."""
    answers = membership.join(body.invitation.strip())
    joined = membership.joined()
    return {"club": None if joined is None else asdict(joined), "answers": answers}


@routes.post("/api/club/leave")
def post_leave(membership: MembershipNow) -> Mapping[str, object]:
    """Leave the club."""
    membership.leave()
    return {"club": None}


@routes.post("/api/club/code")
async def post_code(request: Request, membership: MembershipNow) -> Mapping[str, object]:
    """The text of the QR code in a picture (JPEG, the body)."""
    jpeg = await request.body()
    if not jpeg.startswith(b"\xff\xd8"):
        raise ApiError(415, "no_picture", "this is no JPEG")
    return {"text": membership.read_code(jpeg)}
