"""Appearances: what each cell and each place of a piece looks like over time, as epochs.

An epoch is a time during which one appearance does not change. It holds one reading, from its best looks: a
better look replaces it, the first few equal looks are averaged, and further ones add nothing. So a picture
repeated 600 times is no more evidence than three.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from engine.geometry import Cell, Point, cell_of
from engine.tiles.pieces import OUTSIDE
from tilesight.inference.histories.look import Detection, LogProbs, TableLook
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.reading_average import averaged
from tilesight.inference.signs import Sign, Signs
from tilesight.inference.view_params import LIKELY
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import CellReading, PieceReading

AVERAGED = 3
"""Number of equal looks that refine an epoch's reading: further ones are taken for the same look again."""
LOOKS_KEPT = 32
"""Number of looks kept to find out when a cell was last seen empty: a bound on memory."""
BETTER_COVERED = 0.08
"""Difference of the hidden shares of a tile from which the less hidden look replaces the other."""
INSTANT = 3
"""Number of looks after which a piece that comes back counts as another one."""


@dataclass(slots=True)
class TileEpoch:
    """One tile at one cell, by look numbers.

    ``first`` shows it, ``earliest`` follows the last look that shows the cell empty, ``last`` is the last
    look that shows it. ``faces`` are the log-probabilities from its best looks, ``covered`` the share of the
    tile hidden in them, ``occupied`` whether a piece is on it, ``log_tile`` the log-odds in nats that it is a
    tile, ``equal`` the number of looks averaged.
    """

    first: int
    earliest: int
    last: int
    log_tile: float
    faces: LogProbs
    covered: float
    occupied: bool
    equal: int = 1

    def add(self, look: int, log_tile: float, faces: LogProbs, covered: float, occupied: bool) -> bool:
        """Add look number ``look``. Return whether the reading changed, by replacement or by averaging.

        ``log_tile`` (nats), ``faces``, ``covered`` (hidden share) and ``occupied`` are the look's values of
        the fields.
        """
        self.last = look
        if faces.shape != self.faces.shape:  # a face of a foreign tile came or went
            self._restart(log_tile, faces, covered, occupied)
            return True
        turned = _lead(self.faces, faces) > VIEW.turned_nats and covered <= self.covered + BETTER_COVERED
        exchanged = _lead(self.faces, faces) > 2 * VIEW.turned_nats and covered <= VIEW.hand_share
        bared = self.occupied and not occupied
        if bared or covered < self.covered - BETTER_COVERED or turned or exchanged:
            self._restart(log_tile, faces, covered, occupied)
            return True
        if occupied and not self.occupied:
            return False
        if covered > self.covered + BETTER_COVERED or self.equal >= AVERAGED:
            return False
        self.equal += 1
        self.faces = (self.faces + (faces - self.faces) / self.equal).astype(np.float32)
        self.log_tile += (log_tile - self.log_tile) / self.equal
        self.covered = min(self.covered, covered)
        return True

    def _restart(self, log_tile: float, faces: LogProbs, covered: float, occupied: bool) -> None:
        """Replace the reading by that of one look."""
        self.log_tile, self.faces, self.covered, self.equal = log_tile, faces, covered, 1
        self.occupied = occupied


def _lead(before: LogProbs, now: LogProbs) -> float:
    """Return by how many nats the best face of the reading ``before`` trails in the reading ``now``."""
    return float(now.max() - now.flat[int(before.argmax())])


@dataclass(slots=True)
class CellAppearance:
    """Appearance of a cell over time.

    ``tile`` is the tile seen last, ``lies`` whether it is there now, ``shown`` the intervals [first, last] of
    looks that show the cell, ``empty_for`` the number of looks in a row that show it empty.
    """

    tile: TileEpoch | None = None
    lies: bool = False
    shown: list[list[int]] = field(default_factory=list)
    empty_for: int = 0

    def show(self, look: int) -> None:
        """Record that look number ``look`` shows the cell. Looks must come in order."""
        if self.shown and self.shown[-1][1] == look - 1:
            self.shown[-1][1] = look
        else:
            self.shown.append([look, look])

    def looks(self, since: int, until: int) -> int:
        """Return the number of looks in [since, until) that show the cell, at most `AVERAGED`."""
        number = sum(max(min(last, until - 1) - max(first, since) + 1, 0) for first, last in self.shown)
        return min(number, AVERAGED)


