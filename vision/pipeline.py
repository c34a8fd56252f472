"""Pipeline, the main path of vision: a `Frame` goes in, an `Observation` comes out.

A photo, a recorded session, a camera and the benchmarks all run `Pipeline.observe`; a stage's time
is taken by the wrapper around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.geometry import Point, turned_point
from engine.pack import Pack
from engine.tiles.pieces import TRAITS, PieceKind
from models import load
from vision.board_finder import BoardFinder, BoardState, LocatedBoard, share_known
from vision.change.small_picture import Changes, SmallPicture
from vision.change.stillness import Stillness
from vision.geometry.rectify import Pyramid
from vision.observation import BoardPose, CellReading, Frame, Observation, PieceReading
from vision.pieces.cover import covered_parts
from vision.pieces.feature_assignment import colors_of, kinds_of, outside_of
from vision.pieces.piece_reader import LEAST, PieceReader, place_in_tiles
from vision.pipeline_params import PARAMS
from vision.stage_timer import StageTimer
from vision.tiles.board_reader import BoardReader
from vision.tiles.face_check import FaceCheck
from vision.tiles.face_colors import BLOCKS
from vision.tiles.gallery import Gallery
from vision.tokens.params import PARAMS as TOKENS
from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import TokenReader
from vision.unknown_tiles import LIKELIER

if TYPE_CHECKING:
    from vision.squares.pipeline import FixedBoardEye


def least_hinted() -> Mapping[PieceKind, float]:
    """The probability from which a piece of each kind is told as a hint. Who knows where a player may have
    put one need not be shown it as plainly; who knows how many there are of those that nobody owns may take
    one for one of them."""
    owned, unowned = PARAMS.least_hinted_owned, PARAMS.least_hinted
    return {kind: owned if traits.owned else unowned for kind, traits in TRAITS.items() if not traits.flat}


class Pipeline:
    """Sees one table, frame after frame. Without a gallery the tiles are only located; the pack says
    which kinds of piece there are.

    It remembers the last pose and how each cell looked, so that a camera at rest costs little, and
    nothing else: what the frames mean together is the turn inference's business.
    """

    def __init__(self, gallery: Gallery | None, pack: Pack | None = None) -> None:
        self._gallery = gallery
        self._pack = pack
        self._fixed = _fixed_eye(gallery, pack) if gallery and pack and pack.quarters else None
        kinds, colors = (kinds_of(pack), colors_of(pack)) if pack is not None else (None, None)
        token_faces = TokenFaces.of(pack, load("descriptor")) if pack is not None else None
        self._tokens = TokenReader(token_faces, load("tokens")) if token_faces is not None else None
        least = least_hinted() if self._tokens is None else {**least_hinted(), "token": TOKENS.least_asked}
        outside = outside_of(pack) if pack is not None else None
        self._pieces = PieceReader(load("pieces"), load("looks"), kinds, colors, least, outside)
        self._reader = BoardReader(gallery, load("descriptor")) if gallery is not None else None
        self._check = FaceCheck(gallery, load("descriptor")) if gallery is not None else None
        self._finder = BoardFinder(gallery, self._reader)
        self._board = BoardState()
        self._last: SmallPicture | None = None
        self._stillness = Stillness()

    def observe(self, frame: Frame) -> Observation:
        """All that this frame says about the table."""
        if self._fixed is not None:
            return self._fixed.observe(frame)
        timer = StageTimer()
        motion = self._moved(frame, timer)
        unsettled_px = self._stillness.unsettled_px()
        picture = Pyramid(frame.image)
        seen, self._board = self._finder.find(picture, self._board, unsettled_px, timer)
        return self._observation(frame, picture, motion, seen, timer)

    def glance(self, frame: Frame) -> Observation | None:
        """The observation of a first frame, where the gallery recognises the board that is seen at first
        sight; None, much sooner, where it does not: it may be another gallery's."""
        if self._fixed is not None:
            told = self._fixed.observe(frame)
            return told if told.pose is not None else None
        timer = StageTimer()
        motion = self._moved(frame, timer)
        picture = Pyramid(frame.image)
        first = self._finder.first(picture, self._board, timer)
        if share_known(first.cells) < PARAMS.recognised_share:
            return None
        unsettled_px = self._stillness.unsettled_px()
        seen, self._board = self._finder.recovered(picture, self._board, first, unsettled_px, timer)
        return self._observation(frame, picture, motion, seen, timer)

    def _moved(self, frame: Frame, timer: StageTimer) -> float:
        """Share of the board that changed since the last frame; from now on this is the last frame."""
        with timer("motion"):
            look = SmallPicture.of(frame.image)
            changes = Changes.between(self._last, look)
            self._last = look
            self._stillness.see(frame.image, frame.t_s)
        return changes.share(self._board.located.prior) if changes is not None else 1.0

    def _observation(
        self, frame: Frame, picture: Pyramid, motion: float, seen: LocatedBoard, timer: StageTimer
    ) -> Observation:
        """The observation of a board, with the pieces on it."""
        designs = self._gallery.designs if self._gallery is not None else ()
        pieces: tuple[PieceReading, ...] = ()
        hints: tuple[PieceReading, ...] = ()
        unsettled = 0.0
        if seen.pose is not None:
            with timer("pieces"):
                pieces, hints = self._pieces_on(frame, seen)
            found = self._finder.under_pieces(picture, seen, pieces, timer)
            pieces = tuple(_placed_on(piece, found, seen) for piece in pieces)
            seen = self._checked(picture, found, pieces, timer)
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

    def _pieces_on(
        self, frame: Frame, seen: LocatedBoard
    ) -> tuple[tuple[PieceReading, ...], tuple[PieceReading, ...]]:
        """The pieces on a board and beside it, and those that are less likely than not."""
        assert seen.pose is not None
        pose, cells = seen.pose, seen.cells
        faces = self._reader.faces(cells) if self._reader is not None else None
        pieces = self._pieces.read(frame.image, _of_tiles(seen), faces)
        unlikely = tuple(p for p in pieces if not TRAITS[p.kind].flat and p.confidence < LEAST)
        pieces = tuple(piece for piece in pieces if piece not in unlikely)
        hints: tuple[PieceReading, ...] = ()
        if self._tokens is not None:
            pieces, hints = self._tokens.read(frame.image, pose, cells, pieces, faces or {}, self._spots_of)
        side_px = pose.tile_side_px
        return (
            tuple(self._dated(piece, side_px) for piece in pieces),
            tuple(self._dated(piece, side_px) for piece in (*hints, *unlikely)),
        )

    def _checked(
        self, picture: Pyramid, seen: LocatedBoard, pieces: Sequence[PieceReading], timer: StageTimer
    ) -> LocatedBoard:
        """The board with its faces checked, now that it is known what pieces cover."""
        assert seen.pose is not None
        if self._check is None:
            return seen
        with timer("tiles"):
            solid = [piece for piece in pieces if not TRAITS[piece.kind].flat]
            covered = covered_parts(seen.pose, seen.pose.quads, solid, BLOCKS)
            return replace(seen, cells=self._check.checked(picture, seen.cells, covered))

    def _dated(self, piece: PieceReading, tile_side_px: float) -> PieceReading:
        """A piece with since when its place looks so."""
        # An animal tile may peep out a little behind a meeple: the least change of its place counts.
        flat = TRAITS[piece.kind].flat
        reach = PARAMS.token_reach_sides if flat else PARAMS.piece_reach_sides
        share = 0.0 if flat else PARAMS.unchanged_share
        return replace(piece, since_s=self._stillness.since_s(piece.point_px, reach * tile_side_px, share))

    def _spots_of(self, reading: CellReading) -> tuple[Point, ...]:
        """Places of pieces on the features of a cell's likeliest face, in sides from its north-west."""
        if self._gallery is None or self._pack is None:
            return ()
        design, turn = divmod(int(reading.log_probs.argmax()), 4)
        features = self._pack.designs[self._gallery.designs[design]].tile.features
        spots = dict.fromkeys(spot for f in features for spot in f.spots)
        return tuple(turned_point(spot, 90 * turn) for spot in spots)


def _fixed_eye(gallery: Gallery, pack: Pack) -> FixedBoardEye:
    from vision.squares.pipeline import FixedBoardEye  # late: most tables have no board of squares

    return FixedBoardEye(gallery, pack)


def _placed_on(piece: PieceReading, found: LocatedBoard, before: LocatedBoard) -> PieceReading:
    """The piece by the corners of its own tile, where that was found after it was placed by the lattice."""
    if piece.cell not in found.cells or piece.cell in before.cells or found.pose is None:
        return piece
    place = place_in_tiles(found.pose, np.array(piece.lattice_xy), np.array(piece.point_px))
    return replace(piece, lattice_xy=place) if place is not None else piece


def _of_tiles(seen: LocatedBoard) -> BoardPose:
    """The pose without the outlines that are no tiles: what stands there stands beside the board."""
    assert seen.pose is not None
    pose, bare = seen.pose, {cell for cell, chance in seen.unknown.items() if chance <= LIKELIER}
    tiles = {cell: quad for cell, quad in pose.quads.items() if cell not in bare}
    return replace(pose, quads=tiles) if tiles and len(tiles) < len(pose.quads) else pose
