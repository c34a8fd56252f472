"""Camera routes of the lobby: a preview before the game, and how well its pictures can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from engine.message import NO_MESSAGE, Message
from web.api.bodies import Body, Word
from web.limits.errors import ApiError
from web.table.seats import NAME
from web.uncached import NO_STORE, jpeg_response

CAMERA_LENGTH = 500
"""Maximum length of a camera's name (a value of `--camera`), in characters."""

PreviewState = Literal["stopped", "starting", "watching", "lost", "ended", "failed"]
"""State of a preview: not started; no picture yet; pictures arrive; pictures have stopped; the recording
has ended; the camera cannot be opened."""


@dataclass(frozen=True, slots=True)
class CameraPreview:
    """State of a camera's preview.

    ``recognised`` has ``picture`` (see `web.views.tile_json.picture_json`) and ``fits``, the id of the
    recognised edition; it is empty before the first picture.
    """

    state: PreviewState
    message: Message = NO_MESSAGE
    recognised: Mapping[str, Any] = field(default_factory=dict)


class Cameras(Protocol):
    """The cameras of one computer. One is open at a time. Methods may be called from any thread."""

    def open(self, camera: str, pack: str | None) -> None:
        """Open a camera, named as for `--camera`, and recognise tiles of the edition ``pack``.

        Closes the one before.
        """

    def preview(self) -> CameraPreview:
        """Return the state and the latest picture. The camera is closed if this is not called for a while."""

    def picture(self, frame: int) -> bytes | None:
        """Return one of the latest pictures (JPEG) by its frame number; None if it is no longer kept."""

    def still(self, source: str) -> bytes | None:
        """Return a still picture (JPEG) of a connected camera, or None if it gives none."""

    def stop(self) -> None:
        """Close the camera."""


class PreviewBody(Body):
    """``POST /api/camera``."""

    camera: Annotated[str, Field(min_length=1, max_length=CAMERA_LENGTH, pattern=NAME)]
    pack: Word | None = None


async def _cameras(request: Request) -> Cameras:
    """FastAPI dependency: return the lobby's cameras. Raises ApiError 404 if it has none."""
    cameras: Cameras | None = request.app.state.cameras
    if cameras is None:
        raise ApiError(404, "not_found", Message("this lobby looks through no cameras"))
    return cameras


CamerasDep = Annotated[Cameras, Depends(_cameras)]
"""Route parameter: the lobby's cameras."""
routes = APIRouter()
"""Routes of the camera preview. The lobby's application puts them behind its key."""


@routes.post("/api/camera")
def post_camera(cameras: CamerasDep, body: PreviewBody) -> Mapping[str, object]:
    """Open a camera, close the one before, and return the preview."""
    cameras.open(body.camera.strip(), body.pack)
    return _preview_json(cameras.preview())


@routes.get("/api/camera")
def get_camera(cameras: CamerasDep) -> Mapping[str, object]:
    """Return the preview of the camera.

    It has the camera's state, what is recognised in its picture, and how well the picture can be read.
    """
    return _preview_json(cameras.preview())


@routes.get("/api/camera/picture.jpg")
def get_camera_picture(cameras: CamerasDep, frame: Annotated[int, Field(ge=0)]) -> Response:
    """Return one of the latest pictures (JPEG); 404 if it is no longer kept."""
    return _jpeg(cameras.picture(frame))


@routes.get("/api/camera/still.jpg")
def get_still(request: Request, source: Annotated[str, Field(pattern=r"^[0-9]{1,3}$")]) -> Response:
    """Return a still picture (JPEG) of a connected camera; 204 if it gives none."""
    cameras: Cameras | None = request.app.state.cameras
    content = None if cameras is None else cameras.still(source)
    return Response(status_code=204, headers=NO_STORE) if content is None else _jpeg(content)


@routes.post("/api/camera/stop")
def post_camera_stop(cameras: CamerasDep) -> Mapping[str, object]:
    """Close the camera."""
    cameras.stop()
    return {"stopped": True}


def _jpeg(content: bytes | None) -> Response:
    """Return a JPEG response that is not cached. Raises ApiError 404 for None."""
    if content is None:
        raise ApiError(404, "no_picture", Message("there is no such picture"))
    return jpeg_response(content)


def _preview_json(preview: CameraPreview) -> Mapping[str, object]:
    """Return a preview as JSON."""
    return {
        "state": preview.state,
        "message": preview.message,
        "said": preview.message.to_json(),
        "picture": preview.recognised.get("picture"),
        "fits": preview.recognised.get("fits"),
    }