@dataclass(slots=True)
class PieceEpoch:
    """One piece at one place, by look numbers.

    ``first`` and ``last`` detected it; ``gone`` is the first look after ``last`` that shows its place empty.
    ``reading`` is the mean of the first ``equal`` looks. ``again`` marks a piece that was away for an instant
    only.
    """

    first: int
    last: int
    reading: PieceReading
    odd: bool
    beside: bool
    again: bool = False
    equal: int = 1
    gone: int | None = None

    def add(self, look: int, seen: Detection) -> bool:
        """Add a detection in look number ``look``.
        Return whether the reading changed or the piece was gone."""
        came_back = self.gone is not None
        self.last, self.gone = look, None
        if self.equal >= AVERAGED:
            return came_back
        self.equal += 1
        self.reading = averaged(self.reading, seen.reading, 1.0 / self.equal)
        self.odd, self.beside = seen.odd, seen.beside
        return True


@dataclass(slots=True, eq=False)
class PieceTrack:
    """The epochs of the pieces detected at one place, ``xy`` in tile sides.
    Only detections of its ``sort`` ("token" or "piece") extend it."""

    xy: Point
    sort: str
    epochs: list[PieceEpoch]

    @property
    def now(self) -> bool:
        """Whether no look since the last detection shows the place empty."""
        return self.epochs[-1].gone is None


