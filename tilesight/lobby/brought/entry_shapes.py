"""Shapes of the entries of a brought log: kinds, fields with their types, and bounds of all values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from engine.jsonvalue import parse
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import Entry

DEPTH = 24
"""Maximum nesting depth of an entry's JSON."""
LARGEST_INTEGER = 2**53
"""Largest absolute value of an integer: browsers read larger ones wrongly."""
LONGEST_TEXT = 20_000
"""Maximum length of a text in an entry, in characters."""
LATEST_S = 1e10
"""Latest time of an entry, in seconds since 1970: the year 2286."""


class StrangeLogError(ValueError):
    """A log from elsewhere does not have the form in which Tilesight writes logs."""


Word = Annotated[str, Field(min_length=1, max_length=100)]
Name = Annotated[str, Field(max_length=200)]
Count = Annotated[int, Field(ge=0, le=100_000)]
Lines = Annotated[list[dict[str, Any]], Field(max_length=2_000)]


class _Shape(BaseModel):
    """Base class for the data of an entry, with the fields that Tilesight reads. Other fields are kept."""

    model_config = ConfigDict(strict=True, extra="allow")


class _Header(_Shape):
    game: Word
    pack: Annotated[str, Field(pattern=r"^\w[\w.-]{0,99}$")]
    players: Annotated[list[Word], Field(min_length=1, max_length=20)]


class _Opened(_Shape):
    header: _Header
    names: Annotated[dict[Word, Name], Field(max_length=20)]
    pack: dict[str, Any] | None = None


class _Turns(_Shape):
    keep: Count
    lines: Lines
    not_these: Lines = []
    frames: list[Count | None] | None = None
    players: Annotated[list[Word], Field(max_length=20)] = []
    names: Annotated[dict[Word, Name], Field(max_length=20)] = {}
    colors: dict[Word, Word] = {}


class _Scored(_Shape):
    turn: Count
    points: dict[Word, int]


class _Seated(_Shape):
    color: Word
    name: Name


class _SetUp(_Shape):
    header: dict[str, Any]
    confirmed: bool
    keep: Count


class _Recolored(_Shape):
    colors: dict[Word, Word]
    names: dict[Word, Name]


class _Stray(_Shape):
    color: Word


class _Doubted(_Shape):
    turns: Lines


class _Paused(_Shape):
    paused: bool


SHAPES: Mapping[EntryKind, type[_Shape]] = {
    EntryKind.OPENED: _Opened,
    EntryKind.LOOKED: _Shape,
    EntryKind.SEEN: _Turns,
    EntryKind.SAID: _Turns,
    EntryKind.SCORED: _Scored,
    EntryKind.UNDONE: _Shape,
    EntryKind.REDONE: _Shape,
    EntryKind.PAUSED: _Paused,
    EntryKind.ENDED: _Shape,
    EntryKind.SEATED: _Seated,
    EntryKind.SET_UP: _SetUp,
    EntryKind.RECOLORED: _Recolored,
    EntryKind.STRAY: _Stray,
    EntryKind.DOUBTED: _Doubted,
    EntryKind.KEYED: _Shape,
}
"""Shape of each kind of entry. Turns and headers are checked further by the rules of their game."""


def check_entry(entry: Entry, text: str, first: Entry | None) -> None:
    """Raise StrangeLogError if an entry is not allowed in a log.

    ``text`` is the entry's JSON, ``first`` the first entry of the log (None if this is the first).
    """
    if (entry.kind == EntryKind.OPENED) != (first is None):
        raise StrangeLogError("it does not begin with its one header")
    if not 0 <= entry.at_s <= LATEST_S:
        raise StrangeLogError(f"entry {entry.number} has an impossible time")
    try:
        kind = EntryKind(entry.kind)
        _check_value(parse(text), DEPTH)
        SHAPES[kind].model_validate(dict(entry.data))
    except ValueError as error:  # pydantic's errors and encoding errors are ValueErrors too
        raise StrangeLogError(f"entry {entry.number} is not as it should be: {error}") from None
    told, begun = entry.data.get("header"), (first or entry).data["header"]
    for name in ("game", "pack"):
        if isinstance(told, Mapping) and told.get(name, begun[name]) != begun[name]:
            raise StrangeLogError(f"entry {entry.number} is of another {name}")


def _check_value(value: object, depth: int) -> None:
    """Raise StrangeLogError for JSON that is nested too deeply, or that has a value that no page can show."""
    match value:
        case str():
            if len(value) > LONGEST_TEXT:
                raise StrangeLogError("a text is too long")
            value.encode()
        case bool():
            pass
        case int() if abs(value) > LARGEST_INTEGER:
            raise StrangeLogError("a number is too large")
        case float() if not math.isfinite(value):
            raise StrangeLogError("a number is infinite")
        case dict() | list() if depth == 0:
            raise StrangeLogError("it is nested too deeply")
        case dict():
            for key, one in value.items():
                _check_value(key, 0)
                _check_value(one, depth - 1)
        case list():
            for one in value:
                _check_value(one, depth - 1)
