"""Command-line options about a game under way: its position, and what no camera sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from engine.notation import write_position
from engine.pack import Pack
from engine.record import check, read_record
from engine.tiles.seen_position import UnseenState
from engine.tiles.turn import UNKNOWN
from tilesight.settings import SettingsError

PositionOption = Annotated[
    str | None, typer.Option(help="position before the first turn: one line, or a record that ends with it")
]
ToOption = Annotated[str | None, typer.Option(help="the player to move, in a game under way: red")]
ScoresOption = Annotated[str | None, typer.Option(help="points so far, in a game under way: red=12,blue=9")]
HandsOption = Annotated[
    str | None, typer.Option(help="animal tiles in hand, in a game under way: red=2,blue=lion+zebra")
]


@dataclass(frozen=True, slots=True)
class UnderWay:
    """Command-line options about a game under way.

    Its position before the first turn (None: read from the table), and what no camera sees of it.
    """

    position: str | None
    told: UnseenState


MOST_IN_HAND = 60
"""Animal tiles: most that a hand is believed to hold."""


def told_of(to: str | None, scores: str | None, hands: str | None) -> UnseenState:
    """Parse the options ``--to red``, ``--scores red=12,blue=9`` and ``--hands red=2,blue=lion+zebra``.

    A hand is a number of animal tiles, or their names. Raises SettingsError if one is invalid.
    """
    points = {color: _number(text, "--scores red=12,blue=9") for color, text in _pairs(scores, "--scores")}
    held = {color: _hand(text) for color, text in _pairs(hands, "--hands")}
    return UnseenState(to, points, held)


def check_told(told: UnseenState, players: Mapping[str, object]) -> None:
    """Raise SettingsError if an option names a colour that is not one of ``players``."""
    named = [*([told.to] if told.to is not None else []), *told.scores, *told.hands]
    if unknown := [color for color in named if color not in players]:
        raise SettingsError(f"nobody plays {unknown[0]} (players: {', '.join(players)})")


def position_line(given: str, pack: Pack | None) -> str:
    """Return the position that ``--position`` names: the line itself, or the last one of a record file.

    ``pack`` None loads the pack that the record names. Raises SettingsError if a line of the record is
    illegal, RecordError if it cannot be read.
    """
    path = Path(given)
    if "=" in given or not path.is_file():
        return given
    record = read_record(path)
    result = check(record, pack)
    if result.faults or result.state is None:
        raise SettingsError(f"{path}, line {result.line}: {result.faults[0].message}")
    return write_position(record.header.game, result.state)


def _pairs(text: str | None, option: str) -> list[tuple[str, str]]:
    pairs = []
    for part in text.split(",") if text else ():
        color, mark, value = part.strip().partition("=")
        if not mark or not color or not value:
            raise SettingsError(f"{option} takes colours with values, as in red=2,blue=3, not {text!r}")
        pairs.append((color, value))
    return pairs


def _number(text: str, example: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise SettingsError(f"{text!r} is no number of points, as in {example}")
    return int(text)


def _hand(text: str) -> tuple[str, ...]:
    if text == UNKNOWN:
        return (UNKNOWN, UNKNOWN)
    if text.isascii() and text.isdigit():
        if len(text) > 2 or int(text) > MOST_IN_HAND:
            raise SettingsError(f"nobody holds {text} animal tiles")
        return (UNKNOWN,) * int(text)
    return tuple(name.strip() for name in text.split("+"))
