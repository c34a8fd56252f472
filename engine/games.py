"""Table of the games there are, and the protocol of tile games beyond `engine.game`.

Nothing outside a game's own package and this table asks for a game's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from engine.fault import Fault
from engine.game import Game, GameError
from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TileRecords


class TileGame(Game, Protocol):
    """The rules of one tile game."""

    @property
    def records(self) -> TileRecords:
        """How its records are read and written."""

    @property
    def takes(self) -> Takes:
        """The sorts of piece that each kind of feature of its tiles takes."""

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Every reason why a game cannot start so."""

    def start(self, header: Header, pack: Pack) -> GameState:
        """The position before the first turn; IllegalTurn if the header is at fault, GameError if the pack is
        another game's or the rules are unknown."""

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Mapping[str, int]:
        """Final-scoring points of the pieces seen on a bare board, for the colours seen."""


_TILE_GAMES: Mapping[str, tuple[str, str]] = {
    "safari": ("engine.safari.game", "SAFARI"),
    "hunters-gatherers": ("engine.hunters_gatherers.game", "HUNTERS_GATHERERS"),
}
"""The module of each tile game and the name of its value there."""
_OTHER_GAMES: Mapping[str, tuple[str, str]] = {
    "tricky-safari": ("engine.tricky_safari.game", "TRICKY_SAFARI"),
}
"""The same for games of other kinds."""


def game_names() -> tuple[str, ...]:
    """The games there are, of every kind."""
    return (*_TILE_GAMES, *_OTHER_GAMES)


def game_named(name: str) -> Game:
    """The game of that name, of whatever kind; GameError where there is none."""
    entry = _TILE_GAMES.get(name) or _OTHER_GAMES.get(name)
    if entry is None:
        raise GameError(f"no rules for a game {name!r} (known: {', '.join(game_names())})")
    module, attribute = entry
    return cast(Game, getattr(import_module(module), attribute))


def tile_game_names() -> tuple[str, ...]:
    """The tile games there are."""
    return tuple(_TILE_GAMES)


def tile_game_named(name: str) -> TileGame:
    """The tile game of that name; GameError where there is none."""
    if name in _OTHER_GAMES:
        raise GameError(f"{name} is no tile game")
    return cast(TileGame, game_named(name))
