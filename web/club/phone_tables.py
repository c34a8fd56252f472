"""Routes of tables that have a phone and no computer.

The host makes and closes them, their phones send pictures, and a table's own key opens that table alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import Field

from web.api.bodies import NAME, NAME_LENGTH, Body, Word
from web.api.phone import JPEG_START, camera_page
from web.club.gate import WhoNow
from web.club.views import Club
from web.limits.errors import ApiError
from web.qr import QrText, qr_response

STATIC = Path(__file__).parents[1] / "static"
"""The folder of the pages."""
PICTURES_AT = r"/api/tables/[^/]+/camera"
"""Pattern of the paths to which phones send their pictures."""
EVERY_S = 0.22
"""Seconds at least between two pictures of a table."""
TOLD_EVERY_S = 2.0
"""Seconds between two times that a phone is told what is seen in its pictures."""
PHONES_KNOWN = 8
"""Phones of a table that are known again: the latest to come is the camera."""


@dataclass(frozen=True, slots=True)
class PhoneGame:
    """Game that such a table may play, as `tilesight live --game` takes it, and how many play it."""

    game: str
    colors: tuple[str, ...]
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class NewPhoneTable:
    """Table that the host asks for: colours and names of the players in turn order."""

    name: str
    game: str
    players: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PhoneTable:
    """A table without a computer; ``key`` is its own. ``made_s`` is seconds since 1970."""

    id: str
    game: str
    players: tuple[tuple[str, str], ...]
    key: str
    made_s: float


class PhoneTables(Protocol):
    """The tables of a club that have no computer. Every method may be called from several threads."""

    @property
    def picture_bytes(self) -> int:
        """Bytes of a picture at most."""

    def games(self) -> Sequence[PhoneGame]:
        """The games that such a table may play."""

    def open_tables(self) -> Sequence[PhoneTable]:
        """The tables that are open, by id."""

    def begin(self, asked: NewPhoneTable) -> PhoneTable:
        """A new table. Raises Refusal."""

    def end(self, table: str) -> None:
        """Close a table: nobody sees for it any more. Raises Refusal."""

    def key_of(self, table: str) -> str | None:
        """The key of an open table, None of any other; returns at once."""

    def film(self, table: str, jpeg: bytes) -> None:
        """Pass a picture on to whoever sees for the table; returns at once. Raises Refusal."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the hub as phones in its network reach it: its pages, and those of an encrypted
    connection, without which a browser has no camera. "" is that of whoever asks."""

    url: str = ""
    secure_url: str = ""


class PlayerBody(Body):
    """A player of a new table."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)]


class NewPhoneTableBody(Body):
    """``POST /api/phone-tables``."""

    name: Annotated[str, Field(max_length=60, pattern=NAME)]
    game: Word
    players: Annotated[list[PlayerBody], Field(min_length=1, max_length=8)]


@dataclass(slots=True)
class _Camera:
    """The phones of one table, the present one last; when the next picture may come, and the next word on
    what is seen, in seconds of the event loop's clock."""

    phones: deque[str] = field(default_factory=lambda: deque(maxlen=PHONES_KNOWN))
    next_s: float = 0.0
    tell_s: float = 0.0
    pictures: int = 0

    def admit(self, phone: str, now_s: float) -> None:
        """Take a picture of this phone now. ApiError 409 where another has become the camera since, 429 where
        it comes too soon."""
        if phone not in self.phones:
            self.phones.append(phone)
        if phone != self.phones[-1]:
            raise ApiError(409, "replaced", "another phone is the camera now")
        if now_s < self.next_s:
            raise ApiError(429, "too_soon", "that is more than four pictures a second", {"Retry-After": "1"})
        self.next_s = now_s + EVERY_S
        self.pictures += 1


async def _phones(request: Request) -> PhoneTables:
    phones: PhoneTables = request.app.state.phones
    return phones


Kept = Annotated[PhoneTables, Depends(_phones)]
"""A route's parameter: the club's tables without a computer."""
Phone = Annotated[str, Header(alias="X-Phone", max_length=60)]
"""A phone's own word for itself, by which a later one that takes its place is told apart."""


pictures = APIRouter()
"""The pages, which are the same for everybody, and what a table's camera asks for."""
writes = APIRouter()
"""Routes for hosts: what they tell holds the tables' own keys."""


