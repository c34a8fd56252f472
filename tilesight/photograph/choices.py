"""Choices offered for correcting a cell of a photographed board: its possible faces, likeliest first."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import NOTHING, TileGrid, rotation_table
from vision.board import SolvedBoard


def choices_at(board: SolvedBoard, cell: Cell, pack: Pack) -> list[dict[str, Any]]:
    """Return all designs of the pack for a cell as JSON objects, likeliest first.

    Fields: ``tile`` (design), ``rot`` (the rotation to offer first, degrees), ``rots`` (all that fit the
    neighbours), ``probability`` (None if the reader did not consider it), ``left`` (copies not on the board).
    """
    others = {at: laid for at, laid in board.laid(pack).items() if at != cell}
    need = TileGrid.of(others).spaces.get(cell, NOTHING)
    lying = Counter(laid.design.id for laid in others.values())
    tile = next((one for one in board.tiles if one.cell == cell), None)
    told: dict[str, tuple[float, int]] = {}
    if tile is not None and tile.face is not None:
        told[tile.face.design] = (tile.confidence, tile.face.rot)
        for face, share in tile.alternatives:
            if share > told.get(face.design, (0.0, 0))[0]:
                told[face.design] = (share, face.rot)
    found: list[dict[str, Any]] = []
    for design in pack.designs.values():
        rots = list(rotation_table(design.tile)[need])
        share, rot = told.get(design.id, (0.0, rots[0] if rots else 0))
        thought = round(share, 4) if design.id in told else None
        left = design.count - lying[design.id]
        found.append({"tile": design.id, "rot": rot, "rots": rots, "probability": thought, "left": left})

    def rank(one: dict[str, Any]) -> tuple[bool, float, bool, bool]:
        fits = bool(one["rots"])
        strange = one["left"] <= 0 or pack.art(one["tile"]) is None  # probably of another printing
        return one["probability"] is None, -(one["probability"] or 0.0), not fits, strange

    return sorted(found, key=rank)
