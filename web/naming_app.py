"""Application of a box: people name, turn, replace and remove the faces of a printed edition.

It imports no package of Tilesight except the engine. The process that has the pictures implements `Naming`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.staticfiles import StaticFiles

from engine.message import Message
from engine.pack import Pack
from engine.tile import Design, Feature
from web.api.bodies import Body, Word
from web.limits import errors
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard, needs_key
from web.limits.sizes import RequestLimitMiddleware
from web.lobby_enrolment import photograph_of
from web.views.art import SizeQuery, art_of, art_response

STATIC = Path(__file__).parent / "static"
"""Folder of pages, scripts and styles."""
PHOTOGRAPHS_PATH = "/api/photographs"
"""Path that takes photographs. Its route reads the body itself."""


@dataclass(frozen=True, slots=True)
class FaceName:
    """Name of a face.

    It is the design, and the number of clockwise quarter turns by which the picture is rotated against the
    design. ``sure`` is False for a guess that is not yet confirmed. ``dropped`` marks a face that is not a
    tile.
    """

    design: str | None = None
    turn: int = 0
    sure: bool = False
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class SidesFit:
    """Names that the land on a face's sides fits, where it does not fit the name given to the face.

    It fits the face's design with the rotation ``turn``, or if there are any, the ``designs``.
    """

    turn: int
    designs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FaceCard:
    """A face as the page shows it.

    It has the number of its pictures, its name, other guesses as (design, turn), likeliest first, and
    what its sides fit if they are not those of its name. ``known`` is whether it was known before.
    ``too_many`` is the number of tiles with its name that were photographed together, if that is more than a
    box has, else 0.
    """

    views: int
    named: FaceName
    guesses: tuple[tuple[str, int], ...] = ()
    sides: SidesFit | None = None
    known: bool = False
    too_many: int = 0


class Naming(Protocol):
    """The faces to name, and the names so far."""

    @property
    def pack(self) -> Pack:
        """Pack of the designs."""

    def faces(self) -> Sequence[FaceCard]:
        """Return all faces, always in the same order."""

    def picture(self, number: int) -> bytes:
        """Return the first picture of a face (JPEG)."""

    def name(self, number: int, named: FaceName) -> None:
        """Set the name of a face."""

    def undo(self) -> None:
        """Take the last change of a name back; nothing if there is none."""

    @property
    def changes(self) -> int:
        """Number of changes that can be undone."""

    def photographed_more(self, photograph: bytes) -> Sequence[int]:
        """Add the faces of a photograph (JPEG or PNG) and return their numbers; none without tiles in it."""

    def finish(self) -> None:
        """Finish naming: the gallery can be written."""


class NameBody(Body):
    """``POST /api/faces/{number}``."""

    design: Word | None = None
    turn: Annotated[int, Field(ge=0, le=3)] = 0
    dropped: bool = False


async def _naming(request: Request) -> Naming:
    """FastAPI dependency: return the application's faces."""
    naming: Naming = request.app.state.naming
    return naming


NamingDep = Annotated[Naming, Depends(_naming)]
"""Route parameter: the application's faces."""
reads = APIRouter()
"""Routes that change nothing."""
writes = APIRouter(dependencies=[Depends(needs_key)])
"""Routes behind the key in ``X-Table-Key``."""


