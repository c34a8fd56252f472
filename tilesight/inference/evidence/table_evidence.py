"""Evidence of one table: what each cell and each place of a piece has shown, look by look.

A *look* is one picture, or successive pictures that show the same: no series changes its sign. So pictures of
a table at rest cost no memory, and every picture still counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from engine.geometry import EDGES, Cell, Point, cell_of, neighbour
from engine.tiles.foreign import MARK, is_foreign
from engine.tiles.game import GameState
from engine.tiles.pieces import OWNED
from tilesight.inference.board_registration import in_sight
from tilesight.inference.evidence.cells import Arrival, CellEvidence, LogProbs
from tilesight.inference.evidence.series import Costs
from tilesight.inference.evidence.tracks import Detection, Track, Tracks, missed_nats, trait_weight
from tilesight.inference.params import PIECES, TILES
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation
from vision.pieces.feature_assignment import kinds_of

LEAST_LOG = -32.0
NO_EVIDENCE = CellEvidence()
Made = TypeVar("Made")


@dataclass(slots=True)
class Look:
    """One look: times in seconds of its first and last picture, and their number.

    ``view`` is the first picture without its readings, ``lattice`` its place in the game's frame.
    """

    first_s: float
    last_s: float
    pictures: int
    view: Observation
    lattice: LatticeFrame


class Evidence:
    """All looks at one table, which starts at ``start``."""

    def __init__(self, start: GameState) -> None:
        self.pack, self.players, self.kinds = start.pack, start.players, kinds_of(start.pack)
        self.cells: dict[Cell, CellEvidence] = {}
        self.tracks = Tracks()
        self.looks: list[Look] = []
        self.rows: dict[str, int] = {}
        self.hidden = 0  # known tiles that the last picture hides
        self.memo: dict[Any, Any] = {}  # what was computed since `renew`

    @property
    def number(self) -> int:
        """Number of looks."""
        return len(self.looks)

    # -- taking in pictures

    def note(self, observation: Observation, lattice: LatticeFrame, board: Iterable[Cell]) -> bool:
        """Take in a picture; return whether it shows another table than the last look.

        ``board`` are cells that are taken to have tiles.
        """
        self.rows = {name: row for row, name in enumerate(observation.designs)}
        readings = {lattice.cell(cell): reading for cell, reading in observation.cells.items()}
        detections = [
            Detection.of(known, lattice.point(known.lattice_xy))
            for read in (*observation.pieces, *observation.hints)
            if (known := read.among(self.kinds)) is not None
        ]
        standing: dict[Cell, int] = {}
        stand = [one for one in detections if one.reading.confidence >= PIECES.stands]
        for one in stand:
            if not one.is_token:
                standing[cell_of(one.xy)] = standing.get(cell_of(one.xy), 0) + 1
        board = set(board)
        cells = {*readings, *self.cells, *board, *(neighbour(c, e) for c in board for e in EDGES)}
        seen = in_sight(observation, lattice, cells, TILES.rim_sides)
        tiles = {cell: self._tile_nats(cell, readings.get(cell), standing.get(cell, 0)) for cell in seen}
        free = {cell for cell, (_, shown) in tiles.items() if shown > 0}
        unread = sum(cell in tiles and cell not in readings for cell in board)
        self.hidden = sum(cell in tiles and cell not in free for cell in board) + (unread > 1) * unread
        owned = [one.xy for one in stand if one.reading.kind in OWNED]
        met = self.tracks.matched(detections)
        there = {track.number for track in met.values()}
        missed = [
            (track, missed_nats(track, self._cell(cell).in_view, owned))
            for cell in free
            for track in self.tracks.on(cell)
            if track.number not in there
        ]
        new = [
            one
            for i, one in enumerate(detections)
            if i not in met and (one.nats > 0 or one.reading.kind in OWNED)
        ]
        changed = (
            not self.looks
            or any(one.nats > 0 for one in new)
            or any(track.seen.contradicts(detections[i].nats) for i, track in met.items())
            or any(track.seen.contradicts(-nats) for track, nats in missed)
            or any(self._cell(cell).is_news(nats) for cell, (nats, _) in tiles.items())
        )
        look = self._look(observation, lattice, changed=changed)
        self._note_cells(look, readings, tiles, standing, lattice)
        self._note_pieces(look, detections, met, missed, new, owned)
        return changed

    def _look(self, observation: Observation, lattice: LatticeFrame, *, changed: bool) -> int:
        """Return the number of the look that a picture belongs to; a new one if it has ``changed``."""
        if changed:
            t_s = observation.t_s
            view = replace(observation, cells={}, pieces=(), hints=(), unknown={})
            self.looks.append(Look(t_s, t_s, 1, view, lattice))
        else:
            self.looks[-1].last_s = observation.t_s
            self.looks[-1].pictures += 1
        return len(self.looks) - 1

    def _cell(self, cell: Cell) -> CellEvidence:
        """Return the evidence of a cell; an empty one if there is none."""
        return self.cells.get(cell, NO_EVIDENCE)

    def _tile_nats(self, cell: Cell, reading: CellReading | None, standing: int) -> tuple[float, float]:
        """Return the nats for a tile at a cell in sight, and the share of it in which a piece would be seen.

        ``standing`` counts the pieces on it. The share is 0 if more is hidden than usual.
        """
        if reading is None:
            return -TILES.empty_nats, 1.0
        nats = min(max(reading.log_tile - TILES.bare_nats, -TILES.empty_nats), TILES.most_nats)
        more = reading.covered - min(self._cell(cell).usual, reading.covered) - TILES.piece_hides * standing
        if nats < 0 and (more > TILES.hidden_share or standing):
            nats *= TILES.excused  # hidden, not bare
        return nats, 0.0 if more > TILES.hidden_share else max(1.0 - reading.covered, 1e-6)

    def _note_cells(
        self,
        look: int,
        readings: Mapping[Cell, CellReading],
        tiles: Mapping[Cell, tuple[float, float]],
        standing: Mapping[Cell, int],
        lattice: LatticeFrame,
    ) -> None:
        """Add a picture's cells to a look; ``tiles`` are nats and shares as of `_tile_nats`."""
        shown_faces: list[tuple[Cell, CellReading, bool]] = []
        for cell, (nats, shown) in tiles.items():
            here = self.cells.get(cell)
            if here is None:
                here = self.cells[cell] = self._unread_so_far(cell, look)
            reading = readings.get(cell)
            if reading is not None:
                if nats > 0 or here.tile.most > 0:
                    here.usual = min(here.usual, reading.covered)
                if nats > 0 or (standing.get(cell) and reading.log_tile > 0):
                    here.begin_face(look, len(self.rows), nats)
                    shown_faces.append((cell, reading, cell in standing))
            here.add(look, nats, shown)
        if not shown_faces:
            return
        logs = np.stack([reading.log_probs for _, reading, _ in shown_faces]).astype(np.float64)
        logs = np.maximum(np.roll(logs, -(lattice.quarter_turns % 4), axis=2), -30.0)
        logs = np.maximum(logs - logs.max(axis=(1, 2), keepdims=True), LEAST_LOG)
        for (cell, reading, occupied), faces in zip(shown_faces, logs, strict=True):
            self.cells[cell].add_face(reading, faces, occupied=occupied)

    def _unread_so_far(self, cell: Cell, look: int) -> CellEvidence:
        """Return the evidence of a cell that no picture before look ``look`` has read."""
        here = CellEvidence()
        for number, one in enumerate(self.looks[:look]):
            if one.view.shows_cell(one.lattice.lattice_cell(cell), TILES.rim_sides):
                here.add(number, -TILES.empty_nats, 1.0, one.pictures)
        return here

    def _note_pieces(
        self,
        look: int,
        detections: list[Detection],
        met: Mapping[int, Track],
        missed: list[tuple[Track, float]],
        new: list[Detection],
        owned: list[Point],
    ) -> None:
        """Add a picture's detections to a look: those of known tracks, the tracks missed, and new ones."""
        for i, track in met.items():
            before = cell_of(track.xy)
            track.put(look, detections[i], trait_weight(detections[i], owned))
            self.tracks.moved(track, before)
        for track, nats in missed:
            track.seen.add(look, -nats)
        for one in new:
            track = self.tracks.found(one)
            here = self.cells.get(cell_of(one.xy))
            if here is not None:
                for number in range(look):
                    if shown := here.shown.at(number):
                        track.seen.add(number, PIECES.missed_nats * shown)
            track.put(look, one, trait_weight(one, owned))

    # -- what a story asks

    def renew(self) -> None:
        """Let what follows be computed from all pictures so far; until then, that of the last time stays."""
        self.memo = {}

    def once(self, make: Callable[..., Made], *args: Any) -> Made:
        """Return ``make(*args)``, computed once until `renew`; the arguments are hashable."""
        key = (make, *args)
        try:
            return self.memo[key]  # type: ignore[no-any-return]
        except KeyError:
            made = self.memo[key] = make(*args)
            return made

    def arrival(self, cell: Cell) -> Arrival:
        """Return when the tile on a cell may have come."""
        return self.once(self._cell(cell).arrival, self.number)

    def may_lie(self, cell: Cell) -> bool:
        """Whether a story should lay a tile on a cell: it is read, or faintly read under a piece."""
        least = -6.0 if any(track.worth > 2.0 for track in self.tracks.on(cell)) else 0.0
        return self.arrival(cell).most > least and self.faces(cell) is not None

    def faces(self, cell: Cell) -> LogProbs | None:
        """Return log-probabilities (designs, 4) of the face on a cell, by all looks; None if unread."""
        return self.once(self._cell(cell).face_logs, self.arrival(cell).first, len(self.rows))

    def face(self, cell: Cell, design: str, rot: int) -> float:
        """Return the log-probability of a face on a cell."""
        logs = self.faces(cell)
        if logs is None:
            return -TILES.unread_nats
        if is_foreign(design):  # one row for all foreign tiles, in any rotation
            design, rot = MARK, 0
        row = self.rows.get(design)
        return -TILES.unknown_nats if row is None else float(logs[row, rot // 90 % 4])

    @property
    def designs(self) -> tuple[str, ...]:
        """The designs of the pack that recognition knows."""
        return tuple(name for name in self.rows if name in self.pack.designs)

    def likeliest_face(self, cell: Cell) -> tuple[str, int]:
        """Return the likeliest design and rotation on a cell, which must have been read."""
        logs = self.faces(cell)
        assert logs is not None
        row, turn = divmod(int(logs.argmax()), 4)
        return list(self.rows)[row], 90 * turn

    def reading(self, cell: Cell) -> CellReading | None:
        """Return all looks at a cell as one reading of `designs`, for the joint solution of the board."""
        logs = self.faces(cell)
        if logs is None:
            return None
        logs = logs[[self.rows[name] for name in self.designs]]
        return CellReading(
            cell, np.zeros((4, 2), np.float32), logs.astype(np.float32), self.arrival(cell).most,
            print_known=self.cells[cell].print_known,
        )  # fmt: skip

    def shown(self, cell: Cell) -> Costs | None:
        """Return the costs of the looks in which a piece on a cell would be seen; None if there are none."""
        here = self.cells.get(cell)
        return None if here is None else here.shown.costs(self.number, PIECES.repeated)

    def near(self, cell: Cell) -> list[Track]:
        """Return the tracks on a cell and close around it."""
        return self.once(self.tracks.near, cell)
