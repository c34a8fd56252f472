"""Calibration routes of the lobby: a camera's lens, and how the camera sees the pieces' colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from engine.message import Message
from web.api.bodies import Body, Word
from web.limits.errors import ApiError
from web.table.seats import NAME
from web.uncached import NO_STORE, jpeg_response

CalibrationState = Literal["idle", "looking", "showing", "done", "failed"]
"""State of a calibration: not started; taking pictures; waiting until pieces of ``color`` are on the
tiles; saved; failed."""
CalibrationProblem = Literal["", "no_camera", "few_views", "straight", "apart", "no_pieces", "other"]
"""Reason why a calibration failed."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """State of a calibration of a camera's lens, or of piece ``colors`` if there are any.

    For a lens: ``views`` of the board were taken, ``least`` are needed, and ``wanted`` are still missing. For
    colours: ``color`` is the one to show now. ``frame`` is the number of the latest picture, ``error_px`` the
    reprojection error.
    """

    state: CalibrationState
    colors: Sequence[str] = ()
    color: str = ""
    views: int = 0
    least: int = 0
    wanted: Sequence[str] = ()
    frame: int | None = None
    error_px: float | None = None
    problem: CalibrationProblem = ""


class Calibrations(Protocol):
    """Runs one calibration at a time. Methods may be called from any thread."""

    def lens(self, camera: str) -> Calibration:
        """Start to calibrate a camera's lens from views of the printed board; return the state."""

    def colors(self, camera: str, pack: str, colors: Sequence[str]) -> Calibration:
        """Start to learn how a camera sees pieces of these colours, and return the state.

        The pieces are shown on tiles of the edition ``pack``, one colour at a time.
        """

    def go_on(self) -> Calibration:
        """Continue: the pieces of the current colour are in place, or the views so far are enough.

        Return the state.
        """

    def now(self) -> Calibration:
        """Return the state of the calibration."""

    def picture(self) -> bytes | None:
        """Return the latest picture (JPEG), None before the first."""

    def stop(self) -> Calibration:
        """Cancel the calibration and release the camera; return the state."""

    def board(self) -> bytes | None:
        """Return the calibration board to print (PDF), or None if it could not be drawn."""


class CalibrateBody(Body):
    """``POST /api/calibration``."""

    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]
    colors: Annotated[list[Word], Field(max_length=8, default_factory=list)]
    pack: Word | None = None


async def _calibrations(request: Request) -> Calibrations:
    """FastAPI dependency: return the lobby's calibrations. Raises ApiError 404 if it has none."""
    calibrations: Calibrations | None = request.app.state.calibrations
    if calibrations is None:
        raise ApiError(404, "not_found", Message("this lobby calibrates no cameras"))
    return calibrations


CalibrationsDep = Annotated[Calibrations, Depends(_calibrations)]
"""Route parameter: the lobby's calibrations."""
routes = APIRouter()
"""Routes of calibration. The lobby's application puts them behind its key."""


@routes.post("/api/calibration")
def post_calibration(calibrations: CalibrationsDep, body: CalibrateBody) -> Mapping[str, object]:
    """Start to calibrate a camera and return the state.

    Without ``colors`` its lens is calibrated. With ``colors`` it learns how the camera sees those colours on
    tiles of ``pack``.
    """
    camera = body.camera.strip()
    if body.colors:
        return _json(calibrations.colors(camera, body.pack or "", body.colors))
    return _json(calibrations.lens(camera))


@routes.get("/api/calibration")
def get_calibration(calibrations: CalibrationsDep) -> Mapping[str, object]:
    """Return the state of the calibration."""
    return _json(calibrations.now())


@routes.post("/api/calibration/go-on")
def post_go_on(calibrations: CalibrationsDep) -> Mapping[str, object]:
    """Continue: the pieces are in place, or the views so far are enough. Return the state."""
    return _json(calibrations.go_on())


@routes.post("/api/calibration/stop")
def post_calibration_stop(calibrations: CalibrationsDep) -> Mapping[str, object]:
    """Cancel the calibration. Return the state."""
    return _json(calibrations.stop())


@routes.get("/api/calibration/picture.jpg")
def get_calibration_picture(calibrations: CalibrationsDep) -> Response:
    """Return the camera's latest picture (JPEG), with the detected corners of the board."""
    picture = calibrations.picture()
    if picture is None:
        raise ApiError(404, "no_picture", Message("there is no picture yet"))
    return jpeg_response(picture)


@routes.get("/api/calibration/board.pdf")
def get_board(calibrations: CalibrationsDep) -> Response:
    """Return the calibration board to print (PDF); 503 if it could not be drawn."""
    board = calibrations.board()
    if board is None:
        raise ApiError(503, "no_board", Message("the board could not be drawn now; ask again"))
    return Response(board, media_type="application/pdf", headers=NO_STORE)


def _json(calibration: Calibration) -> Mapping[str, object]:
    """Return the state of a calibration as JSON."""
    return {
        "state": calibration.state,
        "colors": list(calibration.colors),
        "color": calibration.color,
        "views": calibration.views,
        "least": calibration.least,
        "wanted": list(calibration.wanted),
        "frame": calibration.frame,
        "error_px": calibration.error_px,
        "problem": calibration.problem,
    }