def create_naming_app(naming: Naming, *, key: str) -> FastAPI:
    """Create the application that shows the faces of ``naming`` and takes names from holders of ``key``."""
    app = FastAPI(title="Tilesight enrolment", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(HostMiddleware)
    app.add_middleware(RequestLimitMiddleware, streamed=(PHOTOGRAPHS_PATH,))
    errors.install(app)
    app.state.naming, app.state.guard = naming, KeyGuard(key)
    app.include_router(reads)
    app.include_router(writes)
    for folder in ("css", "js", "fonts", "img"):
        app.mount(f"/{folder}", StaticFiles(directory=STATIC / folder), name=folder)
    return app


@reads.get("/")
def get_page() -> FileResponse:
    """Return the page."""
    return FileResponse(STATIC / "naming.html", headers={"Cache-Control": "no-cache"})


@reads.get("/api/faces")
def get_faces(naming: NamingDep) -> Mapping[str, object]:
    """Return the pack's designs and animal tiles, and all faces with their names.

    Animals that are figures, and no tiles, are there if the box has pictures of them.
    """
    cards, pack = naming.faces(), naming.pack
    known = {card.named.design for card in cards}
    animals = [
        stem for stem in pack.other_stems if stem.removeprefix("token-") in pack.tokens or stem in known
    ]
    return {
        "tilesight": 1,
        "pack": {"id": pack.id, "title": pack.title},
        "designs": {name: _design_json(pack, name) for name in pack.designs}
        | {name: _animal_json(pack, name) for name in animals},
        "changes": naming.changes,
        "faces": [_face_json(number, card) for number, card in enumerate(cards)],
    }


@reads.get("/api/faces/{number}.jpg")
def get_picture(naming: NamingDep, number: int) -> Response:
    """Return a face's picture (JPEG)."""
    headers = {"Cache-Control": "private, max-age=3600"}
    return Response(naming.picture(_known(naming, number)), media_type="image/jpeg", headers=headers)


@reads.get("/art/{name}")
def get_art(naming: NamingDep, name: str, size: SizeQuery = None) -> Response:
    """Return a picture from the pack."""
    art = art_of(naming.pack, name)
    if art is None:
        raise ApiError(404, "not_found", Message("there is no such picture"))
    return art_response(art, size)


@writes.post("/api/faces/{number}")
def post_name(naming: NamingDep, number: int, body: NameBody) -> Mapping[str, object]:
    """Name, rotate or drop a face, and return it."""
    names = (None, *naming.pack.designs, *naming.pack.other_stems)
    if body.design not in names:
        raise ApiError(404, "unknown_design", Message("the pack has no such design"))
    sure = body.design is not None or body.dropped
    naming.name(_known(naming, number), FaceName(body.design, body.turn, sure, body.dropped))
    return _face_json(number, naming.faces()[number])


@writes.post("/api/undo")
def post_undo(naming: NamingDep) -> Mapping[str, object]:
    """Take the last change back. Return the number of those that are left."""
    naming.undo()
    return {"changes": naming.changes}


@writes.post(PHOTOGRAPHS_PATH)
async def post_photograph(request: Request, naming: NamingDep) -> Mapping[str, object]:
    """Add the tiles on a photograph (JPEG or PNG body) and return the numbers of their faces.

    413 if it is too large, 415 for another format, 422 if no tiles are seen in it.
    """
    photograph = await photograph_of(request)
    numbers = await run_in_threadpool(naming.photographed_more, photograph)
    if not numbers:
        raise ApiError(422, "no_tiles", Message("no tiles are seen in this photograph"))
    return {"faces": list(numbers)}


@writes.post("/api/finish")
def post_finish(naming: NamingDep) -> Mapping[str, object]:
    """Write the gallery and stop the server. 409 if no face has a confirmed name."""
    if not any(card.named.design and card.named.sure and not card.named.dropped for card in naming.faces()):
        raise ApiError(409, "nothing_named", Message("no face has a name yet"))
    naming.finish()
    return {"finished": True}


def _known(naming: Naming, number: int) -> int:
    """Return ``number`` if a face has it, otherwise raise ApiError 404."""
    if not 0 <= number < len(naming.faces()):
        raise ApiError(404, "unknown_face", Message("there is no such face"))
    return number


def _design_json(pack: Pack, name: str) -> Mapping[str, object]:
    """Return a design as JSON: its art, its edges, and its features with their marks."""
    design = pack.designs[name]
    art = pack.art(name)
    return {
        "art": f"/art/{art.name}" if art is not None else None,
        "count": design.count,
        "optional": design.tile.optional,
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
                "says": [*_marks(feature), *_animals(design, feature)],
            }
            for feature in design.tile.features
        ],
    }


def _animal_json(pack: Pack, stem: str) -> Mapping[str, object]:
    """Return an animal tile as JSON, like a design without edges."""
    art, animal = pack.art(stem), stem.removeprefix("token-")
    return {
        "art": f"/art/{art.name}" if art is not None else None,
        "count": pack.tokens.get(animal, 1),
        "edges": {},
        "features": [],
        "animal": animal,
    }


def _marks(feature: Feature) -> Iterator[str]:
    """Yield the marks that distinguish a feature by eye, such as ``2 fish``, ``3 birds`` or ``menhir``."""
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
    """Yield the animals printed on a feature: those of this design, otherwise those of its tile."""
    own = design.animals.get(feature.id) or feature.extra.get("animals", ())
    yield from (str(animal) for animal in own)


def _face_json(number: int, card: FaceCard) -> dict[str, object]:
    """Return a face as JSON."""
    return {
        "number": number,
        "picture": f"/api/faces/{number}.jpg",
        "views": card.views,
        "design": card.named.design,
        "turn": card.named.turn,
        "sure": card.named.sure,
        "dropped": card.named.dropped,
        "known": card.known,
        "too_many": card.too_many,
        "sides": card.sides and {"turn": card.sides.turn, "designs": list(card.sides.designs)},
        "guesses": [{"design": design, "turn": turn} for design, turn in card.guesses],
    }
