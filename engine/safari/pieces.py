"""Pieces on the table in Carcassonne Safari: meeples, animal tiles, rangers."""

from __future__ import annotations

from collections.abc import Mapping

from engine.geometry import Cell
from engine.safari import water
from engine.tiles.board import Standing
from engine.tiles.features import Region


def standing(
    regions: tuple[Region, ...],
    trees: Mapping[Cell, tuple[str, str]],
    holes: water.Holes,
    rangers: tuple[Cell, ...],
) -> tuple[Standing, ...]:
    """Return every piece: meeples on regions and baobabs, animal tiles with their meeples, rangers.
    ``trees`` are the meeples on baobabs by cell: (feature id, colour)."""
    pieces = [
        Standing("meeple", color, cell, feature)
        for region in regions
        for color, (cell, feature) in region.meeples
    ]
    pieces += [
        Standing("meeple", color, cell, feature, pose="lying") for cell, (feature, color) in trees.items()
    ]
    for hole in holes.values():
        for token in hole:
            pieces.append(Standing("token", None, token.cell, corner=token.corner, animal=token.animal))
            if token.meeple is not None:
                pieces.append(Standing("meeple", token.meeple, token.cell, corner=token.corner))
    pieces += [Standing("ranger", "white", cell) for cell in rangers]
    return tuple(pieces)
