"""Board reader: reads the faces of a located board, refines its corners, and adds tiles without an outline.

The locator only uses outlines. A recognised face gives more exact corners by registration
(`vision.tiles.registration`), better corners improve the readings, and tiles next to the board whose outline
was missed are found by their faces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell, neighbour
from models import OnnxModel
from vision.change.reading_memory import CROP_PX, ReadingCache
from vision.geometry.lattice import Lattice
from vision.geometry.rigid import drawn_to_neighbours, expected_quads, plane_of, rigid_quads
from vision.locate.bundle import levelled
from vision.locate.occupancy import cells_near
from vision.observation import BoardPose, CellReading, Quad, Sight, mean_sides_px
from vision.tiles.face_classifier import MOST_DOUBTS, read_tiles
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS
from vision.tiles.registration import (
    CornerPrior,
    FaceTemplates,
    align_or_search,
    laid_prior,
)
from vision.tiles.reprojection import ExpectedFace

KNOWN = 0.5
"""Minimum probability of a face for its registration."""
LAYINGS = 5
"""Maximum number of rounds in which all tiles are registered together."""
REMEASURED = 2
"""Maximum number of times that a tile is registered again whose face was far from its outline."""
WAVES = 12
"""Maximum number of rounds of the search for tiles outwards from the board."""
GUESSED_BY = 2
"""Minimum number of known tiles for predicting the next ones."""

Readings = Mapping[Cell, CellReading]


@lru_cache(maxsize=4)
def templates_of(gallery: Gallery) -> FaceTemplates:
    """The cached registration templates of a gallery's faces, shared by all readers."""
    return FaceTemplates(gallery.faces)


