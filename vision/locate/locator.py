"""Locator: finds the `BoardPose` of a frame.

Tiles are proposed independently by SIFT features of the gallery's faces (`vision.locate.sift_matches`) and by
a learned heat map, which knows no art (`vision.locate.heatmap`). Proposals on one lattice are kept
(`vision.geometry.lattice`), every tile is measured by itself (`vision.locate.corner_fit`), and cells are
classified as tile or table (`vision.locate.occupancy`). A printed marker mat (`vision.locate.marker_mat`) is
optional; with one, only squares in its plane and inside its rim are proposed.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import OnnxModel, load
from vision.change.small_picture import Changes, SmallPicture
from vision.geometry.lattice import STEPS, Lattice
from vision.geometry.rigid import expected_quads, plane_of
from vision.locate.cell_names import named, pose_of
from vision.locate.cell_networks import CellsNetwork, SidesNetwork
from vision.locate.heatmap import Heat, HeatNetwork, look, near_looks
from vision.locate.lattice_search import LatticeHypothesis, find_lattices, merged
from vision.locate.marker_mat import find_mat
from vision.locate.occupancy import CellGauge, MeasuredBoard, measure_board, step_from
from vision.locate.params import PARAMS
from vision.locate.pose_tracker import follow
from vision.locate.sift_matches import FaceIndex, seed_quads
from vision.observation import BoardPose, Quad, Sight, mean_sides_px

FEW_TILES = 4
"""Minimum number of tiles of a board that can be beyond doubt."""
KNOWN_CLAIM = 2.0
"""Evidence, in nats, that a known face lies in its cell: that of a face with `sure_inliers` features."""
SETTLINGS = 3
"""Maximum number of times that a doubtful board is measured again from its tiles."""


class HasFaces(Hashable, Protocol):
    """The part of a gallery that the locator needs: ``firsts`` uint8 (n, S, S, 3) BGR."""

    @property
    def firsts(self) -> NDArray[np.uint8]:
        """One reference face of each design, its own north up."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedLattice:
    """A located board: pose and lattice.
    ``look`` is the small picture of its frame, with which later frames are compared."""

    look: SmallPicture
    pose: BoardPose
    lattice: Lattice

    def through(self, quads: Mapping[Cell, Quad], others: Collection[Cell] = ()) -> LocatedLattice | None:
        """Return the board refitted to ``quads``, the corners measured by faces; None if they fix no plane.
        ``others`` are the tiles without a known face, which get predicted corners."""
        pose = self.pose
        lattice = plane_of(quads, pose.image_size_wh)
        if lattice is None:
            return None
        tiles = {cell: np.asarray(quad, np.float64) for cell, quad in quads.items()}
        tiles |= zip(others, expected_quads(list(others), list(tiles), tiles, lattice), strict=True)
        occupied = dict.fromkeys(tiles, 1.0) | {c: p for c, p in pose.occupied.items() if c not in pose.quads}
        occupied |= {cell: pose.occupied.get(cell, 1.0) for cell in tiles}
        return LocatedLattice(self.look, pose_of(pose.image_size_wh, lattice, tiles, occupied), lattice)


@dataclass(frozen=True, slots=True)
class LocatorState:
    """Locator state of one camera.

    ``place`` is the last located board, from which the next frame is tracked; cells keep their names.
    ``followed``: it was tracked from the previous frame, not searched.
    """

    place: LocatedLattice | None = None
    followed: bool = False

    @property
    def prior(self) -> BoardPose | None:
        """The last board's pose, which determines the cells' names; None before there was one."""
        return self.place.pose if self.place is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class Locator:
    """The networks of the locator; one instance may serve several cameras."""

    heat: HeatNetwork
    sides: SidesNetwork
    cells: CellsNetwork

    @staticmethod
    def load() -> Locator:
        """Load the shipped networks. Raises models.ModelError if one is missing or damaged."""
        return _of_models(load("locator"), load("sides"), load("cells"))


