"""Photograph routes of the lobby: a finished board is photographed, corrected by hand, and scored."""

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
from engine.message import Message
from engine.pack import Pack
from engine.tiles.pieces import PieceKind, Pose
from web.api.bodies import Body, Word
from web.limits.errors import ApiError
from web.report.words import Language
from web.table.refusal import Refusal
from web.table.seats import NAME, NAME_LENGTH
from web.uncached import NO_STORE
from web.views.art import SizeQuery, art_of, art_response
from web.views.tile_json import pack_json

PHOTOGRAPHS_PATH = "/api/photo"
"""Path that takes photographs. Its route reads the body itself."""
JPEG_PATH = "/api/jpeg"
"""Path that converts a picture that a browser cannot decode. Its route reads the body itself."""
PICTURE_LIMIT_BYTES = 16 * 1024 * 1024
"""Maximum size of a photograph, in bytes."""
PICTURES_AT_MOST = 4
"""Maximum number of photographs per board."""
MEDIA_TYPES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG": "image/png", b"RIFF": "image/webp"}
"""Media types of the accepted pictures, by their first bytes."""
POINTS_AT_MOST = 1000
"""Maximum of the points that a player had before the end."""
PAGE = Path(__file__).parent / "static" / "photo.html"
"""File of the page."""

ShareFormat = Literal["html", "pdf", "picture"]
"""Format in which a score is shared: a page, a PDF, or the photograph with the recognised tiles drawn in."""
SHARE_MEDIA_TYPES: Mapping[ShareFormat, str] = {
    "html": "text/html",
    "pdf": "application/pdf",
    "picture": "image/jpeg",
}
"""Media type of each format."""


@dataclass(frozen=True, slots=True)
class TileCorrection:
    """Correction of a tile in a cell. ``tile`` None means that the cell is empty."""

    cell: Cell
    tile: str | None
    rot: int = 0


@dataclass(frozen=True, slots=True)
class PieceCorrection:
    """Correction of a piece.

    ``number`` is its index in the document (None: a piece that was not recognised); ``kind`` None means
    that there is no such piece.
    """

    number: int | None
    kind: PieceKind | None
    color: str | None = None
    pose: Pose = "standing"
    cell: Cell | None = None
    feature: str | None = None


@dataclass(frozen=True, slots=True)
class PhotoPlayers:
    """Players of a photographed game.

    ``names`` are by colour in turn order, ``before`` has the points that each had before the final scoring.
    ``to`` is the player to move, None if unknown.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    to: str | None = None


Json = Mapping[str, Any]


class Photographs(Protocol):
    """The latest photographed boards, held in memory.

    Methods may be called from any thread, and raise Refusal if they cannot do what is asked.

    ``photo`` is the id of a board. The JSON document of a board is described in docs/http.md, 'A photograph'.
    """

    def add(self, photo: str | None, picture: bytes, pack: str | None, rules: str | None) -> Json:
        """Add a photograph to a board (None: a new board) and return the document."""

    def jpeg(self, picture: bytes) -> bytes:
        """Return a picture of any readable format as a JPEG."""

    def document(self, photo: str) -> Json:
        """Return the document of a board."""

    def picture(self, photo: str, number: int) -> bytes:
        """Return a photograph of a board as it was uploaded."""

    def pack(self, photo: str) -> Pack:
        """Return the pack of a board's tiles."""

    def choices(self, photo: str, cell: Cell) -> Sequence[Json]:
        """Return the faces that may lie in a cell, the likeliest first."""

    def correct(self, photo: str, correction: TileCorrection | PieceCorrection) -> Json:
        """Apply a correction and return the document."""

    def set_rules(self, photo: str, rules: str) -> Json:
        """Score the board by another rule edition and return the document."""

    def undo(self, photo: str) -> Json:
        """Undo the last correction and return the document."""

    def share(self, photo: str, form: ShareFormat, language: Language, players: PhotoPlayers) -> bytes:
        """Return the score as a file in this format."""

    def keep(
        self,
        photo: str,
        players: PhotoPlayers,
        *,
        over: bool,
        keep_labels: bool = False,
        again: bool = False,
    ) -> str:
        """Save the board as a game, finished (``over``) or to be continued, and return the game's id.

        ``keep_labels`` is whether `tilesight learn` may keep labelled pieces of the photograph. A photograph
        is kept as one game; ``again`` replaces it where it was kept otherwise.
        """

    def forget(self, photo: str) -> None:
        """Delete a board and its photographs."""


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


