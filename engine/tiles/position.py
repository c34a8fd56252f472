"""Base class of the positions of tile games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.geometry import Cell, Corner
from engine.pack import Design, Pack
from engine.tiles.actions import Action
from engine.tiles.board import Laid, TileGrid
from engine.tiles.features import Landscape
from engine.tiles.foreign import face, is_foreign
from engine.tiles.game import GameError, GameState, Pick
from engine.tiles.turn import Turn


@dataclass(frozen=True, slots=True)
class TilePosition:
    """Immutable position of a tile game. Derived classes implement `engine.tiles.game.GameState`.

    ``players`` are the colours in turn order, ``landscape`` the unfinished features, ``supply`` the number of
    meeples that each player has left.
    """

    pack: Pack
    players: tuple[str, ...]
    turn_no: int
    scores: Mapping[str, int]
    grid: TileGrid
    landscape: Landscape
    supply: Mapping[str, int]

    @property
    def player(self) -> str:
        """Player whose turn it is."""
        return self.players[self.turn_no % len(self.players)]

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles by cell, start tile included."""
        return self.grid.tiles

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a whole game."""
        return self.pack.bag

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' if unknown; empty in a game without hands."""
        return {}

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Number of pieces of a kind in each player's supply; empty if players own none of that kind."""
        return self.supply if kind == "meeple" else {}

    def design(self, design_id: str) -> Design:
        """The face of that id; GameError if it is not drawn in this game."""
        if design_id not in self.whole_bag and not is_foreign(design_id):
            raise GameError(f"{design_id} is no tile to draw in this game of pack {self.pack.id}")
        return face(self.pack, design_id)

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) at which that face may be laid, with all rotations of symmetric tiles."""
        return self.grid.placements(self.design(design_id))

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """The turn with its draws chosen by ``pick``; unchanged in a game without animal tiles."""
        return turn

    def drawn(self, turn: Turn, after: GameState) -> Mapping[str, tuple[str, ...]]:
        """The animal tiles that each player drew in ``turn``; none in a game without animal tiles."""
        return {}

    def token_added(self, cell: Cell, corner: Corner, animal: str) -> Action | None:
        """The action that expands the watering hole at ``corner`` of ``cell``, legal or not; None in a game
        without animal tiles."""
        return None
