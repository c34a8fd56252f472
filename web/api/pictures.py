"""Picture routes: the camera's latest picture, and the crops that questions and turns are about."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from engine.message import Message
from web.api.routes import TurnNo, check_key, file_route, json_route
from web.api.served import ServedDep, served_by
from web.api.shapes import CellShape, FramingShape, PointShape, Shape
from web.limits.errors import ApiError
from web.limits.keys import KEY_NAME
from web.limits.pace import in_thread
from web.uncached import jpeg_response
from web.views.tile_json import picture_json

CAMERA_ERRORS = {
    "_403": "this table shows the camera only to players, and the request has no player's key",
    "_429": "too many wrong keys",
}
"""Errors that all these routes share, by status."""


async def _require_view(request: Request) -> None:
    """Dependency: allow everybody if spectators may see the camera, else require a player's key.

    Raises ApiError.
    """
    if served_by(request).guard.access.spectators_see_camera:
        return
    if not request.headers.get(KEY_NAME):
        raise ApiError(403, "camera_hidden", Message("only players see the camera at this table"))
    check_key(request, "player")


routes = APIRouter(tags=["pictures"], dependencies=[Depends(_require_view)])
"""Read-only routes for the camera's pictures. Open to everybody unless the host hides the camera from
spectators."""


class SeenTileShape(Shape):
    """A tile in the camera's picture."""

    cell: CellShape
    corners_px: Annotated[list[PointShape], Field(min_length=4, max_length=4)]
    read: str | None
    confidence: float
    known: Annotated[str | None, Field(description="the face at this cell in the recorded game")]


class SeenPieceShape(Shape):
    """A piece in the camera's picture."""

    kind: str
    color: str | None
    animal: str | None
    point_px: PointShape
    confidence: float


class PictureShape(Shape):
    """Recognised tiles and pieces in the camera's latest picture."""

    frame: Annotated[int | None, Field(description="null before the first picture")]
    size_wh: Annotated[list[int], Field(min_length=2, max_length=2)] | None
    tiles: list[SeenTileShape]
    pieces: list[SeenPieceShape]
    framing: Annotated[FramingShape | None, Field(description="null where the picture was not checked")]


@routes.get(
    "/api/questions/{question}/crop.jpg",
    **file_route(
        "image/jpeg", _404="this question is not open, or no picture is kept of it", **CAMERA_ERRORS
    ),
)
@in_thread
def get_question_crop(served: ServedDep, question: Annotated[str, Path(max_length=100)]) -> Response:
    """Return the part of the camera's picture that an open question is about (JPEG)."""
    return jpeg_response(served.table.question_crop(question))


@routes.get(
    "/api/turns/{turn}/crop.jpg",
    **file_route("image/jpeg", _404="there is no such turn, or no picture is kept of it", **CAMERA_ERRORS),
)
@in_thread
def get_turn_crop(served: ServedDep, turn: TurnNo) -> Response:
    """Return the part of the camera's picture from which a turn was recognised (JPEG)."""
    return jpeg_response(served.table.crop(turn))


@routes.get(
    "/api/turns/{turn}/photo.jpg",
    **file_route("image/jpeg", _404="there is no such turn, or no picture is kept of it", **CAMERA_ERRORS),
)
@in_thread
def get_turn_photo(served: ServedDep, turn: TurnNo) -> Response:
    """Return the whole picture from which a turn was recognised (JPEG)."""
    return jpeg_response(served.table.photo(turn))


@routes.get("/api/picture", **json_route(PictureShape, **CAMERA_ERRORS))
@in_thread
def get_picture(served: ServedDep) -> dict[str, object]:
    """Return what is recognised in the camera's latest picture: tiles and pieces, in pixels of its JPEG."""
    return picture_json(served.pictures.note(served.table.picture()))


@routes.get("/api/picture.jpg", **file_route("image/jpeg", _404="there is no picture yet", **CAMERA_ERRORS))
@in_thread
def get_picturejpeg_response(served: ServedDep, frame: Annotated[int | None, Query(ge=0)] = None) -> Response:
    """Return the camera's latest picture (JPEG).

    With ``frame``, return the picture of that frame if it is one of the last few whose recognised tiles
    were fetched.
    """
    picture = served.pictures.of_frame(frame) or served.table.picture()
    if picture is None:
        raise ApiError(404, "no_picture", Message("the camera has given no picture yet"))
    return jpeg_response(picture.jpeg())
