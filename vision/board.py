"""A photograph's board, solved and put into the game's own frame.

This is where an Observation, the evidence of one picture, becomes a statement: these tiles lie
here, these pieces stand there. `tilesight photo` prints it, the overlay draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.board import Laid, Standing
from engine.geometry import EDGES, Cell, Corner, neighbour
from engine.pack import Pack
from vision.footing import feature_at, rangers_of, sort_and_feature
from vision.observation import CellReading, Observation, PieceReading, Quad
from vision.occupancy import joined_cells
from vision.solve import Face, LatticeFrame, frame_of_board, solve_board

DOUBTFUL_UNDER = 0.9
"""Readings less sure than this are told with their alternatives."""
TOKEN_REACH = 0.3
"""How far from both sides an animal tile's middle may be, in tile sides, to cover the corner: it is
0.2 there when laid flush."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenTile:
    """One tile of the board in the game's frame.

    ``corners_px`` has shape (4, 2): the tile's own nw, ne, se, sw where ``face`` is known, else
    clockwise from the corner nearest the image's upper left.
    """

    cell: Cell
    face: Face | None
    confidence: float
    corners_px: Quad
    alternatives: tuple[tuple[Face, float], ...] = ()


def told_alternatives(tile: SeenTile) -> tuple[tuple[Face, float], ...]:
    """What else the tile may be, likeliest first, where that is worth telling (FORMATS, `photo --json`)."""
    return tile.alternatives if tile.confidence < DOUBTFUL_UNDER else ()


@dataclass(frozen=True, slots=True, eq=False)
class SeenPiece:
    """One piece in the game's frame; ``cell`` is None beside the board.

    ``corner`` is the board corner of ``cell`` that an animal tile covers; one that covers none is a
    bonus tile and lies on ``feature``.
    """

    reading: PieceReading
    cell: Cell | None
    feature: str | None
    corner: Corner | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SeenBoard:
    """The board of one photograph."""

    tiles: tuple[SeenTile, ...]
    pieces: tuple[SeenPiece, ...]
    frame: LatticeFrame

    def laid(self, pack: Pack) -> Mapping[Cell, Laid]:
        """The tiles as the engine knows them."""
        return {
            t.cell: Laid(pack.designs[t.face.design], t.face.rot) for t in self.tiles if t.face is not None
        }

    def standing(self) -> tuple[Standing, ...]:
        """The pieces on the board as the engine knows them."""
        return tuple(
            Standing(
                kind=p.reading.kind,
                color=p.reading.color,
                cell=p.cell,
                feature=p.feature,
                corner=p.corner,
                animal=p.reading.animal,
                pose=p.reading.pose,
            )
            for p in self.pieces
            if p.cell is not None
        )


def see_board(observation: Observation, pack: Pack | None) -> SeenBoard:
    """The best board for one observation.

    Without a pack the tiles are only located: ``face`` is None and no piece has a feature.
    """
    pose = observation.pose
    if pose is None:
        return SeenBoard((), (), LatticeFrame((0, 0), 0))
    if pack is None:
        frame = frame_of_board(pose, pose.quads)
        seen = [
            SeenTile(frame.cell(cell), None, pose.confidence, _from_upper_left(quad))
            for cell, quad in pose.quads.items()
        ]
    else:
        readings = _joined_tiles(observation.cells)
        solved = solve_board(readings, observation.designs, pack)
        frame = frame_of_board(pose, solved, solved, pack)
        seen = [
            SeenTile(
                frame.cell(cell),
                Face(one.face.design, frame.rot(one.face.rot)),
                one.confidence,
                np.roll(readings[cell].corners_px, -(one.face.rot // 90), axis=0),
                tuple((Face(face.design, frame.rot(face.rot)), p) for face, p in one.alternatives),
            )
            for cell, one in solved.items()
        ]
    tiles = {tile.cell: tile for tile in sorted(seen, key=lambda t: (t.cell[1], t.cell[0]))}
    pieces = tuple(_placed(reading, frame, tiles, pack) for reading in observation.pieces)
    if pack is not None:
        pieces = _rangers_there_are(pieces, rangers_of(pack))
    return SeenBoard(tuple(tiles.values()), pieces, frame)


def _rangers_there_are(pieces: tuple[SeenPiece, ...], number: int) -> tuple[SeenPiece, ...]:
    """Of the rangers seen on their spaces the surest, as many as the game has: pale things on a pale table
    look like them."""
    there = [p for p in pieces if p.reading.kind == "ranger" and p.cell is not None]
    surest = sorted(there, key=lambda p: -p.reading.confidence)[:number]
    return tuple(p for p in pieces if p not in there or p in surest)


def _joined_tiles(readings: Mapping[Cell, CellReading]) -> dict[Cell, CellReading]:
    """The largest connected set of cells that show a face of the gallery.

    The locator goes by outlines and takes a checked table cloth's squares for tiles now and then;
    the gallery knows better. A hand may hide the tile that joins two parts: parts one step apart that lie on
    one lattice belong together.
    """
    left = {cell for cell, reading in readings.items() if reading.log_tile > 0}
    bridges = {neighbour(cell, edge) for cell in left for edge in EDGES} - left
    largest: set[Cell] = set()
    while left:
        joined = joined_cells(left | bridges, {min(left)}) & left
        left -= joined
        largest = max(largest, joined, key=len)
    return {cell: reading for cell, reading in readings.items() if cell in largest}


def _placed(
    reading: PieceReading, frame: LatticeFrame, tiles: Mapping[Cell, SeenTile], pack: Pack | None
) -> SeenPiece:
    """The cell and feature of one piece.

    A ranger stands on an empty space beside a tile; every other piece stands on a tile. What does
    neither lies beside the board.
    """
    x, y = frame.point(reading.lattice_xy)
    cell = (int(np.floor(x)), int(np.floor(y)))
    tile = tiles.get(cell)
    if reading.kind == "ranger":
        beside = tile is None and any(neighbour(cell, edge) in tiles for edge in EDGES)
        return SeenPiece(reading, cell if beside else None, None)
    if tile is None:
        return SeenPiece(reading, None, None)
    u, v = x - cell[0], y - cell[1]
    corner = _covered_corner(u, v) if reading.kind == "token" else None
    feature = None
    if pack is not None and tile.face is not None and corner is None:
        design, rot = pack.designs[tile.face.design], tile.face.rot
        if reading.sort_probs:
            (kind, pose), feature = sort_and_feature(design, rot, (u, v), reading.sort_probs)
            reading = replace(reading, kind=kind, pose=pose)
        else:
            feature = feature_at(design, rot, (u, v), reading.kind, reading.pose)
    return SeenPiece(reading, cell, feature, corner)


def _covered_corner(u: float, v: float) -> Corner | None:
    """The corner that an animal tile with its middle at ``(u, v)`` of a cell covers, if any."""
    if max(min(u, 1.0 - u), min(v, 1.0 - v)) > TOKEN_REACH:
        return None
    north: tuple[Corner, Corner] = ("nw", "ne")
    south: tuple[Corner, Corner] = ("sw", "se")
    return (north if v < 0.5 else south)[u > 0.5]


def _from_upper_left(quad: Quad) -> Quad:
    """The corners clockwise from the one nearest the image's upper left."""
    return np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0)
