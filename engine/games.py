"""Registry of all games, and the protocol of tile games.

No other module outside a game's package refers to a game by name. Packages of games are imported on first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from engine.fault import Fault
from engine.game import Game, GameError
from engine.pack import Pack
from engine.tiles.game import BoardScoring, GameState, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TileRecords
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.turn import Turn


class TileGame(Game, BoardScoring, Protocol):
    """The rules of one tile game."""

    @property
    def records(self) -> TileRecords:
        """Reader and writer of its records."""

    @property
    def takes(self) -> Takes:
        """The sorts of piece that may be on each kind of feature."""

    @property
    def more_colors(self) -> tuple[str, ...]:
        """Colours that only expansions add: recognised on photographs, not accepted as players."""

    @property
    def header_choices(self) -> Mapping[str, tuple[str, ...]]:
        """Optional fields of a record's header, each with its possible values (``river``: its editions)."""

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Reasons why no game can start with this header; empty if it can."""

    def start(self, header: Header, pack: Pack) -> GameState:
        """The position before the first turn; IllegalTurn if the header has faults, GameError if the pack is
        another game's or the rules are unknown."""

    def position_seen(self, header: Header, pack: Pack, table: SeenTable, unseen: UnseenState) -> GameState:
        """The position of a game in progress, from its table as seen and what the players add; NotationError
        if no game can reach it."""


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
    """Import every game, so that records and notation can parse the actions and parts of all games: those of
    another game are faults against the rules, not parse errors."""
    for game in _GAMES.values():
        game()


def read_turn(source: Mapping[str, Any]) -> Turn:
    """Read a turn of any tile game from a record line; other keys are ignored. jsonvalue.FieldError names the
    field at fault."""
    load_games()
    return Turn.from_json(source)


def game_names() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(_GAMES)


def game_named(name: str) -> Game:
    """The game of that name; GameError if there is none."""
    if name not in _GAMES:
        raise GameError(f"no rules for a game {name!r} (known: {', '.join(_GAMES)})")
    return _GAMES[name]()


def tile_game_names() -> tuple[str, ...]:
    """The names of all tile games."""
    return tuple(_TILE_GAMES)


def tile_game_named(name: str) -> TileGame:
    """The tile game of that name; GameError if there is none or it is no tile game."""
    if name in _GAMES and name not in _TILE_GAMES:
        raise GameError(f"{name} is no tile game")
    game_named(name)
    return _TILE_GAMES[name]()