class CorrectionBody(Body):
    """``POST /api/photo/{photo}/say``: exactly one of these fields."""

    tile: TileBody | None = None
    piece: PieceBody | None = None
    rules: Word | None = None
    undo: bool = False

    @model_validator(mode="after")
    def _one(self) -> CorrectionBody:
        """Return the body, or raise ValueError unless exactly one field is given."""
        given = (self.tile is not None, self.piece is not None, self.rules is not None, self.undo)
        if sum(given) != 1:
            raise ValueError("give one of tile, piece, rules, undo")
        return self


class PhotoPlayerBody(Body):
    """A player of a photographed game."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)] = ""
    before: Annotated[int, Field(ge=0, le=POINTS_AT_MOST)] = 0


class ShareBody(Body):
    """``POST /api/photo/{photo}/share``."""

    form: ShareFormat
    lang: Language = "en"
    players: list[PhotoPlayerBody] = Field(default_factory=list, max_length=8)


class KeepBody(Body):
    """``POST /api/photo/{photo}/keep``. With ``camera``, a table continues the game from the board."""

    players: Annotated[list[PhotoPlayerBody], Field(min_length=1, max_length=8)]
    to: Word | None = None
    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)] | None = None
    keep_labels: bool = False
    again: bool = False


async def _photographs(request: Request) -> Photographs:
    """FastAPI dependency: return the lobby's photographs. Raises ApiError 404 if it has none."""
    photographs: Photographs | None = request.app.state.photographs
    if photographs is None:
        raise ApiError(404, "not_found", Message("this lobby reads no photographs"))
    return photographs


PhotographsDep = Annotated[Photographs, Depends(_photographs)]
"""Route parameter: the lobby's photographs."""
page = APIRouter()
"""Routes without a key: the page, and the pictures of editions."""
routes = APIRouter()
"""Routes of photographs. The lobby's application puts them behind its key."""


@page.get("/photo")
def get_page() -> FileResponse:
    """Return the page. Its requests carry the key."""
    return FileResponse(PAGE, headers={"Cache-Control": "no-cache"})


@page.get("/photo/{photo}/art/{name}")
def get_art(photographs: PhotographsDep, photo: str, name: str, size: SizeQuery = None) -> Response:
    """Return a picture from the pack of a board.

    The board's id is long and random, so it serves as the key.
    """
    art = art_of(photographs.pack(photo), name)
    if art is None:
        raise ApiError(404, "not_found", Message("there is no such picture"))
    return art_response(art, size)


@routes.post(PHOTOGRAPHS_PATH)
async def post_photograph(
    request: Request,
    photographs: PhotographsDep,
    photo: Word | None = None,
    pack: Word | None = None,
    rules: Word | None = None,
) -> Json:
    """Recognise a photograph (JPEG, PNG or WebP body) and return the document.

    ``photo`` adds it to a board that was photographed before. 413 if it is too large, 415 for another
    format.
    """
    picture = await _body(request)
    if not picture.startswith(tuple(MEDIA_TYPES)):
        raise ApiError(415, "no_picture", Message("this is no JPEG, PNG or WebP"))
    return await run_in_threadpool(photographs.add, photo, picture, pack, rules)


@routes.post(JPEG_PATH)
async def post_jpeg(request: Request, photographs: PhotographsDep) -> Response:
    """Return a picture (the body) as a JPEG, for browsers that cannot decode it, as of HEIC."""
    jpeg = await run_in_threadpool(photographs.jpeg, await _body(request))
    return Response(jpeg, media_type="image/jpeg", headers=NO_STORE)


async def _body(request: Request) -> bytes:
    """Return the body of an upload. Raises ApiError 413 if it is too large."""
    picture = bytearray()
    async for part in request.stream():
        picture += part
        if len(picture) > PICTURE_LIMIT_BYTES:
            raise ApiError(413, "too_large", Message("at most {most} bytes", most=PICTURE_LIMIT_BYTES))
    return bytes(picture)


@routes.get(PHOTOGRAPHS_PATH + "/{photo}")
def get_photograph(photographs: PhotographsDep, photo: str) -> Json:
    """Return the document: the board, its score, and the uncertain parts."""
    return photographs.document(photo)


