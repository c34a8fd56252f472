"""Calibration routes of the lobby: a camera's lens from the printed board, and its pieces' colours.

Whoever opens the camera implements `Calibrations`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from web.api.bodies import NAME, Body, Word
from web.limits.errors import ApiError

NO_STORE = {"Cache-Control": "no-store"}
"""Header of pictures: each is another one."""

State = Literal["idle", "looking", "showing", "done", "failed"]
"""State of a calibration: none is asked for; the camera is looked through; pieces of ``color`` are to be
shown; it is kept; it came to nothing."""
Problem = Literal["", "no_camera", "few_views", "straight", "apart", "no_pieces", "other"]
"""Reason for which a calibration came to nothing."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of a camera's lens, or with ``colors`` of what it sees of them. ``views`` of the board were
    taken, ``wanted`` are still to come; ``frame`` is the number of its latest picture."""

    state: State
    colors: Sequence[str] = ()
    color: str = ""
    views: int = 0
    least: int = 0
    wanted: Sequence[str] = ()
    frame: int | None = None
    error_px: float | None = None
    problem: Problem = ""


class Calibrations(Protocol):
    """One calibration at a time. Methods are called from several threads."""

    def lens(self, camera: str) -> Calibration:
        """Look through a camera until every wanted view of the printed board was there."""

    def colors(self, camera: str, pack: str, colors: Sequence[str]) -> Calibration:
        """Learn how a camera sees pieces, one colour after the other, on tiles of an edition."""

    def go_on(self) -> Calibration:
        """The pieces that were asked for stand there, or the views so far are enough."""

    def now(self) -> Calibration:
        """State of the calibration."""

    def picture(self) -> bytes | None:
        """JPEG of the latest picture; None before the first."""

    def stop(self) -> Calibration:
        """Give it up, and let go of the camera."""

    def board(self) -> bytes | None:
        """PDF of the board to be printed; None where it cannot be made."""


class CalibrateBody(Body):
    """``POST /api/calibration``."""

    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]
    colors: Annotated[list[Word], Field(max_length=8, default_factory=list)]
    pack: Word | None = None


async def _calibrations(request: Request) -> Calibrations:
    calibrations: Calibrations | None = request.app.state.calibrations
    if calibrations is None:
        raise ApiError(404, "not_found", "this lobby calibrates no cameras")
    return calibrations


CalibrationsNow = Annotated[Calibrations, Depends(_calibrations)]
"""A route's parameter: the calibrations of the lobby that its application shows."""
routes = APIRouter()
"""Routes of calibration; the lobby's application puts them behind its key."""


@routes.post("/api/calibration")
def post_calibration(calibrations: CalibrationsNow, body: CalibrateBody) -> Mapping[str, object]:
    """Calibrate a camera's lens, or with ``colors`` what it sees of them on tiles of ``pack``."""
    camera = body.camera.strip()
    if body.colors:
        return _json(calibrations.colors(camera, body.pack or "", body.colors))
    return _json(calibrations.lens(camera))


@routes.get("/api/calibration")
def get_calibration(calibrations: CalibrationsNow) -> Mapping[str, object]:
    """State of the calibration."""
    return _json(calibrations.now())


@routes.post("/api/calibration/go-on")
def post_go_on(calibrations: CalibrationsNow) -> Mapping[str, object]:
    """The pieces stand there, or the views so far are enough."""
    return _json(calibrations.go_on())


@routes.post("/api/calibration/stop")
def post_calibration_stop(calibrations: CalibrationsNow) -> Mapping[str, object]:
    """Give the calibration up."""
    return _json(calibrations.stop())


@routes.get("/api/calibration/picture.jpg")
def get_calibration_picture(calibrations: CalibrationsNow) -> Response:
    """The camera's latest picture, with the corners of the board that are seen."""
    picture = calibrations.picture()
    if picture is None:
        raise ApiError(404, "no_picture", "there is no picture yet")
    return Response(picture, media_type="image/jpeg", headers=NO_STORE)


@routes.get("/api/calibration/board.pdf")
def get_board(calibrations: CalibrationsNow) -> Response:
    """The board to be printed."""
    board = calibrations.board()
    if board is None:
        raise ApiError(503, "no_board", "the board could not be drawn now; ask again")
    return Response(board, media_type="application/pdf", headers=NO_STORE)


def _json(calibration: Calibration) -> Mapping[str, object]:
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
