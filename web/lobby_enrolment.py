"""Enrolment routes of the lobby: a printed edition's tiles are photographed, looked at, and named.

Whoever keeps the photographs and looks at them implements `Enrolments`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from web.api.bodies import NAME, Body, Word
from web.limits.errors import ApiError

PICTURES_AT = "/api/enrolment/pictures"
"""Address that takes photographs; it reads their bytes itself."""
PICTURE_LIMIT_BYTES = 16 * 1024 * 1024
"""Bytes of a photograph at most."""
PICTURES_AT_MOST = 200
"""Photographs of one enrolment at most."""
NAME_LENGTH = 120
"""Characters of a photograph's file name at most."""

State = Literal["idle", "looking", "naming", "done", "failed"]
"""State of an enrolment: photographs are gathered; they are looked at; its faces are named on a page; the
edition is known now; it came to nothing."""
Problem = Literal["", "no_tiles", "none_named", "missing", "other"]
"""Reason for which an enrolment came to nothing."""


@dataclass(frozen=True, slots=True)
class Enrolment:
    """Enrolment of an edition. ``looked`` of ``pictures`` were looked at; ``url`` is where ``faces`` are
    named; ``designs`` are known at its end, ``missing`` were never shown."""

    state: State
    pack: str = ""
    pictures: int = 0
    looked: int = 0
    faces: int = 0
    url: str = ""
    designs: int = 0
    missing: Sequence[str] = ()
    problem: Problem = ""


class Enrolments(Protocol):
    """One enrolment at a time. Methods are called from several threads; Refusal where they cannot be."""

    def add(self, pack: str, name: str, picture: bytes) -> Enrolment:
        """Add a photograph of an edition's tiles; one of another edition begins anew."""

    def begin(self, pack: str) -> Enrolment:
        """Look at the photographs."""

    def now(self) -> Enrolment:
        """State of the enrolment."""

    def stop(self) -> Enrolment:
        """Give it up, and throw the photographs away."""


class EnrolBody(Body):
    """``POST /api/enrolment``."""

    pack: Word


async def _enrolments(request: Request) -> Enrolments:
    enrolments: Enrolments | None = request.app.state.enrolments
    if enrolments is None:
        raise ApiError(404, "not_found", "this lobby enrols no editions")
    return enrolments


EnrolmentsNow = Annotated[Enrolments, Depends(_enrolments)]
"""A route's parameter: the enrolments of the lobby that its application shows."""
routes = APIRouter()
"""Routes of enrolment; the lobby's application puts them behind its key."""


@routes.post(PICTURES_AT)
async def post_picture(
    request: Request,
    enrolments: EnrolmentsNow,
    pack: Annotated[str, Field(max_length=100)],
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)],
) -> Mapping[str, object]:
    """Add a photograph, the request's body: JPEG or PNG."""
    picture = bytearray()
    async for part in request.stream():
        picture += part
        if len(picture) > PICTURE_LIMIT_BYTES:
            raise ApiError(413, "too_large", f"at most {PICTURE_LIMIT_BYTES} bytes")
    if not picture.startswith((b"\xff\xd8\xff", b"\x89PNG")):
        raise ApiError(415, "no_picture", "this is no JPEG and no PNG")
    return _json(enrolments.add(pack, name, bytes(picture)))


@routes.post("/api/enrolment")
def post_enrolment(enrolments: EnrolmentsNow, body: EnrolBody) -> Mapping[str, object]:
    """Look at the photographs that were added."""
    return _json(enrolments.begin(body.pack))


@routes.get("/api/enrolment")
def get_enrolment(enrolments: EnrolmentsNow) -> Mapping[str, object]:
    """State of the enrolment."""
    return _json(enrolments.now())


@routes.post("/api/enrolment/stop")
def post_enrolment_stop(enrolments: EnrolmentsNow) -> Mapping[str, object]:
    """Give the enrolment up."""
    return _json(enrolments.stop())


def _json(enrolment: Enrolment) -> Mapping[str, object]:
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
    }
