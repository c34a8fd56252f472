"""Where the board lies: from a frame to a `BoardPose`, or to nothing where there is no board.

Two independent ways propose tiles: the gallery's faces by their features (`vision.seeds`) and the
learned heat map, which knows no art (`vision.heatmap`). What fits one lattice stays
(`vision.lattice`), cells beside it are asked whether a tile lies there, and every tile is then
measured by itself (`vision.refine`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import OnnxModel, load
from vision.heatmap import Heat, look
from vision.heatmap import Network as HeatNetwork
from vision.lattice import STEPS, Grown, Lattice, grow
from vision.observation import BoardPose, Image
from vision.refine import Outlines, outline
from vision.seeds import FaceIndex, find_seeds
from vision.sides import Network as SidesNetwork

_CLOSER_LOOK_PX = 30.0
"""Tiles smaller than this in the network's picture are looked at again, closer."""
_SURE_INLIERS = 14.0
_FEW_CELLS = 24
"""A lattice begun from few tiles is worth one more round of measuring."""
_LOOK_WIDTH_PX = 320
_STILL_LEVELS = 16.0


class HasFaces(Protocol):
    """What the locator wants of a gallery: ``faces`` uint8 (n, S, S, 3) BGR."""

    @property
    def faces(self) -> NDArray[np.uint8]:
        """Reference faces, each with its own north up."""


@dataclass(slots=True, eq=False)
class Locator:
    """The networks, the features of the galleries met so far, and the last frame measured.

    One value belongs to one camera: what it remembers only makes the next frame cheaper.
    """

    heat: HeatNetwork
    sides: SidesNetwork
    _indexes: dict[int, tuple[HasFaces, FaceIndex]] = field(default_factory=dict)
    _measured: tuple[NDArray[np.float32], BoardPose, Lattice] | None = None

    @staticmethod
    def load() -> Locator:
        """The shipped networks. Raises models.ModelError where one is missing or damaged."""
        return Locator(heat_network(load("locator")), sides_network(load("sides")))

    def index_of(self, gallery: HasFaces) -> FaceIndex:
        """The gallery's features, computed once."""
        known = self._indexes.get(id(gallery))
        if known is None or known[0] is not gallery:
            known = (gallery, FaceIndex(gallery.faces))
            self._indexes[id(gallery)] = known
        return known[1]


def heat_network(model: OnnxModel) -> HeatNetwork:
    """The heat map's network as `vision.heatmap` calls it."""
    return lambda pictures: np.asarray(model(pictures)[0], dtype=np.float32)


