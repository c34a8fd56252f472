"""A table on which tests of Carcassonne play tiles of the pack without ceremony."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.carcassonne.state import CarcassonneState
from engine.games import tile_game_named
from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.actions import Action, Meeple
from engine.tiles.game import Header, Step
from tests.engine.lab import Table

PACK = load_pack("carcassonne")


class Town(Table):
    """A game in which the player to move is always the given one."""

    state: CarcassonneState

    def __init__(self, *players: str, rules: str | None = None, river: str | None = None) -> None:
        header = Header("carcassonne", "carcassonne", players or ("red", "blue"), rules, river=river)
        state = tile_game_named("carcassonne").start(header, PACK)
        assert isinstance(state, CarcassonneState)
        self.state = state
        self.last = Step(state)

    def put(self, player: str, tile: str, cell: Cell, rot: int = 0, feature: str | None = None) -> Step:
        """Play a turn of ``player``, whose turn it need not be; ``feature`` gets a meeple."""
        seat = self.state.players.index(player)
        self.state = replace(self.state, turn_no=len(self.state.players) * self.state.turn_no + seat)
        action: Action | None = None if feature is None else Meeple(feature)
        return self.play(tile, cell, rot, action)

    def ended(self, kind: str | None = None) -> dict[str, int]:
        """Points of the final scoring by player, of one kind or of all."""
        points: dict[str, int] = {}
        for event in self.state.final().events:
            if kind in (None, event.kind):
                points[event.player] = points.get(event.player, 0) + event.points
        return points

    def meeples_home(self, player: str) -> bool:
        """Whether no meeple of the player is on the table."""
        return all(piece.color != player for piece in self.state.standing)

    def header_codes(self, **fields: Any) -> list[str]:
        """The codes of the faults of a header with those fields."""
        header = replace(Header("carcassonne", "carcassonne", self.state.players), **fields)
        return [fault.code for fault in tile_game_named("carcassonne").header_faults(header, PACK)]
