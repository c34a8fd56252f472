"""Messages between tables and hub as JSON, each with its format version (docs/formats.md, 'Club').

Readers ignore unknown fields, which belong to a later version.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_serializer, field_validator

from engine.message import Message as Text
from tilesight.table_log.event_fold import without_address, without_keys
from tilesight.table_log.event_store import Entry

NUMBER_AT_MOST = 1_000_000
"""Number of an entry at most."""
ENTRIES_AT_MOST = 10_000
"""Entries of a game that the hub keeps at most; a long game has some hundreds."""
FORGOTTEN = "forgotten"
"""Kind of the one entry that the hub tells of a log that was removed."""
PREVIEW_BYTES = 30_000
"""Bytes of a small picture (JPEG) at most."""
FRAME_BYTES = 900_000
"""Bytes of a picture (JPEG) that a table is seen by at most."""
COMMAND_BYTES = 66_000
"""Bytes of a command at most: a request's body at the table has 64 KiB."""
Short = Annotated[str, Field(max_length=200)]
"""A text that is shown in one line."""


class MessageError(ValueError):
    """A message is invalid; the text is one line."""


class Message(BaseModel):
    """Base class of all messages."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    v: Literal[1] = 1

    def encoded(self) -> bytes:
        """Return the message as sent."""
        return self.model_dump_json().encode()


class LogEntry(Message):
    """An entry of a table's log."""

    number: Annotated[int, Field(ge=1, le=NUMBER_AT_MOST)]
    kind: Annotated[str, Field(pattern=r"^[a-z_-]{1,40}$")]
    at_s: Annotated[float, Field(allow_inf_nan=False)]
    data: dict[str, Any]

    @field_validator("data")
    @classmethod
    def _without_address(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Leave out the phone's address, which tables of old versions send."""
        return without_address(data)

    @staticmethod
    def of(entry: Entry) -> LogEntry:
        """Return the message for an entry, without the table's keys."""
        told = without_keys(entry)
        return LogEntry(number=told.number, kind=told.kind, at_s=told.at_s, data=dict(told.data))

    @staticmethod
    def forgotten() -> LogEntry:
        """Return the message that replaces a removed log.

        Its number is greater than any entry's, so that a link finds nothing left to send.
        """
        return LogEntry(number=NUMBER_AT_MOST, kind=FORGOTTEN, at_s=0.0, data={})

    def entry(self) -> Entry:
        """Return the entry in the message."""
        return Entry(self.number, self.kind, self.at_s, self.data)


class Template(BaseModel):
    """Template and arguments of a text, as `engine.message.Message.to_json` has them."""

    template: Annotated[str, Field(max_length=500)]
    args: dict[str, Any]


Said = Template | None
"""Template and arguments of a text; None where an older table sends none."""


def retold(text: str, said: Said) -> Text:
    """Return a text of a table as the message that it was there."""
    return Text.told(text, None if said is None else said.model_dump())


class Option(BaseModel):
    """One answer to a question."""

    id: Short
    label: Short
    said: Said = None


class Asked(BaseModel):
    """An open question at a table; ``player`` is the colour of the player asked, None for all."""

    id: Short
    text: Annotated[str, Field(max_length=500)]
    player: Short | None = None
    turn: int | None = None
    options: Annotated[list[Option], Field(max_length=20)] = []
    said: Said = None


class Status(Message):
    """State of a table beside its log: its camera (`web.table.camera_status.Seeing`) and its open questions.

    ``game`` is the id of its log, ``health`` the problems that `/healthz` reports there. ``at_s`` is the
    table's clock when the status was sent (seconds since 1970); older tables send none.
    """

    game: Short
    phase: Short
    seeing: Short
    message: Annotated[str, Field(max_length=500)] = ""
    said: Said = None
    health: Annotated[list[Short], Field(max_length=20)] = []
    asked: Annotated[list[Asked], Field(max_length=20)] = []
    at_s: Annotated[float, Field(allow_inf_nan=False)] | None = None

    @field_serializer("at_s")
    def _sent_now(self, _: float | None) -> float:
        """Return the time of sending: the same status is sent again and again."""
        return round(time.time(), 3)


class Command(Message):
    """Request of the hub to a table: path and body of a request to the table's own HTTP API (docs/http.md).

    Idempotent: a repeated ``id`` gets the same reply and is not executed again.
    """

    id: Short
    path: Short
    body: dict[str, Any] | None = None


class Reply(Message):
    """A table's reply to a command: HTTP status and body from its own API."""

    status: int
    body: Any = None


class PhoneTable(Message):
    """Table that has a phone and no computer, for the worker that runs it.

    ``game`` and ``players`` are arguments of `tilesight live`; ``key`` is the table's join key.
    """

    game: Short
    players: Short
    key: Annotated[str, Field(min_length=6, max_length=200)]
