"""Enrolment routes of the lobby: photographs of an edition's tiles are uploaded, read, and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from engine.message import Message
from web.api.bodies import Body, Word
from web.limits.errors import ApiError
from web.table.seats import NAME

PICTURES_PATH = "/api/enrolment/pictures"
"""Path that takes photographs. Its route reads the body itself."""
PICTURE_LIMIT_BYTES = 16 * 1024 * 1024
"""Maximum size of a photograph, in bytes."""
PICTURES_AT_MOST = 200
"""Maximum number of photographs per enrolment."""
FILE_NAME_LENGTH = 120
"""Maximum length of a photograph's file name, in characters."""

EnrolmentState = Literal["idle", "looking", "naming", "done", "failed"]
"""State of an enrolment: collecting photographs; reading them; naming the faces on a page; done, the
edition is known; failed."""
EnrolmentProblem = Literal["", "no_tiles", "none_named", "missing", "other"]
"""Reason why an enrolment failed."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """State of the enrolment of an edition.

    ``looked`` of ``pictures`` photographs were read; ``faces`` are named at ``url``; in the end
    ``designs`` are known and ``missing`` were never photographed. ``sides`` are the pictures whose sides show
    other land than their name, as ``tilesight enrol --json`` tells them.
    """

    state: EnrolmentState
    pack: str = ""
    pictures: int = 0
    looked: int = 0
    faces: int = 0
    url: str = ""
    designs: int = 0
    missing: Sequence[str] = ()
    problem: EnrolmentProblem = ""
    sides: Sequence[Mapping[str, object]] = ()


class Enrolments(Protocol):
    """Runs one enrolment at a time.

    Methods may be called from any thread, and raise Refusal if they cannot run now.
    """

    def add(self, pack: str, name: str, picture: bytes) -> Enrolment:
        """Add a photograph with this file name and return the state.

        A photograph of another edition starts a new enrolment.
        """

    def begin(self, pack: str) -> Enrolment:
        """Start to read the photographs; return the state."""

    def now(self) -> Enrolment:
        """Return the state of the enrolment."""

    def stop(self) -> Enrolment:
        """Cancel the enrolment and delete its photographs; return the state."""


async def photograph_of(request: Request) -> bytes:
    """Return the photograph that is a request's body. Raises ApiError 413 or 415."""
    picture = bytearray()
    async for part in request.stream():
        picture += part
        if len(picture) > PICTURE_LIMIT_BYTES:
            raise ApiError(413, "too_large", Message("at most {most} bytes", most=PICTURE_LIMIT_BYTES))
    if not picture.startswith((b"\xff\xd8\xff", b"\x89PNG")):
        raise ApiError(415, "no_picture", Message("this is no JPEG and no PNG"))
    return bytes(picture)


class EnrolBody(Body):
    """``POST /api/enrolment``."""

    pack: Word


async def _enrolments(request: Request) -> Enrolments:
    """FastAPI dependency: return the lobby's enrolments. Raises ApiError 404 if it has none."""
    enrolments: Enrolments | None = request.app.state.enrolments
    if enrolments is None:
        raise ApiError(404, "not_found", Message("this lobby enrols no editions"))
    return enrolments


EnrolmentsDep = Annotated[Enrolments, Depends(_enrolments)]
"""Route parameter: the lobby's enrolments."""
routes = APIRouter()
"""Routes of enrolment. The lobby's application puts them behind its key."""


@routes.post(PICTURES_PATH)
async def post_picture(
    request: Request,
    enrolments: EnrolmentsDep,
    pack: Annotated[str, Field(max_length=100)],
    name: Annotated[str, Field(max_length=FILE_NAME_LENGTH, pattern=NAME)],
) -> Mapping[str, object]:
    """Add a photograph (JPEG or PNG body) and return the state.

    413 if it is too large, 415 for another format.
    """
    return _json(enrolments.add(pack, name, await photograph_of(request)))


@routes.post("/api/enrolment")
def post_enrolment(enrolments: EnrolmentsDep, body: EnrolBody) -> Mapping[str, object]:
    """Start to read the photographs. Return the state."""
    return _json(enrolments.begin(body.pack))


@routes.get("/api/enrolment")
def get_enrolment(enrolments: EnrolmentsDep) -> Mapping[str, object]:
    """Return the state of the enrolment."""
    return _json(enrolments.now())


@routes.post("/api/enrolment/stop")
def post_enrolment_stop(enrolments: EnrolmentsDep) -> Mapping[str, object]:
    """Cancel the enrolment. Return the state."""
    return _json(enrolments.stop())


def _json(enrolment: Enrolment) -> Mapping[str, object]:
    """Return the state of an enrolment as JSON."""
    return {
        "state": enrolment.state,
        "pack": enrolment.pack,
        "pictures": enrolment.pictures,
        "looked": enrolment.looked,
        "faces": enrolment.faces,
        "url": enrolment.url,
        "designs": enrolment.designs,
        "missing": list(enrolment.missing),
        "problem": enrolment.problem,
        "sides": [dict(one) for one in enrolment.sides],
    }