@cache
def _of_models(heat: OnnxModel, sides: OnnxModel, cells: OnnxModel) -> Locator:
    """Return the locator of these networks, cached: sights keep their results by the locator's functions."""

    def run_sides(strips: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        places, present = sides(strips)
        return np.asarray(places, np.float32), np.asarray(present, np.float32)

    return Locator(
        lambda pictures: np.asarray(heat(pictures)[0], np.float32),
        run_sides,
        lambda crops: np.asarray(cells(crops)[0], np.float32),
    )


NOTHING_SEEN = LocatorState()
"""The state before a camera's first frame."""


@lru_cache(maxsize=4)
def index_of(gallery: HasFaces) -> FaceIndex:
    """The cached features of a gallery's faces."""
    return FaceIndex(gallery.firsts)


def locate(
    sight: Sight,
    locator: Locator,
    state: LocatorState = NOTHING_SEEN,
    gallery: HasFaces | None = None,
) -> tuple[BoardPose | None, LocatorState]:
    """Locate the largest connected board in a frame; return its pose and the state for the next frame.

    The pose is None if there is no board. A gallery's faces are used if given; without it any printed tiles
    are found. ``state`` is that of an earlier frame of the same camera: if nothing moved since, its pose is
    returned unchanged, else the cells keep their names. Without it, north is the lattice direction nearest
    the image's up, and (0, 0) is the tile of least y, then least x.
    """
    look_now = sight.once(SmallPicture.of)
    before = state.place
    changes = Changes.between(before.look, look_now) if before is not None else None
    if before is not None and changes is not None:
        if changes.still:
            return before.pose, LocatorState(before, followed=True)
        gauge = CellGauge(sight, locator, sight.once(look, locator.heat))
        again = follow(gauge, before.pose, before.lattice, changes)
        if again is not None:
            return again[0], LocatorState(LocatedLattice(look_now, *again), followed=True)
    found = _on_mat(sight, locator) or _search(sight, locator, gallery)
    if found is None:
        return None, LocatorState(before)
    place = LocatedLattice(look_now, *named(found, sight.size_wh, state.prior))
    return place.pose, LocatorState(place)


def search_thoroughly(
    sight: Sight, locator: Locator, gallery: HasFaces | None, state: LocatorState
) -> Iterator[LocatedLattice]:
    """Yield candidates for the board, likeliest first, at most `PARAMS.lattices`, for the caller to verify.

    Unlike `locate`, it searches the gallery's faces even if the outlines alone are beyond doubt. ``state``
    only determines the cells' names.
    """
    heat = sight.once(look, locator.heat)
    outlined = _outlined(sight, locator, gallery, heat)
    found = _considered(sight, locator, gallery, heat, outlined)
    for board in islice(found, PARAMS.lattices):
        yield LocatedLattice(sight.once(SmallPicture.of), *named(board, sight.size_wh, state.prior))


def regrow_from_faces(
    sight: Sight, locator: Locator, place: LocatedLattice, known: Mapping[Cell, Quad]
) -> LocatedLattice | None:
    """Grow a board by outlines from the ``known`` quads of recognised faces, with their cell names.
    ``place`` gives the small picture of the result. None if the quads fix no plane or no board is
    measured."""
    lattice = plane_of(known, place.pose.image_size_wh)
    if lattice is None:
        return None
    heat = sight.once(look, locator.heat)
    quads = {cell: np.asarray(quad, np.float64) for cell, quad in known.items()}
    heat = _closer(sight, locator, heat, np.stack(list(quads.values()))) or heat
    claims = dict.fromkeys(quads, KNOWN_CLAIM)
    found = measure_board(CellGauge(sight, locator, heat), lattice, claims, quads, by_colors=True)
    if found is None:
        return None
    pose = pose_of(place.pose.image_size_wh, found.lattice, found.quads, found.occupied)
    return LocatedLattice(place.look, pose, found.lattice)


def _on_mat(sight: Sight, locator: Locator) -> MeasuredBoard | None:
    """Return the likely board on a printed marker mat: tiles inside its rim and square in its plane.
    None without a mat or without a likely board on it."""
    mat = sight.once(find_mat)
    if mat is None:
        return None
    quads, weights = mat.proposals(sight, locator.heat)
    heat = sight.once(look, locator.heat, mat.area_px(sight.size_wh))
    found = next(_boards_of(sight, locator, heat, quads, weights, 1), None)
    return found if found is not None and _likely(found) else None


def _search(sight: Sight, locator: Locator, gallery: HasFaces | None) -> MeasuredBoard | None:
    """Search the board in this frame alone; None if there is none.
    It searches by outlines, which is quick, and if the result is doubtful also by known faces, which are more
    reliable. With a gallery a likely board suffices, because reading its faces will verify it."""
    heat = sight.once(look, locator.heat)
    outlined = _outlined(sight, locator, gallery, heat)
    first = next(outlined, None)
    if first is not None and (_beyond_doubt(first) if gallery is None else _likely(first)):
        return first
    outlined = chain([first] if first else [], outlined)
    others = _considered(sight, locator, gallery, heat, outlined)
    return max(others, key=lambda board: board.weight, default=None)


def _outlined(
    sight: Sight, locator: Locator, gallery: HasFaces | None, heat: Heat
) -> Iterator[MeasuredBoard]:
    """Yield boards from the heat map; if none is beyond doubt, also from closer views."""
    unknown_art = gallery is None
    for board in _boards_of(sight, locator, heat, *heat.proposed, PARAMS.lattices, unknown_art):
        yield board
        if _beyond_doubt(board):
            return
    if heat.resolved:
        return
    near, quads, weights = sight.once(near_looks, locator.heat, heat)
    yield from _boards_of(sight, locator, near, quads, weights, PARAMS.lattices, unknown_art)


def _considered(
    sight: Sight,
    locator: Locator,
    gallery: HasFaces | None,
    heat: Heat,
    outlined: Iterator[MeasuredBoard],
) -> Iterator[MeasuredBoard]:
    """Yield candidates for the board: by known faces first, then those of ``outlined``, likeliest first.
    Two known faces on one lattice end it. If no candidate has `FEW_TILES` tiles, a view from twice as far is
    tried too."""
    by_faces: list[MeasuredBoard] = []
    if gallery is not None:
        known, strength = sight.once(_known_faces, gallery, heat)
        if len(known):
            quads, weights = heat.proposed
            both = merged(known, strength, quads, PARAMS.outline_weight * weights)
            by_faces = list(_boards_of(sight, locator, heat, *both, 1))
        yield from by_faces
        # Two known faces on one lattice are decisive.
        if by_faces and sum(_holds(by_faces[0], q) for q in known) >= 2:
            return
    boards = list(outlined)
    if all(len(board.quads) < FEW_TILES for board in [*by_faces, *boards]):
        # The tiles may be too large for the network: try a view from twice as far away.
        width, height = sight.size_wh
        far = sight.once(look, locator.heat, (-width / 2, -height / 2, 1.5 * width, 1.5 * height))
        boards += _outlined(sight, locator, gallery, far)
    yield from sorted(boards, key=lambda board: -board.weight)


def _known_faces(
    sight: Sight, gallery: HasFaces, heat: Heat
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the quads and weights of a gallery's faces in a picture, as `seed_quads` does."""
    return seed_quads(sight, lambda: index_of(gallery), heat)


def count_known_faces(sight: Sight, locator: Locator, gallery: HasFaces) -> int:
    """Return the number of the gallery's faces that a picture shows by their features."""
    known, _ = sight.once(_known_faces, gallery, sight.once(look, locator.heat))
    return len(known)


def _holds(board: MeasuredBoard, quad: NDArray[np.float64]) -> bool:
    """Whether a quad coincides with a tile of the board."""
    off = np.linalg.norm(np.stack(list(board.quads.values())).mean(axis=1) - quad.mean(axis=0), axis=1)
    side = mean_sides_px(quad)
    return bool(off.min() < 0.3 * side)


def _boards_of(
    sight: Sight,
    locator: Locator,
    heat: Heat,
    quads: NDArray[np.float64],
    weights: NDArray[np.float64],
    lattices: int,
    unknown_art: bool = False,
) -> Iterator[MeasuredBoard]:
    """Yield measured boards on at most ``lattices`` lattices of loose quads, until one is beyond doubt.
    ``quads`` (n, 4, 2) have ``weights`` (n,); ``unknown_art`` as in `measure_board`."""
    for grown in find_lattices(quads, weights, sight.size_wh, lattices):
        found = _board_on(sight, locator, heat, grown, quads, weights, unknown_art)
        if found is not None:
            yield found
            if _beyond_doubt(found):
                break


def _board_on(
    sight: Sight,
    locator: Locator,
    heat: Heat,
    grown: LatticeHypothesis,
    quads: NDArray[np.float64],
    weights: NDArray[np.float64],
    unknown_art: bool,
) -> MeasuredBoard | None:
    """Measure the board on one lattice (``grown``) of loose quads, in a closer view if its tiles are small.
    A doubtful board is measured again from its tiles, as long as its weight increases. ``quads`` (n, 4, 2)
    have ``weights`` (n,); ``unknown_art`` as in `measure_board`. None if there is no board."""
    closer = _closer(sight, locator, heat, grown.lattice.quads(grown.members))
    if closer is not None:
        again, strength = closer.proposed
        known = weights > 1.0
        strength = strength * (PARAMS.outline_weight if known.any() else 1.0)
        nearer, speaking = merged(quads[known], weights[known], again, strength)
        lattices = find_lattices(nearer, speaking, sight.size_wh, 1)
        if lattices:  # the closer view may find nothing: then keep the first
            heat, quads, weights, grown = closer, nearer, speaking, lattices[0]
    gauge = CellGauge(sight, locator, heat)
    claims = {cell: float(weights[index]) for cell, (index, _) in grown.members.items()}
    start = {cell: np.roll(quads[i], -turn, axis=0) for cell, (i, turn) in grown.members.items()}
    found = measure_board(gauge, grown.lattice, claims, start, unknown_art)
    # Measured tiles are a better start than loose quads. With a gallery only further tiles are worth it.
    for _ in range(SETTLINGS):
        if found is None or _beyond_doubt(found):
            break
        claimed = {cell: claims.get(cell, 0.0) for cell in found.quads}
        better = measure_board(gauge, found.lattice, claimed, found.quads, unknown_art)
        if better is None or better.weight <= found.weight + (0.0 if unknown_art else 1.0):
            break
        found = better
    return found


def _likely(board: MeasuredBoard) -> bool:
    """Whether a board is worth reading before faces are searched."""
    return len(board.quads) >= FEW_TILES and board.weight > PARAMS.likely_weight * len(board.quads)


def _beyond_doubt(board: MeasuredBoard) -> bool:
    """Whether a board is certain: enough tiles, hardly a doubtful one, and no possible tile next to them."""
    around = {step_from(cell, step) for cell in board.quads for step in STEPS} - set(board.quads)
    beside = [board.occupied.get(cell, 0.0) for cell in around]
    sure = board.weight > PARAMS.sure * len(board.quads) and max(beside, default=0.0) < PARAMS.possible
    return len(board.quads) >= FEW_TILES and sure


def beyond_doubt(pose: BoardPose) -> bool:
    """Whether a pose by outlines has hardly a doubtful tile, and no possible tile next to its tiles."""
    beside = {step_from(cell, step) for cell in pose.quads for step in STEPS} - set(pose.quads)
    possible = max((pose.occupied.get(cell, 0.0) for cell in beside), default=0.0)
    return pose.confidence > PARAMS.sure and possible < PARAMS.possible


def _closer(sight: Sight, locator: Locator, heat: Heat, quads: NDArray[np.float64]) -> Heat | None:
    """Return a heat map of the area around the tiles ``quads`` (n, 4, 2), if they were small in ``heat``.
    None if they were not, or if the area is most of the picture."""
    side = float(mean_sides_px(quads).mean())
    scale = float(np.sqrt(abs(np.linalg.det(heat.view.A[:, :2]))))
    if side * scale >= PARAMS.closer_look_px:
        return None
    width, height = sight.size_wh
    low = np.maximum(quads.reshape(-1, 2).min(axis=0) - 2.0 * side, 0.0)
    high = np.minimum(quads.reshape(-1, 2).max(axis=0) + 2.0 * side, [width, height])
    wide, tall = high - low
    if max(wide, tall) > 0.75 * max(width, height):
        return None
    area = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    return sight.once(look, locator.heat, area, heat)
