"""Frames of a WebSocket at the hub: one JSON object each, told apart by ``type`` (docs/formats.md).

A table's frame never names its table: the table is the holder of the key with which the WebSocket was opened.
A worker gives back only what was assigned to it. Pictures are binary frames of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tilesight.club.log_ids import WORD
from tilesight.club.messages import Command, LogEntry, MessageError, PhoneTable, Reply, Short, Status

ENTRIES_AT_MOST = 200
"""Entries of one frame at most."""
TABLES_AT_MOST = 1000
"""Tables of one worker at most."""
FRAME_BYTES = 1_000_000
"""Bytes of a frame at most: one entry of the largest size fits."""
BATCH_BYTES = 900_000
"""Bytes of the entries of one frame, unless the frame has a single entry."""
LINK_HEADER = "X-Link"
"""Header with a word of the process that connects: its new connection replaces its earlier one."""
REASON_BYTES = 120
"""Bytes of a close reason at most; WebSockets take 123."""
SECOND, REVOKED, WRONG, SILENT = 4409, 4403, 4400, 4408
"""Close codes: another connection has this key; the key was revoked; a frame was invalid; no sign of life
came."""
Id = Annotated[str, Field(pattern=f"^{WORD.pattern}$")]
"""The id of a game's log, or of a table."""


class Frame(BaseModel):
    """Base class of all frames."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    v: Literal[1] = 1

    def text(self) -> str:
        """Return the frame as sent."""
        return self.model_dump_json()


class Hello(Frame):
    """Question of a table: which entry of this game is the last one that the hub has?"""

    type: Literal["hello"] = "hello"
    game: Id


class Held(Frame):
    """Answer to `Hello`; ``last`` is None if the hub has no entry."""

    type: Literal["held"] = "held"
    game: Id
    last: LogEntry | None = None


class Entries(Frame):
    """Consecutive entries of a game, the first of them at most one after the last that the hub has."""

    type: Literal["entries"] = "entries"
    game: Id
    entries: Annotated[list[LogEntry], Field(min_length=1, max_length=ENTRIES_AT_MOST)]


class Stored(Frame):
    """Answer to `Entries`, after the commit: all entries up to ``number`` are in the database."""

    type: Literal["stored"] = "stored"
    game: Id
    number: int


class NotStored(Frame):
    """Answer to `Hello` or `Entries` if the database fails: the table asks again later."""

    type: Literal["not_stored"] = "not_stored"
    game: Id


class Here(Frame):
    """Sign of life of a table; ``unsent`` is the number of its entries that the hub has not stored yet."""

    type: Literal["here"] = "here"
    unsent: Annotated[int, Field(ge=0)] = 0


class Told(Frame):
    """A table's status."""

    type: Literal["status"] = "status"
    status: Status


class Commanded(Frame):
    """Command of the hub; `Replied` with the same ``id`` is its answer."""

    type: Literal["command"] = "command"
    id: Short
    command: Command


class Replied(Frame):
    """A table's reply to the command ``id``."""

    type: Literal["reply"] = "reply"
    id: Short
    reply: Reply


class Working(Frame):
    """Sign of life of a worker: how many tables it runs at most, and whether a process is prepared."""

    type: Literal["working"] = "working"
    tables: Annotated[int, Field(ge=0, le=TABLES_AT_MOST)]
    ready: bool


class Returned(Frame):
    """A table that a worker runs no more; with ``failed`` it cannot run it."""

    type: Literal["returned"] = "returned"
    table: Id
    failed: bool = False


class Logged(Frame):
    """Entries of a table's game that the hub has, before the table is `Assigned`."""

    type: Literal["logged"] = "logged"
    table: Id
    entries: list[LogEntry]


class Assigned(Frame):
    """A table for a worker, with the key of its link."""

    type: Literal["assigned"] = "assigned"
    table: Id
    key: Short
    phone: PhoneTable


class Withdrawn(Frame):
    """A table that was closed: its worker ends it and gives it back."""

    type: Literal["withdrawn"] = "withdrawn"
    table: Id


FromWorker = Working | Returned
"""Frames that a worker sends."""
ToWorker = Logged | Assigned | Withdrawn
"""Frames that the hub sends to a worker."""
FromTable = Hello | Entries | Here | Told | Replied
"""Frames that a table sends."""
FromHub = Held | Stored | NotStored | Commanded
"""Frames that the hub sends to a table."""
_FROM_TABLE: TypeAdapter[FromTable] = TypeAdapter(Annotated[FromTable, Field(discriminator="type")])
_FROM_HUB: TypeAdapter[FromHub] = TypeAdapter(Annotated[FromHub, Field(discriminator="type")])
_FROM_WORKER: TypeAdapter[FromWorker] = TypeAdapter(Annotated[FromWorker, Field(discriminator="type")])
_TO_WORKER: TypeAdapter[ToWorker] = TypeAdapter(Annotated[ToWorker, Field(discriminator="type")])


def from_table(text: str) -> FromTable:
    """Parse a frame of a table. Raises MessageError if it is too large or invalid."""
    frame: FromTable = _parsed(_FROM_TABLE, text)
    return frame


def from_hub(text: str) -> FromHub:
    """Parse a frame of the hub. Raises MessageError if it is too large or invalid."""
    frame: FromHub = _parsed(_FROM_HUB, text)
    return frame


def from_worker(text: str) -> FromWorker:
    """Parse a frame of a worker. Raises MessageError if it is too large or invalid."""
    frame: FromWorker = _parsed(_FROM_WORKER, text)
    return frame


def to_worker(text: str) -> ToWorker:
    """Parse a frame of the hub to a worker. Raises MessageError if it is too large or invalid."""
    frame: ToWorker = _parsed(_TO_WORKER, text)
    return frame


def picture_frame(table: str, jpeg: bytes) -> bytes:
    """Return the binary frame with a picture of a table's phone."""
    return table.encode() + b"\0" + jpeg


def picture_of(frame: bytes) -> tuple[str, bytes]:
    """Return table and picture of a binary frame."""
    table, _, jpeg = frame.partition(b"\0")
    return table.decode(errors="replace"), jpeg


def batches(entries: Iterable[LogEntry]) -> Iterator[list[LogEntry]]:
    """Yield entries in lists that fit into one frame each."""
    batch, size = list[LogEntry](), 0
    for one in entries:
        size += len(one.encoded())
        if batch and (size > BATCH_BYTES or len(batch) == ENTRIES_AT_MOST):
            yield batch
            batch, size = [], len(one.encoded())
        batch.append(one)
    if batch:
        yield batch


def _parsed(shape: TypeAdapter[Any], text: str) -> Any:
    if len(text) > FRAME_BYTES:
        raise MessageError(f"a frame of {len(text)} characters, at most {FRAME_BYTES}")
    try:
        return shape.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise MessageError(f"{where}: {first['msg']}"[:200]) from None
    except (ValueError, RecursionError):
        raise MessageError("no JSON") from None
