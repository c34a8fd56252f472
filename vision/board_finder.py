"""Board finder: locates the board of a frame by outlines and verifies it by the gallery's faces.

The finder is stateless: what it knows of earlier frames is a `BoardState`, which it takes and returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from engine.geometry import Cell
from vision.locate.locator import (
    NOTHING_SEEN,
    Locator,
    LocatorState,
    beyond_doubt,
    locate,
    regrow_from_faces,
    search_thoroughly,
)
from vision.locate.params import PARAMS as LOCATE
from vision.observation import BoardPose, CellReading, Sight
from vision.pipeline_params import PARAMS
from vision.probability import logit
from vision.stage_timer import StageTimer
from vision.tiles.board_reader import BoardReader, count_known, moved
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS as TILES
from vision.unknown_tiles import LIKELIER, unknown_tiles

Cells = Mapping[Cell, CellReading]
ADOPTIONS = 2
"""Maximum number of times that a board is read again from its faces' corners."""

GROWTHS = 6
"""Maximum number of times that a doubtful board is grown again from its known faces."""
NEARLY_ALL = 0.9
"""Minimum share of known faces at which no other place is searched for a board. A lattice that is shifted on
a part of the board still explains most cells, but there it shows unknown tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedBoard:
    """A board in one frame.

    ``pose`` has the corners measured by the faces, None if there is no board; ``cells`` are the readings of
    its cells (empty without a gallery), ``unknown`` is the probability of a tile in cells that show no known
    face. ``located`` is the locator's state for the next frame, by outlines alone; ``outlined`` is the number
    of tiles outlined before any face was read; ``grown``: the outlines were grown from known faces.
    """

    located: LocatorState
    pose: BoardPose | None = None
    cells: Cells = field(default_factory=dict)
    outlined: int = 0
    unknown: Mapping[Cell, float] = field(default_factory=dict)
    grown: bool = False

    @property
    def confirmed(self) -> bool:
        """Whether the faces confirm the outlines.
        Most cells are explained, most tiles were outlined, and faces lie where the outlines do."""
        known = count_known(self.cells)
        # Unknown tiles only count for a board that was grown from faces and whose outlines are certain.
        tile_count = (
            self.tile_count
            if self.grown and self.tile_count <= 2 * known and self._outlines_certain
            else known
        )
        explained = tile_count >= PARAMS.confirmed_share * max(len(self.cells), self.outlined)
        outlined = self.grown or (self.pose is not None and self.pose.confidence > LOCATE.sure)
        return (
            explained and self.mostly_outlined and outlined and self.outline_error_sides < PARAMS.astray_sides
        )

    @property
    def recognised(self) -> bool:
        """Whether the board is confirmed, and shows known faces alone, or nearly alone and completely."""
        known = share_known(self.cells)
        return self.confirmed and (known == 1.0 or (known >= NEARLY_ALL and self.complete))

    @property
    def complete(self) -> bool:
        """Whether no cell without an outline is likely to hold a tile."""
        occupied = self.pose.occupied if self.pose is not None else {}
        return not any(chance > LOCATE.likely for cell, chance in occupied.items() if cell not in self.cells)

    @property
    def mostly_outlined(self) -> bool:
        """Whether at least `mostly_share` of the known tiles were outlined before any face was read."""
        return self.outlined >= PARAMS.mostly_share * count_known(self.cells)

    @property
    def tile_count(self) -> int:
        """Number of tiles, with known and with unknown faces."""
        return count_known(self.cells) + sum(chance > LIKELIER for chance in self.unknown.values())

    @property
    def _outlines_certain(self) -> bool:
        """Whether the outlines alone separate tiles from table with hardly a doubt."""
        place = self.located.place
        return place is not None and beyond_doubt(place.pose)

    @property
    def outline_error_sides(self) -> float:
        """Median distance, in tile sides, between the tiles' outlines and their registered faces."""
        quads = self.located.place.pose.quads if self.located.place is not None else {}
        both = [(quads[cell], seen.corners_px) for cell, seen in self.cells.items() if cell in quads]
        return float(np.median([moved(outline, face) for outline, face in both] or [0.0]))

    @property
    def evidence_nats(self) -> float:
        """Evidence in nats that the cells are tiles, by which one of several boards is chosen.
        Cells that are likelier table count 0."""
        known = sum(min(max(r.log_tile, 0.0), TILES.beyond_doubt_nats) for r in self.cells.values())
        return known + sum(max(logit(chance), 0.0) for chance in self.unknown.values())

    def unsettled(self, unsettled_px: float) -> float:
        """Convert ``unsettled_px``, an area in pixels, to tile areas; 0 if no board is known."""
        side_px = self.located.place.pose.tile_side_px if self.located.place is not None else 0.0
        return unsettled_px / side_px**2 if side_px else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardState:
    """State of one camera's board between frames.
    It holds the locator's state, the number of known faces, and the number of consecutive frames in which the
    board was doubtful."""

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
        self, sight: Sight, state: BoardState, unsettled_px: float, timer: StageTimer
    ) -> tuple[LocatedBoard, BoardState]:
        """Find the board of a frame; return it and the state for the next frame.

        ``unsettled_px`` is the area of the sight, in pixels, that changed recently.
        """
        return self.recover(sight, state, self.first(sight, state, timer), unsettled_px, timer)

    def first(self, sight: Sight, state: BoardState, timer: StageTimer) -> LocatedBoard:
        """Locate the board once, and read its cells; the result has no pose if no board is found."""
        with timer("locate"):
            pose, located = locate(sight, self._locator, state.located, self._gallery)
        return self._read(sight, located, timer) if pose is not None else LocatedBoard(located)

    def recover(
        self, sight: Sight, state: BoardState, first: LocatedBoard, unsettled_px: float, timer: StageTimer
    ) -> tuple[LocatedBoard, BoardState]:
        """Verify the board ``first``; search again if it is doubtful or incomplete. Return it and the next
        state.

        A lattice that was tracked from frame to frame may have drifted; then the gallery does not recognise
        its cells. One that was fitted to few tiles may miss the cells of others, which then lie apart from
        the board. A tracked board is only searched again if a known face was lost without movement
        (``unsettled_px`` is the area that changed recently), or in every `doubts_borne`-th doubtful frame,
        because a hand occludes faces as well.
        """
        seen = first
        if seen.located.place is not None and not seen.located.followed:
            whole = seen.confirmed and seen.complete
            seen = seen if whole else self._best_of_thorough_search(sight, seen, timer)
            seen = self._at_previous_place(sight, state, seen, timer)
        elif count_known(seen.cells) < state.known and seen.unsettled(unsettled_px) < PARAMS.hand_tiles:
            # A known tile was lost although nothing moved: the lattice is probably wrong.
            seen = self._best_of_thorough_search(sight, seen, timer)
        known, doubted = count_known(seen.cells), share_known(seen.cells) < PARAMS.recognised_share
        doubts = state.doubts + 1 if self._gallery is not None and doubted else 0
        if doubts and doubts % PARAMS.doubts_borne == 0 and seen.located.place is not None:
            seen = self._best_of_thorough_search(sight, seen, timer)
        return seen, BoardState(seen.located, known, doubts)

    def _at_previous_place(
        self, sight: Sight, state: BoardState, seen: LocatedBoard, timer: StageTimer
    ) -> LocatedBoard:
        """Return the board at its place in ``state`` if no fewer faces are known there; else ``seen``.
        A search may have found the draw stack instead, or fitted a lattice to the one tile that a hand leaves
        visible."""
        place = state.located.place
        if place is None or self._reader is None or count_known(seen.cells) >= state.known:
            return seen
        with timer("tiles"):
            there = self._read_cells(sight, replace(seen.located, place=place), seen.outlined)
        return there if count_known(there.cells) >= max(count_known(seen.cells), 1) else seen

    def _best_of_thorough_search(self, sight: Sight, seen: LocatedBoard, timer: StageTimer) -> LocatedBoard:
        """Return the board with the most evidence among ``seen``, those that a thorough search finds, and
        what these grow to. The search ends at a recognised board with no fewer tiles than ``seen``.
        Without a gallery ``seen`` is returned."""
        if self._gallery is None:
            return seen
        boards = [seen, *self._regrown(sight, seen, timer)]
        places = search_thoroughly(sight, self._locator, self._gallery, seen.located)
        while not any(board.recognised and board.tile_count >= seen.tile_count for board in boards[1:]):
            with timer("locate"):
                place = next(places, None)
            if place is None:
                break
            found = self._read(sight, LocatorState(place), timer)
            boards += [found, *self._regrown(sight, found, timer)]
        best = max(boards, key=lambda board: board.evidence_nats)
        return best if best.mostly_outlined else self._refined_by_faces(sight, best, timer)

    def _regrown(self, sight: Sight, seen: LocatedBoard, timer: StageTimer) -> list[LocatedBoard]:
        """Return the boards grown by outlines from the known faces of ``seen``, itself left out.
        Each is grown from the faces of the one before, at most `GROWTHS` times, as long as tiles or the
        evidence of one are added and the board is not confirmed and complete."""
        boards = [seen]
        for _ in range(GROWTHS):
            if boards[-1].confirmed and boards[-1].complete:
                break
            place = boards[-1].located.place
            known = {cell: r.corners_px for cell, r in boards[-1].cells.items() if r.log_tile > 0}
            with timer("locate"):
                place = regrow_from_faces(sight, self._locator, place, known) if place is not None else None
            if place is None:
                break
            boards.append(replace(self._read(sight, LocatorState(place), timer), grown=True))
            before, now = boards[-2:]
            more_nats = now.evidence_nats - before.evidence_nats
            if now.tile_count <= before.tile_count and more_nats < TILES.beyond_doubt_nats:
                break
        return boards[1:]

    def _read(self, sight: Sight, located: LocatorState, timer: StageTimer) -> LocatedBoard:
        """Read the cells of a located board, and refine its corners by the faces if most tiles were outlined.
        Without a reader the board is returned as located."""
        assert located.place is not None
        pose = located.place.pose
        if self._reader is None:
            return LocatedBoard(located, pose, {}, len(pose.quads))
        with timer("tiles"):
            seen = self._read_cells(sight, located, len(pose.quads))
        # If faces show many more tiles than outlines did, the board is grown from them and read then.
        return self._refined_by_faces(sight, seen, timer) if seen.mostly_outlined else seen

    def _refined_by_faces(self, sight: Sight, seen: LocatedBoard, timer: StageTimer) -> LocatedBoard:
        """Return the board, read again from its faces' corners if the outlines are inaccurate.
        They are if the faces lie off them, or if bare table among them distorted the plane. A board that was
        tracked from the previous frame stays unchanged."""
        for _ in range(ADOPTIONS):
            table = any(chance <= LIKELIER for chance in seen.unknown.values())
            if seen.located.followed or (seen.outline_error_sides < TILES.moved_sides and not table):
                break
            known = {cell: r.corners_px for cell, r in seen.cells.items() if r.log_tile > 0}
            others = [cell for cell, chance in seen.unknown.items() if chance > LIKELIER]
            place = seen.located.place.through(known, others) if seen.located.place is not None else None
            if place is None:
                break
            with timer("tiles"):
                seen = self._read_cells(sight, LocatorState(place), seen.outlined)
        return seen

    def _read_cells(self, sight: Sight, located: LocatorState, outlined: int) -> LocatedBoard:
        """Read the cells of a located board; ``outlined`` is the result's number of outlined tiles."""
        assert self._reader is not None and located.place is not None
        pose, cells = self._reader.read(sight, located.place.pose)
        return LocatedBoard(located, pose, cells, outlined, unknown_tiles(sight, pose, cells))


def share_known(cells: Cells) -> float:
    """Return the share of cells with a known face, 0..1; 0 without cells.
    From `PipelineParams.recognised_share` on, the board counts as recognised."""
    return count_known(cells) / len(cells) if cells else 0.0
