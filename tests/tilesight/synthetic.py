"""Observations as vision might hand them on, drawn from a known game: noise, hands, losses and all.

No picture is involved. The noise is of the kinds that a recogniser makes: look-alike faces that win by
a little (for a whole resting state, not for one frame), missed and phantom pieces, wrong colours and
poses, contact points beside the spot, hands that cover cells, and a lattice that is numbered anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.geometry import EDGES, Cell, neighbour, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import PieceKind, Pose
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tilesight.simulation.tile_games import Style, random_game
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Observation, PieceReading

SIDE_PX = 60.0
IMAGE_WH = (1920, 1080)


@dataclass(frozen=True)
class Noise:
    """How badly the pictures are read. Shares are per frame and piece, or per resting state and tile.

    ``tile_nats`` are the log-odds of a tile that lies there, ``least_sure`` is the least confidence of a
    detected piece, ``every_s`` the time between two pictures.
    """

    twin_gap_nats: float = 6.0
    gap_sd_nats: float = 1.5
    missed: float = 0.03
    phantom: float = 0.05
    wrong_color: float = 0.02
    wrong_pose: float = 0.04
    point_sd: float = 0.04
    hand: float = 0.5
    frames: int = 3
    renumbered: float = 0.1
    lost: float = 0.02
    tile_nats: float = 12.0
    least_sure: float = 0.9
    every_s: float = 0.5


CLEAN = Noise(20.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3, 0.0, 0.0, least_sure=0.97)


class Camera:
    """Turns tables into observations, one after the other."""

    def __init__(self, state: GameState, noise: Noise, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.noise = noise
        self.designs = tuple(state.pack.designs)
        self.colors = state.players
        self._twins = {
            name: [i for i, other in enumerate(self.designs) if designs_alike(state, name, other)]
            for name in self.designs
        }
        self._confused: dict[str, str] = {}
        self._row = {name: i for i, name in enumerate(self.designs)}
        self._faces: dict[tuple[Cell, str, int], np.ndarray] = {}
        self._lattice = LatticeFrame((0, 0), 0)
        self._index = -1

    def confuse(self, name: str, other: str) -> None:
        """From now on a face looks just as much like another one."""
        self._confused[name] = other

    def frame(
        self,
        board: Mapping[Cell, Laid],
        standing: Sequence[Standing],
        *,
        hand_over: Sequence[Cell] = (),
    ) -> Observation:
        """One picture of a table; a hand covers ``hand_over``."""
        rng, noise = self.rng, self.noise
        self._index += 1
        t_s = noise.every_s * self._index
        if rng.random() < noise.lost:
            return Observation(self._index, t_s, None, self.designs, {}, ())
        if rng.random() < noise.renumbered:
            self._lattice = LatticeFrame(
                (int(rng.integers(-5, 6)), int(rng.integers(-5, 6))), int(rng.integers(4))
            )
        H = self._pose(board)
        cells: dict[Cell, CellReading] = {}
        quads = {}
        around = {neighbour(cell, edge) for cell in board for edge in EDGES} - set(board)
        for cell in [*board, *around]:
            at = self._lattice.lattice_cell(cell)
            quad = _quad(H, at)
            covered = float(rng.uniform(0.4, 1.0)) if cell in hand_over else float(rng.uniform(0, 0.05))
            log_tile = rng.normal(noise.tile_nats, 1.0) if cell in board else rng.normal(-5.0, 1.0)
            logs = self._face_logs(cell, board.get(cell))
            if covered > 0.3:
                log_tile *= 1 - covered
                logs = logs * (1 - covered) + rng.normal(0, 1.0, logs.shape)
            elif cell not in board and rng.random() < 0.3:
                continue  # locate reports neighbours only sometimes
            turned = np.roll(logs, self._lattice.quarter_turns, axis=1)
            turned = turned - _logsumexp(turned)
            cells[at] = CellReading(
                at, quad, turned.astype(np.float32), float(log_tile), covered, print_known=1.0
            )
            if cell in board:
                quads[at] = quad
        pieces = [p for piece in standing if (p := self._piece(piece, board, H, hand_over)) is not None]
        if rng.random() < noise.phantom:
            pieces.append(self._phantom(board, H))
        pose = BoardPose(H, quads, IMAGE_WH, 0.95)
        return Observation(self._index, t_s, pose, self.designs, cells, tuple(pieces), motion=0.1)

    def _face_logs(self, cell: Cell, laid: Laid | None) -> np.ndarray:
        rng, noise = self.rng, self.noise
        if laid is None:
            return rng.normal(-6, 2.0, (len(self.designs), 4))
        key = (cell, laid.design.id, laid.rot)
        if key not in self._faces:
            logs = rng.normal(-14, 2.0, (len(self.designs), 4))
            turn = laid.rot // 90
            logs[self._row[laid.design.id], turn] = 0.0
            for twin in self._twins[laid.design.id]:
                logs[twin, turn] = -rng.normal(noise.twin_gap_nats, noise.gap_sd_nats)
            if laid.design.id in self._confused:
                logs[self._row[self._confused[laid.design.id]], turn] = 0.0
            self._faces[key] = logs
        return self._faces[key] + rng.normal(0, 0.5 if noise.gap_sd_nats else 0.0, (len(self.designs), 4))

    def _piece(
        self, piece: Standing, board: Mapping[Cell, Laid], H: np.ndarray, hand_over: Sequence[Cell]
    ) -> PieceReading | None:
        rng, noise = self.rng, self.noise
        if rng.random() < noise.missed or (piece.cell in hand_over and rng.random() < 0.7):
            return None
        x, y = place_of(piece, board)
        x, y = x + rng.normal(0, noise.point_sd), y + rng.normal(0, noise.point_sd)
        color = piece.color
        probs: dict[str, float] = {}
        if piece.kind == "meeple":
            if rng.random() < noise.wrong_color:
                color = str(rng.choice(self.colors))
            probs = {name: 0.97 if name == color else 0.03 / (len(self.colors) - 1) for name in self.colors}
        pose = piece.pose
        if rng.random() < noise.wrong_pose:
            pose = "standing" if pose == "lying" else "lying"
        return self._reading(
            piece.kind,
            color,
            pose,
            (x, y),
            H,
            float(rng.uniform(noise.least_sure, 0.99)),
            probs,
            piece.animal,
        )

    def _phantom(self, board: Mapping[Cell, Laid], H: np.ndarray) -> PieceReading:
        rng = self.rng
        cell = list(board)[int(rng.integers(len(board)))]
        x, y = cell[0] + rng.uniform(), cell[1] + rng.uniform()
        color = str(rng.choice(self.colors))
        return self._reading(
            "meeple", color, "standing", (x, y), H, float(rng.uniform(0.3, 0.8)), {color: 1.0}, None
        )

    def _reading(
        self,
        kind: PieceKind,
        color: str | None,
        pose: Pose,
        xy: tuple[float, float],
        H: np.ndarray,
        confidence: float,
        probs: Mapping[str, float],
        animal: str | None,
    ) -> PieceReading:
        at = lattice_point(self._lattice, xy)
        px = H @ np.array([*at, 1.0])
        point = (float(px[0] / px[2]), float(px[1] / px[2]))
        return PieceReading(kind, color, pose, point, at, confidence, probs, animal)

    def _pose(self, board: Mapping[Cell, Laid]) -> np.ndarray:
        at = np.array([self._lattice.lattice_cell(cell) for cell in board], dtype=float) + 0.5
        middle = (at.min(axis=0) + at.max(axis=0)) / 2
        side = min(SIDE_PX, IMAGE_WH[1] / (np.ptp(at, axis=0).max() + 3.5))
        shift = np.array(IMAGE_WH) / 2 - side * middle
        return np.array([[side, 0, shift[0]], [0, side, shift[1]], [0, 0, 1.0]])


def designs_alike(state: GameState, name: str, other: str) -> bool:
    """Faces on one geometry, that differ only by an animal."""
    designs = state.pack.designs
    return name != other and designs[name].tile is designs[other].tile


def place_of(piece: Standing, board: Mapping[Cell, Laid]) -> tuple[float, float]:
    """Where a piece stands, in tile sides."""
    u, v = 0.5, 0.5
    if piece.corner is not None:
        u, v = (0.75 if "e" in piece.corner else 0.25), (0.75 if "s" in piece.corner else 0.25)
    elif piece.feature is not None:
        laid = board[piece.cell]
        feature = laid.design.tile.feature(piece.feature)
        assert feature is not None
        u, v = turned_point(feature.spot_of(piece.kind), laid.rot)
    return (piece.cell[0] + u, piece.cell[1] + v)


def lattice_point(lattice: LatticeFrame, xy: tuple[float, float]) -> tuple[float, float]:
    """The inverse of ``LatticeFrame.point``."""
    x, y = xy[0] - 0.5, xy[1] - 0.5
    for _ in range(lattice.quarter_turns % 4):
        x, y = -y, x
    return (x + lattice.origin[0] + 0.5, y + lattice.origin[1] + 0.5)


def _quad(H: np.ndarray, cell: Cell) -> np.ndarray:
    x, y = cell
    corners = np.array([(x, y, 1), (x + 1, y, 1), (x + 1, y + 1, 1), (x, y + 1, 1)], dtype=float) @ H.T
    return np.asarray(corners[:, :2] / corners[:, 2:], np.float32)


def _logsumexp(values: np.ndarray) -> float:
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum()))


def film(
    start: GameState, turns: Sequence[Turn], noise: Noise, seed: int, camera: Camera | None = None
) -> Iterator[tuple[int, Observation]]:
    """A whole game before the camera: (turns finished and at rest, observation) for each picture."""
    camera = camera or Camera(start, noise, seed)
    rng = camera.rng
    for _ in range(noise.frames):
        yield 0, camera.frame(start.board, start.standing)
    state = start
    for number, turn in enumerate(turns, 1):
        step: Step = state.apply(turn)
        board = step.state.board
        near = [
            cell for cell in board if abs(cell[0] - turn.cell[0]) <= 2 and abs(cell[1] - turn.cell[1]) <= 2
        ]
        tables = [tuple(step.laid)]
        if set(step.laid) != set(step.state.standing):
            tables.append(tuple(step.state.standing))
        for i, standing in enumerate(tables):
            if rng.random() < noise.hand:
                hand = [cell for cell in near if rng.random() < 0.8]
                before = state.standing if i == 0 else tables[i - 1]
                laid = board if i or rng.random() < 0.5 else state.board
                yield number - 1, camera.frame(laid, before, hand_over=hand)
            for _ in range(noise.frames):
                done = number if i == len(tables) - 1 else number - 1
                yield done, camera.frame(board, standing)
        state = step.state


def plain_game(pack: Pack, seed: int, turns: int, players: int = 2) -> tuple[GameState, tuple[Turn, ...]]:
    """A random game without animal tiles: its start and its turns."""
    style = Style(allow=("meeple", "ranger"), greedy=0.6)
    record = random_game(pack, players, seed, turns=turns, style=style, hands_seen=False)
    start = start_of(record, pack)
    return start, record.turns
