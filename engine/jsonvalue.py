"""Validating readers of untrusted JSON, one value at a time. A FieldError names the field.

Every ``*_at(value, field)`` checks ``value`` and returns it with its type; ``field`` is the path in errors.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from engine.geometry import CORNERS, ROTS, Cell, Corner

MAX_COORDINATE = 10_000
"""Maximum absolute x and y in a file, in cells. Not a rule: it bounds the memory a broken file can cost."""


class FieldError(ValueError):
    """A value of the wrong type or shape. ``field`` is its path, as ``action.cell``, or ''."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message


def parse(text: str) -> object:
    """Parse one JSON document into Python values. Raises FieldError if the text is not valid JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise FieldError("", "nested too deeply") from None
    except ValueError as error:
        raise FieldError("", f"not JSON ({error})") from None


def _refuse_constant(name: str) -> object:
    """Raise ValueError for NaN and Infinity, which Python's parser accepts."""
    raise ValueError(f"{name} is not JSON")


def shown(value: object) -> str:
    """Return a value as it is put in error messages: JSON on one line, at most 40 characters."""
    try:
        text = json.dumps(value, ensure_ascii=True, default=repr)
    except RecursionError:
        text = "something nested too deeply"
    return text if len(text) <= 40 else text[:37] + "..."


def object_at(value: object, field: str, known: Collection[str] | None = None) -> dict[str, Any]:
    """Return a value that is an object with printable keys; with ``known``, with no keys but these.
    Raises FieldError at the path ``field`` for anything else."""
    if not isinstance(value, dict):
        raise FieldError(field, f"must be an object, is {shown(value)}")
    for key in value:
        if not key.isprintable():
            raise FieldError(field, f"has a key that cannot be read, {shown(key)}")
        if known is not None and key not in known:
            raise FieldError(_join(field, key), f"is not known here (known: {', '.join(sorted(known))})")
    return cast("dict[str, Any]", value)


def list_at(value: object, field: str, length: int | None = None) -> list[Any]:
    """Return a value that is a list, of ``length`` items if given.
    Raises FieldError at the path ``field`` for anything else."""
    if not isinstance(value, list):
        raise FieldError(field, f"must be a list, is {shown(value)}")
    if length is not None and len(value) != length:
        raise FieldError(field, f"must have {length} items, has {len(value)}")
    return value


def text_at(value: object, field: str) -> str:
    """Return a value that is a non-empty printable string.
    Raises FieldError at the path ``field`` for anything else."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise FieldError(field, f"must be a text, is {shown(value)}")
    return value


def integer_at(value: object, field: str, least: int | None = None) -> int:
    """Return a value that is an integer (not true, not 1.0), at least ``least`` if given.
    Raises FieldError at the path ``field`` for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise FieldError(field, f"must be an integer, is {shown(value)}")
    if least is not None and value < least:
        raise FieldError(field, f"must be at least {least}, is {shown(value)}")
    return value


def number_at(value: object, field: str) -> float:
    """Return a value that is a number of at most 1e15 in size, as float.
    Raises FieldError at the path ``field`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
        raise FieldError(field, f"must be a number, is {shown(value)}")
    return float(value)


def point_at(value: object, field: str) -> tuple[float, float]:
    """Return a point ``[x, y]`` of two numbers. Raises FieldError at the path ``field`` for anything else."""
    x, y = (number_at(item, field) for item in list_at(value, field, 2))
    return (x, y)


def cell_at(value: object, field: str) -> Cell:
    """Return a cell ``[x, y]`` of two integers, each at most MAX_COORDINATE in size.
    Raises FieldError at the path ``field`` for anything else."""
    x, y = (integer_at(item, field) for item in list_at(value, field, 2))
    if max(abs(x), abs(y)) > MAX_COORDINATE:
        raise FieldError(field, f"is too far away ({shown(value)})")
    return (x, y)


def rot_at(value: object, field: str) -> int:
    """Return a rotation of 0, 90, 180 or 270 degrees.
    Raises FieldError at the path ``field`` for anything else."""
    rot = integer_at(value, field)
    if rot not in ROTS:
        raise FieldError(field, f"must be 0, 90, 180 or 270, is {shown(value)}")
    return rot


def corner_at(value: object, field: str) -> Corner:
    """Return a corner: ``nw``, ``ne``, ``se`` or ``sw``.
    Raises FieldError at the path ``field`` for anything else."""
    if not isinstance(value, str) or value not in CORNERS:
        raise FieldError(field, f"must be one of ne, se, sw, nw, is {shown(value)}")
    return value


def get(source: Mapping[str, Any], key: str, field: str = "") -> Any:
    """Return ``source[key]``. Raises FieldError if it is missing; ``field`` is the path of ``source``."""
    if key not in source:
        raise FieldError(_join(field, key), "is missing")
    return source[key]


def texts_at(value: object, field: str) -> tuple[str, ...]:
    """Return a list of strings, each as of `text_at`. Raises FieldError at the path ``field``."""
    items: Sequence[Any] = list_at(value, field)
    return tuple(text_at(item, f"{field}[{i}]") for i, item in enumerate(items))


def _join(field: str, key: str) -> str:
    """Return the path of ``key`` in the object at path ``field``."""
    return f"{field}.{key}" if field else key