class Appearances:
    """The epochs of one table.

    ``times`` and ``frames`` hold the time in seconds and the frame index of each look; ``pieces_version``
    increases whenever a piece's appearance changes.
    """

    def __init__(self) -> None:
        self.cells: dict[Cell, CellAppearance] = {}
        self.tracks: list[PieceTrack] = []
        self.times: list[float] = []
        self.designs: Mapping[str, int] = {}
        self.frames: list[int] = []
        self.look: TableLook | None = None
        self.pieces_version = 0
        self.relaid: set[Cell] = set()
        """Cells on which a tile was laid anew since this was last emptied."""
        self._looks: deque[TableLook] = deque(maxlen=LOOKS_KEPT)
        self._version: dict[Cell, int] = {}
        self._near: dict[Cell, list[PieceTrack]] = {}

    def note(self, look: TableLook, board: Collection[Cell]) -> bool:
        """Add a look. Return whether any appearance changed. ``board`` are cells known to hold tiles."""
        self.times.append(look.t_s)
        self.frames.append(look.observation.frame_index)
        # A look without foreign tiles has no row for them, but a cell's last reading may have one.
        rows = {name: row for row, name in enumerate(look.observation.designs)}
        self.designs = max(rows, self.designs, key=len)
        changed = [cell for cell in {*look.cells, *self.cells, *board} if self._note_cell(cell, look)]
        places = self._note_pieces(look)
        for cell in changed:
            self._version[cell] = self._version.get(cell, 0) + 1
        for x, y in map(cell_of, places):
            for i, j in product((-1, 0, 1), repeat=2):
                self._version[x + i, y + j] = self._version.get((x + i, y + j), 0) + 1
        if places:
            self._near = {}
            self.pieces_version += 1
        self._looks.append(look)
        self.look = look
        return bool(changed or places)

    def version(self, cell: Cell) -> int:
        """Return a number that changes with the appearance of a cell's tile, or of pieces on or around it."""
        return self._version.get(cell, 0)

    def has_tile(self, cell: Cell) -> bool:
        """Whether a tile is on a cell, by the latest look that shows the cell; False if none did."""
        memory = self.cells.get(cell)
        return memory is not None and memory.lies

    def gap_s(self, first: int, earliest: int) -> float:
        """Return the longer of the two gaps around a tile's arrival, in seconds.

        ``first`` and ``earliest`` are look numbers. One gap is from the look before ``earliest`` to
        ``first``, the other from ``first`` to the next look; a gap without such a look counts as 0.
        """
        times = self.times
        before_s = times[first] - times[earliest - 1] if earliest > 0 else 0.0
        after_s = times[first + 1] - times[first] if first + 1 < len(times) else 0.0
        return max(before_s, after_s)

    def signs(self) -> Signs:
        """Return all detections so far, by place, and the cells that hold a tile now."""
        pieces = (
            Sign(
                track.xy,
                frozenset(epoch.reading.kind for epoch in track.epochs),
                any(epoch.odd for epoch in track.epochs),
                beside=False,  # a tile may have been laid there since
            )
            for track in self.tracks
        )
        return Signs(pieces, {cell for cell, memory in self.cells.items() if memory.lies})

    def near(self, cell: Cell) -> Sequence[PieceTrack]:
        """Return the tracks on a cell and on the eight cells around it."""
        if cell not in self._near:
            x, y = cell
            self._near[cell] = [
                track
                for track in self.tracks
                if abs(track.xy[0] - x - 0.5) <= 1.5 and abs(track.xy[1] - y - 0.5) <= 1.5
            ]
        return self._near[cell]

    def forget(self, before: int) -> None:
        """Drop the tracks of pieces that are gone and were last detected before look number ``before``."""
        kept = [t for t in self.tracks if t.now or t.epochs[-1].last >= before]
        if len(kept) < len(self.tracks):
            self.tracks, self._near = kept, {}

    # -- cells

    def _note_cell(self, cell: Cell, look: TableLook) -> bool:
        """Update a cell with a look. Return whether its appearance changed."""
        memory = self.cells.get(cell)
        reading, shown = look.cells.get(cell), look.shows(cell)
        if memory is None:
            if reading is None:
                return False
            memory = self.cells[cell] = CellAppearance()
        if shown:
            memory.show(look.number)
        if reading is not None and look.log_tile(cell) > 0:
            return self._note_tile(memory, cell, reading, look, shown)
        if not shown:
            return False
        memory.empty_for += 1
        was, memory.lies = memory.lies, False
        return was

    def _note_tile(
        self, memory: CellAppearance, cell: Cell, reading: CellReading, look: TableLook, shown: bool
    ) -> bool:
        """Update a cell that shows a tile. Return whether its appearance changed.

        ``shown`` is false if a hand hides part of the cell; a tile first seen then does not yet count as
        there.
        """
        tile, faces, log_tile = memory.tile, look.faces(cell), look.log_tile(cell)
        occupied = look.hidden_by_pieces(cell) > 0
        was = memory.lies
        again = tile is not None and (
            was or tile.last == look.number - 1 or (memory.empty_for <= 2 and _lead(tile.faces, faces) < 1.0)
        )
        memory.empty_for = 0
        if again:
            assert tile is not None
            if log_tile - tile.log_tile > PARAMS.plainer_nats > tile.log_tile:
                # A faint reading of a tile may have been the bare table until now; it was, if it showed
                # another face.
                if faces.shape != tile.faces.shape or _lead(faces, tile.faces) > PARAMS.otherwise_nats:
                    tile.earliest = look.number
                tile.first = look.number
                tile.equal = 1
                tile.log_tile = log_tile
                self.relaid.add(cell)
            memory.lies = True  # what hides part of it in two looks is no hand
            return tile.add(look.number, log_tile, faces, reading.covered, occupied) or not was
        earliest = self._empty_until(cell) + 1
        memory.tile = TileEpoch(
            look.number, earliest, look.number, log_tile, faces, reading.covered, occupied
        )
        memory.lies = shown
        if tile is not None:
            self.relaid.add(cell)
        return True

    def _empty_until(self, cell: Cell) -> int:
        """Return the number of the last look that shows a cell empty, of those kept; -1 if none does."""
        for look in reversed(self._looks):
            if look.shows(cell) and look.log_tile(cell) <= 0:
                return look.number
        return -1

    # -- pieces

    def _note_pieces(self, look: TableLook) -> list[Point]:
        """Update the tracks with a look. Return the places at which something changed."""
        changed: list[Point] = []
        free = set(range(len(look.pieces)))
        pairs = sorted(
            (math.dist(track.xy, look.pieces[i].xy), -track.epochs[-1].last, n, i)
            for n, track in enumerate(self.tracks)
            for i in free
            if _sort(look.pieces[i].reading) == track.sort
            and abs(track.xy[0] - look.pieces[i].xy[0]) < VIEW.same_place_sides
            and math.dist(track.xy, look.pieces[i].xy) < VIEW.same_place_sides
        )
        met: set[int] = set()
        for _, _, n, i in pairs:
            if n not in met and i in free:
                met.add(n)
                free.discard(i)
                if _note_detected(self.tracks[n], look, look.pieces[i], self.times):
                    changed.append(self.tracks[n].xy)
        for n, track in enumerate(self.tracks):
            epoch = track.epochs[-1]
            if n not in met and epoch.gone is None and look.shows(cell_of(track.xy)):
                epoch.gone = look.number
                changed.append(track.xy)
        for i in sorted(free):
            seen = look.pieces[i]
            epoch = PieceEpoch(look.number, look.number, seen.reading, seen.odd, seen.beside)
            self.tracks.append(PieceTrack(seen.xy, _sort(seen.reading), [epoch]))
            changed.append(seen.xy)
        return changed


