"""Board finder: the board of a frame checked against its faces; outlines propose, the gallery confirms.

The finder itself remembers no board: what it knows of the frames before is a `BoardState` that goes in, and
another that comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.geometry import Cell
from vision.claimed_tiles import claimed_tiles
from vision.geometry.rectify import Pyramid
from vision.locate.locator import (
    NOTHING_SEEN,
    Locator,
    LocatorState,
    beyond_doubt,
    grown_from,
    locate,
    places_afresh,
)
from vision.locate.params import PARAMS as LOCATE
from vision.observation import BoardPose, CellReading, PieceReading
from vision.pipeline_params import PARAMS
from vision.probability import logit
from vision.stage_timer import StageTimer
from vision.tiles.board_reader import BoardReader, known_of, moved
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS as TILES
from vision.unknown_tiles import LIKELIER, unknown_tiles

Cells = Mapping[Cell, CellReading]
ADOPTIONS = 2
"""Number of times that a board is read again from its faces' corners, at most."""


GROWTHS = 3
"""Number of times that a doubtful board grows anew from the faces known in it, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedBoard:
    """A board in one frame.

    ``pose`` has the corners that the faces gave and is None where no board is in the frame; ``cells`` is what
    its cells show (empty without a gallery), ``unknown`` the probability of a tile in those that show no face
    of the gallery. ``located`` says where it lies by itself, for the next frame; ``outlined`` is the number
    of tiles that were outlined before any face was read; ``grown`` whether they grew from known faces.
    """

    located: LocatorState
    pose: BoardPose | None = None
    cells: Cells = field(default_factory=dict)
    outlined: int = 0
    unknown: Mapping[Cell, float] = field(default_factory=dict)
    grown: bool = False

    @property
    def confirmed(self) -> bool:
        """Whether the faces say that the board lies where its outlines say, and these said most of it."""
        known = known_of(self.cells)
        # Tiles that no face explains speak for a board only where it grew from faces, all doubt settled.
        told = self.told if self.grown and self.told <= 2 * known and self._plain else known
        explained = told >= PARAMS.confirmed_share * max(len(self.cells), self.outlined)
        outlined = self.grown or (self.pose is not None and self.pose.confidence > LOCATE.sure)
        return explained and self.mostly_outlined and outlined and self.astray < PARAMS.astray_sides

    @property
    def closed(self) -> bool:
        """Whether no cell without an outline looks like a tile from afar."""
        occupied = self.pose.occupied if self.pose is not None else {}
        return not any(chance > LOCATE.likely for cell, chance in occupied.items() if cell not in self.cells)

    @property
    def mostly_outlined(self) -> bool:
        """Whether most of the known tiles were outlined before any face was read."""
        return self.outlined >= PARAMS.mostly_share * known_of(self.cells)

    @property
    def told(self) -> int:
        """Number of its tiles, known ones and others."""
        return known_of(self.cells) + sum(chance > LIKELIER for chance in self.unknown.values())

    @property
    def _plain(self) -> bool:
        """Whether outlines alone leave hardly a doubt of what is tile and what is table."""
        place = self.located.place
        return place is not None and beyond_doubt(place.pose)

    @property
    def astray(self) -> float:
        """Distance, in tile sides, at which the faces lie from the outlines (the median tile)."""
        quads = self.located.place.pose.quads if self.located.place is not None else {}
        both = [(quads[cell], seen.corners_px) for cell, seen in self.cells.items() if cell in quads]
        return float(np.median([moved(outline, face) for outline, face in both] or [0.0]))

    @property
    def worth(self) -> float:
        """Evidence in nats that its cells are tiles, by which a board is chosen among several: faces that are
        known, and tiles that are not; cells that are likelier table count against none."""
        known = sum(min(max(r.log_tile, 0.0), TILES.beyond_doubt_nats) for r in self.cells.values())
        return known + sum(max(logit(chance), 0.0) for chance in self.unknown.values())

    def unsettled(self, unsettled_px: float) -> float:
        """An area in pixels of the picture, in areas of a tile; 0 where no board is known."""
        side_px = self.located.place.pose.tile_side_px if self.located.place is not None else 0.0
        return unsettled_px / side_px**2 if side_px else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardState:
    """Memory of one camera's board from frame to frame: where it was located, how many of its
    faces were known, and for how many frames in a row it has been doubted."""

    located: LocatorState = NOTHING_SEEN
    known: int = 0
    doubts: int = 0


class BoardFinder:
    """Finds one table's board and reads its tiles; without a gallery they are only located."""

    def __init__(self, gallery: Gallery | None, reader: BoardReader | None) -> None:
        self._locator = Locator.load()
        self._gallery = gallery
        self._reader = reader

    def find(
        self, picture: Pyramid, state: BoardState, unsettled_px: float, timer: StageTimer
    ) -> tuple[LocatedBoard, BoardState]:
        """The board of this frame, and what to remember for the next.

        ``unsettled_px`` is the area, in pixels of the picture, that has only just come to look as it does.
        """
        return self.recovered(picture, state, self.first(picture, state, timer), unsettled_px, timer)

    def first(self, picture: Pyramid, state: BoardState, timer: StageTimer) -> LocatedBoard:
        """The board as it is located at first sight, and what its cells show."""
        with timer("locate"):
            pose, located = locate(picture.image, self._locator, state.located, self._gallery)
        return self._read(picture, located, timer) if pose is not None else LocatedBoard(located)

    def recovered(
        self, picture: Pyramid, state: BoardState, first: LocatedBoard, unsettled_px: float, timer: StageTimer
    ) -> tuple[LocatedBoard, BoardState]:
        """The board of which ``first`` was seen at first sight; outlines and faces check each other.

        A lattice that was followed from frame to frame may have gone astray. The gallery does not
        recognise its cells then, and the board is searched afresh; but first the doubt must last, for
        a hand hides faces too.
        """
        seen = first
        if seen.located.place is not None and not seen.located.followed:
            seen = seen if seen.confirmed else self._better_of(picture, seen, timer)
            seen = self._still_there(picture, state, seen, timer)
        elif known_of(seen.cells) < state.known and seen.unsettled(unsettled_px) < PARAMS.hand_tiles:
            # No hand hides the tile that is not known any more: it was measured where it does not lie.
            seen = self._better_of(picture, seen, timer)
        known, doubted = known_of(seen.cells), share_known(seen.cells) < PARAMS.recognised_share
        doubts = state.doubts + 1 if self._gallery is not None and doubted else 0
        if doubts and doubts % PARAMS.doubts_borne == 0 and seen.located.place is not None:
            seen = self._better_of(picture, seen, timer)
        return seen, BoardState(seen.located, known, doubts)

    def under_pieces(
        self, picture: Pyramid, seen: LocatedBoard, pieces: Sequence[PieceReading], timer: StageTimer
    ) -> LocatedBoard:
        """The board with the tiles that only the pieces on them give away (`vision.claimed_tiles`)."""
        if self._reader is None or seen.pose is None:
            return seen
        with timer("tiles"):
            pose, cells, unknown = claimed_tiles(
                picture, seen.pose, seen.cells, seen.unknown, pieces, self._reader
            )
        return replace(seen, pose=pose, cells=cells, unknown=unknown)

    def _still_there(
        self, picture: Pyramid, state: BoardState, seen: LocatedBoard, timer: StageTimer
    ) -> LocatedBoard:
        """The board where it was before, if as much of it is known there: whoever lost it may have found a
        tile of the draw stack instead, or laid a whole board through the one tile that a hand leaves in
        sight."""
        place = state.located.place
        if place is None or self._reader is None or known_of(seen.cells) >= state.known:
            return seen
        with timer("tiles"):
            there = self._seen_at(picture, replace(seen.located, place=place), seen.outlined)
        return there if known_of(there.cells) >= max(known_of(seen.cells), 1) else seen

    def _better_of(self, picture: Pyramid, seen: LocatedBoard, timer: StageTimer) -> LocatedBoard:
        """This board, or the one that a thorough search finds where the gallery knows as much of that."""
        if self._gallery is None:
            return seen
        boards = self._grown(picture, seen, timer)
        places = places_afresh(picture.image, self._locator, self._gallery, seen.located)
        while not any(board.confirmed and board.worth >= seen.worth for board in boards):
            with timer("locate"):
                place = next(places, None)
            if place is None:
                break
            boards.append(self._read(picture, LocatorState(place), timer))
        best = max([*boards, seen], key=lambda board: board.worth)
        return best if best.mostly_outlined else self._adopted(picture, best, timer)

    def _grown(self, picture: Pyramid, seen: LocatedBoard, timer: StageTimer) -> list[LocatedBoard]:
        """Boards that outlines make from the faces known in this one, each from those of the one before, as
        long as they find more tiles."""
        boards = [seen]
        for _ in range(GROWTHS):
            place = boards[-1].located.place
            known = {cell: r.corners_px for cell, r in boards[-1].cells.items() if r.log_tile > 0}
            with timer("locate"):
                place = grown_from(picture.image, self._locator, place, known) if place is not None else None
            if place is None:
                break
            boards.append(replace(self._read(picture, LocatorState(place), timer), grown=True))
            if boards[-1].told <= boards[-2].told or (boards[-1].confirmed and boards[-1].closed):
                break
        return boards[1:]

    def _read(self, picture: Pyramid, located: LocatorState, timer: StageTimer) -> LocatedBoard:
        """The readings of a located board's cells, and its pose with the corners that their faces give."""
        assert located.place is not None
        pose = located.place.pose
        if self._reader is None:
            return LocatedBoard(located, pose, {}, len(pose.quads))
        with timer("tiles"):
            seen = self._seen_at(picture, located, len(pose.quads))
        # Where faces show many more tiles than outlines did, the board will grow from them and be read then.
        return self._adopted(picture, seen, timer) if seen.mostly_outlined else seen

    def _adopted(self, picture: Pyramid, seen: LocatedBoard, timer: StageTimer) -> LocatedBoard:
        """The board read again from its faces' corners where these lay beside the outlines, or bare table
        among them bent the plane; as it is where it was followed, not searched for."""
        for _ in range(ADOPTIONS):
            table = any(chance <= LIKELIER for chance in seen.unknown.values())
            if seen.located.followed or (seen.astray < TILES.moved_sides and not table):
                break
            known = {cell: r.corners_px for cell, r in seen.cells.items() if r.log_tile > 0}
            others = [cell for cell, chance in seen.unknown.items() if chance > LIKELIER]
            place = seen.located.place.through(known, others) if seen.located.place is not None else None
            if place is None:
                break
            with timer("tiles"):
                seen = self._seen_at(picture, LocatorState(place), seen.outlined)
        return seen

    def _seen_at(self, picture: Pyramid, located: LocatorState, outlined: int) -> LocatedBoard:
        """Readings of the cells of a located board."""
        assert self._reader is not None and located.place is not None
        pose, cells = self._reader.read(picture, located.place.pose)
        return LocatedBoard(located, pose, cells, outlined, unknown_tiles(picture.image, pose, cells))


def share_known(cells: Cells) -> float:
    """The share of cells in which the gallery knows a face, 0..1.

    From `PipelineParams.recognised_share` on the board is its.
    """
    return known_of(cells) / len(cells) if cells else 0.0
