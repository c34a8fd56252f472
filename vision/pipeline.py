"""Pipeline, the main path of vision: a `Frame` goes in, an `Observation` comes out.

A photo, a recorded session, a camera and the benchmarks all run `Pipeline.observe`; a stage's time
is taken by the wrapper around it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from engine.geometry import Cell, Point, turned_point
from engine.pack import Pack
from engine.tiles.pieces import TRAITS, PieceKind
from models import load
from vision.change.small_picture import Changes, SmallPicture
from vision.change.stillness import Stillness
from vision.grid.pipeline import FixedBoardEye
from vision.locate.locator import Locator, Place, locate, places_afresh
from vision.observation import BoardPose, CellReading, Frame, Image, Observation, PieceReading
from vision.pieces.feature_assignment import colors_of, kinds_of, outside_of
from vision.pieces.piece_reader import LEAST, PieceReader
from vision.tiles.board_reader import BoardReader, known_of, moved
from vision.tiles.gallery import Gallery
from vision.tokens.templates import TokenFaces
from vision.tokens.token_reader import LEAST_ASKED, TokenReader

Cells = Mapping[Cell, CellReading]
CONFIRMED, ASTRAY = 0.85, 0.05
"""The first board found is searched for thoroughly where fewer than this share of its outlines turn out to be
known faces, or where these lie further than this, in sides, from the outlines."""
MOSTLY = 0.5
"""So it is where the outlines were fewer than this share of the tiles that their faces then gave away."""
ADOPTIONS, READ_AGAIN = 2, 0.03
"""Where the faces lie further than this from the outlines, the board is read again from their corners."""
RECOGNISED = 0.6
"""Share of a located board's cells in which the gallery must know a face, else it is doubted."""
LEAST_HINTED: Mapping[PieceKind, float] = {
    kind: 0.01 if traits.owned else 0.1 for kind, traits in TRAITS.items() if not traits.flat
}
"""Pieces from here on are told as hints: who knows where a player may have put one need not be shown it as
plainly, and who knows how many there are of those that nobody owns may take one for one of them."""
DATED: Mapping[PieceKind, tuple[float, float]] = {
    kind: (0.3, 0.0) if traits.flat else (0.2, 0.25) for kind, traits in TRAITS.items()
}
"""About so far, in tile sides, reach pieces that are dated from where they stand, and what share of that need
not change when one comes: an animal tile may peep out a little behind a meeple."""
FEW_TILES = 4.0
"""Hands leave more of the picture unsettled than this, in areas of a tile; a turn leaves less."""
DOUBTS_BORNE = 3
"""So many doubtful frames in a row are borne while a board is in view: a hand goes away."""


