"""Table of all games, and the protocol of tile games beyond `engine.game`.

Nothing outside a game's own package and this table asks for a game's name. A game's package is imported when
it is first asked for: a photograph needs the rules of one game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engine.fault import Fault
from engine.game import Game, GameError
from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import Final, GameState, Header
from engine.tiles.pieces import Takes
from engine.tiles.record import TileRecords
from engine.tiles.seen_position import SeenTable, Told


class TileGame(Game, Protocol):
    """The rules of one tile game."""

    @property
    def records(self) -> TileRecords:
        """Reader and writer of its records."""

    @property
    def takes(self) -> Takes:
        """The sorts of piece that each kind of feature of its tiles takes."""

    @property
    def more_colors(self) -> tuple[str, ...]:
        """Colours that only expansions add: a photograph may show them, a game here seats none."""

    @property
    def header_choices(self) -> Mapping[str, tuple[str, ...]]:
        """Fields of a record's header that name what is played with, if anything is, and their values."""

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Every reason why a game cannot start so."""

    def start(self, header: Header, pack: Pack) -> GameState:
        """The position before the first turn; IllegalTurn if the header is at fault, GameError if the pack is
        another game's or the rules are unknown."""

    def position_seen(self, header: Header, pack: Pack, table: SeenTable, told: Told) -> GameState:
        """The position of a table that is seen in the middle of a game; NotationError where there can be none
        such."""

    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """The final scoring alone of the pieces seen on a bare board, for the colours seen; its events are of
        turn 0."""

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Mapping[str, int]:
        """The points by colour that `final_seen` comes to."""


def _safari() -> TileGame:
    from engine.safari.game import SAFARI  # late, as all games

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
    """Load every game, so that records and notation know the actions of all: what another game's action is
    called in a game that has none such is a fault, no error of reading."""
    for game in _GAMES.values():
        game()


def game_names() -> tuple[str, ...]:
    """The games there are, of every kind."""
    return tuple(_GAMES)


def game_named(name: str) -> Game:
    """The game of that name, of whatever kind; GameError where there is none."""
    if name not in _GAMES:
        raise GameError(f"no rules for a game {name!r} (known: {', '.join(_GAMES)})")
    return _GAMES[name]()


def tile_game_names() -> tuple[str, ...]:
    """The tile games there are."""
    return tuple(_TILE_GAMES)


def tile_game_named(name: str) -> TileGame:
    """The tile game of that name; GameError where there is none."""
    if name in _GAMES and name not in _TILE_GAMES:
        raise GameError(f"{name} is no tile game")
    game_named(name)
    return _TILE_GAMES[name]()
