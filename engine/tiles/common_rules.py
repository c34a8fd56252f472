"""Common parts of the tile games: number of players, tiles drawn from a bag, words of messages."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fault import Fault
from engine.message import Message, counted
from engine.tiles.foreign import is_foreign

MIN_PLAYERS = 2
MAX_PLAYERS = 5
GAME_OVER = Fault("game_over", Message("the game is over: the last tile has been played"))


def may_be_laid(bag: Mapping[str, int], design_id: str) -> bool:
    """Whether a tile of that face is available: in the bag, or foreign."""
    return bool(bag.get(design_id)) or is_foreign(design_id)


def without_one(bag: Mapping[str, int], design_id: str) -> Mapping[str, int]:
    """Return the bag after one tile of that face is drawn; unchanged if it has none."""
    if design_id not in bag:
        return bag
    rest = dict(bag)
    rest[design_id] -= 1
    if not rest[design_id]:
        del rest[design_id]
    return rest


def unknown_player(player: str) -> Fault:
    """Return the fault of a player that does not play."""
    return Fault(
        "unknown_player", Message("{player} does not play in this game", player=player), player=player
    )


def seats_from(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """Return the players in turn order, starting with ``first``. Raises ValueError if it is none of them."""
    at = players.index(first)
    return players[at:] + players[:at]


def tiles_text(number: int) -> Message:
    """Return a sentence with a number of tiles: '1 tile', '2 tiles'."""
    return counted(number, "{number} tile", "{number} tiles")
