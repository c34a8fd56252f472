"""Routes of tables that have a phone as camera and no computer.

Hosts create and close these tables, phones send pictures for them, and each table has its own key.
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

from engine.message import Message
from web.api.bodies import Body, Word
from web.api.phone import JPEG_START, camera_page
from web.club.gate import CallerDep
from web.club.views import Club
from web.limits.errors import ApiError
from web.table.seats import NAME, NAME_LENGTH
from web.uncached import QrText, qr_response

STATIC = Path(__file__).parents[1] / "static"
"""Folder of the pages."""
PICTURES_PATH = r"/api/tables/[^/]+/camera"
"""Pattern of the paths to which phones send pictures."""
EVERY_S = 0.22
"""Minimum seconds between two pictures of a table."""
STATUS_EVERY_S = 2.0
"""Seconds between two status reports to a phone."""
PHONES_KNOWN = 8
"""Number of phones per table that are remembered, to recognise a replaced one."""


@dataclass(frozen=True, slots=True)
class PhoneGame:
    """A game that such a table may play.

    ``game`` is its name as for `tilesight live --game`. It also has its colours and its minimum and maximum
    number of players.
    """

    game: str
    colors: tuple[str, ...]
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class NewPhoneTable:
    """Request for a new table. ``players`` are colours and names in turn order."""

    name: str
    game: str
    players: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PhoneTable:
    """A table without a computer.

    ``players`` are colours and names in turn order, ``key`` is the table's own key, ``made_s`` when it
    was created (seconds since 1970).
    """

    id: str
    game: str
    players: tuple[tuple[str, str], ...]
    key: str
    made_s: float


class PhoneTables(Protocol):
    """The tables of a club that have no computer. Methods may be called from any thread."""

    @property
    def picture_bytes(self) -> int:
        """Maximum size of a picture, in bytes."""

    def games(self) -> Sequence[PhoneGame]:
        """Return the games that such a table may play."""

    def open_tables(self) -> Sequence[PhoneTable]:
        """Return the open tables, sorted by id."""

    def begin(self, asked: NewPhoneTable) -> PhoneTable:
        """Create a table and return it. Raises Refusal."""

    def end(self, table: str) -> None:
        """Close a table: its pictures are no longer recognised. Raises Refusal."""

    def key_of(self, table: str) -> str | None:
        """Return the own key of an open table, None for any other table. Returns at once."""

    def push_picture(self, table: str, jpeg: bytes) -> None:
        """Pass a picture on to the worker that recognises for the table. Returns at once. Raises Refusal."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Public addresses of the hub.

    ``url`` is that of its pages. ``secure_url`` is the one with HTTPS, which browsers require for a camera.
    "" stands for the address of the request.
    """

    url: str = ""
    secure_url: str = ""


class PhonePlayerBody(Body):
    """A player of a new table."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)]


class NewPhoneTableBody(Body):
    """``POST /api/phone-tables``."""

    name: Annotated[str, Field(max_length=60, pattern=NAME)]
    game: Word
    players: Annotated[list[PhonePlayerBody], Field(min_length=1, max_length=8)]


@dataclass(slots=True)
class _CameraSlot:
    """The camera of one table.

    It holds the known phones (the current one last), the earliest times of the next picture and of the next
    status report (event loop clock, seconds), and the number of pictures so far.
    """

    phones: deque[str] = field(default_factory=lambda: deque(maxlen=PHONES_KNOWN))
    next_s: float = 0.0
    status_s: float = 0.0
    pictures: int = 0

    def admit(self, phone: str, now_s: float) -> None:
        """Accept a picture from ``phone`` now.

        An unknown phone becomes the camera. Raises ApiError 409 if another phone has replaced this
        one, 429 if the picture comes too early.
        """
        if phone not in self.phones:
            self.phones.append(phone)
        if phone != self.phones[-1]:
            raise ApiError(409, "replaced", Message("another phone is the camera now"))
        if now_s < self.next_s:
            raise ApiError(
                429, "too_soon", Message("that is more than four pictures a second"), {"Retry-After": "1"}
            )
        self.next_s = now_s + EVERY_S
        self.pictures += 1


async def _phones(request: Request) -> PhoneTables:
    """FastAPI dependency: return the club's tables without a computer."""
    phones: PhoneTables = request.app.state.phones
    return phones


PhoneTablesDep = Annotated[PhoneTables, Depends(_phones)]
"""Route parameter: the club's tables without a computer."""
PhoneName = Annotated[str, Header(alias="X-Phone", max_length=60)]
"""Route parameter: a random name that the phone chose for itself, to tell phones of one table apart."""


