"""Pipeline: the main path of vision, from a `Frame` to an `Observation`.

Photographs, recorded sessions, cameras and benchmarks all run `Pipeline.observe`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point, turned_point
from engine.pack import Pack
from engine.tiles.pieces import TRAITS, PieceKind
from models import load
from vision.board_finder import BoardFinder, BoardState, LocatedBoard, share_known
from vision.change.small_picture import Changes, SmallPicture
from vision.change.stillness import Stillness
from vision.joint.sides import SideReader
from vision.observation import BoardPose, CellReading, Frame, Observation, PieceReading, Sight
from vision.pieces.cover import covered_parts
from vision.pieces.feature_assignment import colors_of, kinds_of, outside_of
from vision.pieces.piece_reader import LEAST, PieceReader, place_in_tiles
from vision.pipeline_params import PARAMS
from vision.probability import with_evidence
from vision.stage_timer import StageTimer
from vision.tiles.board_reader import BoardReader, is_certain
from vision.tiles.face_check import BLOCKS, FaceCheck
from vision.tiles.gallery import Gallery
from vision.tokens.params import PARAMS as TOKENS
from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader
from vision.unknown_tiles import LIKELIER, claimed_tiles

if TYPE_CHECKING:
    from vision.squares.pipeline import SquareBoardPipeline


def least_hinted() -> Mapping[PieceKind, float]:
    """Return the minimum probability of a hint, by kind of piece; flat kinds are left out.
    It is lower for players' pieces, because the rules limit where a player may have put one, and higher for
    shared pieces, whose number the rules know."""
    owned, unowned = PARAMS.least_hinted_owned, PARAMS.least_hinted
    return {kind: owned if traits.owned else unowned for kind, traits in TRAITS.items() if not traits.flat}


class Pipeline:
    """Observes one table frame by frame.
    Without a gallery the tiles are only located; the pack gives the kinds and colours of pieces.

    Its state (last pose, appearance of each cell) only saves time while the camera is at rest. Combining the
    frames is left to the turn inference.
    """

    def __init__(self, gallery: Gallery | None, pack: Pack | None = None, *, discs: bool = False) -> None:
        """``discs``: other pieces, such as discs or stones, are the game's meeples."""
        self._gallery = gallery
        self._pack = pack
        self._fixed = _square_board_pipeline(gallery, pack) if gallery and pack and pack.quarters else None
        kinds, colors = (kinds_of(pack), colors_of(pack)) if pack is not None else (None, None)
        token_faces = TokenFaces.of(pack, load("descriptor")) if pack is not None else None
        self._tokens = TokenReader(token_faces, load("tokens")) if token_faces is not None else None
        least = least_hinted() if self._tokens is None else {**least_hinted(), "token": TOKENS.least_asked}
        outside = outside_of(pack) if pack is not None else None
        networks = load("pieces"), load("looks")
        self._pieces = PieceReader(*networks, kinds, colors, least, outside, discs=discs)
        self._reader = BoardReader(gallery, load("descriptor")) if gallery is not None else None
        self._check = FaceCheck(gallery, load("descriptor")) if gallery is not None else None
        self._sides = SideReader(gallery.designs, pack) if gallery is not None and pack is not None else None
        self._finder = BoardFinder(gallery, self._reader)
        self._board = BoardState()
        self._last: SmallPicture | None = None
        self._stillness = Stillness()

    def observe(self, frame: Frame) -> Observation:
        """Return the observation of one frame, and keep the state that the next one starts from."""
        if self._fixed is not None:
            return self._fixed.observe(frame)
        timer = StageTimer()
        motion = self._moved(frame, timer)
        unsettled_px = self._stillness.unsettled_px()
        seen, self._board = self._finder.find(frame.sight, self._board, unsettled_px, timer)
        return self._observation(frame, motion, seen, timer)

    def glance(self, frame: Frame) -> Observation | None:
        """Observe a first frame if the gallery recognises the board without a thorough search.
        Otherwise None is returned, much sooner. A board of squares is always searched; None if it is not
        found."""
        if self._fixed is not None:
            told = self._fixed.observe(frame)
            return told if told.pose is not None else None
        timer = StageTimer()
        motion = self._moved(frame, timer)
        first = self._finder.first(frame.sight, self._board, timer)
        if share_known(first.cells) < PARAMS.recognised_share:
            return None
        unsettled_px = self._stillness.unsettled_px()
        seen, self._board = self._finder.recover(frame.sight, self._board, first, unsettled_px, timer)
        return self._observation(frame, motion, seen, timer)

    def _moved(self, frame: Frame, timer: StageTimer) -> float:
        """Return the share of the board, 0..1, that changed since the last frame; 1 for the first.
        The frame is stored as the last one."""
        with timer("motion"):
            look = frame.sight.once(SmallPicture.of)
            changes = Changes.between(self._last, look)
            self._last = look
            self._stillness.see(frame.sight, frame.t_s)
        return changes.share(self._board.located.prior) if changes is not None else 1.0

    def _observation(self, frame: Frame, motion: float, seen: LocatedBoard, timer: StageTimer) -> Observation:
        """Read the pieces on the board ``seen``, check its faces, and assemble the observation.
        ``motion`` is the share of the board that changed, 0..1."""
        designs = self._gallery.designs if self._gallery is not None else ()
        pieces: tuple[PieceReading, ...] = ()
        hints: tuple[PieceReading, ...] = ()
        unsettled = 0.0
        if seen.pose is not None:
            with timer("pieces"):
                pieces, hints = self._pieces_on(frame.sight, seen)
            if self._reader is not None and self._check is not None:
                with timer("tiles"):
                    before = seen
                    pose, cells, unknown = claimed_tiles(
                        frame.sight, seen.pose, seen.cells, seen.unknown, pieces, self._reader
                    )
                    seen = replace(seen, pose=pose, cells=cells, unknown=unknown)
                    pieces = tuple(_relocated_in_tile(piece, seen, before) for piece in pieces)
                    solid = [piece for piece in pieces if not TRAITS[piece.kind].flat]
                    covered = covered_parts(pose, pose.quads, solid, BLOCKS)
                    seen = replace(seen, cells=self._check.checked(frame.sight, cells, covered))
                    seen = self._with_sides(frame.sight, seen, covered)
            unsettled = seen.unsettled(self._stillness.unsettled_px())
        return Observation(
            frame.index,
            frame.t_s,
            seen.pose,
            designs,
            seen.cells,
            pieces,
            motion,
            timer.ms,
            hints,
            unsettled,
            seen.unknown,
        )

    def _with_sides(
        self, sight: Sight, seen: LocatedBoard, covered: Mapping[Cell, NDArray[np.bool_]]
    ) -> LocatedBoard:
        """Return a board with the sides of its doubtful tiles read; cells that show none lose their tile.
        ``covered`` are masks of the parts of tiles that pieces cover."""
        if self._sides is None:
            return seen
        doubtful = {cell for cell, chance in seen.unknown.items() if chance > LIKELIER}
        doubtful |= {cell for cell, one in seen.cells.items() if one.log_tile > 0 and not is_certain(one)}
        cells = self._sides.read(sight, seen.cells, doubtful, covered)
        unknown = {
            cell: with_evidence(chance, cells[cell].log_tile - seen.cells[cell].log_tile)
            for cell, chance in seen.unknown.items()
        }
        return replace(seen, cells=cells, unknown=unknown)

    def _pieces_on(
        self, sight: Sight, seen: LocatedBoard
    ) -> tuple[tuple[PieceReading, ...], tuple[PieceReading, ...]]:
        """Read the pieces on and beside a board: those reported, and hints (probability below one half)."""
        assert seen.pose is not None
        pose, cells = seen.pose, seen.cells
        faces = self._reader.faces(cells) if self._reader is not None else None
        pieces = self._pieces.read(sight, _pose_without_bare_cells(seen), faces)
        unlikely = tuple(p for p in pieces if not TRAITS[p.kind].flat and p.confidence < LEAST)
        pieces = tuple(piece for piece in pieces if piece not in unlikely)
        hints: tuple[PieceReading, ...] = ()
        if self._tokens is not None:
            pieces, hints = self._tokens.read(sight, pose, cells, pieces, faces or {}, self._spots_of)
        side_px = pose.tile_side_px
        return (
            tuple(self._dated(piece, side_px) for piece in pieces),
            tuple(self._dated(piece, side_px) for piece in (*hints, *unlikely)),
        )

    def _dated(self, piece: PieceReading, tile_side_px: float) -> PieceReading:
        """Return a piece with the time since which its place has looked the same.
        The place is a square around it, measured by ``tile_side_px``."""
        # Little of an animal tile behind a meeple is visible, so any change of its place counts.
        flat = TRAITS[piece.kind].flat
        reach = PARAMS.token_reach_sides if flat else PARAMS.piece_reach_sides
        share = 0.0 if flat else PARAMS.unchanged_share
        return replace(piece, since_s=self._stillness.since_s(piece.point_px, reach * tile_side_px, share))

    def _spots_of(self, reading: CellReading) -> tuple[Point, ...]:
        """Return the spots of pieces on the features of a cell's likeliest face; () without gallery or pack.
        They are in tile sides from the cell's north-west."""
        if self._gallery is None or self._pack is None:
            return ()
        design, turn = divmod(int(reading.log_probs.argmax()), 4)
        features = self._pack.designs[self._gallery.designs[design]].tile.features
        spots = dict.fromkeys(spot for f in features for spot in f.spots)
        return tuple(turned_point(spot, 90 * turn) for spot in spots)


