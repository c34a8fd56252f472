"""Common parts of the tile games: number of players, tiles drawn from a bag, words of messages."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fault import Fault
from engine.geometry import Cell
from engine.tiles.foreign import is_foreign

MIN_PLAYERS = 2
MAX_PLAYERS = 5
GAME_OVER = Fault("game_over", "the game is over: the last tile has been played")


def may_be_laid(bag: Mapping[str, int], design_id: str) -> bool:
    """Whether a tile of that face is available: in the bag, or foreign."""
    return bool(bag.get(design_id)) or is_foreign(design_id)


def without_one(bag: Mapping[str, int], design_id: str) -> Mapping[str, int]:
    """The bag after one tile of that face is drawn; a foreign tile is not in the bag."""
    if is_foreign(design_id):
        return bag
    rest = dict(bag)
    rest[design_id] -= 1
    if not rest[design_id]:
        del rest[design_id]
    return rest


def seats_from(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The players in turn order, starting with ``first``."""
    at = players.index(first)
    return players[at:] + players[:at]


def at(cell: Cell) -> str:
    """Format a cell for messages: ``[x, y]``."""
    return f"[{cell[0]}, {cell[1]}]"


def plural(number: int, noun: str) -> str:
    """Number and noun, with a plural -s if needed: '1 tile', '2 tiles'."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
