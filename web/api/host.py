"""Routes for the table's host: links, new join key, hints, spectators' camera, consent to keep labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Request, Response, Security
from pydantic import Field

from engine.message import Message
from web.api.bodies import CameraShownBody, HintsBody, LabelsBody
from web.api.routes import KEY_HEADER, file_route, guarded
from web.api.served import ServedDep, ServedTable
from web.api.shapes import OkShape, Shape
from web.api.writes import OK, REFUSED
from web.limits.errors import ApiError
from web.table.access import Access
from web.table.vitals import HubState
from web.uncached import qr_response

routes = APIRouter(
    route_class=guarded("host"), dependencies=[Security(KEY_HEADER)], responses=REFUSED, tags=["host"]
)
"""Routes behind the host's key in ``X-Table-Key``."""


class HostShape(Shape):
    """Access to the table, as its host sees it."""

    key: Annotated[str, Field(description="the join key")]
    join_url: Annotated[str, Field(description="the address that players open")]
    watch_url: Annotated[
        str, Field(description="the address of the big screen, which shows this table alone; it has no key")
    ]
    overlay_url: Annotated[str, Field(description="the address of the overlay, for streams; it has no key")]
    spectators_see_camera: Annotated[
        bool, Field(description="whether people without a key see the camera's pictures")
    ]
    hints: Annotated[bool | None, Field(description="whether players get hints; null if this game has none")]
    hints_locked: Annotated[
        bool, Field(description="whether hints stay off because games may count in a tournament")
    ]
    keep_labels: Annotated[
        bool | None,
        Field(
            description="whether `tilesight learn` may keep pieces of this game's pictures; null if the "
            "table has no log on this computer"
        ),
    ]
    camera_url: Annotated[
        str | None, Field(description="the address for the camera phone; null if no phone may be the camera")
    ]
    camera_warns: Annotated[
        bool, Field(description="whether that phone's browser warns of the table's self-signed certificate")
    ]
    hub: Annotated[
        HubState,
        Field(description="the link to the club's hub; empty without one or before it answers"),
    ]


def _table_url(served: ServedTable, request: Request) -> str:
    """Return the table's address: the configured one, else the one of this request."""
    return served.url or str(request.base_url).rstrip("/")


def _join_url(served: ServedTable, request: Request) -> str:
    """Return the address that players open, with the join key."""
    return f"{_table_url(served, request)}/#key={served.guard.access.player}"


def _watch_url(served: ServedTable, request: Request) -> str:
    """Return the address that shows the table and nothing else, without a key."""
    return f"{_table_url(served, request)}/tv"


def _camera_url(served: ServedTable, request: Request) -> str | None:
    """Return the address, with the camera key, that a phone opens to become the camera.

    None if no phone may be the camera.
    """
    if served.phone_url is None:
        return None
    return f"{served.phone_url or _table_url(served, request)}/camera#key={served.guard.access.camera}"


@routes.get("/api/host", response_model=HostShape)
def get_host(served: ServedDep, request: Request) -> dict[str, object]:
    """Return the join key, the addresses for players and for the camera phone, and the host's settings."""
    access = served.guard.access
    return {
        "key": access.player,
        "join_url": _join_url(served, request),
        "watch_url": _watch_url(served, request),
        "overlay_url": f"{_table_url(served, request)}/overlay",
        "spectators_see_camera": access.spectators_see_camera,
        "hints": served.hints if served.board.hints else None,
        "hints_locked": served.tournament,
        "keep_labels": access.keep_labels if served.guard.keeps else None,
        "camera_url": _camera_url(served, request),
        "hub": served.vitals().hub,
        "camera_warns": bool(served.phone_url) and served.phone_url != served.url,
    }


@routes.get("/api/host/join.svg", **file_route("image/svg+xml"))
def get_join_code(served: ServedDep, request: Request) -> Response:
    """Return the players' address as a QR code (SVG)."""
    return qr_response(_join_url(served, request))


@routes.get("/api/host/watch.svg", **file_route("image/svg+xml"))
def get_watch_code(served: ServedDep, request: Request) -> Response:
    """Return the address that shows the table and nothing else as a QR code (SVG)."""
    return qr_response(_watch_url(served, request))


@routes.get("/api/host/camera.svg", **file_route("image/svg+xml"))
def get_camera_code(served: ServedDep, request: Request) -> Response:
    """Return the camera phone's address as a QR code (SVG); 404 if no phone may be the camera."""
    if (address := _camera_url(served, request)) is None:
        raise ApiError(404, "no_phone", Message("this table has a camera of its own"))
    return qr_response(address)


@routes.post("/api/host/key", response_model=HostShape)
def post_new_key(served: ServedDep, request: Request) -> dict[str, object]:
    """Replace the join key and return the new access.

    Links and codes with the old key stop working at once; the host's and the camera's key stay valid.
    """
    served.guard.change(Access.with_new_key)
    return get_host(served, request)


@routes.post("/api/host/camera", response_model=OkShape)
def post_camera_shown(served: ServedDep, body: CameraShownBody) -> dict[str, bool]:
    """Show the camera's pictures to spectators, or only to players."""
    served.guard.change(lambda access: replace(access, spectators_see_camera=body.spectators))
    return OK


@routes.post("/api/host/hints", response_model=OkShape)
def post_hints(served: ServedDep, body: HintsBody) -> dict[str, bool]:
    """Switch hints for players on or off; 409 if the game has none or may count in a tournament."""
    if body.on and (served.tournament or not served.board.hints):
        why = Message("this game has none")
        if served.tournament:
            why = Message("games at this table may count in a tournament")
        raise ApiError(409, "hints_locked", Message("hints stay off: {reason}", reason=why))
    served.guard.change(lambda access: replace(access, hints=body.on))
    return OK


@routes.post("/api/host/labels", response_model=OkShape)
def post_labels(served: ServedDep, body: LabelsBody) -> dict[str, bool]:
    """Allow or forbid `tilesight learn` to keep labelled pieces of this game's pictures.

    They are kept on this computer. 409 if the table has no log here.
    """
    if body.on and not served.guard.keeps:
        raise ApiError(409, "no_log", Message("this table keeps no log on this computer"))
    served.guard.change(lambda access: replace(access, keep_labels=body.on))
    return OK
