"""Naming application: each face found in photographs is confirmed or corrected with a tap.

Like the dashboard it knows the engine and nothing else of ours; who holds the pictures implements `Naming`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.staticfiles import StaticFiles

from engine.pack import Pack
from engine.tile import Design, Feature
from web.api.bodies import Body, Word
from web.limits import errors
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard, needs_key
from web.limits.sizes import RequestLimitMiddleware
from web.views.art import AskedSize, art_of, art_response

STATIC = Path(__file__).parent / "static"
"""The folder of the page, its scripts and styles."""


@dataclass(frozen=True, slots=True)
class Named:
    """Name of one face: its design, and by how many quarter turns clockwise its picture lies from the
    design's own north. ``sure`` is false for a guess that nobody confirmed; ``dropped`` says that it is not a
    tile."""

    design: str | None = None
    turn: int = 0
    sure: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class FaceCard:
    """One face as the page shows it: how many pictures there are of it, what it is called, what else it may
    be as (design, turn), likeliest first."""

    views: int
    named: Named
    guesses: tuple[tuple[str, int], ...] = ()


class Naming(Protocol):
    """Faces to be named, and what has been said of them."""

    @property
    def pack(self) -> Pack:
        """Pack of the designs."""

    def faces(self) -> Sequence[FaceCard]:
        """Every face, in a fixed order."""

    def picture(self, number: int) -> bytes:
        """A face's first picture, JPEG."""

    def name(self, number: int, named: Named) -> None:
        """Say what a face is."""

    def finish(self) -> None:
        """Everything is said: the gallery may be written."""


class NameBody(Body):
    """``POST /api/faces/{number}``."""

    design: Word | None = None
    turn: Annotated[int, Field(ge=0, le=3)] = 0
    dropped: bool = False


async def _naming(request: Request) -> Naming:
    naming: Naming = request.app.state.naming
    return naming


NamingNow = Annotated[Naming, Depends(_naming)]
"""A route's parameter: the faces that its application names."""
reads = APIRouter()
"""Routes that change nothing."""
writes = APIRouter(dependencies=[Depends(needs_key)])
"""Routes behind the key in ``X-Table-Key``."""


def create_naming_app(naming: Naming, *, key: str) -> FastAPI:
    """The application that shows the faces of ``naming`` and takes names from those who hold ``key``."""
    app = FastAPI(title="Tilesight enrolment", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(HostMiddleware)
    app.add_middleware(RequestLimitMiddleware)
    errors.install(app)
    app.state.naming, app.state.guard = naming, KeyGuard(key)
    app.include_router(reads)
    app.include_router(writes)
    for folder in ("css", "js", "fonts", "img"):
        app.mount(f"/{folder}", StaticFiles(directory=STATIC / folder), name=folder)
    return app


@reads.get("/")
def get_page() -> FileResponse:
    """The page."""
    return FileResponse(STATIC / "naming.html", headers={"Cache-Control": "no-cache"})


@reads.get("/api/faces")
def get_faces(naming: NamingNow) -> Mapping[str, object]:
    """The pack's designs, and every face with the name given to it."""
    return {
        "tilesight": 1,
        "pack": {"id": naming.pack.id, "title": naming.pack.title},
        "designs": {name: _design_json(naming.pack, name) for name in naming.pack.designs},
        "faces": [_face_json(number, card) for number, card in enumerate(naming.faces())],
    }


@reads.get("/api/faces/{number}.jpg")
def get_picture(naming: NamingNow, number: int) -> Response:
    """A face's picture."""
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(naming.picture(_known(naming, number)), media_type="image/jpeg", headers=headers)


@reads.get("/art/{name}")
def get_art(naming: NamingNow, name: str, size: AskedSize = None) -> Response:
    """A picture that the pack ships."""
    art = art_of(naming.pack, name)
    if art is None:
        raise ApiError(404, "not_found", "there is no such picture")
    return art_response(art, size)


@writes.post("/api/faces/{number}")
def post_name(naming: NamingNow, number: int, body: NameBody) -> Mapping[str, object]:
    """Name, turn or drop a face."""
    if body.design is not None and body.design not in naming.pack.designs:
        raise ApiError(404, "unknown_design", "the pack has no such design")
    sure = body.design is not None or body.dropped
    naming.name(_known(naming, number), Named(body.design, body.turn, sure, body.dropped))
    return _face_json(number, naming.faces()[number])


@writes.post("/api/finish")
def post_finish(naming: NamingNow) -> Mapping[str, object]:
    """Write the gallery and stop serving."""
    if not any(card.named.design and card.named.sure and not card.named.dropped for card in naming.faces()):
        raise ApiError(409, "nothing_named", "no face has a name yet")
    naming.finish()
    return {"finished": True}


def _known(naming: Naming, number: int) -> int:
    if not 0 <= number < len(naming.faces()):
        raise ApiError(404, "unknown_face", "there is no such face")
    return number


def _design_json(pack: Pack, name: str) -> Mapping[str, object]:
    design = pack.designs[name]
    art = pack.art(name)
    return {
        "art": f"/art/{art.name}" if art is not None else None,
        "count": design.count,
        "edges": dict(design.tile.edges),
        "features": [
            {
                "kind": feature.kind,
                "ends_in": feature.ends_in,
                "marks": {
                    key: int(value)
                    for key, value in sorted(feature.extra.items())
                    if isinstance(value, int) and value
                },
                "edges": [edge for edge, meets in design.tile.sides.items() if feature.id in meets],
                "spot": list(feature.spot),
                "says": [*_said(feature), *_animals(design, feature)],
            }
            for feature in design.tile.features
        ],
    }


def _said(feature: Feature) -> Iterator[str]:
    """Marks that tell a feature apart to the eye: how many fish or birds, a menhir."""
    if feature.birds:
        yield f"{feature.birds} birds"
    for key, value in sorted(feature.extra.items()):
        if value is True:
            yield key
        elif isinstance(value, int) and value:
            yield f"{value} {key}"
        elif key == "power":
            yield str(value).replace("_", " ")


def _animals(design: Design, feature: Feature) -> Iterator[str]:
    """Animals printed on a feature: on this face, else on every face of its tile."""
    own = design.animals.get(feature.id) or feature.extra.get("animals", ())
    yield from (str(animal) for animal in own)


def _face_json(number: int, card: FaceCard) -> dict[str, object]:
    return {
        "number": number,
        "picture": f"/api/faces/{number}.jpg",
        "views": card.views,
        "design": card.named.design,
        "turn": card.named.turn,
        "sure": card.named.sure,
        "dropped": card.named.dropped,
        "guesses": [{"design": design, "turn": turn} for design, turn in card.guesses],
    }