class Pipeline:
    """Sees one table, frame after frame. Without a gallery the tiles are only located; the pack says
    which kinds of piece there are.

    It remembers the last pose and how each cell looked, so that a camera at rest costs little, and
    nothing else: what the frames mean together is the turn inference's business.
    """

    def __init__(self, gallery: Gallery | None, pack: Pack | None = None) -> None:
        self._gallery = gallery
        self._pack = pack
        self._fixed = FixedBoardEye(gallery, pack) if gallery and pack and pack.quarters else None
        self._locator = Locator.load()
        kinds, colors = (kinds_of(pack), colors_of(pack)) if pack is not None else (None, None)
        token_faces = TokenFaces.of(pack, load("descriptor")) if pack is not None else None
        self._tokens = TokenReader(token_faces, load("tokens")) if token_faces is not None else None
        least = LEAST_HINTED if self._tokens is None else {**LEAST_HINTED, "token": LEAST_ASKED}
        outside = outside_of(pack) if pack is not None else None
        self._pieces = PieceReader(load("pieces"), load("looks"), kinds, colors, least, outside)
        self._reader = BoardReader(gallery, load("descriptor")) if gallery is not None else None
        self._last: SmallPicture | None = None
        self._stillness = Stillness()
        self._pose: BoardPose | None = None
        self._outlined = 0
        self._known = 0
        self._doubts = 0

    def observe(self, frame: Frame) -> Observation:
        """All that this frame says about the table."""
        if self._fixed is not None:
            return self._fixed.observe(frame)
        stages: dict[str, float] = {}
        motion = self._moved(frame, stages)
        pose, cells = self._see_board(frame.image, stages)
        return self._told(frame, motion, pose, cells, stages)

    def glance(self, frame: Frame) -> Observation | None:
        """What `observe` says of a first frame, where the gallery recognises the board that is seen at first
        sight; None, much sooner, where it does not: it may be another gallery's."""
        if self._fixed is not None:
            seen = self._fixed.observe(frame)
            return seen if seen.pose is not None else None
        stages: dict[str, float] = {}
        motion = self._moved(frame, stages)
        first = self._see_at_first(frame.image, stages)
        if share_known(first[1]) < RECOGNISED:
            return None
        pose, cells = self._see_on(frame.image, first, None, None, stages)
        return self._told(frame, motion, pose, cells, stages)

    def _moved(self, frame: Frame, stages: dict[str, float]) -> float:
        """How much of the board changed since the last frame; from now on this is the last frame."""
        with _timed(stages, "motion"):
            look = SmallPicture.of(frame.image)
            changes = Changes.between(self._last, look)
            self._last = look
            self._stillness.see(frame.image, frame.t_s)
        return changes.share(self._pose) if changes is not None else 1.0

    def _told(
        self, frame: Frame, motion: float, pose: BoardPose | None, cells: Cells, stages: dict[str, float]
    ) -> Observation:
        """The observation of a board, with the pieces on it."""
        designs = self._gallery.designs if self._gallery is not None else ()
        pieces: tuple[PieceReading, ...] = ()
        hints: tuple[PieceReading, ...] = ()
        if pose is not None:
            with _timed(stages, "pieces"):
                faces = self._reader.faces(cells) if self._reader is not None else None
                pieces = self._pieces.read(frame.image, _of_tiles(pose, cells), faces)
                unlikely = tuple(p for p in pieces if p.kind in LEAST_HINTED and p.confidence < LEAST)
                pieces = tuple(piece for piece in pieces if piece not in unlikely)
                if self._tokens is not None:
                    pieces, hints = self._tokens.read(
                        frame.image, pose, cells, pieces, faces or {}, self._spots_of
                    )
                side_px = pose.tile_side_px
                pieces = tuple(self._dated(piece, side_px) for piece in pieces)
                hints = tuple(self._dated(piece, side_px) for piece in (*hints, *unlikely))
        unsettled = self._unsettled() if pose is not None else 0.0
        return Observation(
            frame.index, frame.t_s, pose, designs, cells, pieces, motion, stages, hints, unsettled
        )

    def _unsettled(self) -> float:
        """How much of the picture is not at rest yet, in areas of a tile."""
        side_px = self._pose.tile_side_px if self._pose is not None else 0.0
        return self._stillness.unsettled_px() / side_px**2 if side_px else 0.0

    def _dated(self, piece: PieceReading, tile_side_px: float) -> PieceReading:
        """A piece with since when its place looks so."""
        reach, share = DATED[piece.kind]
        return replace(piece, since_s=self._stillness.since_s(piece.point_px, reach * tile_side_px, share))

    def _spots_of(self, reading: CellReading) -> tuple[Point, ...]:
        """Where pieces stand on the features of a cell's likeliest face, in sides from its north-west."""
        if self._gallery is None or self._pack is None:
            return ()
        design, turn = divmod(int(reading.log_probs.argmax()), 4)
        features = self._pack.designs[self._gallery.designs[design]].tile.features
        spots = dict.fromkeys(spot for f in features for spot in (f.spot, f.hut_spot) if spot is not None)
        return tuple(turned_point(spot, 90 * turn) for spot in spots)

    def _see_board(self, image: Image, stages: dict[str, float]) -> tuple[BoardPose | None, Cells]:
        """Where the board is and what its cells show; the two check each other.

        A lattice that was followed from frame to frame may have gone astray. The gallery does not
        recognise its cells then, and the board is searched afresh; but first the doubt must last, for
        a hand hides faces too.
        """
        before, place = self._pose, self._locator.place
        return self._see_on(image, self._see_at_first(image, stages), before, place, stages)

    def _see_at_first(self, image: Image, stages: dict[str, float]) -> tuple[BoardPose | None, Cells]:
        """The board as it is located first, and what its cells show."""
        with _timed(stages, "locate"):
            pose = locate(image, self._locator, self._gallery, self._pose)
        self._pose = pose or self._pose
        return self._read(image, pose, stages)

    def _see_on(
        self,
        image: Image,
        first: tuple[BoardPose | None, Cells],
        before: BoardPose | None,
        place: Place | None,
        stages: dict[str, float],
    ) -> tuple[BoardPose | None, Cells]:
        """The board of this picture, given what was seen at first, and where the one before it lay."""
        pose, cells = first
        searched = self._pose is not None and not self._locator.followed
        if searched and not self._confirmed(cells):
            pose, cells = self._better_of(pose, cells, image, stages)
        if searched and before is not None and known_of(cells) < self._known:
            # Who lost the board may have found a tile of the draw stack instead, or lay a whole board through
            # the one tile that a hand leaves in sight: is it still where it was?
            assert self._reader is not None
            with _timed(stages, "tiles"):
                there = self._reader.read(image, before)
            if known_of(there[1]) >= max(known_of(cells), 1):
                self._pose, self._locator.place = before, place
                pose, cells = there
        if not searched and known_of(cells) < self._known and self._unsettled() < FEW_TILES:
            # No hand hides the tile that is not known any more: it was measured where it does not lie.
            pose, cells = self._better_of(pose, cells, image, stages)
        self._known = known_of(cells)
        if self._gallery is None or share_known(cells) >= RECOGNISED:
            self._doubts = 0
            return pose, cells
        self._doubts += 1
        if self._pose is None or self._doubts % DOUBTS_BORNE:
            return pose, cells
        return self._better_of(pose, cells, image, stages)

    def _better_of(
        self, pose: BoardPose | None, cells: Cells, image: Image, stages: dict[str, float]
    ) -> tuple[BoardPose | None, Cells]:
        """This board, or the one that a thorough search finds where the gallery knows as much of that."""
        if self._gallery is None:
            return pose, cells
        here = self._pose, self._locator.place, pose, cells
        self._locator.followed = False
        boards = []
        places = places_afresh(image, self._locator, self._gallery, self._pose)
        while True:
            with _timed(stages, "locate"):
                place = next(places, None)
            if place is None:
                break
            self._pose, self._locator.place = place.pose, place
            read = self._read(image, place.pose, stages)
            boards.append((self._pose, self._locator.place, *read))
            if self._confirmed(read[1]):
                break
        best = max([*boards, here], key=lambda board: (known_of(board[3]), share_known(board[3])))
        self._pose, self._locator.place, pose, cells = best
        return pose, cells

    def _read(
        self, image: Image, pose: BoardPose | None, stages: dict[str, float]
    ) -> tuple[BoardPose | None, Cells]:
        """What the cells of a located board show, and its pose with the corners that their faces give."""
        self._outlined = len(pose.quads) if pose is not None else 0
        if pose is None or self._reader is None:
            return pose, {}
        with _timed(stages, "tiles"):
            read = self._reader.read(image, pose)
            for _ in range(ADOPTIONS):
                if self._locator.followed or self._astray(read[1]) < READ_AGAIN:
                    break
                known = {cell: r.corners_px for cell, r in read[1].items() if r.log_tile > 0}
                better = self._locator.adopt(image, known)
                if better is None:
                    break
                self._pose = better
                read = self._reader.read(image, better)
            return read

    def _astray(self, cells: Cells) -> float:
        """How far, in sides, the faces lie from the outlines (the median tile)."""
        quads = self._pose.quads if self._pose is not None else {}
        moves = [moved(quads[cell], reading.corners_px) for cell, reading in cells.items() if cell in quads]
        return float(np.median(moves or [0.0]))

    def _confirmed(self, cells: Cells) -> bool:
        """Whether the faces say that the board lies where its outlines say, and these said most of it."""
        known = known_of(cells)
        outlined = known >= CONFIRMED * max(len(cells), self._outlined) and self._outlined >= MOSTLY * known
        return outlined and self._astray(cells) < ASTRAY


def _of_tiles(pose: BoardPose, cells: Cells) -> BoardPose:
    """The pose without the outlines that are no tiles: what stands there stands beside the board."""
    tiles = {cell: quad for cell, quad in pose.quads.items() if cell not in cells or cells[cell].log_tile > 0}
    return replace(pose, quads=tiles) if tiles and len(tiles) < len(pose.quads) else pose


def share_known(cells: Cells) -> float:
    """The share of cells in which the gallery knows a face, 0..1; from `RECOGNISED` on the board is its."""
    return known_of(cells) / len(cells) if cells else 0.0


@contextmanager
def _timed(stages: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    stages[name] = stages.get(name, 0.0) + 1e3 * (time.perf_counter() - began)
