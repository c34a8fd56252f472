"""Board of one photograph: converts an `Observation` to tiles and pieces in the game's frame.

All tiles are solved jointly (`vision.joint.belief_propagation`). `tilesight photo` prints the result, the
overlay draws it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from engine.geometry import CORNERS, EDGES, Cell, Corner, Point, cell_of, neighbour, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OTHER, OUTSIDE, PieceKind, Sort
from vision.geometry.homography import apply_homography
from vision.geometry.lattice import cell_corners
from vision.geometry.lattice_frame import LatticeFrame
from vision.geometry.ortho import px_in_quad
from vision.joint.belief_propagation import Face, JointPosterior, frame_of_board, joint_posterior
from vision.locate.occupancy import joined_cells
from vision.observation import BoardPose, Observation, PieceReading, Quad
from vision.pieces.feature_assignment import (
    feature_at,
    outside_of,
    places_of,
    sort_feature_nats,
    takes_of,
)
from vision.pieces.params import PARAMS as PIECES
from vision.pieces.piece_reader import LEAST
from vision.pieces.place_choice import share_among
from vision.pipeline_params import PARAMS
from vision.probability import log_sum_exp
from vision.tiles.params import PARAMS as TILES
from vision.unknown_tiles import LIKELIER

Option: TypeAlias = tuple[Sort, str | None]
"""Sort of a piece and its place on a tile: the id of a feature, or a corner with an animal tile."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenTile:
    """One tile of the board in the game's frame.

    ``corners_px`` (4, 2) are the tile's own nw, ne, se, sw if ``face`` is known, else clockwise from the
    corner nearest the image's upper left. ``alternatives`` are other faces with their probabilities.
    """

    cell: Cell
    face: Face | None
    confidence: float
    corners_px: Quad
    alternatives: tuple[tuple[Face, float], ...] = ()


def reported_alternatives(tile: SeenTile) -> tuple[tuple[Face, float], ...]:
    """Return a tile's alternative faces, likeliest first (docs/formats.md, 'Output of photo').
    () if its confidence reaches `believed_face`."""
    return tile.alternatives if tile.confidence < TILES.believed_face else ()


@dataclass(frozen=True, slots=True, eq=False)
class SeenPiece:
    """One piece in the game's frame; ``cell`` is None off the board.

    ``corner`` is set for an animal tile on a corner of ``cell``, and for a meeple on such a tile; an animal
    tile without a corner is a bonus tile on ``feature``.
    """

    reading: PieceReading
    cell: Cell | None
    feature: str | None
    corner: Corner | None = None
    options: Mapping[Option, float] = field(default_factory=dict)
    """Joint probabilities of (sort, feature or corner), if computed."""

    @property
    def color_confidence(self) -> float:
        """Probability of the reported colour, given that there is a piece; 1 if no colours were read."""
        return self.reading.color_probs.get(self.reading.color or "", 1.0)

    @property
    def pose_confidence(self) -> float:
        """Probability of the reported kind and pose, given that there is a piece; 1 if not computed."""
        told = self.reading.kind, self.reading.pose
        shares = [share for (sort, _), share in self.options.items() if sort == told]
        return sum(shares) if self.options else self.reading.sort_probs.get(told, 1.0)

    def as_option(self, option: Option) -> SeenPiece:
        """Return a copy with the kind, pose and place of ``option``, which is one of its ``options``."""
        (kind, pose), place = option
        corner = CORNERS[CORNERS.index(place)] if place in CORNERS else None
        reading = replace(self.reading, kind=kind, pose=pose)
        return replace(self, reading=reading, feature=None if corner else place, corner=corner)