def sides_network(model: OnnxModel) -> SidesNetwork:
    """The sides' network as `vision.sides` calls it."""

    def run(strips: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        places, present = model(strips)
        return np.asarray(places, dtype=np.float32), np.asarray(present, dtype=np.float32)

    return run


def locate(
    frame_bgr: Image,
    locator: Locator,
    gallery: HasFaces | None = None,
    prior: BoardPose | None = None,
) -> BoardPose | None:
    """The largest connected board in the frame, or None where there is none.

    With a gallery its faces help; without one any printed tiles are found. ``prior`` is the pose of
    an earlier frame of the same camera: the lattice keeps its names, and when nothing moved since,
    it is returned as it is. Without one, north is the lattice direction nearest the image's up and
    (0, 0) the tile of least y, then least x.
    """
    small = _small_grey(frame_bgr)
    if prior is not None and locator._measured is not None:
        before, pose, lattice = locator._measured
        if pose is prior and before.shape == small.shape:
            if _still(before, small):
                return prior
            again = _follow(frame_bgr, locator, prior, lattice)
            if again is not None:
                locator._measured = (small, again[0], again[1])
                return again[0]
    found = _search(frame_bgr, locator, gallery)
    if found is None:
        return None
    pose, lattice = _named(found, frame_bgr, prior)
    locator._measured = (small, pose, lattice)
    return pose


def _small_grey(frame_bgr: Image) -> NDArray[np.float32]:
    height, width = frame_bgr.shape[:2]
    size = (_LOOK_WIDTH_PX, max(round(height * _LOOK_WIDTH_PX / width), 1))
    grey = cv2.cvtColor(cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    soft = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.2)
    return np.asarray(soft, np.float32).reshape(size[1], size[0])


def _still(before: NDArray[np.float32], now: NDArray[np.float32]) -> bool:
    """Nothing moved: no patch differs but by the light of the whole picture."""
    gain = float(np.median(now)) / max(float(np.median(before)), 1.0)
    return int((np.abs(now - before * gain) > _STILL_LEVELS).sum()) < 6


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Tiles measured in one frame, under whatever names the search gave the lattice."""

    lattice: Lattice
    quads: Mapping[Cell, NDArray[np.float64]]
    occupied: Mapping[Cell, float]


def _search(frame_bgr: Image, locator: Locator, gallery: HasFaces | None) -> _Found | None:
    """The board from this frame alone."""
    size_wh = (frame_bgr.shape[1], frame_bgr.shape[0])
    heat = look(frame_bgr, locator.heat)
    quads, weights = heat.quads()
    if gallery is not None:
        quads, weights = _with_seeds(frame_bgr, locator.index_of(gallery), quads, weights)
    grown = grow(quads, weights, size_wh)
    if grown is None:
        return None
    closer = _closer(frame_bgr, locator, heat, grown)
    if closer is not None:
        heat = closer
        again, strength = heat.quads()
        quads, weights = _merged(quads[weights > 1.0], weights[weights > 1.0], again, strength)
        grown = grow(quads, weights, size_wh) or grown
    sure = {cell: float(weights[index]) for cell, (index, _) in grown.members.items()}
    return _measure(frame_bgr, locator, heat, grown.lattice, sure)


def _with_seeds(
    frame_bgr: Image,
    index: FaceIndex,
    quads: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    seeds = find_seeds(frame_bgr, index)
    if not seeds:
        return quads, weights
    known = np.array([seed.quad for seed in seeds])
    strength = np.array([1.0 + min(seed.inliers / _SURE_INLIERS, 2.0) for seed in seeds])
    return _merged(known, strength, quads, weights)


def _merged(
    first: NDArray[np.float64],
    first_weights: NDArray[np.float64],
    second: NDArray[np.float64],
    second_weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sets of quads; where two lie on each other the first's stays, and gains weight."""
    if not len(first) or not len(second):
        return np.concatenate([first, second]), np.concatenate([first_weights, second_weights])
    middles, others = first.mean(axis=1), second.mean(axis=1)
    side = np.linalg.norm(first - np.roll(first, 1, axis=1), axis=2).mean(axis=1)
    apart = np.linalg.norm(middles[:, None] - others[None], axis=2) / side[:, None]
    doubled = apart < 0.4
    agreeing = (doubled * second_weights[None]).max(axis=1)
    free = ~doubled.any(axis=0)
    return (
        np.concatenate([first, second[free]]),
        np.concatenate([first_weights + agreeing, second_weights[free]]),
    )


def _closer(frame_bgr: Image, locator: Locator, heat: Heat, grown: Grown) -> Heat | None:
    """A second look at the board alone, where its tiles were small in the first."""
    quads = grown.lattice.quads(grown.members)
    side = float(np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).mean())
    scale = float(np.sqrt(abs(np.linalg.det(heat.view.A[:, :2]))))
    if side * scale >= _CLOSER_LOOK_PX:
        return None
    height, width = frame_bgr.shape[:2]
    low = np.maximum(quads.reshape(-1, 2).min(axis=0) - 2.0 * side, 0.0)
    high = np.minimum(quads.reshape(-1, 2).max(axis=0) + 2.0 * side, [width, height])
    wide, tall = high - low
    if max(wide, tall) > 0.75 * max(width, height):
        return None
    return look(frame_bgr, locator.heat, (float(low[0]), float(low[1]), float(high[0]), float(high[1])))


def _measure(
    frame_bgr: Image,
    locator: Locator,
    heat: Heat,
    lattice: Lattice,
    sure: Mapping[Cell, float],
) -> _Found | None:
    """Which cells carry tiles, and each tile's corners; grows outwards until nothing is added."""
    asked: dict[Cell, float] = {}
    quads: dict[Cell, NDArray[np.float64]] = {}
    wave = set(sure) | _likely(sure, lattice, heat, frame_bgr)
    for round_number in range(8):
        wave -= set(asked)
        if not wave:
            break
        cells = sorted(wave)
        first = round_number == 0
        rounds = 3 if first and len(cells) < _FEW_CELLS else 2
        seen = outline(frame_bgr, lattice, cells, locator.sides, rounds=rounds, keep_lattice=not first)
        if first:
            lattice = seen.lattice
        for cell, probability, quad in zip(cells, _occupied(seen, heat, sure), seen.quads, strict=True):
            asked[cell] = float(probability)
            quads[cell] = quad
        wave = _likely([c for c in cells if asked[c] > 0.5], lattice, heat, frame_bgr)
    board = _largest({cell for cell, probability in asked.items() if probability > 0.5})
    if not _is_a_board(board, asked, sure):
        return None
    beside = {_step(cell, step) for cell in board for step in STEPS} - board
    occupied = {cell: asked[cell] for cell in board}
    occupied.update({cell: asked.get(cell, 0.02) for cell in beside})
    return _Found(lattice, {cell: quads[cell] for cell in board}, occupied)


