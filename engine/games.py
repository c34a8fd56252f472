"""Registry of all games.

No other module outside a game's package refers to a game by name. Packages of games are imported on first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.game import Game, GameError
from engine.tiles.tile_game import TileGame
from engine.tiles.turn import Turn


def _safari() -> TileGame:
    from engine.safari.game import SAFARI  # imported on first use, as all games

    return SAFARI


def _hunters_gatherers() -> TileGame:
    from engine.hunters_gatherers.game import HUNTERS_GATHERERS

    return HUNTERS_GATHERERS


def _carcassonne() -> TileGame:
    from engine.carcassonne.game import CARCASSONNE

    return CARCASSONNE


def _tricky_safari() -> Game:
    from engine.tricky_safari.game import TRICKY_SAFARI

    return TRICKY_SAFARI


_TILE_GAMES: Mapping[str, Callable[[], TileGame]] = {
    "safari": _safari,
    "hunters-gatherers": _hunters_gatherers,
    "carcassonne": _carcassonne,
}
_GAMES: Mapping[str, Callable[[], Game]] = {**_TILE_GAMES, "tricky-safari": _tricky_safari}


def load_games() -> None:
    """Import every game, so that records and notation can parse the actions and parts of all games.
    Those of another game are then faults against the rules, not parse errors."""
    for game in _GAMES.values():
        game()


def read_turn(source: Mapping[str, Any]) -> Turn:
    """Read a turn of any tile game from a record line; other keys are ignored.
    Raises FieldError, with the field at fault, if it is invalid."""
    load_games()
    return Turn.from_json(source)


def game_names() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(_GAMES)


def game_named(name: str) -> Game:
    """Return the game of that name. Raises GameError if there is none."""
    if name not in _GAMES:
        raise GameError(f"no rules for a game {name!r} (known: {', '.join(_GAMES)})")
    return _GAMES[name]()


def tile_game_names() -> tuple[str, ...]:
    """The names of all tile games."""
    return tuple(_TILE_GAMES)


def tile_game_named(name: str) -> TileGame:
    """Return the tile game of that name. Raises GameError if there is none or it is no tile game."""
    if name in _GAMES and name not in _TILE_GAMES:
        raise GameError(f"{name} is no tile game")
    game_named(name)
    return _TILE_GAMES[name]()
