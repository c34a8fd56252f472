"""Host routes: the join link, another join key, and what spectators see, for who holds the host's key."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Annotated

import segno
from fastapi import APIRouter, Request, Response, Security
from pydantic import Field

from web.api.bodies import CameraShownBody
from web.api.routes import KEY_HEADER, NO_STORE, file_route, guarded
from web.api.served import Served, ServedNow
from web.api.shapes import OkShape, Shape
from web.api.writes import OK, REFUSED
from web.limits.keys import Access

MODULE_PX = 8
"""Pixels of a module of the QR code, before a page scales it."""
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


def _join_url(served: Served, request: Request) -> str:
    """The address that players open: the table's own, else the one that was asked."""
    return f"{served.url or str(request.base_url).rstrip('/')}/#key={served.guard.access.player}"


@routes.get("/api/host", response_model=HostShape)
def get_host(served: ServedNow, request: Request) -> dict[str, object]:
    """The join key, the address that players open, and whether spectators see the camera."""
    access = served.guard.access
    return {
        "key": access.player,
        "join_url": _join_url(served, request),
        "spectators_see_camera": access.spectators_see_camera,
    }


@routes.get("/api/host/join.svg", **file_route("image/svg+xml"))
def get_join_code(served: ServedNow, request: Request) -> Response:
    """The address that players open, as a QR code."""
    drawn = io.BytesIO()
    segno.make(_join_url(served, request), error="m").save(
        drawn, kind="svg", scale=MODULE_PX, border=2, light="#fff"
    )
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=NO_STORE)


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