@routes.get(PHOTOGRAPHS_PATH + "/{photo}/{number}.jpg")
def get_picture(photographs: PhotographsDep, photo: str, number: int) -> Response:
    """Return a photograph as it was uploaded."""
    picture = photographs.picture(photo, number)
    media = next((media for start, media in MEDIA_TYPES.items() if picture.startswith(start)), "image/jpeg")
    return Response(picture, media_type=media, headers={"Cache-Control": "private, max-age=3600"})


@routes.get(PHOTOGRAPHS_PATH + "/{photo}/pack")
def get_pack(photographs: PhotographsDep, photo: str) -> Json:
    """Return the faces of the board's edition, as ``GET /api/pack`` of a table does."""
    pack = photographs.pack(photo)
    faces = dict(pack_json(pack))
    for name in ("designs", "tokens"):
        faces[name] = {key: _with_photo_path(value, photo) for key, value in faces[name].items()}
    return faces


def _with_photo_path(value: Any, photo: str) -> Any:
    """Return a design, or the address of a picture, with the board's id in its picture address.

    The address needs the id, because a lobby has many packs.
    """
    if isinstance(value, str):
        return f"/photo/{photo}/{value}"
    if isinstance(value, Mapping) and value.get("art"):
        return {**value, "art": _with_photo_path(value["art"], photo)}
    return value


@routes.get(PHOTOGRAPHS_PATH + "/{photo}/choices")
def get_choices(
    photographs: PhotographsDep, photo: str, cell: Annotated[str, Field(pattern=r"^-?\d{1,3},-?\d{1,3}$")]
) -> Json:
    """Return the faces that may lie in a cell, the likeliest first."""
    x, y = map(int, cell.split(","))
    return {"cell": [x, y], "choices": list(photographs.choices(photo, (x, y)))}


@routes.post(PHOTOGRAPHS_PATH + "/{photo}/say")
def post_correction(photographs: PhotographsDep, photo: str, body: CorrectionBody) -> Json:
    """Correct a tile or a piece, choose the rules, or undo the last correction. Return the document."""
    if body.tile is not None:
        return photographs.correct(
            photo, TileCorrection(_cell(body.tile.cell), body.tile.tile, body.tile.rot)
        )
    if body.piece is not None:
        piece = body.piece
        cell = None if piece.cell is None else _cell(piece.cell)
        correction = PieceCorrection(piece.number, piece.kind, piece.color, piece.pose, cell, piece.feature)
        return photographs.correct(photo, correction)
    if body.rules is not None:
        return photographs.set_rules(photo, body.rules)
    return photographs.undo(photo)


@routes.post(PHOTOGRAPHS_PATH + "/{photo}/share")
def post_share(photographs: PhotographsDep, photo: str, body: ShareBody) -> Response:
    """Return the score as a page, a PDF or a picture to download."""
    made = photographs.share(photo, body.form, body.lang, _players(body.players))
    # A download: the page must not run on this origin, where the key is stored.
    headers = {"Content-Disposition": 'attachment; filename="score"', **NO_STORE}
    return Response(made, media_type=SHARE_MEDIA_TYPES[body.form], headers=headers)


@routes.post(PHOTOGRAPHS_PATH + "/{photo}/keep", status_code=201)
def post_keep(request: Request, photographs: PhotographsDep, photo: str, body: KeepBody) -> Json:
    """Save the board as a finished game or, with ``camera``, continue it at a table. Return the game's id,
    which is the same when it is sent again."""
    players = _players(body.players, body.to)
    game = photographs.keep(
        photo, players, over=body.camera is None, keep_labels=body.keep_labels, again=body.again
    )
    if body.camera is not None:
        try:
            request.app.state.lobby.resume(game, body.camera.strip())
        except Refusal as error:
            if error.code != "watched":  # sent twice: the first one started the table
                raise
    return {"game": game}


@routes.post(PHOTOGRAPHS_PATH + "/{photo}/forget")
def post_forget(photographs: PhotographsDep, photo: str) -> Json:
    """Delete the board and its photographs."""
    photographs.forget(photo)
    return {"forgotten": True}


def _cell(given: Sequence[int]) -> Cell:
    """Return a cell from its JSON."""
    x, y = given
    return x, y


def _players(players: Sequence[PhotoPlayerBody], to: str | None = None) -> PhotoPlayers:
    """Return the players from their JSON; ``to`` is the player to move."""
    names = {player.color: player.name.strip() for player in players}
    return PhotoPlayers(names, {player.color: player.before for player in players if player.before}, to)
