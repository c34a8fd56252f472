"""Host routes: the join link, another join key, and what spectators see, for who holds the host's key."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Request, Response, Security
from pydantic import Field

from web.api.bodies import CameraShownBody, HintsBody
from web.api.routes import KEY_HEADER, file_route, guarded
from web.api.served import Served, ServedNow
from web.api.shapes import OkShape, Shape
from web.api.writes import OK, REFUSED
from web.limits.errors import ApiError
from web.qr import qr_response
from web.table.access import Access

routes = APIRouter(
    route_class=guarded("host"), dependencies=[Security(KEY_HEADER)], responses=REFUSED, tags=["host"]
)
"""Routes behind the host's key in ``X-Table-Key``."""


class HostShape(Shape):
    """Access to the table as its host sees it."""

    key: Annotated[str, Field(description="the join key")]
    join_url: Annotated[str, Field(description="the address that players open")]
    spectators_see_camera: Annotated[
        bool, Field(description="whether those without a key see the camera's pictures")
    ]
    hints: Annotated[bool | None, Field(description="whether players get hints; null where there are none")]
    hints_locked: Annotated[
        bool, Field(description="whether hints stay off, since games may count in a tournament")
    ]
    camera_url: Annotated[
        str | None, Field(description="the address for the phone that is the camera; null where none may be")
    ]
    camera_warns: Annotated[
        bool, Field(description="whether that phone's browser warns of a certificate made at the table")
    ]


def _join_url(served: Served, request: Request) -> str:
    """The address that players open: the table's own, else the one that was asked."""
    return f"{served.url or str(request.base_url).rstrip('/')}/#key={served.guard.access.player}"


def _camera_url(served: Served, request: Request) -> str | None:
    """The address that the phone opens that is the camera; None where no phone may be."""
    if served.phone_url is None:
        return None
    base = served.phone_url or served.url or str(request.base_url).rstrip("/")
    return f"{base}/camera#key={served.guard.access.camera}"


@routes.get("/api/host", response_model=HostShape)
def get_host(served: ServedNow, request: Request) -> dict[str, object]:
    """The join key, the addresses that players and the phone as camera open, and whether spectators see the
    camera."""
    access = served.guard.access
    return {
        "key": access.player,
        "join_url": _join_url(served, request),
        "spectators_see_camera": access.spectators_see_camera,
        "hints": served.hints if served.board.hints else None,
        "hints_locked": served.tournament,
        "camera_url": _camera_url(served, request),
        "camera_warns": bool(served.phone_url) and served.phone_url != served.url,
    }


@routes.get("/api/host/join.svg", **file_route("image/svg+xml"))
def get_join_code(served: ServedNow, request: Request) -> Response:
    """The address that players open, as a QR code."""
    return qr_response(_join_url(served, request))


@routes.get("/api/host/camera.svg", **file_route("image/svg+xml"))
def get_camera_code(served: ServedNow, request: Request) -> Response:
    """The address for the phone that is the camera, as a QR code; 404 where no phone may be."""
    if (address := _camera_url(served, request)) is None:
        raise ApiError(404, "no_phone", "this table has a camera of its own")
    return qr_response(address)


@routes.post("/api/host/key", response_model=HostShape)
def post_new_key(served: ServedNow, request: Request) -> dict[str, object]:
    """Give the table another join key. Links and codes with the old one stop working at once; the host's and
    the camera's key stay."""
    served.guard.change(Access.with_new_key)
    return get_host(served, request)


@routes.post("/api/host/camera", response_model=OkShape)
def post_camera_shown(served: ServedNow, body: CameraShownBody) -> dict[str, bool]:
    """Show the camera's pictures to spectators, or to players alone."""
    served.guard.change(lambda access: replace(access, spectators_see_camera=body.spectators))
    return OK


@routes.post("/api/host/hints", response_model=OkShape)
def post_hints(served: ServedNow, body: HintsBody) -> dict[str, bool]:
    """Give players hints, or none; refused where games may count in a tournament."""
    if body.on and (served.tournament or not served.board.hints):
        why = "games at this table may count in a tournament" if served.tournament else "this game has none"
        raise ApiError(409, "hints_locked", f"hints stay off: {why}")
    served.guard.change(lambda access: replace(access, hints=body.on))
    return OK