def _note_detected(track: PieceTrack, look: TableLook, seen: Detection, times: Sequence[float]) -> bool:
    """Update a track with a detection. Return whether its appearance changed.
    Another piece, or one that was away, starts a new epoch. ``times`` are the looks' times in seconds."""
    epoch = track.epochs[-1]
    another = _is_another(epoch.reading, seen.reading)
    if another:
        if epoch.gone is None:
            epoch.gone = look.number
    elif epoch.gone is None or _blinked(epoch, look.number, times):
        changed = epoch.add(look.number, seen)
        if epoch.equal < AVERAGED:
            share = 1.0 / epoch.equal
            track.xy = (
                track.xy[0] + share * (seen.xy[0] - track.xy[0]),
                track.xy[1] + share * (seen.xy[1] - track.xy[1]),
            )
        return changed
    again = not another and look.number - epoch.last <= INSTANT
    track.epochs.append(PieceEpoch(look.number, look.number, seen.reading, seen.odd, seen.beside, again))
    track.xy = seen.xy
    return True


def _is_another(before: PieceReading, now: PieceReading) -> bool:
    """Whether two readings of one place are two pieces: confidence, kind or colour differ too much."""
    if abs(before.confidence - now.confidence) > PARAMS.other_confidence:
        return True
    if (before.kind in OUTSIDE) != (now.kind in OUTSIDE) and min(before.confidence, now.confidence) >= LIKELY:
        return True
    both = before.color_probs.get(before.color or "", 0.0), now.color_probs.get(now.color or "", 0.0)
    return before.color != now.color and min(both) > PARAMS.other_color


def _blinked(epoch: PieceEpoch, now: int, times: Sequence[float]) -> bool:
    """Whether a piece detected again in look ``now`` was missed for an instant only.
    ``times`` are the looks' times in seconds. The piece must be gone in ``epoch``."""
    assert epoch.gone is not None
    return now - epoch.gone <= 2 and times[now] - times[epoch.gone] <= PARAMS.moving_s


def _sort(reading: PieceReading) -> str:
    """Return the sort of track that a detection extends: "token" for animal tiles, else "piece"."""
    return "token" if reading.kind == "token" else "piece"