@pictures.get("/phone-tables")
def get_page() -> FileResponse:
    """The page on which the host makes such tables."""
    return FileResponse(STATIC / "phone_tables.html", headers={"Cache-Control": "no-cache"})


@pictures.get("/camera/{table}")
def get_camera_page(request: Request, table: Word) -> HTMLResponse:
    """The page of the phone that is a table's camera."""
    return camera_page(request.app.state.addresses.secure_url, request.app.state.phones.picture_bytes)


@pictures.get("/api/tables/{table}/key")
def get_table_key(who: WhoNow, table: Word) -> Mapping[str, object]:
    """Whether the key opens the table; ``own`` is whether it opens this one alone."""
    return {"ok": True, "own": who.role == "player"}


@pictures.post("/api/tables/{table}/camera")
async def post_camera(
    request: Request,
    kept: Kept,
    table: Word,
    phone: Phone = "",
) -> Mapping[str, object]:
    """Take a phone's picture, and pass it on to whoever sees for the table."""
    if kept.key_of(table) is None:
        raise ApiError(404, "unknown_table", "there is no such table")
    cameras: dict[str, _Camera] = request.app.state.cameras
    camera = cameras.setdefault(table, _Camera())
    now_s = asyncio.get_running_loop().time()
    camera.admit(phone, now_s)
    kept.film(table, await _picture(request, kept.picture_bytes))
    answer: dict[str, object] = {"frame": camera.pictures}
    if now_s >= camera.tell_s:
        camera.tell_s = now_s + TOLD_EVERY_S
        club: Club = request.app.state.club
        card = next((one for one in club.tables() if one.id == table), None)
        answer |= {"worker": card is not None and card.connection == "there"}
        answer |= {"seeing": card.seeing if card is not None else ""}
    return answer


async def _picture(request: Request, most: int) -> bytes:
    """A request's body, if it is a JPEG. ApiError 413 as soon as it is too large, 415 where it is none."""
    jpeg = bytearray()
    async for piece in request.stream():
        jpeg += piece
        if len(jpeg) > most:
            raise ApiError(413, "too_large", f"at most {most} bytes")
        if not jpeg.startswith(JPEG_START[: len(jpeg)]):
            break
    if not jpeg.startswith(JPEG_START):
        raise ApiError(415, "no_picture", "this is no JPEG")
    return bytes(jpeg)


@writes.get("/api/phone-tables")
def get_phone_tables(request: Request, kept: Kept) -> Mapping[str, object]:
    """The tables that are open, each with its key and addresses, and the games that another may play."""
    games = [
        {"game": one.game, "colors": list(one.colors), "fewest": one.fewest, "most": one.most}
        for one in kept.games()
    ]
    return {"games": games, "tables": [_json(request, one) for one in kept.open_tables()]}


@writes.post("/api/phone-tables", status_code=201)
def post_phone_table(request: Request, kept: Kept, body: NewPhoneTableBody) -> Mapping[str, object]:
    """Make a table; the answer has its ``id``, ``key`` and addresses."""
    players = tuple((one.color, one.name.strip()) for one in body.players)
    return _json(request, kept.begin(NewPhoneTable(body.name.strip(), body.game, players)))


@writes.post("/api/phone-tables/{table}/close")
def post_close(request: Request, kept: Kept, table: Word) -> Mapping[str, object]:
    """Close a table: its key opens nothing any more."""
    kept.end(table)
    request.app.state.cameras.pop(table, None)
    return {"ok": True}


@writes.get("/api/qr.svg")
def get_qr_code(text: QrText) -> Response:
    """A text, such as an address, as a QR code."""
    return qr_response(text)


def _json(request: Request, table: PhoneTable) -> Mapping[str, object]:
    addresses: Addresses = request.app.state.addresses
    url = addresses.url or str(request.base_url).rstrip("/")
    return {
        "id": table.id,
        "game": table.game,
        "players": [{"color": color, "name": name} for color, name in table.players],
        "key": table.key,
        "made_s": round(table.made_s, 3),
        "url": f"{url}/table/{table.id}#key={table.key}",
        "camera_url": f"{addresses.secure_url or url}/camera/{table.id}#key={table.key}",
    }