class BoardReader:
    """Reads one table's board frame by frame; unchanged cells are not computed again."""

    def __init__(self, gallery: Gallery, descriptor: OnnxModel) -> None:
        self._gallery = gallery
        self._descriptor = descriptor
        self._templates = templates_of(gallery)
        self._tiles = ReadingCache()
        self._beside = ReadingCache()
        self._asked: dict[Cell, Quad] = {}
        self._before: tuple[Readings, Lattice | None] = ({}, None)
        self._after: tuple[Readings, Readings] = ({}, {})
        self._sight: Sight | None = None
        self._certain: dict[Cell, CellReading] = {}

    def read(self, sight: Sight, pose: BoardPose) -> tuple[BoardPose, Readings]:
        """Read a board; return the pose with corners refined by the faces, and the readings of all cells.

        Tiles without an outline are added. Repeated calls for one picture should pass the same sight, so that
        certain readings are reused.
        """
        if sight is not self._sight:
            self._sight, self._certain = sight, {}
        readings: Readings = self._cached(self._tiles, sight, pose, self._read_measured)
        anew = not same_readings(readings, self._before[0])
        if anew:
            self._before = readings, plane_of(_known_quads(readings), pose.image_size_wh, GUESSED_BY)
        lattice = self._before[1]
        if lattice is not None:
            readings = {**readings, **self._read_beside(sight, pose, lattice, readings, anew)}
            if not same_readings(readings, self._after[0]):
                self._after = readings, self._laid(sight, pose, readings)
            readings = self._after[1]
        self._certain |= {cell: reading for cell, reading in readings.items() if is_certain(reading)}
        quads = {cell: reading.corners_px for cell, reading in readings.items()}
        return replace(pose, quads=quads), readings

    def _cached(
        self,
        cache: ReadingCache,
        sight: Sight,
        pose: BoardPose,
        read: Callable[[Sight, BoardPose], dict[Cell, CellReading]],
    ) -> dict[Cell, CellReading]:
        """Return the readings of all cells of ``pose``; those that changed are read again by ``read``."""
        crops = sight.crops(list(pose.quads.values()), CROP_PX)
        return cache.read(crops, pose, partial(read, sight))

    def _laid(self, sight: Sight, pose: BoardPose, readings: Readings) -> Readings:
        """Return the readings, corners refined jointly by the plane and tile size fitted to all tiles."""
        laid = dict(readings)
        measured: dict[Cell, Quad] = {}
        lattice: Lattice | None = None
        astray: Collection[Cell] = laid
        for _ in range(LAYINGS):
            known, before = _known_quads(laid), measured
            if lattice is None:
                lattice = plane_of(known, pose.image_size_wh)
                if lattice is None:
                    return laid
                lattice = levelled(lattice, known)
            squares = rigid_quads(lattice, {cell: r.corners_px for cell, r in laid.items()}, known)
            rigid = drawn_to_neighbours(lattice, squares)
            laid = {cell: replace(r, corners_px=rigid[cell]) for cell, r in laid.items()}
            again = self._registered(sight, _tiles_of({cell: laid[cell] for cell in astray}), laid_prior())
            measured = {cell: quad for cell, quad in measured.items() if cell not in astray} | again
            moves = {cell: moved(rigid[cell], quad) for cell, quad in measured.items()}
            # Repeat until the tiles settle, as the plane by outlines may be wrong. Faces whose pictures are
            # trimmed askew never settle; then the change between rounds counts (twice, as only half of a
            # move is taken in the end).
            pulls = [2.0 * moved(before[cell], quad) for cell, quad in again.items() if cell in before]
            if not _settled(moves.values()) and not (pulls and _settled(pulls)):
                lattice, astray = None, laid
            else:
                astray = [
                    cell for cell, move in moves.items() if move >= PARAMS.moved_sides and cell in astray
                ]
                if not astray:
                    break
            laid = {cell: replace(r, corners_px=measured.get(cell, rigid[cell])) for cell, r in laid.items()}
        # Average of registration, which is biased by askew trimming of the scans, and rigid squares, which
        # partly depend on outlines.
        halfway = {cell: (quad + rigid[cell]) * np.float32(0.5) for cell, quad in measured.items()}
        return {cell: replace(r, corners_px=halfway.get(cell, rigid[cell])) for cell, r in laid.items()}

    def _read_measured(self, sight: Sight, pose: BoardPose) -> dict[Cell, CellReading]:
        """Read faces and exact corners of the cells of ``pose``, without the caches of earlier frames."""
        first = self._first_look(sight, pose)
        measured = self._measured(sight, _tiles_of(first))
        readings = self._read_again(sight, pose, first, measured)
        lattice = plane_of(_known_quads(readings), pose.image_size_wh)
        if lattice is None:
            return readings
        # Doubtful faces may result from wrong corners: read them again at the place predicted by neighbours.
        doubtful = [
            cell
            for cell, reading in readings.items()
            if cell not in measured
            or _sureness(reading) < PARAMS.sure_face
            or reading.log_tile < PARAMS.beyond_doubt_nats
        ]
        known = {cell: reading for cell, reading in readings.items() if reading.log_tile > 0}
        guesses = _expected(lattice, doubtful, known)
        better = self._read_again(sight, pose, readings, guesses)
        again = self._measured(sight, _tiles_of({cell: better[cell] for cell in doubtful}))
        return with_hidden_tiles(self._read_again(sight, pose, better, again, MOST_DOUBTS))

    def faces(self, readings: Mapping[Cell, CellReading]) -> dict[Cell, ExpectedFace]:
        """Return the expected faces of the tiles whose print is known for sure, by cell."""
        sure: dict[Cell, ExpectedFace] = {}
        for cell, reading in readings.items():
            if reading.log_tile > 0 and _sureness(reading) >= PARAMS.believed_face:
                design, turn = divmod(int(reading.log_probs.argmax()), 4)
                sure[cell] = ExpectedFace(self._gallery.faces[self._face_of(design)], turn)
        return sure

    def _face_of(self, design: int) -> int:
        """The index of the first face of a design."""
        return int(np.flatnonzero(self._gallery.face_design == design)[0])

    def _look(self, sight: Sight, pose: BoardPose, most_doubts: int = 0) -> dict[Cell, CellReading]:
        return read_tiles(sight, pose, self._gallery, self._descriptor, most_doubts)

    def look_at(self, sight: Sight, pose: BoardPose) -> dict[Cell, CellReading]:
        """Read the cells of ``pose``, each registered with its face if that is known; uses no caches."""
        seen = self._look(sight, pose)
        return self._read_again(sight, pose, seen, self._measured(sight, _tiles_of(seen)))

    def _first_look(self, sight: Sight, pose: BoardPose) -> Readings:
        """Read the cells of ``pose``; a certain reading from nearly the same corners is reused."""
        certain = {
            cell: replace(self._certain[cell], corners_px=quad)
            for cell, quad in pose.quads.items()
            if cell in self._certain and moved(self._certain[cell].corners_px, quad) <= PARAMS.moved_sides
        }
        others = {cell: quad for cell, quad in pose.quads.items() if cell not in certain}
        fresh = self._look(sight, replace(pose, quads=others))
        return {cell: fresh[cell] if cell in fresh else certain[cell] for cell in pose.quads}

    def _measured(self, sight: Sight, readings: Readings) -> dict[Cell, Quad]:
        """Return corners by registration, by cell, of the readings whose face is known and fits.
        Tiles that were far from their outline are registered again from there."""
        measured = self._registered(sight, readings)
        far = readings
        for _ in range(REMEASURED):
            far = {
                cell: replace(far[cell], corners_px=quad)
                for cell, quad in measured.items()
                if cell in far and moved(far[cell].corners_px, quad) >= PARAMS.moved_sides
            }
            if not far:
                break
            measured |= self._registered(sight, far)
        return measured

    def _registered(
        self, sight: Sight, readings: Readings, prior: CornerPrior | None = None
    ) -> dict[Cell, Quad]:
        """Return corners by registration, by cell, of readings with a known face, starting at theirs."""
        cells, faces, turns, own = [], [], [], []
        for cell, reading in readings.items():
            best = int(reading.log_probs.argmax())
            if _sureness(reading) < KNOWN:
                continue
            cells.append(cell)
            faces.append(self._face_of(best // 4))
            turns.append(best % 4)
            own.append(np.roll(reading.corners_px, -(best % 4), axis=0))
        sure = np.array([_sureness(readings[cell]) >= PARAMS.sure_face for cell in cells], np.bool_)
        found = align_or_search(sight, np.array(own, np.float64), faces, self._templates, prior, sure)
        return {
            cell: np.roll(found.quads[i], turns[i], axis=0).astype(np.float32)
            for i, cell in enumerate(cells)
            if found.believed[i]
        }

    def _read_again(
        self,
        sight: Sight,
        pose: BoardPose,
        readings: Mapping[Cell, CellReading],
        quads: Mapping[Cell, Quad],
        most_doubts: int = 0,
    ) -> dict[Cell, CellReading]:
        """Return the readings with the new corners ``quads``; moved or doubtful faces are read again.
        A reading that then fits worse is replaced by the old one with its old corners."""
        result = dict(readings)
        asked = {}
        for cell, quad in quads.items():
            old = readings[cell]
            result[cell] = replace(old, corners_px=quad)
            if moved(old.corners_px, quad) > PARAMS.moved_sides or _sureness(old) < PARAMS.sure_face:
                asked[cell] = quad
        if asked:
            fresh = self._look(sight, replace(pose, quads=asked), most_doubts)
            for cell, reading in fresh.items():
                if reading.log_tile >= readings[cell].log_tile - 0.5:
                    result[cell] = reading
                else:
                    result[cell] = readings[cell]
        return result

    def _read_beside(
        self,
        sight: Sight,
        pose: BoardPose,
        lattice: Lattice,
        readings: Readings,
        anew: bool,
    ) -> dict[Cell, CellReading]:
        """Find tiles near the board by their faces, whose outline was missed, not connected or misplaced.

        The search goes outwards from the board as long as tiles are found; with ``anew`` it restarts at the
        rim, else it continues with the cells of the previous frame."""
        known = {cell: reading for cell, reading in readings.items() if reading.log_tile > 0}
        possible = {cell for cell, chance in pose.occupied.items() if chance > PARAMS.possible_tile}
        if anew:
            self._asked = {}
        new: dict[Cell, CellReading] = {}
        before = set(self._asked)
        for _ in range(WAVES):
            in_view = {c: quad for c, quad in self._asked.items() if _in_picture(quad, pose.image_size_wh)}
            # An empty read would clear the cache.
            here = replace(pose, quads=in_view)
            found = self._cached(self._beside, sight, here, self._read_faces) if in_view else {}
            new = {cell: reading for cell, reading in found.items() if reading.log_tile > 0}
            tiles = known | new
            grown = new.keys() - before
            if grown:
                lattice = plane_of(_known_quads(tiles), pose.image_size_wh) or lattice
            beside = {neighbour(cell, edge) for cell in tiles for edge in EDGES}
            beside |= cells_near(possible, tiles, PARAMS.reach_cells)
            asked = self._asked
            wanted = [c for c in sorted(beside - known.keys() - new.keys()) if grown or c not in asked]
            # A cell is read again if its predicted place has moved.
            looked_at = {cell: reading.corners_px for cell, reading in readings.items()} | asked
            expected = _expected(lattice, wanted, tiles)
            fresh = {
                c: quad
                for c, quad in expected.items()
                if c not in looked_at or moved(looked_at[c], quad) > PARAMS.moved_sides
            }
            if not fresh:
                break
            self._asked = asked | fresh
            before = set(new)
        return new

    def _read_faces(self, sight: Sight, pose: BoardPose) -> dict[Cell, CellReading]:
        """Read cells that may be bare table; those without a sure face get ``log_tile`` -∞."""
        found = self._look(sight, pose)
        likely = {
            cell: reading
            for cell, reading in found.items()
            if reading.log_tile > PARAMS.beyond_doubt_nats
            or (reading.log_tile > PARAMS.found_nats and _sureness(reading) > PARAMS.believed_face)
        }
        # Half occluded or misaligned faces are hinted; after registration they must be beyond doubt.
        hinted = {
            cell: reading
            for cell, reading in found.items()
            if cell not in likely and reading.log_tile > PARAMS.hinted_nats and _sureness(reading) > KNOWN
        }
        quads = self._measured(sight, likely | hinted)
        exact = self._read_again(sight, pose, likely | hinted, quads)
        for cell in hinted:
            if exact[cell].log_tile <= 0 or _sureness(exact[cell]) < PARAMS.sure_face:
                quads.pop(cell, None)
        for cell, reading in found.items():
            if cell in quads or (
                reading.log_tile > PARAMS.beyond_doubt_nats and _sureness(reading) > PARAMS.sure_face
            ):
                found[cell] = exact[cell]
            else:
                found[cell] = replace(reading, log_tile=-np.inf)
        return found


def _tiles_of(readings: Readings) -> Readings:
    """The readings that are likelier tiles than bare table."""
    return {cell: reading for cell, reading in readings.items() if reading.log_tile > 0}


def with_hidden_tiles(readings: Readings) -> dict[Cell, CellReading]:
    """Return the readings, with ``log_tile`` raised for half occluded tiles: outlined cells next to a tile.
    One face must be clearly the likeliest, which bare table never shows."""
    known = _tiles_of(readings)
    result = dict(readings)
    for cell, reading in readings.items():
        joined = any(neighbour(cell, edge) in known for edge in EDGES)
        if reading.log_tile <= 0 and joined and _sureness(reading) >= PARAMS.sure_face:
            result[cell] = replace(reading, log_tile=reading.log_tile + PARAMS.singled_out_nats)
    return result


def _sureness(reading: CellReading) -> float:
    """The probability that the print is known: that of the likeliest face, or of it and its twins."""
    return max(float(np.exp(reading.log_probs.max())), reading.print_known)


def is_certain(reading: CellReading) -> bool:
    """Whether there is a tile with one sure face; small moves of its corners cannot change the reading."""
    return (
        reading.log_tile >= PARAMS.beyond_doubt_nats
        and float(np.exp(reading.log_probs.max())) >= PARAMS.sure_face
    )


def moved(old: Quad, new: Quad) -> float:
    """Return the maximum move of a corner between two quads (4, 2), in sides of ``old``."""
    side = float(mean_sides_px(old))
    return float(np.linalg.norm(new - old, axis=1).max()) / max(side, 1.0)


def _settled(moves: Collection[float]) -> bool:
    """Whether the median move, in sides, is below `settled_sides`."""
    return not moves or float(np.median(list(moves))) < PARAMS.settled_sides


def _known_quads(readings: Readings) -> dict[Cell, Quad]:
    """The corners of the tiles whose faces are known."""
    return {c: r.corners_px for c, r in readings.items() if r.log_tile > 0 and _sureness(r) > KNOWN}


def same_readings(readings: Readings, others: Readings) -> bool:
    """Whether the readings are identical objects, so that nothing was read again."""
    return readings.keys() == others.keys() and all(r is others[cell] for cell, r in readings.items())


def _expected(lattice: Lattice, cells: Sequence[Cell], tiles: Readings) -> dict[Cell, Quad]:
    """Return the predicted quads of ``cells``: the lattice's, shifted like the tiles around them."""
    corners = {cell: reading.corners_px.astype(np.float64) for cell, reading in tiles.items()}
    quads = expected_quads(cells, list(tiles), corners, lattice).astype(np.float32)
    return dict(zip(cells, quads, strict=True))


def _in_picture(quad: NDArray[np.floating], size_wh: tuple[int, int]) -> bool:
    return bool((quad > 1.0).all() and (quad < np.array(size_wh) - 2.0).all())


def count_known(readings: Readings) -> int:
    """Return the number of cells that are likelier a tile of the gallery than bare table."""
    return sum(reading.log_tile > 0 for reading in readings.values())