@dataclass(frozen=True, slots=True, eq=False)
class SolvedBoard:
    """The board of one photograph, solved from its ``observation``. ``frame`` converts from its lattice to
    the game's frame; ``unlikely`` are pieces with a probability below one half. ``joint`` has no corrections,
    ``hidden`` are probabilities of hidden tiles, each if one lies beside it."""

    tiles: tuple[SeenTile, ...]
    pieces: tuple[SeenPiece, ...]
    frame: LatticeFrame
    unlikely: tuple[SeenPiece, ...] = ()
    observation: Observation | None = field(default=None, repr=False)
    joint: JointPosterior | None = field(default=None, repr=False)
    hidden: Mapping[Cell, float] = field(default_factory=dict)

    def with_face(self, cell: Cell, face: Face | None, pack: Pack) -> SolvedBoard:
        """Return a copy with ``face`` on the tile at ``cell``; pieces there get their feature again."""
        tiles = {t.cell: replace(t, face=face) if t.cell == cell else t for t in self.tiles}
        return self._with_tiles(tiles, cell, pack)

    def with_tile(self, tile: SeenTile, pack: Pack) -> SolvedBoard:
        """Return a copy with ``tile`` added or replaced; pieces in its cell get their feature again."""
        return self._with_tiles({**{t.cell: t for t in self.tiles}, tile.cell: tile}, tile.cell, pack)

    def without_tile(self, cell: Cell, pack: Pack) -> SolvedBoard:
        """Return a copy without the tile at ``cell``; the pieces that were on it are off the board."""
        return self._with_tiles({t.cell: t for t in self.tiles if t.cell != cell}, cell, pack)

    def _with_tiles(self, tiles: Mapping[Cell, SeenTile], cell: Cell, pack: Pack) -> SolvedBoard:
        """Return a copy with other ``tiles``, by cell; pieces in ``cell`` are assigned to features again."""
        corners = {
            (p.cell, p.corner) for p in self.pieces if p.reading.kind == "token" and p.cell and p.corner
        }
        pieces = tuple(
            _placed(p.reading, self.frame, tiles, pack, corners)
            if cell in (p.cell, _place(p.reading, self.frame)[0])
            else p
            for p in self.pieces
        )
        ordered = sorted(tiles.values(), key=lambda t: (t.cell[1], t.cell[0]))
        return replace(self, tiles=tuple(ordered), pieces=pieces)

    def laid(self, pack: Pack) -> Mapping[Cell, Laid]:
        """Return the tiles with known faces as the engine's `Laid`, by cell."""
        return {
            t.cell: Laid(pack.designs[t.face.design], t.face.rot) for t in self.tiles if t.face is not None
        }

    def called(self, piece: SeenPiece, pack: Pack | None) -> str | None:
        """Return the feature under a piece as kind and id ('road r0'), or None if it is on none.
        The id alone is returned if there is no pack or the tile's face is not known."""
        if piece.feature is None or pack is None:
            return piece.feature
        face = next((tile.face for tile in self.tiles if tile.cell == piece.cell), None)
        return piece.feature if face is None else pack.designs[face.design].tile.called(piece.feature)

    def standing(self) -> tuple[Standing, ...]:
        """Return the pieces as the engine's `Standing`, without those off the board or of no known kind."""
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
            if p.cell is not None and p.reading.kind != OTHER
        )


def see_board(
    observation: Observation, pack: Pack | None, start: Mapping[str, Cell] | None = None
) -> SolvedBoard:
    """Solve the tiles of one observation jointly, and assign its pieces to cells and features.

    Without a pack the tiles are only located: ``face`` is None and no piece has a feature. Without a pose the
    board is empty. ``start`` is an argument of `frame_of_board`.
    """
    if (pose := observation.pose) is None:
        return SolvedBoard((), (), LatticeFrame((0, 0), 0))
    joint = None
    if pack is None:
        frame = frame_of_board(pose, pose.quads)
        seen = [
            SeenTile(frame.cell(cell), None, pose.confidence, _from_upper_left(quad))
            for cell, quad in pose.quads.items()
        ]
    else:
        readings = {cell: observation.cells[cell] for cell in joined_tiles(observation)}
        joint = joint_posterior(readings, observation.designs, pack, {})
        every = joint.solved(observation.designs)
        solved = {cell: one for cell, one in every.items() if one.unexplained <= LIKELIER}
        frame = frame_of_board(pose, solved, solved, pack, start)
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
        seen += _unread_start_cells(seen, pose, frame, pack)
        told = {tile.cell for tile in seen}
        seen += [
            SeenTile(
                frame.cell(cell),
                None,
                one.unexplained * observation.unknown.get(cell, 1.0),
                _from_upper_left(readings[cell].corners_px),
            )
            for cell, one in every.items()
            if frame.cell(cell) not in told
        ]
    tiles = {tile.cell: tile for tile in sorted(seen, key=lambda t: (t.cell[1], t.cell[0]))}
    lying = {_place(r, frame) for r in observation.pieces if r.kind == "token"}
    corners = {(cell, corner) for cell, (u, v) in lying if (corner := _covered_corner(u, v)) is not None}
    pieces = tuple(_placed(reading, frame, tiles, pack, corners) for reading in observation.pieces)
    if pack is not None:
        for kind, number in outside_of(pack).items():
            rivals = [_placed(r, frame, tiles, pack, corners) for r in observation.hints if r.kind == kind]
            pieces = _limited_to_supply(pieces, rivals, kind, number)
        pieces = (*pieces, *_tokens_under_meeples(pieces, corners, tiles, pack))
    unlikely = tuple(
        _placed(reading, frame, tiles, pack, corners)
        for reading in observation.hints
        if reading.kind not in OUTSIDE and reading.kind != "token"
    )
    return SolvedBoard(tuple(tiles.values()), pieces, frame, unlikely, observation, joint)


