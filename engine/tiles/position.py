"""Position of a tile game: the part that every game has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.geometry import Cell, Corner
from engine.pack import Design, Pack
from engine.tiles.actions import Action
from engine.tiles.board import Laid, Lattice
from engine.tiles.features import Landscape
from engine.tiles.foreign import face, is_foreign
from engine.tiles.game import GameError, Pick
from engine.tiles.turn import Turn


@dataclass(frozen=True, slots=True)
class TilePosition:
    """A position. Never changed: a turn gives a new one, and undo is keeping the old. Each game's position
    derives from this one and with it is an `engine.tiles.game.GameState`.

    ``players`` are the colours in turn order, ``landscape`` the unfinished features, ``supply`` the meeples
    that each player has left.
    """

    pack: Pack
    players: tuple[str, ...]
    turn_no: int
    scores: Mapping[str, int]
    lattice: Lattice
    landscape: Landscape
    supply: Mapping[str, int]

    @property
    def player(self) -> str:
        """Player whose turn it is."""
        return self.players[self.turn_no % len(self.players)]

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles, the start tile's cells included."""
        return self.lattice.tiles

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """The tiles drawn in a whole game."""
        return self.pack.bag

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand, '?' where unseen; empty in a game that has no hands."""
        return {}

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Number of pieces of a kind in each player's supply, by colour; empty where players own none."""
        return self.supply if kind == "meeple" else {}

    def design(self, design_id: str) -> Design:
        """The face of that id; GameError if it is not drawn in this game."""
        if design_id not in self.whole_bag and not is_foreign(design_id):
            raise GameError(f"{design_id} is no tile to draw in this game of pack {self.pack.id}")
        return face(self.pack, design_id)

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) on which that face may be laid, look-alike turns counted too."""
        return self.lattice.placements(self.design(design_id))

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """The turn with its draws decided by ``pick``: itself in a game that draws nothing but tiles."""
        return turn

    def token_added(self, cell: Cell, corner: Corner, animal: str) -> Action | None:
        """The action that lays an animal tile beside others around a corner, legal or not; None in a game
        without such tiles."""
        return None
