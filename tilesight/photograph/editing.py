"""Edits of a photographed board: people's corrections of its tiles and pieces, and the faces offered.

An edit names a tile by its cell and a piece by its place on the board, so that it stays valid when another
photograph of the board is joined.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.geometry import Cell, Point, turned_point
from engine.pack import Feature, Pack
from engine.tiles.board import NOTHING, TileGrid, rotation_table
from engine.tiles.pieces import OTHER, PieceKind, Pose, features_take
from vision.board import SeenPiece, SeenTile, SolvedBoard
from vision.joint.belief_propagation import Face
from vision.observation import PieceReading, Quad
from vision.pieces.feature_assignment import takes_of

SAME_PLACE_SIDES = 0.05
"""Maximum distance, in tile sides, between an edit's place and the piece that it means."""


class EditError(ValueError):
    """An edit is impossible; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class TileEdit:
    """Correction that sets the face in a cell; None removes the tile."""

    cell: Cell
    face: Face | None


@dataclass(frozen=True, slots=True)
class PieceEdit:
    """Correction of one piece.

    ``at`` is its place on the board in tile sides, None for a piece that was not detected. ``feature`` is the
    feature in ``cell`` to which the piece belongs (None: unchanged); ``kind`` None removes the piece.
    """

    at: Point | None
    kind: PieceKind | None
    color: str | None = None
    pose: Pose = "standing"
    cell: Cell | None = None
    feature: str | None = None


Edit = TileEdit | PieceEdit
Locate = Callable[[Cell], Quad | None]
"""Corners of a cell in the first photograph."""


def place_of(board: SolvedBoard, piece: SeenPiece) -> Point:
    """Return the place of a piece in the board's frame of reference, in tile sides."""
    return board.frame.point(piece.reading.lattice_xy)


def edited(board: SolvedBoard, edits: Iterable[Edit], pack: Pack, quad: Locate) -> SolvedBoard:
    """Return the board after ``edits``, applied in order.

    ``quad`` returns the corners of a cell in the first photograph. Raises EditError if an edit names an
    unknown tile or feature, or puts a piece where it cannot be. An edit of a piece that is no longer read is
    skipped.
    """
    for edit in edits:
        if isinstance(edit, TileEdit):
            board = _with_tile(board, edit, pack, quad)
        else:
            board = _with_piece(board, edit, pack)
    return board


def _with_tile(board: SolvedBoard, edit: TileEdit, pack: Pack, quad: Locate) -> SolvedBoard:
    if edit.face is None:
        return board.without_tile(edit.cell, pack)
    if edit.face.design not in pack.designs or edit.face.rot not in (0, 90, 180, 270):
        raise EditError(f"the edition has no tile {edit.face.design!r}")
    corners = quad(edit.cell)
    if corners is None:
        raise EditError("this photograph shows no board")
    return board.with_tile(SeenTile(edit.cell, edit.face, 1.0, corners), pack)


def _with_piece(board: SolvedBoard, edit: PieceEdit, pack: Pack) -> SolvedBoard:
    if edit.at is None:
        return replace(board, pieces=(*board.pieces, _said(board, edit, pack, None)))
    near = [(math.dist(edit.at, place_of(board, piece)), number) for number, piece in enumerate(board.pieces)]
    distance, number = min(near, default=(math.inf, -1))
    if distance > SAME_PLACE_SIDES:
        return board  # a later photograph has shown that the piece does not exist
    changed = () if edit.kind is None else (_said(board, edit, pack, board.pieces[number]),)
    return replace(board, pieces=(*board.pieces[:number], *changed, *board.pieces[number + 1 :]))


def _said(board: SolvedBoard, edit: PieceEdit, pack: Pack, before: SeenPiece | None) -> SeenPiece:
    """Return the piece of an edit with certainty 1; without a feature, it stays where ``before`` was.

    ``before`` is the piece as read, None for one that was not detected. Raises EditError if it cannot be
    there.
    """
    assert edit.kind is not None
    cell = edit.cell if edit.cell is not None or before is None else before.cell
    if before is None or edit.feature is not None:
        feature, rot = _feature_of(board, edit, cell, pack)
    if before is None:
        assert cell is not None  # else `_feature_of` has raised
        u, v = turned_point(feature.spot_of(edit.kind), rot)
        at = board.frame.lattice_point((cell[0] + u, cell[1] + v))
        piece = SeenPiece(
            PieceReading(edit.kind, edit.color, edit.pose, (0.0, 0.0), at, 1.0), cell, feature.id
        )
    elif edit.feature is not None:
        piece = replace(before, cell=cell, feature=feature.id, corner=None)
    else:
        piece = before
    sure = replace(
        piece.reading,
        kind=edit.kind,
        color=edit.color,
        pose=edit.pose,
        confidence=1.0,
        color_probs={edit.color: 1.0} if edit.color else {},
        sort_probs={},
    )
    return replace(piece, reading=sure, options={})


def _feature_of(board: SolvedBoard, edit: PieceEdit, cell: Cell | None, pack: Pack) -> tuple[Feature, int]:
    """Return the feature on which an edit puts a piece, and the rotation of its tile in degrees.

    Raises EditError if there is no such feature or it takes no such piece.
    """
    tile = next((tile for tile in board.tiles if tile.cell == cell and tile.face is not None), None)
    if tile is None or tile.face is None:
        raise EditError("a piece stands on a known tile")
    feature = pack.designs[tile.face.design].tile.feature(edit.feature or "")
    if feature is None:
        raise EditError(f"the tile has no feature {edit.feature!r}")
    if edit.kind != OTHER and (edit.kind, edit.pose) not in features_take(takes_of(pack), feature.kind):
        raise EditError(f"no such piece may be on a {feature.kind}")
    return feature, tile.face.rot


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