def _square_board_pipeline(gallery: Gallery, pack: Pack) -> SquareBoardPipeline:
    """Create the pipeline of a board of squares."""
    from vision.squares.pipeline import SquareBoardPipeline  # deferred: rarely needed

    return SquareBoardPipeline(gallery, pack)


def _relocated_in_tile(piece: PieceReading, found: LocatedBoard, before: LocatedBoard) -> PieceReading:
    """Return a piece with its lattice point recomputed by its tile's corners, if that tile is new.
    It is new if ``found`` has it and ``before`` does not; else the piece is unchanged."""
    if piece.cell not in found.cells or piece.cell in before.cells or found.pose is None:
        return piece
    place = place_in_tiles(found.pose, np.array(piece.lattice_xy), np.array(piece.point_px))
    return replace(piece, lattice_xy=place) if place is not None else piece


def _pose_without_bare_cells(seen: LocatedBoard) -> BoardPose:
    """Return the pose without outlines that are likelier bare table; unchanged if none or all are."""
    assert seen.pose is not None
    pose, bare = seen.pose, {cell for cell, chance in seen.unknown.items() if chance <= LIKELIER}
    tiles = {cell: quad for cell, quad in pose.quads.items() if cell not in bare}
    return replace(pose, quads=tiles) if tiles and len(tiles) < len(pose.quads) else pose