def _unread_start_cells(
    seen: Sequence[SeenTile], pose: BoardPose, frame: LatticeFrame, pack: Pack
) -> list[SeenTile]:
    """Return the cells of a start tile of several cells that were not read, as pieces may occlude them.
    They follow from those in ``seen``; empty if none of these is sure."""
    start = {cell: design.id for cell, design in pack.start_designs}
    faces = {tile.cell: tile.face.design for tile in seen if tile.face is not None}
    there = [tile for tile in seen if tile.cell in start and faces.get(tile.cell) == start[tile.cell]]
    confidence = max((tile.confidence for tile in there), default=0.0)
    if confidence < TILES.believed_face:
        return []
    rest = []
    for cell, design in start.items():
        square = cell_corners([frame.lattice_cell(cell)])
        quad = apply_homography(pose.H_px_from_lattice, np.roll(square, -frame.quarter_turns, axis=0))
        middle = quad.mean(axis=0)
        if cell not in faces and (middle > 0).all() and (middle < pose.image_size_wh).all():
            rest.append(SeenTile(cell, Face(design, 0), confidence, quad.astype(np.float32)))
    return rest


def _limited_to_supply(
    pieces: tuple[SeenPiece, ...], unlikely: Sequence[SeenPiece], kind: PieceKind, number: int
) -> tuple[SeenPiece, ...]:
    """Limit the pieces of a kind that stands on empty cells to ``number``, that of the game.

    All candidates, the ``unlikely`` ones included, are weighed jointly (`vision.pieces.place_choice`). Of the
    ``number`` likeliest, those that were likely by themselves are kept with their new confidence, others only
    if they are now likelier than not.
    """
    best: dict[Cell, SeenPiece] = {}
    for piece in sorted((*pieces, *unlikely), key=lambda p: -p.reading.confidence):
        if piece.reading.kind == kind and piece.cell is not None:
            best.setdefault(piece.cell, piece)  # one per cell
    sure = share_among({cell: piece.reading.confidence for cell, piece in best.items()}, number)
    likeliest = sorted(sure, key=lambda cell: -sure[cell])[:number]
    told = {
        id(best[cell]): sure[cell]
        for cell in likeliest
        if sure[cell] >= LEAST or best[cell].reading.confidence >= LEAST
    }
    kept = [p for p in pieces if p.reading.kind != kind or p.cell is None or id(p) in told]
    kept += [p for p in unlikely if id(p) in told]
    return tuple(
        replace(p, reading=replace(p.reading, confidence=told[id(p)])) if id(p) in told else p for p in kept
    )


def _tokens_under_meeples(
    pieces: Sequence[SeenPiece],
    covered: Collection[tuple[Cell, Corner]],
    tiles: Mapping[Cell, SeenTile],
    pack: Pack,
) -> list[SeenPiece]:
    """Return an animal tile for each meeple on a corner that has no detected one.
    ``covered`` are the corners with detected animal tiles."""
    found = []
    for piece in pieces:
        if piece.reading.kind != "meeple" or piece.cell is None or piece.corner is None:
            continue
        tile = tiles[piece.cell]
        if (piece.cell, piece.corner) in covered or tile.face is None:
            continue
        u, v = pack.token_spot(piece.corner)
        own = turned_point((u, v), -tile.face.rot % 360)
        place = (piece.cell[0] + u, piece.cell[1] + v)
        px = px_in_quad(tile.corners_px, own)
        reading = PieceReading("token", None, "lying", px, place, piece.reading.confidence)
        found.append(SeenPiece(reading, piece.cell, None, piece.corner))
    return found