def _likely(cells: Iterable[Cell], lattice: Lattice, heat: Heat, frame_bgr: Image) -> set[Cell]:
    """The cells' neighbours that look like a tile's face and lie mostly in view."""
    cells = set(cells)
    beside = sorted({_step(cell, step) for cell in cells for step in STEPS} - cells)
    if not beside:
        return set()
    faces = _face_share(beside, lattice, heat)
    quads = lattice.quads(beside)
    middles = quads.mean(axis=1)
    size = np.array([frame_bgr.shape[1], frame_bgr.shape[0]])
    in_view = ((middles > 0) & (middles < size)).all(axis=1)
    return {cell for cell, face, ok in zip(beside, faces, in_view, strict=True) if ok and face > 0.3}


def _face_share(cells: list[Cell], lattice: Lattice, heat: Heat) -> NDArray[np.float64]:
    """How much of each cell's inner part the heat map takes for a tile's face, 0..1."""
    steps = np.linspace(0.18, 0.82, 5)
    inner = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    points = (np.array(cells, dtype=np.float64)[:, None] + inner[None]).reshape(-1, 2)
    return np.asarray(heat.face_at(lattice.project(points)).reshape(len(cells), -1).mean(axis=1))


def _occupied(seen: Outlines, heat: Heat, sure: Mapping[Cell, float]) -> NDArray[np.float64]:
    """Probability of a tile in each cell: the sides, the face, and who else claims it."""
    face = _face_share(list(seen.cells), seen.lattice, heat)
    claim = np.array([min(sure.get(cell, 0.0), 3.0) for cell in seen.cells])
    evidence = 5.0 * (seen.present - 0.5) + 5.0 * (face - 0.5) + 1.5 * (claim - 0.5)
    return np.asarray(1.0 / (1.0 + np.exp(-evidence)))


def _is_a_board(board: set[Cell], occupied: Mapping[Cell, float], sure: Mapping[Cell, float]) -> bool:
    """One doubtful tile is no board: clutter on a table has corners and faces too."""
    if not board:
        return False
    total = sum(2.0 * occupied[cell] - 1.0 for cell in board)
    known = max(sure.get(cell, 0.0) for cell in board)
    return total > 1.5 or (total > 0.8 and known > 1.0)


def _largest(cells: set[Cell]) -> set[Cell]:
    """The largest set of cells joined by edges."""
    best: set[Cell] = set()
    left = set(cells)
    while left:
        joined = _joined(left, {left.pop()})
        left -= joined
        if len(joined) > len(best):
            best = joined
    return best


def _joined(cells: set[Cell], start: set[Cell]) -> set[Cell]:
    """All of ``cells`` that can be reached from ``start`` edge by edge, and start itself."""
    reached, queue = set(start), list(start)
    while queue:
        cell = queue.pop()
        for step in STEPS:
            nxt = _step(cell, step)
            if nxt in cells and nxt not in reached:
                reached.add(nxt)
                queue.append(nxt)
    return reached


def _step(cell: Cell, step: Cell) -> Cell:
    return (cell[0] + step[0], cell[1] + step[1])


def _follow(
    frame_bgr: Image, locator: Locator, prior: BoardPose, lattice: Lattice
) -> tuple[BoardPose, Lattice] | None:
    """The board of ``prior`` in a new frame of the same still camera; None where it does not fit."""
    heat = look(frame_bgr, locator.heat)
    cells = sorted(prior.quads)
    start = np.array([prior.quads[cell] for cell in cells], dtype=np.float64)
    seen = outline(frame_bgr, lattice, cells, locator.sides, start, rounds=1, keep_lattice=True)
    there = _occupied(seen, heat, dict.fromkeys(cells, 0.5))
    moved = np.linalg.norm(seen.quads - start, axis=2).max(axis=1) / max(prior.tile_side_px, 1.0)
    steady = (moved < 0.04) & (there > 0.5)
    if steady.sum() < max(0.4 * len(cells), 1):
        return None
    # A tile at rest keeps its measure: what changes from frame to frame is noise, or a hand.
    quads = {
        cell: (start[i] if steady[i] else seen.quads[i]) for i, cell in enumerate(cells) if there[i] > 0.35
    }
    occupied = {cell: float(p) for cell, p in zip(cells, there, strict=True)}
    wave = _likely(quads, lattice, heat, frame_bgr) - set(cells)
    for _ in range(4):
        if not wave:
            break
        fresh = sorted(wave)
        more = outline(frame_bgr, lattice, fresh, locator.sides, keep_lattice=True)
        found = _occupied(more, heat, {})
        occupied.update({cell: float(p) for cell, p in zip(fresh, found, strict=True)})
        quads.update({cell: more.quads[i] for i, cell in enumerate(fresh) if found[i] > 0.5})
        wave = _likely(
            [cell for i, cell in enumerate(fresh) if found[i] > 0.5], lattice, heat, frame_bgr
        ) - set(occupied)
    kept = _joined(set(quads), set(quads) & set(cells))
    return _pose(frame_bgr, lattice, {cell: quads[cell] for cell in kept}, occupied), lattice


