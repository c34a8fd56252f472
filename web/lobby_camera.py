"""Camera routes of the lobby: what a camera shows before a game begins, and whether it can be read well.

Whoever opens cameras implements `Cameras`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from web.api.bodies import NAME, Body, Word
from web.limits.errors import ApiError

NO_STORE = {"Cache-Control": "no-store"}
"""Header of pictures: each is another one."""
CAMERA_LENGTH = 500
"""Characters at most of a camera's name, as `--camera` takes it."""

State = Literal["stopped", "starting", "watching", "lost", "ended", "failed"]
"""State of a preview: none is asked for; no picture came yet; pictures come; none comes now; the last came;
the camera cannot be opened."""


@dataclass(frozen=True, slots=True)
class CameraSeen:
    """Sight of a camera: ``told`` has ``picture`` (as `web.views.tile_json.picture_json`) and ``fits``, the
    id of the edition that is recognised; it is empty before the first picture."""

    state: State
    message: str = ""
    told: Mapping[str, Any] = field(default_factory=dict)


class Cameras(Protocol):
    """The cameras of one computer, looked through one at a time. Methods are called from several threads."""

    def look(self, camera: str, pack: str | None) -> None:
        """Look through a camera, as `--camera` names it, with the edition that is to be played."""

    def seen(self) -> CameraSeen:
        """State and latest picture; where nobody asks for a while the camera is let go of."""

    def picture(self, frame: int) -> bytes | None:
        """JPEG of one of the latest pictures, by its number; None where it is none of these."""

    def still(self, source: str) -> bytes | None:
        """A still of a camera that is plugged in, JPEG; None where it gives none."""

    def stop(self) -> None:
        """Let go of the camera."""


class LookBody(Body):
    """``POST /api/camera``."""

    camera: Annotated[str, Field(min_length=1, max_length=CAMERA_LENGTH, pattern=NAME)]
    pack: Word | None = None


async def _cameras(request: Request) -> Cameras:
    cameras: Cameras | None = request.app.state.cameras
    if cameras is None:
        raise ApiError(404, "not_found", "this lobby looks through no cameras")
    return cameras


CamerasNow = Annotated[Cameras, Depends(_cameras)]
"""A route's parameter: the cameras of the lobby that its application shows."""
routes = APIRouter()
"""Routes of the camera page; the lobby's application puts them behind its key."""


@routes.post("/api/camera")
def post_camera(cameras: CamerasNow, body: LookBody) -> Mapping[str, object]:
    """Look through a camera; the one before is let go of."""
    cameras.look(body.camera.strip(), body.pack)
    return _seen_json(cameras.seen())


@routes.get("/api/camera")
def get_camera(cameras: CamerasNow) -> Mapping[str, object]:
    """Picture of the camera, what is recognised in it, and whether it can be read well."""
    return _seen_json(cameras.seen())


@routes.get("/api/camera/picture.jpg")
def get_camera_picture(cameras: CamerasNow, frame: Annotated[int, Field(ge=0)]) -> Response:
    """One of the latest pictures."""
    return _jpeg(cameras.picture(frame))


@routes.get("/api/camera/still.jpg")
def get_still(request: Request, source: Annotated[str, Field(pattern=r"^[0-9]{1,3}$")]) -> Response:
    """A still of a camera that is plugged in; 204 where it gives none."""
    cameras: Cameras | None = request.app.state.cameras
    content = None if cameras is None else cameras.still(source)
    return Response(status_code=204, headers=NO_STORE) if content is None else _jpeg(content)


@routes.post("/api/camera/stop")
def post_camera_stop(cameras: CamerasNow) -> Mapping[str, object]:
    """Let go of the camera."""
    cameras.stop()
    return {"stopped": True}


def _jpeg(content: bytes | None) -> Response:
    if content is None:
        raise ApiError(404, "no_picture", "there is no such picture")
    return Response(content, media_type="image/jpeg", headers=NO_STORE)


def _seen_json(seen: CameraSeen) -> Mapping[str, object]:
    return {
        "state": seen.state,
        "message": seen.message,
        "picture": seen.told.get("picture"),
        "fits": seen.told.get("fits"),
    }
