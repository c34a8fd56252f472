"""Simulated camera: makes the observations that vision would make of a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, Cell, Point, neighbour
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.bench.inference.params import PARAMS, SimulationParams
from tilesight.bench.inference.piece_readings import LEAST, SimulatedPiece, SimulatedPieces
from tilesight.bench.inference.tables import Quantiles
from tilesight.bench.inference.tile_readings import FaceLogs, SimulatedTiles
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Observation, PieceReading, Quad

SIDE_PX = 60.0
"""Maximum side of a tile in pixels; wide boards are drawn smaller."""
IMAGE_WH = (1920, 1080)
PRINT_KNOWN = 0.95
SURE = 0.5
"""Minimum confidence of a detection that is reported as a piece. Below it, the detection is a hint."""
HIDDEN = 0.7
"""Probability that a hand over a tile hides a piece on it."""
DOUBTFUL_NATS = 3.0
"""Lead of a reading, in nats, below which it is noted as a cause of errors."""
APART_S = 8.0
"""Minimum seconds between two pictures for a change of light over the whole picture."""
UNSETTLED = Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 1.0), (60.0, 58.0, 49.0, 29.0, 17.0, 9.0, 0.0))
UNSETTLED_SOON = Quantiles((0.0, 0.01, 0.05, 0.25, 0.5, 1.0), (40.0, 22.0, 14.0, 4.0, 2.2, 0.0))
"""Area that changed against the previous picture, in tile areas: half a minute later, and some seconds
later."""


class SimulatedCamera:
    """Simulates the observations of one game. The reading of a tile or piece persists while it lies there.

    ``faults`` collects descriptions of the misreadings by cell, in the game's frame of reference.
    ``hardness`` scales the rates of misreadings; 0 makes none. ``worn`` prints are read as those of
    photographs in every game.
    """

    def __init__(
        self,
        start: GameState,
        rng: np.random.Generator,
        hardness: float = 1.0,
        params: SimulationParams = PARAMS,
        *,
        worn: bool = False,
    ) -> None:
        self.faults: dict[Cell, set[str]] = {}
        self._rng = rng
        self._hardness = hardness
        self._params = params
        self._designs = tuple(start.pack.designs)
        self._tiles = SimulatedTiles(start.pack, rng, hardness, params, worn=worn)
        self._pieces = SimulatedPieces(start.pack, start.players, rng, hardness, params)
        self._lattice = LatticeFrame((0, 0), 0)
        self._number = 0
        self._last_s = -APART_S

    def picture(
        self,
        t_s: float,
        board: Mapping[Cell, Laid],
        standing: Sequence[Standing],
        hand: Collection[Cell] = (),
    ) -> Observation:
        """Return the observation of a table at time ``t_s`` (seconds); a hand covers the cells of ``hand``.

        Its pose is None if the board is not found. Its lattice may be shifted and rotated against the game's
        frame of reference.
        """
        rng, number, self._number = self._rng, self._number, self._number + 1
        since_s, self._last_s = t_s - self._last_s, t_s
        if rng.random() < self._params.no_board * self._hardness:
            return Observation(number, t_s, None, self._designs, {}, ())
        if rng.random() < self._params.renumbered * self._hardness:
            at = (int(rng.integers(-5, 6)), int(rng.integers(-5, 6)))
            self._lattice = LatticeFrame(at, int(rng.integers(4)))
        plane = self._plane(board)
        cells = self._cells(board, standing, hand, plane)
        quads = {
            self._lattice.lattice_cell(cell): _quad(plane, self._lattice.lattice_cell(cell)) for cell in board
        }
        found = self._found(board, standing, hand)
        readings = [self._placed(seen, plane) for seen in found]
        table = UNSETTLED if since_s >= APART_S else UNSETTLED_SOON
        unsettled = table.value(float(rng.random()), self._hardness)
        return Observation(
            number,
            t_s,
            BoardPose(plane, quads, IMAGE_WH, 0.95),
            self._designs,
            cells,
            tuple(one for one in readings if one.confidence >= SURE),
            motion=0.1,
            hints=tuple(one for one in readings if LEAST <= one.confidence < SURE),
            unsettled=unsettled + (25.0 if hand and since_s < APART_S else 0.0),
        )

    # -- tiles

    def _cells(
        self,
        board: Mapping[Cell, Laid],
        standing: Sequence[Standing],
        hand: Collection[Cell],
        plane: NDArray[np.float64],
    ) -> dict[Cell, CellReading]:
        rng = self._rng
        occupied = {piece.cell for piece in standing}
        at: list[Cell] = []
        log_tiles: list[float] = []
        hidden: list[float] = []
        faces: list[FaceLogs] = []
        for cell, laid in board.items():
            if rng.random() < self._params.missed_tile * self._hardness:
                continue
            face = self._tiles.face(cell, laid, occupied=cell in occupied)
            if face.lead < DOUBTFUL_NATS:
                self._note(cell, f"face leads by {face.lead:.1f} nats")
            log_tile = self._tiles.log_tile(cell, laid) + rng.normal(0.0, self._params.tile_jitter_nats)
            if log_tile < DOUBTFUL_NATS:
                self._note(cell, "tile hardly read")
            covered = self._tiles.covered(cell, laid, occupied=cell in occupied)
            logs = face.logs
            if cell in hand:
                over = float(rng.uniform(0.4, 1.0))
                covered, log_tile, logs = max(covered, over), log_tile * (1.0 - over), logs * (1.0 - over)
            at.append(cell)
            log_tiles.append(float(log_tile))
            hidden.append(covered)
            faces.append(logs)
        for cell in self._beside(board):
            bare = self._tiles.bare(cell)
            if bare is not None:
                if bare[0] > 0:
                    self._note(cell, "bare table read as a tile")
                at.append(cell)
                log_tiles.append(bare[0] + float(rng.normal(0.0, 0.2)))
                hidden.append(0.0)
                faces.append(bare[1])
        if not at:
            return {}
        stack = np.stack(faces)
        stack = stack + rng.normal(0.0, self._params.face_jitter_nats * min(self._hardness, 1.0), stack.shape)
        stack -= np.logaddexp.reduce(stack.reshape(len(at), -1), axis=1)[:, None, None]
        stack = np.roll(stack, self._lattice.quarter_turns, axis=2).astype(np.float32)
        found = {}
        for i, cell in enumerate(at):
            place = self._lattice.lattice_cell(cell)
            found[place] = CellReading(
                place, _quad(plane, place), stack[i], log_tiles[i], hidden[i], print_known=PRINT_KNOWN
            )
        return found

    # -- pieces

    def _found(
        self, board: Mapping[Cell, Laid], standing: Sequence[Standing], hand: Collection[Cell]
    ) -> list[SimulatedPiece]:
        found: list[SimulatedPiece] = []
        persons: dict[Cell, list[Point]] = {}
        spots = {(piece.cell, piece.corner, piece.feature) for piece in standing if piece.kind in OWNED}
        for piece in standing:
            under = piece.kind == "token" and (piece.cell, piece.corner, piece.feature) in spots
            always = self._pieces.always(piece, board, under=under)
            faults = ("missed",) if always is None else always.faults
            for fault in faults:
                self._note(piece.cell, f"{piece.color or ''} {piece.kind} {fault}".strip())
            if piece.cell in hand and self._rng.random() < HIDDEN:
                continue
            seen = self._pieces.piece(piece, board, under=under)
            if seen is not None:
                found.append(seen)
            if always is not None and piece.kind != "token":
                persons.setdefault(piece.cell, []).append(always.xy)
        outside = {piece.cell for piece in standing if piece.kind in OUTSIDE}
        beside = [self._pieces.beside(cell) for cell in self._beside(board) if cell not in outside]
        prints = [
            seen
            for cell, laid in board.items()
            if cell not in hand
            for seen in self._pieces.prints(cell, laid, persons.get(cell, ()))
        ]
        for odd in (*(seen for seen in beside if seen is not None), *prints):
            if odd.reading.confidence > 0.3:
                x, y = odd.xy
                self._note((int(np.floor(x)), int(np.floor(y))), odd.faults[0])
            found.append(odd)
        return found

    def _placed(self, seen: SimulatedPiece, plane: NDArray[np.float64]) -> PieceReading:
        xy = self._lattice.lattice_point(seen.xy)
        px = plane @ np.array([*xy, 1.0])
        point_px = (float(px[0] / px[2]), float(px[1] / px[2]))
        return replace(seen.reading, point_px=point_px, lattice_xy=xy)

    # -- the table in the picture

    def _note(self, cell: Cell, fault: str) -> None:
        self.faults.setdefault(cell, set()).add(fault)

    def _beside(self, board: Mapping[Cell, Laid]) -> list[Cell]:
        """Return the empty cells next to the board's tiles, without duplicates, in the order of the tiles."""
        return list(
            dict.fromkeys(n for cell in board for edge in EDGES if (n := neighbour(cell, edge)) not in board)
        )

    def _plane(self, board: Mapping[Cell, Laid]) -> NDArray[np.float64]:
        at = np.array([self._lattice.lattice_cell(cell) for cell in board], dtype=float) + 0.5
        middle = (at.min(axis=0) + at.max(axis=0)) / 2
        side = min(SIDE_PX, IMAGE_WH[1] / (np.ptp(at, axis=0).max() + 3.5))
        shift = np.array(IMAGE_WH) / 2 - side * middle
        return np.array([[side, 0, shift[0]], [0, side, shift[1]], [0, 0, 1.0]])


def _quad(plane: NDArray[np.float64], cell: Cell) -> Quad:
    """Return the corners of a cell in pixels, float32 (4, 2); ``plane`` must have no perspective."""
    side, (east, south) = plane[0, 0], plane[:2, 2]
    left, top = side * cell[0] + east, side * cell[1] + south
    right, bottom = left + side, top + side
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)
