"""Photograph routes of the lobby: a finished board is photographed, corrected with taps, and scored.

What reads the photographs and counts the points implements `Photographs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import Field, model_validator

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.pieces import PieceKind, Pose
from web.api.bodies import NAME, NAME_LENGTH, Body, Word
from web.limits.errors import ApiError
from web.report.words import Language
from web.views.art import AskedSize, art_of, art_response
from web.views.tile_json import pack_json

PHOTOGRAPHS_AT = "/api/photo"
"""Address that takes photographs; it reads their bytes itself."""
PICTURE_LIMIT_BYTES = 16 * 1024 * 1024
"""Bytes of a photograph at most."""
PICTURES_AT_MOST = 4
"""Photographs of one board at most."""
STARTS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"RIFF": "image/webp"}
"""First bytes of the pictures that are taken, and their media types."""
POINTS_AT_MOST = 1000
"""Points that a player may have had before, at most."""
PAGE = Path(__file__).parent / "static" / "photo.html"
"""File of the page."""

Form = Literal["html", "pdf", "picture"]
"""Form in which a score is shared: a page, paper, the photograph with what was recognised."""
MEDIA: Mapping[Form, str] = {"html": "text/html", "pdf": "application/pdf", "picture": "image/jpeg"}
"""Media type of each form."""


@dataclass(frozen=True, slots=True)
class TileSaid:
    """A tile as people say that it is: ``tile`` None means that there is none."""

    cell: Cell
    tile: str | None
    rot: int = 0


@dataclass(frozen=True, slots=True)
class PieceSaid:
    """A piece as people say that it is: ``number`` is its place in the document (None: a piece that was not
    seen), ``kind`` None means that there is none."""

    number: int | None
    kind: PieceKind | None
    color: str | None = None
    pose: Pose = "standing"
    cell: Cell | None = None
    feature: str | None = None


@dataclass(frozen=True, slots=True)
class Players:
    """Players of a photographed game: ``names`` by colour in turn order, the points that each had before the
    end, and whose turn it is (None: nobody says)."""

    names: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    to: str | None = None


Json = Mapping[str, Any]


class Photographs(Protocol):
    """Photographed boards that are held in memory, the latest few. Methods are called from several threads;
    Refusal where something cannot be done."""

    def add(self, photo: str | None, picture: bytes, pack: str | None, rules: str | None) -> Json:
        """The document of a board after another photograph; ``photo`` None begins one."""

    def document(self, photo: str) -> Json:
        """The document of a board (docs/http.md, 'A photograph')."""

    def picture(self, photo: str, number: int) -> bytes:
        """A photograph as it was sent."""

    def pack(self, photo: str) -> Pack:
        """Pack of a board's tiles."""

    def choices(self, photo: str, cell: Cell) -> Sequence[Json]:
        """Faces that may lie in a cell, the likeliest first."""

    def say(self, photo: str, said: TileSaid | PieceSaid) -> Json:
        """The document after a correction."""

    def play_by(self, photo: str, rules: str) -> Json:
        """The document by other rules of the game."""

    def undo(self, photo: str) -> Json:
        """The document without the last correction."""

    def share(self, photo: str, form: Form, language: Language, players: Players) -> bytes:
        """The score in a form to share."""

    def keep(self, photo: str, players: Players, *, over: bool) -> str:
        """Id of the game that was begun with the board, as finished or to go on from."""

    def forget(self, photo: str) -> None:
        """Throw a board and its photographs away."""


CellBody = Annotated[list[Annotated[int, Field(ge=-200, le=200)]], Field(min_length=2, max_length=2)]


class TileBody(Body):
    """A corrected tile."""

    cell: CellBody
    tile: Word | None = None
    rot: Literal[0, 90, 180, 270] = 0


class PieceBody(Body):
    """A corrected piece."""

    number: Annotated[int, Field(ge=0, le=1000)] | None = None
    kind: PieceKind | None = None
    color: Word | None = None
    pose: Pose = "standing"
    cell: CellBody | None = None
    feature: Word | None = None


class SayBody(Body):
    """``POST /api/photo/{photo}/say``: one of its fields."""

    tile: TileBody | None = None
    piece: PieceBody | None = None
    rules: Word | None = None
    undo: bool = False

    @model_validator(mode="after")
    def _one(self) -> SayBody:
        given = (self.tile is not None, self.piece is not None, self.rules is not None, self.undo)
        if sum(given) != 1:
            raise ValueError("give one of tile, piece, rules, undo")
        return self


class PlayerBody(Body):
    """A player of a photographed game."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)] = ""
    before: Annotated[int, Field(ge=0, le=POINTS_AT_MOST)] = 0


class ShareBody(Body):
    """``POST /api/photo/{photo}/share``."""

    form: Form
    lang: Language = "en"
    players: list[PlayerBody] = Field(default_factory=list, max_length=8)


class KeepBody(Body):
    """``POST /api/photo/{photo}/keep``: with ``camera`` a table goes on from the board."""

    players: Annotated[list[PlayerBody], Field(min_length=1, max_length=8)]
    to: Word | None = None
    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)] | None = None


async def _photographs(request: Request) -> Photographs:
    photographs: Photographs | None = request.app.state.photographs
    if photographs is None:
        raise ApiError(404, "not_found", "this lobby reads no photographs")
    return photographs


PhotographsNow = Annotated[Photographs, Depends(_photographs)]
"""A route's parameter: the photographs of the lobby that its application shows."""
page = APIRouter()
"""Routes without a key: the page, which asks for everything with it, and the editions' pictures."""
routes = APIRouter()
"""Routes of photographs; the lobby's application puts them behind its key."""