def joined_tiles(observation: Observation) -> set[Cell]:
    """The largest connected set of cells with a known face or an unknown tile.

    Parts that are one cell apart count as connected, because a hand may occlude the tile between them.
    """
    left = {cell for cell, reading in observation.cells.items() if reading.log_tile > 0}
    left |= {cell for cell, chance in observation.unknown.items() if chance > LIKELIER}
    bridges = {neighbour(cell, edge) for cell in left for edge in EDGES} - left
    largest: set[Cell] = set()
    while left:
        joined = joined_cells(left | bridges, {min(left)}) & left
        left -= joined
        largest = max(largest, joined, key=len)
    return largest


def _place(reading: PieceReading, frame: LatticeFrame) -> tuple[Cell, Point]:
    """The cell of a piece in the game's frame, and its point in the cell, 0..1 from the north-west."""
    x, y = frame.point(reading.lattice_xy)
    cell = cell_of((x, y))
    return cell, (x - cell[0], y - cell[1])


def _placed(
    reading: PieceReading,
    frame: LatticeFrame,
    tiles: Mapping[Cell, SeenTile],
    pack: Pack | None,
    covered: Collection[tuple[Cell, Corner]],
) -> SeenPiece:
    """Return a piece with its cell and feature; ``covered`` are the corners with detected animal tiles.

    Kinds in `engine.tiles.pieces.OUTSIDE` stand on an empty cell adjacent to a tile, every other kind on a
    tile. Pieces that do neither are off the board: their cell is None.
    """
    cell, (u, v) = _place(reading, frame)
    tile = tiles.get(cell)
    if reading.kind in OUTSIDE:
        beside = tile is None and any(neighbour(cell, edge) in tiles for edge in EDGES)
        return SeenPiece(reading, cell if beside else None, None)
    if tile is None:
        return SeenPiece(reading, None, None)
    corner = _covered_corner(u, v) if reading.kind == "token" else None
    if pack is None or tile.face is None or corner is not None:
        return SeenPiece(reading, cell, None, corner)
    design, rot, takes = pack.designs[tile.face.design], tile.face.rot, takes_of(pack)
    sorts, corners = {} if reading.kind == OTHER else reading.sort_probs, {}
    if reading.kind == "meeple" and pack.tokens:
        sorts = sorts or {(reading.kind, reading.pose): 1.0}
        corners = _corner_nats((u, v), cell, sorts, pack, covered)
    nats = corners | sort_feature_nats(design, rot, (u, v), sorts, takes, places_of(pack))
    if nats:
        piece = SeenPiece(reading, cell, None, options=_shares(nats))
        return piece.as_option(max(nats, key=lambda option: nats[option]))
    feature = None if sorts else feature_at(design, rot, (u, v), takes, reading.kind, reading.pose)
    return SeenPiece(reading, cell, feature)


def _shares(nats: Mapping[Option, float]) -> dict[Option, float]:
    """Return the options' probabilities, which add up to 1, from their unnormalised log-probabilities."""
    total = float(log_sum_exp(np.array(list(nats.values()))))
    return {option: math.exp(told - total) for option, told in nats.items()}


def _corner_nats(
    uv: Point, cell: Cell, sorts: Mapping[Sort, float], pack: Pack, covered: Collection[tuple[Cell, Corner]]
) -> dict[Option, float]:
    """Return the unnormalised log-probability, as of `sort_feature_nats`, that a meeple at ``uv`` stands on
    the nearest corner's animal tile. ``covered`` are the corners with detected animal tiles."""
    corner = _nearest_corner(*uv)
    sort: Sort = ("meeple", "standing")
    nats = math.log(max(sorts.get(sort, 0.0), 1e-6)) - math.log(places_of(pack)[sort])
    nats -= PIECES.nats_per_side * math.dist(uv, pack.token_spot(corner))
    return {(sort, corner): nats - (0.0 if (cell, corner) in covered else PARAMS.hidden_nats)}


def _covered_corner(u: float, v: float) -> Corner | None:
    """Return the corner that an animal tile with its centre at ``(u, v)`` of a cell covers, or None."""
    if max(min(u, 1.0 - u), min(v, 1.0 - v)) > PARAMS.token_reach_sides:
        return None
    return _nearest_corner(u, v)


def _nearest_corner(u: float, v: float) -> Corner:
    """Return the corner of a cell that is nearest to its point ``(u, v)``."""
    rows: tuple[tuple[Corner, Corner], ...] = (("nw", "ne"), ("sw", "se"))
    return rows[v >= 0.5][u > 0.5]


def _from_upper_left(quad: Quad) -> Quad:
    """Reorder the corners (4, 2) clockwise from the one nearest the image's upper left."""
    return np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0)
