"""Frames of a table's WebSocket at the hub: one JSON object each, told apart by ``type`` (docs/formats.md).

A frame never names its table: the table is the holder of the key with which the WebSocket was opened. Small
pictures are binary frames of their own.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tilesight.club.messages import Command, LogEntry, MessageError, Reply, Short, Status
from tilesight.club.subjects import WORD

ENTRIES_AT_MOST = 200
"""Entries of one frame at most."""
FRAME_BYTES = 1_000_000
"""Bytes of a frame at most: one entry of the largest size fits."""
BATCH_BYTES = 900_000
"""Bytes of the entries of one frame, unless the frame has a single entry."""
REASON_BYTES = 120
"""Bytes of a close reason at most; WebSockets take 123."""
SECOND, REVOKED, WRONG = 4409, 4403, 4400
"""Close codes: another connection has this key; the key was revoked; a frame was invalid."""
Game = Annotated[str, Field(pattern=f"^{WORD.pattern}$")]
"""The id of a game's log."""


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
    game: Game


class Held(Frame):
    """Answer to `Hello`; ``last`` is None if the hub has no entry."""

    type: Literal["held"] = "held"
    game: Game
    last: LogEntry | None = None


class Entries(Frame):
    """Consecutive entries of a game, the first of them at most one after the last that the hub has."""

    type: Literal["entries"] = "entries"
    game: Game
    entries: Annotated[list[LogEntry], Field(min_length=1, max_length=ENTRIES_AT_MOST)]


class Stored(Frame):
    """Answer to `Entries`, after the commit: all entries up to ``number`` are in the database."""

    type: Literal["stored"] = "stored"
    game: Game
    number: int


class NotStored(Frame):
    """Answer to `Hello` or `Entries` if the database fails: the table asks again later."""

    type: Literal["not_stored"] = "not_stored"
    game: Game


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


FromTable = Hello | Entries | Here | Told | Replied
"""Frames that a table sends."""
FromHub = Held | Stored | NotStored | Commanded
"""Frames that the hub sends."""
_FROM_TABLE: TypeAdapter[FromTable] = TypeAdapter(Annotated[FromTable, Field(discriminator="type")])
_FROM_HUB: TypeAdapter[FromHub] = TypeAdapter(Annotated[FromHub, Field(discriminator="type")])


def from_table(text: str) -> FromTable:
    """Parse a frame of a table. Raises MessageError if it is too large or invalid."""
    frame: FromTable = _parsed(_FROM_TABLE, text)
    return frame


def from_hub(text: str) -> FromHub:
    """Parse a frame of the hub. Raises MessageError if it is too large or invalid."""
    frame: FromHub = _parsed(_FROM_HUB, text)
    return frame


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