@page.get("/photo")
def get_page() -> FileResponse:
    """The page."""
    return FileResponse(PAGE, headers={"Cache-Control": "no-cache"})


@page.get("/photo/{photo}/art/{name}")
def get_art(photographs: PhotographsNow, photo: str, name: str, size: AskedSize = None) -> Response:
    """A picture that a board's edition has. The photograph's id is not to be guessed: it stands for a key."""
    art = art_of(photographs.pack(photo), name)
    if art is None:
        raise ApiError(404, "not_found", "there is no such picture")
    return art_response(art, size)


@routes.post(PHOTOGRAPHS_AT)
async def post_photograph(
    request: Request,
    photographs: PhotographsNow,
    photo: Word | None = None,
    pack: Word | None = None,
    rules: Word | None = None,
) -> Json:
    """Read a photograph, the request's body; ``photo`` adds it to a board that was photographed before."""
    picture = bytearray()
    async for part in request.stream():
        picture += part
        if len(picture) > PICTURE_LIMIT_BYTES:
            raise ApiError(413, "too_large", f"at most {PICTURE_LIMIT_BYTES} bytes")
    if not picture.startswith(tuple(STARTS)):
        raise ApiError(415, "no_picture", "this is no JPEG, PNG or WebP")
    return await run_in_threadpool(photographs.add, photo, bytes(picture), pack, rules)


@routes.get(PHOTOGRAPHS_AT + "/{photo}")
def get_photograph(photographs: PhotographsNow, photo: str) -> Json:
    """The board, its score, and what that hangs on."""
    return photographs.document(photo)


@routes.get(PHOTOGRAPHS_AT + "/{photo}/{number}.jpg")
def get_picture(photographs: PhotographsNow, photo: str, number: int) -> Response:
    """A photograph as it was sent."""
    picture = photographs.picture(photo, number)
    media = next((media for start, media in STARTS.items() if picture.startswith(start)), "image/jpeg")
    return Response(picture, media_type=media, headers={"Cache-Control": "private, max-age=3600"})


@routes.get(PHOTOGRAPHS_AT + "/{photo}/pack")
def get_pack(photographs: PhotographsNow, photo: str) -> Json:
    """The faces of the board's edition, as ``GET /api/pack`` of a table gives them."""
    pack = photographs.pack(photo)
    told = dict(pack_json(pack))
    for name in ("designs", "tokens"):
        told[name] = {key: _at_photo(value, photo) for key, value in told[name].items()}
    return told


def _at_photo(value: Any, photo: str) -> Any:
    """A design, or the address of a picture, with the photograph in the address: a lobby has many packs."""
    if isinstance(value, str):
        return f"/photo/{photo}/{value}"
    if isinstance(value, Mapping) and value.get("art"):
        return {**value, "art": _at_photo(value["art"], photo)}
    return value


@routes.get(PHOTOGRAPHS_AT + "/{photo}/choices")
def get_choices(
    photographs: PhotographsNow, photo: str, cell: Annotated[str, Field(pattern=r"^-?\d{1,3},-?\d{1,3}$")]
) -> Json:
    """The faces that may lie in a cell."""
    x, y = map(int, cell.split(","))
    return {"cell": [x, y], "choices": list(photographs.choices(photo, (x, y)))}


@routes.post(PHOTOGRAPHS_AT + "/{photo}/say")
def post_correction(photographs: PhotographsNow, photo: str, body: SayBody) -> Json:
    """Correct a tile or a piece, choose the rules, or take the last correction back."""
    if body.tile is not None:
        return photographs.say(photo, TileSaid(_cell(body.tile.cell), body.tile.tile, body.tile.rot))
    if body.piece is not None:
        piece = body.piece
        cell = None if piece.cell is None else _cell(piece.cell)
        said = PieceSaid(piece.number, piece.kind, piece.color, piece.pose, cell, piece.feature)
        return photographs.say(photo, said)
    if body.rules is not None:
        return photographs.play_by(photo, body.rules)
    return photographs.undo(photo)


@routes.post(PHOTOGRAPHS_AT + "/{photo}/share")
def post_share(photographs: PhotographsNow, photo: str, body: ShareBody) -> Response:
    """The score as a page, as a PDF, or as a picture."""
    made = photographs.share(photo, body.form, body.lang, _players(body.players))
    # Saved, never opened here: a page is not let near the key.
    headers = {"Content-Disposition": 'attachment; filename="score"', "Cache-Control": "no-store"}
    return Response(made, media_type=MEDIA[body.form], headers=headers)


@routes.post(PHOTOGRAPHS_AT + "/{photo}/keep", status_code=201)
def post_keep(request: Request, photographs: PhotographsNow, photo: str, body: KeepBody) -> Json:
    """Keep the board as a finished game, or go on from it at a table with a camera."""
    game = photographs.keep(photo, _players(body.players, body.to), over=body.camera is None)
    if body.camera is not None:
        request.app.state.lobby.take_up(game, body.camera.strip())
    return {"game": game}


@routes.post(PHOTOGRAPHS_AT + "/{photo}/forget")
def post_forget(photographs: PhotographsNow, photo: str) -> Json:
    """Throw the board and its photographs away."""
    photographs.forget(photo)
    return {"forgotten": True}


def _cell(given: Sequence[int]) -> Cell:
    x, y = given
    return x, y


def _players(players: Sequence[PlayerBody], to: str | None = None) -> Players:
    names = {player.color: player.name.strip() for player in players}
    return Players(names, {player.color: player.before for player in players if player.before}, to)