def _pose(
    frame_bgr: Image,
    lattice: Lattice,
    quads: Mapping[Cell, NDArray[np.float64]],
    occupied: Mapping[Cell, float],
) -> BoardPose:
    # The currency knows no lens term: the homography is fitted to the measured tiles themselves.
    size_wh = (frame_bgr.shape[1], frame_bgr.shape[0])
    cells = sorted(quads, key=lambda cell: (cell[1], cell[0]))
    corners = np.concatenate([quads[cell] for cell in cells])
    ideal = np.concatenate(
        [np.array(cell) + np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) for cell in cells]
    )
    flat = Lattice.fit(ideal, corners, size_wh, with_lens=False) if len(cells) > 1 else lattice
    confidence = float(np.mean([occupied[cell] for cell in cells]))
    return BoardPose(
        H_px_from_lattice=flat.H / flat.H[2, 2],
        quads={cell: np.asarray(quads[cell], dtype=np.float32) for cell in cells},
        image_size_wh=size_wh,
        confidence=confidence,
        occupied={cell: round(occupied[cell], 4) for cell in sorted(occupied)},
    )


_TURNS = tuple(
    np.array(turn, dtype=np.int64)
    for turn in ([[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]])
)


def _named(found: _Found, frame_bgr: Image, prior: BoardPose | None) -> tuple[BoardPose, Lattice]:
    """The board under its right names: the prior's where it is the same board, else the image's."""
    turn, shift = _names_of_prior(found, prior) or _names_of_image(found)
    half = np.array([0.5, 0.5])

    def renamed(cell: Cell) -> Cell:
        middle = turn @ (np.array(cell) + half) + shift
        return (int(np.floor(middle[0])), int(np.floor(middle[1])))

    # A cell's north-west corner under the new names is another of its four corners.
    quarter = next(i for i, known in enumerate(_TURNS) if (known == turn).all())
    quads = {renamed(cell): np.roll(quad, quarter, axis=0) for cell, quad in found.quads.items()}
    occupied = {renamed(cell): value for cell, value in found.occupied.items()}
    lattice = found.lattice.moved(turn, shift)
    return _pose(frame_bgr, lattice, quads, occupied), lattice


def _names_of_image(found: _Found) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    middles = np.array(list(found.quads), dtype=np.float64) + 0.5
    centre = middles.mean(axis=0)
    best = 0
    lowest = np.inf
    for index, turn in enumerate(_TURNS):
        north = turn.T @ np.array([0.0, -1.0])
        here, there = found.lattice.project(np.array([centre, centre + 0.5 * north]))
        direction = (there - here) / max(float(np.linalg.norm(there - here)), 1e-9)
        if direction[1] < lowest - 1e-9:
            best, lowest = index, float(direction[1])
    turn = _TURNS[best]
    turned = np.floor(middles @ turn.T).astype(np.int64)
    first = min(turned.tolist(), key=lambda xy: (xy[1], xy[0]))
    return turn, -np.array(first, dtype=np.int64)


def _names_of_prior(
    found: _Found, prior: BoardPose | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The turn and shift that carry the search's names into the prior's, where tiles agree."""
    if prior is None or not prior.quads:
        return None
    known = np.array(list(prior.quads), dtype=np.float64) + 0.5
    seen = found.lattice.unproject(np.array([quad.mean(axis=0) for quad in prior.quads.values()], np.float64))
    best: tuple[float, NDArray[np.int64], NDArray[np.int64]] | None = None
    for turn in _TURNS:
        offsets = known - seen @ turn.T
        shift = np.round(np.median(offsets, axis=0)).astype(np.int64)
        error = float(np.median(np.abs(offsets - shift)))
        if best is None or error < best[0]:
            best = (error, turn, shift)
    if best is None or best[0] > 0.2:
        return None
    return best[1], best[2]