pictures = APIRouter()
"""Routes of the pages, and those that a table's camera uses."""
writes = APIRouter()
"""Routes for hosts only, because their answers contain the tables' keys."""


@pictures.get("/phone-tables")
def get_page() -> FileResponse:
    """Return the page on which hosts create such tables."""
    return FileResponse(STATIC / "phone_tables.html", headers={"Cache-Control": "no-cache"})


@pictures.get("/camera/{table}")
def get_camera_page(request: Request, table: Word) -> HTMLResponse:
    """Return the page for the phone that is a table's camera.

    It links to the encrypted page if it was opened without HTTPS.
    """
    return camera_page(request.app.state.addresses.secure_url, request.app.state.phones.picture_bytes)


@pictures.get("/api/tables/{table}/key")
def get_table_key(caller: CallerDep, table: Word) -> Mapping[str, object]:
    """Confirm that the key opens the table; ``own`` is whether it opens only this table."""
    return {"ok": True, "own": caller.role == "player"}


@pictures.post("/api/tables/{table}/camera")
async def post_camera(
    request: Request,
    tables: PhoneTablesDep,
    table: Word,
    phone: PhoneName = "",
) -> Mapping[str, object]:
    """Accept a phone's picture (JPEG body) and return its number ``frame``.

    Every few seconds the answer also has ``worker`` (whether the table is being recognised) and
    ``seeing``.
    """
    if tables.key_of(table) is None:
        raise ApiError(404, "unknown_table", Message("there is no such table"))
    cameras: dict[str, _CameraSlot] = request.app.state.cameras
    camera = cameras.setdefault(table, _CameraSlot())
    now_s = asyncio.get_running_loop().time()
    camera.admit(phone, now_s)
    tables.push_picture(table, await _picture(request, tables.picture_bytes))
    answer: dict[str, object] = {"frame": camera.pictures}
    if now_s >= camera.status_s:
        camera.status_s = now_s + STATUS_EVERY_S
        club: Club = request.app.state.club
        card = next((one for one in club.tables() if one.id == table), None)
        answer |= {"worker": card is not None and card.connection == "there"}
        answer |= {"seeing": card.seeing if card is not None else ""}
    return answer


async def _picture(request: Request, most: int) -> bytes:
    """Read the request's body and return it.

    Raises ApiError 413 as soon as it exceeds ``most`` bytes, 415 if it is not a JPEG.
    """
    jpeg = bytearray()
    async for piece in request.stream():
        jpeg += piece
        if len(jpeg) > most:
            raise ApiError(413, "too_large", Message("at most {most} bytes", most=most))
        if not jpeg.startswith(JPEG_START[: len(jpeg)]):
            break
    if not jpeg.startswith(JPEG_START):
        raise ApiError(415, "no_picture", Message("this is no JPEG"))
    return bytes(jpeg)


@writes.get("/api/phone-tables")
def get_phone_tables(request: Request, tables: PhoneTablesDep) -> Mapping[str, object]:
    """Return the open tables, each with its key and addresses, and the games that a new one may play."""
    games = [
        {"game": one.game, "colors": list(one.colors), "fewest": one.fewest, "most": one.most}
        for one in tables.games()
    ]
    return {"games": games, "tables": [_json(request, one) for one in tables.open_tables()]}


@writes.post("/api/phone-tables", status_code=201)
def post_phone_table(
    request: Request, tables: PhoneTablesDep, body: NewPhoneTableBody
) -> Mapping[str, object]:
    """Create a table and return its ``id``, ``key`` and addresses."""
    players = tuple((one.color, one.name.strip()) for one in body.players)
    return _json(request, tables.begin(NewPhoneTable(body.name.strip(), body.game, players)))


@writes.post("/api/phone-tables/{table}/close")
def post_close(request: Request, tables: PhoneTablesDep, table: Word) -> Mapping[str, object]:
    """Close a table. Its key is then no longer valid."""
    tables.end(table)
    request.app.state.cameras.pop(table, None)
    return {"ok": True}


@writes.get("/api/qr.svg")
def get_qr_code(text: QrText) -> Response:
    """Return ``text``, such as an address, as a QR code (SVG)."""
    return qr_response(text)


def _json(request: Request, table: PhoneTable) -> Mapping[str, object]:
    """Return a table as JSON, with its key and the addresses that contain it."""
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
