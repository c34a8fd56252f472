"""Damage to files and values, drawn from a seed."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from engine.record import RecordError, check, read_record

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 7, 10**30, 0.5, 1e300, "", "red", "\ud800", "x" * 300, "../a", [], [0], [0, 0],
    [[0, 0]] * 4, [[1e14, 0]] * 4, {}, {"x": []},
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """A file that lost its end, or some of whose bytes are others, are gone, or came in."""
    if rng.random() < 0.3:
        return data[: rng.randrange(len(data))]
    for _ in range(rng.choice((1, 1, 3, 30))):
        at = rng.randrange(len(data))
        kind = rng.randrange(3)
        fresh = rng.randbytes(rng.choice((1, 4)))
        data = data[:at] + (b"" if kind == 0 else fresh) + data[at + (0 if kind == 1 else len(fresh)) :]
    return data


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [item for key in keys for item in places(value[key])]


def altered(value: Any, rng: random.Random) -> Any:
    """A JSON value of which one or two parts are others, lost or moved."""
    value = copy.deepcopy(value)
    for _ in range(rng.randint(1, 2)):
        container, key = rng.choice(places(value))
        if rng.random() < 0.2:
            del container[key]
        elif rng.random() < 0.2:
            other, there = rng.choice(places(value))
            container[key] = copy.deepcopy(other[there])
        else:
            container[key] = copy.deepcopy(rng.choice(VALUES))
        if not places(value):
            break
    return value


def one_line(error: Exception) -> bool:
    return "\n" not in str(error) and len(str(error)) > 5


def assert_answered(text: str) -> None:
    """docs/formats.md, 'Output of check': a line is refused, or has faults; nothing else happens."""
    try:
        result = check(read_record(text))
    except RecordError as error:
        assert "\n" not in str(error)
    else:
        json.dumps(result.to_json())
        assert result.valid or result.faults or result.unmet
